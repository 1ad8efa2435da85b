"""Minima, maxima, zeros and inflections, kinks and plateaus among them."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from gelu_verify.bounds.locate import LocateResult, locate
from gelu_verify.bounds.roots import Line
from gelu_verify.catalogue import function_or_expression
from gelu_verify.errors import InputError
from gelu_verify.records import Verdict


def find(what: str, formula: str, lower=None, upper=None, derivative: int = 0, digits: int = 15) -> LocateResult:
    ends = [None if end is None else Fraction(end) for end in (lower, upper)]
    return locate(what, function_or_expression(formula).expression, Line(*ends), derivative, digits, timeout=300)


def points(result: LocateResult) -> list[tuple[float, float, str]]:
    assert result.verdict is Verdict.CERTIFIED and result.complete
    return [(float(place.x.midpoint), float(place.value.midpoint), place.kind) for place in result.points]


def test_the_minimum_of_gelu_agrees_with_mpmath_to_50_digits():
    (place,) = find("minimum", "gelu", digits=50).points
    with mpmath.workdps(60):
        x = mpmath.findroot(lambda t: mpmath.ncdf(t) + t * mpmath.npdf(t), mpmath.mpf("-0.75"))
        for enclosure, number in ((place.x, x), (place.value, x * mpmath.ncdf(x))):
            assert abs(enclosure.midpoint - Fraction(mpmath.nstr(number, 58))) < Fraction(1, 10**50)
            assert enclosure.certain_digits() >= 50
    assert place.x.decimal(16) == "-0.7517915246935644..." and place.value.decimal(16) == "-0.1699712074799036..."


@pytest.mark.parametrize(
    ("what", "formula", "lower", "upper", "expected"),
    [
        ("minimum", "abs(x)", None, None, [(0, 0, "kink")]),
        ("maximum", "abs(x)", -1, 2, [(-1, 1, "end"), (2, 2, "end")]),
        ("minimum", "abs(x)", 1, 2, [(1, 1, "end")]),
        ("minimum", "abs(x**2 - 2)", None, None, [(-(2**0.5), 0, "kink"), (2**0.5, 0, "kink")]),
        ("maximum", "abs(x**2 - 2)", None, None, [(0, 2, "stationary")]),
        ("minimum", "x**4", None, None, [(0, 0, "stationary")]),
        ("minimum", "x**3", None, None, []),
        ("minimum", "max(x, -x**2)", None, None, []),
        ("maximum", "where(x < 0, x, x - 1)", None, None, []),
        ("maximum", "where(x <= 0, x, x - 1)", None, None, [(0, 0, "kink")]),
        ("minimum", "where(x <= 0, x, x - 1)", None, None, []),
        ("minimum", "where(x < 0, x, x - 1)", None, None, [(0, -1, "kink")]),
        ("roots", "x*abs(x - 1)", None, None, [(0, 0, "root"), (1, 0, "root")]),
        ("roots", "sqrt(x)", 0, 4, [(0, 0, "root")]),
        ("roots", "where(x < 0, -1, 1)", None, None, []),
        ("roots", "abs(x**2 - 2)", None, None, [(-(2**0.5), 0, "root"), (2**0.5, 0, "root")]),
        ("roots", "exp(x)*max(x - pi, 3*pi - 3*x)", None, None, [(np.pi, 0, "root")]),
        ("inflections", "x**3", None, None, [(0, 0, "inflection")]),
        ("inflections", "x**4", None, None, []),
        ("inflections", "where(x < 0, -x**2, x**2)", None, None, [(0, 0, "inflection")]),
        ("inflections", "abs(x)*x", None, None, [(0, 0, "inflection")]),
        ("inflections", "max(x, x**3)", -1, 2, []),
    ],
)
def test_every_kind_of_point(what, formula, lower, upper, expected):
    assert points(find(what, formula, lower, upper)) == [
        (pytest.approx(x, abs=1e-14), pytest.approx(value, abs=1e-14), kind) for x, value, kind in expected
    ]


@pytest.mark.parametrize(
    ("what", "formula", "expected"),
    [
        ("minimum", "relu", ["(-inf, 0]"]),
        ("maximum", "min(max(x, 0), 1)", ["[1, inf)"]),
        ("roots", "relu", ["(-inf, 0]"]),
        ("roots", "where(x < 0, 0, 1)", ["(-inf, 0)"]),
        ("roots", "where(x < log(2), 0, 1)", ["(-inf, 0.69314...)"]),
        ("roots", "where(x <= log(2), 0, 1)", ["(-inf, 0.69314...]"]),
        ("minimum", "min(x, 0)", []),
        ("minimum", "max(min(x, 0), x - 1)", []),
        ("minimum", "where(x < 1, 0, relu(x - 2))", ["(-inf, 2]"]),
        ("maximum", "where(x < 0, 1, where(x < 3, 1, 4 - x))", ["(-inf, 3]"]),
        ("minimum", "where(x < 0, 0, 1)", ["(-inf, 0)"]),
        ("maximum", "where(x < 0, 0, 1)", ["[0, inf)"]),
        ("minimum", "max(2 - x**2, 0)", ["(-inf, -1.4142...]", "[1.4142..., inf)"]),
        ("minimum", "x/x", ["(-inf, 0)", "(0, inf)"]),
    ],
)
def test_plateaus_are_told_as_intervals_with_the_right_brackets(what, formula, expected):
    found = find(what, formula)
    assert found.complete and [span.text(5) for span in found.on] == expected


def test_derivatives_of_a_kinked_function_have_no_value_at_the_kink():
    assert points(find("minimum", "abs(x)*x", derivative=1)) == [(0, 0, "kink")]
    assert points(find("roots", "abs(x)", derivative=1)) == []


def test_poles_at_irrational_points_are_not_in_the_way():
    assert points(find("maximum", "1/(x**2 - 2)**2")) == []
    assert points(find("minimum", "1/(x**2 - 2)**2")) == [(0, 0.25, "stationary")]
    assert points(find("maximum", "1/(x**2 - 2)")) == [(0, -0.5, "stationary")]


def test_extrema_at_irrational_switches():
    assert points(find("maximum", "where(x <= sqrt(2), x, 0)")) == [
        (pytest.approx(2**0.5), pytest.approx(2**0.5), "kink")
    ]
    assert points(find("maximum", "where(x < sqrt(2), x, 0)")) == []
    assert points(find("minimum", "max(x - pi, pi - x)")) == [
        (pytest.approx(np.pi), pytest.approx(0, abs=1e-14), "kink")
    ]


def test_what_cannot_be_located_is_refused():
    with pytest.raises(InputError, match="cannot be located"):
        find("middle", "gelu")
    with pytest.raises(InputError, match="square root of negative"):
        find("roots", "sqrt(x)")


def test_undecided_questions_have_no_points():
    result = find("roots", "(x**2 - 2)**2")
    assert result.verdict is Verdict.UNKNOWN and not result.complete and result.points == () and result.reason
    assert (
        locate("roots", function_or_expression("gelu").expression, Line(None, None), timeout=0).reason
        == "the time allowed is over"
    )


@pytest.mark.parametrize(
    ("what", "formula", "lower", "upper", "expected"),
    [
        ("roots", "gelu_tanh(x) - gelu(x)", "1e-30", None, [1.8845695698245166]),
        ("roots", "gelu_tanh(x) - gelu(x)", "-1e300", "-1e-300", [-1.8845695698245166]),
        ("roots", "log(x)", "1e-300", "1e300", [1]),
        ("maximum", "x*exp(-x)", "1e-300", "1e300", [1]),
        # an expansion that holds only farther out, or nearer to zero, than the end says nothing of the end
        ("roots", "(x - 100)*(x - 1000)", 65, 500, [100]),
        ("roots", "(x - 100)*(x - 1000)", 500, 5000, [1000]),
        ("roots", "(x + 100)*(x + 1000)", -500, -65, [-100]),
        ("roots", "(x - 1/100)*(x - 1/1000)", "1/500", "1/2", [0.01]),
        ("roots", "(x + 1/100)*(x + 1/1000)", "-1/2", "-1/500", [-0.01]),
        ("roots", "(x - 1/100)*(x - 1/1000)", "1e-9", "1/500", [0.001]),
    ],
)
def test_ends_far_out_and_close_to_zero_cost_little_and_lose_nothing(what, formula, lower, upper, expected):
    found = locate(
        what, function_or_expression(formula).expression, Line(*(end and Fraction(end) for end in (lower, upper)))
    )
    inner = [x for x, _, kind in points(found) if kind != "end"]
    assert inner == pytest.approx(expected)
