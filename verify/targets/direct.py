"""A target as a plain function of arrays that can be sent to another process: what a sweep or a sampled run calls."""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.errors import InputError
from gelu_verify.formats import Format
from gelu_verify.formats.arrays import native_dtype, storage_dtype
from gelu_verify.targets.ahead import ReadAhead
from gelu_verify.targets.misbehaviour import Misbehaved, Unsupported
from gelu_verify.targets.process import DEFAULT_BATCH, FORWARD, IsolatedTarget
from gelu_verify.targets.specification import Specification


class DirectTarget:
    """A callable from arrays of the format's type to results of that type; starts the target when first called.

    Every process that calls it has the target in yet another one, so that neither a crash nor a changed rounding mode
    reaches the sweep.
    """

    def __init__(
        self,
        target: Specification,
        format: Format,
        *,
        gradient: Specification | None = None,
        timeout: float = 60.0,
        operation: str = FORWARD,
        batch: int = DEFAULT_BATCH,
    ) -> None:
        self._setup: dict[str, Any] = {
            "target": target,
            "format": format,
            "gradient": gradient,
            "timeout": timeout,
            "batch": batch,
        }
        self._operation = operation
        self._path = list(sys.path)
        self._open: IsolatedTarget | None = None
        self._ahead: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {
            "_setup": self._setup,
            "_operation": self._operation,
            "_path": self._path,
            "_open": None,
            "_ahead": None,
        }

    def __call__(self, inputs: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the results, in the format's own type.

        Raises:
            InputError: there is no usable result, in one line.
        """
        format: Format = self._setup["format"]
        if self._ahead is None:
            sys.path.extend(entry for entry in self._path if entry not in sys.path)
            self._open = IsolatedTarget(**self._setup)
            evaluate = partial(self._open.evaluate, operation=self._operation)
            if format.width <= 32:
                self._ahead = ReadAhead(evaluate, format, self._setup["batch"], self._setup["timeout"])
            else:  # never run in a row: the inputs of a sampled run are scattered
                self._ahead = evaluate
        try:
            bits = self._ahead(inputs.view(storage_dtype(format)))
        except (Misbehaved, Unsupported) as error:
            raise InputError(f"{self._setup['target'].text}: {error}") from None
        return np.ascontiguousarray(bits).view(native_dtype(format))

    def close(self) -> None:
        """End the target's process, if this process started one."""
        if self._open is not None:
            self._open.close()
            self._open = self._ahead = None
