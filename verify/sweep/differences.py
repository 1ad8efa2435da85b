"""Two implementations on every encoding of a format: where they give other bits, and how far apart they are.

Two builds of one source (a safe one and one with fast math, a vector and a scalar library, two versions) may both be
right within their budgets and still differ; a list of where they do needs no reference.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from gelu_verify.formats import Format
from gelu_verify.formats.arrays import ordinals, refuse_flushing
from gelu_verify.sweep.buffers import Encodings
from gelu_verify.sweep.calls import Call, Calls, chunks
from gelu_verify.sweep.engine import outcomes_of
from gelu_verify.sweep.results import intervals_of
from gelu_verify.sweep.statistics import Interval as Region
from gelu_verify.sweep.statistics import coarsened, joined
from gelu_verify.sweep.tasks import Interval, Task, covered, plan_tasks
from gelu_verify.sweep.workers import close_call

Bits = npt.NDArray[Any]

APART = {"over_1_apart": 1, "over_4_apart": 4, "over_16_apart": 16, "over_1024_apart": 1024}
_MOST_REGIONS = 8


@dataclass(frozen=True, slots=True)
class Pair:
    """One input with the two results, as encodings.

    Attributes:
        apart: how many steps from number to number lead from one to the other (-0 and +0 being neighbours); None where
            one of them is a NaN.
    """

    bits: int
    first: int
    second: int
    apart: int | None

    @property
    def rank(self) -> tuple[float, int]:
        """What the pair farthest apart has most of; of equal ones, that with the smaller bits."""
        return float("inf") if self.apart is None else self.apart, -self.bits


@dataclass(slots=True)
class Differences:
    """Where two implementations differ, as data that add up in any order. One NaN is as good as another.

    Attributes:
        inputs: how many were run.
        counts: how many results differ: `different` at all, `zero_sign` in the sign of zero alone, `zero_in_one` and
            `nan_in_one` of the two, and by more than a number of steps (see `APART`).
        widest: the pair that is farthest apart.
        binades: for each binade of inputs (its lowest magnitude with sign, as bits) how many results differ, if any.
        regions: where, as encodings.
    """

    inputs: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    widest: Pair | None = None
    binades: dict[int, int] = field(default_factory=dict)
    regions: list[Region] = field(default_factory=list)

    def add(self, format: Format, inputs: Bits, first: Bits, second: Bits) -> npt.NDArray[np.bool_]:
        """Compare the results for some inputs, all encodings of shape (n,); return the flags of those that differ."""
        self.inputs += inputs.size
        differ: npt.NDArray[np.bool_] = first != second
        places = np.flatnonzero(differ)
        if not places.size:
            return differ
        nans = _is_nan(format, first[places]), _is_nan(format, second[places])
        differ[places[nans[0] & nans[1]]] = False
        nan = nans[0] != nans[1]
        found = differ[places]
        places, nan = places[found], nan[found]
        if places.size:
            self._count(format, inputs[places], first[places], second[places], nan)
        return differ

    def _count(self, format: Format, x: Bits, first: Bits, second: Bits, nan: npt.NDArray[np.bool_]) -> None:
        magnitudes = first.dtype.type(format.sign_mask - 1)
        zeros = first & magnitudes == 0, second & magnitudes == 0
        high, low = ordinals(format, first), ordinals(format, second)
        # As unsigned numbers: the distance of two binary64 numbers can exceed the largest int64.
        apart = np.where(
            high > low, high.view(np.uint64) - low.view(np.uint64), low.view(np.uint64) - high.view(np.uint64)
        )
        flags = {
            "different": np.ones(x.size, np.bool_),
            "zero_sign": zeros[0] & zeros[1],
            "zero_in_one": (zeros[0] != zeros[1]) & ~nan,
            "nan_in_one": nan,
        }
        flags |= {name: (apart > limit) & ~nan for name, limit in APART.items()}
        _raise(self.counts, {name: int(np.count_nonzero(flagged)) for name, flagged in flags.items()})
        first_of_binade, numbers = np.unique(x & ~x.dtype.type(format.min_normal - 1), return_counts=True)
        _raise(self.binades, dict(zip(first_of_binade.tolist(), numbers.tolist(), strict=True)))
        apart[nan] = np.iinfo(np.uint64).max
        farthest = np.flatnonzero(apart == apart.max())
        place = farthest[np.argmin(x[farthest])]
        steps = None if nan[place] else int(apart[place])
        self._offer(Pair(int(x[place]), int(first[place]), int(second[place]), steps))

    def _offer(self, pair: Pair) -> None:
        if self.widest is None or pair.rank > self.widest.rank:
            self.widest = pair

    def merge(self, other: "Differences") -> None:
        """Add what was found elsewhere."""
        self.inputs += other.inputs
        _raise(self.counts, other.counts)
        _raise(self.binades, other.binades)
        if other.widest is not None:
            self._offer(other.widest)
        self.regions += other.regions

    def settled(self, format: Format) -> "Differences":
        """Return the same with every count, and with the regions in order, joined until they are few."""
        counts = {
            name: self.counts.get(name, 0) for name in ("different", "zero_sign", "zero_in_one", "nan_in_one", *APART)
        }
        regions = coarsened(joined(self.regions), _MOST_REGIONS, format.sign_mask)
        binades = {first: self.binades[first] for first in sorted(self.binades, key=format.ordinal)}
        return Differences(self.inputs, counts, self.widest, binades, regions)


_Name = TypeVar("_Name", str, int)


def _raise(counts: dict[_Name, int], more: dict[_Name, int]) -> None:
    for name, number in more.items():
        counts[name] = counts.get(name, 0) + number


def _is_nan(format: Format, bits: Bits) -> npt.NDArray[np.bool_]:
    magnitude = bits & bits.dtype.type(format.sign_mask - 1)
    result: npt.NDArray[np.bool_] = magnitude > format.max_finite + format.has_infinity
    return result


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What all tasks of a comparison have in common."""

    calls: tuple[Call, Call]
    format: Format

    def runner(self) -> "_Comparer":
        return _Comparer(self)

    def close(self) -> None:
        for call in self.calls:
            close_call(call)


class _Comparer:
    """Runs both implementations over one range of encodings after the other."""

    def __init__(self, job: _Comparison) -> None:
        self._format = job.format
        inputs = Encodings(job.format)
        self._first, self._second = (Calls(call, inputs) for call in job.calls)

    def run(self, task: Task, /) -> Differences:
        """Return where the results differ in a task."""
        refuse_flushing("a library switched it on")
        found = Differences()
        for start, count in task.ranges:
            for first, number in chunks(start, start + count):
                self._compare(found, first, number)
        refuse_flushing("an implementation switched it on")
        return found

    def _compare(self, found: Differences, first: int, count: int) -> None:
        with np.errstate(all="ignore"):
            one = self._first.results(first, count)
            other = self._second.results(first, count)
        inputs = np.arange(first, first + count, dtype=np.uint64).astype(one.bits.dtype)
        found.regions += intervals_of(found.add(self._format, inputs, one.bits, other.bits), first)


def compare(
    first: Call,
    second: Call,
    format: Format,
    *,
    on: Interval | None = None,
    workers: int | None = None,
    dask: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Differences:
    """Run two implementations on every encoding of a format of at most 32 bits, and tell where their bits differ.

    Arguments:
        first, second, on, workers, dask, progress: as in `sweep.sweep`.

    Raises:
        InputError, IncompleteError: as `sweep.sweep`.
    """
    tasks = plan_tasks(format, on)
    found = Differences()
    with closing(outcomes_of(_Comparison((first, second), format), tasks, workers, dask)) as outcomes:
        for _, part in outcomes:
            found.merge(part)
            if progress is not None:
                progress(found.inputs, covered(tasks))
    return found.settled(format)


def compare_samples(format: Format, inputs: Bits, first: Bits, second: Bits) -> Differences:
    """Compare the results for some inputs, all encodings of shape (n,).

    >>> from gelu_verify.formats import FORMATS
    >>> x = np.array([0x3C00, 0xBC00, 0x8000], np.uint16)
    >>> found = compare_samples(FORMATS["binary16"], x, x, x ^ np.uint16([2, 0, 0x8000]))
    >>> found.counts["different"], found.counts["zero_sign"], found.widest.apart
    (2, 1, 2)
    """
    found = Differences()
    differ = found.add(format, inputs, first, second)
    found.regions = [Region(bits, bits, 1) for bits in inputs[differ].tolist()]
    return found.settled(format)
