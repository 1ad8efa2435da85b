"""How answers leave the program: JSON documents, tables of text, and files that are never half written."""

import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gelu_verify.errors import InputError

if TYPE_CHECKING:  # a verb that needs no number, like recheck, runs where python-flint is not installed
    from gelu_verify.enclosures import Enclosure
    from gelu_verify.formats import Format

SCHEMA_VERSION = 1
_GUARD_DIGITS = 3  # more than were asked for, so that outward rounding does not eat the last of them


def print_json(payload: Mapping[str, Any]) -> None:
    """Print one JSON document with its schema's version."""
    print(json.dumps({"schema_version": SCHEMA_VERSION, **payload}, indent=2, ensure_ascii=False))


def enclosure_json(enclosure: "Enclosure", digits: int) -> dict[str, str]:
    """Return the enclosure's ends as decimal strings, rounded outward to a few digits more than `digits`."""
    places = digits + _GUARD_DIGITS
    return {"lower": enclosure.lower_decimal(places), "upper": enclosure.upper_decimal(places)}


def float_json(format: "Format", bits: int) -> dict[str, str]:
    """Return a datum as its bits, its hexadecimal form and the shortest decimal that reads back as it."""
    return {"bits": format.bits_text(bits), "hex": format.hex(bits), "decimal": format.decimal(bits)}


def table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> str:
    """Return rows of text in aligned columns under a header."""
    everything = [list(header), *map(list, rows)]
    widths = [max(len(row[column]) for row in everything) for column in range(len(header))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in everything
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a whole file or none: beside its place first, then moved over what was there.

    Raises:
        InputError: the folder is missing or not writable, in one line.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise InputError(f"cannot write {path}: {_reason(error)}; choose a folder you may write to") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {_reason(error)}; choose a place you may write to") from None
    finally:
        with suppress(FileNotFoundError):
            Path(temporary).unlink()


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def colour(text: str, code: str) -> str:
    """Wrap text in an ANSI colour when stdout is a terminal and NO_COLOR is not set."""
    if os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        return text
    return f"\x1b[{code}m{text}\x1b[0m"
