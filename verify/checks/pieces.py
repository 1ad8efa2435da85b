"""Runs of results that tell by themselves what a branch returned: zero, the input, a constant, a staircase."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np

from gelu_verify.checks.case import Case, Diagnosis, Floats, Mask
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.regions import runs
from gelu_verify.checks.sample import Sample
from gelu_verify.formats.arrays import ulp
from gelu_verify.records import Region

_MOVES = 16.0  # ulp by which right values move on while a branch's result stays
_NEIGHBOURS = 24  # sampled inputs beside a run that tell what is right there
_RIGHT = 8.0  # ulp that a right result may be off
_MOST_RUNS = 12
_WHOLE = 0.9  # share of the inputs of one sign that makes them all
_CLAMPS = 3  # constants that a clamped derivative may show: 0, 1 and another
_TOP = 8  # times longer than the levels beside it is no top of a smooth curve
_CONSTANT = 12  # sampled inputs in a row with one result that make a branch


def branch(case: Case, mask: Mask, got: np.ndarray, x: np.ndarray, regions: tuple[Region, ...]) -> Diagnosis:
    """Name a branch by what it returns."""
    least = 2.0**case.claim.format.emin
    kind = Kind.COARSE_APPROXIMATION
    if np.all(got == 0) and np.min(abs(x)) < least and np.max(abs(x)) < 1:
        what = "returns zero"
        cause = "small inputs are lost: a power of x underflows, a larger number is added, or a threshold is too wide"
    elif np.all(got == 0):
        what, cause = "returns zero", "a threshold to zero lies too close: move it to where the format's result is zero"
        if np.max(abs(case.judged.want[mask])) < least:
            cause = "a factor underflows to zero, or a threshold to zero lies too close"
    elif np.array_equal(got, x):
        what, cause = "returns its input", "a threshold to the identity lies too close: move it out"
    elif np.all(got == got[0]):
        what = f"returns the constant {got[0]:.9g}"
        cause = "the input or the result is clamped: the function is not constant there"
    elif reaches_all(case, mask, x):
        kind, what = Kind.WRONG_FORM, f"is another function than {case.claim.function.name}, and none of the catalogue"
        cause = "the values are nowhere near: another formula is computed there"
    else:
        what, cause = "is wrong", "a branch or table segment does not fit the function there"
    return Diagnosis(kind, mask, what, cause, regions, case.worst(mask))


def reaches_all(case: Case, mask: Mask, x: Floats) -> bool:
    """Tell whether a run, at the inputs x, takes in nearly all inputs of a sign: no branch but another function."""
    return bool(np.mean(mask[np.sign(case.judged.x) == np.sign(x[0])]) > _WHOLE)


def explain_pieces(case: Case) -> None:
    """Runs on which the result is the input itself, or one constant that rounding does not explain."""
    sample = case.judged
    far = ~case.within_noise(sample)
    if case.claim.derivative == 0:
        for start, stop in runs(case.left & np.isfinite(sample.got) & (sample.got == sample.x)):
            if stop - start >= _CONSTANT or far[start:stop].any():
                _explain_piece(case, slice(start, stop), lambda some: some.got == some.x)
        _explain_kept_gate(case)
    kinds_of_branch = (_stands_out, _ends_a_fit, _is_cut)
    pieces = [piece for piece in _levels(case) if any(is_one(case, piece, far) for is_one in kinds_of_branch)]
    if case.claim.derivative and len(pieces) > _CLAMPS:
        return  # a wrong derivative that happens to be flat somewhere
    if case.claim.derivative:
        pieces = [piece for piece in pieces if not _is_a_rounded_top(sample.got, piece)]
    by_length = sorted(pieces, key=lambda piece: piece.start - piece.stop)
    for piece in by_length[:_MOST_RUNS]:
        _explain_piece(case, piece, partial(_equals, sample.got[piece.start]))
    if len(pieces) > _MOST_RUNS:
        _explain_staircase(case, by_length[_MOST_RUNS:])


def _explain_kept_gate(case: Case) -> None:
    """Multiples of x up to an end of the domain: the gate stays where its argument was clamped."""
    sample = case.judged
    with np.errstate(all="ignore"):
        gate = sample.got / sample.x
        kept = abs(gate[1:] / gate[:-1] - 1) <= sample.unit
        off = abs(gate - sample.want / sample.x) > _MOVES * sample.unit * abs(gate)
    found = np.append(kept, False) | np.insert(kept, 0, False)
    for start, stop in runs(case.left & np.isfinite(gate) & (gate != 0) & found):
        size = stop - start
        if size < _CONSTANT or (start > 0 and stop < sample.x.size) or np.mean(off[start:stop]) < 0.5:
            continue
        if np.unique(sample.got[start:stop]).size < size / 2:
            continue  # a constant, which in a coarse format changes no faster than x
        mask = np.zeros_like(case.left)
        mask[start:stop] = True
        value = float(np.median(gate[start:stop]))
        regions = case.sharp(mask, partial(_keeps_gate, case, value))
        message, cause = f"stays at {value:.6g} times x", "the argument of the gate is clamped too close to zero"
        case.explain(Diagnosis(Kind.COARSE_APPROXIMATION, mask, message, cause, regions, case.worst(mask)))


def _keeps_gate(case: Case, gate: float, sample: Sample) -> Mask:
    result: Mask = (abs(sample.got / (gate * sample.x) - 1) <= sample.unit) & case.exceeds(sample)
    return result


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
    moves = np.ptp(want) > _MOVES * float(ulp(sample.format, np.max(abs(want))))
    to_the_end = sample.got[piece.start] != 0 and (piece.start == 0 or piece.stop == sample.x.size)
    return bool(moves and (far[piece].any() or to_the_end))


def _ends_a_fit(case: Case, piece: slice, far: Mask) -> bool:
    """Tell whether zeros continue results that are farther off than any sum leaves: the tail of a fit is cut."""
    got = case.judged.got
    near = [place for place in (piece.start - 1, piece.stop) if 0 <= place < got.size]
    beside = [place for place in near if got[place] != 0 and np.isfinite(got[place])]
    return bool(got[piece.start] == 0 and any(far[place] for place in beside))


def _is_cut(case: Case, piece: slice, far: Mask) -> bool:
    """Tell whether zeros set in beside results that are right, which no sum of larger numbers gives."""
    sample = case.judged
    if np.any(sample.got[piece]):
        return False
    for side in (slice(max(piece.start - _NEIGHBOURS, 0), piece.start), slice(piece.stop, piece.stop + _NEIGHBOURS)):
        seen = (sample.got[side] != 0) & (np.sign(sample.x[side]) == np.sign(sample.x[piece.start]))
        if seen.any() and np.median(sample.error[side][seen]) <= min(case.claim.max_ulp, _RIGHT):
            return True
    return False


def _is_a_rounded_top(got: Floats, piece: slice) -> bool:
    """Tell whether equal results are those around a smooth extremum: the next level is not much shorter. Rounding makes
    a parabola's top 2 long where the next level is 0.41 long on either side; a clamp ends in steps of the full slope.
    """
    beside = []
    for start, step in ((piece.start - 1, -1), (piece.stop, 1)):
        place = start
        while 0 <= place < got.size and got[place] == got[start]:
            place += step
        beside.append(abs(place - start))
    return min(beside) > 0 and bool(_TOP * min(beside) >= piece.stop - piece.start)


def _explain_piece(case: Case, piece: slice, belongs: Callable[[Sample], Mask]) -> None:
    mask = np.zeros_like(case.left)
    mask[piece] = True
    regions = case.sharp(mask, lambda some: belongs(some) & case.exceeds(some))
    case.explain(branch(case, mask, case.judged.got[piece], case.judged.x[piece], regions))
