"""Where to look when not every input can be run: every binade, the transition, edges, and runs of neighbours."""

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.formats import Format
from gelu_verify.formats.arrays import all_bits, from_ordinals, ordinals, round_float64

Bits = npt.NDArray[Any]

_TRANSITION = range(-6, 5)  # the binades, by exponent, in which GELU and its relatives do what they do
_RANGE = range(5, 10)  # the binades in which exponentials overflow and underflow
_PER_RANGE_BINADE = 96
_WINDOW = 256
_WINDOW_CENTRES = (-9, -6.5, -5, -4, -3.3, -2.5, -1.8, -1.3, -0.9, -0.6, -0.35, -0.1)


@lru_cache(maxsize=16)
def probes(format: Format) -> Bits:
    """Return finite nonzero encodings in ascending order of value; all of them for formats of at most 16 bits.

    For wider formats: in every binade of either sign its ends with their neighbours and some places between, far more
    in the binades of the transition (2^-6 to 2^5) and of exponents (to 2^10), and the windows of `windows`.
    """
    per_binade, per_transition_binade = (24, 768) if format.width == 32 else (4, 512)
    if format.width <= 16:
        chosen = all_bits(format)
    else:
        magnitudes = [_binade(format, exponent, per_binade) for exponent in range(format.emin - 1, format.emax + 1)]
        magnitudes += [_binade(format, exponent, per_transition_binade) for exponent in _TRANSITION]
        magnitudes += [_binade(format, exponent, _PER_RANGE_BINADE) for exponent in _RANGE]
        positive = np.concatenate(magnitudes).astype(f"u{format.width // 8}")
        sign = positive.dtype.type(format.sign_mask)
        chosen = np.concatenate([positive, positive | sign, windows(format).ravel()])
    magnitude = chosen & chosen.dtype.type(format.sign_mask - 1)
    finite = np.unique(ordinals(format, chosen[(magnitude > 0) & (magnitude <= format.max_finite)]))
    result = from_ordinals(format, finite)
    result.flags.writeable = False
    return result


def _binade(format: Format, exponent: int, count: int) -> npt.NDArray[np.uint64]:
    """Return magnitudes spread over one binade: its ends, their neighbours, and `count` places between.

    The exponent below emin stands for the subnormal numbers.
    """
    first = (exponent - format.emin + 1) << format.fraction_bits
    size = 1 << format.fraction_bits
    edges = [0, 1, 2, size // 2, size - 2, size - 1]
    # Odd multiples of an irrational step: no pattern of the significand is favoured.
    spread = (np.arange(1, count + 1) * 0.6180339887498949 % 1 * size).astype(np.uint64)
    return np.concatenate([np.array(edges, np.uint64), spread]) + np.uint64(first)


@lru_cache(maxsize=16)
def windows(format: Format) -> Bits:
    """Return runs of inputs so close together that the true function is almost straight over each: on these an error
    shows whether it is smooth or a noise. Shape (windows, inputs), ascending within each.
    """
    centres = np.array([*_WINDOW_CENTRES, *(-c for c in reversed(_WINDOW_CENTRES))])
    steps = 1 + (np.arange(_WINDOW) - _WINDOW / 2) * 2.0**-6 / _WINDOW
    # Slightly off the round centres, so that the inputs do not end in rows of zero bits.
    values = np.sort(1.00317 * centres[:, None] * steps[None, :], axis=1)
    result: Bits = round_float64(format, values)
    return result
