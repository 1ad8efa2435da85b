"""The progress line stays one line on any terminal, and keeps silent where none could clear it."""

import os
import struct

import pytest

from gelu_verify.cli.progress import Progress

fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")


def painted(columns: int) -> bytes:
    """Return what is written to a terminal of this width."""
    ours, theirs = os.openpty()
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with os.fdopen(theirs, "w") as stream, Progress("a piece of work", "inputs", stream) as progress:
            progress(5, 5)
            stream.write("end")
            stream.flush()
            return os.read(ours, 1000)
    finally:
        os.close(ours)


@pytest.mark.parametrize(("columns", "longest"), [(40, 39), (2, 1), (0, 79), (300, 299)])
def test_the_line_is_shorter_than_the_terminal_is_wide(
    columns: int, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    line = painted(columns).removesuffix(b"end").removeprefix(b"\r\x1b[K")
    assert 0 < len(line) <= longest
    assert len(line) == longest or b"inputs/s" in line


def test_a_terminal_that_cannot_clear_a_line_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert painted(80) == b"end"
