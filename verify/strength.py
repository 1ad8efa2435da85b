"""How strong is a test? Which of the seeded wrong implementations would it accept?

A test here is what most are: some inputs, and |got - expected| <= atol + rtol |expected|. It is judged by running every
seeded fault of the same function and format through it, and the right variants too, which it must not refuse.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import get_function
from gelu_verify.checks.probes import probes
from gelu_verify.checks.sample import Sample, compare
from gelu_verify.checks.special_values import special_inputs
from gelu_verify.checks.truth import Truth
from gelu_verify.errors import InputError
from gelu_verify.faults import FAULTS, VARIANTS, Fault, Variant
from gelu_verify.formats import Format, get_format
from gelu_verify.formats.arrays import native_dtype, round_float64, storage_dtype, to_float64

Floats = npt.NDArray[np.float64]
Bits = npt.NDArray[Any]

_ULP_STEPS = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """|got - expected| <= atol + rtol |expected|; NaN is accepted only where NaN is expected."""

    rtol: float
    atol: float


@dataclass(frozen=True, slots=True)
class Preset:
    """A test that many people run.

    Attributes:
        tolerances: by format, or one for all under the empty name.
        inputs: makes the inputs.
    """

    title: str
    tolerances: Mapping[str, Tolerance]
    inputs: Callable[[], Floats]

    def tolerance(self, format: str) -> Tolerance:
        """Return the tolerance for a format.

        Raises:
            InputError: the preset says nothing of the format.
        """
        found = self.tolerances.get(format, self.tolerances.get(""))
        if found is None:
            raise InputError(f"{self.title} has no tolerance for {format}; it has {', '.join(self.tolerances)}")
        return found


def _normal(count: int) -> Floats:
    return np.random.default_rng(0).standard_normal(count)


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "torch-defaults": Preset(
            "torch.testing.assert_close with its defaults on randn(10000)",
            {
                "binary16": Tolerance(1e-3, 1e-5),
                "bfloat16": Tolerance(1.6e-2, 1e-5),
                "binary32": Tolerance(1.3e-6, 1e-5),
                "binary64": Tolerance(1e-7, 1e-7),
            },
            lambda: _normal(10_000),
        ),
        "onnx-node": Preset(
            "ONNX's Gelu node test: rtol 1e-3, atol 1e-7 on {-1, 0, 1}",
            {"": Tolerance(1e-3, 1e-7)},
            lambda: np.array([-1.0, 0.0, 1.0]),
        ),
        "atol-1e-3": Preset(
            "atol 1e-3 on linspace(-10, 10, 1001)", {"": Tolerance(0.0, 1e-3)}, lambda: np.linspace(-10, 10, 1001)
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A fault that a test does not notice, with its largest errors over the whole format (infinite for NaN)."""

    fault: Fault
    max_abs: float
    max_ulp: float


@dataclass(frozen=True, slots=True)
class Strength:
    """What a test accepts.

    Attributes:
        accepted: the faults it does not notice, the strongest (by absolute error) first.
        refused: the faults it notices; blamed: the right variants that it refuses.
    """

    function: str
    format: Format
    accepted: tuple[Accepted, ...]
    refused: tuple[Fault, ...]
    blamed: tuple[Variant, ...]


def seeded_faults(function: str, format: str) -> dict[str, Fault]:
    """Return the seeded faults of a forward pass that claims to be this function in this format.

    Raises:
        InputError: there is none.
    """
    name, known = get_function(function).name, get_format(format).name
    found = {
        id: fault
        for id, fault in FAULTS.items()
        if (fault.function, fault.format, fault.derivative, fault.gated, fault.gradient)
        == (name, known, 0, False, None)
    }
    if not found:
        raise InputError(f"no fault of {name} is seeded in {known}; gelu, gelu_tanh and silu in binary32 have most")
    return found


def seeded_implementations(function: str, format: str = "binary32") -> dict[str, Callable[..., Any]]:
    """Return the callables of `seeded_faults` by id."""
    return {id: fault.call for id, fault in seeded_faults(function, format).items()}


def strength(function: str, format: str, inputs: Floats, tolerance: Tolerance) -> Strength:
    """Run every seeded fault and every right variant through a test.

    Arguments:
        inputs: rounded to the format; the expected values are the correctly rounded ones.

    Raises:
        InputError: no faults are seeded for the function and format.
    """
    chosen = get_format(format)
    bits = round_float64(chosen, inputs)

    def passes(call: Callable[..., Any]) -> bool:
        return _passes(_run(chosen, call, bits), _expected(function, chosen, bits), tolerance)

    faults = seeded_faults(function, format)
    return sort_out(function, chosen, faults, {id: passes(fault.call) for id, fault in faults.items()}, passes)


def sort_out(
    function: str,
    format: Format,
    faults: Mapping[str, Fault],
    passed: Mapping[str, bool],
    passes: Callable[[Callable[..., Any]], bool] | None = None,
) -> Strength:
    """Return what it means that a test passed these faults."""
    accepted = [_accepted(function, format, fault) for id, fault in faults.items() if passed.get(id)]
    accepted.sort(key=lambda entry: (-entry.max_abs, -entry.max_ulp, entry.fault.id))
    refused = tuple(fault for id, fault in faults.items() if not passed.get(id))
    variants = [] if passes is None else _variants(function, format)
    blamed = tuple(variant for variant in variants if passes is not None and not passes(variant.call))
    return Strength(function, format, tuple(accepted), refused, blamed)


def _variants(function: str, format: Format) -> list[Variant]:
    return [
        variant
        for variant in VARIANTS.values()
        if (variant.function, variant.format, variant.derivative, variant.gated) == (function, format.name, 0, False)
        and not variant.flush_subnormals
    ]


def _run(format: Format, call: Callable[..., Any], bits: Bits) -> Floats:
    with np.errstate(all="ignore"):
        result = call(bits.view(native_dtype(format)))
    return to_float64(format, np.ascontiguousarray(result).view(storage_dtype(format)))


def _expected(function: str, format: Format, bits: Bits) -> Floats:
    """Return the right values, rounded to the format; limits at infinities."""
    x = to_float64(format, bits)
    with np.errstate(all="ignore"):
        high, _ = Truth(get_function(function)).at(format, bits)
        values = np.where(np.isposinf(x), np.inf, np.where(np.isneginf(x), -0.0, high))
    return to_float64(format, round_float64(format, values))


def _passes(got: Floats, expected: Floats, tolerance: Tolerance) -> bool:
    with np.errstate(all="ignore"):
        near = abs(got - expected) <= tolerance.atol + tolerance.rtol * abs(expected)
    return bool(np.all(near | (got == expected) | (np.isnan(got) & np.isnan(expected))))


def _accepted(function: str, format: Format, fault: Fault) -> Accepted:
    sample = _whole(function, format, fault.call)
    bad = ~np.isfinite(sample.got) & np.isfinite(sample.want)
    distance = np.where(bad, np.inf, abs(sample.distance))
    return Accepted(fault, float(np.nanmax(distance)), float(np.nanmax(sample.error)))


def _whole(function: str, format: Format, call: Callable[..., Any]) -> Sample:
    bits = probes(format)
    with np.errstate(all="ignore"):
        result = np.ascontiguousarray(call(bits.view(native_dtype(format)))).view(storage_dtype(format))
    return compare(format, bits, result, *Truth(get_function(function)).at(format, bits))


@dataclass(frozen=True, slots=True)
class SmallestTest:
    """Inputs and a tolerance in ulp that refuse all seeded faults which a single array can show.

    Attributes:
        inputs: encodings; none can be left out.
        max_ulp: the tolerance, which every right variant without a wider promise keeps.
        proven: whether no smaller set does it (found by trying them all).
        beyond: faults that no input of a plain array shows: they need lengths, layouts or repetition.
    """

    inputs: tuple[int, ...]
    max_ulp: float
    proven: bool
    beyond: tuple[Fault, ...]


def smallest_test(function: str, format: str) -> SmallestTest:
    """Return the smallest set of inputs, with the widest tolerance, that refuses every fault and no right variant.

    Raises:
        InputError: no faults are seeded for the function and format.
    """
    chosen = get_format(format)
    faults = seeded_faults(function, format)
    special = np.array(special_inputs(chosen), storage_dtype(chosen))
    bits = np.concatenate([special, probes(chosen)])
    errors = {id: _errors(function, chosen, fault.call, bits) for id, fault in faults.items()}
    right = [variant for variant in _variants(function, chosen) if variant.max_ulp <= _ULP_STEPS[0]]
    kept = np.ones(bits.size, np.bool_)
    for variant in right:
        kept &= _errors(function, chosen, variant.call, bits) <= _ULP_STEPS[0]
    # What depends on length or place may show in the long array here and not in the short one of the smallest test.
    by_path = [id for id, fault in faults.items() if fault.kind == "path-dependence"]
    beyond = [id for id, error in errors.items() if id in by_path or not np.any(error[kept] > _ULP_STEPS[0])]
    shown = [id for id in faults if id not in beyond]
    limit = max(step for step in _ULP_STEPS if all(np.any(errors[id][kept] > step) for id in shown))
    places, proven = _smallest_cover(np.stack([errors[id] > limit for id in shown]) & kept)
    order = sorted(places, key=lambda place: float(np.nan_to_num(to_float64(chosen, bits[place : place + 1]))[0]))
    return SmallestTest(tuple(int(bits[p]) for p in order), limit, proven, tuple(faults[id] for id in beyond))


def _errors(function: str, format: Format, call: Callable[..., Any], bits: Bits) -> Floats:
    """Return errors in ulp; infinite for a NaN, an infinity or a sign of zero that is wrong."""
    got, want = _run(format, call, bits), _expected(function, format, bits)
    same = (got == want) & ((np.signbit(got) == np.signbit(want)) | np.isinf(to_float64(format, bits)))
    same |= np.isnan(got) & np.isnan(want)
    finite = np.isfinite(got) & np.isfinite(want)
    error = np.where(same, 0.0, np.inf)
    part = compare(format, bits[finite], round_float64(format, got[finite]), want[finite], np.zeros(finite.sum()))
    error[finite] = np.where(same[finite], 0.0, np.where((got == want)[finite], np.inf, part.error))
    return error


def _smallest_cover(shows: npt.NDArray[np.bool_]) -> tuple[list[int], bool]:
    """Return columns that together show every row: the fewest, by trying all sets up to the size that greed needs."""
    columns: dict[int, int] = {}  # set of rows as an integer -> the column that shows it
    weights = [1 << row for row in range(shows.shape[0])]
    for column in np.flatnonzero(shows.any(axis=0)).tolist():
        columns.setdefault(sum(weights[row] for row in np.flatnonzero(shows[:, column]).tolist()), column)
    sets = [rows for rows in columns if not any(rows != other and rows & other == rows for other in columns)]
    everything = sum(weights)
    greedy = _greedy(sets, everything)
    for size in range(1, len(greedy)):
        found = _cover(sets, everything, size)
        if found is not None:
            return [columns[rows] for rows in found], True
    return [columns[rows] for rows in greedy], True


def _greedy(sets: Sequence[int], everything: int) -> list[int]:
    chosen, left = [], everything
    while left:
        best = max(sets, key=lambda rows: (rows & left).bit_count())
        chosen.append(best)
        left &= ~best
    return chosen


def _cover(sets: Sequence[int], left: int, size: int) -> list[int] | None:
    """Return `size` sets that cover what is left, or None: branch on the row that the fewest sets show."""
    if not left:
        return []
    if size == 0:
        return None
    rows = [1 << row for row in range(left.bit_length()) if left >> row & 1]
    rarest = min(rows, key=lambda row: sum(1 for candidate in sets if candidate & row))
    for candidate in sets:
        if candidate & rarest:
            rest = _cover(sets, left & ~candidate, size - 1)
            if rest is not None:
                return [candidate, *rest]
    return None
