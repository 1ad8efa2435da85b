"""Faults with edges: results that are not finite, flushed subnormals, branches and thresholds."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.checks.case import Case, Diagnosis, Mask, allowed_flushes
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.onsets import overflow_cause
from gelu_verify.checks.regions import runs
from gelu_verify.checks.sample import Sample
from gelu_verify.formats.arrays import from_ordinals, round_float64, to_float64, ulp
from gelu_verify.records import Region

_BESIDE = 3  # inputs on either side of an edge that tell whether the error sets in suddenly
_JUMP = 8.0  # by which an error grows from one input to the next only at a branch
_FADED = 64.0  # subnormal steps: a value below has no digits left to lose
_MOST_RUNS = 12
_CLAMPS = 3  # constants that a clamped derivative may show: 0, 1 and another
_CONSTANT = 12  # sampled inputs in a row with one result that make a branch


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
            advice + "use the exponential of the negative magnitude, or clamp its argument",
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
        if case.left[start:stop].any() and least / 4 <= np.max(abs(part.want)) < least:
            flushed[start:stop] = True
    if not flushed.any():
        return

    def shows(some: Sample) -> Mask:
        return lost(some) & (abs(some.want) < least) & ~allowed_flushes(case.claim, some)

    case.explain(
        Diagnosis(
            Kind.SUBNORMAL_FLUSH,
            flushed,
            "gives zero for a nonzero subnormal result",
            "subnormal results are replaced by zero, by a flush-to-zero mode or a compiler option such as -ffast-math; "
            f"{_declare('both' if case.claim.flush_inputs else 'outputs')}",
            case.sharp(flushed & ~allowed_flushes(case.claim, case.judged), shows),
        )
    )


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
        regions = case.sharp(mask, gross)
        if regions and all(_sudden(case, region, gross) for region in (regions[0], regions[-1])):
            _name_threshold(case, mask, (start, stop), regions)


def _sudden(case: Case, region: Region, gross: Callable[[Sample], Mask]) -> bool:
    """Tell whether the error jumps at both ends of the region, from one input to the next.

    An end at which the right value itself fades to zero, or the format ends, is no edge.
    """
    format = case.claim.format
    for edge, direction in ((region.first, -1), (region.last, 1)):
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


def _name_threshold(case: Case, mask: Mask, run: tuple[int, int], regions: tuple[Region, ...]) -> None:
    sample = case.judged
    start, stop = run
    got, x = sample.got[start:stop], sample.x[start:stop]
    edge, at = innermost(case, regions)
    onset = case.measure(np.array([edge], sample.bits.dtype))
    least = 2.0**case.claim.format.emin
    overflow = overflow_cause(case.claim.format, at)
    beside = [place for place in (start - 1, stop) if 0 <= place < sample.error.size]
    touches = any(np.isinf(sample.error[place]) for place in beside)
    if np.all(got == 0) and 0.5 <= abs(onset.want[0]) / max(abs(at), 1.0) / least <= 1.01:
        cause = "a factor of the result is subnormal and flushed to zero, though the product is a normal number"
        case.explain(Diagnosis(Kind.SUBNORMAL_FLUSH, mask, "gives zero for a normal result", cause, regions))
    elif touches or overflow:
        what = "gives zero" if np.all(got == 0) else "is wrong"
        cause = (overflow or "an intermediate result overflows") + ": use the exponential of the negative magnitude"
        case.explain(Diagnosis(Kind.OVERFLOW, mask, f"{what} beside an overflow", cause, regions))
    else:
        case.explain(_branch(case, mask, got, x, regions))


def _branch(case: Case, mask: Mask, got: np.ndarray, x: np.ndarray, regions: tuple[Region, ...]) -> Diagnosis:
    """Name a branch by what it returns."""
    if np.all(got == 0):
        what, cause = "returns zero", "a threshold to zero lies too close: move it to where the format's result is zero"
    elif np.array_equal(got, x):
        what, cause = "returns its input", "a threshold to the identity lies too close: move it out"
    elif np.all(got == got[0]):
        what = f"returns the constant {got[0]:.9g}"
        cause = "the input or the result is clamped: the function is not constant there"
    else:
        what, cause = "is wrong", "a branch or table segment does not fit the function there"
    return Diagnosis(Kind.COARSE_APPROXIMATION, mask, what, cause, regions, case.worst(mask))


def explain_pieces(case: Case) -> None:
    """Runs on which the result is the input itself, or one constant that rounding does not explain."""
    sample = case.judged
    far = ~case.within_noise(sample)
    if case.claim.derivative == 0:
        for start, stop in runs(case.left & np.isfinite(sample.got) & (sample.got == sample.x)):
            if stop - start >= _CONSTANT or far[start:stop].any():
                _explain_piece(case, slice(start, stop), lambda some: some.got == some.x)
    pieces = [piece for piece in _levels(case) if _stands_out(case, piece, far)]
    if case.claim.derivative and len(pieces) > _CLAMPS:
        return  # a wrong derivative that happens to be flat somewhere
    by_length = sorted(pieces, key=lambda piece: piece.start - piece.stop)
    for piece in by_length[:_MOST_RUNS]:
        _explain_piece(case, piece, partial(_equals, sample.got[piece.start]))
    if len(pieces) > _MOST_RUNS:
        _explain_staircase(case, by_length[_MOST_RUNS:])


def _explain_staircase(case: Case, pieces: list[slice]) -> None:
    mask = np.zeros_like(case.left)
    for piece in pieces:
        mask[piece] = True
    message, cause = "is a staircase of constants", "a table is read without interpolation, or has too few entries"
    case.explain(Diagnosis(Kind.COARSE_APPROXIMATION, mask, message, cause, case.blurred(mask), case.worst(mask)))


def _equals(value: float, sample: Sample) -> Mask:
    result: Mask = sample.got == value
    return result


def _levels(case: Case) -> Iterator[slice]:
    """Yield the long stretches of equal results among the inputs left."""
    got = case.judged.got
    same = got[1:] == got[:-1]
    for start, stop in runs(case.left & np.isfinite(got) & (np.append(same, False) | np.insert(same, 0, False))):
        breaks = np.flatnonzero(np.diff(got[start:stop]) != 0) + 1
        for first, last in pairwise([0, *breaks.tolist(), stop - start]):
            if last - first >= _CONSTANT:
                yield slice(start + first, start + last)


def _stands_out(case: Case, piece: slice, far: Mask) -> bool:
    """Tell whether a run of equal results is a branch and not the rounding of a flat stretch: the right values move on
    while the result stays, and either it is far off or it lasts to the end of the format.
    """
    sample = case.judged
    want = sample.want[piece]
    moves = np.ptp(want) > _FADED / 4 * float(ulp(sample.format, np.max(abs(want))))
    to_the_end = sample.got[piece.start] != 0 and (piece.start == 0 or piece.stop == sample.x.size)
    return bool(moves and (far[piece].any() or to_the_end))


def _explain_piece(case: Case, piece: slice, belongs: Callable[[Sample], Mask]) -> None:
    mask = np.zeros_like(case.left)
    mask[piece] = True
    regions = case.sharp(mask, lambda some: belongs(some) & case.exceeds(some))
    case.explain(_branch(case, mask, case.judged.got[piece], case.judged.x[piece], regions))
