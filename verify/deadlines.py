"""The time allowed for an answer: asked for where work is costly, however deep, as Arb's precision is."""

import time
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from math import inf


class OutOfTime(Exception):  # noqa: N818 (it asks for the answer so far)
    """The time allowed is over."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point in time after which work stops; in a `with` block it also holds for all that calls `check_time`.

    Attributes:
        seconds: from now on; None for no limit.

    >>> with Deadline(0):
    ...     check_time()
    Traceback (most recent call last):
    gelu_verify.deadlines.OutOfTime
    """

    seconds: float | None = None
    _end: float = field(init=False)
    _tokens: list[Token["Deadline | None"]] = field(init=False, repr=False, compare=False, default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_end", inf if self.seconds is None else time.monotonic() + self.seconds)

    def __enter__(self) -> "Deadline":
        outer = _CURRENT.get()
        self._tokens.append(_CURRENT.set(self if outer is None or self._end < outer._end else outer))
        return self

    def __exit__(self, *exception: object) -> None:
        _CURRENT.reset(self._tokens.pop())

    @property
    def left(self) -> float | None:
        """The seconds that are left; None for no limit."""
        return None if self.seconds is None else max(self._end - time.monotonic(), 0.0)

    def check(self) -> None:
        """Raise OutOfTime when the time is over."""
        if time.monotonic() > self._end:
            raise OutOfTime


_CURRENT: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def check_time() -> None:
    """Raise OutOfTime when the time that a surrounding block allows is over.

    Called from within costly loops: a step between two calls should take milliseconds at most.
    """
    current = _CURRENT.get()
    if current is not None:
        current.check()
