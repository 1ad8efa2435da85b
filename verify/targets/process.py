"""Implementations as the checks see them: encodings in, encodings out, or `Misbehaved`.

`IsolatedTarget` runs a stranger's code in a process of its own, so that a crash, an endless loop, megabytes of output
or a changed rounding mode end there. `InProcess` calls a Python callable directly, where it is trusted or where the
caller is the test that owns it.
"""

import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gelu_verify.errors import InputError
from gelu_verify.formats import Format
from gelu_verify.formats.arrays import native_dtype, storage_dtype
from gelu_verify.targets.channel import Channel
from gelu_verify.targets.layouts import Layout, arrange
from gelu_verify.targets.loading import adapt
from gelu_verify.targets.misbehaviour import Misbehaved, Misdeed, Unsupported, in_one_line
from gelu_verify.targets.specification import Specification

Bits = npt.NDArray[Any]

FORWARD, GRADIENT = "forward", "gradient"
DEFAULT_TIMEOUT = 60.0  # seconds for one call
DEFAULT_BATCH = 1 << 20  # elements in one call


class Target(Protocol):
    """An implementation under test.

    Attributes:
        name: what to call it in messages and commands.
        format: the format of its inputs and results.
        framework: what it is fed: numpy, torch, jax, scalar, onnx, c or pipe.
        side_effects: what its calls, or loading it, were seen to change in the process, in words.
    """

    name: str
    format: Format
    framework: str
    side_effects: set[str]

    def evaluate(self, *inputs: Bits, layout: Layout = Layout.CONTIGUOUS, operation: str = FORWARD) -> Bits:
        """Return the results at one-dimensional arrays of encodings, in order.

        Raises:
            Misbehaved: there is no usable result.
            Unsupported: the target cannot be fed so.
            InputError: it has no gradient.
        """

    def close(self) -> None:
        """Release what the target holds."""


class InProcess:
    """A Python callable called directly."""

    def __init__(
        self,
        call: Callable[..., Any],
        format: Format,
        *,
        gradient: Callable[..., Any] | None = None,
        name: str = "",
        framework: str = "auto",
        device: str = "",
        inputs: int = 1,
    ) -> None:
        self.name = name or getattr(call, "__qualname__", repr(call))
        self.format = format
        self.side_effects: set[str] = set()
        self._adapter = adapt(call, format, framework, device, inputs)
        self._gradient = None if gradient is None else adapt(gradient, format, framework, device, inputs)
        self.framework = self._adapter.framework

    def evaluate(self, *inputs: Bits, layout: Layout = Layout.CONTIGUOUS, operation: str = FORWARD) -> Bits:
        """Call with arrays of the format's own type; an exception of the callable becomes `Misbehaved`."""
        arrays = [arrange(np.array(bits).view(native_dtype(self.format)), layout) for bits in inputs]
        try:
            if operation == FORWARD:
                result = self._adapter.forward(*arrays)
            elif self._gradient is not None:
                result = self._gradient.forward(*arrays)
            else:
                result = self._adapter.gradient(*arrays)
        except (Misbehaved, Unsupported, InputError):
            raise
        except Exception as error:
            raise Misbehaved(Misdeed.EXCEPTION, in_one_line(error)) from error
        return np.array(result).ravel()

    def close(self) -> None:
        """Nothing is held."""


class IsolatedTarget:
    """An implementation in a process of its own, which is started again after every crash and every hang.

    Arguments:
        target: where the implementation is found.
        gradient: where its backward pass is found, if it is not to be differentiated automatically.
        timeout: seconds for one call.
        batch: the most elements in one call.

    Raises:
        InputError: the target cannot be loaded.
    """

    def __init__(
        self,
        target: Specification,
        format: Format,
        *,
        gradient: Specification | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        batch: int = DEFAULT_BATCH,
    ) -> None:
        self.name = target.text
        self.format = format
        self.timeout = timeout
        self.side_effects: set[str] = set()
        self._batch = batch
        self._inputs = target.inputs
        self._setup: dict[str, Any] = {
            "target": asdict(target),
            "gradient": None if gradient is None else asdict(gradient),
            "format": format.name,
            "path": sys.path,
        }
        self._channel: Channel | None = None
        self.framework = ""
        self._start()

    def evaluate(self, *inputs: Bits, layout: Layout = Layout.CONTIGUOUS, operation: str = FORWARD) -> Bits:
        """Send the encodings to the process, in pieces of `batch`, and wait at most `timeout` for each."""
        size = inputs[0].size
        if size <= self._batch:
            return self._one_call(inputs, layout, operation)
        pieces = [
            self._one_call([bits[start : start + self._batch] for bits in inputs], layout, operation)
            for start in range(0, size, self._batch)
        ]
        return np.concatenate(pieces)

    def close(self) -> None:
        """End the process."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def _start(self) -> Channel:
        width = storage_dtype(self.format).itemsize
        channel = Channel(self._batch * width)
        try:
            reply = channel.ask(self._setup, max(self.timeout, DEFAULT_TIMEOUT))
            if reply.get("imported"):
                reply = self._first_try(channel)
            if "input_error" in reply:
                raise InputError(reply["input_error"])
        except BaseException:
            channel.close()
            raise
        if "framework" not in reply:
            channel.close()
            return self._start()
        self.framework = reply["framework"]
        self.side_effects.update(reply["changed"])
        self._channel = channel
        return channel

    def _first_try(self, channel: Channel) -> dict[str, Any]:
        """Let the worker find out what the callable is fed with. One that does not survive that is fed NumPy arrays
        untried from then on: a check will tell what it does.
        """
        try:
            return channel.ask({}, self.timeout)
        except Misbehaved:
            target = self._setup["target"]
            if target["framework"] != "auto":
                raise
            target["framework"] = "numpy"
            return {}

    def _one_call(self, inputs: Any, layout: Layout, operation: str) -> Bits:
        channel = self._channel or self._start()
        for part, bits in enumerate(inputs):
            channel.write(part, bits)
        command = {"operation": operation, "count": int(inputs[0].size), "layout": layout}
        try:
            reply = channel.ask(command, self.timeout)
        except BaseException:
            self.close()
            raise
        if "misdeed" in reply:
            raise Misbehaved(Misdeed(reply["misdeed"]), reply["detail"])
        if "unsupported" in reply:
            raise Unsupported(reply["unsupported"])
        if "input_error" in reply:
            raise InputError(reply["input_error"])
        self.side_effects.update(reply["changed"])
        return channel.read(storage_dtype(self.format), inputs[0].size)
