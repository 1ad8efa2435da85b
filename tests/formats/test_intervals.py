"""The numbers in an interval are those that a search through all of them finds there."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS, Format
from gelu_verify.formats.intervals import BEYOND, finite_ends

NARROW = [FORMATS[name] for name in ("e4m3fn", "e5m2")]


def by_search(format: Format, lower: Fraction, upper: Fraction) -> list[int]:
    finite = [bits for bits in range(1 << format.width) if format.is_finite(bits)]
    return sorted((bits for bits in finite if lower <= format.exact(bits) <= upper), key=format.ordinal)


@st.composite
def ends(draw: st.DrawFn, format: Format) -> Fraction:
    """An end on a number of the format, just beside one, or past all of them."""
    at = draw(st.sampled_from([bits for bits in range(1 << format.width) if format.is_finite(bits)]))
    beside = draw(st.sampled_from([Fraction(0), Fraction(1, 10**9), Fraction(-1, 10**9)]))
    return draw(st.sampled_from([format.exact(at) * (1 + beside) + beside**3, Fraction(10) ** 9, -BEYOND, BEYOND]))


@pytest.mark.parametrize("format", NARROW, ids=lambda format: format.name)
@given(st.data())
def test_the_ends_are_those_that_a_search_finds(format: Format, data: st.DataObject):
    lower, upper = (data.draw(ends(format)) for _ in range(2))
    inside = by_search(format, lower, upper)
    if inside:
        assert finite_ends(format, lower, upper) == (inside[0], inside[-1])
    else:
        with pytest.raises(InputError, match="no finite number"):
            finite_ends(format, lower, upper)


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_an_interval_past_the_largest_number_has_none_and_the_whole_line_has_all(format: Format):
    largest = format.exact(format.max_finite)
    for lower, upper in ((largest * 2, BEYOND), (-BEYOND, -largest * 2), (Fraction(1), Fraction(0))):
        with pytest.raises(InputError, match="no finite number"):
            finite_ends(format, lower, upper)
    assert finite_ends(format, -BEYOND, BEYOND) == (format.max_finite | format.sign_mask, format.max_finite)


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_zero_stands_for_both_zeros_at_either_end(format: Format):
    one = format.round(1)
    assert finite_ends(format, Fraction(0), Fraction(1)) == (format.sign_mask, one)
    assert finite_ends(format, Fraction(-1), Fraction(0)) == (one | format.sign_mask, 0)
    assert finite_ends(format, Fraction(0), Fraction(0)) == (format.sign_mask, 0)
