"""Sums of two float64 numbers without loss: what rounding takes away is a float64 number itself."""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

UNIT = 2.0**-53  # half an ulp of 1: what one rounding may lose, relatively


def two_sum(left: Any, right: Any) -> tuple[Floats, Floats]:
    """Return the rounded sum and what rounding lost: together they are the exact sum, unless it overflows.

    Source: Knuth, TAOCP vol. 2, section 4.2.2, theorem B; it holds for any two numbers, subnormal ones included.

    >>> high, low = two_sum(np.array([1.0]), np.array([2.0**-60]))
    >>> float(high[0]), float(low[0]) == 2.0**-60
    (1.0, True)
    """
    total = left + right
    part = total - left
    return total, (left - (total - part)) + (right - part)
