"""Faults with edges: results that are not finite, flushed subnormals, branches and thresholds."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.checks.case import Case, Diagnosis, Mask, allowed_flushes
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.onsets import is_power, overflow_cause, overflow_cure
from gelu_verify.checks.pieces import branch, reaches_all
from gelu_verify.checks.regions import runs
from gelu_verify.checks.sample import Sample
from gelu_verify.formats.arrays import from_ordinals, round_float64, to_float64
from gelu_verify.records import Region

_BESIDE = 3  # inputs on either side of an edge that tell whether the error sets in suddenly
_JUMP = 8.0  # by which an error grows from one input to the next only at a branch
_FADED = 64.0  # subnormal steps: a value below has no digits left to lose
_STEP = 2.0**-6  # of the noise of sums is the least that such a sum gives but zero
_NEIGHBOURS = 24  # sampled inputs beside a run that tell what is wrong there too
_MOST_RUNS = 12


def explain_nonfinite(case: Case) -> None:
    """NaN or an infinity where the right value is finite: an intermediate result overflowed."""
    mask = case.left & ~np.isfinite(case.judged.got)
    if not mask.any():
        return
    regions = case.sharp(mask, lambda sample: np.isinf(sample.error))
    values = case.judged.got[mask]
    what = "NaN" if np.isnan(values).all() else "an infinity" if np.isinf(values).all() else "NaN or an infinity"
    cause = _overflow_of(case, regions)
    advice = f"{cause}: " if cause else "an intermediate result overflows, and infinity meets infinity or zero: "
    case.explain(
        Diagnosis(
            Kind.OVERFLOW,
            mask,
            f"gives {what} where the right value is finite",
            advice + overflow_cure(cause),
            regions,
        )
    )


def _overflow_of(case: Case, regions: tuple[Region, ...]) -> str:
    """Return the quantity that overflows at the innermost edge of the regions."""
    return overflow_cause(case.claim.format, abs(innermost(case, regions)[1]))


def innermost(case: Case, regions: tuple[Region, ...]) -> tuple[int, float]:
    """Return the edge of the regions nearest to zero, as encoding and value."""
    edges = [edge for region in regions for edge in (region.first, region.last)]
    values = to_float64(case.claim.format, np.array(edges, case.judged.bits.dtype))
    nearest = int(np.argmin(abs(values)))
    return edges[nearest], float(values[nearest])


def explain_flushes(case: Case) -> None:
    """Subnormal inputs taken for zeros, and zeros where the right value is a subnormal number."""
    _explain_flushed_inputs(case)
    _explain_flushed_outputs(case)


def _explain_flushed_inputs(case: Case) -> None:
    """At subnormal inputs the result for zero, and none lost at others whose right values are subnormal."""
    sample, least = case.judged, 2.0**case.claim.format.emin
    policy = replace(case.claim, flush_inputs=True, flush_outputs=False)
    flushed = case.left & allowed_flushes(policy, sample)
    elsewhere = (abs(sample.x) >= least) & (sample.want != 0) & (abs(sample.want) < least)
    if not flushed.any() or np.max(abs(sample.x[flushed])) < least / 4 or (lost(sample) & elsewhere).any():
        return
    if not elsewhere.any() and np.max(abs(sample.want[flushed])) < least:
        return  # nothing tells the one from the other: take it for the commoner fault

    def shows(some: Sample) -> Mask:
        return allowed_flushes(policy, some) & ~allowed_flushes(case.claim, some)

    case.explain(
        Diagnosis(
            Kind.SUBNORMAL_FLUSH,
            flushed,
            "takes subnormal inputs for zeros",
            "a denormals-are-zero mode or a compiler option such as -ffast-math is at work; "
            f"{_declare('both' if case.claim.flush_outputs else 'inputs')}",
            case.sharp(flushed, shows),
        )
    )


def _declare(which: str) -> str:
    return f"if that is intended, declare it with --flush-subnormals {which}"


def _explain_flushed_outputs(case: Case) -> None:
    format = case.claim.format
    least = 2.0**format.emin
    zero = lost(case.judged)
    flushed = np.zeros_like(case.left)
    for start, stop in runs(zero):
        part = case.judged.take(np.arange(start, stop))
        if case.left[start:stop].any() and np.max(abs(part.want)) < least:
            flushed[start:stop] = _largest_lost(case, slice(start, stop)) >= least / 4
    if not flushed.any():
        return

    def shows(some: Sample) -> Mask:
        return lost(some) & (abs(some.want) < least) & ~allowed_flushes(case.claim, some)

    cause = (
        "subnormal results are replaced by zero, by a flush-to-zero mode or a compiler option such as -ffast-math; "
        f"{_declare('both' if case.claim.flush_inputs else 'outputs')}"
    )
    kept = (case.judged.got != 0) & (abs(case.judged.got) < np.max(abs(case.judged.want[flushed])))
    if kept.any():
        cause = "a factor such as e^x becomes zero before it is multiplied by x, while other subnormal results are kept"
    case.explain(
        Diagnosis(
            Kind.SUBNORMAL_FLUSH,
            flushed,
            "gives zero for a nonzero subnormal result",
            cause,
            case.sharp(flushed & ~allowed_flushes(case.claim, case.judged), shows),
        )
    )


def _largest_lost(case: Case, piece: slice) -> float:
    """Return the largest right value, in magnitude, for which a run of results is zero."""
    mask = np.zeros_like(case.left)
    mask[piece] = True
    ends = [end for region in case.sharp(mask, lost) for end in (region.first, region.last)]
    return max(float(abs(case.measure(np.array([end], case.judged.bits.dtype)).want[0])) for end in ends)


def lost(sample: Sample) -> Mask:
    """Tell where the result is zero and the right one is not."""
    rounded = to_float64(sample.format, round_float64(sample.format, sample.want))
    result: Mask = (sample.got == 0) & (rounded != 0)
    return result


def explain_thresholds(case: Case) -> None:
    """Errors of more than a percent that set in from one input to the next: a branch, a clamp, an overflow to zero."""
    sample = case.judged
    share = max(1 / 64, 32 * sample.unit)
    least = min(_FADED, 2.0 ** (case.claim.format.precision - 3))

    def gross(some: Sample) -> Mask:
        with np.errstate(all="ignore"):
            result: Mask = (abs(some.distance) >= share * abs(some.want)) & (some.error >= least)
        return result & case.exceeds(some)

    found = sorted(runs(case.left & gross(sample), gap=1), key=lambda run: run[0] - run[1])
    for start, stop in sorted(found[:_MOST_RUNS]):
        mask = np.zeros_like(case.left)
        mask[start:stop] = case.left[start:stop]
        if _zeros_of_a_sum(case, slice(start, stop)):
            continue
        regions = case.sharp(mask, gross)
        if regions and all(_sudden(case, region, gross) for region in (regions[0], regions[-1])):
            _name_threshold(case, *_whole(case, slice(start, stop), mask, regions))


def _whole(case: Case, piece: slice, mask: Mask, regions: tuple[Region, ...]) -> tuple[Mask, slice, tuple[Region, ...]]:
    """Return a run of zeros with what continues it up to where a zero is right: there the error is no longer gross."""
    sample = case.judged
    if np.any(sample.got[piece]):
        return mask, piece, regions
    for start, stop in runs(case.left & (sample.got == 0)):
        if start <= piece.start < stop:
            piece = slice(start, max(stop, piece.stop))
            mask[piece] = case.left[piece]
    return mask, piece, case.sharp(mask, lambda some: (some.got == 0) & case.exceeds(some))


def _zeros_of_a_sum(case: Case, piece: slice) -> bool:
    """Tell whether results are zero as sums of numbers near 1 and -1 become: the right values are no larger than what
    rounding such numbers leaves, and beside the zeros most results err already, by steps of that size.
    """
    sample = case.judged
    part = sample.take(np.arange(piece.start, piece.stop))
    if np.any(part.got) or np.any(abs(part.want) > case.noise(part)):
        return False
    for side in (slice(max(piece.start - _NEIGHBOURS, 0), piece.start), slice(piece.stop, piece.stop + _NEIGHBOURS)):
        beside = sample.take(np.arange(sample.x.size)[side])
        if beside.x.size and np.mean(case.over[side]) > 0.5 and np.any(beside.got):
            step = np.median(abs(beside.got / case.noise(beside))[beside.got != 0])
            return bool(step >= _STEP)
    return False


def _sudden(case: Case, region: Region, gross: Callable[[Sample], Mask]) -> bool:
    """Tell whether the error jumps at both ends of the region, from one input to the next.

    An end at which the right value itself fades to zero, or the domain ends, is no edge.
    """
    format = case.claim.format
    for edge, direction, end in ((region.first, -1, 0), (region.last, 1, -1)):
        if edge == case.judged.bits[end]:
            continue
        place = format.ordinal(edge)
        inside = _inputs(case, place - direction * np.arange(0, _BESIDE))
        outside = _inputs(case, place + direction * np.arange(1, _BESIDE + 1))
        if outside.size == 0:
            continue
        within, beyond = case.measure(inside), case.measure(outside)
        faded = max(_FADED, case.claim.max_ulp) * 2.0 ** (format.emin - format.fraction_bits)
        fades = np.all(abs(beyond.want) <= faded)
        if fades or np.isinf(beyond.error).any():
            continue
        if _JUMP * np.max(beyond.error) >= np.min(within.error[gross(within)], initial=np.inf):
            return False
    return True


def _inputs(case: Case, places: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """Return the finite nonzero inputs with these ordinals, ascending."""
    format = case.claim.format
    size = np.where(places < 0, -1 - places, places)
    return from_ordinals(format, np.sort(places[(size > 0) & (size <= format.max_finite)]))


def _name_threshold(case: Case, mask: Mask, piece: slice, regions: tuple[Region, ...]) -> None:
    sample = case.judged
    got, x = sample.got[piece], sample.x[piece]
    edge, at = innermost(case, regions)
    onset = case.measure(np.array([edge], sample.bits.dtype))
    least = 2.0**case.claim.format.emin
    overflow = overflow_cause(case.claim.format, at)
    beside = [place for place in (piece.start - 1, piece.stop) if 0 <= place < sample.error.size]
    touches = any(np.isinf(sample.error[place]) for place in beside)
    if np.all(got == 0) and 0.5 <= abs(onset.want[0]) / max(abs(at), 1.0) / least <= 1.01:
        cause = "a factor of the result is subnormal and flushed to zero, though the product is a normal number"
        case.explain(Diagnosis(Kind.SUBNORMAL_FLUSH, mask, "gives zero for a normal result", cause, regions))
    elif (touches or overflow) and not reaches_all(case, mask, x):
        what = "gives zero" if np.all(got == 0) else "is wrong"
        cause = overflow or "an intermediate result overflows"
        if is_power(overflow):
            cause += f": {overflow_cure(overflow)}"
        else:
            cause += ", or its reciprocal is cut off to zero" if np.all(got == 0) else ""
            cause += ": use the exponential of the negative magnitude, down to its subnormal values"
        case.explain(Diagnosis(Kind.OVERFLOW, mask, f"{what} beside an overflow", cause, regions))
    else:
        case.explain(branch(case, mask, got, x, regions))
