"""The supremum of an error: headline values by a second route, and every way in which a supremum can come about."""

import time
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
    timeout: float | None = 300,
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


@pytest.mark.parametrize(
    ("formula", "against", "lower", "upper", "order", "value", "attained"),
    [
        ("x*(1/tanh(x))", "3", -1, 1, 0, 2, False),
        ("(1 - exp(-x))*(1/x)", "2", -1, 1, 0, 1.36787944117144, True),
        ("x*(1/x)", "2", None, None, 0, 1, True),
        ("x*(1 + 1/expm1(x))", "3", -1, 1, 0, 2.41802329313067, True),
        ("where(x < sqrt(2), x, 0)", None, 0, 3, 0, 2**0.5, False),
        ("where(x <= sqrt(2), x, 0)", None, 0, 3, 0, 2**0.5, True),
        ("where(x < log(2), exp(x), 1)", None, 0, 2, 0, 2, False),
        ("max(0, 2 - x**2)", None, 0, 3, 1, 2 * 2**0.5, False),
        ("abs(x - sqrt(2))", None, 0, 2, 0, 2**0.5, True),
        ("abs(x**2 - 2)*x", None, 0, "3/2", 1, 4.75, True),
        ("where(x**2 - 2 <= 0, 5, 1)", None, -2, 2, 0, 5, True),
        ("elu(x, alpha=2)", "gelu", -3, 3, 1, 1.5, False),
        ("sqrt(x)", None, 0, 2, 0, 2**0.5, True),
        ("where(x <= 0, 5, 1)", None, 0, 2, 0, 5, True),
        ("sigmoid(1e6*x)", None, None, None, 0, 1, False),
        ("tanh(1000*x)", None, -1, 1, 0, 1, True),
        ("erf((min(0, x) + x*x)**2)", None, "1/3", 5, 0, 1, True),
        ("exp(-exp(exp(x)))", None, None, None, 0, 0.367879441171442, False),
        ("1 - exp(-exp(x))", None, None, None, 0, 1, False),
        ("x*tanh(exp(x))", "gelu", None, None, 0, 0.231453656923215, True),
        ("exp(-(10000*(x - 1000.3))**2)", None, None, None, 0, 1, True),
        ("exp(-x**2)*x**3/1e30", None, None, None, 0, 4.0991627894186e-31, True),
        ("x*min(max(x + 3, 0), 6)/6", "gelu", None, None, 0, 0.295369656331199, True),
        ("gelu_tanh", "gelu", 100, 200, 0, 0, True),
    ],
)
def test_kinks_jumps_removable_points_and_scales(formula, against, lower, upper, order, value, attained):
    result = bound(formula, against, lower, upper, order)
    assert result.verdict is Verdict.CERTIFIED
    assert (
        float(result.supremum.midpoint) == pytest.approx(value, rel=1e-13, abs=1e-300) and result.attained is attained
    )
    assert result.at or result.on or not attained
    assert not result.at or attained is not False


def test_the_polynomial_erf_of_i_bert():
    """GELU with erf replaced by sgn(x)(a (min(|x|, -b) + b)^2 + 1), a = -0.2888, b = -1.769 (arXiv:2101.01321)."""
    erf = "where(x < 0, -1, 1)*(-0.2888*(min(abs(x)/sqrt(2), 1.769) - 1.769)**2 + 1)"
    result = bound(f"x*0.5*(1 + {erf})")
    assert result.supremum.decimal(15) == "0.0181519114137043..." and result.parity == 1
    assert len(result.at) == 2 and result.at[0] == -result.at[1]
    slope = bound(f"x*0.5*(1 + {erf})", derivative=1)
    assert slope.attained is not None and slope.supremum.lower > 0.04


def test_an_error_far_out_is_not_rounded_to_zero():
    result = bound("gelu_tanh", lower=100, upper=200)
    with mpmath.workdps(2300):
        x = mpmath.mpf(100)
        value = abs(tanh_error(x))
        assert (
            abs(value / (mpmath.mpf(result.supremum.lower.numerator) / result.supremum.lower.denominator) - 1) < 1e-13
        )
    assert result.at == (Enclosure(Fraction(100), Fraction(100)),)


@pytest.mark.parametrize(
    ("formula", "against", "lower", "upper"),
    [
        ("sqrt(x)**2", None, -1, 1),
        ("silu(x) + log(x) - log(x)", "silu", None, None),
        ("log(x)", None, None, None),
        ("log(x**3)", None, None, -1),
        ("1/(x - x)", None, None, None),
        ("1/0*x", None, None, None),
        ("sqrt(1/3 - 3)*x", None, None, None),
        ("max(sqrt(x), 1)", None, -2, 3),
    ],
)
@pytest.mark.parametrize("order", [0, 1])
def test_what_is_undefined_on_an_interval_is_bad_input_for_every_derivative(formula, against, lower, upper, order):
    with pytest.raises(InputError):
        bound(formula, against, lower, upper, order)


def test_fewer_digits_than_asked_for_are_not_called_certified():
    forty = bound("1 - (x - sqrt(2)/2)**4", None, 0, 1, digits=40)
    assert forty.verdict is Verdict.CERTIFIED and forty.supremum.width < Fraction(1, 10**40)
    flat = bound("erf(((min(0, x) + x*x))**2)", None, "1/3", 5, digits=12)
    assert flat.verdict is Verdict.CERTIFIED and flat.supremum.width < Fraction(1, 10**12)
    unproven = bound("gelu(x) - x*(erfc(-x*sqrt(0.5)*1)/2)*exp(log(1))", None, -1, 1)
    assert unproven.verdict is Verdict.UNKNOWN or unproven.supremum.upper == 0


def test_intervals_on_which_it_is_attained_have_the_right_brackets():
    assert [span.text(9) for span in bound("where(x < 1/3, 1, 0)", None, -1, 1).on] == ["[-1, 0.333333333...)"]
    assert [span.text(9) for span in bound("x/x", None).on] == ["(-inf, 0)", "(0, inf)"]
    assert [span.text(9) for span in bound("min(max(x, -1), 1)", None).on] == ["(-inf, -1]", "[1, inf)"]
    assert [span.text(9) for span in bound("min(max(x, -1), 1)", "min(max(x, -1), 1)").on] == ["(-inf, inf)"]


@pytest.mark.parametrize(
    "formula",
    [
        "((1e1000**100)**100)**100",
        "max(" * 24 + "x" + "".join(f", {i % 3}*x - {i})" for i in range(24)),
        "1/(x + " * 45 + "x" + ")" * 45,
    ],
)
def test_hostile_formulas_end_in_time(formula):
    started = time.process_time()
    bound(formula, lower=1, upper=2, derivative=2, timeout=2)
    assert time.process_time() - started < 20


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


# Intervals that span hundreds of binades, or are close to zero as a whole. Values by mpmath at 1500 digits.
SPANS = [
    ("log(abs(x))", "0", "1e-300", "1", "690.775527898213705205397436405"),
    ("x*log(x)", "0", "1e-300", "1", "0.367879441171442321595523770161"),
    ("log(x)", "0", "1e-30", "1e30", "69.0775527898213705205397436405"),
    ("1/x", "0", "1e-300", "1e300", "1e300"),
    ("x*exp(-x)", "0", "1e-300", "1e300", "0.367879441171442321595523770161"),
    ("x*exp(x)", "0", "-1e300", "-1e-300", "0.367879441171442321595523770161"),
    ("gelu_tanh", "gelu", "1e-30", "2e-30", "5.26555376958588581773933632776e-123"),
    ("gelu_tanh", "gelu", "-2e-30", "-1e-30", "5.26555376958588581773933632776e-123"),
    ("gelu_tanh", "gelu", "-1e-300", "1e-300", "3.29097110599117863608708520485e-1204"),
]


@pytest.mark.parametrize(("formula", "against", "lower", "upper", "value"), SPANS)
def test_intervals_of_many_binades_or_close_to_zero_are_bounded(formula, against, lower, upper, value):
    result = bound(formula, against, lower, upper, timeout=60)
    assert result.verdict is Verdict.CERTIFIED and result.attained
    assert abs(result.supremum.midpoint - Fraction(value)) <= Fraction(value) / 10**15


def test_a_relative_error_that_is_all_but_one_far_out_is_bounded():
    result = bound("gelu_tanh", "gelu", -1000, -100, relative=True, timeout=60)
    assert result.verdict is Verdict.CERTIFIED
    assert 1 - Fraction(1, 10**15) < result.supremum.lower <= 1 <= result.supremum.upper < 1 + Fraction(1, 10**15)


def test_only_monotone_ends_are_left_out():
    """A stationary point far out, or close to zero, is kept."""
    far = bound("x/(x**2 + 1e12)", None, 1, "1e9")
    assert places(far) == pytest.approx([1e6]) and float(far.supremum.midpoint) == pytest.approx(5e-7, rel=1e-12)
    close = bound("x/(x**2 + 1e-12)", None, "1e-9", 1)
    assert places(close) == pytest.approx([1e-6]) and float(close.supremum.midpoint) == pytest.approx(5e5, rel=1e-12)
