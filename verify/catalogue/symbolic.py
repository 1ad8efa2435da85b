"""The SymPy walker (importing this module imports SymPy)."""

from collections.abc import Callable, Mapping
from fractions import Fraction

import sympy

from gelu_verify.catalogue.expression import Expression, evaluate

X = sympy.Symbol("x", real=True)


def sympy_expression(
    expression: Expression, variable: sympy.Expr = X, constants: Mapping[str, sympy.Expr] | None = None
) -> sympy.Expr:
    """Return the expression in SymPy, with exact rational coefficients.

    Arguments:
        constants: what further named constants stand for (a family's constants as symbols).

    >>> from gelu_verify.catalogue import get_function
    >>> sympy_expression(get_function("gelu").expression)
    x*(1 - erfc(sqrt(2)*x/2)/2)
    """
    return evaluate(expression, _Symbolic(variable, constants or {}))


class _Symbolic:
    """SymPy expressions."""

    def __init__(self, variable: sympy.Expr, constants: Mapping[str, sympy.Expr]) -> None:
        self._variable = variable
        self._constants = {"pi": sympy.pi, "e": sympy.E, **constants}

    def number(self, value: Fraction) -> sympy.Expr:
        return sympy.Rational(value.numerator, value.denominator)

    def constant(self, name: str) -> sympy.Expr:
        return self._constants[name]

    def variable(self) -> sympy.Expr:
        return self._variable

    def power(self, base: sympy.Expr, exponent: int) -> sympy.Expr:
        return base**exponent

    def apply(self, operator: str, *arguments: sympy.Expr) -> sympy.Expr:
        return _OPERATORS[operator](*arguments)

    def where(
        self,
        relation: str,
        left: sympy.Expr,
        right: sympy.Expr,
        then: Callable[[], sympy.Expr],
        otherwise: Callable[[], sympy.Expr],
    ) -> sympy.Expr:
        return sympy.Piecewise((then(), sympy.Rel(left, right, relation)), (otherwise(), True))


_OPERATORS: dict[str, Callable[..., sympy.Expr]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
    "abs": sympy.Abs,
    "erf": sympy.erf,
    "erfc": sympy.erfc,
    "exp": sympy.exp,
    "expm1": lambda a: sympy.exp(a) - 1,
    "log": sympy.log,
    "log1p": lambda a: sympy.log(1 + a),
    "max": sympy.Max,
    "min": sympy.Min,
    "sigmoid": lambda a: 1 / (1 + sympy.exp(-a)),
    "sqrt": sympy.sqrt,
    "tanh": sympy.tanh,
}
