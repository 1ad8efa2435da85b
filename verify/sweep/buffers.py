"""The buffers that a sweep fills again and again: the inputs of a chunk, and the results that are expected of it."""

from typing import Any

import numpy as np
import numpy.typing as npt
from gelu_verify.formats import Format, arrays
from gelu_verify.sweep.anchored import expected_bits
from gelu_verify.sweep.partition import Anchored
from gelu_verify.sweep.spans import CHUNK

Array = npt.NDArray[Any]


class Encodings:
    """Consecutive encodings in a buffer, which moves on in place: half the memory traffic of filling it anew."""

    def __init__(self, format: Format) -> None:
        storage = arrays.storage_dtype(format)
        self._memory = bytearray(CHUNK * storage.itemsize)
        self._bits = np.frombuffer(self._memory, storage)
        self._ramp = np.arange(CHUNK, dtype=np.uint64).astype(storage)
        self._first: int | None = None

    def move_to(self, first: int, count: int) -> Array:
        """Return an array of `count` encodings from `first` on, valid until the next call."""
        bits = self._bits[:count]
        if count == CHUNK and self._first == first - CHUNK:
            np.add(bits, bits.dtype.type(CHUNK % (1 << 8 * bits.itemsize)), out=bits)
        else:
            np.add(self._ramp[:count], bits.dtype.type(first), out=bits)
        self._first = first if count == CHUNK else None
        return bits

    def equal(self, other: Array) -> bool:
        """Tell whether `other` has the same bits as what `move_to` returned last."""
        if len(other) == CHUNK and self._first is not None:
            return bool(self._memory == other.data)  # compares memory, without an array of flags
        return bool(np.array_equal(self._bits[: len(other)], other))


class Expected:
    """Compares results in anchored pieces with what they must be, as cheaply as the kind of anchor allows."""

    def __init__(self, format: Format) -> None:
        self._format = format
        self._shifted = Encodings(format)
        self._constant: tuple[int, bytearray] | None = None

    def matches(self, piece: Anchored, first: int, results: Array) -> bool:
        """Tell whether the results for encodings from `first` on are all the correctly rounded ones."""
        count = len(results)
        if piece.scale is None:
            return self._equal_constant(piece.constant, results)
        start = self._shifted_start(piece, first)
        if start is None:
            return bool(np.array_equal(results, expected_bits(piece, first, count)))
        self._shifted.move_to(start, count)
        return self._shifted.equal(results)

    def _shifted_start(self, piece: Anchored, first: int) -> int | None:
        """Return the encoding of 2^k x for the first x if from there on it is a step of the exponent field."""
        exponent, sign = piece.scale or (0, 1)
        field = (first & ~self._format.sign_mask) >> self._format.fraction_bits
        if exponent and (field < 1 or field + exponent < 1):
            return None
        return first + (exponent << self._format.fraction_bits) ^ (self._format.sign_mask if sign < 0 else 0)

    def _equal_constant(self, constant: int, results: Array) -> bool:
        if len(results) != CHUNK:
            return bool(np.all(results == constant))
        if self._constant is None or self._constant[0] != constant:
            self._constant = constant, bytearray(np.full(CHUNK, constant, results.dtype).tobytes())
        return bool(self._constant[1] == results.data)
