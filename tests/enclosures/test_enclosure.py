"""An enclosure prints only digits that are certain, and its decimal ends never cut into it."""

from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.enclosures import Enclosure, enclosure_of, working_precision
from gelu_verify.errors import IncompleteError

numbers = st.fractions(max_denominator=10**12).filter(lambda q: q != 0)
scales = st.integers(-60, 60).map(lambda n: Fraction(10) ** n)


@given(numbers, scales, st.integers(1, 40))
def test_decimal_ends_are_rounded_outward_by_less_than_one_unit(number: Fraction, scale: Fraction, digits: int) -> None:
    q = number * scale
    enclosure = Enclosure(q, q)
    lower, upper = Fraction(enclosure.lower_decimal(digits)), Fraction(enclosure.upper_decimal(digits))
    assert lower <= q <= upper
    assert upper - lower <= abs(q) * Fraction(10) ** (1 - digits)


@given(numbers, scales, st.integers(1, 30), st.integers(5, 30))
def test_the_printed_digits_are_those_of_every_number_enclosed(
    number: Fraction, scale: Fraction, digits: int, accuracy: int
) -> None:
    q = number * scale
    radius = abs(q) / 10**accuracy
    written = Enclosure(q - radius, q + radius).decimal(digits)
    if written.startswith("["):
        lower, upper = written[1:-1].split(", ")
        assert Fraction(lower) <= q - radius
        assert Fraction(upper) >= q + radius
        return
    figures, _, exponent = written.replace("...", "").partition("e")
    cut = Fraction(figures.rstrip(".")) * Fraction(10) ** int(exponent or 0)
    places = len(figures.split(".")[1]) if "." in figures else 0
    unit = Fraction(10) ** (int(exponent or 0) - places)
    for end in (q - radius, q + radius):
        assert 0 <= abs(end) - abs(cut) < unit
        assert (end < 0) == written.startswith("-")


@pytest.mark.parametrize(
    ("number", "digits", "written"),
    [
        (Fraction(1, 3), 5, "0.33333..."),
        (Fraction(-2, 3), 5, "-0.66666..."),
        (Fraction(1, 4), 5, "0.25"),
        (Fraction(0), 5, "0"),
        (Fraction(10) ** 20, 3, "100000000000000000000"),
        (Fraction(10) ** 21, 3, "1e21"),
        (Fraction(123456789), 4, "1.234...e8"),
        (Fraction(2, 3 * 10**7), 3, "6.66...e-8"),
        (Fraction(2, 3 * 10**7), 1, "6....e-8"),
        (Fraction(1, 2**20), 30, "9.5367431640625e-7"),
        (Fraction(19, 10), 1, "1...."),
    ],
)
def test_exact_numbers_are_cut_and_say_whether_they_go_on(number: Fraction, digits: int, written: str) -> None:
    assert Enclosure(number, number).decimal(digits) == written


def test_a_short_decimal_inside_is_shown_between_its_ends() -> None:
    around = Enclosure(Fraction(1, 4) - Fraction(1, 10**9), Fraction(1, 4) + Fraction(1, 10**9))
    assert around.decimal(20) == "[0.249999999, 0.250000001]"


@pytest.mark.parametrize(("number", "digits", "upper"), [("99.99", 2, "100"), ("0.09999", 3, "0.1"), ("9.5", 1, "10")])
def test_rounding_outward_carries_into_a_new_digit(number: str, digits: int, upper: str) -> None:
    q = Fraction(number)
    assert Enclosure(q, q).upper_decimal(digits) == upper
    assert Enclosure(-q, -q).lower_decimal(digits) == f"-{upper}"


def test_an_enclosure_of_zero_has_no_certain_digit() -> None:
    assert Enclosure(Fraction(-1), Fraction(1)).certain_digits() == 0
    assert Enclosure(Fraction(0), Fraction(1)).certain_digits() == 0


def test_ends_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(ValueError, match="lower end 1 exceeds its upper end 0"):
        Enclosure(Fraction(1), Fraction(0))


@given(numbers, numbers)
def test_negation_and_absolute_value_enclose(a: Fraction, b: Fraction) -> None:
    enclosure = Enclosure(min(a, b), max(a, b))
    middle = enclosure.midpoint
    assert middle in enclosure
    assert -middle in -enclosure
    assert abs(middle) in abs(enclosure)
    assert all(min(abs(enclosure.lower), abs(enclosure.upper)) >= abs(enclosure).lower for _ in [0])


@given(st.fractions(-100, 100), st.integers(30, 200))
def test_the_ends_of_a_ball_are_exact_and_hold_its_centre(q: Fraction, precision: int) -> None:
    with working_precision(precision):
        ball = arb(q.numerator) / arb(q.denominator)
        enclosure = enclosure_of(ball)
    assert q in enclosure
    assert enclosure.width <= abs(q) * Fraction(1, 2 ** (precision - 4))


def test_a_ball_without_finite_ends_is_incomplete() -> None:
    for ball in (arb.nan(), arb.pos_inf(), arb(0, arb.pos_inf())):
        with pytest.raises(IncompleteError):
            enclosure_of(ball)


def test_a_number_with_billions_of_digits_is_not_written_out() -> None:
    with pytest.raises(IncompleteError, match="too small to be written out"):
        enclosure_of((-(arb(10) ** 20)).exp())


def test_a_number_of_two_hundred_thousand_places_is_written_in_no_time() -> None:
    with working_precision(200):
        assert enclosure_of(arb(-500000).exp()).decimal(12) == "5.74180413989...e-217148"


def test_the_working_precision_is_restored_after_an_error() -> None:
    from flint import ctx

    before = ctx.prec
    with pytest.raises(RuntimeError), working_precision(77):
        raise RuntimeError
    assert ctx.prec == before
