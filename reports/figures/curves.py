"""Points of curves, from enclosures, rounded so that they print the same everywhere."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from flint import arb, fmpq

from gelu_verify.catalogue.evaluators import NotSmooth
from gelu_verify.catalogue.expression import Expression
from gelu_verify.enclosures import working_precision
from gelu_verify.references import derivative_ball

Points = list[list[float] | None]  # None where the curve is interrupted
PLACES = 6  # significant digits of a plotted number
_PRECISION = 128  # bits


def curve(expression: Expression, xs: Iterable[Fraction], derivative: int = 0) -> Points:
    """Return points [x, y] of the expression or its derivative at rational x; None at a kink."""
    points: Points = []
    with working_precision(_PRECISION):
        for x in xs:
            try:
                ball = derivative_ball(expression, arb(fmpq(x.numerator, x.denominator)), derivative)
            except NotSmooth:
                points.append(None)
                continue
            points.append([float(x), significant(ball)] if ball.is_finite() else None)
    return points


def grid(low: Fraction | int, high: Fraction | int, count: int) -> Sequence[Fraction]:
    """Return `count` + 1 equally spaced rationals.

    >>> [str(x) for x in grid(-1, 1, 4)]
    ['-1', '-1/2', '0', '1/2', '1']
    """
    low, step = Fraction(low), (Fraction(high) - Fraction(low)) / count
    return [low + index * step for index in range(count + 1)]


def significant(ball: arb) -> float:
    """Return the ball's midpoint to a few significant digits: the same float on every machine."""
    return float(ball.mid().str(PLACES, radius=False, more=True))
