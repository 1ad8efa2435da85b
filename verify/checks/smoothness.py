"""Is an error a curve or a noise? Approximations err along curves, roundings of what comes before the result do not."""

import numpy as np

from gelu_verify.checks.case import Case, Floats, Mask
from gelu_verify.checks.probes import windows
from gelu_verify.checks.sample import Sample
from gelu_verify.formats.arrays import ulp

_FINE = 20  # bits of precision from which on the sampled inputs are too far apart to be neighbours
_DEGREES = {24: 3, 53: 9}  # precision up to which a polynomial of a degree follows any function on a window
_BEND = 1.5  # ulp by which rounding three results once bends the line through them: by 2 at most, by 0.7 mostly
_PART = 0.15  # of an error is the most that a curve bends from one input to the next but one
_STRETCH = 16  # inputs in a row that are judged together: a curve is one on nearly all of them
_MOSTLY, _NEARLY_ALL = 0.6, 0.85
_QUANTA = 2.0  # units of the format by which a gate moves from one input to the next
_STAYS = 0.75  # of such a unit is no move
_STAIRS = 0.3  # share of gates that do not move although they should, from which on they are quantised


def smoothed(part: Sample, values: Floats) -> Floats:
    """Return the polynomial nearest to values on a window: what is left is noise in the format of the sample."""
    degree = next(degree for precision, degree in _DEGREES.items() if part.format.precision <= precision)
    place = np.linspace(-1, 1, part.x.size)
    result: Floats = np.polynomial.polynomial.Polynomial.fit(place, values, degree)(place)
    return result


def errs_along_a_curve(case: Case) -> bool:
    """Tell whether the results still unexplained are those of another curve, each rounded once: from one input to the
    next their errors hardly bend, and no quantum of a number near 1 shows in them.
    """
    if case.claim.format.precision < _FINE:
        return _is_a_curve(case, case.judged, case.left)
    rows = windows(case.claim.format)
    sample = case.measure(rows.ravel())
    mask = case.exceeds(sample) & (sample.x >= case.judged.x[0]) & (sample.x <= case.judged.x[-1])
    parts = np.flatnonzero(mask.reshape(rows.shape).sum(axis=1) > _STRETCH)
    places = np.arange(mask.size).reshape(rows.shape)
    return bool(parts.size) and all(_is_a_curve(case, sample.take(places[part]), mask[places[part]]) for part in parts)


def _is_a_curve(case: Case, sample: Sample, mask: Mask) -> bool:
    seen = mask & np.isfinite(sample.got) & (sample.got != 0)
    middle = np.flatnonzero(seen[1:-1] & seen[:-2] & seen[2:]) + 1
    if middle.size < _STRETCH:
        return False
    distance = sample.distance
    bend = abs(distance[middle - 1] - 2 * distance[middle] + distance[middle + 1])
    step = np.maximum(ulp(sample.format, sample.want[middle]), ulp(sample.format, sample.got[middle]))
    straight = bend <= _BEND * step + _PART * abs(distance[middle])
    stretches = np.array_split(straight, middle.size // _STRETCH)
    curved = np.mean([np.mean(stretch) >= _MOSTLY for stretch in stretches])
    return bool(curved >= _NEARLY_ALL and not _is_quantised(case, sample, middle))


def _is_quantised(case: Case, sample: Sample, places: np.ndarray) -> bool:
    """Tell whether gates stand still where the right ones move by units of the format."""
    scale = 1.0 if case.claim.derivative else sample.x
    with np.errstate(all="ignore"):
        moves, should = (
            (abs(gate[places + 1] / gate[places] - 1)) for gate in (sample.got / scale, sample.want / scale)
        )
    moving = should >= _QUANTA * sample.unit
    return bool(moving.any() and np.mean(moves[moving] <= _STAYS * sample.unit) > _STAIRS)
