"""The buffer with the inputs of a chunk, which also serves to compare results with what they should be.

Where a function rounds to x or to 2^k x, the results expected for consecutive encodings are consecutive encodings
themselves. So the buffer of the inputs, moved on by the difference, is what the results must equal: no second buffer
has to pass through the caches, and two pieces of memory are compared without an array of flags.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.formats import Format, arrays
from gelu_verify.references.anchored import expected_bits
from gelu_verify.references.partition import Anchored
from gelu_verify.references.spans import CHUNK

Array = npt.NDArray[Any]


class Encodings:
    """Consecutive encodings in a buffer that moves on in place."""

    def __init__(self, format: Format) -> None:
        self.format = format
        storage = arrays.storage_dtype(format)
        self._memory = bytearray(CHUNK * storage.itemsize)
        self._bits = np.frombuffer(self._memory, storage)
        self._bits[:] = np.arange(CHUNK, dtype=np.uint64)
        # What an implementation is given: nobody who holds it can make it writable.
        self._inputs = np.frombuffer(memoryview(self._memory).toreadonly(), arrays.native_dtype(format))
        self._first = 0
        self._modulus = 1 << format.width
        self._constant = -1
        self._constant_memory = bytearray()

    def inputs(self, first: int, count: int) -> Array:
        """Return the `count` numbers with the encodings from `first` on, as `move_to` does, in a read-only array."""
        self.move_to(first)
        return self._inputs if count == CHUNK else self._inputs[:count]

    def move_to(self, first: int, count: int = CHUNK) -> Array:
        """Return an array of `count` encodings from `first` on, valid until the next call of any method."""
        step = (first - self._first) % self._modulus
        if step:
            np.add(self._bits, self._bits.dtype.type(step), out=self._bits)
            self._first = first
        return self._bits[:count]

    def shares_memory(self, other: Array) -> bool:
        """Tell whether an array may be a view of this buffer."""
        return bool(np.may_share_memory(self._bits, other))

    def expected(self, piece: Anchored, first: int, results: Array) -> bool:
        """Tell whether the results for encodings from `first` on are all the correctly rounded ones of the piece."""
        if piece.scale is None:
            return self._equal_constant(piece.constant, results)
        start = self._shifted_start(piece.scale, first)
        if start is None:
            return bool(np.array_equal(results, expected_bits(piece, first, len(results))))
        expected = self.move_to(start, len(results))
        if len(results) == CHUNK:
            return bool(self._memory == results.data)
        return bool(np.array_equal(expected, results))

    def _shifted_start(self, scale: tuple[int, int], first: int) -> int | None:
        """Return the encoding of 2^k x for the first x, if from there on it is a step of the exponent field."""
        exponent, sign = scale
        field = (first & ~self.format.sign_mask) >> self.format.fraction_bits
        if exponent and (field < 1 or field + exponent < 1):
            return None
        return first + (exponent << self.format.fraction_bits) ^ (self.format.sign_mask if sign < 0 else 0)

    def _equal_constant(self, constant: int, results: Array) -> bool:
        if len(results) != CHUNK:
            return bool(np.all(results == constant))
        if self._constant != constant:
            self._constant = constant
            self._constant_memory = bytearray(np.full(CHUNK, constant, results.dtype).tobytes())
        return bool(self._constant_memory == results.data)
