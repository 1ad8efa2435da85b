"""Somebody's own table of expected values: each literal right for which function, to its printed digits?"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from gelu_verify.catalogue import get_function
from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import IncompleteError, InputError, reason
from gelu_verify.formats import FORMATS
from gelu_verify.references import value
from gelu_verify.references.correct_rounding import rounded, rounded_value
from gelu_verify.strength.literals import Literal, Row, rows_of

CANDIDATES = ("gelu", "gelu_tanh", "gelu_sigmoid", "silu", "relu", "Phi", "erf", "tanh")
_LONGEST = 50_000_000  # characters of a table that is read
_MOST_ROWS = 100_000
_DIGITS, _MOST_DIGITS = 40, 10_000
_BINARY64 = FORMATS["binary64"]
_LEAST = Fraction(1, 1 << 1075)  # half of binary64's least number: what rounds to zero is no larger


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """One row of a table.

    Attributes:
        line: its number in the file, from 1 on.
        x, printed: the input and the expected value as written.
        right_for: the functions of which the printed value is the correct rounding to its digits.
        right: the exact value of the function that the table claims (or GELU), or `inf`, `-inf` or `nan`.
    """

    line: int
    x: str
    printed: str
    right_for: tuple[str, ...]
    right: Enclosure | str

    def holds(self, claim: str) -> bool:
        """Whether the value is right for what the table claims to be."""
        return claim in self.right_for


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """The rows of a table, and the numbers of the lines that are none (headers, for example)."""

    rows: tuple[JudgedRow, ...]
    passed_over: tuple[int, ...]


def judge_table(file: Path, claim: str = "gelu") -> JudgedTable:
    """Judge every row of a text file with an input and a value in each line, as `rows_of` reads them.

    Inputs are taken exactly as they are written: 0.1 is a tenth, and no float near it.

    Raises:
        InputError: the file cannot be read, holds no row, or has a line that begins like a row and is none.
    """
    name = get_function(claim).name
    try:
        with file.open(encoding="utf-8-sig") as stream:  # some editors put a byte order mark before the text
            text = stream.read(_LONGEST + 1)
    except OSError as error:
        raise InputError(f"cannot read {file}: {reason(error)}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read {file}: not UTF-8 text at byte {error.start}") from None
    if len(text) > _LONGEST:
        raise InputError(f"{file} is longer than {_LONGEST} characters, which is more than is read")
    try:
        rows, passed_over = rows_of(text)
    except InputError as error:
        raise InputError(f"{file}, {error}") from None
    if not rows:
        raise InputError(f"{file} has no line with an input and a value, such as '-1, -0.1586553'")
    if len(rows) > _MOST_ROWS:
        raise InputError(f"{file} has {len(rows)} rows; {_MOST_ROWS} is the most")
    return JudgedTable(tuple(_judged(row, name) for row in rows), passed_over)


def _judged(row: Row, claim: str) -> JudgedRow:
    right_for = tuple(name for name in CANDIDATES if _is_rounding(row.value, name, row.x))
    if claim not in CANDIDATES and _is_rounding(row.value, claim, row.x):
        right_for += (claim,)
    try:
        right = _right(claim, row.x, _DIGITS)
    except (InputError, IncompleteError) as error:
        raise InputError(f"line {row.line}: {error}; leave the row out") from None
    return JudgedRow(row.line, row.x.text, row.value.text, right_for, right)


def _is_rounding(printed: Literal, name: str, x: Literal) -> bool:
    """Tell whether the printed number is the exact value rounded to its own last place; a hexadecimal float may also be
    the value rounded to a binary format, whose last bit need not end a hexadecimal digit.
    """
    digits = _DIGITS
    while True:
        try:
            exact = _right(name, x, digits)
        except (InputError, IncompleteError):
            return False
        number = printed.number.value
        if isinstance(exact, str) or number is None:
            return number is None and exact == printed.plain
        low, high = number - printed.half, number + printed.half
        if low <= exact.lower and exact.upper <= high:
            return True
        if exact.upper < low or high < exact.lower or digits >= _MOST_DIGITS:
            return printed.hexadecimal and _is_float(number, name, x)
        digits *= 4  # a literal of very many digits


def _is_float(number: Fraction, name: str, x: Literal) -> bool:
    """Tell whether a number is the value's correct rounding to a format that holds the number."""
    if x.number.value is None:
        return False
    for format in FORMATS.values():
        bits = format.round(number)
        if format.is_finite(bits) and format.exact(bits) == number:
            nearest = rounded_value(get_function(name), x.number.value, format)
            if format.is_finite(nearest) and format.exact(nearest) == number:
                return True
    return False


def _right(name: str, x: Literal, digits: int) -> Enclosure | str:
    """Return the exact value of a function, or `inf`, `-inf` or `nan`.

    Raises:
        InputError: the function has no value there.
        IncompleteError: its value cannot be told.
    """
    if x.number.value is None:
        return _at_no_number(name, x.plain)
    try:
        return value(get_function(name), x.number.value, digits=digits)
    except IncompleteError:
        bits = rounded_value(get_function(name), x.number.value, _BINARY64)
        if bits & ~_BINARY64.sign_mask:
            raise
        return Enclosure(-_LEAST, Fraction(0)) if _BINARY64.sign(bits) else Enclosure(Fraction(0), _LEAST)


@cache
def _at_no_number(name: str, x: str) -> Enclosure | str:
    """Return the limit at an infinity, or `nan` for NaN. The candidates' limits are whole numbers."""
    bits = {"inf": _BINARY64.infinity, "-inf": _BINARY64.infinity | _BINARY64.sign_mask}.get(x, _BINARY64.nan)
    result = rounded(get_function(name), bits, _BINARY64)
    if not _BINARY64.is_finite(result):
        return _BINARY64.decimal(result).removeprefix("-" if _BINARY64.is_nan(result) else "+")
    return Enclosure(_BINARY64.exact(result), _BINARY64.exact(result))
