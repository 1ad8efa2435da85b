"""Expressions evaluated in binary64 with their derivative: fast, close, and never a verdict.

Identification compares an implementation with many candidates, and fitting evaluates each many times. That takes an
arithmetic of arrays; what it suggests is then judged against certified values.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import Expression
from gelu_verify.catalogue.expression import evaluate

Floats = npt.NDArray[np.float64]
Pair = tuple[Any, Any]  # a value and its derivative by x, arrays or numbers

_erf: Callable[[Any], Any] = np.frompyfunc(math.erf, 1, 1)
_erfc: Callable[[Any], Any] = np.frompyfunc(math.erfc, 1, 1)


def value_and_slope(expression: Expression, x: Floats) -> tuple[Floats, Floats]:
    """Return approximations of f(x) and f'(x), to about 1e-15 of the largest intermediate result.

    >>> from gelu_verify.catalogue import parse
    >>> value_and_slope(parse("x**2"), np.array([3.0]))
    (array([9.]), array([6.]))
    """
    with np.errstate(all="ignore"):
        value, slope = evaluate(expression, _Duals(x))
    return np.broadcast_to(value, x.shape).astype(np.float64), np.broadcast_to(slope, x.shape).astype(np.float64)


def _times(a: Any, b: Any) -> Any:
    """Multiply, with 0 times infinity = 0: a factor that has vanished makes the product vanish."""
    return np.where((a == 0) | (b == 0), 0.0, a * b)


class _Duals:
    """Forward-mode differentiation: pairs of a value and a derivative."""

    def __init__(self, x: Floats) -> None:
        self._x = x

    def number(self, value: Fraction) -> Pair:
        return float(value), 0.0

    def constant(self, name: str) -> Pair:
        return (math.pi if name == "pi" else math.e), 0.0

    def variable(self) -> Pair:
        return self._x, 1.0

    def power(self, base: Pair, exponent: int) -> Pair:
        value = np.asarray(base[0], np.float64)
        if exponent == 0:
            return value * 0 + 1, 0.0
        return value**exponent, _times(exponent * value ** (exponent - 1), base[1])

    def apply(self, operator: str, *arguments: Pair) -> Pair:
        if len(arguments) == 2:
            return _binary(operator, *arguments)
        value, slope = arguments[0]
        result, derivative = _UNARY[operator](np.asarray(value, np.float64))
        return result, _times(derivative, slope)

    def where(
        self, relation: str, left: Pair, right: Pair, then: Callable[[], Pair], otherwise: Callable[[], Pair]
    ) -> Pair:
        a, b = left[0], right[0]
        holds = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[relation]
        first, second = then(), otherwise()
        return np.where(holds, first[0], second[0]), np.where(holds, first[1], second[1])


def _binary(operator: str, left: Pair, right: Pair) -> Pair:
    (a, da), (b, db) = left, right
    match operator:
        case "+":
            return a + b, da + db
        case "-":
            return a - b, da - db
        case "*":
            return _times(a, b), _times(da, b) + _times(a, db)
        case "/":
            return a / b, (da - _times(a / b, db)) / b
        case "min":
            return np.minimum(a, b), np.where(a <= b, da, db)
        case _:
            return np.maximum(a, b), np.where(a >= b, da, db)


def _sigmoid(z: Floats) -> Floats:
    power = np.exp(-abs(z))
    result: Floats = np.where(z < 0, power, 1.0) / (1 + power)
    return result


def _bell(z: Floats) -> Floats:
    """Return the derivative of erf."""
    result: Floats = 2 / math.sqrt(math.pi) * np.exp(-z * z)
    return result


_UNARY: dict[str, Callable[[Floats], tuple[Floats, Floats]]] = {
    "neg": lambda z: (-z, np.full_like(z, -1)),
    "abs": lambda z: (abs(z), np.sign(z)),
    "erf": lambda z: (_erf(z).astype(np.float64), _bell(z)),
    "erfc": lambda z: (_erfc(z).astype(np.float64), -_bell(z)),
    "exp": lambda z: (np.exp(z), np.exp(z)),
    "expm1": lambda z: (np.expm1(z), np.exp(z)),
    "log": lambda z: (np.log(z), 1 / z),
    "log1p": lambda z: (np.log1p(z), 1 / (1 + z)),
    "sigmoid": lambda z: (_sigmoid(z), _sigmoid(z) * _sigmoid(-z)),
    "sqrt": lambda z: (np.sqrt(z), 0.5 / np.sqrt(z)),
    "tanh": lambda z: (np.tanh(z), 4 * _sigmoid(2 * z) * _sigmoid(-2 * z)),
}
