"""The supremum of an error: headline values by a second route, and every way in which a supremum can come about."""

from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from gelu_verify.bounds.error import Error, SupremumResult
from gelu_verify.bounds.roots import Line
from gelu_verify.bounds.supremum import supremum
from gelu_verify.catalogue import function_or_expression
from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import InputError
from gelu_verify.records import Verdict

REALS = Line(None, None)


def bound(
    formula: str,
    against: str | None = "gelu",
    lower: int | str | None = None,
    upper: int | str | None = None,
    derivative: int = 0,
    relative: bool = False,
    digits: int = 15,
    timeout: float | None = 30,
) -> SupremumResult:
    other = None if against is None else function_or_expression(against).expression
    error = Error(function_or_expression(formula).expression, other, derivative, relative)
    ends = [None if end is None else Fraction(end) for end in (lower, upper)]
    return supremum(error, Line(*ends), digits, timeout)


def places(result: SupremumResult) -> list[float]:
    return [float(place.midpoint) for place in result.at]


def stationary_value(
    error: Callable[[mpmath.mpf], mpmath.mpf], slope: Callable[[mpmath.mpf], mpmath.mpf], start: float
) -> tuple[Enclosure, Enclosure]:
    """Find a zero of the closed-form slope by the secant method, and the error there, both to 55 digits."""
    x = mpmath.findroot(slope, mpmath.mpf(start))
    return around(x), around(abs(error(x)))


def around(number: mpmath.mpf) -> Enclosure:
    middle, slack = Fraction(mpmath.nstr(number, 60)), Fraction(1, 10**55)
    return Enclosure(middle - slack, middle + slack)


def gelu_slope(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.ncdf(x) + x * mpmath.npdf(x)


def tanh_error(x: mpmath.mpf) -> mpmath.mpf:
    u = mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3)
    return x * (1 + mpmath.tanh(u)) / 2 - x * mpmath.ncdf(x)


def tanh_slope(x: mpmath.mpf) -> mpmath.mpf:
    c = mpmath.mpf("0.044715")
    u = mpmath.sqrt(2 / mpmath.pi) * (x + c * x**3)
    rate = mpmath.sqrt(2 / mpmath.pi) * (1 + 3 * c * x**2)
    return (1 + mpmath.tanh(u)) / 2 + x * mpmath.sech(u) ** 2 * rate / 2 - gelu_slope(x)


def sigmoid_error(x: mpmath.mpf) -> mpmath.mpf:
    return x / (1 + mpmath.exp(-mpmath.mpf("1.702") * x)) - x * mpmath.ncdf(x)


def sigmoid_slope(x: mpmath.mpf) -> mpmath.mpf:
    s = 1 / (1 + mpmath.exp(-mpmath.mpf("1.702") * x))
    return s + mpmath.mpf("1.702") * x * s * (1 - s) - gelu_slope(x)


@pytest.mark.parametrize(
    ("form", "error", "slope", "start"),
    [("gelu_tanh", tanh_error, tanh_slope, 2.7), ("gelu_sigmoid", sigmoid_error, sigmoid_slope, 2.27)],
)
def test_the_headline_suprema_agree_with_mpmath_at_60_digits(form, error, slope, start):
    result = bound(form, digits=50)
    with mpmath.workdps(60):
        x, value = stationary_value(error, slope, start)
    assert result.verdict is Verdict.CERTIFIED and result.attained
    assert result.supremum.certain_digits() >= 50
    assert result.supremum.lower <= value.upper and value.lower <= result.supremum.upper
    assert len(result.at) == 2 and result.at[0] == -result.at[1]
    assert result.at[1].lower <= x.upper and x.lower <= result.at[1].upper


def test_the_known_digits_come_out():
    assert bound("gelu_tanh", digits=17).supremum.decimal(17) == "0.00047323552068728487..."
    assert bound("gelu_sigmoid").supremum.decimal(15) == "0.0203348722092392..."
    assert [place.decimal(16) for place in bound("gelu_tanh", digits=16).at] == [
        "-2.698941386377270...",
        "2.698941386377270...",
    ]


def test_relative_error_of_the_tanh_form_tends_to_one_and_does_not_reach_it():
    result = bound("gelu_tanh", relative=True)
    assert result.supremum == Enclosure(Fraction(1), Fraction(1))
    assert result.attained is False and result.at == () and result.approached == ("as x -> -inf",)


def test_relative_error_of_the_sigmoid_form_is_unbounded():
    result = bound("gelu_sigmoid", relative=True)
    assert result.verdict is Verdict.CERTIFIED and result.infinite and result.approached == ("as x -> -inf",)


@pytest.mark.parametrize("formula", ["exp(x)", "1/x", "x", "1/(x**2 - 2)", "log(x**2)", "gelu", "x*exp(-exp(x))"])
def test_an_unbounded_function_is_proven_unbounded(formula):
    result = bound(formula, None)
    assert result.infinite and result.verdict is Verdict.CERTIFIED and result.supremum is None


@pytest.mark.parametrize(
    ("formula", "supremum_text", "attained"),
    [
        ("tanh(x)", "1", False),
        ("tanh(x)/x", "1", False),
        ("exp(-x**4)", "1", True),
        ("exp(-(x - 1/3)**4)", "1", True),
        ("min(max(x, -1), 1)", "1", True),
        ("where(x < 1, sigmoid(x), 0)", "0.731058578630004...", False),
        ("where(x <= 1, sigmoid(x), 0)", "0.731058578630004...", True),
        ("x**2/(1 + x**2)", "1", False),
        ("2*x/(1 + x**2)", "1", True),
        ("x - x", "0", True),
    ],
)
def test_whether_a_supremum_is_attained(formula, supremum_text, attained):
    result = bound(formula, None)
    assert result.supremum.decimal(15) == supremum_text
    assert result.attained is attained


def test_two_writings_of_one_function_differ_by_exactly_zero():
    result = bound("0.5*x*(1 + erf(x/sqrt(2)))")
    assert result.supremum == Enclosure(Fraction(0), Fraction(0)) and result.attained


def test_a_logarithm_of_negative_numbers_is_refused_in_one_line():
    with pytest.raises(InputError, match="logarithm of negative numbers: x is negative"):
        bound("log(x)", None)


def test_a_deadline_gives_the_bounds_so_far():
    result = bound("gelu_tanh", derivative=4, timeout=0.0001)
    assert result.verdict is Verdict.UNKNOWN and "time" in result.reason
    assert result.supremum is None
