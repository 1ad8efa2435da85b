"""Running an implementation over a binade on both sides of zero, and judging what it returns."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gelu_verify.catalogue import Function
from gelu_verify.formats import Format, arrays
from gelu_verify.sweep.buffers import Encodings
from gelu_verify.sweep.calls import Call, Calls, chunks
from gelu_verify.sweep.oracle import Kernel
from gelu_verify.sweep.policy import Policy
from gelu_verify.sweep.properties import SymmetryCheck
from gelu_verify.sweep.results import Results
from gelu_verify.sweep.special import judge_special
from gelu_verify.sweep.statistics import Tally
from gelu_verify.sweep.tasks import Stretch, Task
from gelu_verify.sweep.track import Track

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
        self._format = format
        kernel = Kernel()
        self._inputs = Encodings(format)
        self._calls = Calls(call, self._inputs)
        self._tracks = [
            Track(function, derivative, format, policy, kernel, self._inputs, monotony=number == 0)
            for number, function in enumerate(functions)
        ]
        self._zero = format.sign_mask
        gate = derivative == 0 and functions[0].name in GATES
        self._symmetry = SymmetryCheck(format) if gate else None
        self._storage = arrays.storage_dtype(format)

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
        for first, count in chunks(stretch.start, stretch.stop):
            results = self._calls.results(first, count)
            self._judge(results, stretch.span.negative)
            if mirrored is not None:
                self._compare(results, mirrored)
        for track in self._tracks:
            track.finish_stretch()
            for chunk in track.worth_a_look():
                results = self._without_zero(self._calls.results(chunk.first, chunk.count))
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
                plus = self._calls.results(results.first ^ self._zero, len(results.bits))
            x = self._inputs.inputs(plus.first, len(plus.bits))
            values = x if x.dtype == plus.values.dtype else arrays.to_float64(self._format, x.view(self._storage))
            symmetry.check(self._tracks[0].tally, plus, results, values)

    def _run_special(self, start: int, stop: int) -> None:
        for first, count in chunks(start, stop):
            results = self._calls.results(first, count)
            for track in self._tracks:
                judge_special(track.judge, track.tally, first, results.bits, np.isnan(results.values))


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
