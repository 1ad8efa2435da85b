"""Monotone ends of long stretches: far out and close to zero an expansion of f' says at once what cells say slowly."""

from fractions import Fraction

from gelu_verify.bounds.roots import CLOSE, outer_approach
from gelu_verify.bounds.smooth import Smooth
from gelu_verify.enclosures.germs import Germ
from gelu_verify.enclosures.scales import NoAsymptotics, TooEarly
from gelu_verify.enclosures.tails import Approach, settle


def without_monotone_ends(f: Smooth, lower: Fraction, upper: Fraction) -> tuple[Fraction, Fraction]:
    """Return the part of a segment that can hold a stationary point, as far as expansions show (none: lower > upper).

    The derivative has a sign on what is left out, its inner end included: |f| has no maximum of its own there.

    >>> from gelu_verify.catalogue import parse
    >>> without_monotone_ends(Smooth(parse("log(x)")), Fraction("1e-300"), Fraction(10**300))
    (Fraction(1, 2), Fraction(2, 1))
    """
    for side, end in ((1, lower), (-1, upper)):
        outer = outer_approach(end, side)
        if outer is None and end == 0 and max(-lower, upper) <= CLOSE:
            outer = Approach(end, side)
        place = None if outer is None else _monotone_from(f, outer)
        if place is not None:
            lower, upper = (max(lower, place), upper) if side > 0 else (lower, min(upper, place))
    return lower, upper


def _monotone_from(f: Smooth, approach: Approach) -> Fraction | None:
    """Return a place from which f' is shown to have one sign."""

    def read(found: Germ) -> Fraction:
        if found.sign() == 0:
            raise NoAsymptotics("the derivative vanishes")
        return approach.end(found.horizon.start)

    try:
        return settle(f.derivative().expression, approach, read)
    except (NoAsymptotics, TooEarly):
        return None
