"""Exact normal forms: equal forms are equal functions, and parity is proven or not claimed."""

from fractions import Fraction

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_verify.catalogue import FUNCTIONS, parse
from gelu_verify.catalogue.evaluators import arb_value
from gelu_verify.catalogue.forms import Form, NoNormalForm, number
from gelu_verify.catalogue.normal_form import exponential, logarithm, normal_form, parity, square_root

IDENTITIES = [
    ("sigmoid(x)", "1 - sigmoid(-x)"),
    ("sigmoid(x)", "(1 + tanh(x/2))/2"),
    ("erfc(-x)", "1 + erf(x)"),
    ("gelu(x)", "0.5*x*(1 + erf(x/sqrt(2)))"),
    ("gelu_tanh(x)", "0.5*x*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x**3)))"),
    ("gelu_tanh(x)", "x/2 + x/2*tanh(sqrt(2)/sqrt(pi)*x*(1 + 0.044715*x**2))"),
    ("exp(x)*exp(-x)", "1"),
    ("exp(x + log(2))", "2*exp(x)"),
    ("sqrt(12)", "2*sqrt(3)"),
    ("sqrt(2)*sqrt(8)", "4"),
    ("(x/sqrt(2))**2", "x**2/2"),
    ("max(x, 0)", "(x + abs(x))/2"),
    ("min(x, 1)", "x - max(x - 1, 0)"),
    ("abs(-3*x)", "3*abs(x)"),
    ("abs(x)**2", "x**2"),
    ("log(e**2*pi)", "2 + log(pi)"),
    ("sqrt(1 + x**2)*sqrt(1 + x**2)", "1 + x**2"),
    ("expm1(x) - log1p(x)", "exp(x) - 1 - log(1 + x)"),
    ("elu(x) - relu(x)", "where(x < 0, exp(x) - 1, x) - max(0, x)"),
]


@pytest.mark.parametrize(("left", "right"), IDENTITIES)
def test_identities_have_the_same_normal_form(left, right):
    assert normal_form(parse(f"{left} - ({right})")) == number(0)


@pytest.mark.parametrize(("left", "right"), IDENTITIES)
@pytest.mark.parametrize("change", ["{} + x*1e-30", "1.0001*({})", "({}) + erf(x)"])
def test_perturbed_identities_do_not(left, right, change):
    assert normal_form(parse(f"{left} - ({change.format(right)})")) != number(0)


@pytest.mark.parametrize("formula", [f"{name}(x)" for name in FUNCTIONS] + [left for left, _ in IDENTITIES])
def test_a_form_has_the_values_of_its_expression(formula):
    expression = parse(formula)
    form = normal_form(expression)
    for x in (flint.arb("0.3"), flint.arb("1.7"), flint.arb("-0.6")):
        direct = arb_value(expression, x)
        if direct.is_finite():
            assert form.ball(x).overlaps(direct)


@settings(max_examples=100, deadline=None)
@given(st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=60))
def test_roots_logarithms_and_exponentials_of_rationals(q):
    assert square_root(number(q)) * square_root(number(q)) == number(q)
    assert exponential(logarithm(number(q))).ball().overlaps(flint.arb(flint.fmpq(q.numerator, q.denominator)))
    assert exponential(number(q)) * exponential(number(-q)) == number(1)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("gelu_tanh(x) - gelu(x)", 1),
        ("gelu_sigmoid(x) - gelu(x)", 1),
        ("relu(x) - gelu(x)", 1),
        ("silu(x) - relu(x)", 1),
        ("tanh(x**3)*exp(-x**2)", -1),
        ("where(x < 0, -1, 1)*x", 1),
        ("where(0 <= x, 2, -2)", -1),
        ("where(x**3 > 0, x, -x)", 1),
        ("gelu(x)", None),
        ("exp(x)", None),
        ("elu(x) - gelu(x)", None),
        ("where(x < 1, -1, 1)", None),
        ("where(x < 0, 1, 2)", None),
        ("1/(x - x)", None),
    ],
)
def test_parity_is_found_and_not_assumed(formula, expected):
    assert parity(parse(formula)) == expected


def test_what_grows_without_end_is_refused():
    with pytest.raises(NoNormalForm):
        normal_form(parse("(1 + x + exp(x) + tanh(x) + erf(x) + pi)**60"))
    with pytest.raises(NoNormalForm):
        normal_form(parse("1/(sqrt(2)*sqrt(2) - 2)"))


def test_a_long_decimal_is_not_factored():
    form = normal_form(parse("sqrt(0.79788456080286535587989211986876373695171726232986931533185165934131)"))
    assert isinstance(form, Form) and form.ball() > 0.893
