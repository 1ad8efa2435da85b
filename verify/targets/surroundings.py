"""What a callable may change behind its caller's back, noticed and put back after every call."""

import ctypes
import ctypes.util
import os
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from gelu_verify.formats.arrays import subnormals_are_flushed

_SUBNORMALS, _ROUNDING = "the treatment of subnormal numbers", "the rounding mode"
ARITHMETIC = (_SUBNORMALS, _ROUNDING)
ON_LOADING = " as soon as it is loaded"


class Surroundings:
    """The state of the process that a pure function leaves alone."""

    def __init__(self) -> None:
        library = ctypes.util.find_library("m")
        self._libm = ctypes.CDLL(library) if library else None
        self._before = self._read()

    def changed(self) -> list[str]:
        """Return what differs from the state at the start, in words, and restore it.

        What belongs to a framework counts from the first call on by which the framework is there.
        """
        now = self._read()
        self._before = {**now, **self._before}
        names = [name for name, value in now.items() if value != self._before[name]]
        for name in names:
            self._restore(name)
        return names

    def _read(self) -> dict[str, Any]:
        state: dict[str, Any] = {
            "the working directory": os.getcwd(),  # noqa: PTH109 (compared as text)
            "NumPy's error handling": np.geterr(),
            "NumPy's global random state": _numpy_seed(),
            "Python's global random state": random.getstate(),
            _SUBNORMALS: subnormals_are_flushed(),
        }
        if self._libm is not None:
            state[_ROUNDING] = self._libm.fegetround()
        if (torch := _framework("torch")) is not None:
            state["torch's global random state"] = torch.random.get_rng_state().numpy().tobytes()
            state["torch's default type"] = torch.get_default_dtype()
        if (jax := _framework("jax")) is not None:
            state["JAX's 64-bit mode"] = jax.config.jax_enable_x64
        return state

    def _restore(self, name: str) -> None:
        before = self._before[name]
        actions: dict[str, Callable[[], object]] = {
            "the working directory": lambda: os.chdir(before),
            "NumPy's error handling": lambda: np.seterr(**before),
            "NumPy's global random state": lambda: np.random.set_state(
                (before[0], np.frombuffer(before[1], np.uint32), *before[2:])
            ),
            "Python's global random state": lambda: random.setstate(before),
            "torch's global random state": lambda: sys.modules["torch"].random.set_rng_state(_torch_bytes(before)),
            "torch's default type": lambda: sys.modules["torch"].set_default_dtype(before),
            "JAX's 64-bit mode": lambda: sys.modules["jax"].config.update("jax_enable_x64", before),
            _ROUNDING: self._default_arithmetic,
            _SUBNORMALS: self._default_arithmetic,
        }
        actions[name]()

    def _default_arithmetic(self) -> None:
        """Restore IEEE arithmetic: rounding to nearest, subnormal numbers kept (C11 7.6.4.3, FE_DFL_ENV)."""
        if self._libm is not None:
            self._libm.fesetenv(ctypes.c_void_p(-1))


def _framework(name: str) -> Any:
    """Return a framework that the target has imported; None if it has not, or broke it off halfway."""
    module = sys.modules.get(name)
    return module if hasattr(module, "random") else None


def _torch_bytes(state: bytes) -> Any:
    return sys.modules["torch"].frombuffer(bytearray(state), dtype=sys.modules["torch"].uint8)


def _numpy_seed() -> tuple[Any, ...]:
    state: Any = np.random.get_state()
    kind, keys, *rest = state
    return (kind, keys.tobytes(), *rest)
