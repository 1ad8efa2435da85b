"""Behaviour at infinity and near points: limits with their sides, and bounds that hold at every point beyond."""

from fractions import Fraction

import mpmath
import pytest

from gelu_verify.catalogue import parse
from gelu_verify.catalogue.evaluators import mpmath_value
from gelu_verify.enclosures.tails import (
    TO_INFINITY,
    TO_MINUS_INFINITY,
    Approach,
    bound_beyond,
    bound_near,
    germ,
    limit,
)

FORMULAS = [
    "gelu(x)",
    "gelu_tanh(x) - gelu(x)",
    "gelu_sigmoid(x) - gelu(x)",
    "gelu_tanh(x)/gelu(x) - 1",
    "mish(x)",
    "silu(x) - gelu(x)",
    "x*exp(-x**2)*erf(x)",
    "sqrt(x**2 + 1) - abs(x)",
    "exp(-exp(x))",
    "log1p(exp(x)) - max(x, 0)",
    "(1 + x)/(2 + 3*x**2)",
    "tanh(1/(1 + x**2))",
    "erfc(x)*exp(x**2/2)",
    "min(sigmoid(x), tanh(x))",
    "where(x > 3, 1/x, exp(x))",
    "x*log(1 + 1/x**2)",
    "exp(sqrt(x**2 + x) - abs(x))",
    "expm1(1/x)",
    "x**50*exp(-x)",
    "x**9*exp(-x**2)*log(1 + x**2)",
    "x*tanh(exp(x))",
    "sigmoid(exp(-x) - exp(x))*x**3",
]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("side", [1, -1])
def test_a_bound_beyond_holds_at_points_beyond(formula, side):
    expression = parse(formula)
    checked = 0
    with mpmath.workdps(60):
        for start in (2, 4, 8, 32, 64):
            bound = bound_beyond(expression, start, side)
            if bound is None:
                continue
            for factor in (1, Fraction(9, 8), 2, 7, 40):
                value = abs(
                    mpmath_value(
                        expression, mpmath.mpf(side * start) * factor.numerator / factor.denominator, mpmath.mp
                    )
                )
                assert value <= mpmath.mpf(bound.str(40, radius=False)) * (1 + mpmath.mpf(10) ** -30)
                checked += 1
    growing = limit(expression, Approach(None, side))
    assert checked or growing is None or growing.infinite


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize(
    "approach", [TO_INFINITY, TO_MINUS_INFINITY, Approach(Fraction(1), 1), Approach(Fraction(0), -1)]
)
def test_an_expansion_encloses_the_function_wherever_it_holds(formula, approach):
    """Exact terms plus the ball are compared with mpmath at the far and the near end."""
    expression = parse(formula)
    for start in (4, 16):
        try:
            found = germ(expression, approach, start, 4)
        except ArithmeticError:
            continue
        for y in (start, 3 * start):
            with mpmath.workdps(80):
                x = approach.end(y)
                true = mpmath_value(expression, mpmath.mpf(x.numerator) / x.denominator, mpmath.mp)
            low, high = _value(found, y)
            slack = abs(true) * mpmath.mpf(10) ** -25 + mpmath.mpf(10) ** -60
            assert low - slack <= true <= high + slack


def _value(found, y):
    total = sum((coefficient.ball() * scale.at(y) for scale, coefficient in found.terms), start=0 * found.horizon.start)
    if found.rest is not None:
        total = total + found.rest[1] * found.rest[0].at(y)
    if isinstance(total, int):
        return mpmath.mpf(0), mpmath.mpf(0)
    return (mpmath.mpf(end.str(40, radius=False)) for end in (total.lower(), total.upper()))


@pytest.mark.parametrize(
    ("formula", "approach", "value", "sign"),
    [
        ("gelu(x)", TO_MINUS_INFINITY, 0, -1),
        ("gelu_tanh(x)", TO_MINUS_INFINITY, 0, -1),
        ("mish(x)", TO_MINUS_INFINITY, 0, -1),
        ("elu(x)", TO_MINUS_INFINITY, -1, 1),
        ("relu(x)", TO_MINUS_INFINITY, 0, 0),
        ("gelu(x) - x", TO_INFINITY, 0, -1),
        ("gelu(x)/x", TO_INFINITY, 1, -1),
        ("gelu_tanh(x)/gelu(x)", TO_MINUS_INFINITY, 0, 1),
        ("gelu_tanh(x)/gelu(x)", TO_INFINITY, 1, None),
        ("gelu(x)/x", Approach(Fraction(0), 1), Fraction(1, 2), 1),
        ("gelu(x)/x", Approach(Fraction(0), -1), Fraction(1, 2), -1),
        ("tanh(x)/x", Approach(Fraction(0), 1), 1, -1),
        ("x*log(x)", Approach(Fraction(0), 1), 0, -1),
        ("sqrt(x**2 + x) - x", TO_INFINITY, Fraction(1, 2), -1),
        ("exp(-1/x**2)", Approach(Fraction(0), 1), 0, 1),
        ("sigmoid(exp(x))", TO_INFINITY, 1, -1),
        ("1 - exp(-exp(x))", TO_INFINITY, 1, -1),
        ("x*tanh(exp(x)) - x", TO_INFINITY, 0, -1),
        ("exp(-2*exp(x))/exp(-exp(x)) + 1", TO_INFINITY, 1, 1),
        ("erfc(exp(x))*exp(x**2)", TO_INFINITY, 0, 1),
        ("exp(-exp(exp(x)))", TO_INFINITY, 0, 1),
    ],
)
def test_limits_and_the_side_from_which_they_are_approached(formula, approach, value, sign):
    found = limit(parse(formula), approach)
    assert found.value.rational == value
    if sign is not None:
        assert found.sign == sign


@pytest.mark.parametrize(
    ("formula", "approach", "sign"),
    [
        ("gelu(x)", TO_INFINITY, 1),
        ("gelu_sigmoid(x)/gelu(x)", TO_MINUS_INFINITY, 1),
        ("log(x)", Approach(Fraction(0), 1), -1),
        ("1/x", Approach(Fraction(0), -1), -1),
        ("exp(x)/x**50", TO_INFINITY, 1),
        ("x - x**3", TO_INFINITY, -1),
        ("exp(exp(exp(x)))", TO_INFINITY, 1),
    ],
)
def test_what_is_unbounded_is_seen_to_be(formula, approach, sign):
    found = limit(parse(formula), approach)
    assert found.infinite and found.sign == sign


def test_limits_of_derivatives():
    gelu = parse("gelu(x)")
    assert [limit(gelu, TO_INFINITY, order).value.rational for order in (1, 2, 3)] == [1, 0, 0]
    assert [limit(gelu, TO_INFINITY, order).sign for order in (1, 2)] == [1, -1]


def test_what_does_not_fit_the_algebra_is_not_guessed():
    assert limit(parse("exp(x**2*log(x))"), TO_INFINITY) is None
    assert limit(parse("exp(-exp(x))/exp(-exp(2*x))"), TO_INFINITY) is None
    assert bound_near(parse("x"), TO_INFINITY, 4) is None
    assert limit(parse("sqrt(x)"), TO_MINUS_INFINITY) is None
