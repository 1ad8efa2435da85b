"""One sequence of inputs in many memory layouts: an elementwise function must not see the difference."""

from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Layout(StrEnum):
    """How the elements lie in memory. All are read back in the same logical order."""

    CONTIGUOUS = "contiguous"
    OFFSET = "offset by one element"  # not aligned to a vector register
    STRIDED = "every second element"
    REVERSED = "reversed in memory"
    MATRIX = "two-dimensional"
    TRANSPOSED = "transposed"
    SCALAR = "zero-dimensional"


PLAIN = (Layout.CONTIGUOUS, Layout.OFFSET)  # what a pointer and a length can express


def arrange(values: Array, layout: Layout) -> Array:
    """Return the one-dimensional `values` in the layout; what lies between the elements is not a number of theirs.

    >>> arrange(np.arange(16.0), Layout.TRANSPOSED).flags.c_contiguous
    False
    """
    size = values.size
    match layout:
        case Layout.OFFSET:
            array = np.empty(size + 1, values.dtype)[1:]
        case Layout.STRIDED:
            array = np.zeros(2 * size, values.dtype)[::2]
        case Layout.REVERSED:
            array = np.empty(size, values.dtype)[::-1]
        case Layout.MATRIX:
            array = np.empty((_rows(size), size // _rows(size)), values.dtype)
        case Layout.TRANSPOSED:
            array = np.empty((size // _rows(size), _rows(size)), values.dtype).T
        case Layout.SCALAR:
            array = np.empty((), values.dtype)
        case _:
            return values
    array[...] = values.reshape(array.shape)
    return array


def _rows(size: int) -> int:
    """Return the number of rows of a matrix of this size: the largest of 8, 7, ... that divides it."""
    return next(rows for rows in range(min(8, max(size, 1)), 0, -1) if size % rows == 0)
