"""How answers leave the program: lines and tables of text, and JSON documents."""

import json
import os
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a verb that needs no number, like recheck, runs where python-flint is not installed
    from gelu_verify.enclosures import Enclosure
    from gelu_verify.formats import Format

SCHEMA_VERSION = 1
_GUARD_DIGITS = 3  # more than were asked for, so that outward rounding does not eat the last of them


def printable(text: str) -> str:
    r"""Return one line that is safe to show on a terminal, whoever wrote it.

    Names, sentences and messages of strangers may hold line ends, which would forge a line of ours, terminal commands,
    or characters that turn the direction of writing: what is not printable is shown as Python would escape it.

    >>> printable("caf\u00e9\x1b[31m\n\u202e")
    'café\\x1b[31m\\n\\u202e'
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isprintable() or unicodedata.category(character) == "Zs":  # the spaces, narrow ones among them
        return character
    return character.encode("unicode_escape").decode("ascii")


def print_lines(lines: Iterable[str]) -> None:
    """Print lines of text, each made printable: what is one line here stays one line there."""
    print("\n".join(map(printable, lines)))


def print_json(payload: Mapping[str, Any]) -> None:
    """Print one JSON document with its schema's version, in ASCII: the same bytes whatever the terminal's encoding, and
    nothing that would command it.
    """
    document = json.dumps({"schema_version": SCHEMA_VERSION, **payload}, indent=2)
    print(document.replace("\x7f", "\\u007f"))  # the one control character that JSON takes as it is


def enclosure_json(enclosure: "Enclosure", digits: int) -> dict[str, str]:
    """Return the enclosure's ends as decimal strings, rounded outward to a few digits more than `digits`."""
    places = digits + _GUARD_DIGITS
    return {"lower": enclosure.lower_decimal(places), "upper": enclosure.upper_decimal(places)}


def float_json(format: "Format", bits: int) -> dict[str, str]:
    """Return a datum as its bits, its hexadecimal form and the shortest decimal that reads back as it."""
    return {"bits": format.bits_text(bits), "hex": format.hex(bits), "decimal": format.decimal(bits)}


def table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> list[str]:
    """Return the lines of a table: rows of text in aligned columns under a header, every cell made printable."""
    everything = [list(header), *([printable(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in everything) for column in range(len(header))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in everything
    ]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]


def colour(text: str, code: str) -> str:
    """Wrap text in an ANSI colour when stdout is a terminal that knows them and NO_COLOR is not set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty():
        return text
    return f"\x1b[{code}m{text}\x1b[0m"
