"""Running an implementation over a binade on both sides of zero, and judging what it returns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import Function
from gelu_verify.errors import InputError
from gelu_verify.formats import Format, arrays
from gelu_verify.references.spans import CHUNK
from gelu_verify.sweep.buffers import Encodings
from gelu_verify.sweep.oracle import Kernel
from gelu_verify.sweep.policy import Policy
from gelu_verify.sweep.properties import SymmetryCheck
from gelu_verify.sweep.results import Results
from gelu_verify.sweep.special import judge_special
from gelu_verify.sweep.statistics import Tally
from gelu_verify.sweep.tasks import Stretch, Task
from gelu_verify.sweep.track import Track

Array = npt.NDArray[Any]
Call = Callable[[Array], Array]

GATES = frozenset({"gelu", "gelu_tanh", "gelu_sigmoid", "gelu_tanh2", "silu"})  # x Phi(x) with Phi(x) + Phi(-x) = 1


@dataclass(frozen=True, slots=True)
class Mirrored:
    """What is kept of a chunk until the one on the other side of zero comes: results, if they may matter, and a bound
    of their errors.
    """

    results: Results | None
    bound: float


class Runner:
    """Runs tasks of one sweep, one after the other."""

    def __init__(
        self, call: Call, functions: Sequence[Function], format: Format, derivative: int, policy: Policy
    ) -> None:
        self._call = call
        self._format = format
        kernel = Kernel()
        self._inputs = Encodings(format)
        self._tracks = [
            Track(function, derivative, format, policy, kernel, self._inputs, monotony=number == 0)
            for number, function in enumerate(functions)
        ]
        self._zero = format.sign_mask
        gate = derivative == 0 and functions[0].name in GATES
        self._symmetry = SymmetryCheck(format) if gate else None
        self._storage, self._native = arrays.storage_dtype(format), arrays.native_dtype(format)

    def run(self, task: Task) -> list[Tally]:
        """Run a task; return what was counted against each function."""
        arrays.refuse_flushing("a library switched it on")
        with np.errstate(all="ignore"):
            mirrored: dict[int, Mirrored] | None = {} if self._symmetry and _mirrors(task.stretches) else None
            for stretch in task.stretches:
                self._run_stretch(stretch, mirrored)
            for start, stop in task.special:
                self._run_special(start, stop)
        arrays.refuse_flushing("the implementation switched it on")
        return [track.finished_tally() for track in self._tracks]

    def _run_stretch(self, stretch: Stretch, mirrored: dict[int, Mirrored] | None) -> None:
        """Run a stretch; keep what the other side of zero will be compared with, or compare with what was kept."""
        for track in self._tracks:
            track.plan(stretch.span)
        for first, count in _chunks(stretch.start, stretch.stop):
            results = self._results(first, count)
            self._judge(results, stretch.span.negative)
            if mirrored is not None:
                self._compare(results, mirrored)
        for track in self._tracks:
            track.finish_stretch()
            for chunk in track.worth_a_look():
                results = self._without_zero(self._results(chunk.first, chunk.count))
                track.look(results, stretch.span.negative, chunk.tops)

    def _judge(self, results: Results, negative: bool) -> None:
        if results.first & ~self._zero == 0:
            for track in self._tracks:
                track.judge_zero(results.first, int(results.bits[0]), float(results.values[0]))
        for track in self._tracks:
            track.judge_results(self._without_zero(results), negative)

    def _without_zero(self, results: Results) -> Results:
        return results.part(1, len(results.bits)) if results.first & ~self._zero == 0 else results

    def _compare(self, results: Results, mirrored: dict[int, Mirrored]) -> None:
        """Check the symmetry of a chunk's results, unless all their errors are too small to matter."""
        symmetry, bound = self._symmetry, self._tracks[0].largest_error
        other = mirrored.pop(results.first ^ self._zero, None)
        if symmetry is None or other is None:
            worth = symmetry is not None and symmetry.may_exceed(2 * bound)
            mirrored[results.first] = Mirrored(_copied(results) if worth else None, bound)
        elif symmetry.may_exceed(other.bound + bound):
            plus = other.results
            if plus is None:
                results = _copied(results)
                plus = self._results(results.first ^ self._zero, len(results.bits))
            x = self._inputs.inputs(plus.first, len(plus.bits))
            values = x if x.dtype == plus.values.dtype else arrays.to_float64(self._format, x.view(self._storage))
            symmetry.check(self._tracks[0].tally, plus, results, values)

    def _run_special(self, start: int, stop: int) -> None:
        for first, count in _chunks(start, stop):
            results = self._results(first, count)
            for track in self._tracks:
                judge_special(track.judge, track.tally, first, results.bits, np.isnan(results.values))

    def _called(self, inputs: Array, first: int) -> object:
        try:
            return self._call(inputs)
        except Exception as error:
            described = f"{type(error).__name__}: {error}".splitlines()[0]
            place = self._format.bits_text(first)
            raise InputError(
                f"the implementation failed for {len(inputs)} inputs from {place} on: {described}"
            ) from error

    def _results(self, first: int, count: int) -> Results:
        """Call the implementation for `count` encodings from `first` on."""
        returned = self._called(self._inputs.inputs(first, count), first)
        if not isinstance(returned, np.ndarray) or returned.shape != (count,) or returned.dtype != self._native:
            raise InputError(
                f"the implementation must return an array of {self._native} and shape ({count},); it returned "
                f"{_described(returned)}"
            )
        if self._inputs.shares_memory(returned):
            returned = returned.copy()
        returned = np.ascontiguousarray(returned)
        bits = returned.view(self._storage)
        return Results(first, bits, returned if self._native == np.float32 else arrays.to_float64(self._format, bits))


def _chunks(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Cut a range of encodings at the multiples of the chunk's size, where the parts of the pieces end too."""
    while start < stop:
        end = min(stop, (start // CHUNK + 1) * CHUNK)
        yield start, end - start
        start = end


def _mirrors(stretches: Sequence[Stretch]) -> bool:
    """Tell whether there are two stretches that differ only in the sign."""
    if len(stretches) != 2:
        return False
    one, other = stretches
    sign = one.span.format.sign_mask
    return (one.start ^ sign, one.stop - 1 ^ sign) == (other.start, other.stop - 1)


def _copied(results: Results) -> Results:
    bits, values = results.bits.copy(), results.values
    return Results(results.first, bits, bits.view(np.float32) if values.dtype == np.float32 else values.copy())


def _described(returned: object) -> str:
    if isinstance(returned, np.ndarray):
        return f"an array of {returned.dtype} and shape {returned.shape}"
    return f"a {type(returned).__name__}"
