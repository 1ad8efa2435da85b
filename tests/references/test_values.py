"""Reference values: every digit certain, confirmed by a second arithmetic, refused where there is no value."""

from fractions import Fraction

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_verify.catalogue import get_function
from gelu_verify.enclosures import Enclosure, enclosure_of, working_precision
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.references import reference, value, values

GELU = get_function("gelu")


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        ("gelu", Fraction(-11, 2), "-1.044425935623824566...e-7"),
        ("gelu", Fraction(-10), "-7.619853024160526065...e-23"),
        ("gelu_tanh", Fraction(-6), "-8.439646700762297083...e-11"),
        ("Phi", Fraction(-9), "1.128588405953840647...e-19"),
        ("Phi", Fraction(-15), "3.670966199312750885...e-51"),
    ],
)
def test_published_values_are_found_digit_for_digit(function: str, x: Fraction, expected: str) -> None:
    assert value(get_function(function), x, digits=19).decimal(19) == expected


@pytest.mark.parametrize("digits", [1, 5, 50, 1000])
def test_as_many_digits_are_certain_as_were_asked_for(digits: int) -> None:
    enclosure = value(GELU, 1, digits=digits)
    assert enclosure.certain_digits() >= digits
    with mpmath.workdps(digits + 20):
        expected = mpmath.ncdf(1)
        assert enclosure.decimal(digits)[:-3] == mpmath.nstr(expected, digits + 10, strip_zeros=False)[: digits + 2]


@settings(max_examples=60)
@given(x=st.fractions(-30, 30, max_denominator=1000), order=st.integers(0, 6))
def test_derivatives_obey_the_hermite_formula(x: Fraction, order: int) -> None:
    # G^(n) = (-1)^n phi (n He_{n-2} - x He_{n-1}) for n >= 2, with the recurrence of the polynomials (DLMF 18.9.1)
    n = order + 2
    hermite = [Fraction(1), x]
    for k in range(1, n):
        hermite.append(x * hermite[k] - k * hermite[k - 1])
    factor = (-1) ** n * (n * hermite[n - 2] - x * hermite[n - 1])
    with working_precision(200):
        ball = values.point(x)
        density = (-ball * ball / 2).exp() / (2 * arb.pi()).sqrt()
        expected = enclosure_of(density * values.point(factor))
    found = value(GELU, x, n, digits=30) if factor else Enclosure(Fraction(0), Fraction(0))
    assert max(found.lower, expected.lower) <= min(found.upper, expected.upper)


@pytest.mark.parametrize("order", [0, 1, 2, 3, 8])
@pytest.mark.parametrize("x", [Fraction(-40), Fraction(-1, 3), Fraction(1, 10**100), Fraction(7)])
def test_mpmath_confirms_values_and_derivatives(x: Fraction, order: int) -> None:
    for name in ("gelu", "gelu_tanh", "silu", "mish"):
        assert reference(get_function(name), x, order, digits=25).confirmed, name


def test_a_wrong_enclosure_is_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = values._enclose(GELU.expression, Fraction(1), 0, 20)
    shifted = Enclosure(right[0].upper + Fraction(1, 10**18), right[0].upper + Fraction(2, 10**18))
    monkeypatch.setattr(values, "_enclose", lambda *_: (shifted, right[1]))
    with pytest.raises(ArithmeticError, match="Arb and mpmath disagree at x = 1"):
        reference(GELU, 1)


def test_rational_values_are_exact() -> None:
    assert value("x/3", 1) == Enclosure(Fraction(1, 3), Fraction(1, 3))
    assert value("relu(x)", -5) == Enclosure(Fraction(0), Fraction(0))
    assert value(GELU, 0, derivative=1) == Enclosure(Fraction(1, 2), Fraction(1, 2))
    assert value(GELU, 0, derivative=3) == Enclosure(Fraction(0), Fraction(0))


@pytest.mark.parametrize(
    ("function", "x", "derivative"), [("relu(x)", 0, 1), ("elu(x, alpha=2)", 0, 1), ("log(x)", -1, 0), ("1/x", 0, 0)]
)
def test_where_there_is_no_value_the_question_is_refused(function: str, x: int, derivative: int) -> None:
    with pytest.raises(InputError, match="has no value at x"):
        value(function, x, derivative)


def test_a_value_that_cannot_be_told_from_zero_is_incomplete() -> None:
    with pytest.raises(IncompleteError, match="could not be told from zero"):
        value("erf(x) - erf(x)", 1)


@pytest.mark.parametrize(
    ("keyword", "number"), [("derivative", -1), ("derivative", 201), ("digits", 0), ("digits", 10_001)]
)
def test_orders_and_digits_out_of_range_are_refused(keyword: str, number: int) -> None:
    with pytest.raises(InputError, match="it must be from"):
        value(GELU, 1, **{keyword: number})


def test_a_value_next_to_a_short_decimal_is_enclosed_as_narrowly_as_was_asked() -> None:
    near = value(GELU, 2999, digits=20)
    assert 2999 - Fraction(1, 10**17) < near.lower < 2999 < near.upper < 2999 + Fraction(1, 10**17)
    assert near.lower.denominator.bit_length() < 10_000


def test_cancelling_forms_are_told_their_digits_by_raising_the_precision() -> None:
    cancelling = value("0.5*x*(1 + erf(x/sqrt(2)))", -9, digits=25)
    assert cancelling.decimal(25) == value(GELU, -9, digits=25).decimal(25)
