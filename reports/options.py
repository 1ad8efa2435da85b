"""What can be asked of a report."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from gelu_verify.errors import InputError

MAX_EPOCH = 253_402_300_799  # the last second of the year 9999


@dataclass(frozen=True, slots=True)
class Options:
    """Choices that change a report.

    Attributes:
        skip: names of steps that are left out.
        portable: leave out everything that depends on this machine.
        formal: compile the formal proof, which needs Coq and takes a minute.
        timeout: seconds for each part of a claim and for each bound.
    """

    skip: frozenset[str] = frozenset()
    portable: bool = False
    formal: bool = False
    timeout: float = 20.0

    def key(self) -> Mapping[str, Any]:
        """Return what the results of steps depend on."""
        return {"timeout": self.timeout}


def source_date() -> str | None:
    """Return the date that SOURCE_DATE_EPOCH asks for (reproducible-builds.org), in UTC; None when it is not set.

    Raises:
        InputError: it is not a number of seconds.
    """
    written = os.environ.get("SOURCE_DATE_EPOCH")
    if written is None or written == "":
        return None
    if not (written.isascii() and written.isdigit()) or int(written[:20]) > MAX_EPOCH:
        raise InputError(f"SOURCE_DATE_EPOCH={written[:40]!r} must be a whole number of seconds since 1970")
    return datetime.fromtimestamp(int(written), UTC).strftime("%Y-%m-%d")
