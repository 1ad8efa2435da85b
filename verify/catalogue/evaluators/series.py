"""Derivatives as truncated Taylor series with Arb coefficients."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, arb_series, ctx

from gelu_verify.catalogue.evaluators.balls import constant_ball, erfc, rational_ball
from gelu_verify.catalogue.expression import Expression, evaluate


class NotSmooth(ArithmeticError):  # noqa: N818 (it says what the function is, not that something went wrong)
    """The ball meets a point at which the expression has a kink, or may have one."""


def arb_taylor(expression: Expression, x: arb, order: int) -> list[arb]:
    """Enclose the Taylor coefficients f^(k)(t)/k!, k = 0..order, for every point t of the ball `x`.

    Returns:
        A list of length order + 1; at the current precision `flint.ctx.prec`.

    Raises:
        NotSmooth: a kink of abs, min, max or where lies in the ball.
        ZeroDivisionError: a denominator may be zero in the ball.

    >>> from gelu_verify.catalogue import parse
    >>> [c.str(5, radius=False) for c in arb_taylor(parse("exp(2*x)"), arb(0), 3)]
    ['1.0000', '2.0000', '2.0000', '1.3333']
    """
    length = order + 1
    with _series_length(length):
        series = evaluate(expression, _Series(x, length))
        if series.prec < length:
            raise ZeroDivisionError("terms were lost to a division by zero or a root of zero")
        coefficients: list[arb] = series.coeffs()
    return (coefficients + [arb(0)] * length)[:length]


@contextmanager
def _series_length(length: int) -> Iterator[None]:
    before = ctx.cap
    ctx.cap = length
    try:
        yield
    finally:
        ctx.cap = before


class _Series:
    """Truncated Taylor series with Arb coefficients."""

    def __init__(self, x: arb, length: int) -> None:
        self._x = arb_series([x, 1], length)
        self._length = length

    def number(self, value: Fraction) -> arb_series:
        return arb_series([rational_ball(value)], self._length)

    def constant(self, name: str) -> arb_series:
        return arb_series([constant_ball(name)], self._length)

    def variable(self) -> arb_series:
        return self._x

    def power(self, base: arb_series, exponent: int) -> arb_series:
        if exponent < 0:
            return _series_quotient(arb_series([1], self._length), self.power(base, -exponent))
        result = arb_series([1], self._length)
        for bit in f"{exponent:b}":
            result = result * result * base if bit == "1" else result * result
        return result

    def apply(self, operator: str, *arguments: arb_series) -> arb_series:
        if operator in ("min", "max"):
            left, right = arguments
            smaller = self._lies_below(left, right)
            return left if smaller == (operator == "min") else right
        if operator == "abs":
            return -arguments[0] if self._lies_below(arguments[0], arb_series([0])) else arguments[0]
        return _SERIES_OPERATORS[operator](*arguments)

    def where(
        self,
        relation: str,
        left: arb_series,
        right: arb_series,
        then: Callable[[], arb_series],
        otherwise: Callable[[], arb_series],
    ) -> arb_series:
        return then() if self._lies_below(left, right) == (relation in ("<", "<=")) else otherwise()

    def _lies_below(self, left: arb_series, right: arb_series) -> bool:
        """Decide left < right strictly: at equality the two sides of x may take different branches."""
        if left[0] < right[0]:
            return True
        if left[0] > right[0]:
            return False
        raise NotSmooth


def _series_quotient(a: arb_series, b: arb_series) -> arb_series:
    """Divide; python-flint would cancel a common zero and silently know fewer terms."""
    if b[0].contains(0):
        raise ZeroDivisionError("a denominator may be zero here")
    return a / b


def _series_sigmoid(s: arb_series) -> arb_series:
    if s[0].mid() >= 0:
        return _series_quotient(arb_series([1], s.prec), 1 + (-s).exp())
    power = s.exp()
    return _series_quotient(power, 1 + power)


def _series_sqrt(s: arb_series) -> arb_series:
    """Take the root; python-flint gives NaN for the root of the constant 0."""
    return s if s.length() == 0 else s.sqrt()


def _with_constant_term(derivative: arb_series, constant: arb) -> arb_series:
    """Integrate a derivative; the constant term comes from its own function, which has no cancellation near zero."""
    return derivative.integral() + constant


def _series_tanh(s: arb_series) -> arb_series:
    slope = 4 * _series_sigmoid(2 * s) * _series_sigmoid(-2 * s)  # 1 - tanh^2 without the subtraction
    return _with_constant_term(slope * s.derivative(), s[0].tanh())


def _series_erfc(s: arb_series) -> arb_series:
    slope = (-s * s).exp() * (-2 / arb.pi().sqrt())  # DLMF 7.2.2
    return _with_constant_term(slope * s.derivative(), erfc(s[0]))


def _series_expm1(s: arb_series) -> arb_series:
    return _with_constant_term(s.exp() * s.derivative(), s[0].expm1())


def _series_log1p(s: arb_series) -> arb_series:
    return _with_constant_term(_series_quotient(s.derivative(), 1 + s), s[0].log1p())


_SERIES_OPERATORS: dict[str, Callable[..., arb_series]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _series_quotient,
    "neg": lambda a: -a,
    "erf": arb_series.erf,
    "erfc": _series_erfc,
    "exp": arb_series.exp,
    "expm1": _series_expm1,
    "log": arb_series.log,
    "log1p": _series_log1p,
    "sigmoid": _series_sigmoid,
    "sqrt": _series_sqrt,
    "tanh": _series_tanh,
}
