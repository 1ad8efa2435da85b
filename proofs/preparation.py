"""From the expressions of statements to expressions that can be evaluated at a point."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import sympy
from sympy.stats.symbolic_probability import Expectation, Probability, Variance

from gelu_verify.proofs.notation import unfold


class NotEvaluable(ArithmeticError):  # noqa: N818 (it says what the expression is, not that something went wrong)
    """The expression holds something without a numeric meaning here, or the point is not in its domain."""


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
        return _derive(expression)
    if isinstance(expression, sympy.Subs):
        return expression.expr.subs(list(zip(expression.variables, expression.point, strict=True)))
    return expression


def _derive(derivative: Any) -> Any:
    """Carry out a derivative for evaluation beside the kinks, where statements about derivatives keep to."""
    inner = derivative.expr.rewrite(sympy.Piecewise) if derivative.expr.has(sympy.Max, sympy.Abs) else derivative.expr
    return unfold(sympy.Derivative(inner, *derivative.variable_count).doit(deep=False))


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
