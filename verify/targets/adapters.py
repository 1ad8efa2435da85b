"""Feeding an implementation what it expects: NumPy arrays, tensors, Python floats, pointers, bytes.

An adapter turns a callable of whatever kind into one that maps a NumPy array of the format's type to an array of bits,
or raises `Misbehaved`. This module runs in the worker process.
"""

import contextlib
import ctypes
import io
import os
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from typing import IO, Any, Protocol

import numpy as np
import numpy.typing as npt

from gelu_verify.errors import InputError, reason
from gelu_verify.formats import Format
from gelu_verify.formats.arrays import native_dtype, storage_dtype
from gelu_verify.targets.misbehaviour import (
    LONGEST_COMPLAINT,
    Foreign,
    Misbehaved,
    Misdeed,
    Unsupported,
    last_complaint,
)

Array = npt.NDArray[Any]

_FILL, _OTHER_FILL = 0xA5, 0x5A  # what an output and the memory beside it are full of before a C function is called


class Adapter(Protocol):
    """An implementation that can be fed NumPy arrays."""

    framework: str

    def forward(self, *inputs: Array) -> Array:
        """Return the results as encodings, in the shape of the first input."""

    def gradient(self, *inputs: Array) -> Array:
        """Return the derivative by automatic differentiation as encodings; `InputError` where there is none."""


def checked(result: Array, like: Array, format: Format) -> Array:
    """Return the encodings of a result after comparing its shape and type with the input's."""
    if result.shape != like.shape:
        raise Misbehaved(Misdeed.WRONG_SHAPE, f"input of shape {like.shape}, result of shape {result.shape}")
    if result.dtype != native_dtype(format):
        raise Misbehaved(Misdeed.WRONG_DTYPE, f"input of type {native_dtype(format)}, result of type {result.dtype}")
    return np.ascontiguousarray(result).view(storage_dtype(format)).reshape(like.shape)


class NumPyAdapter:
    """A callable that takes and returns NumPy arrays."""

    framework = "numpy"

    def __init__(self, call: Callable[..., Any], format: Format) -> None:
        self._call = call
        self._format = format

    def forward(self, *inputs: Array) -> Array:
        """Call with the arrays themselves."""
        with np.errstate(all="ignore"):
            result = self._call(*inputs)
        if not isinstance(result, (np.ndarray, np.generic)):
            raise Foreign(Misdeed.WRONG_DTYPE, f"a NumPy array was expected, the result is {described(result)}")
        return checked(np.asarray(result), inputs[0], self._format)

    def gradient(self, *inputs: Array) -> Array:
        """Refuse: NumPy code has no automatic derivative."""
        raise InputError("a NumPy callable has no automatic gradient; give one of its own with --gradient")


class ScalarAdapter:
    """A callable that takes and returns one Python float."""

    framework = "scalar"

    def __init__(self, call: Callable[..., Any], format: Format) -> None:
        self._call = call
        self._format = format

    def forward(self, *inputs: Array) -> Array:
        """Call once for each element; the binary64 result is rounded to the format."""
        rows = zip(*(array.astype(np.float64).ravel().tolist() for array in inputs), strict=True)
        results = [self._call(*row) for row in rows]
        if not all(isinstance(result, (int, float)) for result in results):
            wrong = next(result for result in results if not isinstance(result, (int, float)))
            raise Foreign(Misdeed.WRONG_DTYPE, f"a float was expected, the result is {described(wrong)}")
        with np.errstate(all="ignore"):
            array = np.array(results, np.float64).astype(native_dtype(self._format)).reshape(inputs[0].shape)
        return checked(array, inputs[0], self._format)

    def gradient(self, *inputs: Array) -> Array:
        """Refuse: a scalar function has no automatic derivative."""
        raise InputError("a scalar callable has no automatic gradient; give one of its own with --gradient")


class LibraryAdapter:
    """A C function `void f(const T *x, T *y, size_t n)`; a gated unit has two inputs before the output."""

    framework = "c"
    _GUARD = 4096  # bytes watched on either side of the output

    def __init__(self, path: str, symbol: str, format: Format) -> None:
        from pathlib import Path

        try:
            self._call = getattr(ctypes.CDLL(str(Path(path).resolve())), symbol)
        except (OSError, AttributeError) as error:
            raise InputError(f"cannot load {symbol!r} from {path!r}: {str(error).splitlines()[0]}") from None
        self._call.restype = None
        self._format = format

    def forward(self, *inputs: Array) -> Array:
        """Call with pointers; the bytes around the output must stay as they were."""
        if any(not array.flags.c_contiguous or array.ndim != 1 for array in inputs):
            raise Unsupported("a C function takes contiguous memory")
        output = self._called(inputs, _FILL)
        if inputs[0].size and np.all(output == _FILL) and np.all(self._called(inputs, _OTHER_FILL) == _OTHER_FILL):
            detail = (
                f"{inputs[0].size} elements given, none written: it is called as void f(const T *x, T *y, size_t n)"
            )
            raise Misbehaved(Misdeed.WRONG_SHAPE, detail)
        return output.view(storage_dtype(self._format))

    def _called(self, inputs: Sequence[Array], fill: int) -> npt.NDArray[np.uint8]:
        """Call with an output full of one byte, and return its bytes after the call."""
        size = inputs[0].nbytes
        memory = np.full(self._GUARD + size + self._GUARD, fill, np.uint8)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in inputs]
        self._call(*pointers, ctypes.c_void_p(memory.ctypes.data + self._GUARD), ctypes.c_size_t(inputs[0].size))
        if np.any(memory[: self._GUARD] != fill) or np.any(memory[self._GUARD + size :] != fill):
            raise Misbehaved(Misdeed.OVERRUN, f"{inputs[0].size} elements given, memory beside the output was written")
        return memory[self._GUARD : self._GUARD + size].copy()

    def gradient(self, *inputs: Array) -> Array:
        """Refuse: C code has no automatic derivative."""
        raise InputError("a C function has no automatic gradient; give one of its own with --gradient")


class PipeAdapter:
    """A command that reads raw little-endian numbers from its standard input and writes as many to its output."""

    framework = "pipe"

    def __init__(self, command: str, format: Format) -> None:
        self._words = shlex.split(command)
        self._storage = storage_dtype(format).newbyteorder("<")
        self._format = format

    def forward(self, *inputs: Array) -> Array:
        """Run the command once; inputs follow one another."""
        if any(array.ndim != 1 for array in inputs):
            raise Unsupported("a pipe carries a sequence of numbers")
        data = b"".join(array.view(storage_dtype(self._format)).astype(self._storage).tobytes() for array in inputs)
        output, code, last = self._run(data, inputs[0].nbytes)
        if len(output) > inputs[0].nbytes:
            raise Misbehaved(Misdeed.WRONG_SHAPE, f"{inputs[0].nbytes} bytes given, more returned")
        if code:
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise Misbehaved(Misdeed.CRASH, how + (f": {last}" if last else ""))
        if len(output) != inputs[0].nbytes:
            raise Misbehaved(Misdeed.WRONG_SHAPE, f"{inputs[0].nbytes} bytes given, {len(output)} bytes returned")
        return np.frombuffer(output, self._storage).astype(storage_dtype(self._format))

    def _run(self, data: bytes, expected: int) -> tuple[bytes, int, str]:
        """Return the output, the exit code and the last line of complaint. A command that writes more than `expected`
        bytes is stopped there: it may never end.
        """
        with tempfile.TemporaryFile() as complaints:
            try:
                process = subprocess.Popen(
                    self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints
                )
            except OSError as error:
                raise InputError(f"cannot run {self._words[0]!r}: {reason(error)}") from None
            feeder = threading.Thread(target=_feed, args=(process.stdin, data), daemon=True)
            feeder.start()
            with contextlib.closing(process.stdout or io.BytesIO()) as stream:
                output = stream.read(expected + 1)
            if len(output) > expected:
                process.kill()
            code = process.wait()
            feeder.join()
            complaints.seek(max(complaints.seek(0, os.SEEK_END) - LONGEST_COMPLAINT, 0))
            return output, code, last_complaint(complaints.read())

    def gradient(self, *inputs: Array) -> Array:
        """Refuse: a command has no automatic derivative."""
        raise InputError("a command has no automatic gradient; give one of its own with --gradient")


def _feed(stream: IO[bytes] | None, data: bytes) -> None:
    """Write to a command that may stop reading at any time."""
    if stream is not None:
        with contextlib.suppress(BrokenPipeError), stream:
            stream.write(data)


def described(result: object) -> str:
    """Return a phrase that names the type of a result."""
    if result is None:
        return "None (a function that works in place is to return its array)"
    return f"of type {type(result).__module__}.{type(result).__qualname__}"
