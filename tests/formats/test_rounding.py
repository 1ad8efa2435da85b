"""The integer arithmetic under every rounding, against Python's own on rationals."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.formats.rounding import dyadic, floor_log2, nearest_multiple

positive = st.fractions(min_value=Fraction(1, 10**30)).filter(lambda q: q > 0)


@given(positive, st.integers(-200, 200))
def test_floor_log2_names_the_binade(q: Fraction, shift: int) -> None:
    scaled = q * Fraction(2) ** shift
    exponent = floor_log2(scaled)
    assert Fraction(2) ** exponent <= scaled < Fraction(2) ** (exponent + 1)


@pytest.mark.parametrize("exponent", [-1100, -2, -1, 0, 1, 2, 1100])
def test_floor_log2_changes_exactly_at_powers_of_two(exponent: int) -> None:
    power = Fraction(2) ** exponent
    assert floor_log2(power) == exponent
    assert floor_log2(power * (1 + Fraction(1, 10**40))) == exponent
    assert floor_log2(power * (1 - Fraction(1, 10**40))) == exponent - 1


@pytest.mark.parametrize("denominator", range(1, 13))
def test_small_quotients_round_to_nearest_even_as_in_python(denominator: int) -> None:
    for numerator in range(6 * denominator):
        for exponent in (-2, -1, 0, 1, 2):
            q = Fraction(numerator, denominator)
            assert nearest_multiple(q, exponent) == round(q / Fraction(2) ** exponent)


@given(positive, st.integers(-100, 100))
def test_quotients_round_to_nearest_even_as_in_python(q: Fraction, exponent: int) -> None:
    assert nearest_multiple(q, exponent) == round(q / Fraction(2) ** exponent)


@given(st.integers(), st.integers(-100, 100))
def test_dyadic_numbers_are_exact(mantissa: int, exponent: int) -> None:
    assert dyadic(mantissa, exponent) == mantissa * Fraction(2) ** exponent
