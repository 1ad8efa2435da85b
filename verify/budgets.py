"""Ulp budgets: a file that says how exact each implementation must stay, and that only ever gets stricter.

[[budget]]
target = "mylib.activations:gelu"
function = "gelu"
format = "binary32"
max_ulp = 3
"""

import re
import tomllib
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import function_or_expression
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS, Format
from gelu_verify.formats.arrays import native_dtype, storage_dtype
from gelu_verify.references.correct_rounding import rounded

_KEYS = {"target": str, "function": str, "format": str, "max_ulp": (int, float)}


@dataclass
class Budget:
    """One entry of a budget file.

    Attributes:
        file, place: where it stands: the file, and its number among the entries from 0 on.
        update: whether `check` may lower it.
    """

    target: str
    function: str
    format: str
    max_ulp: float
    file: Path
    place: int
    update: bool = False

    @property
    def id(self) -> str:
        """Name of the budget in a test's id."""
        return f"{self.target}-{self.function}-{self.format}"

    def check(self) -> None:
        """Measure the target and raise an AssertionError when it exceeds its budget or anything else is wrong with it.

        Under --gelu-update, a budget larger than needed is lowered in the file to the next whole number of ulp.

        Raises:
            AssertionError, InputError: as `assert_gelu_accurate`.
        """
        from gelu_verify.assertion import assert_gelu_accurate, measure_accuracy
        from gelu_verify.formats import get_format
        from gelu_verify.targets import parse_target
        from gelu_verify.targets.loading import load_callable

        call = load_callable(parse_target(self.target))
        assert_gelu_accurate(call, self.function, self.format, self.max_ulp)
        measured = max(ceil(measure_accuracy(call, self.function, get_format(self.format).name).max_ulp), 1)
        if self.update and measured < self.max_ulp:
            self._lower_to(measured)

    def _lower_to(self, measured: int) -> None:
        """Replace the number in the file, and nothing else of it."""
        text = self.file.read_text(encoding="utf-8")
        starts = [match.start() for match in re.finditer(r"^\s*\[\[budget\]\]", text, re.MULTILINE)]
        start = starts[self.place]
        stop = starts[self.place + 1] if self.place + 1 < len(starts) else len(text)
        entry = re.sub(r"^(\s*max_ulp\s*=\s*)[0-9.eE+_-]+", rf"\g<1>{measured}", text[start:stop], flags=re.MULTILINE)
        self.file.write_text(text[:start] + entry + text[stop:], encoding="utf-8")
        self.max_ulp = float(measured)


def read_budgets(file: Path) -> list[Budget]:
    """Return the entries of a budget file.

    Raises:
        InputError: there is no such file, it is no TOML, or an entry lacks a key.
    """
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {file}: {(error.strerror or str(error)).lower()}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file} is no TOML: {error}") from None
    entries = document.get("budget", [])
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{file} has no [[budget]]; an entry has target, function, format and max_ulp")
    return [_budget(file, place, entry) for place, entry in enumerate(entries)]


def _budget(file: Path, place: int, entry: dict[str, Any]) -> Budget:
    for key, kind in _KEYS.items():
        if not isinstance(entry.get(key), kind):  # type: ignore[arg-type]
            raise InputError(f"budget {place + 1} in {file} has no usable {key!r}; it has {', '.join(_KEYS)}")
    return Budget(file=file, place=place, **{key: entry[key] for key in _KEYS})


def reference_array(x: npt.NDArray[Any], function: str = "gelu", derivative: int = 0) -> npt.NDArray[Any]:
    """Return the correctly rounded values at an array of float16, float32, float64 or an ml_dtypes type.

    Raises:
        InputError: the array has another type.
    """
    format = _format_of(x.dtype)
    catalogue_function = function_or_expression(function)
    bits = np.ascontiguousarray(x).view(storage_dtype(format)).ravel().tolist()
    results = np.array([rounded(catalogue_function, b, format, derivative) for b in bits], storage_dtype(format))
    return results.view(native_dtype(format)).reshape(x.shape)


def _format_of(dtype: np.dtype[Any]) -> Format:
    for format in FORMATS.values():
        if dtype.itemsize * 8 == format.width and native_dtype(format) == dtype:
            return format
    raise InputError(f"arrays of {dtype} are none of {', '.join(FORMATS)}")
