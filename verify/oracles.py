"""Somebody's own table of expected values: each literal right for which function, to its printed digits?"""

import csv
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from gelu_verify.catalogue import get_function
from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats.numbers import parse_number
from gelu_verify.references import value

CANDIDATES = ("gelu", "gelu_tanh", "gelu_sigmoid", "silu", "relu", "Phi", "erf", "tanh")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_MOST_ROWS = 100_000
_DIGITS = 40


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """One row of a table.

    Attributes:
        line: its number in the file, from 1 on.
        x, printed: the input and the expected value as written.
        right_for: the functions of which the printed value is the correct rounding to its digits.
        right: the exact value of the function that the table claims (or GELU).
    """

    line: int
    x: str
    printed: str
    right_for: tuple[str, ...]
    right: Enclosure

    def holds(self, claim: str) -> bool:
        """Whether the value is right for what the table claims to be."""
        return claim in self.right_for


def judge_table(file: Path, claim: str = "gelu") -> list[JudgedRow]:
    """Judge every row of a text file with an input and a value in each line (CSV, tabs, spaces or an arrow between).

    Lines without two numbers are passed over (headers, comments).

    Raises:
        InputError: the file cannot be read or holds no row.
    """
    name = get_function(claim).name
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"cannot read {file}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read {file}: not UTF-8 text at byte {error.start}") from None
    rows = [(number, *pair) for number, line in enumerate(lines, 1) if (pair := _pair(line)) is not None]
    if not rows:
        raise InputError(f"{file} has no line with an input and a value, such as '-1, -0.1586553'")
    if len(rows) > _MOST_ROWS:
        raise InputError(f"{file} has {len(rows)} rows; {_MOST_ROWS} is the most")
    return [_judged(line, x, printed, name) for line, x, printed in rows]


def _pair(line: str) -> tuple[str, str] | None:
    """Return the first two numbers of a line, if it begins with one and has two."""
    text = line.split("#")[0].strip()
    cells = next(csv.reader([text]), []) if "," in text else re.split(r"\s*(?:->|=>|\s|;|\||:)\s*", text)
    numbers = [cell.strip() for cell in cells if cell.strip()]
    if len(numbers) < 2 or not all(_NUMBER.fullmatch(number) for number in numbers[:2]):
        return None
    return numbers[0], numbers[1]


def _judged(line: int, x: str, printed: str, claim: str) -> JudgedRow:
    point = parse_number(x).value or Fraction(0)
    right_for = tuple(name for name in CANDIDATES if _is_rounding(printed, name, point))
    return JudgedRow(line, x, printed, right_for, value(get_function(claim), point, digits=_DIGITS))


def _is_rounding(printed: str, name: str, x: Fraction) -> bool:
    """Tell whether the printed decimal is the exact value rounded to its own last place."""
    try:
        exact = value(get_function(name), x, digits=_DIGITS)
    except (InputError, IncompleteError):
        return False
    half = Fraction(10) ** _last_place(printed) / 2
    number = parse_number(printed).value or Fraction(0)
    return number - half <= exact.lower and exact.upper <= number + half


def _last_place(printed: str) -> int:
    """Return the exponent of ten of the last printed digit."""
    mantissa, _, exponent = printed.lower().partition("e")
    fraction = mantissa.partition(".")[2]
    return int(exponent or 0) - len(fraction)
