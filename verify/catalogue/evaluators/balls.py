"""Values as Arb balls."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb, fmpq

from gelu_verify.catalogue.expression import Expression, evaluate


def arb_value(expression: Expression, x: arb) -> arb:
    """Enclose the expression's values over the ball `x` at the current precision `flint.ctx.prec`.

    Exact input gives an exact result where Arb's arithmetic is exact (0 times a finite ball is 0). A branch or a
    kink inside the ball gives the hull of the pieces; outside the expression's domain the result is NaN.

    >>> from gelu_verify.catalogue import parse
    >>> arb_value(parse("erfc(x)"), arb(0)).is_exact()
    True
    """
    return evaluate(expression, _Balls(x))


def rational_ball(value: Fraction) -> arb:
    """Return the ball of a rational number: exact where it is dyadic and fits the precision.

    >>> rational_ball(Fraction(3, 4)).is_exact()
    True
    """
    return arb(fmpq(value.numerator, value.denominator))


def constant_ball(name: str) -> arb:
    """Return the ball of pi or e.

    >>> constant_ball("e") > 2
    True
    """
    return arb.pi() if name == "pi" else arb.const_e()


def ball_power(base: arb, exponent: int) -> arb:
    """Return an integer power of a ball: python-flint's `**` gives NaN for a ball around zero.

    >>> ball_power(arb(0, 1), 2)
    [+/- 1.01]
    """
    if base.is_nan():
        return base  # also to the power 0
    if exponent < 0:
        return 1 / ball_power(base, -exponent)
    if base.is_exact() or not base.contains(0):
        return base**exponent
    low, high = base.lower(), base.upper()
    if exponent % 2 == 1:
        return (low**exponent).union(high**exponent)
    return arb(0).union(arb.max(abs(low), high) ** exponent) if exponent else arb(1)


def _compare(relation: str, left: arb, right: arb) -> bool | None:
    """Return whether the relation holds at every point of the balls, at none, or (None) it is not decided."""
    if left < right:
        return relation in ("<", "<=")
    if left > right:
        return relation in (">", ">=")
    if left <= right and relation in ("<=", ">"):
        return relation == "<="
    if left >= right and relation in (">=", "<"):
        return relation == ">="
    return None


def _sigmoid(x: arb) -> arb:
    """Return 1/(1 + e^-x), written so that the small values keep their relative accuracy."""
    if x.mid() >= 0:
        return 1 / (1 + (-x).exp())
    power = x.exp()
    return power / (1 + power)


def erfc(x: arb) -> arb:
    """Return erfc(x), positive also where Arb's own bound for a huge inexact argument is wider than the value."""
    value = x.erfc()
    if value > 0 or not x > 1:
        return value
    return x.upper().erfc().union(x.lower().erfc())  # erfc decreases


class _Balls:
    """Arb balls."""

    def __init__(self, x: arb) -> None:
        self._x = x

    def number(self, value: Fraction) -> arb:
        return rational_ball(value)

    def constant(self, name: str) -> arb:
        return constant_ball(name)

    def variable(self) -> arb:
        return self._x

    def power(self, base: arb, exponent: int) -> arb:
        return ball_power(base, exponent)

    def apply(self, operator: str, *arguments: arb) -> arb:
        return BALL_OPERATORS[operator](*arguments)

    def where(self, relation: str, left: arb, right: arb, then: Callable[[], arb], otherwise: Callable[[], arb]) -> arb:
        if left.is_nan() or right.is_nan():
            return arb.nan()  # a comparison with nothing selects nothing
        holds = _compare(relation, left, right)
        if holds is None:
            return then().union(otherwise())
        return then() if holds else otherwise()


BALL_OPERATORS: dict[str, Callable[..., arb]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
    "abs": lambda a: abs(a),
    "erf": arb.erf,
    "erfc": erfc,
    "exp": arb.exp,
    "expm1": arb.expm1,
    "log": arb.log,
    "log1p": arb.log1p,
    "max": arb.max,
    "min": arb.min,
    "sigmoid": _sigmoid,
    "sqrt": arb.sqrt,
    "tanh": arb.tanh,
}
