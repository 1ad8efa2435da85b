"""Rows of a table as people write them in files and in source code: an input and a value, each as a literal."""

import re
from dataclasses import dataclass
from fractions import Fraction

from gelu_verify.errors import InputError
from gelu_verify.formats.numbers import ParsedInput, parse_number

_SUFFIX = r"(?:[fFlL]|_?f(?:16|32|64))?"  # of a literal in C, C++ or Rust
_LITERAL = re.compile(
    r"(?P<hex>[+-]?0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?\d+)" + _SUFFIX + r"|"
    r"(?P<plain>[+-]?(?:inf|infinity|nan))|"
    r"(?P<decimal>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)" + _SUFFIX,
    re.IGNORECASE | re.ASCII,
)
_EXACT = re.compile(r"[+-]?\d+/\d+|0[xX][0-9a-fA-F]+@\w+", re.ASCII)  # of inputs alone: a fraction, bits
_COMMENT = re.compile(r"\s*(?:#|//|/\*|--|%).*|^\s*;.*")
_CALL = re.compile(r"\w+\((?P<x>[^()]*)\)\s*=+\s*(?P<value>\S+)")  # f(1) = 0.84
_SEPARATORS = tuple(map(re.compile, (";", "\t", "->|=>|=", r"\|", ",", ":", r"\s+")))
_BETWEEN_ROWS = re.compile(r"[\])}]\s*,\s*[\[({]")  # of one line
_BRACKETS = " \t()[]{},;|"
_BEGINS_LIKE_A_ROW = re.compile(r"[+\-−]?\.?\d|[+-]?(?:inf|nan)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Literal:
    """A number as it is written.

    Attributes:
        text: what was written, without a suffix that tells its type.
        half: half a unit of its last place.
        hexadecimal: whether it is a hexadecimal float.
    """

    text: str
    number: ParsedInput
    half: Fraction
    hexadecimal: bool

    @property
    def plain(self) -> str:
        """The word for what is no number: `inf`, `-inf` or `nan`."""
        return "nan" if self.number.is_nan else "-inf" if self.number.negative else "inf"


@dataclass(frozen=True, slots=True)
class Row:
    """An input and its expected value."""

    line: int
    x: Literal
    value: Literal


def rows_of(text: str) -> tuple[list[Row], tuple[int, ...]]:
    """Return the rows of a text, and the numbers of its other lines but for empty ones and comments.

    A row begins with two numbers, with a semicolon, a tab, an arrow, an equals sign, a bar, a comma, a colon or space
    between them, in quotes or brackets or not; further cells are passed over. The first of these marks that a line has
    separates its cells, so that no decimal comma is taken for one.

    Raises:
        InputError: a line begins with a number and is no row; the sentence wants the file's name before it.
    """
    rows, others = [], []
    for number, line in enumerate(text.splitlines(), 1):
        body = _COMMENT.sub("", line).strip(_BRACKETS)
        for part in _BETWEEN_ROWS.split(body):
            row = _row(number, part)
            if row is not None:
                rows.append(row)
            elif _BEGINS_LIKE_A_ROW.match(part):
                raise InputError(
                    f"line {number}: {part[:40]!a} is no input and value; write for example '-1, -0.1586553' (the "
                    "decimal mark is a point; # begins a comment)"
                )
            elif part:
                others.append(number)
    return rows, tuple(dict.fromkeys(others))


def _row(line: int, body: str) -> Row | None:
    called = _CALL.fullmatch(body)
    cells = [called["x"], called["value"]] if called else _cells(body)
    try:
        x, value = literal(cells[0], exact=True), literal(cells[1])
    except IndexError:
        return None
    except InputError as error:
        raise InputError(f"line {line}: {error}") from None
    return None if x is None or value is None else Row(line, x, value)


def _cells(body: str) -> list[str]:
    separator = next((each for each in _SEPARATORS if each.search(body)), _SEPARATORS[-1])
    return [bare for cell in separator.split(body) if (bare := cell.strip(_BRACKETS + "\"'"))]


def literal(text: str, *, exact: bool = False) -> Literal | None:
    """Return a number as it is written, or None where it is none that can be read.

    Arguments:
        exact: whether fractions and encodings, which have no last place, are read as well.

    Raises:
        InputError: it is a number beyond the limits of `parse_number`.

    >>> literal("8.40e-1f").half, literal("0x1.8p+1").half, literal("1_0")
    (Fraction(1, 2000), Fraction(1, 16), None)
    """
    match = _LITERAL.fullmatch(text)
    if match is None and not (exact and _EXACT.fullmatch(text)):
        return None
    written = text if match is None else match["hex"] or match["plain"] or match["decimal"]
    number = parse_number(written)
    if match is None or match["plain"]:
        return Literal(written, number, Fraction(0), False)
    base, mark, unit = (16, "p", 2) if match["hex"] else (10, "e", 10)
    mantissa, _, exponent = written.lower().partition(mark)
    places = len(mantissa.partition(".")[2])
    return Literal(written, number, Fraction(unit) ** int(exponent or 0) / base**places / 2, bool(match["hex"]))
