"""Numbers as typed: exact when they are numbers, refused in one quick line when they are not."""

import subprocess
import sys
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS
from gelu_verify.formats.numbers import MAX_BINARY_EXPONENT, MAX_DECIMAL_EXPONENT, MAX_LENGTH, parse_number

ALL = list(FORMATS.values())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", Fraction(0)),
        ("7", Fraction(7)),
        ("+7.", Fraction(7)),
        (".5", Fraction(1, 2)),
        ("-0.5", Fraction(-1, 2)),
        ("1e-3", Fraction(1, 1000)),
        ("1.25E+2", Fraction(125)),
        ("0.1", Fraction(1, 10)),
        ("0010.50", Fraction(21, 2)),
        ("1e0000000000000000000002", Fraction(100)),
        ("1/3", Fraction(1, 3)),
        ("-22/7", Fraction(-22, 7)),
        ("0x1.8p+0", Fraction(3, 2)),
        ("-0X1.8P-1", Fraction(-3, 4)),
        ("0x.8p0", Fraction(1, 2)),
        ("0xffp-4", Fraction(255, 16)),
        ("0x1p-149", Fraction(1, 2**149)),
        ("0x3f800000@binary32", Fraction(1)),
        ("0xBf800000@float32", Fraction(-1)),
        ("0x3f80@bfloat16", Fraction(1)),
        ("0x7e@e4m3fn", Fraction(448)),
        ("0x1@binary64", Fraction(1, 2**1074)),
        ("1e1000", Fraction(10) ** 1000),
        ("0x1p-4000", Fraction(1, 2**4000)),
    ],
)
def test_number_is_taken_exactly(text: str, value: Fraction) -> None:
    parsed = parse_number(text)
    assert parsed.value == value
    assert parsed.negative == text.startswith("-") or value < 0
    assert not parsed.is_nan
    assert not parsed.is_infinite


@pytest.mark.parametrize("text", ["-0", "-0.0", "-.0e5", "-0/3", "-0x0p0", "0x80000000@binary32", "0x80@e5m2"])
def test_zero_keeps_its_sign(text: str) -> None:
    parsed = parse_number(text)
    assert parsed.value == 0
    assert parsed.negative
    assert all(parsed.to_bits(format) == format.sign_mask for format in ALL)
    assert not parse_number("0").negative


@pytest.mark.parametrize(
    ("text", "infinite", "negative"),
    [
        ("inf", True, False),
        ("+inf", True, False),
        ("-Infinity", True, True),
        ("nan", False, False),
        ("-NaN", False, True),
        ("0xff800000@binary32", True, True),
        ("0x7fc00000@binary32", False, False),
        ("0xff@e4m3fn", False, True),
    ],
)
def test_infinities_and_nans_are_read(text: str, infinite: bool, negative: bool) -> None:
    parsed = parse_number(text)
    assert parsed.value is None
    assert parsed.is_infinite == infinite
    assert parsed.is_nan != infinite
    assert parsed.negative == negative
    binary64 = FORMATS["binary64"]
    bits = parsed.to_bits(binary64)
    assert binary64.is_infinite(bits) == infinite
    assert binary64.is_nan(bits) != infinite
    assert binary64.sign(bits) == negative


def test_a_bit_pattern_keeps_its_bits_in_its_own_format_only() -> None:
    signalling = parse_number("0x7f800001@binary32")
    assert signalling.to_bits(FORMATS["binary32"]) == 0x7F800001
    assert signalling.to_bits(FORMATS["binary16"]) == 0x7E00
    third = parse_number("0x3eaaaaab@binary32")
    assert third.to_bits(FORMATS["binary16"]) == 0x3555


def test_infinity_has_no_place_in_e4m3fn() -> None:
    with pytest.raises(InputError, match=r"e4m3fn has no infinity"):
        parse_number("inf").to_bits(FORMATS["e4m3fn"])
    assert not parse_number("inf").is_exact_in(FORMATS["e4m3fn"])
    assert parse_number("inf").is_exact_in(FORMATS["e5m2"])


def test_exactness_in_a_format_is_told() -> None:
    assert not parse_number("0.1").is_exact_in(FORMATS["binary64"])
    assert parse_number("448").is_exact_in(FORMATS["e4m3fn"])
    assert not parse_number("464").is_exact_in(FORMATS["e4m3fn"])
    assert not parse_number("1e400").is_exact_in(FORMATS["binary64"])
    assert parse_number("0x1p-149").is_exact_in(FORMATS["binary32"])
    assert not parse_number("0x1p-150").is_exact_in(FORMATS["binary32"])
    assert parse_number("nan").is_exact_in(FORMATS["e4m3fn"])


@given(st.sampled_from(ALL), st.data())
def test_every_text_form_of_an_encoding_is_read_back_to_it(format: object, data: st.DataObject) -> None:
    assert isinstance(format, type(ALL[0]))
    bits = data.draw(st.integers(0, 2**format.width - 1))
    assert parse_number(f"{format.bits_text(bits)}@{format.name}").to_bits(format) == bits
    if not format.is_nan(bits):
        assert parse_number(format.hex(bits)).to_bits(format) == bits
        assert parse_number(format.decimal(bits)).to_bits(format) == bits


@given(st.fractions())
def test_fractions_are_read_exactly(q: Fraction) -> None:
    assert parse_number(f"{q.numerator}/{q.denominator}").value == q


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_decimals_are_read_exactly(number: object) -> None:
    text = str(number)
    if "E" not in text or abs(int(text.split("E")[1])) <= MAX_DECIMAL_EXPONENT:
        assert parse_number(text).value == Fraction(text)


def test_the_longest_number_of_binary64_written_out_in_full_is_read() -> None:
    exact = FORMATS["binary64"].exact(1)
    digits = str(exact.numerator * 10**1074 // exact.denominator)
    assert parse_number(f"-0.{digits.zfill(1074)}").value == -exact


HOSTILE = [
    "",
    " ",
    "+",
    "-",
    ".",
    "e5",
    ".e5",
    "1e",
    "1e+",
    "--1",
    "+-1",
    "- 1",
    " 1",
    "1 ",
    "1\n",
    "\t1",
    "1\u00a0",
    "1_000",
    "1,5",
    "1.5.2",
    "\u0661",
    "\uff11",
    "1\u0665",
    "\u22121",
    "\u00bd",
    "\u221e",
    "1e\u0665",
    "0x1\u0665p0",
    "1/0",
    "0/0",
    "1/-3",
    "1/3/5",
    "1.5/2",
    "1 / 3",
    "0x",
    "0xp0",
    "0x.p0",
    "0x10",
    "0x1.8",
    "0x1p",
    "0x1p0.5",
    "0x1_0p0",
    "0b101",
    "0o17",
    "1e5p3",
    "1j",
    "1f",
    "1e400000",
    "infinit",
    "in f",
    "nan0",
    "nan(0x1)",
    "snan",
    "None",
    "__import__('os')",
    "0x3f800000@",
    "0x3f800000@binary33",
    "-0x3f800000@binary32",
    "3f800000@binary32",
    "0x3f8000001@binary32",
    "0x100@e4m3fn",
    "0x@binary32",
    "0x1@binary32@binary32",
    "0x1@binary32\n",
    "1\x00",
    "1;2",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_not_a_number_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse_number(text)
    message = str(refusal.value)
    assert message.isascii()
    assert message.isprintable()
    assert len(message) < 300


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1e999999999", "1000"),
        ("1e-999999999", "1000"),
        ("1e1001", "1000"),
        ("1e-1001", "1000"),
        ("1e" + "9" * 1900, "1000"),
        ("0x1p4001", "4000"),
        ("0x1p-99999999999", "4000"),
        ("1" * 10**7, "2000"),
        ("1" * 2001, "2000"),
        ("0x" + "f" * 10**7 + "@binary64", "2000"),
        ("9" * 10**6 + "/" + "7" * 10**6, "2000"),
        ("\u0661" * 10**6, "2000"),
        ("0x1ff@e4m3fn", "8 bits"),
    ],
)
def test_a_limit_is_named_and_reached_at_once(text: str, says: str) -> None:
    start = time.process_time()
    with pytest.raises(InputError, match=says):
        parse_number(text)
    assert time.process_time() - start < 0.5


def test_numbers_at_the_limits_are_read() -> None:
    assert parse_number("1" * MAX_LENGTH).value == (10**MAX_LENGTH - 1) // 9
    assert parse_number(f"1e-{MAX_DECIMAL_EXPONENT}").value == Fraction(1, 10**MAX_DECIMAL_EXPONENT)
    assert parse_number(f"0x1p+{MAX_BINARY_EXPONENT}").value == 2**MAX_BINARY_EXPONENT


def test_a_lowered_digit_limit_of_the_interpreter_is_named() -> None:
    code = """
from gelu_verify.errors import InputError
from gelu_verify.formats.numbers import parse_number
print(parse_number("1" * 640).value == int("1" * 640))
try:
    parse_number("1" * 700)
except InputError as refusal:
    print(refusal)
"""
    done = subprocess.run(
        [sys.executable, "-X", "int_max_str_digits=640", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    accepted, refused = done.stdout.splitlines()
    assert accepted == "True"
    assert refused.endswith("700 digits; this Python reads at most 640")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("0x3f800000", "'0x3f800000@binary32' is a bit pattern, '0x3f800000p+0' a value"),
        ("1,5", "decimal mark is a point"),
        ("1 000", "space"),
        ("1\u00a0000", "space"),
        ("\u0661", "ASCII"),
        ("-0x3f800000@binary32", "no sign in front"),
        ("0x1@binray32", "did you mean 'binary32'"),
        ("1/0", "divides by zero"),
        ("gelu", "write a decimal"),
    ],
)
def test_the_message_says_what_would_be_right(text: str, hint: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse_number(text)
    assert hint in str(refusal.value)


@given(st.text(max_size=30) | st.text("0123456789abcdefxXpPeE+-./@_ naif", max_size=20))
def test_any_text_is_either_read_or_refused_in_one_line(text: str) -> None:
    try:
        parsed = parse_number(text)
    except InputError as refusal:
        assert str(refusal).isprintable()
    else:
        assert text.isascii()
        assert (parsed.value is None) == (parsed.is_nan or parsed.is_infinite)
