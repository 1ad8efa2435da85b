"""Lowering a budget in its file: one number changes and nothing else, whoever else writes the file meanwhile."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gelu_verify.assertions.budgets import budget_entries
from gelu_verify.errors import InputError, reason
from gelu_verify.files import write_atomically

_HEADER = re.compile(rb"""^(?:\xef\xbb\xbf)?[ \t]*\[\[[ \t]*(?:budget|"budget"|'budget')[ \t]*\]\]""", re.MULTILINE)
_NUMBER = re.compile(rb"""^([ \t]*(?:max_ulp|"max_ulp"|'max_ulp')[ \t]*=[ \t]*)[^\s#]+""", re.MULTILINE)


def lower(file: Path, place: int, measured: int) -> None:
    """Lower the budget with this number among the entries to what was measured, if it is larger.

    Several test runs, and the workers of one, may do so at the same time.

    Raises:
        InputError: the file cannot be written, or the budget is not written so that its number can be found.
    """
    file = file.resolve()  # a link stays a link
    with _alone(file.parent):
        try:
            before, mode = file.read_bytes(), file.stat().st_mode
            entries = budget_entries(before)
        except OSError as error:
            raise InputError(f"cannot read {file}: {reason(error)}") from None
        except InputError as error:
            raise InputError(f"{file} {error}") from None
        if place >= len(entries) or entries[place].get("max_ulp", 0) <= measured:
            return
        if not (mode & 0o222 and os.access(file, os.W_OK)):
            raise InputError(f"cannot lower budget {place + 1} in {file}: the file is read-only")
        entries[place]["max_ulp"] = measured
        after = _with_number(before, place, measured)
        if budget_entries(after) != entries:
            raise InputError(
                f"cannot lower budget {place + 1} in {file}; write it as [[budget]] with a line 'max_ulp = {measured}'"
            )
        write_atomically(file, after)


def _with_number(data: bytes, place: int, measured: int) -> bytes:
    """Return the file with the number after max_ulp replaced, or as it is where there is no such line."""
    starts = [match.start() for match in _HEADER.finditer(data)] + [len(data)]
    if place + 1 >= len(starts):
        return data
    start, stop = starts[place : place + 2]
    entry = _NUMBER.sub(rb"\g<1>%d" % measured, data[start:stop], count=1)
    return data[:start] + entry + data[stop:]


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until nobody else lowers a budget in this folder. The lock is on the folder: the file itself is replaced."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
