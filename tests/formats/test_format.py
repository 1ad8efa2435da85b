"""The scalar laws of every format: encodings, exact values, rounding, ulp, neighbours and ordinals."""

import math
import random
import struct
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS, Format, get_format

ALL = list(FORMATS.values())
SMALL = [format for format in ALL if format.width <= 16]
any_format = st.sampled_from(ALL)
by_name = {"ids": lambda format: format.name}


@st.composite
def encodings(draw: st.DrawFn) -> tuple[Format, int]:
    """Draw a format and an encoding of it, often near the ends of binades."""
    format = draw(any_format)
    bits = st.integers(0, (1 << format.width) - 1)
    edges = st.builds(
        lambda field, step, sign: ((field << format.fraction_bits) + step) % format.sign_mask | sign,
        st.integers(0, (1 << (format.width - format.precision)) - 1),
        st.integers(-2, 2),
        st.sampled_from([0, format.sign_mask]),
    )
    return format, draw(bits | edges)


@st.composite
def rationals(draw: st.DrawFn) -> tuple[Format, Fraction]:
    """Draw a format and a rational: anywhere in its range and somewhat beyond, or at and beside a tie."""
    format = draw(any_format)
    if draw(st.booleans()):
        magnitude = draw(st.integers(0, format.max_finite))
        half = (value_by_fields(format, magnitude) + value_by_fields(format, magnitude + 1)) / 2
        q = half * (1 + draw(st.sampled_from([-1, 0, 1])) * Fraction(1, 2**300))
    else:
        exponent = draw(st.integers(format.emin - format.precision - 2, format.emax + 3))
        q = Fraction(draw(st.integers(1, 2**90)), draw(st.integers(2**80, 2**90))) * Fraction(2) ** exponent
    return format, draw(st.sampled_from([-1, 1])) * q


def value_by_fields(format: Format, magnitude: int) -> Fraction:
    """Decode a magnitude as the standards write it, from the fields; also the first one beyond the finite numbers."""
    field, fraction = divmod(magnitude, 2**format.fraction_bits)
    if field == 0:
        return Fraction(fraction) * Fraction(2) ** (format.emin - format.fraction_bits)
    return (1 + Fraction(fraction, 2**format.fraction_bits)) * Fraction(2) ** (field - 1 + format.emin)


def finite(format: Format) -> list[int]:
    return [bits for bits in range(1 << format.width) if format.is_finite(bits)]


@pytest.mark.parametrize(
    ("name", "largest", "normal", "subnormal", "infinity", "nan"),
    [
        ("binary16", Fraction(65504), Fraction(1, 2**14), Fraction(1, 2**24), 0x7C00, 0x7E00),
        ("bfloat16", (2 - Fraction(1, 2**7)) * 2**127, Fraction(1, 2**126), Fraction(1, 2**133), 0x7F80, 0x7FC0),
        (
            "binary32",
            (2 - Fraction(1, 2**23)) * 2**127,
            Fraction(1, 2**126),
            Fraction(1, 2**149),
            0x7F800000,
            0x7FC00000,
        ),
        (
            "binary64",
            (2 - Fraction(1, 2**52)) * 2**1023,
            Fraction(1, 2**1022),
            Fraction(1, 2**1074),
            0x7FF0000000000000,
            0x7FF8000000000000,
        ),
        ("e4m3fn", Fraction(448), Fraction(1, 2**6), Fraction(1, 2**9), None, 0x7F),
        ("e5m2", Fraction(57344), Fraction(1, 2**14), Fraction(1, 2**16), 0x7C, 0x7E),
    ],
)
def test_constants_are_those_of_the_standards(
    name: str, largest: Fraction, normal: Fraction, subnormal: Fraction, infinity: int | None, nan: int
) -> None:
    format = get_format(name)
    assert format.exact(format.max_finite) == largest
    assert format.exact(format.min_normal) == normal
    assert format.exact(format.min_subnormal) == subnormal == format.ulp(0)
    assert format.nan == nan
    assert format.is_nan(nan)
    if infinity is None:
        with pytest.raises(InputError, match=r"no infinity"):
            _ = format.infinity
    else:
        assert format.infinity == infinity
        assert format.is_infinite(infinity)


@given(encodings())
def test_exact_value_is_that_of_the_fields(case: tuple[Format, int]) -> None:
    format, bits = case
    if format.is_finite(bits):
        value = value_by_fields(format, bits % format.sign_mask)
        assert format.exact(bits) == (-value if format.sign(bits) else value)


@pytest.mark.parametrize("format", SMALL, **by_name)
def test_every_finite_number_rounds_to_itself(format: Format) -> None:
    for bits in finite(format):
        assert format.round(format.exact(bits), negative_zero=bits == format.sign_mask) == bits


@given(encodings())
def test_finite_numbers_round_to_themselves(case: tuple[Format, int]) -> None:
    format, bits = case
    if format.is_finite(bits):
        assert format.round(format.exact(bits), negative_zero=bits == format.sign_mask) == bits


@pytest.mark.parametrize("format", SMALL, **by_name)
def test_every_encoding_is_of_exactly_one_class(format: Format) -> None:
    counts = [0, 0, 0]
    for bits in range(1 << format.width):
        classes = [format.is_finite(bits), format.is_infinite(bits), format.is_nan(bits)]
        assert sum(classes) == 1
        counts[classes.index(True)] += 1
    fractions = 2**format.fraction_bits
    if format.has_infinity:
        assert counts == [2**format.width - 2 * fractions, 2, 2 * fractions - 2]
    else:
        assert counts == [2**format.width - 2, 0, 2]


@pytest.mark.parametrize("format", SMALL, **by_name)
def test_all_ties_go_to_the_even_neighbour_and_their_surroundings_to_the_nearer_one(format: Format) -> None:
    hair = Fraction(1, 2**400)
    for magnitude in range(format.max_finite + 1):
        tie = (value_by_fields(format, magnitude) + value_by_fields(format, magnitude + 1)) / 2
        even = magnitude + magnitude % 2
        for sign, bit in ((1, 0), (-1, format.sign_mask)):
            assert format.round(sign * tie) == even | bit
            assert format.round(sign * (tie - hair)) == magnitude | bit
            assert format.round(sign * (tie + hair)) == magnitude + 1 | bit


@pytest.mark.parametrize("format", [FORMATS["binary32"], FORMATS["binary64"]], **by_name)
def test_overflow_begins_half_an_ulp_beyond_the_largest_number(format: Format) -> None:
    largest = format.exact(format.max_finite)
    threshold = largest + format.ulp(largest) / 2
    assert format.round(threshold) == format.infinity
    assert format.round(threshold - Fraction(1, 2**2000)) == format.max_finite
    assert format.round(-threshold) == format.infinity | format.sign_mask


def test_e4m3fn_rounds_464_to_448_and_whatever_is_larger_to_a_nan_with_its_sign() -> None:
    e4m3fn = FORMATS["e4m3fn"]
    assert e4m3fn.round(464) == e4m3fn.max_finite == 0x7E
    assert e4m3fn.round(464 + Fraction(1, 10**30)) == 0x7F
    assert e4m3fn.round(-(10**9)) == 0xFF


@given(rationals())
def test_error_of_rounding_is_at_most_half_an_ulp(case: tuple[Format, Fraction]) -> None:
    format, q = case
    bits = format.round(q)
    if format.is_finite(bits):
        assert abs(format.exact(bits) - q) <= format.ulp(q) / 2
    else:
        assert abs(q) > format.exact(format.max_finite)


@given(rationals())
def test_rounding_is_idempotent(case: tuple[Format, Fraction]) -> None:
    format, q = case
    bits = format.round(q)
    if format.is_finite(bits):
        assert format.round(format.exact(bits), negative_zero=q < 0) == bits


@given(rationals(), st.fractions())
def test_rounding_is_monotone(case: tuple[Format, Fraction], step: Fraction) -> None:
    format, q = case
    low, high = sorted((q, q + step * format.ulp(q)))
    a, b = format.round(low), format.round(high)
    if not format.is_nan(a) and not format.is_nan(b):
        assert format.ordinal(a) <= format.ordinal(b)


@given(rationals())
def test_rounding_is_odd(case: tuple[Format, Fraction]) -> None:
    format, q = case
    if q:
        assert format.round(-q) == format.round(q) ^ format.sign_mask


@pytest.mark.parametrize("format", ALL, **by_name)
def test_sign_of_a_zero_result_follows_the_number_and_of_zero_itself_the_argument(format: Format) -> None:
    tiny = Fraction(1, 2**2000)
    assert format.round(tiny, negative_zero=True) == 0
    assert format.round(-tiny) == format.sign_mask
    assert format.round(0) == 0
    assert format.round(0, negative_zero=True) == format.sign_mask
    half = format.exact(format.min_subnormal) / 2
    assert format.round(half) == 0
    assert format.round(half + tiny) == format.min_subnormal


@given(rationals())
def test_ulp_is_the_power_of_two_of_its_definition(case: tuple[Format, Fraction]) -> None:
    format, q = case
    if not q:
        return
    exponent = math.floor(math.log2(abs(q).numerator) - math.log2(abs(q).denominator))
    while Fraction(2) ** exponent > abs(q):
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= abs(q):
        exponent += 1
    assert format.ulp(q) == Fraction(2) ** (max(exponent, format.emin) - format.precision + 1)


@pytest.mark.parametrize("format", ALL, **by_name)
def test_ulp_changes_at_powers_of_two_and_goes_on_beyond_the_largest_number(format: Format) -> None:
    assert format.ulp(1) == Fraction(1, 2**format.fraction_bits)
    assert format.ulp(1 - Fraction(1, 2**100)) == format.ulp(1) / 2
    assert format.ulp(Fraction(2) ** (format.emax + 5)) == Fraction(2) ** (format.emax + 5 - format.fraction_bits)
    assert format.ulp(Fraction(1, 2**3000)) == format.ulp(0) == format.exact(format.min_subnormal)


@pytest.mark.parametrize("format", SMALL, **by_name)
def test_ordinals_are_contiguous_and_monotone_and_neighbours_are_one_apart(format: Format) -> None:
    ordered = [bits for bits in range(1 << format.width) if not format.is_nan(bits)]
    ordered.sort(key=format.ordinal)
    first = format.ordinal(ordered[0])
    assert [format.ordinal(bits) for bits in ordered] == list(range(first, -first))
    assert [format.from_ordinal(first + i) for i in range(len(ordered))] == ordered
    values = [format.exact(bits) for bits in ordered if format.is_finite(bits)]
    zeros = [bits for bits in ordered if format.is_finite(bits) and format.exact(bits) == 0]
    assert zeros == [format.sign_mask, 0]
    assert all(a < b or a == b == 0 for a, b in pairwise(values))
    for bits, above in pairwise(ordered):
        assert format.next_up(bits) == (above if bits != format.sign_mask else format.min_subnormal)
        assert format.next_down(above) == (bits if above != 0 else format.sign_mask | 1)


@given(encodings())
def test_next_down_undoes_next_up(case: tuple[Format, int]) -> None:
    format, bits = case
    if format.is_nan(bits):
        assert format.next_up(bits) == format.next_down(bits) == bits
        return
    up = format.next_up(bits)
    if up == bits:
        assert bits == (format.infinity if format.has_infinity else format.max_finite)
    else:
        assert format.next_down(up) == (bits if bits != format.sign_mask else 0)


@pytest.mark.parametrize("format", ALL, **by_name)
def test_neighbours_at_the_ends_and_at_zero_are_those_of_ieee_754(format: Format) -> None:
    one, negative = format.min_subnormal, format.sign_mask
    assert format.next_up(0) == format.next_up(negative) == one
    assert format.next_down(0) == format.next_down(negative) == negative | one
    assert format.next_up(negative | one) == negative
    assert format.next_down(one) == 0
    top = format.infinity if format.has_infinity else format.max_finite
    assert format.next_up(top) == top
    assert format.next_down(top | negative) == top | negative
    assert format.next_down(top) == top - 1
    assert format.next_up(top | negative) == (top - 1) | negative


def test_binary32_and_binary64_agree_with_the_struct_module() -> None:
    random_bits = random.Random(20240229)
    for name, code in (("binary16", "<e"), ("binary32", "<f"), ("binary64", "<d")):
        format = FORMATS[name]
        for _ in range(3000):
            bits = random_bits.getrandbits(format.width)
            value = struct.unpack(code, bits.to_bytes(format.width // 8, "little"))[0]
            assert math.isnan(value) == format.is_nan(bits)
            assert math.isinf(value) == format.is_infinite(bits)
            if format.is_finite(bits):
                assert format.exact(bits) == Fraction(value)
                assert float.fromhex(format.hex(bits)) == value
                assert struct.pack(code, value) == bits.to_bytes(format.width // 8, "little")
            elif format.is_infinite(bits):
                assert float.fromhex(format.hex(bits)) == value


def test_rounding_to_binary32_and_binary16_agrees_with_the_struct_module_on_doubles() -> None:
    source = random.Random(7)
    for name, code in (("binary32", "<f"), ("binary16", "<e")):
        format = FORMATS[name]
        for _ in range(5000):
            bits = format.round(
                Fraction(source.uniform(-1, 1)) * Fraction(2) ** source.randint(format.emin - 30, format.emax)
            )
            value = float(format.exact(bits))
            nudged = value * (1 + source.uniform(-1, 1) * 2.0**-format.precision)
            if abs(nudged) < float(format.exact(format.max_finite)):
                expected = int.from_bytes(struct.pack(code, nudged), "little")
                assert format.round(Fraction(nudged), negative_zero=math.copysign(1, nudged) < 0) == expected


def test_fraction_division_to_double_agrees_with_rounding_to_binary64() -> None:
    source = random.Random(11)
    for _ in range(3000):
        q = Fraction(source.getrandbits(120) + 1, source.getrandbits(120) + 1) * Fraction(2) ** source.randint(
            -1200, 900
        )
        if q < Fraction(2) ** 1023:
            expected = int.from_bytes(struct.pack("<d", q.numerator / q.denominator), "little")
            assert FORMATS["binary64"].round(q) == expected


@pytest.mark.parametrize("format", ALL, **by_name)
def test_what_does_not_fit_is_refused(format: Format) -> None:
    for bits in (-1, 1 << format.width):
        for method in (
            format.exact,
            format.is_nan,
            format.is_finite,
            format.sign,
            format.next_up,
            format.ordinal,
            format.hex,
        ):
            with pytest.raises(InputError, match=r"not an encoding"):
                method(bits)
    top = format.ordinal(format.infinity if format.has_infinity else format.max_finite)
    assert format.from_ordinal(top) == top
    for ordinal in (top + 1, -2 - top):
        with pytest.raises(InputError, match=r"no ordinal"):
            format.from_ordinal(ordinal)
    for bits in (format.nan, format.sign_mask | format.nan):
        with pytest.raises(InputError):
            format.exact(bits)
        with pytest.raises(InputError):
            format.ordinal(bits)


def test_names_of_frameworks_find_the_format_and_a_misspelt_one_gets_a_hint() -> None:
    assert get_format("float32") is FORMATS["binary32"]
    assert get_format("bf16") is FORMATS["bfloat16"]
    with pytest.raises(InputError, match=r"did you mean 'binary32'"):
        get_format("binray32")
    with pytest.raises(InputError, match=r"the formats are binary16, bfloat16, binary32"):
        get_format("posit")


def test_text_forms_show_full_width_bits_and_normalised_values() -> None:
    e4m3fn, binary64 = FORMATS["e4m3fn"], FORMATS["binary64"]
    assert e4m3fn.bits_text(1) == "0x01"
    assert binary64.bits_text(1) == "0x0000000000000001"
    assert e4m3fn.hex(0x7E) == "0x1.cp+8"
    assert e4m3fn.hex(0xFF) == "nan"
    assert binary64.hex(1) == "0x1p-1074"
    assert binary64.hex(0x3FF0000000000001) == "0x1.0000000000001p+0"
    for bits in finite(e4m3fn):
        assert Fraction(float.fromhex(e4m3fn.hex(bits))) == e4m3fn.exact(bits)
