"""An implementation's results at many inputs beside the right ones, with the errors: what the diagnosis works on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.checks.truth import Truth
from gelu_verify.formats import Format
from gelu_verify.formats.arrays import round_float64, to_float64, ulp
from gelu_verify.targets import Target

Bits = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Sample:
    """Results at finite nonzero inputs in ascending order; all arrays have the same length.

    Attributes:
        bits, got_bits: inputs and results as encodings.
        x, got, want: the same as binary64 numbers, and the right values (rounded to binary64).
        error: |got - want| in ulp of the right value; infinite for NaN and for an infinity that is wrong, and NaN
            where the claim has no value.
        distance: got - want in absolute terms.
    """

    format: Format
    bits: Bits
    got_bits: Bits
    x: Floats
    got: Floats
    want: Floats
    error: Floats
    distance: Floats

    def take(self, mask: Mask | npt.NDArray[np.int64]) -> "Sample":
        """Return the part of the sample that a mask or indices select."""
        fields = (self.bits, self.got_bits, self.x, self.got, self.want, self.error, self.distance)
        return Sample(self.format, *(values[mask] for values in fields))

    @property
    def unit(self) -> float:
        """Relative spacing of the format at 1, half of which is its rounding error."""
        return float(2.0 ** (1 - self.format.precision))


def compare(format: Format, bits: Bits, got_bits: Bits, high: Floats, low: Floats) -> Sample:
    """Return the sample for results and right values high + low."""
    x, got = to_float64(format, bits), to_float64(format, got_bits)
    with np.errstate(all="ignore"):
        distance = (got - high) - low
        error = abs(distance) / ulp(format, high)
        overflowing = to_float64(format, round_float64(format, high)) == got
        error = np.where(np.isfinite(got), error, np.where(overflowing, 0.0, np.inf))
    error[np.isnan(high)] = np.nan
    return Sample(format, bits, got_bits, x, got, high, error, distance)


def measure(target: Target, truth: Truth, bits: Bits, operation: str) -> Sample:
    """Run the target at finite inputs and compare.

    Raises:
        Misbehaved, Unsupported: the target gives no result.
    """
    got_bits = target.evaluate(bits, operation=operation)
    return compare(target.format, bits, got_bits, *truth.at(target.format, bits))


def measure_in_every_place(target: Target, truth: Truth, bits: Bits, operation: str) -> Sample:
    """Run the target at finite inputs in several orders, and keep of each input the best result: what is still wrong is
    wrong wherever the input stands in an array.

    Raises:
        Misbehaved, Unsupported: the target gives no result.
    """
    places = np.arange(bits.size)
    high, low = truth.at(target.format, bits)
    best = compare(target.format, bits, target.evaluate(bits, operation=operation), high, low)
    for order in (np.roll(places, 1), np.roll(places, 7), places[::-1]):
        got_bits = np.empty_like(best.got_bits)
        got_bits[order] = target.evaluate(np.ascontiguousarray(bits[order]), operation=operation)
        other = compare(target.format, bits, got_bits, high, low)
        better = np.nan_to_num(other.error, nan=np.inf) < np.nan_to_num(best.error, nan=np.inf)
        best = compare(target.format, bits, np.where(better, got_bits, best.got_bits), high, low)
    return best
