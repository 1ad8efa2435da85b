"""The three standard streams, in whatever state the caller left them: closed, full, or with nobody at the other end."""

import io
import os
import sys
from contextlib import suppress
from typing import Literal, TextIO, cast


def settle() -> None:
    r"""Open what the caller has closed, and let what an encoding lacks be shown as \u03a6 instead of being an error.

    A closed standard input is empty, what goes to a closed standard error is lost, and writing to a closed standard
    output fails as on a full disk. Left closed, their numbers would go to the next files and pipes that are opened.
    """
    if sys.stdin is None:
        sys.stdin = _null("r", os.O_RDONLY)
    if sys.stdout is None:
        sys.stdout = _null("w", os.O_RDONLY)
    if sys.stderr is None:
        sys.stderr = _null("w", os.O_WRONLY)
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # Of PYTHONUNBUFFERED, which takes a write of the first half for one of the whole, on a disk that becomes full.
        buffer = io.BufferedWriter(cast(io.RawIOBase, sys.stdout.buffer))
        sys.stdout = io.TextIOWrapper(buffer, sys.stdout.encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def drop(stream: TextIO | None) -> None:
    """Send what could not be written nowhere: the interpreter would try again at its exit, and complain of its own."""
    if stream is None:
        return
    with suppress(ValueError):  # of a caller's stream that is no file, or closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _null(mode: Literal["r", "w"], flags: int) -> TextIO:
    handle = os.open(os.devnull, flags)
    os.set_inheritable(handle, True)  # for worker processes, which would have it closed again
    return os.fdopen(handle, mode, encoding="utf-8")
