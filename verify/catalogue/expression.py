"""Expressions in one real variable x, as plain immutable data, and the one walk over them.

An expression knows nothing of the arithmetic it will be evaluated in. Every evaluator (Arb balls, Arb Taylor series,
mpmath, exact rationals, SymPy) is an `Algebra`: it says what a number, the variable and each operator are *there*,
and `evaluate` does the walking.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeVar

from gelu_verify.deadlines import check_time

Value = TypeVar("Value")

FUNCTION_OPERATORS: dict[str, int] = {  # operators written as calls, with their number of arguments
    "abs": 1,
    "erf": 1,
    "erfc": 1,
    "exp": 1,
    "expm1": 1,
    "log": 1,
    "log1p": 1,
    "max": 2,
    "min": 2,
    "sigmoid": 1,
    "sqrt": 1,
    "tanh": 1,
}
RELATIONS = ("<", "<=", ">", ">=")
CONSTANTS = ("pi", "e")


@dataclass(frozen=True, slots=True)
class Number:
    """An exact rational number: literals are never rounded."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class NamedConstant:
    """The number pi or e."""

    name: str


@dataclass(frozen=True, slots=True)
class Variable:
    """The real variable x."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator applied to its arguments: `+ - * /` (two), `neg` (one), `**` (base and an integer `Number`), or a
    name of `FUNCTION_OPERATORS`.
    """

    operator: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Where:
    """`then` where `left relation right` holds, `otherwise` elsewhere."""

    relation: str
    left: "Expression"
    right: "Expression"
    then: "Expression"
    otherwise: "Expression"


Expression = Number | NamedConstant | Variable | Operation | Where


class Algebra(Protocol[Value]):
    """An arithmetic in which expressions can be evaluated."""

    def number(self, value: Fraction) -> Value:
        """Return the rational `value` in this arithmetic."""

    def constant(self, name: str) -> Value:
        """Return pi or e."""

    def variable(self) -> Value:
        """Return what x stands for."""

    def power(self, base: Value, exponent: int) -> Value:
        """Return `base` to an integer power."""

    def apply(self, operator: str, *arguments: Value) -> Value:
        """Return the operator's value at its arguments."""

    def where(
        self, relation: str, left: Value, right: Value, then: Callable[[], Value], otherwise: Callable[[], Value]
    ) -> Value:
        """Return the branch that the relation selects; a branch is evaluated only when it is called."""


def evaluate(expression: Expression, algebra: Algebra[Value]) -> Value:
    """Evaluate `expression` in `algebra`; a subexpression that occurs twice as the same object is evaluated once."""
    known: dict[int, Value] = {}

    def walk(node: Expression) -> Value:
        key = id(node)
        if key not in known:
            known[key] = step(node)
        return known[key]

    def step(node: Expression) -> Value:
        check_time()
        match node:
            case Number(value):
                return algebra.number(value)
            case NamedConstant(name):
                return algebra.constant(name)
            case Variable():
                return algebra.variable()
            case Operation("**", (base, Number(exponent))):
                return algebra.power(walk(base), int(exponent))
            case Operation(operator, arguments):
                return algebra.apply(operator, *map(walk, arguments))
            case Where(relation, left, right, then, otherwise):
                return algebra.where(relation, walk(left), walk(right), lambda: walk(then), lambda: walk(otherwise))

    return walk(expression)


class Rebuilding:
    """The algebra of expressions themselves: evaluation builds the expression again. Subclasses change a part of it."""

    def number(self, value: Fraction) -> Expression:
        """Return a number."""
        return Number(value)

    def constant(self, name: str) -> Expression:
        """Return a named constant."""
        return NamedConstant(name)

    def variable(self) -> Expression:
        """Return x."""
        return Variable()

    def power(self, base: Expression, exponent: int) -> Expression:
        """Return an integer power."""
        return Operation("**", (base, Number(Fraction(exponent))))

    def apply(self, operator: str, *arguments: Expression) -> Expression:
        """Return an operation."""
        return Operation(operator, arguments)

    def where(
        self,
        relation: str,
        left: Expression,
        right: Expression,
        then: Callable[[], Expression],
        otherwise: Callable[[], Expression],
    ) -> Expression:
        """Return a choice, with both of its branches built."""
        return Where(relation, left, right, then(), otherwise())


class _Substitution(Rebuilding):
    """Replaces the variable."""

    def __init__(self, replacement: Expression) -> None:
        self._replacement = replacement

    def variable(self) -> Expression:
        return self._replacement


def substitute(expression: Expression, replacement: Expression) -> Expression:
    """Return `expression` with x replaced, for example f(-x) from f(x).

    >>> minus_x = Operation("neg", (Variable(),))
    >>> substitute(Operation("exp", (Variable(),)), minus_x) == Operation("exp", (minus_x,))
    True
    """
    return evaluate(expression, _Substitution(replacement))


def difference(left: Expression, right: Expression) -> Expression:
    """Return the expression `left - right`."""
    return Operation("-", (left, right))


_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "**": 4}


def text(expression: Expression) -> str:
    """Write the expression in the grammar that `parse` reads, so that `parse(text(e)) == e`.

    >>> text(Operation("*", (Variable(), Operation("sigmoid", (Operation("neg", (Variable(),)),)))))
    'x*sigmoid(-x)'
    """
    return _write(expression)[0]


def _write(node: Expression) -> tuple[str, int]:
    """Return the text and how tightly it binds (5: an atom)."""
    match node:
        case Number(value):
            return _write_number(value)
        case NamedConstant(name):
            return name, 5
        case Variable():
            return "x", 5
        case Where(relation, left, right, then, otherwise):
            return f"where({text(left)} {relation} {text(right)}, {text(then)}, {text(otherwise)})", 5
        case Operation("neg", (inner,)):
            return f"-{_bracket(inner, 3)}", 3
        case Operation("**", (base, Number(exponent))):
            return f"{_bracket(base, 5)}**{exponent}", 4
        case Operation(operator, (left, right)) if operator in _PRECEDENCE:
            level = _PRECEDENCE[operator]
            spaced = f" {operator} " if level == 1 else operator
            return f"{_bracket(left, level)}{spaced}{_bracket(right, level + 1)}", level
        case Operation(operator, arguments):
            return f"{operator}({', '.join(map(text, arguments))})", 5


def _bracket(node: Expression, least: int) -> str:
    written, binding = _write(node)
    return written if binding >= least else f"({written})"


def _write_number(value: Fraction) -> tuple[str, int]:
    """Write a decimal literal where there is one (the parser makes no others), else a quotient."""
    if value < 0:
        return f"-{_write_number(-value)[0]}", 3
    reduced, twos, fives = value.denominator, 0, 0
    while reduced % 2 == 0:
        reduced, twos = reduced // 2, twos + 1
    while reduced % 5 == 0:
        reduced, fives = reduced // 5, fives + 1
    if reduced != 1:
        return f"{value.numerator}/{value.denominator}", 2
    places = max(twos, fives)
    digits = str(value.numerator * 10**places // value.denominator).rjust(places + 1, "0")
    return (digits if places == 0 else f"{digits[:-places]}.{digits[-places:]}"), 5
