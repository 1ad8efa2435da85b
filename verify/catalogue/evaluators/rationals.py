"""Values that are rational, exactly."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from flint import arb

from gelu_verify.catalogue.evaluators.balls import BALL_OPERATORS, ball_power, constant_ball, rational_ball
from gelu_verify.catalogue.expression import Expression, evaluate

_LARGEST = 1 << 20  # bits of a numerator or denominator, beyond which a value is left to the enclosures


def exact_value(expression: Expression, x: Fraction) -> Fraction | None:
    """Return the value as a rational number where elementary rules show that it is one, else None.

    Decides what no enclosure can: that a value lies exactly on a rounding boundary.

    >>> from gelu_verify.catalogue import parse
    >>> exact_value(parse("0.3*x"), Fraction(1, 3)), exact_value(parse("exp(x)"), Fraction(1))
    (Fraction(1, 10), None)
    >>> exact_value(parse("x*exp(x)"), Fraction(0)), exact_value(parse("x*(1/x)"), Fraction(0))
    (Fraction(0, 1), None)
    """
    return evaluate(expression, _Rationals(x)).exact


@dataclass(frozen=True, slots=True)
class _Number:
    """A value: exact where it is shown to be rational, and a ball that is finite only where the value exists."""

    exact: Fraction | None
    ball: arb


class _Rationals:
    """Exact rationals, beside balls that say whether the other values exist: 0 times nothing is not 0."""

    def __init__(self, x: Fraction) -> None:
        self._x = x

    def number(self, value: Fraction) -> _Number:
        return _Number(value, rational_ball(value))

    def constant(self, name: str) -> _Number:
        return _Number(None, constant_ball(name))

    def variable(self) -> _Number:
        return self.number(self._x)

    def power(self, base: _Number, exponent: int) -> _Number:
        ball = ball_power(base.ball, exponent)
        if base.exact is None or (base.exact == 0 and exponent < 0) or _bits(base.exact) * abs(exponent) > _LARGEST:
            return _Number(None, ball)
        return _Number(base.exact**exponent, ball)

    def apply(self, operator: str, *arguments: _Number) -> _Number:
        balls = [argument.ball for argument in arguments]
        ball = BALL_OPERATORS[operator](*balls)
        known = [argument.exact for argument in arguments if argument.exact is not None]
        if len(known) == len(arguments):
            small = all(_bits(exact) <= _LARGEST for exact in known)
            return _Number(_rational_operation(operator, known) if small else None, ball)
        vanishes = operator == "*" and 0 in known and all(factor.is_finite() for factor in balls)
        return _Number(Fraction(0) if vanishes else None, ball)

    def where(
        self,
        relation: str,
        left: _Number,
        right: _Number,
        then: Callable[[], _Number],
        otherwise: Callable[[], _Number],
    ) -> _Number:
        a, b = left.exact, right.exact
        if a is None or b is None:
            return _Number(None, arb.nan())
        holds = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[relation]
        return then() if holds else otherwise()


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


_FIXED_POINTS: dict[str, tuple[int, Fraction]] = {  # the argument at which a transcendental function is rational
    "erf": (0, Fraction(0)),
    "erfc": (0, Fraction(1)),
    "exp": (0, Fraction(1)),
    "expm1": (0, Fraction(0)),
    "log": (1, Fraction(0)),
    "log1p": (0, Fraction(0)),
    "sigmoid": (0, Fraction(1, 2)),
    "tanh": (0, Fraction(0)),
}


def _rational_operation(operator: str, arguments: list[Fraction]) -> Fraction | None:
    first, last = arguments[0], arguments[-1]
    if operator in _FIXED_POINTS:
        argument, result = _FIXED_POINTS[operator]
        return result if first == argument else None
    match operator:
        case "+":
            return first + last
        case "-":
            return first - last
        case "*":
            return first * last
        case "/":
            return first / last if last else None
        case "neg":
            return -first
        case "abs":
            return abs(first)
        case "min":
            return min(first, last)
        case "max":
            return max(first, last)
        case _:
            return _rational_sqrt(first)


def _rational_sqrt(value: Fraction) -> Fraction | None:
    if value < 0:
        return None
    root = Fraction(isqrt(value.numerator), isqrt(value.denominator))
    return root if root * root == value else None
