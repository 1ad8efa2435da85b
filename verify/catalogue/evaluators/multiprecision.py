"""Values by mpmath."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from gelu_verify.catalogue.expression import Expression, evaluate


def mpmath_value(expression: Expression, x: Any, context: Any) -> Any:
    """Evaluate with mpmath at the context's precision: a check on Arb by other code, not an enclosure.

    Arguments:
        x: an mpf of `context`, which is `mpmath.mp` or one of its clones.
    """
    return evaluate(expression, _Multiprecision(x, context))


class _Multiprecision:
    """mpmath numbers of one context."""

    def __init__(self, x: Any, context: Any) -> None:
        self._x = x
        self._context = context

    def number(self, value: Fraction) -> Any:
        return self._context.mpf(value.numerator) / value.denominator

    def constant(self, name: str) -> Any:
        return +getattr(self._context, name)

    def variable(self) -> Any:
        return self._x

    def power(self, base: Any, exponent: int) -> Any:
        return base**exponent

    def apply(self, operator: str, *arguments: Any) -> Any:
        c = self._context
        match operator, arguments:
            case "+", (a, b):
                return a + b
            case "-", (a, b):
                return a - b
            case "*", (a, b):
                return a * b
            case "/", (a, b):
                return a / b
            case "neg", (a,):
                return -a
            case "abs", (a,):
                return abs(a)
            case "min", (a, b):
                return min(a, b)
            case "max", (a, b):
                return max(a, b)
            case "sigmoid", (a,):
                return 1 / (1 + c.exp(-a))
            case _:
                return getattr(c, operator)(*arguments)

    def where(self, relation: str, left: Any, right: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        holds = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[relation]
        return then() if holds else otherwise()
