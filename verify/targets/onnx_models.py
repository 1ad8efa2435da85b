"""ONNX models, run by onnxruntime, which is imported only when a target needs it."""

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.errors import InputError
from gelu_verify.formats import Format
from gelu_verify.formats.arrays import native_dtype, storage_dtype
from gelu_verify.targets.adapters import checked
from gelu_verify.targets.misbehaviour import Misbehaved, Misdeed, Unsupported

Array = npt.NDArray[Any]

_TYPES = {
    "binary16": "tensor(float16)",
    "bfloat16": "tensor(bfloat16)",
    "binary32": "tensor(float)",
    "binary64": "tensor(double)",
}
_BFLOAT16 = 16  # TensorProto.BFLOAT16 (onnx.proto)


class OnnxAdapter:
    """An ONNX model with one floating input and one output, run by onnxruntime on the CPU."""

    framework = "onnx"

    def __init__(self, path: str, format: Format) -> None:
        self._session = _session(path)
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        if len(inputs) != 1 or inputs[0].type != _TYPES.get(format.name):
            raise InputError(f"{path!r} takes {_listed(inputs)}; one input of {format.name} is needed{_hint(inputs)}")
        if len(outputs) != 1:
            raise InputError(f"{path!r} returns {_listed(outputs)}; one output is needed")
        self._name = inputs[0].name
        # A size that the model leaves open is 0 here.
        self._shape = [size if isinstance(size, int) and size > 0 else 0 for size in inputs[0].shape]
        self._format = format

    def forward(self, *inputs: Array) -> Array:
        """Run the session; where the model fixes a shape, the numbers are padded to fill it."""
        array = inputs[0]
        if array.ndim != 1:
            raise Unsupported("the model's input has a shape of its own")
        unit = int(np.prod([size or 1 for size in self._shape]))
        rows = -(-array.size // unit)
        padded = np.concatenate([array, np.zeros(rows * unit - array.size, array.dtype)])
        if 0 in self._shape:
            open_axis = self._shape.index(0)
            shape = [rows if axis == open_axis else size or 1 for axis, size in enumerate(self._shape)]
            result = self._run(padded.reshape(shape)).ravel()
        else:
            result = np.concatenate([self._run(row.reshape(self._shape)).ravel() for row in padded.reshape(rows, unit)])
        return checked(result[: array.size], array, self._format)

    def _run(self, array: Array) -> Array:
        result = self._exchanged(array) if self._format.name == "bfloat16" else self._fed(array)
        if result.shape != array.shape:
            raise Misbehaved(Misdeed.WRONG_SHAPE, f"input of shape {array.shape}, result of shape {result.shape}")
        return result

    def _fed(self, array: Array) -> Array:
        (result,) = self._session.run(None, {self._name: array})
        return np.asarray(result)

    def _exchanged(self, array: Array) -> Array:
        """Run a model of bfloat16, for which onnxruntime has no NumPy type: the encodings are handed over as bytes."""
        from onnxruntime import OrtValue

        bits = np.ascontiguousarray(array).view(storage_dtype(self._format))
        value = OrtValue.ortvalue_from_numpy_with_onnx_type(bits, _BFLOAT16)
        (result,) = self._session.run_with_ort_values(None, {self._name: value})
        if result.data_type() != _TYPES["bfloat16"]:
            detail = f"input of type {_TYPES['bfloat16']}, result of type {result.data_type()}"
            raise Misbehaved(Misdeed.WRONG_DTYPE, detail)
        raw = ctypes.string_at(result.data_ptr(), result.tensor_size_in_bytes())
        return np.frombuffer(raw, native_dtype(self._format)).reshape(result.shape())

    def gradient(self, *inputs: Array) -> Array:
        """Refuse: an inference session has no derivative."""
        raise InputError("an ONNX model has no automatic gradient; give one of its own with --gradient")


def _listed(ends: Any) -> str:
    return "(" + ", ".join(f"{end.name}: {end.type}" for end in ends) + ")"


def _hint(inputs: Any) -> str:
    """Name the format of a model with one floating input."""
    known = [name for name, type in _TYPES.items() if len(inputs) == 1 and inputs[0].type == type]
    return f": --format {known[0]} fits it" if known else ""


def _session(path: str) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise InputError("an ONNX model needs the package onnxruntime: pip install onnxruntime") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 (onnxruntime raises types of its own, without a common one)
        raise InputError(f"onnxruntime cannot load {path!r}: {str(error).splitlines()[0]}") from None
