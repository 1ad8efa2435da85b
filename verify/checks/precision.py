"""Intermediate values kept in fewer bits than the result."""

from collections.abc import Iterator

import numpy as np

from gelu_verify.checks.case import Case, Diagnosis, Floats
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.probes import windows
from gelu_verify.checks.sample import Sample
from gelu_verify.checks.smoothness import smoothed
from gelu_verify.formats.arrays import round_float64, to_float64

_FINE = 20  # bits of precision from which on lower precisions can be seen at all
_LOWER = {"binary32": 24, "binary16": 11, "bfloat16": 8}
_NEAR, _FAR = 2.0**-6, 8.0  # the magnitudes looked at: there the lower precisions neither overflow nor underflow
_MOST = 0.97  # share of inputs that show it
_SATURATED = 3.0  # beyond which the gate may be 1 in any precision
_ROUGH = 48.0  # noise in units of the format: more than five bits lost


def explain_precision(case: Case) -> None:
    """Results or inputs that take only the values of a lower precision, or a noise far above the format's own."""
    sample = case.judged
    if case.claim.format.precision < _FINE or not case.left.any():
        return
    seen = sample.take((abs(sample.x) >= _NEAR) & (abs(sample.x) <= _FAR) & np.isfinite(sample.got))
    if seen.x.size < 256:
        return
    what = _granular_results(seen) or _granular_inputs(case, seen) or _rough(case)
    if what:
        # Everything left is its doing: the lower precision also overflows and underflows earlier.
        mask = case.left
        regions, witness = case.blurred(mask), case.worst(mask)
        cause = (
            "a cast, a special unit or a table keeps fewer bits than the result: stay in the format, or in a wider one"
        )
        case.explain(Diagnosis(Kind.LOW_PRECISION, mask, what, cause, regions, witness))


def _lower(case_precision: int) -> Iterator[tuple[str, int]]:
    return ((name, bits) for name, bits in _LOWER.items() if bits < case_precision)


def _cut(values: Floats, precision: int) -> Floats:
    """Drop the significand's bits beyond `precision` of them."""
    dropped = np.uint64((1 << (53 - precision)) - 1)
    result: Floats = (values.view(np.uint64) & ~dropped).view(np.float64)
    return result


def _granular_results(seen: Sample) -> str:
    """Find that all results are numbers of a lower precision although the right ones are not."""
    for name, precision in reversed(list(_lower(seen.format.precision))):
        if np.mean(_cut(seen.got, precision) == seen.got) >= _MOST > np.mean(_cut(seen.want, precision) == seen.want):
            return f"returns only numbers of {name}"
    return ""


def _granular_inputs(case: Case, seen: Sample) -> str:
    """Find that inputs which a lower precision does not tell apart have the same result."""
    for name, precision in reversed(list(_lower(seen.format.precision))):
        half = np.ldexp(0.5, np.frexp(seen.x)[1] - precision)
        for moved in (_cut(seen.x + np.copysign(half, seen.x), precision), _cut(seen.x, precision)):
            differs = moved != seen.x
            bits = round_float64(case.claim.format, moved[differs])
            same = case.results(bits) == seen.got_bits[differs]
            # A coarse table is blind to such differences too, but also to those that the lower precision sees.
            beyond = round_float64(case.claim.format, moved[differs] + 4 * half[differs])
            tells = case.results(beyond) != seen.got_bits[differs]
            if differs.sum() > 64 and np.mean(same) >= _MOST and np.mean(tells) > 0.75:
                return f"rounds its input to {name} first"
    return ""


def _rough(case: Case) -> str:
    """Find noise on runs of close inputs, where the true function is almost straight."""
    rows = windows(case.claim.format)
    first = to_float64(case.claim.format, rows[:, 0])
    rows = rows[(first > 0) & (first < _SATURATED)]
    sample = case.measure(rows.ravel())
    size = rows.shape[1]
    roughness = [_roughness(sample.take(np.arange(row * size, (row + 1) * size))) for row in range(rows.shape[0])]
    rough = [value for value in roughness if value >= _ROUGH]
    if len(rough) < len(roughness) / 2:
        return ""
    bits = case.claim.format.precision - round(float(np.log2(np.median(rough) * 12**0.5)))
    return f"carries a noise of about {max(bits, 1)} bits of precision: neighbouring inputs have unrelated errors"


def _roughness(part: Sample) -> float:
    """Return the noise on one run in units of the format; 0 for a staircase, which is a table's mark."""
    if not np.isfinite(part.distance).all() or np.mean(part.got[1:] == part.got[:-1]) > 0.5:
        return 0.0
    noise = np.sqrt(np.mean((part.distance - smoothed(part, part.distance)) ** 2))
    return float(noise / (part.unit * np.mean(abs(part.want))))
