"""Calling an implementation for consecutive encodings, a chunk at a time, and looking at what comes back."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import arrays
from gelu_verify.references.spans import CHUNK
from gelu_verify.sweep.buffers import Encodings
from gelu_verify.sweep.results import Results

Array = npt.NDArray[Any]
Call = Callable[[Array], Array]


class Calls:
    """An implementation, and the buffer from which it is given its inputs."""

    def __init__(self, call: Call, inputs: Encodings) -> None:
        self._call = call
        self._inputs = inputs
        self._format = inputs.format
        self._storage, self._native = arrays.storage_dtype(self._format), arrays.native_dtype(self._format)

    def results(self, first: int, count: int) -> Results:
        """Call the implementation for `count` encodings from `first` on.

        Raises:
            InputError: it fails, or returns something else than an array of the format's type and of this length.
        """
        returned = self._called(self._inputs.inputs(first, count), first)
        if not isinstance(returned, np.ndarray) or returned.shape != (count,) or returned.dtype != self._native:
            raise InputError(
                f"the implementation must return an array of {self._native} and shape ({count},); it returned "
                f"{_described(returned)}"
            )
        if self._inputs.shares_memory(returned):
            returned = returned.copy()
        returned = np.ascontiguousarray(returned)
        bits = returned.view(self._storage)
        return Results(first, bits, returned if self._native == np.float32 else arrays.to_float64(self._format, bits))

    def _called(self, inputs: Array, first: int) -> object:
        try:
            return self._call(inputs)
        except IncompleteError:  # its process could not be started, which says nothing of the implementation
            raise
        except Exception as error:
            described = f"{type(error).__name__}: {error}".splitlines()[0]
            place = self._format.bits_text(first)
            raise InputError(
                f"the implementation failed for {len(inputs)} inputs from {place} on: {described}"
            ) from error


def chunks(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Cut a range of encodings at the multiples of the chunk's size, where the parts of the pieces end too."""
    while start < stop:
        end = min(stop, (start // CHUNK + 1) * CHUNK)
        yield start, end - start
        start = end


def _described(returned: object) -> str:
    if isinstance(returned, np.ndarray):
        return f"an array of {returned.dtype} and shape {returned.shape}"
    return f"a {type(returned).__name__}"
