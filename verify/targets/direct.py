"""A target called in the process that asks, without a process of its own in between: what an exhaustive sweep needs,
whose workers are processes already.
"""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from gelu_verify.errors import InputError
from gelu_verify.formats import Format
from gelu_verify.formats.arrays import native_dtype
from gelu_verify.targets.adapters import Adapter
from gelu_verify.targets.loading import load
from gelu_verify.targets.misbehaviour import Misbehaved, Unsupported
from gelu_verify.targets.specification import Specification


class DirectTarget:
    """A callable from arrays of the format's type to results of that type; loads the target when first called.

    It can be sent to another process, which then loads the target for itself.
    """

    def __init__(self, target: Specification, format: Format) -> None:
        self._target = target
        self._format = format
        self._path = list(sys.path)
        self._adapter: Adapter | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_target": self._target, "_format": self._format, "_path": self._path, "_adapter": None}

    def load(self) -> Adapter:
        """Return the target's adapter; raises InputError where the target cannot be loaded."""
        if self._adapter is None:
            sys.path.extend(entry for entry in self._path if entry not in sys.path)
            self._adapter = load(self._target, self._format)
        return self._adapter

    def __call__(self, inputs: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the results, in the format's own type.

        Raises:
            InputError: there is no usable result, in one line.
        """
        try:
            bits = self.load().forward(inputs)
        except (Misbehaved, Unsupported) as error:
            raise InputError(f"{self._target.text}: {error}") from None
        return np.ascontiguousarray(bits).view(native_dtype(self._format))
