"""Derivatives of expressions: SymPy's, and the series of the Arb walker, agree."""

import random

import flint
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_verify.catalogue import FUNCTIONS, parse, text
from gelu_verify.catalogue.derivative import derivative
from gelu_verify.catalogue.evaluators import arb_taylor, arb_value
from gelu_verify.catalogue.expression import evaluate
from gelu_verify.catalogue.symbolic import X, sympy_expression

FORMULAS = [
    "x**3 - 2*x + 1",
    "x**-2",
    "1/(1 + x**2)",
    "exp(-x**2/2)*x",
    "expm1(x)/(2 + x)",
    "log(2 + x)",
    "log1p(x**2)",
    "sqrt(2 + x)",
    "tanh(x**2)",
    "sigmoid(1.702*x)",
    "erf(x)*erfc(x)",
    "(x + pi)/(e*x - 10)",
    *(f"{name}(x)" for name in FUNCTIONS if name not in ("relu", "leaky_relu", "elu")),
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_derivatives_up_to_the_fourth_agree_with_the_taylor_series_of_the_function(formula):
    expression = parse(formula)
    numbers = random.Random(formula)
    for _ in range(5):
        x = flint.arb(numbers.uniform(-1.5, 1.5))
        series = arb_taylor(expression, x, 4)
        factorial = 1
        for order in range(1, 5):
            factorial *= order
            assert arb_value(derivative(expression, order), x).overlaps(series[order] * factorial)


@pytest.mark.parametrize("formula", ["x**3*tanh(x)", "sigmoid(x)/(1 + x**2)", "erf(x)*exp(x)", "log1p(x)*sqrt(1 + x)"])
def test_derivatives_agree_with_sympys(formula):
    expression = parse(formula)
    ours, theirs = sympy_expression(derivative(expression, 2)), sympy.diff(sympy_expression(expression), X, 2)
    for value in (sympy.Rational(1, 3), sympy.Rational(7, 5)):
        assert abs(sympy.N((ours - theirs).subs(X, value), 30)) < 1e-25


@pytest.mark.parametrize(
    ("formula", "below", "above"),
    [("abs(x)", -1, 1), ("max(x, 0)", 0, 1), ("min(x, x**2)", 1, 1), ("where(x < 0, 3*x, exp(x))", 3, None)],
)
def test_at_both_sides_of_a_kink_the_derivative_is_that_side_s(formula, below, above):
    slope = derivative(parse(formula))
    assert arb_value(slope, flint.arb(-0.25)) == (below if formula != "min(x, x**2)" else 1)
    assert above is None or arb_value(slope, flint.arb(2)) == above


def test_constants_and_zero_factors_leave_no_trace():
    assert text(derivative(parse("3*x + 5"))) == "3"
    assert text(derivative(parse("sqrt(2)*pi"))) == "0"
    assert text(derivative(parse("x"), 2)) == "0"


def test_equal_subexpressions_of_a_derivative_are_walked_once():
    """A fourth derivative written out has ten thousands of nodes; shared, it has a few hundred."""

    walked = 0

    class Counting:
        def number(self, value):
            return None

        def constant(self, name):
            return None

        def variable(self):
            return None

        def power(self, base, exponent):
            return self.apply("**", base)

        def apply(self, operator, *arguments):
            nonlocal walked
            walked += 1

    evaluate(derivative(parse("gelu_tanh(x) - gelu(x)"), 4), Counting())
    assert walked < 400


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 8), st.fractions(min_value=-2, max_value=2, max_denominator=50))
def test_the_power_rule(exponent, x):
    slope = derivative(parse(f"x**{exponent}"))
    ball = flint.arb(flint.fmpq(x.numerator, x.denominator))
    assert arb_value(slope, ball).overlaps(exponent * (flint.arb(1) if exponent == 1 else ball ** (exponent - 1)))
