"""Values that are rational, exactly."""

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from gelu_verify.catalogue.expression import Expression, evaluate


def exact_value(expression: Expression, x: Fraction) -> Fraction | None:
    """Return the value as a rational number where elementary rules show that it is one, else None.

    Decides what no enclosure can: that a value lies exactly on a rounding boundary.

    >>> from gelu_verify.catalogue import parse
    >>> exact_value(parse("0.3*x"), Fraction(1, 3)), exact_value(parse("exp(x)"), Fraction(1))
    (Fraction(1, 10), None)
    """
    return evaluate(expression, _Rationals(x))


class _Rationals:
    """Exact rationals; None stands for "not shown to be rational"."""

    def __init__(self, x: Fraction) -> None:
        self._x = x

    def number(self, value: Fraction) -> Fraction | None:
        return value

    def constant(self, name: str) -> Fraction | None:
        return None

    def variable(self) -> Fraction | None:
        return self._x

    def power(self, base: Fraction | None, exponent: int) -> Fraction | None:
        if exponent == 0:
            return Fraction(1)
        return None if base is None or (base == 0 and exponent < 0) else base**exponent

    def apply(self, operator: str, *arguments: Fraction | None) -> Fraction | None:
        known = [argument for argument in arguments if argument is not None]
        if len(known) == len(arguments):
            return _rational_operation(operator, known)
        if operator == "*" and 0 in known:
            return Fraction(0)
        return None

    def where(
        self,
        relation: str,
        left: Fraction | None,
        right: Fraction | None,
        then: Callable[[], Fraction | None],
        otherwise: Callable[[], Fraction | None],
    ) -> Fraction | None:
        if left is None or right is None:
            return None
        holds = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[relation]
        return then() if holds else otherwise()


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
