"""The ways in which an implementation can fail to give an answer at all."""

from enum import StrEnum


class Misdeed(StrEnum):
    """What went wrong instead of a result; the words are kinds of findings."""

    CRASH = "crash"  # the process died: a signal, an exit, an abort
    HANG = "hang"  # no answer within the time limit
    EXCEPTION = "exception"  # a Python exception
    WRONG_SHAPE = "wrong-shape"
    WRONG_DTYPE = "wrong-dtype"
    OVERRUN = "buffer-overrun"  # memory outside the output was written


class Misbehaved(Exception):  # noqa: N818 (it says what happened; it is no error of ours)
    """An implementation gave no usable result.

    Attributes:
        misdeed: what went wrong.
        detail: one line: the signal, the exception, the shapes.
    """

    def __init__(self, misdeed: Misdeed, detail: str) -> None:
        super().__init__(f"{misdeed}: {detail}")
        self.misdeed = misdeed
        self.detail = detail


class Foreign(Misbehaved):
    """The result is no array of the kind that went in: perhaps the callable belongs to another framework."""


class Unsupported(Exception):  # noqa: N818 (no error: the target simply cannot be fed so)
    """The target cannot be fed in this layout, which is no fault of its own."""


LONGEST_COMPLAINT = 1 << 14  # bytes of a standard error that are worth keeping: the dump of a crash among them


def last_complaint(standard_error: bytes) -> str:
    """Return the last line of a standard error, but for what Python's faulthandler dumps there when a process crashes.

    >>> last_complaint(b"give up\\nFatal Python error: Aborted\\n\\nExtension modules: numpy"), last_complaint(b"")
    ('give up', '')
    """
    lines = standard_error.decode(errors="replace").partition("Fatal Python error: ")[0].strip().splitlines()
    return lines[-1][:200] if lines else ""


def in_one_line(error: BaseException) -> str:
    """Return an exception as its type and the first line of what it says.

    >>> in_one_line(MemoryError()), in_one_line(ValueError("no\\nsense"))
    ('MemoryError', 'ValueError: no')
    """
    lines = str(error).splitlines()
    name = type(error).__name__
    return f"{name}: {lines[0][:300]}" if lines else name
