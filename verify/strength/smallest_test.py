"""The cure of a weak test: the fewest inputs, and the widest tolerance, that refuse every seeded fault."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gelu_verify.checks.probes import probes
from gelu_verify.checks.special_values import special_inputs
from gelu_verify.faults import Fault
from gelu_verify.formats import get_format
from gelu_verify.formats.arrays import storage_dtype, to_float64
from gelu_verify.strength.audit import errors_in_ulp, expected_values, right_variants, seeded_faults

_ULP_STEPS = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0)


@dataclass(frozen=True, slots=True)
class SmallestTest:
    """Inputs and a tolerance in ulp that refuse all seeded faults which a single array can show: no smaller set does.

    Attributes:
        inputs: encodings.
        max_ulp: the tolerance, which every right variant keeps at these inputs.
        beyond: faults that no input of a plain array shows: they need lengths, layouts or repetition.
    """

    inputs: tuple[int, ...]
    max_ulp: float
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
    expected = expected_values(function, chosen, bits)
    errors = {id: errors_in_ulp(chosen, fault.call, bits, expected) for id, fault in faults.items()}
    kept = np.ones(bits.size, np.bool_)
    for variant in right_variants(function, chosen):
        kept &= errors_in_ulp(chosen, variant.call, bits, expected) <= _ULP_STEPS[0]
    # What depends on length or place may show in the long array here and not in the short one of the smallest test.
    by_path = [id for id, fault in faults.items() if fault.kind == "path-dependence"]
    beyond = [id for id, error in errors.items() if id in by_path or not np.any(error[kept] > _ULP_STEPS[0])]
    shown = [id for id in faults if id not in beyond]
    if not shown:
        return SmallestTest((), _ULP_STEPS[0], tuple(faults.values()))
    limit = max(step for step in _ULP_STEPS if all(np.any(errors[id][kept] > step) for id in shown))
    places = _smallest_cover(np.stack([errors[id] > limit for id in shown]) & kept)
    order = sorted(places, key=lambda place: float(np.nan_to_num(to_float64(chosen, bits[place : place + 1]))[0]))
    return SmallestTest(tuple(int(bits[p]) for p in order), limit, tuple(faults[id] for id in beyond))


def _smallest_cover(shows: npt.NDArray[np.bool_]) -> list[int]:
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
            return [columns[rows] for rows in found]
    return [columns[rows] for rows in greedy]


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
