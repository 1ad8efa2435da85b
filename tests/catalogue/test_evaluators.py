"""The walkers agree with each other, and the balls hold what they claim to hold."""

from fractions import Fraction

import mpmath
import pytest
import sympy
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.catalogue import FUNCTIONS, get_function, parse
from gelu_verify.catalogue.evaluators import NotSmooth, arb_taylor, arb_value, exact_value, mpmath_value
from gelu_verify.catalogue.symbolic import X
from gelu_verify.enclosures import working_precision

POINTS = [Fraction(-15, 2), Fraction(-3, 4), Fraction(-1, 1000), Fraction(1, 7), Fraction(9, 4), Fraction(12)]


def ball(x: Fraction, radius: float = 0.0) -> arb:
    return arb(fmpq(x.numerator, x.denominator)) + arb(0, radius)


@pytest.mark.parametrize("x", POINTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_mpmath_and_sympy_values_lie_in_arbs_ball(name: str, x: Fraction) -> None:
    function = get_function(name)
    with working_precision(120), mpmath.workdps(60):
        enclosure = arb_value(function.expression, ball(x))
        mp = mpmath_value(function.expression, mpmath.mpf(x.numerator) / x.denominator, mpmath.mp)
        symbolic = function.definition.subs(X, sympy.Rational(x.numerator, x.denominator)).evalf(80)
        assert enclosure.overlaps(arb(mpmath.nstr(mp, 50)))
        assert enclosure.overlaps(arb(str(symbolic)))
        assert enclosure.rel_accuracy_bits() > 90 or enclosure.is_exact()


@pytest.mark.parametrize("x", POINTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_taylor_coefficients_hold_the_symbolic_derivatives(name: str, x: Fraction) -> None:
    function = get_function(name)
    with working_precision(200):
        coefficients = arb_taylor(function.expression, ball(x), 3)
    derivative = function.definition
    for order, coefficient in enumerate(coefficients):
        value = derivative.subs(X, sympy.Rational(x.numerator, x.denominator)).evalf(60) / sympy.factorial(order)
        assert coefficient.overlaps(arb(str(value), "1e-40")), order
        derivative = derivative.diff(X)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(x=st.fractions(-20, 20, max_denominator=64), offset=st.fractions(-1, 1, max_denominator=64))
def test_the_value_over_a_ball_holds_the_value_at_each_of_its_points(name: str, x: Fraction, offset: Fraction) -> None:
    expression = get_function(name).expression
    with working_precision(80):
        wide = arb_value(expression, ball(x, 0.25))
    with working_precision(400):
        assert wide.overlaps(arb_value(expression, ball(x + offset / 4)))


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"relu", "leaky_relu", "elu"}))
@given(x=st.fractions(-8, 8, max_denominator=64), offset=st.fractions(-1, 1, max_denominator=64))
def test_a_taylor_model_with_its_remainder_holds_the_value(name: str, x: Fraction, offset: Fraction) -> None:
    expression = get_function(name).expression
    radius, order = Fraction(1, 8), 5
    with working_precision(80):
        t = offset * radius
        polynomial = arb_taylor(expression, ball(x), order)[:order]
        remainder = arb_taylor(expression, ball(x, float(radius)), order)[order]
        model = sum((c * ball(t) ** n for n, c in enumerate(polynomial)), remainder * ball(t) ** order)
    with working_precision(400):
        assert model.overlaps(arb_value(expression, ball(x + t)))


@pytest.mark.parametrize("name", ["relu", "leaky_relu", "elu"])
def test_a_kink_in_the_ball_has_no_taylor_series(name: str) -> None:
    expression = get_function(name).expression
    for meeting in (ball(Fraction(0)), ball(Fraction(1, 100), 0.1)):
        with pytest.raises(NotSmooth):
            arb_taylor(expression, meeting, 1)
    arb_taylor(expression, ball(Fraction(1, 4), 0.1), 1)


def test_a_branch_that_the_ball_meets_gives_the_hull() -> None:
    step = parse("where(x < 1, 5, -5)")
    assert arb_value(step, ball(Fraction(1), 0.1)).contains(arb(5))
    assert arb_value(step, ball(Fraction(1), 0.1)).contains(arb(-5))
    assert arb_value(step, arb(1)) == arb(-5)
    assert arb_value(parse("where(x <= 1, 5, -5)"), arb(1)) == arb(5)
    assert arb_value(parse("where(x >= 1, 5, -5)"), arb(1)) == arb(5)
    assert arb_value(parse("where(x > 1, 5, -5)"), arb(1)) == arb(-5)


@pytest.mark.parametrize(("relation", "below", "above"), [("<", 5, -5), ("<=", 5, -5), (">", -5, 5), (">=", -5, 5)])
def test_a_ball_off_the_switch_takes_the_branch_that_the_relation_selects(
    relation: str, below: int, above: int
) -> None:
    switch = parse(f"where(x {relation} 1, 5, -5)")
    assert arb_value(switch, ball(Fraction(1, 2), 0.1)) == below
    assert arb_value(switch, ball(Fraction(3, 2), 0.1)) == above
    assert arb_taylor(switch, ball(Fraction(1, 2), 0.1), 0)[0] == below
    assert arb_taylor(switch, ball(Fraction(3, 2), 0.1), 0)[0] == above


def test_the_tails_keep_their_relative_accuracy() -> None:
    with working_precision(100):
        for name, x in [
            ("gelu", -1000),
            ("gelu_tanh", -300),
            ("gelu_sigmoid", -(10**6)),
            ("silu", -745),
            ("mish", -900),
        ]:
            assert arb_value(get_function(name).expression, arb(x)).rel_accuracy_bits() > 60, name


@pytest.mark.parametrize(
    ("written", "x", "expected"),
    [
        ("sqrt(x)", Fraction(9, 4), Fraction(3, 2)),
        ("sqrt(x)", Fraction(2), None),
        ("sqrt(x)", Fraction(-4), None),
        ("x*exp(x)", Fraction(0), Fraction(0)),
        ("exp(x) + x", Fraction(0), Fraction(1)),
        ("erfc(x)", Fraction(0), Fraction(1)),
        ("log(x)", Fraction(1), Fraction(0)),
        ("1/x", Fraction(0), None),
        ("x**-1", Fraction(0), None),
        ("x**0", Fraction(0), Fraction(1)),
        ("pi*x", Fraction(1), None),
        ("where(pi < x, 1, 2)", Fraction(1), None),
        ("abs(x) + max(x, 2) + min(x, 2)", Fraction(-3), Fraction(2)),
    ],
)
def test_rational_values_are_recognised_by_elementary_rules(
    written: str, x: Fraction, expected: Fraction | None
) -> None:
    assert exact_value(parse(written), x) == expected
