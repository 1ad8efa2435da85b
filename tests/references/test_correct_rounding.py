"""Correct rounding into every format: ties, subnormals, zeros with their signs, and the thresholds that are known."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.catalogue import get_function, parse
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import FORMATS
from gelu_verify.references import rounded, rounded_value, value

GELU = get_function("gelu")
binary32, binary64 = FORMATS["binary32"], FORMATS["binary64"]


def test_gelu_of_the_smallest_subnormal_rounds_up_to_itself() -> None:
    assert rounded(GELU, 0x00000001, binary32) == 0x00000001


def test_gelu_of_the_negated_smallest_subnormal_rounds_to_minus_zero() -> None:
    assert rounded(GELU, 0x80000001, binary32) == 0x80000000


@pytest.mark.parametrize("format", FORMATS.values(), ids=str)
def test_half_an_odd_subnormal_is_a_tie_that_the_square_decides_upward(format: object) -> None:
    for odd in (1, 3, 7):
        assert rounded(GELU, odd, format) == (odd + 1) // 2
        assert rounded(GELU, format.sign_mask | odd, format) == format.sign_mask | (odd // 2)


@pytest.mark.parametrize(
    ("format", "identity", "last_nonzero"),
    [("binary32", 0x40AB1ED9, 0xC165B274), ("binary16", 0x42E5, 0xC5B9), ("bfloat16", 0x4032, 0xC158)],
)
def test_the_thresholds_of_gelu_are_where_they_are_known_to_be(format: str, identity: int, last_nonzero: int) -> None:
    f = FORMATS[format]
    assert rounded(GELU, identity, f) == identity
    assert rounded(GELU, identity - 1, f) != identity - 1
    assert rounded(GELU, last_nonzero, f) == f.sign_mask | 1
    assert rounded(GELU, last_nonzero + 1, f) == f.sign_mask


@given(st.integers(0, 2**32 - 1), st.sampled_from(["gelu", "gelu_tanh", "gelu_sigmoid", "silu", "mish", "Phi"]))
def test_no_neighbour_is_nearer_to_the_exact_value(bits: int, name: str) -> None:
    if not binary32.is_finite(bits):
        return
    function = get_function(name)
    x = binary32.exact(bits)
    result = rounded(function, bits, binary32)
    if abs(x) > 10**4 or not binary32.is_finite(result) or result & 0x7FFFFFFF == 0:
        return
    y = value(function, x, digits=80)
    error = abs(binary32.exact(result) - y.midpoint)
    for neighbour in (binary32.next_up(result), binary32.next_down(result)):
        if binary32.is_finite(neighbour):
            assert error <= abs(binary32.exact(neighbour) - y.midpoint)


def test_binary32_results_are_those_of_a_double_computation_wherever_that_is_decided() -> None:
    special = pytest.importorskip("scipy.special")
    x = np.linspace(-5, 5, 401, dtype=np.float32)
    doubled = x.astype(np.float64)
    approximate = doubled * special.ndtr(doubled)
    for input_bits, guess in zip(x.view(np.uint32), approximate, strict=True):
        result = binary32.exact(rounded(GELU, int(input_bits), binary32))
        assert abs(result - Fraction(float(guess))) <= binary32.ulp(result) * Fraction(50000001, 10**8)


@pytest.mark.parametrize(
    ("written", "at_plus_zero", "at_minus_zero"),
    [
        ("gelu(x)", "0x0", "0x80000000"),
        ("-x", "0x80000000", "0x0"),
        ("x*x", "0x0", "0x0"),
        ("-x*x", "0x80000000", "0x80000000"),
        ("relu(x)", "0x0", "0x0"),
        ("abs(x)", "0x0", "0x0"),
        ("elu(x)", "0x0", "0x80000000"),
        ("erfc(x)", "0x3f800000", "0x3f800000"),
        ("x - x", "0x0", "0x0"),
    ],
)
def test_a_zero_at_zero_has_the_sign_of_the_function_on_that_side(
    written: str, at_plus_zero: str, at_minus_zero: str
) -> None:
    assert hex(rounded(parse(written), 0x00000000, binary32)) == at_plus_zero
    assert hex(rounded(parse(written), 0x80000000, binary32)) == at_minus_zero


def test_a_derivative_that_vanishes_at_zero_has_a_signed_zero_too() -> None:
    # G''' = x (x^2 - 4) phi: positive left of zero, negative right of it
    assert rounded(GELU, 0x00000000, binary32, derivative=3) == 0x80000000
    assert rounded(GELU, 0x80000000, binary32, derivative=3) == 0x00000000


def test_exact_ties_go_to_even() -> None:
    assert rounded(parse("x/2"), 0x00000001, binary32) == 0x00000000
    assert rounded(parse("x/2"), 0x00000003, binary32) == 0x00000002
    assert rounded(parse("0.3*x"), 10, binary64) == 3
    assert rounded_value(parse("0.3*x"), Fraction(10, 2**1075), binary64) == 2


def test_values_beyond_the_range_overflow_as_the_format_does() -> None:
    for name, format in FORMATS.items():
        result = rounded_value(parse("exp(x)"), Fraction(10**4), format)
        assert result == format.infinity if format.has_infinity else format.is_nan(result), name


@pytest.mark.parametrize(
    ("written", "derivative", "at_minus_infinity", "at_infinity"),
    [
        ("gelu(x)", 0, "0x80000000", "0x7f800000"),
        ("gelu(x)", 1, "0x80000000", "0x3f800000"),
        ("gelu(x)", 2, "0x80000000", "0x80000000"),
        ("gelu_tanh(x)", 0, "0x80000000", "0x7f800000"),
        ("relu(x)", 0, "0x0", "0x7f800000"),
        ("elu(x)", 0, "0xbf800000", "0x7f800000"),
        ("Phi(x)", 0, "0x0", "0x3f800000"),
        ("erfc(x)", 0, "0x40000000", "0x0"),
        ("-exp(x)", 0, "0x80000000", "0xff800000"),
    ],
)
def test_at_the_infinities_the_result_is_the_limit_with_the_sign_of_its_side(
    written: str, derivative: int, at_minus_infinity: str, at_infinity: str
) -> None:
    assert hex(rounded(parse(written), 0xFF800000, binary32, derivative)) == at_minus_infinity
    assert hex(rounded(parse(written), 0x7F800000, binary32, derivative)) == at_infinity


def test_nan_gives_nan() -> None:
    assert rounded(GELU, 0xFFC00001, binary32) == binary32.nan


def test_a_huge_argument_is_rounded_without_writing_the_result_out() -> None:
    assert rounded(GELU, binary64.round(Fraction(-(10**300))), binary64) == binary64.sign_mask
    assert rounded(GELU, binary64.round(Fraction(10**300)), binary64) == binary64.round(Fraction(10**300))


def test_what_has_no_value_or_cannot_be_decided_is_said_so() -> None:
    with pytest.raises(InputError, match="has no value at x = 0"):
        rounded(parse("1/x"), 0, binary32)
    with pytest.raises(IncompleteError, match="could not be told from a rounding boundary"):
        rounded(parse("1 + erf(x) - erf(x) + 1/16777216"), 0x3F800000, binary32)
