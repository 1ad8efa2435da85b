"""Golden vectors: correctly rounded results at inputs that tell implementations apart, as CSV, NPZ or a C header.

The same version writes the same bytes on every machine. Every file says what it holds, who wrote it, and the SHA-256 of
its data: the inputs and results as lines of hexadecimal encodings.
"""

import hashlib
import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gelu_verify import __version__
from gelu_verify.catalogue import Function
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import Format
from gelu_verify.formats.arrays import all_bits, from_ordinals, ordinals, round_float64, storage_dtype
from gelu_verify.references.correct_rounding import rounded
from gelu_verify.references.values import check_order

_CENTRES = (
    *(-14.2, -13.2, -12.5, -10.7, -9.0, -8.0, -6.0, -5.5339069, -5.5, -5.4187, -5.0, -4.0, -3.7, -3.0, -2.6989414),
    *(-2.2703977, -2.0, -1.4142136, -1.0, -0.7517916, -0.75, -0.5, -0.1, -1e-3, -3.1851232e-07, -1e-10, -1e-38),
)
"""Where implementations were seen to fail: tails, thresholds of exponentials, inflections, the minimum, the largest
differences between the forms, ties of tiny inputs. Each is used with both signs."""

_MOST_LISTED = 12  # inputs that are left out
_LONGEST_NAME = 24  # of a formula's letters in an identifier of C
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date a ZIP archive knows


@dataclass(frozen=True, slots=True)
class Vectors:
    """Inputs and correctly rounded results, as encodings.

    Attributes:
        without_value: inputs that are left out since the function has no value there (a kink, no limit).
        undecided: inputs that are left out since the value could not be told from a boundary of rounding.
    """

    function: str
    derivative: int
    format: Format
    inputs: tuple[int, ...]
    results: tuple[int, ...]
    without_value: tuple[int, ...] = ()
    undecided: tuple[int, ...] = ()

    def digest(self) -> str:
        """Return the SHA-256 of the data as hexadecimal text, one line `input,result` for each pair."""
        return hashlib.sha256("".join(self._lines()).encode()).hexdigest()

    def _lines(self) -> list[str]:
        text = self.format.bits_text
        return [f"{text(x)},{text(y)}\n" for x, y in zip(self.inputs, self.results, strict=True)]

    def _header(self) -> list[str]:
        order = f", derivative {self.derivative}" if self.derivative else ""
        return [
            f"{self.function}{order}, correctly rounded to {self.format.name}: {len(self.inputs)} pairs of encodings",
            f"written by gelu-verify {__version__}",
            f"SHA-256 of the lines 'input,result': {self.digest()}",
            *self.left_out(),
        ]

    def left_out(self) -> list[str]:
        """Say which inputs are left out, and why; nothing where all are there."""
        reasons = {"there is no value": self.without_value, "the value could not be told": self.undecided}
        return [f"left out, since {reason}: {self._listed(inputs)}" for reason, inputs in reasons.items() if inputs]

    def _listed(self, inputs: Sequence[int]) -> str:
        shown = " ".join(map(self.format.bits_text, inputs[:_MOST_LISTED]))
        return shown if len(inputs) <= _MOST_LISTED else f"{shown} and {len(inputs) - _MOST_LISTED} more"

    def csv(self) -> str:
        """Return comma-separated encodings under a header of comment lines."""
        return "".join([*(f"# {line}\n" for line in self._header()), "input,result\n", *self._lines()])

    def c_header(self) -> str:
        """Return a C header with two arrays of unsigned integers."""
        name = f"{self._identifier()}_{self.format.name}" + (f"_d{self.derivative}" if self.derivative else "")
        type_name = f"uint{self.format.width}_t"
        arrays = [
            f"static const {type_name} {name}_{what}[{len(values)}] = {{\n"
            + "".join(f"  {self.format.bits_text(bits)},\n" for bits in values)
            + "};\n"
            for what, values in (("inputs", self.inputs), ("results", self.results))
        ]
        comment = "".join(f" * {line}\n" for line in self._header())
        guard = f"GELU_VERIFY_{name.upper()}_H"
        return f"/*\n{comment} */\n#ifndef {guard}\n#define {guard}\n#include <stdint.h>\n\n{''.join(arrays)}\n#endif\n"

    def _identifier(self) -> str:
        """Return the function's name in C: of a formula, one that no other formula has."""
        if self.function.isidentifier():
            return self.function
        letters = re.sub(r"[^0-9A-Za-z]+", "_", self.function).strip("_")[:_LONGEST_NAME]
        return f"f_{letters}_{hashlib.sha256(self.function.encode()).hexdigest()[:8]}"

    def npz(self) -> bytes:
        """Return a NumPy archive with the arrays `inputs`, `results` and the text `about`, without time stamps."""
        dtype = storage_dtype(self.format)
        members = {
            "about": np.array("\n".join(self._header())),
            "inputs": np.array(self.inputs, dtype),
            "results": np.array(self.results, dtype),
        }
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as file:
            for name, array in members.items():
                data = io.BytesIO()
                np.lib.format.write_array(data, array, version=(1, 0))
                file.writestr(zipfile.ZipInfo(f"{name}.npy", _EPOCH), data.getvalue())
        return archive.getvalue()


def discriminating_inputs(format: Format) -> list[int]:
    """Return encodings at which wrong implementations differ from right ones: `hard_inputs`, or all 65,536 or 256
    encodings where the format has no more.
    """
    return [int(bits) for bits in all_bits(format)] if format.width <= 16 else hard_inputs(format)


def hard_inputs(format: Format) -> list[int]:
    """Return special values, both ends of every magnitude the format has, powers of two, and neighbours of the points
    where public code was seen to fail, as encodings.
    """
    centres = round_float64(format, np.array([*_CENTRES, *(-c for c in _CENTRES), 0.0]))
    around = ordinals(format, centres)[:, None] + np.arange(-3, 4)
    powers = [sign * 2.0**exponent for exponent in range(-20, 8) for sign in (1, -1)]
    ends = [1, 2, 3, format.min_normal - 1, format.min_normal, format.max_finite - 1, format.max_finite]
    special = [0, format.nan, *([format.infinity] if format.has_infinity else [])]
    mask = format.sign_mask
    edges = [bits | sign for bits in (*ends, *special) for sign in (0, mask)]
    chosen = {int(bits) for bits in from_ordinals(format, around.ravel())}
    chosen |= {int(bits) for bits in round_float64(format, np.array(powers))}
    return sorted(chosen | set(edges))


def golden_vectors(function: Function, format: Format, derivative: int = 0, inputs: Sequence[int] = ()) -> Vectors:
    """Return correctly rounded results of a function or derivative.

    Arguments:
        inputs: encodings; by default those of `discriminating_inputs`. Inputs without a value are left out, and told.

    Raises:
        InputError: no input has a value, or there is no such derivative.
    """
    check_order(derivative)  # which is no reason to leave an input out
    pairs, without_value, undecided = [], [], []
    for bits in inputs or discriminating_inputs(format):
        try:
            pairs.append((bits, rounded(function, bits, format, derivative)))
        except InputError:
            without_value.append(bits)
        except IncompleteError:
            undecided.append(bits)
    if not pairs:
        raise InputError(f"{function.name} has no value at any of these inputs")
    xs, ys = zip(*pairs, strict=True)
    return Vectors(function.name, derivative, format, xs, ys, tuple(without_value), tuple(undecided))
