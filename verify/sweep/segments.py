"""Cutting the values of a chunk where their ulp or their sign changes."""

from bisect import bisect_left
from itertools import pairwise
from math import frexp, ldexp

import numpy as np
import numpy.typing as npt

from gelu_verify.formats import Format
from gelu_verify.references.models import BUDGET, Floats, ulp_exponent
from gelu_verify.sweep.parts import Part
from gelu_verify.sweep.results import Indices, Segment

_DOUBTFUL = 2.0**-8  # a bound above so many ulps decides too little: such places are judged alone


def binade(format: Format, size: float) -> int:
    """Return the exponent of the binade of a size, in which all subnormal sizes count as one below the others."""
    return max(frexp(size)[1] - 1 if size else format.emin - 1, format.emin - 1)


def monotone_segments(format: Format, values: Floats, part: Part) -> tuple[list[Segment], Indices] | None:
    """Cut the values of a function that does not change its direction or its sign, by bisection.

    Arguments:
        values: the computed ones of the part, or some of them in order.

    Returns:
        The segments, and the places whose true value may lie on either side of a cut. None where the bound is too wide
        for the smallest values.
    """
    low, bound = part.low, part.bound
    if not low > 0 or bound > BUDGET * ldexp(1.0, ulp_exponent(format, low)):
        return None
    least, greatest = binade(format, low), binade(format, part.high)
    sign = -1 if values[0] < 0 else 1
    rises = part.direction == sign  # whether the sizes grow with the place
    edges: list[int] = [0]
    aside: list[int] = []
    exponents = range(least, greatest + 1) if rises else range(greatest, least - 1, -1)
    for exponent in exponents[1:] if rises else exponents[:-1]:
        power = ldexp(1.0, exponent)
        # Values off by `bound` need not be in order; but true ones are, so beyond a computed value that is 3 bounds
        # below (above) the power all true values are 2 bounds below (above) it, and computed ones one bound at least.
        before, after = (
            _crossing(values, sign, power + side * 3 * bound, rises) for side in ((-1, 1) if rises else (1, -1))
        )
        aside.extend(range(before, after))
        edges.append(before)
    edges.append(len(values))
    segments = [
        Segment(start, stop, max(exponent, format.emin) - format.fraction_bits, _least(format, low, exponent), sign)
        for exponent, (start, stop) in zip(exponents, pairwise(edges), strict=True)
        if start < stop
    ]
    return segments, np.array(aside, np.intp)


def _least(format: Format, low: float, exponent: int) -> float:
    """Return a lower bound of the sizes in a binade, given one of all sizes."""
    return max(low, ldexp(1.0, exponent)) if exponent >= format.emin else low


def _crossing(values: Floats, sign: int, level: float, rises: bool) -> int:
    """Return the first place at which the size has passed the level."""
    if rises:
        return bisect_left(range(len(values)), True, key=lambda place: bool(values[place] * sign >= level))
    return bisect_left(range(len(values)), True, key=lambda place: bool(values[place] * sign < level))


def any_segments(
    format: Format, values: Floats, bound: float, overflow: float
) -> tuple[list[Segment], Indices, npt.NDArray[np.int8]]:
    """Cut any values, looking at each of them.

    Arguments:
        overflow: sizes beyond it overflow.

    Returns:
        The segments; the places that may belong to either side of a cut, or where the bound is too wide to decide
        much; and for each place the sign of an overflow, or 0 (places that overflow are in no segment).
    """
    sizes = np.abs(values)
    exponents = np.maximum(np.frexp(sizes)[1] - 1, format.emin - 1)
    base = np.ldexp(1.0, exponents)
    over = sizes > overflow + bound
    doubtful = (sizes - base <= bound) & (exponents >= format.emin)
    doubtful |= (2 * base - sizes <= bound) | (sizes <= bound) | (np.abs(sizes - overflow) <= bound)
    doubtful |= bound > _DOUBTFUL * np.ldexp(1.0, np.maximum(exponents, format.emin) - format.fraction_bits)
    kind = np.where(over, format.emax + 1, exponents) * 2 + (values < 0)
    edges = [0, *(np.flatnonzero(np.diff(kind)) + 1).tolist(), len(values)]
    segments = [
        Segment(
            start,
            stop,
            max(int(exponents[start]), format.emin) - format.fraction_bits,
            max(float(sizes[start:stop].min()) - bound, 0.0),
            -1 if values[start] < 0 else 1,
        )
        for start, stop in pairwise(edges)
        if not over[start]
    ]
    signs = np.where(over, np.sign(values), 0).astype(np.int8)
    return segments, np.flatnonzero(doubtful & ~over), signs
