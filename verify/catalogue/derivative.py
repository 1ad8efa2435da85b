"""The derivative of an expression, again as an expression.

Written for enclosures, not for people: no subtraction is introduced that cancels (tanh' is 4 sigmoid(2u) sigmoid(-2u),
not 1 - tanh^2), and shared subexpressions stay shared.
"""

from collections.abc import Callable
from fractions import Fraction

from gelu_verify.catalogue.expression import Expression, NamedConstant, Number, Operation, Variable, Where, evaluate

ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


def derivative(expression: Expression, order: int = 1) -> Expression:
    """Return the derivative of the given order with respect to x.

    At the kinks of abs, min, max and at the switching points of where the result is that of one side: it is the
    derivative everywhere else.

    >>> from gelu_verify.catalogue import parse, text
    >>> text(derivative(parse("x**3 + 2*x")))
    '3*x**2 + 2'
    >>> text(derivative(parse("tanh(x)")))
    '4*(sigmoid(2*x)*sigmoid(-(2*x)))'
    """
    for _ in range(order):
        expression = evaluate(evaluate(expression, _Dual())[1], _Sharing())
    return expression


class _Sharing:
    """The algebra of expressions in which equal ones are one object, so that a walk meets each only once."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Expression] = {}

    def _one(self, key: tuple[object, ...], expression: Expression) -> Expression:
        return self._known.setdefault(key, expression)

    def number(self, value: Fraction) -> Expression:
        return self._one(("number", value), Number(value))

    def constant(self, name: str) -> Expression:
        return self._one((name,), NamedConstant(name))

    def variable(self) -> Expression:
        return self._one(("x",), Variable())

    def power(self, base: Expression, exponent: int) -> Expression:
        return self._one(("**", id(base), exponent), power(base, exponent))

    def apply(self, operator: str, *arguments: Expression) -> Expression:
        return self._one((operator, *map(id, arguments)), Operation(operator, arguments))

    def where(
        self,
        relation: str,
        left: Expression,
        right: Expression,
        then: Callable[[], Expression],
        otherwise: Callable[[], Expression],
    ) -> Expression:
        yes, no = then(), otherwise()
        key = ("where", relation, id(left), id(right), id(yes), id(no))
        return self._one(key, Where(relation, left, right, yes, no))


def add(left: Expression, right: Expression) -> Expression:
    """Return left + right, without a zero."""
    if left == ZERO:
        return right
    return left if right == ZERO else Operation("+", (left, right))


def subtract(left: Expression, right: Expression) -> Expression:
    """Return left - right, without a zero."""
    if right == ZERO:
        return left
    return negate(right) if left == ZERO else Operation("-", (left, right))


def negate(inner: Expression) -> Expression:
    """Return -inner, without a double sign."""
    match inner:
        case Number(value):
            return Number(-value)
        case Operation("neg", (positive,)):
            return positive
    return Operation("neg", (inner,))


def multiply(left: Expression, right: Expression) -> Expression:
    """Return left*right, without a factor 0 or 1."""
    if ZERO in (left, right):
        return ZERO
    if isinstance(left, Number) and isinstance(right, Number):
        return Number(left.value * right.value)
    if left == ONE:
        return right
    return left if right == ONE else Operation("*", (left, right))


def divide(left: Expression, right: Expression) -> Expression:
    """Return left/right, without a divisor 1."""
    return left if right == ONE or left == ZERO else Operation("/", (left, right))


def power(base: Expression, exponent: int) -> Expression:
    """Return base**exponent, without an exponent 0 or 1."""
    if exponent == 0:
        return ONE
    return base if exponent == 1 else Operation("**", (base, Number(Fraction(exponent))))


def call(operator: str, *arguments: Expression) -> Expression:
    """Return a named function's value."""
    return Operation(operator, arguments)


class _Dual:
    """The algebra of pairs (value, derivative)."""

    def number(self, value: Fraction) -> tuple[Expression, Expression]:
        return Number(value), ZERO

    def constant(self, name: str) -> tuple[Expression, Expression]:
        return NamedConstant(name), ZERO

    def variable(self) -> tuple[Expression, Expression]:
        return Variable(), ONE

    def power(self, base: tuple[Expression, Expression], exponent: int) -> tuple[Expression, Expression]:
        u, slope = base
        outer = multiply(Number(Fraction(exponent)), power(u, exponent - 1))
        return power(u, exponent), multiply(outer, slope)

    def apply(self, operator: str, *arguments: tuple[Expression, Expression]) -> tuple[Expression, Expression]:
        if len(arguments) == 2:
            return _binary(operator, *arguments)
        u, slope = arguments[0]
        value = call(operator, u)
        if operator == "neg":
            return negate(u), negate(slope)
        if operator == "abs":
            return value, _where("<", u, ZERO, negate(slope), slope)
        if slope == ZERO:
            return value, ZERO
        return value, multiply(_OUTER[operator](u, value), slope)

    def where(
        self,
        relation: str,
        left: tuple[Expression, Expression],
        right: tuple[Expression, Expression],
        then: Callable[[], tuple[Expression, Expression]],
        otherwise: Callable[[], tuple[Expression, Expression]],
    ) -> tuple[Expression, Expression]:
        yes, no = then(), otherwise()
        value = Where(relation, left[0], right[0], yes[0], no[0])
        return value, _where(relation, left[0], right[0], yes[1], no[1])


def _where(relation: str, left: Expression, right: Expression, then: Expression, otherwise: Expression) -> Expression:
    return then if then == otherwise else Where(relation, left, right, then, otherwise)


def _binary(
    operator: str, left: tuple[Expression, Expression], right: tuple[Expression, Expression]
) -> tuple[Expression, Expression]:
    (u, du), (v, dv) = left, right
    match operator:
        case "+":
            return add(u, v), add(du, dv)
        case "-":
            return subtract(u, v), subtract(du, dv)
        case "*":
            return multiply(u, v), add(multiply(du, v), multiply(u, dv))
        case "/" if dv == ZERO:
            return divide(u, v), divide(du, v)
        case "/":
            return divide(u, v), divide(subtract(multiply(du, v), multiply(u, dv)), power(v, 2))
        case "min":
            return call("min", u, v), _where("<", u, v, du, dv)
        case _:
            return call("max", u, v), _where(">", u, v, du, dv)


def _gaussian(u: Expression) -> Expression:
    """Return 2/sqrt(pi) exp(-u^2), the derivative of erf (DLMF 7.2.1)."""
    factor = divide(Number(Fraction(2)), call("sqrt", NamedConstant("pi")))
    return multiply(factor, call("exp", negate(power(u, 2))))


def _bell(u: Expression) -> Expression:
    """Return sigmoid(u) sigmoid(-u), the derivative of sigmoid."""
    return multiply(call("sigmoid", u), call("sigmoid", negate(u)))


_OUTER: dict[str, Callable[[Expression, Expression], Expression]] = {  # f'(u), given u and f(u)
    "erf": lambda u, value: _gaussian(u),
    "erfc": lambda u, value: negate(_gaussian(u)),
    "exp": lambda u, value: value,
    "expm1": lambda u, value: call("exp", u),
    "log": lambda u, value: divide(ONE, u),
    "log1p": lambda u, value: divide(ONE, add(ONE, u)),
    "sigmoid": lambda u, value: _bell(u),
    "sqrt": lambda u, value: divide(ONE, multiply(Number(Fraction(2)), value)),
    "tanh": lambda u, value: multiply(Number(Fraction(4)), _bell(multiply(Number(Fraction(2)), u))),
}
