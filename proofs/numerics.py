"""Numbers for SymPy expressions at exact points: Arb enclosures and, independently, mpmath at 50 digits.

One walk, two arithmetics. SymPy's own `evalf` is not used: its result is neither an enclosure nor independent of the
system whose derivations are being tested.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, Protocol

import flint
import mpmath
import sympy
from gelu_verify.enclosures import working_precision
from gelu_verify.proofs.normal import derive
from gelu_verify.proofs.notation import Root, unfold
from sympy.stats.symbolic_probability import Expectation, Probability, Variance

ARB_BITS = 256
DIGITS = 50
_SUM_TERMS = 400


class NotEvaluable(ArithmeticError):  # noqa: N818 (it says what the expression is, not that something went wrong)
    """The expression holds something without a numeric meaning here, or the point is not in its domain."""


class Arithmetic(Protocol):
    """What a number system provides to the walk."""

    functions: Mapping[Any, Callable[..., Any]]

    def rational(self, value: Any) -> Any:
        """Return an exact rational in this arithmetic."""

    def power(self, base: Any, exponent: Any) -> Any:
        """Return base to a rational power, or to a power that is a number of this arithmetic."""

    def sign(self, value: Any) -> int | None:
        """Return the certain sign, or None."""

    def root(self, root: Root) -> Any:
        """Return the number that the root stands for."""

    def integral(self, expression: Any, values: Mapping[Any, Any]) -> Any:
        """Return a definite integral."""


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
        ends = [-self.context.inf if low is -sympy.oo else walk(low, self, values)]
        ends += [self.context.mpf(-3), self.context.mpf(3)] if low is -sympy.oo and high is sympy.oo else []
        ends += [self.context.inf if high is sympy.oo else walk(high, self, values)]
        return self.context.quad(lambda value: walk(expression.function, self, {**values, variable: value}), ends)


def prepare(expression: Any, integers: Mapping[Any, int] | None = None) -> Any:
    """Put in definitions and integer values, carry out the derivatives and spell out finite expectations."""
    with_integers = sympy.sympify(expression).subs(
        {name: sympy.Integer(value) for name, value in (integers or {}).items()}
    )
    return _carry_out(unfold(with_integers))


@cache
def _carry_out(expression: Any) -> Any:
    if isinstance(expression, (Expectation, Variance)):
        return _carry_out(enumerate_outcomes(expression))
    if isinstance(expression, Probability):
        return _carry_out(density_integral(expression))
    if not expression.has(sympy.Derivative, sympy.Subs, Expectation, Variance, Probability):
        return expression
    expression = expression.func(*map(_carry_out, expression.args))
    if isinstance(expression, sympy.Derivative):
        return derive(expression)
    if isinstance(expression, sympy.Subs):
        return expression.doit()
    return expression


def enumerate_outcomes(expression: Any) -> Any:
    """Spell out the expectation or variance over Bernoulli variables as the sum over their outcomes."""
    inner = expression.args[0]
    if isinstance(expression, Variance):
        mean = enumerate_outcomes(Expectation(inner))
        return enumerate_outcomes(Expectation((inner - mean) ** 2))
    for variable in sorted(inner.atoms(sympy.stats.rv.RandomSymbol), key=str):
        success = variable.pspace.distribution.p
        inner = success * inner.subs(variable, 1) + (1 - success) * inner.subs(variable, 0)
    return inner


def density_integral(expression: Any) -> Any:
    """Write P(Z <= b) for a continuous variable Z as the integral of its density."""
    condition = expression.args[0]
    if not isinstance(condition, sympy.core.relational.LessThan):
        raise NotEvaluable(f"no density integral for {condition}")
    variable, end = condition.args
    dummy = sympy.Dummy("z", real=True)
    return sympy.Integral(variable.pspace.distribution.pdf(dummy), (dummy, -sympy.oo, end))


def walk(expression: Any, arithmetic: Any, values: Mapping[Any, Any]) -> Any:
    """Evaluate a prepared expression; `values` maps its symbols to numbers of the arithmetic.

    Raises:
        NotEvaluable: see there.
    """
    if expression in values:
        return values[expression]
    if expression.is_Rational:
        return arithmetic.rational(expression)
    if expression in arithmetic.constants:
        return arithmetic.constants[expression]()
    if isinstance(expression, Root):
        return arithmetic.root(expression)
    if isinstance(expression, sympy.Piecewise):
        return _piece(expression, arithmetic, values)
    if isinstance(expression, sympy.Sum):
        return _sum(expression, arithmetic, values)
    if isinstance(expression, sympy.Integral):
        return arithmetic.integral(expression, values)
    if isinstance(expression, sympy.Pow) and expression.exp.is_Rational:
        exponent = Fraction(int(expression.exp.p), int(expression.exp.q))
        return arithmetic.power(walk(expression.base, arithmetic, values), exponent)
    return _apply(expression, arithmetic, [walk(argument, arithmetic, values) for argument in expression.args])


def _apply(expression: Any, arithmetic: Any, arguments: list[Any]) -> Any:
    if isinstance(expression, (sympy.Add, sympy.Mul)):
        result = arguments[0]
        for argument in arguments[1:]:
            result = result + argument if isinstance(expression, sympy.Add) else result * argument
        return result
    if isinstance(expression, sympy.Pow):
        return arithmetic.power(*arguments)
    function = arithmetic.functions.get(expression.func)
    if function is None:
        raise NotEvaluable(f"no numeric meaning for {expression.func.__name__}")
    return function(*arguments)


def _piece(expression: Any, arithmetic: Any, values: Mapping[Any, Any]) -> Any:
    for value, condition in expression.args:
        if condition in (True, sympy.true) or _holds(condition, arithmetic, values):
            return walk(value, arithmetic, values)
    raise NotEvaluable("no branch applies")


def _holds(condition: Any, arithmetic: Any, values: Mapping[Any, Any]) -> bool:
    sign = arithmetic.sign(walk(condition.lhs, arithmetic, values) - walk(condition.rhs, arithmetic, values))
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
    arithmetic = _Balls()
    with working_precision(bits):
        ball = walk(
            expression, arithmetic, {name: arithmetic.rational(value) for name, value in (values or {}).items()}
        )
    if not ball.is_finite():
        raise NotEvaluable("the value is not finite")
    return ball


def enclose_over(expression: Any, variable: Any, piece: Any) -> Any:
    """Return an Arb ball of a prepared expression over a ball of its one variable, at the current precision."""
    return walk(expression, _Balls(), {variable: piece})


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
    sign = _Balls().sign(enclose(function, {variable: value}, 2 * bits + 64))
    if sign is None:
        raise NotEvaluable(f"the sign at {value} is not decided")
    return sign
