"""Correct rounding where it is known without the value: f(x) = a(x) + g(x), a constant or 2^k x, g tiny."""

from math import ldexp
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.formats import arrays
from gelu_verify.references.models import Floats, ulp_exponent
from gelu_verify.references.partition import Anchored


def error_bound(piece: Anchored) -> float:
    """Return the largest absolute error that a correctly rounded result can have in the piece."""
    if not piece.span.format.is_finite(piece.constant):
        return 0.0
    # Between two numbers of the format 2^k x can lie only where it is subnormal.
    off_grid = piece.scale is not None and piece.scale[0] < 0 and least_size(piece) < 2.0**piece.span.format.emin
    return max(piece.gap, ulp_of(piece) / 2) if off_grid else piece.gap


def least_size(piece: Anchored) -> float:
    """Return the least |a(x)| of the piece."""
    return abs(float(anchor_values(piece, np.array([piece.span.first + int(piece.span.starts_at_zero)]))[0]))


def ulp_of(piece: Anchored) -> float:
    """Return the ulp of a(x)."""
    return ldexp(1.0, ulp_exponent(piece.span.format, least_size(piece)))


def anchor_values(piece: Anchored, encodings: npt.NDArray[Any]) -> Floats:
    """Return a(x) for encodings, exactly."""
    format = piece.span.format
    if piece.scale is None:
        return np.full(len(encodings), float(format.exact(piece.constant)))
    exponent, sign = piece.scale
    scaled: Floats = arrays.to_float64(format, encodings.astype(arrays.storage_dtype(format))) * (sign * 2.0**exponent)
    return scaled


def _halved(piece: Anchored, first: int, count: int) -> npt.NDArray[Any]:
    """Return the roundings of +-x/2 where the result is subnormal: encodings are multiples of the spacing there."""
    format, (_, sign) = piece.span.format, piece.scale or (0, 1)
    positive = (sign > 0) != piece.span.negative
    up = int((piece.gap_sign or 0) * (1 if positive else -1) > 0)
    magnitude = first & ~format.sign_mask
    halves = np.arange(magnitude + up, magnitude + up + count, dtype=arrays.storage_dtype(format))
    np.right_shift(halves, 1, out=halves)
    if not positive:
        np.bitwise_or(halves, halves.dtype.type(format.sign_mask), out=halves)
    return halves


def expected_bits(piece: Anchored, first: int, count: int) -> npt.NDArray[Any]:
    """Return the correctly rounded results for `count` encodings.

    a(x) is either a number of the format or half-way between two. A step of a few float64 ulps in the direction of the
    rest decides the latter and disturbs nothing else, since float64 has many more digits.
    """
    format = piece.span.format
    if piece.scale is None:
        return np.full(count, piece.constant, arrays.storage_dtype(format))
    if piece.scale[0] == -1 and (first & ~format.sign_mask) >> format.fraction_bits <= 1 and piece.gap_sign:
        return _halved(piece, first, count)
    anchors = anchor_values(piece, np.arange(first, first + count))
    outward = (piece.scale[1] > 0) != piece.span.negative
    if piece.gap_sign:
        anchors *= 1 + 2.0**-50 * (1 if (piece.gap_sign > 0) == outward else -1)
    return arrays.round_float64(format, anchors)
