"""How strong is a test? Which of the seeded wrong implementations would it accept?

A test here is what most are: some inputs, and |got - expected| <= atol + rtol |expected|. It is judged by running every
seeded fault of the same function and format through it, and the right variants too, which it must not refuse.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import get_function
from gelu_verify.checks.probes import probes
from gelu_verify.checks.sample import compare
from gelu_verify.checks.truth import Truth
from gelu_verify.errors import InputError
from gelu_verify.faults import FAULTS, VARIANTS, Fault, Variant
from gelu_verify.formats import Format, get_format
from gelu_verify.formats.arrays import native_dtype, round_float64, storage_dtype, to_float64
from gelu_verify.references.correct_rounding import rounded

Floats = npt.NDArray[np.float64]
Bits = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """|got - expected| <= atol + rtol |expected|; NaN is accepted only where NaN is expected."""

    rtol: float
    atol: float


@dataclass(frozen=True, slots=True)
class Preset:
    """A test that many people run.

    Attributes:
        tolerances: by format, or one for all under the empty name.
        inputs: makes the inputs.
    """

    title: str
    tolerances: Mapping[str, Tolerance]
    inputs: Callable[[], Floats]

    def tolerance(self, format: str) -> Tolerance:
        """Return the tolerance for a format.

        Raises:
            InputError: the preset says nothing of the format.
        """
        found = self.tolerances.get(format, self.tolerances.get(""))
        if found is None:
            raise InputError(f"{self.title} has no tolerance for {format}; it has {', '.join(self.tolerances)}")
        return found


def _normal(count: int) -> Floats:
    return np.random.default_rng(0).standard_normal(count)


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "torch-defaults": Preset(
            "torch.testing.assert_close with its defaults on randn(10000)",
            {
                "binary16": Tolerance(1e-3, 1e-5),
                "bfloat16": Tolerance(1.6e-2, 1e-5),
                "binary32": Tolerance(1.3e-6, 1e-5),
                "binary64": Tolerance(1e-7, 1e-7),
            },
            lambda: _normal(10_000),
        ),
        "onnx-node": Preset(
            "ONNX's Gelu node test: rtol 1e-3, atol 1e-7 on {-1, 0, 1}",
            {"": Tolerance(1e-3, 1e-7)},
            lambda: np.array([-1.0, 0.0, 1.0]),
        ),
        "atol-1e-3": Preset(
            "atol 1e-3 on linspace(-10, 10, 1001)", {"": Tolerance(0.0, 1e-3)}, lambda: np.linspace(-10, 10, 1001)
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A fault that a test does not notice, with its largest errors over the whole format (infinite for NaN)."""

    fault: Fault
    max_abs: float
    max_ulp: float


@dataclass(frozen=True, slots=True)
class Strength:
    """What a test accepts.

    Attributes:
        accepted: the faults it does not notice, the strongest (by absolute error) first.
        refused: the faults it notices; blamed: the right variants that it refuses, of so many.
    """

    function: str
    format: Format
    accepted: tuple[Accepted, ...]
    refused: tuple[Fault, ...]
    blamed: tuple[Variant, ...]
    variants: int

    @property
    def meaningless(self) -> bool:
        """Whether the test refuses every right variant too: then it says nothing of the wrong ones."""
        return 0 < self.variants == len(self.blamed)


def seeded_faults(function: str, format: str) -> dict[str, Fault]:
    """Return the seeded faults of a forward pass that claims to be this function in this format.

    Raises:
        InputError: there is none.
    """
    name, known = get_function(function).name, get_format(format).name
    found = {
        id: fault
        for id, fault in FAULTS.items()
        if (fault.function, fault.format, fault.derivative, fault.gated, fault.gradient)
        == (name, known, 0, False, None)
    }
    if not found:
        raise InputError(f"no fault of {name} is seeded in {known}; gelu, gelu_tanh and silu in binary32 have most")
    return found


def seeded_implementations(function: str, format: str = "binary32") -> dict[str, Callable[..., Any]]:
    """Return the callables of `seeded_faults`, and of the right variants, by id.

    Raises:
        InputError: no faults are seeded for the function and format.
    """
    seeded = {id: fault.call for id, fault in seeded_faults(function, format).items()}
    return seeded | {each.id: each.call for each in right_variants(get_function(function).name, get_format(format))}


def strength(function: str, format: str, inputs: Floats, tolerance: Tolerance) -> Strength:
    """Run every seeded fault and every right variant through a test.

    Arguments:
        inputs: rounded to the format; the expected values are the correctly rounded ones.

    Raises:
        InputError: no faults are seeded for the function and format.
    """
    chosen = get_format(format)
    bits = round_float64(chosen, inputs)
    expected = expected_values(function, chosen, bits)
    passed = {
        id: _passes(to_float64(chosen, _results(chosen, call, bits)), expected, tolerance)
        for id, call in seeded_implementations(function, format).items()
    }
    return sort_out(function, chosen, passed)


def sort_out(function: str, format: Format, passed: Mapping[str, bool]) -> Strength:
    """Return what it means that a test passed these of `seeded_implementations`."""
    faults = seeded_faults(function, format.name)
    accepted = [_accepted(function, format, fault) for id, fault in faults.items() if passed[id]]
    accepted.sort(key=lambda entry: (-entry.max_abs, -entry.max_ulp, entry.fault.id))
    refused = tuple(fault for id, fault in faults.items() if not passed[id])
    variants = right_variants(function, format)
    blamed = tuple(variant for variant in variants if not passed[variant.id])
    return Strength(function, format, tuple(accepted), refused, blamed, len(variants))


def right_variants(function: str, format: Format) -> list[Variant]:
    """Return the right variants of a forward pass."""
    return [
        variant
        for variant in VARIANTS.values()
        if (variant.function, variant.format, variant.derivative, variant.gated) == (function, format.name, 0, False)
        and not variant.flush_subnormals
    ]


def _results(format: Format, call: Callable[..., Any], bits: Bits) -> Bits:
    with np.errstate(all="ignore"):
        result = call(bits.view(native_dtype(format)))
    return np.ascontiguousarray(result).view(storage_dtype(format))


def expected_values(function: str, format: Format, bits: Bits) -> Floats:
    """Return the right values at encodings, correctly rounded to the format; the limits at infinities, and the zero of
    the right sign at 0. All arrays are of the shape of `bits`, (n,).
    """
    chosen = get_function(function)
    with np.errstate(all="ignore"):
        high, _ = Truth(chosen).at(format, bits)
        values = to_float64(format, round_float64(format, high))
    x = to_float64(format, bits)
    for special in np.unique(bits[(x == 0) | ~np.isfinite(x)]):
        exact = np.array([rounded(chosen, int(special), format)], bits.dtype)
        values[bits == special] = to_float64(format, exact)[0]
    return values


def _passes(got: Floats, expected: Floats, tolerance: Tolerance) -> bool:
    with np.errstate(all="ignore"):
        near = abs(got - expected) <= tolerance.atol + tolerance.rtol * abs(expected)
    return bool(np.all(near | (got == expected) | (np.isnan(got) & np.isnan(expected))))


def _accepted(function: str, format: Format, fault: Fault) -> Accepted:
    bits = probes(format)
    right = Truth(get_function(function)).at(format, bits)
    sample = compare(format, bits, _results(format, fault.call, bits), *right)
    bad = ~np.isfinite(sample.got) & np.isfinite(sample.want)
    distance = np.where(bad, np.inf, abs(sample.distance))
    return Accepted(fault, float(np.nanmax(distance)), float(np.nanmax(sample.error)))


def errors_in_ulp(format: Format, call: Callable[..., Any], bits: Bits, want: Floats) -> Floats:
    """Return errors in ulp, `want` being the `expected_values`; infinite for a wrong NaN, infinity or sign of zero."""
    got = to_float64(format, _results(format, call, bits))
    same = (got == want) & ((np.signbit(got) == np.signbit(want)) | np.isinf(to_float64(format, bits)))
    same |= np.isnan(got) & np.isnan(want)
    finite = np.isfinite(got) & np.isfinite(want)
    error = np.where(same, 0.0, np.inf)
    part = compare(format, bits[finite], round_float64(format, got[finite]), want[finite], np.zeros(finite.sum()))
    error[finite] = np.where(same[finite], 0.0, np.where((got == want)[finite], np.inf, part.error))
    return error
