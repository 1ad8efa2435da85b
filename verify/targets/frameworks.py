"""Adapters of the frameworks: torch, JAX and onnxruntime, each imported only when a target needs it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from gelu_verify.errors import InputError
from gelu_verify.formats import Format
from gelu_verify.formats.arrays import storage_dtype
from gelu_verify.targets.adapters import checked, described
from gelu_verify.targets.misbehaviour import Foreign, Misbehaved, Misdeed, Unsupported

Array = npt.NDArray[Any]


class TorchAdapter:
    """A callable on torch tensors; the memory is shared, not copied, on the CPU."""

    framework = "torch"

    def __init__(self, call: Callable[..., Any], format: Format, device: str = "") -> None:
        import torch

        self._torch = torch
        self._call = call
        self._format = format
        self._device = device
        names = {"binary16": "float16", "bfloat16": "bfloat16", "binary32": "float32", "binary64": "float64"}
        names |= {"e4m3fn": "float8_e4m3fn", "e5m2": "float8_e5m2"}
        self._dtype = getattr(torch, names[format.name])
        self._integers = {8: torch.uint8, 16: torch.int16, 32: torch.int32, 64: torch.int64}[format.width]

    def _tensor(self, array: Array) -> Any:
        if any(stride < 0 for stride in array.strides):
            raise Unsupported("torch tensors have no negative strides")
        signed = array.view(f"i{array.itemsize}") if array.itemsize > 1 else array.view("u1")
        tensor = self._torch.from_dlpack(signed).view(self._dtype)
        return tensor.to(self._device) if self._device else tensor

    def _encodings(self, result: Any, like: Array) -> Array:
        if not isinstance(result, self._torch.Tensor):
            raise Foreign(Misdeed.WRONG_DTYPE, f"a tensor was expected, the result is {described(result)}")
        if tuple(result.shape) != like.shape:
            detail = f"input of shape {like.shape}, result of shape {tuple(result.shape)}"
            raise Misbehaved(Misdeed.WRONG_SHAPE, detail)
        if result.dtype != self._dtype:
            raise Misbehaved(Misdeed.WRONG_DTYPE, f"input of type {self._dtype}, result of type {result.dtype}")
        memory = result.detach().cpu().contiguous().view(self._integers).numpy()
        encodings: Array = memory.view(storage_dtype(self._format)).reshape(like.shape)
        return encodings

    def forward(self, *inputs: Array) -> Array:
        """Call without recording a graph."""
        with self._torch.no_grad():
            return self._encodings(self._call(*map(self._tensor, inputs)), inputs[0])

    def gradient(self, *inputs: Array) -> Array:
        """Differentiate by autograd with an upstream gradient of 1."""
        tensor = self._tensor(inputs[0]).clone().requires_grad_(True)
        result = self._call(tensor)
        result.backward(self._torch.ones_like(result))
        if tensor.grad is None:
            raise Misbehaved(Misdeed.EXCEPTION, "autograd left no gradient")
        return self._encodings(tensor.grad, inputs[0])


class JaxAdapter:
    """A callable on JAX arrays."""

    framework = "jax"

    def __init__(self, call: Callable[..., Any], format: Format, device: str = "") -> None:
        import jax

        if format.name == "binary64":
            jax.config.update("jax_enable_x64", True)
        self._jax = jax
        self._call = call
        self._format = format
        self._device = jax.devices(device)[0] if device else None

    def _array(self, array: Array) -> Any:
        if self._device is not None:
            return self._jax.device_put(array, self._device)
        return self._jax.numpy.asarray(array)

    def _encodings(self, result: Any, like: Array) -> Array:
        if not isinstance(result, self._jax.Array):
            raise Foreign(Misdeed.WRONG_DTYPE, f"a JAX array was expected, the result is {described(result)}")
        return checked(np.asarray(result), like, self._format)

    def forward(self, *inputs: Array) -> Array:
        """Call on device arrays."""
        return self._encodings(self._call(*map(self._array, inputs)), inputs[0])

    def gradient(self, *inputs: Array) -> Array:
        """Differentiate by `jax.vjp` with an upstream gradient of 1."""
        result, pull_back = self._jax.vjp(self._call, self._array(inputs[0]))
        return self._encodings(pull_back(self._jax.numpy.ones_like(result))[0], inputs[0])


class OnnxAdapter:
    """An ONNX model with one floating input and one output, run by onnxruntime on the CPU."""

    framework = "onnx"
    _TYPES = {"binary16": "tensor(float16)", "binary32": "tensor(float)", "binary64": "tensor(double)"}  # noqa: RUF012

    def __init__(self, path: str, format: Format) -> None:
        self._session = _onnx_session(path)
        inputs = self._session.get_inputs()
        if len(inputs) != 1 or inputs[0].type != self._TYPES.get(format.name):
            found = ", ".join(f"{item.name}: {item.type}" for item in inputs)
            raise InputError(f"{path!r} takes ({found}); one {format.name} input is needed")
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
        (result,) = self._session.run(None, {self._name: array})
        if result.shape != array.shape:
            raise Misbehaved(Misdeed.WRONG_SHAPE, f"input of shape {array.shape}, result of shape {result.shape}")
        return np.asarray(result)

    def gradient(self, *inputs: Array) -> Array:
        """Refuse: an inference session has no derivative."""
        raise Unsupported("an ONNX model has no automatic gradient; give one of its own with --gradient")


def _onnx_session(path: str) -> Any:
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
