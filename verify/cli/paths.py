"""Paths as they are typed."""

from argparse import ArgumentTypeError
from pathlib import Path


def path(text: str) -> Path:
    """Return the path that was typed.

    An empty one is refused: to the system it is the current folder, but who types it had a variable that was not set.

    Raises:
        ArgumentTypeError: told by the parser, after the argument's name.
    """
    if not text.strip():
        raise ArgumentTypeError("an empty path was given; write . for the current folder")
    return Path(text)
