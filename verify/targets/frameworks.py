"""Adapters of torch and JAX, each imported only when a target needs it."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
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
        if device:
            _tried(f"torch cannot compute on {device!r} here", lambda: torch.ones(1, device=device).cpu())
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
        leaf = self._tensor(inputs[0]).clone().requires_grad_(True)
        with self._torch.enable_grad():
            result = self._call(leaf.clone())  # a clone may be changed in place, a leaf not
        self._encodings(result, inputs[0])
        if not result.requires_grad:
            detail = "autograd finds no way back from the result: it was detached, or computed outside of torch"
            raise Misbehaved(Misdeed.EXCEPTION, detail)
        (slope,) = self._torch.autograd.grad(result, leaf, self._torch.ones_like(result), allow_unused=True)
        if slope is None:
            raise Misbehaved(Misdeed.EXCEPTION, "autograd finds no way from the result back to the input")
        return self._encodings(slope, inputs[0])


class JaxAdapter:
    """A callable on JAX arrays."""

    framework = "jax"

    def __init__(self, call: Callable[..., Any], format: Format, device: str = "") -> None:
        import jax

        self._jax = jax
        self._sixty_four_bits = format.name == "binary64"
        self._call = call
        self._format = format
        self._device = None
        if device:
            self._device = _tried(f"JAX cannot compute on {device!r} here", lambda: jax.devices(device)[0])

    def _mode(self) -> AbstractContextManager[Any]:
        """Return the mode in which JAX computes in the format: it takes binary64 for binary32 unless told otherwise."""
        mode: AbstractContextManager[Any] = self._jax.enable_x64(True) if self._sixty_four_bits else nullcontext()
        return mode

    def _array(self, array: Array) -> Any:
        """Share the memory where DLPack can express it; bfloat16 and most strides it cannot."""
        if self._device is not None:
            return self._jax.device_put(array, self._device)
        try:
            return self._jax.numpy.from_dlpack(array)
        except (BufferError, RuntimeError):
            return self._jax.numpy.asarray(array)

    def _encodings(self, result: Any, like: Array) -> Array:
        if not isinstance(result, self._jax.Array):
            raise Foreign(Misdeed.WRONG_DTYPE, f"a JAX array was expected, the result is {described(result)}")
        return checked(np.asarray(result), like, self._format)

    def forward(self, *inputs: Array) -> Array:
        """Call on device arrays."""
        with self._mode():
            return self._encodings(self._call(*map(self._array, inputs)), inputs[0])

    def gradient(self, *inputs: Array) -> Array:
        """Differentiate by `jax.vjp` with an upstream gradient of 1."""
        with self._mode():
            result, pull_back = self._jax.vjp(self._call, self._array(inputs[0]))
            self._encodings(result, inputs[0])
            return self._encodings(pull_back(self._jax.numpy.ones_like(result))[0], inputs[0])


def _tried(what: str, action: Callable[[], Any]) -> Any:
    """Return what an action of a framework returns, with whatever it raises told in one line."""
    try:
        return action()
    except Exception as error:  # noqa: BLE001 (each framework and each of its backends raises types of its own)
        raise InputError(f"{what}: {(str(error).splitlines() or [type(error).__name__])[0]}") from None
