"""Numbers as people type them: decimals, fractions, hexadecimal floats, bit patterns, infinities and NaN.

Every number is taken exactly; nothing passes through a float. What is not plainly one of these forms is refused, and
so is what could not be held in a moment: the limits below leave room for every number of every format written out in
full.
"""

import re
import sys
from dataclasses import dataclass
from fractions import Fraction

from gelu_verify.errors import InputError
from gelu_verify.formats import get_format
from gelu_verify.formats.format import Format
from gelu_verify.formats.rounding import dyadic

MAX_LENGTH = 2000  # characters; the least subnormal of binary64 takes 1076 in positional decimal
MAX_DECIMAL_EXPONENT = 1000
MAX_BINARY_EXPONENT = 4000

_DECIMAL = re.compile(r"(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?:[eE](?P<exponent>[+-]?[0-9]+))?")
_FRACTION = re.compile(r"(?P<numerator>[0-9]+)/(?P<denominator>[0-9]+)")
_HEX_FLOAT = re.compile(r"0[xX](?P<whole>[0-9a-fA-F]*)(?:\.(?P<part>[0-9a-fA-F]*))?[pP](?P<exponent>[+-]?[0-9]+)")
_PATTERN = re.compile(r"0[xX](?P<digits>[0-9a-fA-F]+)@(?P<format>[A-Za-z0-9_]+)")
_FORMS = (
    "a decimal (-0.5, 1e-3), a fraction (1/3), a hex float (0x1.8p+0), bits (0x3f800000@binary32), inf, -inf or nan"
)


@dataclass(frozen=True, slots=True)
class ParsedInput:
    """A number that somebody typed: exact, or an infinity, or NaN.

    `value` is None for infinities and NaN. `negative` is the sign, also of zeros, infinities and NaN.
    `format` and `bits` are set only if a bit pattern was typed.
    """

    text: str
    value: Fraction | None
    negative: bool
    is_nan: bool = False
    format: Format | None = None
    bits: int | None = None

    @property
    def is_infinite(self) -> bool:
        """Whether it is one of the two infinities."""
        return self.value is None and not self.is_nan

    def to_bits(self, format: Format) -> int:
        """Return the bits in a format: the pattern as typed if it is of that format, else correctly rounded.

        Raises InputError for an infinity in a format that has none.

        >>> from gelu_verify.formats import FORMATS
        >>> hex(parse_number("-0").to_bits(FORMATS["binary32"])), hex(parse_number("1/3").to_bits(FORMATS["binary16"]))
        ('0x80000000', '0x3555')
        """
        if self.format == format and self.bits is not None:
            return self.bits
        if self.value is not None:
            return format.round(self.value, negative_zero=self.negative)
        magnitude = format.nan if self.is_nan else format.infinity
        return magnitude | format.sign_mask if self.negative else magnitude

    def is_exact_in(self, format: Format) -> bool:
        """Tell whether the format holds exactly this number (or this infinity, or a NaN).

        >>> from gelu_verify.formats import FORMATS
        >>> [parse_number("0.1").is_exact_in(FORMATS["binary64"]), parse_number("0.5").is_exact_in(FORMATS["e5m2"])]
        [False, True]
        """
        if self.value is None:
            return self.is_nan or format.has_infinity
        bits = format.round(self.value)
        return format.is_finite(bits) and format.exact(bits) == self.value


def parse_number(text: str) -> ParsedInput:
    """Read a number as a person types it, exactly.

    Raises InputError, quickly and in one line, when the text is none of the forms or is beyond a limit.

    >>> parse_number("-1e-3").value, parse_number("0x1.8p-1").value, parse_number("2/6").value
    (Fraction(-1, 1000), Fraction(3, 4), Fraction(1, 3))
    >>> parse_number("0xc0000000@binary32").value, parse_number("-0").negative, parse_number("-inf").is_infinite
    (Fraction(-2, 1), True, True)
    """
    if len(text) > MAX_LENGTH:
        raise InputError(f"a number of {len(text)} characters is too long; at most {MAX_LENGTH} are read")
    pattern = _PATTERN.fullmatch(text)
    if pattern:
        return _from_pattern(text, pattern["digits"], get_format(pattern["format"]))
    negative = text.startswith("-")
    body = text[1:] if text[:1] in ("+", "-") else text
    if body.lower() in ("inf", "infinity"):
        return ParsedInput(text, None, negative)
    if body.lower() == "nan":
        return ParsedInput(text, None, negative, is_nan=True)
    size = _decimal(text, body)
    if size is None:
        size = _fraction(text, body)
    if size is None:
        size = _hex_float(text, body)
    if size is None:
        raise InputError(f"{_shown(text)} is not a number{_hint(body)}; write {_FORMS}")
    return ParsedInput(text, -size if negative else size, negative)


def _from_pattern(text: str, digits: str, format: Format) -> ParsedInput:
    bits = int(digits, 16)
    if bits >> format.width:
        raise InputError(
            f"{_shown(text)} has more than the {format.width} bits of {format.name}; "
            f"its patterns have {format.width // 4} hexadecimal digits"
        )
    value = format.exact(bits) if format.is_finite(bits) else None
    return ParsedInput(text, value, format.sign(bits) == 1, format.is_nan(bits), format, bits)


def _decimal(text: str, body: str) -> Fraction | None:
    match = _DECIMAL.fullmatch(body)
    if not match or not (match["whole"] or match["part"]):
        return None
    part = match["part"] or ""
    exponent = _exponent(text, match["exponent"], MAX_DECIMAL_EXPONENT)
    return _integer(text, match["whole"] + part) * Fraction(10) ** (exponent - len(part))


def _fraction(text: str, body: str) -> Fraction | None:
    match = _FRACTION.fullmatch(body)
    if not match:
        return None
    denominator = _integer(text, match["denominator"])
    if denominator == 0:
        raise InputError(f"{_shown(text)} divides by zero; write inf or -inf for an infinity")
    return Fraction(_integer(text, match["numerator"]), denominator)


def _hex_float(text: str, body: str) -> Fraction | None:
    match = _HEX_FLOAT.fullmatch(body)
    if not match or not (match["whole"] or match["part"]):
        return None
    part = match["part"] or ""
    exponent = _exponent(text, match["exponent"], MAX_BINARY_EXPONENT)
    return dyadic(int(match["whole"] + part, 16), exponent - 4 * len(part))


def _exponent(text: str, digits: str | None, limit: int) -> int:
    """Read an exponent, judged by its length before its value: an integer of a million digits is never built."""
    if digits is None:
        return 0
    size = digits.lstrip("+-").lstrip("0") or "0"
    if len(size) > len(str(limit)) or int(size) > limit:
        raise InputError(f"the exponent of {_shown(text)} is too large; at most {limit} in either direction is read")
    return -int(size) if digits.startswith("-") else int(size)


def _integer(text: str, digits: str) -> int:
    """Read decimal digits. Python's own limit (4300 unless somebody lowered it) is looked up, not run into."""
    limit = sys.get_int_max_str_digits()
    if limit and len(digits) > limit:
        raise InputError(f"{_shown(text)} has {len(digits)} digits; this Python reads at most {limit}")
    return int(digits)


def _hint(body: str) -> str:
    if re.fullmatch(r"0[xX][0-9a-fA-F]+", body):
        return f" as it stands: {_shown(body + '@binary32')} is a bit pattern, {_shown(body + 'p+0')} a value"
    if "@" in body:
        return " (a bit pattern is 0x, hexadecimal digits, @, a format, and no sign in front)"
    if any(character.isspace() for character in body):
        return " (there is a space in it)"
    if "," in body or "_" in body:
        return " (digits are not grouped, and the decimal mark is a point)"
    if not body.isascii():
        return " (only ASCII digits and letters are read)"
    return ""


def _shown(text: str) -> str:
    """Quote a text for a message: one line, ASCII, not long."""
    return ascii(text if len(text) <= 40 else f"{text[:37]}...")
