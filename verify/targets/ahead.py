"""Asking a target for more than the next few results, where what comes next is known.

A sweep calls with one small array of consecutive encodings after the other, so that its own numbers stay in the
processor's cache. For a target in another process, or one that is started anew for every call, each call costs far
more than its numbers do.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.formats import Format
from gelu_verify.formats.arrays import storage_dtype
from gelu_verify.targets.misbehaviour import Misbehaved

Bits = npt.NDArray[Any]

_WITHIN = 9  # bits of an encoding by which all in a block agree: the sign and the exponent of binary32
_SHARE = 1 / 16  # of the time limit that a block may be expected to take


class ReadAhead:
    """A function of encodings, called with whole blocks of them.

    Arguments:
        evaluate: the function; it may raise `Misbehaved`.
        block: the most encodings in one call.
        timeout: seconds that one call may take. A function so slow that a block could come near it is asked for no
            more than what is needed, and so is one that fails anywhere in a block.
    """

    def __init__(self, evaluate: Callable[[Bits], Bits], format: Format, block: int, timeout: float) -> None:
        self._evaluate = evaluate
        self._storage = storage_dtype(format)
        self._block = 1 << min(block.bit_length() - 1, max(format.width - _WITHIN, 0))
        self._timeout = timeout
        self._worth = True
        self._timed = False
        self._first = 0
        self._known = np.empty(0, self._storage)

    def __call__(self, bits: Bits) -> Bits:
        """Return the results at consecutive encodings in ascending order."""
        first = int(bits[0])
        place = first - self._first
        if place >= 0 and place + bits.size <= self._known.size:
            return self._known[place : place + bits.size]
        if not self._timed:
            return self._judged_by_time(bits)
        if self._worth and first % self._block == 0 and bits.size < self._block:
            self._read(first)
            return self._known[: bits.size] if self._worth else self._evaluate(bits)
        return self._evaluate(bits)

    def _judged_by_time(self, bits: Bits) -> Bits:
        self._evaluate(bits)  # the first call may compile or load
        start = time.monotonic()
        results = self._evaluate(bits)
        expected = (time.monotonic() - start) * self._block / bits.size
        self._worth, self._timed = expected < _SHARE * self._timeout, True
        return results

    def _read(self, first: int) -> None:
        try:
            self._known = self._evaluate(np.arange(first, first + self._block).astype(self._storage))
            self._first = first
        except Misbehaved:
            self._worth = False  # perhaps at an input that nobody has asked for
