"""Monotone ends of long stretches: far out and close to zero an expansion of f' says at once what cells say slowly."""

from fractions import Fraction

from gelu_verify.bounds.smooth import Smooth
from gelu_verify.enclosures.germs import Germ
from gelu_verify.enclosures.scales import NoAsymptotics, TooEarly
from gelu_verify.enclosures.tails import TO_INFINITY, TO_MINUS_INFINITY, Approach, settle

_FAR = 64  # from here on a segment is taken to be long
_FROM_ABOVE, _FROM_BELOW = Approach(Fraction(0), 1), Approach(Fraction(0), -1)


def without_monotone_ends(f: Smooth, lower: Fraction, upper: Fraction) -> tuple[Fraction, Fraction]:
    """Return the part of a segment that can hold a stationary point, as far as expansions show (none: lower > upper).

    The derivative has a sign on what is left out, its inner end included: |f| has no maximum of its own there.

    >>> from gelu_verify.catalogue import parse
    >>> without_monotone_ends(Smooth(parse("log(x)")), Fraction("1e-300"), Fraction(10**300))
    (Fraction(1, 2), Fraction(2, 1))
    """
    if upper > _FAR and (place := _monotone_from(f, TO_INFINITY)) is not None:
        upper = min(upper, place)
    if lower < -_FAR and (place := _monotone_from(f, TO_MINUS_INFINITY)) is not None:
        lower = max(lower, place)
    if 0 <= lower < upper and _is_close(lower, upper) and (place := _monotone_from(f, _FROM_ABOVE)) is not None:
        lower = max(lower, place)
    if lower < upper <= 0 and _is_close(-upper, -lower) and (place := _monotone_from(f, _FROM_BELOW)) is not None:
        upper = min(upper, place)
    return lower, upper


def _is_close(near: Fraction, far: Fraction) -> bool:
    """Whether a segment from `near` to `far` comes close to zero with one end, or lies there as a whole."""
    return 0 < near < Fraction(1, _FAR) or far < Fraction(1, _FAR)


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
