"""Rounding a ball: the common rounding of all its points, or None."""

from fractions import Fraction

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.enclosures import working_precision
from gelu_verify.formats import FORMATS, Format

ALL = list(FORMATS.values())
by_name = {"ids": lambda format: format.name}


def dyadic(pair: tuple[flint.fmpz, flint.fmpz]) -> Fraction:
    mantissa, exponent = pair
    return int(mantissa) * Fraction(2) ** int(exponent)


def common_rounding(format: Format, ball: flint.arb) -> int | None:
    """Round both ends; a ball that reaches below zero and up to zero holds numbers of both signs."""
    middle, radius = dyadic(ball.mid().man_exp()), dyadic(ball.rad().man_exp())
    low, high = middle - radius, middle + radius
    if low < 0 <= high:
        return None
    a, b = format.round(low), format.round(high)
    return a if a == b else None


@st.composite
def balls(draw: st.DrawFn) -> tuple[Format, flint.arb]:
    """Draw a ball near a number of the format or near a tie, its radius from nothing to several ulps."""
    format = draw(st.sampled_from(ALL))
    magnitude = draw(st.integers(0, format.max_finite))
    spacing = format.ulp(format.exact(magnitude))
    middle = format.exact(magnitude) + draw(st.integers(-16, 16)) * spacing / 8
    exponent = spacing.numerator.bit_length() - spacing.denominator.bit_length()
    radius = (draw(st.integers(0, 40)), exponent - draw(st.sampled_from([0, 2, 3, 4, 5, 40, 900])))
    scale = middle.denominator.bit_length() - 1
    sign = draw(st.sampled_from([-1, 1]))
    return format, flint.arb((sign * middle.numerator, -scale), radius)


@given(balls(), st.sampled_from([2, 10, 53, 64, 1000]))
def test_a_ball_rounds_exactly_when_both_its_ends_round_alike(case: tuple[Format, flint.arb], precision: int) -> None:
    """At every working precision: Arb's own operations round to it, even a change of sign."""
    format, ball = case
    with working_precision(precision):
        rounded = format.round_ball(ball)
    assert rounded == common_rounding(format, ball)


@pytest.mark.parametrize("format", [format for format in ALL if format.width == 8], **by_name)
def test_every_ball_that_touches_or_crosses_a_boundary_of_an_8_bit_format(format: Format) -> None:
    seen = set()
    for magnitude in range(format.max_finite + 1):
        value, spacing = format.exact(magnitude), format.ulp(format.exact(magnitude))
        exponent = spacing.numerator.bit_length() - spacing.denominator.bit_length()
        for eighths in range(8):
            middle = value + eighths * spacing / 8
            scale = middle.denominator.bit_length() - 1
            for radius in range(6):
                for shift in (3, 5):
                    for sign in (1, -1):
                        ball = flint.arb((sign * middle.numerator, -scale), (radius, exponent - shift))
                        expected = common_rounding(format, ball)
                        assert format.round_ball(ball) == expected
                        seen.add(expected is None)
    assert seen == {True, False}


@pytest.mark.parametrize("format", ALL, **by_name)
def test_exponents_of_a_billion_cost_nothing(format: Format) -> None:
    huge = 10**9
    top, negative = format.overflow, format.sign_mask
    assert format.round_ball(flint.arb((3, huge))) == top
    assert format.round_ball(flint.arb((-3, huge), (1, huge))) == top | negative
    assert format.round_ball(flint.arb((3, huge), (1, -huge))) == top
    assert format.round_ball(flint.arb((1, -huge))) == 0
    assert format.round_ball(flint.arb((3, -huge), (1, -huge))) == 0
    assert format.round_ball(flint.arb((-3, -huge), (1, -huge))) == negative
    assert format.round_ball(flint.arb((-3, -huge), (3, -huge))) is None
    assert format.round_ball(flint.arb((1, 0), (1, huge))) is None
    assert format.round_ball(flint.arb((1, -huge), (1, huge))) is None
    assert format.round_ball(flint.arb((1, 0), (1, -huge))) == format.round(1)
    assert format.round_ball(flint.arb((1, huge), (1, huge))) is None


@pytest.mark.parametrize("format", ALL, **by_name)
def test_the_least_radius_decides_at_a_tie(format: Format) -> None:
    even = format.round(1)
    tie = (2**format.precision + 1, -format.precision)
    assert format.round_ball(flint.arb(tie)) == even
    assert format.round_ball(flint.arb(tie, (1, -(10**9)))) is None


@pytest.mark.parametrize("format", ALL, **by_name)
def test_zero_and_its_surroundings(format: Format) -> None:
    assert format.round_ball(flint.arb(0)) == 0
    assert format.round_ball(flint.arb(0, (1, -5000))) is None
    assert format.round_ball(flint.arb((1, -5000), (1, -5000))) == 0
    assert format.round_ball(flint.arb((-1, -5000), (1, -5000))) is None
    assert format.round_ball(flint.arb((-1, -5000), (1, -5001))) == format.sign_mask


@pytest.mark.parametrize(
    "ball", [flint.arb.nan(), flint.arb.pos_inf(), flint.arb.neg_inf(), flint.arb(0, flint.arb.pos_inf())]
)
def test_a_ball_that_is_not_finite_is_never_decided(ball: flint.arb) -> None:
    assert all(format.round_ball(ball) is None for format in ALL)


@pytest.mark.parametrize("precision", [2, 53, 1000])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_decision_does_not_depend_on_the_working_precision(precision: int, sign: int) -> None:
    binary64 = FORMATS["binary64"]
    across = flint.arb((sign * (2**53 + 1), -53), (1, -500))
    just_inside = flint.arb((sign * ((2**53 + 1) * 2**447 - 2), -500), (1, -500))
    with working_precision(precision):
        assert binary64.round_ball(across) is None
        assert binary64.round_ball(just_inside) == binary64.round(sign)
