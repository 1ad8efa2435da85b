"""Signals that end this program: everything that it opened is put away first, as after Ctrl-C."""

import signal
import threading
from types import FrameType

# Sent by kill and timeout, and by a terminal that closes.
_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Ended(BaseException):
    """This program was asked to end."""


def watch() -> None:
    """Raise `Ended` in the main thread when such a signal comes; one that the caller ignores (nohup) stays ignored."""
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    for each in _SIGNALS:
        if signal.getsignal(each) is _end:
            signal.signal(each, signal.SIG_DFL)  # a second one ends at once
    raise Ended(number)
