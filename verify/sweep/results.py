"""The results of an implementation for consecutive encodings, and a stretch of them with one ulp."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.sweep.statistics import Interval

Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]

_MOST_INTERVALS = 8  # a chunk with more reports their hull


@dataclass(frozen=True, slots=True)
class Results:
    """What an implementation returned for the encodings from `first` on.

    Attributes:
        first: the first input's encoding.
        bits: the results as encodings.
        values: the same results as floats that NumPy calculates with (float32 for binary32, else float64).
    """

    first: int
    bits: npt.NDArray[Any]
    values: npt.NDArray[Any]

    def part(self, start: int, stop: int) -> "Results":
        """Return a slice."""
        return Results(self.first + start, self.bits[start:stop], self.values[start:stop])


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a chunk on which the ulp of the true values y is the same.

    Attributes:
        start, stop: the places start ... stop - 1 of the chunk.
        exponent: the ulp is 2^exponent.
        least: a lower bound of |y|.
        sign: the sign of y.
    """

    start: int
    stop: int
    exponent: int
    least: float
    sign: int


def intervals_of(flags: Flags, first: int) -> list[Interval]:
    """Return the encodings that are flagged, the first flag belonging to `first`.

    >>> intervals_of(np.array([True, True, False, True]), 16)
    [Interval(first=16, last=17, count=2), Interval(first=19, last=19, count=1)]
    """
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    if len(edges) > 2 * _MOST_INTERVALS:
        return [Interval(first + int(edges[0]), first + int(edges[-1]) - 1, int(np.count_nonzero(flags)))]
    ends = edges.tolist()
    return [
        Interval(first + start, first + stop - 1, stop - start)
        for start, stop in zip(ends[::2], ends[1::2], strict=True)
    ]
