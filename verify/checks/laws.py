"""Laws that tie results to one another, so that no right value is needed: reflection, and the direction on each piece.

A law is broken where two results contradict it by more than their budgets together and more than adding rounded numbers
leaves. Where every error keeps to its budget no law can be broken, so a run of every input settles the laws as well.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.checks.case import Case, Diagnosis, Floats, Mask, allowed_flushes
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.regions import coarse_regions, exact_regions, runs
from gelu_verify.checks.sample import Sample
from gelu_verify.formats.arrays import from_ordinals, ulp
from gelu_verify.records import Region

_EXPLAINED = (Kind.WRONG_FORM, Kind.WRONG_CONSTANT, Kind.WRONG_DERIVATIVE, Kind.LOW_PRECISION)
"""Kinds that say of all results what they are: that laws break with them is no news."""

_ELSEWHERE = (Kind.OVERFLOW, Kind.SUBNORMAL_FLUSH)
"""Kinds that explain a result as lost, which then keeps no law."""

_HOLDS = 2.0**-44  # relative error up to which the values claimed obey a law, computed in binary64
_LEAST_PAIRS = 8
_NEAR = 16.0  # |x| up to which the largest break is sought in absolute terms, beyond in terms of x
_CLEAN = 8  # runs whose edges are worth finding to the float


@dataclass(frozen=True, slots=True)
class Reflection:
    """The law f(x) + sign f(-x) = slope x + constant; `text` says it of the function, `primed` of the derivative."""

    sign: int
    slope: int
    constant: int
    text: str
    primed: str

    def residual(self, x: Floats, plus: Floats, minus: Floats) -> Floats:
        """Return by how much values at x and -x break the law."""
        result: Floats = (plus + self.sign * minus) - (self.slope * x + self.constant)
        return result


REFLECTIONS = (
    Reflection(-1, 1, 0, "f(x) - f(-x) = x", ""),
    Reflection(1, 0, 1, "f(x) + f(-x) = 1", "f'(x) + f'(-x) = 1"),
    Reflection(1, 0, 0, "f(-x) = -f(x)", "f'(-x) = -f'(x)"),
    Reflection(-1, 0, 0, "f(-x) = f(x)", "f'(-x) = f'(x)"),
)


def explain_laws(case: Case) -> None:
    """Add what breaks a law of the function claimed, unless all results are explained as those of something else."""
    if not case.over.any() or any(diagnosis.kind in _EXPLAINED for diagnosis in case.found):
        return
    lost = [diagnosis.mask for diagnosis in case.found if diagnosis.kind in _ELSEWHERE]
    sample = case.claimed.take(~np.any([allowed_flushes(case.claim, case.claimed), *lost], axis=0))
    with np.errstate(all="ignore"):
        _explain_reflection(case, sample)
        _explain_direction(case, sample)


def _slack(case: Case, sample: Sample) -> Floats:
    """Return by how much each result may be off: its budget, or what adding rounded numbers leaves."""
    result: Floats = case.claim.max_ulp * ulp(sample.format, sample.want) + case.noise(sample)
    return result


def _explain_reflection(case: Case, sample: Sample) -> None:
    positive, mirror = _pairs(sample)
    law = _law(case, positive, mirror)
    if law is None:
        return
    broken = _breaks(case, law, positive, mirror)
    if not broken.any():
        return
    sizes = abs(law.residual(positive.x, positive.got, mirror.got))
    worst = int(np.argmax(np.where(broken, sizes / np.maximum(positive.x, _NEAR), -1.0)))
    guilty = positive if abs(positive.distance[worst]) >= abs(mirror.distance[worst]) else mirror
    text = law.primed if case.claim.derivative else law.text
    at = case.claim.format.decimal(int(positive.bits[worst]))
    message = f"{text} is broken by {sizes[worst]:.4g} at x = {at} and its negative"
    regions = _regions(case, positive, broken, partial(_breaks_at, case, law))
    witness = int(guilty.bits[worst])
    mask = np.zeros_like(case.over)  # a law explains no result by itself
    case.explain(
        Diagnosis(Kind.PROPERTY_VIOLATION, mask, message, _one_gate(positive, mirror, broken), regions, witness)
    )


def _one_gate(positive: Sample, mirror: Sample, broken: Mask) -> str:
    """Say which half is at fault, and what ties the halves together."""
    right, left = (np.median(abs(half.distance[broken])) for half in (positive, mirror))
    law = "the halves belong together: compute both from one gate g with g(x) + g(-x) = 1"
    if right > 8 * left:
        return f"the half x > 0 is at fault; {law}"
    if left > 8 * right:
        return f"the half x < 0 is at fault; {law}"
    return law


def _pairs(sample: Sample) -> tuple[Sample, Sample]:
    """Return the sampled x > 0 whose negative was sampled too, and the sample at these negatives."""
    _, left, right = np.intersect1d(sample.x, -sample.x, return_indices=True)
    keep = sample.x[left] > 0
    return sample.take(left[keep]), sample.take(right[keep])


def _law(case: Case, positive: Sample, mirror: Sample) -> Reflection | None:
    """Return the reflection that the values claimed obey, if there is one."""
    seen = np.isfinite(positive.want) & np.isfinite(mirror.want)
    if np.count_nonzero(seen) < _LEAST_PAIRS:
        return None
    x, plus, minus = positive.x[seen], positive.want[seen], mirror.want[seen]
    scale = _HOLDS * (abs(plus) + abs(minus) + abs(x))
    for law in REFLECTIONS:
        if (law.primed or not case.claim.derivative) and np.all(abs(law.residual(x, plus, minus)) <= scale):
            return law
    return None


def _breaks(case: Case, law: Reflection, positive: Sample, mirror: Sample) -> Mask:
    size = abs(law.residual(positive.x, positive.got, mirror.got))
    allowed = _slack(case, positive) + _slack(case, mirror)
    flushed = allowed_flushes(case.claim, positive) | allowed_flushes(case.claim, mirror)
    result: Mask = np.isfinite(size) & (size > allowed) & ~flushed
    return result


def _breaks_at(case: Case, law: Reflection, bits: npt.NDArray[Any]) -> Mask:
    """Tell of further positive inputs, ascending, whether the law is broken there."""
    mirrored = (bits ^ bits.dtype.type(case.claim.format.sign_mask))[::-1]
    positive, negative = case.measure_claim(bits), case.measure_claim(mirrored)
    return _breaks(case, law, positive, negative.take(np.arange(bits.size)[::-1]))


def _regions(
    case: Case, sample: Sample, mask: Mask, predicate: Callable[[npt.NDArray[Any]], Mask]
) -> tuple[Region, ...]:
    if len(list(runs(mask))) <= _CLEAN:
        return exact_regions(case.claim.format, sample.bits, mask, predicate)
    return coarse_regions(sample.bits, mask, most=3)


def _explain_direction(case: Case, sample: Sample) -> None:
    """Steps against the function: it rises from one input to the next and the results fall, or the reverse."""
    steps = _steps_back(case, sample)
    if not steps.any():
        return
    stretches = [run for run in runs(_against(sample)) if steps[run[0] : run[1]].any()]
    start, stop = max(stretches, key=lambda run: abs(sample.got[run[1]] - sample.got[run[0]]))
    pair = sample.take(np.array([start, stop]))
    if stop - start == 1:
        pair = _narrowed(case, pair)
    goes, should = ("falls", "rises") if pair.got[1] < pair.got[0] else ("rises", "falls")
    name, decimal = f"f{chr(39) * case.claim.derivative}", case.claim.format.decimal
    left, right = (f"{name}({decimal(int(pair.bits[end]))}) = {pair.got[end]:.9g}" for end in (0, 1))
    message = f"{goes} from {left} to {right} where the function {should}"
    ends = np.append(steps, False) | np.insert(steps, 0, False)
    regions = coarse_regions(sample.bits, ends, most=3)
    if np.count_nonzero(steps) == 1:
        regions = (Region(int(pair.bits[0]), int(pair.bits[1])),)
    witness = int(pair.bits[int(np.argmax(abs(pair.distance)))])
    cause = "branches, table segments or a fit that do not meet: the function is monotone there"
    mask = np.zeros_like(case.over)
    case.explain(Diagnosis(Kind.PROPERTY_VIOLATION, mask, message, cause, regions, witness))


def _steps_back(case: Case, sample: Sample) -> Mask:
    """Tell of each step between neighbours of a sample whether the results go against the function."""
    slack = _slack(case, sample)
    result: Mask = _against(sample) & (abs(np.diff(sample.got)) > slack[1:] + slack[:-1])
    return result


def _against(sample: Sample) -> Mask:
    """Tell of each step whether the results move the other way than the function, however little."""
    got, want = np.diff(sample.got), np.diff(sample.want)
    result: Mask = (np.sign(got) * np.sign(want) < 0) & np.isfinite(got)
    return result


def _narrowed(case: Case, pair: Sample) -> Sample:
    """Return the two neighbouring numbers between which the results jump back, or the pair if they do not jump."""
    format = case.claim.format
    places = [format.ordinal(int(bits)) for bits in pair.bits]
    deviations = [float(value) for value in pair.distance]
    while places[1] - places[0] > 1:
        middle = sum(places) // 2
        here = float(case.measure_claim(_encodings(case, [middle])).distance[0])
        side = 1 if abs(here - deviations[0]) >= abs(deviations[1] - here) else 0
        places[side], deviations[side] = middle, here
    neighbours = case.measure_claim(_encodings(case, places))
    return neighbours if _steps_back(case, neighbours).all() else pair


def _encodings(case: Case, places: list[int]) -> npt.NDArray[Any]:
    return from_ordinals(case.claim.format, np.array(places, np.int64))
