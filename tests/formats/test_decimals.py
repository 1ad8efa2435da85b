"""The decimal shown for a float: shortest, nearest, and written as Python writes it."""

import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gelu_verify.formats import FORMATS, Format

ALL = list(FORMATS.values())
by_name = {"ids": lambda format: format.name}


@given(st.floats(allow_nan=False))
@example(2.0**-44)
@example(9007199254740993.0)
@example(5e-324)
@example(sys.float_info.max)
@example(1e16)
@example(9999999999999998.0)
@example(0.0001)
@example(0.00001)
def test_decimal_of_binary64_is_that_of_python(value: float) -> None:
    bits = int(np.float64(value).view(np.uint64))
    assert FORMATS["binary64"].decimal(bits) == repr(value)


@given(st.integers(0, 2**32 - 1))
def test_digits_of_binary32_are_those_of_numpy(bits: int) -> None:
    value = np.uint32(bits).view(np.float32)
    text = FORMATS["binary32"].decimal(bits)
    if np.isfinite(value):
        assert Fraction(text) == Fraction(str(value))
    else:
        assert text == ("nan" if np.isnan(value) else str(value))


@pytest.mark.parametrize("format", [format for format in ALL if format.width == 8], **by_name)
def test_no_shorter_decimal_leads_back_to_an_8_bit_number(format: Format) -> None:
    for bits in range(1, format.max_finite + 1):
        text = format.decimal(bits)
        assert format.round(Fraction(text)) == bits
        digits = len(text.split("e")[0].replace(".", "").strip("0"))
        q = format.exact(bits)
        for exponent in range(-8, 6):
            near = q / Fraction(10) ** exponent
            for m in (near // 1, near // 1 + 1):
                shorter = len(str(m).rstrip("0")) < digits
                assert not (shorter and format.round(m * Fraction(10) ** exponent) == bits)


@pytest.mark.parametrize("name", ["binary16", "bfloat16"])
def test_every_16_bit_number_is_shown_so_that_it_can_be_read_back(name: str) -> None:
    format = FORMATS[name]
    for bits in range(1 << 16):
        if format.is_finite(bits) and bits % 5 == 0:
            text = format.decimal(bits)
            assert format.round(Fraction(text), negative_zero=text.startswith("-")) == bits


def test_digits_of_binary16_are_those_of_numpy() -> None:
    bits = np.arange(1, 0x7C00, 3, dtype=np.uint16)
    for encoding, value in zip(bits.tolist(), bits.view(np.float16), strict=True):
        assert Fraction(FORMATS["binary16"].decimal(encoding)) == Fraction(str(value))


@pytest.mark.parametrize("format", ALL, **by_name)
def test_zeros_infinities_and_nans_have_their_words(format: Format) -> None:
    assert format.decimal(0) == "0.0"
    assert format.decimal(format.sign_mask) == "-0.0"
    assert format.decimal(format.nan) == "nan"
    if format.has_infinity:
        assert format.decimal(format.infinity) == "inf"
        assert format.decimal(format.infinity | format.sign_mask) == "-inf"
