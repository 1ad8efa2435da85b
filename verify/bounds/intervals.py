"""Enclosures by their two ends, where balls are too coarse: monotone functions of wide arguments.

A ball around the values of exp on [-100, 0] reaches below zero, and a Taylor model of tanh far out does not see that
the slope is positive. Intervals evaluated at their ends do; they lose instead where an argument occurs twice.
"""

from collections.abc import Callable
from fractions import Fraction

from flint import arb, fmpq

from gelu_verify.catalogue.expression import Expression, evaluate

Interval = tuple[arb, arb]  # exact ends


def range_between(expression: Expression, lower: arb, upper: arb) -> Interval | None:
    """Return bounds of the expression's values on [lower, upper] at the working precision, None if there are none.

    >>> from gelu_verify.catalogue import parse
    >>> low, high = range_between(parse("exp(-exp(x))"), arb(0), arb(8))
    >>> bool(0 < low < high < 0.4)
    True
    """
    try:
        low, high = evaluate(expression, _Ends((lower, upper)))
    except ArithmeticError:
        return None
    return None if low.is_nan() or high.is_nan() else (low, high)


def _ordered(low: arb, high: arb) -> Interval:
    """Return exact ends below and above what two balls hold."""
    if low.is_nan() or high.is_nan():
        raise ArithmeticError
    return low.lower(), high.upper()


def _hull(values: list[arb]) -> Interval:
    low, high = values[0], values[0]
    for value in values[1:]:
        low, high = arb.min(low, value), arb.max(high, value)
    return _ordered(low, high)


def _multiply(a: Interval, b: Interval) -> Interval:
    return _hull([x * y for x in a for y in b])


def _divide(a: Interval, b: Interval) -> Interval:
    if not (b[0] > 0 or b[1] < 0):
        raise ZeroDivisionError
    return _hull([x / y for x in a for y in b])


def _power(base: Interval, exponent: int) -> Interval:
    if exponent < 0:
        return _divide((arb(1), arb(1)), _power(base, -exponent))
    if exponent == 0:
        return arb(1), arb(1)
    low, high = base[0] ** exponent, base[1] ** exponent
    if exponent % 2 or base[0] >= 0:
        return _ordered(low, high)
    return _ordered(high, low) if base[1] <= 0 else (arb(0), arb.max(low, high).upper())


def _rising(function: Callable[[arb], arb], least: int | None = None) -> Callable[[Interval], Interval]:
    """Return an increasing function on intervals, given a number below which its values never are."""

    def apply(u: Interval) -> Interval:
        low, high = _ordered(function(u[0]), function(u[1]))
        return (low if least is None else arb.max(low, arb(least)).lower(), high)

    return apply


def _sigmoid(x: arb) -> arb:
    if x >= 0:
        return 1 / (1 + (-x).exp())
    power = x.exp()
    return power / (1 + power)


def _absolute(u: Interval) -> Interval:
    if u[0] >= 0:
        return u
    return (-u[1], -u[0]) if u[1] <= 0 else (arb(0), arb.max(-u[0], u[1]).upper())


class _Ends:
    """The algebra of intervals."""

    def __init__(self, x: Interval) -> None:
        self._x = x

    def number(self, value: Fraction) -> Interval:
        ball = arb(fmpq(value.numerator, value.denominator))
        return ball.lower(), ball.upper()

    def constant(self, name: str) -> Interval:
        ball = arb.pi() if name == "pi" else arb.const_e()
        return ball.lower(), ball.upper()

    def variable(self) -> Interval:
        return self._x

    def power(self, base: Interval, exponent: int) -> Interval:
        return _power(base, exponent)

    def apply(self, operator: str, *arguments: Interval) -> Interval:
        return _OPERATORS[operator](*arguments)

    def where(
        self,
        relation: str,
        left: Interval,
        right: Interval,
        then: Callable[[], Interval],
        otherwise: Callable[[], Interval],
    ) -> Interval:
        below, above = left[1] < right[0], left[0] > right[1]
        if below or above:
            return then() if below == (relation in ("<", "<=")) else otherwise()
        yes, no = then(), otherwise()
        return _hull([*yes, *no])


_OPERATORS: dict[str, Callable[..., Interval]] = {
    "+": lambda a, b: _ordered(a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: _ordered(a[0] - b[1], a[1] - b[0]),
    "*": _multiply,
    "/": _divide,
    "neg": lambda a: (-a[1], -a[0]),
    "abs": _absolute,
    "erf": _rising(arb.erf),
    "erfc": lambda a: _ordered(arb.max(a[1].erfc(), arb(0)), a[0].erfc()),
    "exp": _rising(arb.exp, 0),
    "expm1": _rising(arb.expm1, -1),
    "log": _rising(arb.log),
    "log1p": _rising(arb.log1p),
    "max": lambda a, b: _ordered(arb.max(a[0], b[0]), arb.max(a[1], b[1])),
    "min": lambda a, b: _ordered(arb.min(a[0], b[0]), arb.min(a[1], b[1])),
    "sigmoid": _rising(_sigmoid, 0),
    "sqrt": _rising(arb.sqrt, 0),
    "tanh": _rising(arb.tanh),
}
