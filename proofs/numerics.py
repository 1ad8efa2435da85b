"""Numbers for SymPy expressions at exact points: Arb enclosures and, independently, mpmath at 50 digits.

One walk, two arithmetics. SymPy's own `evalf` is not used: its result is neither an enclosure nor independent of the
system whose derivations are being tested.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial, reduce
from operator import add, mul
from typing import Any

import flint
import mpmath
import sympy

from gelu_verify.enclosures import working_precision
from gelu_verify.proofs.notation import Root
from gelu_verify.proofs.preparation import NotEvaluable, prepare

ARB_BITS = 256
DIGITS = 50
Evaluator = Callable[[Mapping[Any, Any]], Any]
_SUM_TERMS = 400
_HALVINGS = 8
_FAR = 60


class _Balls:
    """Arb."""

    functions: Mapping[Any, Callable[..., Any]] = {
        sympy.Abs: abs,
        sympy.LambertW: flint.arb.lambertw,
        sympy.Max: flint.arb.max,
        sympy.Min: flint.arb.min,
        sympy.asin: flint.arb.asin,
        sympy.atan: flint.arb.atan,
        sympy.cosh: flint.arb.cosh,
        sympy.erf: flint.arb.erf,
        sympy.erfc: flint.arb.erfc,
        sympy.exp: flint.arb.exp,
        sympy.factorial: lambda value: (value + 1).gamma(),
        sympy.log: flint.arb.log,
        sympy.sinh: flint.arb.sinh,
        sympy.tanh: flint.arb.tanh,
    }
    constants: Mapping[Any, Callable[[], Any]] = {sympy.pi: flint.arb.pi, sympy.E: flint.arb.const_e}

    def rational(self, value: Any) -> Any:
        return flint.arb(flint.fmpq(int(value.p), int(value.q)))

    def power(self, base: Any, exponent: Any) -> Any:
        if isinstance(exponent, Fraction):
            if exponent.denominator == 1:
                return base**exponent.numerator
            if exponent.denominator == 2:
                return base.sqrt() ** exponent.numerator
            exponent = flint.arb(flint.fmpq(exponent.numerator, exponent.denominator))
        return base**exponent

    def sign(self, value: Any) -> int | None:
        return 1 if value > 0 else -1 if value < 0 else 0 if value == 0 else None

    def root(self, root: Root) -> Any:
        low, high = root_bracket(root, flint.ctx.prec)
        return self.rational(low).union(self.rational(high))

    def integral(self, expression: Any, values: Mapping[Any, Any]) -> Any:
        raise NotEvaluable("no enclosure of a symbolic integral")


_BALLS = _Balls()


class _Digits:
    """mpmath, in a context of its own."""

    def __init__(self, digits: int = DIGITS) -> None:
        self.context = context = mpmath.mp.clone()
        context.dps = digits + 15
        self.constants: Mapping[Any, Callable[[], Any]] = {sympy.pi: lambda: +context.pi, sympy.E: lambda: +context.e}
        self.functions: Mapping[Any, Callable[..., Any]] = {
            sympy.Abs: abs,
            sympy.LambertW: lambda value: context.lambertw(value).real,
            sympy.Max: max,
            sympy.Min: min,
            sympy.asin: context.asin,
            sympy.atan: context.atan,
            sympy.cosh: context.cosh,
            sympy.erf: context.erf,
            sympy.erfc: context.erfc,
            sympy.exp: context.exp,
            sympy.factorial: context.factorial,
            sympy.log: context.log,
            sympy.sinh: context.sinh,
            sympy.tanh: context.tanh,
        }

    def rational(self, value: Any) -> Any:
        return self.context.mpf(int(value.p)) / int(value.q)

    def power(self, base: Any, exponent: Any) -> Any:
        if isinstance(exponent, Fraction):
            if exponent.denominator == 1:
                return base**exponent.numerator
            exponent = self.context.mpf(exponent.numerator) / exponent.denominator
        return self.context.power(base, exponent)

    def sign(self, value: Any) -> int | None:
        return int(self.context.sign(value))

    def root(self, root: Root) -> Any:
        low, high = root_bracket(root, self.context.prec)
        return self.rational((low + high) / 2)

    def integral(self, expression: Any, values: Mapping[Any, Any]) -> Any:
        (limits,) = expression.limits
        variable, low, high = limits
        integrand, known = _compiled(expression.function, self), dict(values)

        def at(value: Any) -> Any:
            known[variable] = value
            return integrand(known)

        if (low, high) == (-sympy.oo, sympy.oo):
            return self._over_the_line(at)
        ends = [self._end(end, values) for end in (low, high)]
        return self.context.quad(at, ends)

    def _end(self, end: Any, values: Mapping[Any, Any]) -> Any:
        if end in (sympy.oo, -sympy.oo):
            return self.context.inf if end is sympy.oo else -self.context.inf
        return walk(end, self, values)

    def _over_the_line(self, function: Callable[[Any], Any]) -> Any:
        """Integrate by the trapezoidal rule with halved steps: for integrands that fall like a Gaussian it converges
        faster than any power of the step (Trefethen & Weideman, SIAM Review 56, 2014).
        """
        step, tiny = self.context.mpf(1), self.context.mpf(10) ** -(self.context.dps + 5)
        total = self._nodes(function, self.context.zero, step, tiny)
        for _ in range(_HALVINGS):
            refined = (total + self._nodes(function, step / 2, step, tiny)) / 2
            if abs(refined - total) < max(1, abs(refined)) * tiny * 10**10:
                return refined
            total, step = refined, step / 2
        raise NotEvaluable("the quadrature did not settle")

    def _nodes(self, function: Callable[[Any], Any], start: Any, step: Any, tiny: Any) -> Any:
        """Add step times the values at start + k step for all integers k, as far as they count."""
        total = self.context.zero
        for direction, first in ((1, start), (-1, start - step)):
            place, small = first, 0
            while small < 3 and abs(place) < _FAR:
                value = function(place)
                total += value
                small = small + 1 if abs(value) < tiny else 0
                place += direction * step
        return total * step


def walk(expression: Any, arithmetic: Any, values: Mapping[Any, Any]) -> Any:
    """Evaluate a prepared expression; `values` maps its symbols to numbers of the arithmetic.

    Raises:
        NotEvaluable: see there.
    """
    return _compiled(expression, arithmetic)(values)


@cache
def _compiled(expression: Any, arithmetic: Any) -> Evaluator:
    """Translate an expression into nested functions, so that a quadrature does not walk SymPy's tree every time."""
    if expression.is_Rational:
        number = arithmetic.rational
        return lambda values: number(expression)
    if expression in arithmetic.constants:
        constant = arithmetic.constants[expression]
        return lambda values: constant()
    if isinstance(expression, Root):
        return lambda values: arithmetic.root(expression)
    if expression.is_Symbol or isinstance(expression, sympy.Indexed):
        return lambda values: _looked_up(expression, values)
    if isinstance(expression, sympy.Piecewise):
        return _piecewise(expression, arithmetic)
    if isinstance(expression, sympy.Sum):
        return lambda values: _sum(expression, arithmetic, values)
    if isinstance(expression, sympy.Integral):
        return lambda values: arithmetic.integral(expression, values)
    if isinstance(expression, sympy.Pow) and expression.exp.is_Rational:
        base, power = _compiled(expression.base, arithmetic), arithmetic.power
        exponent = Fraction(int(expression.exp.p), int(expression.exp.q))
        return lambda values: power(base(values), exponent)
    return _application(expression, arithmetic)


def _looked_up(symbol: Any, values: Mapping[Any, Any]) -> Any:
    if symbol not in values:
        raise NotEvaluable(f"{symbol} has no value")
    return values[symbol]


def _application(expression: Any, arithmetic: Any) -> Evaluator:
    arguments = [_compiled(argument, arithmetic) for argument in expression.args]
    if isinstance(expression, sympy.Add):
        return lambda values: reduce(add, (argument(values) for argument in arguments))
    if isinstance(expression, sympy.Mul):
        return lambda values: reduce(mul, (argument(values) for argument in arguments))
    function = arithmetic.power if isinstance(expression, sympy.Pow) else arithmetic.functions.get(expression.func)
    if function is None:
        raise NotEvaluable(f"no numeric meaning for {expression.func.__name__}")
    return lambda values: function(*(argument(values) for argument in arguments))


def _piecewise(expression: Any, arithmetic: Any) -> Evaluator:
    branches = []
    for value, condition in expression.args:
        holds: Evaluator = lambda values: True  # noqa: E731 (one line is clearer than a function's name)
        if condition not in (True, sympy.true):
            gap = _compiled(condition.lhs - condition.rhs, arithmetic)
            holds = partial(_holds, gap, condition, arithmetic)
        branches.append((holds, _compiled(value, arithmetic)))

    def select(values: Mapping[Any, Any]) -> Any:
        for holds, branch in branches:
            if holds(values):
                return branch(values)
        raise NotEvaluable("no branch applies")

    return select


def _holds(gap: Evaluator, condition: Any, arithmetic: Any, values: Mapping[Any, Any]) -> bool:
    sign = arithmetic.sign(gap(values))
    if sign is None:
        raise NotEvaluable(f"{condition} is not decided")
    return bool({"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0}[condition.rel_op])


def _sum(expression: Any, arithmetic: Any, values: Mapping[Any, Any]) -> Any:
    """Add the terms; an infinite sum is cut where its terms have fallen below every digit (a check, no bound)."""
    ((index, low, high),) = expression.limits
    total, small = arithmetic.rational(sympy.Integer(0)), 0
    last = int(low) + _SUM_TERMS if high is sympy.oo else int(high)
    for number in range(int(low), last + 1):
        term = walk(expression.function.subs(index, number), arithmetic, values)
        total = total + term
        small = small + 1 if abs(term) < arithmetic.rational(sympy.Rational(1, 10 ** (DIGITS + 20))) else 0
        if high is sympy.oo and small >= 3:
            return total
    if high is sympy.oo:
        raise NotEvaluable("the sum converges too slowly")
    return total


def enclose(expression: Any, values: Mapping[Any, Any] | None = None, bits: int = ARB_BITS) -> Any:
    """Return an Arb ball of a prepared expression at exact rational values of its symbols.

    Raises:
        NotEvaluable: see there; also when the ball is not finite.
    """
    if expression.has(sympy.Sum) and any(
        limits[2] is sympy.oo for each in expression.atoms(sympy.Sum) for limits in each.limits
    ):
        raise NotEvaluable("a cut sum has no enclosure")
    arithmetic = _BALLS
    with working_precision(bits):
        ball = walk(
            expression, arithmetic, {name: arithmetic.rational(value) for name, value in (values or {}).items()}
        )
    if not ball.is_finite():
        raise NotEvaluable("the value is not finite")
    return ball


def enclose_over(expression: Any, variable: Any, piece: Any) -> Any:
    """Return an Arb ball of a prepared expression over a ball of its one variable, at the current precision."""
    return walk(expression, _BALLS, {variable: piece})


def approximate(expression: Any, values: Mapping[Any, Any] | None = None, digits: int = DIGITS) -> Any:
    """Return mpmath's value of a prepared expression at exact rational values of its symbols: evidence, not proof.

    Raises:
        NotEvaluable: see there.
    """
    arithmetic = _digits(digits)
    try:
        return walk(
            expression, arithmetic, {name: arithmetic.rational(value) for name, value in (values or {}).items()}
        )
    except (ZeroDivisionError, ValueError) as error:
        raise NotEvaluable(str(error)) from error


@cache
def _digits(digits: int) -> _Digits:
    return _Digits(digits)


def exact(ball: Any) -> Any:
    """Return an Arb ball's midpoint as an exact SymPy rational."""
    mantissa, exponent = ball.mid().man_exp()
    return sympy.Integer(int(mantissa)) * sympy.Rational(2) ** int(exponent)


@cache
def root_bracket(root: Root, bits: int) -> tuple[Any, Any]:
    """Halve the root's bracket, with certain signs, until it is 2^-bits wide.

    Raises:
        NotEvaluable: the signs at the ends are equal or cannot be decided.
    """
    function = prepare(root.function)
    low, high = root.low, root.high
    sign_low, sign_high = (_certain_sign(function, root.variable, end, bits) for end in (low, high))
    if sign_low * sign_high != -1:
        raise NotEvaluable(f"no sign change between {low} and {high}")
    for _ in range(bits + int(sympy.ceiling(sympy.log(high - low, 2)))):
        middle = (low + high) / 2
        if _certain_sign(function, root.variable, middle, bits) == sign_low:
            low = middle
        else:
            high = middle
    return low, high


def _certain_sign(function: Any, variable: Any, value: Any, bits: int) -> int:
    sign = _BALLS.sign(enclose(function, {variable: value}, 2 * bits + 64))
    if sign is None:
        raise NotEvaluable(f"the sign at {value} is not decided")
    return sign
