"""A progress line on stderr: share done, rate, time left. Silent when stderr is no terminal that can clear a line."""

import os
import sys
import time
from types import TracebackType
from typing import Self, TextIO

_WIDTH = 24
_USUAL = 80  # columns of a terminal that does not tell
_INTERVAL = 0.1  # seconds between repaints


class Progress:
    """Shows how far a long piece of work has come; used as a context manager.

    Call it with (done, total) as often as convenient: it repaints ten times a second at most.

    Arguments:
        label: what is being done.
        unit: what is counted, for example "inputs".
        stream: where to paint; stderr by default.
    """

    def __init__(self, label: str, unit: str = "steps", stream: TextIO | None = None) -> None:
        self._label = label
        self._unit = unit
        self._stream = sys.stderr if stream is None else stream
        self._active = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._start = self._painted = time.monotonic()
        self._first: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._active:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def __call__(self, done: int, total: int) -> None:
        """Report that `done` of `total` units are finished."""
        if self._first is None:  # a resumed run must not count what was done before into its rate
            self._first = done
        now = time.monotonic()
        if not self._active or (now - self._painted < _INTERVAL and done < total):
            return
        self._painted = now
        self._stream.write("\r\x1b[K" + self._line(done, total, now - self._start)[: _columns(self._stream) - 1])
        self._stream.flush()

    def _line(self, done: int, total: int, seconds: float) -> str:
        share = done / total if total else 1.0
        filled = int(share * _WIDTH)
        bar = "#" * filled + "." * (_WIDTH - filled)
        rate = (done - (self._first or 0)) / seconds if seconds > 0 else 0.0
        left = f", {(total - done) / rate:.0f} s left" if rate > 0 else ""
        return f"{self._label} [{bar}] {share:4.0%}  {_short(rate)} {self._unit}/s{left}"


def _columns(stream: TextIO) -> int:
    """Return the width of a terminal: of a line that is longer, only the last row would be cleared."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL
    except (OSError, ValueError):
        return _USUAL


def _short(number: float) -> str:
    """Write a rate in at most four characters.

    >>> [_short(n) for n in (3.14159, 512.0, 43000.0, 212e6)]
    ['3.1', '512', '43k', '212M']
    """
    for suffix, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.0f}{suffix}"
    return f"{number:.0f}" if number >= 10 else f"{number:.1f}"
