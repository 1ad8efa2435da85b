"""The numeric walkers: Arb balls, Arb Taylor series, exact rationals and mpmath.

Each is one algebra for `evaluate`; none knows any particular function of the catalogue. The Arb walkers give
enclosures: the result holds the true value for every point of the input ball. mpmath's is a second, independent
arithmetic and never a proof.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import isqrt
from typing import Any

from flint import arb, arb_series, ctx, fmpq
from gelu_verify.catalogue.expression import Expression, evaluate


class NotSmooth(ArithmeticError):  # noqa: N818 (it says what the function is, not that something went wrong)
    """The ball meets a point at which the expression has a kink, or may have one."""


def arb_value(expression: Expression, x: arb) -> arb:
    """Enclose the expression's values over the ball `x` at the current precision `flint.ctx.prec`.

    Exact input gives an exact result where Arb's arithmetic is exact (0 times a finite ball is 0). A branch or a
    kink inside the ball gives the hull of the pieces; outside the expression's domain the result is NaN.

    >>> from gelu_verify.catalogue import parse
    >>> arb_value(parse("erfc(x)"), arb(0)).is_exact()
    True
    """
    return evaluate(expression, _Balls(x))


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


def exact_value(expression: Expression, x: Fraction) -> Fraction | None:
    """Return the value as a rational number where elementary rules show that it is one, else None.

    Decides what no enclosure can: that a value lies exactly on a rounding boundary.

    >>> from gelu_verify.catalogue import parse
    >>> exact_value(parse("0.3*x"), Fraction(1, 3)), exact_value(parse("exp(x)"), Fraction(1))
    (Fraction(1, 10), None)
    """
    return evaluate(expression, _Rationals(x))


def mpmath_value(expression: Expression, x: Any, context: Any) -> Any:
    """Evaluate with mpmath at the context's precision: a check on Arb by other code, not an enclosure.

    Arguments:
        x: an mpf of `context`, which is `mpmath.mp` or one of its clones.
    """
    return evaluate(expression, _Multiprecision(x, context))


@contextmanager
def _series_length(length: int) -> Iterator[None]:
    before = ctx.cap
    ctx.cap = length
    try:
        yield
    finally:
        ctx.cap = before


def ball_power(base: arb, exponent: int) -> arb:
    """Return an integer power of a ball: python-flint's `**` gives NaN for a ball around zero.

    >>> ball_power(arb(0, 1), 2)
    [+/- 1.01]
    """
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


def _erfc(x: arb) -> arb:
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
        return arb(fmpq(value.numerator, value.denominator))

    def constant(self, name: str) -> arb:
        return arb.pi() if name == "pi" else arb.const_e()

    def variable(self) -> arb:
        return self._x

    def power(self, base: arb, exponent: int) -> arb:
        return ball_power(base, exponent)

    def apply(self, operator: str, *arguments: arb) -> arb:
        return _BALL_OPERATORS[operator](*arguments)

    def where(self, relation: str, left: arb, right: arb, then: Callable[[], arb], otherwise: Callable[[], arb]) -> arb:
        holds = _compare(relation, left, right)
        if holds is None:
            return then().union(otherwise())
        return then() if holds else otherwise()


_BALL_OPERATORS: dict[str, Callable[..., arb]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
    "abs": lambda a: abs(a),
    "erf": arb.erf,
    "erfc": _erfc,
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


class _Series:
    """Truncated Taylor series with Arb coefficients."""

    def __init__(self, x: arb, length: int) -> None:
        self._x = arb_series([x, 1], length)
        self._length = length

    def number(self, value: Fraction) -> arb_series:
        return arb_series([arb(fmpq(value.numerator, value.denominator))], self._length)

    def constant(self, name: str) -> arb_series:
        return arb_series([arb.pi() if name == "pi" else arb.const_e()], self._length)

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
        return 1 / (1 + (-s).exp())
    power = s.exp()
    return power / (1 + power)


def _with_constant_term(derivative: arb_series, constant: arb) -> arb_series:
    """Integrate a derivative; the constant term comes from its own function, which has no cancellation near zero."""
    return derivative.integral() + constant


def _series_tanh(s: arb_series) -> arb_series:
    slope = 4 * _series_sigmoid(2 * s) * _series_sigmoid(-2 * s)  # 1 - tanh^2 without the subtraction
    return _with_constant_term(slope * s.derivative(), s[0].tanh())


def _series_erfc(s: arb_series) -> arb_series:
    slope = (-s * s).exp() * (-2 / arb.pi().sqrt())  # DLMF 7.2.2
    return _with_constant_term(slope * s.derivative(), _erfc(s[0]))


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
    "sqrt": arb_series.sqrt,
    "tanh": _series_tanh,
}


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
