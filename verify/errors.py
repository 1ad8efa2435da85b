"""The two ways in which a question can fail: it was not a question, or there was no answer in the time given."""

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(ValueError):
    """Bad input from a person: one line that says what was wrong and what would be right (exit code 2)."""


class IncompleteError(RuntimeError):
    """The answer could not be decided or was interrupted (exit code 3)."""


def reason(error: Exception) -> str:
    """Return what the system says is wrong, for the end of a sentence; what the error says where it is not the system.

    >>> reason(OSError(28, "No space left on device")), reason(RuntimeError("can't start new thread"))
    ('no space left on device', "can't start new thread")
    """
    return str(getattr(error, "strerror", None) or error).lower()


def nearest_names(name: str, known: Iterable[str]) -> str:
    """Return a hint that names the known words closest to `name`, or an empty string when none is close.

    >>> nearest_names("gelu_than", ["gelu", "gelu_tanh", "silu"])
    " (did you mean 'gelu_tanh', 'gelu'?)"
    >>> nearest_names("zzz", ["gelu"])
    ''
    """
    close = get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f" (did you mean {', '.join(map(repr, close))}?)" if close else ""
