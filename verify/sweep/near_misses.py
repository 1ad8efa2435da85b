"""The commonest errors in anchored pieces: results next to the right ones, counted without a list of places.

Where a(x) is a number of the format, a result beside it is off by one ulp; where a(x) lies half-way between two, as x/2
does for every other subnormal result, by one half or by three halves. The rest g of f(x) = a(x) + g(x) decides whether
an error that equals a limit is a little more or a little less than that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.references.partition import Anchored
from gelu_verify.sweep.results import Results

_SMALLEST = 16  # magnitudes below it may give zeros, which are counted elsewhere


@dataclass(frozen=True, slots=True)
class NearMiss:
    """All results with the same error: `size` half ulps, or a little more if it `exceeds` that.

    Attributes:
        number: how many there are.
        place: the first of them.
    """

    size: int
    exceeds: bool
    number: int
    place: int

    def is_over(self, limit: Fraction) -> bool:
        """Tell whether the error is over a limit in ulps."""
        return self.size > 2 * limit or (self.exceeds and self.size == 2 * limit)


def near_misses(piece: Anchored, results: Results, want: npt.NDArray[Any]) -> list[NearMiss] | None:
    """Return the near misses among results that should have the bits `want`; None if there are other errors too, or
    if this is a place where errors are not that simple.
    """
    format = piece.span.format
    magnitude = results.first & ~format.sign_mask
    half_way = _is_half_way(piece)
    if half_way is None or not piece.gap_sign or magnitude < _SMALLEST or not format.is_finite(piece.constant):
        return None
    if piece.scale is None and piece.constant & ~format.sign_mask < _SMALLEST:
        return None
    off = (results.bits - want).view(f"int{format.width}")
    if not -1 <= off.min() <= off.max() <= 1:
        return None
    if magnitude & (format.min_normal - 1) == 0 and off[0] != 0:
        return None  # a power of two: below it the ulp is smaller
    outward = (piece.gap_sign > 0) == _is_positive(piece)
    found = []
    for start in range(2) if half_way else range(1):
        part = off[start::2] if half_way else off
        half = (1 if outward else -1) if half_way and (results.first + start) % 2 else 0
        for step in (1, -1):
            flags = part == step
            number = int(np.count_nonzero(flags))
            if number:
                distance = 2 * step + half
                place = start + int(flags.argmax()) * (2 if half_way else 1)
                found.append(NearMiss(abs(distance), (distance > 0) != outward, number, place))
    return found


def worst_of(misses: Sequence[NearMiss]) -> NearMiss:
    """Return the largest error, the first of equal ones."""
    return max(misses, key=lambda miss: (miss.size, -miss.place))


def _is_half_way(piece: Anchored) -> bool | None:
    """Tell whether every other a(x) lies half-way between two numbers; None if some lie elsewhere between two."""
    if piece.scale is None or piece.scale[0] >= 0:
        return False
    fields = (piece.span.first & ~piece.span.format.sign_mask) >> piece.span.format.fraction_bits
    if fields + piece.scale[0] >= 1:
        return False
    return True if piece.scale[0] == -1 else None


def _is_positive(piece: Anchored) -> bool:
    """Tell whether a(x) is positive in the piece."""
    if piece.scale is None:
        return piece.constant & piece.span.format.sign_mask == 0
    return (piece.scale[1] > 0) != piece.span.negative
