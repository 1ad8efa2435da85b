"""What is known of the parts of a smooth piece before any result is seen, worked out for all parts at a time."""

from dataclasses import dataclass

import numpy as np

from gelu_verify.formats import arrays
from gelu_verify.references.models import ROUND_UP
from gelu_verify.references.partition import Smooth


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a smooth piece: at most a chunk.

    Attributes:
        bound: how far the values of `oracle.Kernel` may be off (absolute).
        low, high: bounds of the sizes of the true values.
        direction: +1 or -1 if the values rise or fall with the encoding throughout, else 0.
        exponent: the ulp is 2^exponent and the sign the same throughout; None if they may change.
        order: with smaller absolute errors than this results must be in the order of the function. Two that are not
            differ by an ulp at least, while the true values differ by a step in the other direction, so that their
            errors add up to an ulp and a step (and none of them reaches the binade below, where the ulp is smaller).
    """

    bound: float
    low: float
    high: float
    direction: int
    exponent: int | None
    order: float


def parts_of(piece: Smooth) -> list[Part]:
    """Return the parts of a piece in the order of the encodings."""
    format, pieces = piece.span.format, piece.pieces
    ulp, greatest_ulp = (arrays.ulp(format, sizes) for sizes in (pieces.low, pieces.high))
    normal = pieces.low >= 2.0**format.emin
    base = np.where(normal, ulp * 2.0**format.fraction_bits, 0.0)  # the least number with the ulp of `low`
    alike = (pieces.low > 0) & (ulp == greatest_ulp) & (normal | (pieces.high < 2.0**format.emin))
    order = np.minimum(pieces.low - base, (ulp + pieces.step) / 2 / ROUND_UP)
    exponents = np.frexp(ulp)[1] - 1
    columns = (pieces.bound, pieces.low, pieces.high, pieces.direction, exponents, alike, order)
    return [
        Part(bound, low, high, direction, exponent if same else None, limit)
        for bound, low, high, direction, exponent, same, limit in zip(*(c.tolist() for c in columns), strict=True)
    ]
