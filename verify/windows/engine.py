"""Sampled runs: an implementation on windows of consecutive doubles, and up the hills of its error."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from gelu_verify.catalogue import Function, get_function
from gelu_verify.errors import InputError
from gelu_verify.formats import Format
from gelu_verify.records import Verdict
from gelu_verify.references.spans import CHUNK, Span
from gelu_verify.sweep.calls import Call
from gelu_verify.sweep.policy import Policy
from gelu_verify.sweep.result import SweepResult, statistics_of
from gelu_verify.sweep.statistics import Tally
from gelu_verify.sweep.tasks import Interval, Stretch, plan_tasks
from gelu_verify.sweep.workers import run_tasks
from gelu_verify.sweep.worst import WorstFinder, float_below
from gelu_verify.windows.domain import Domain
from gelu_verify.windows.meter import Found, WindowMeter
from gelu_verify.windows.places import LONG, drawn, marked, window_at
from gelu_verify.windows.reference import Oracle
from gelu_verify.windows.runner import Climb, Draw, Sample, Specials, WindowJob

WINDOWS = 1024  # long ones, drawn from the binades around 1
_CLIMBS = 8
_WINDOWS_OF_A_CLIMB = 400  # about, for the progress alone
_STRICT = Policy()


@dataclass(frozen=True, slots=True)
class WindowedResult(SweepResult):
    """What a sampled run found; all statistics are those of the inputs that were run.

    Attributes:
        seed: with which the windows were drawn.
        windows: how many windows were run, those of the climbs included.
        climbs: how many hills were climbed.
    """

    seed: int
    windows: int
    climbs: int


def sample_windows(
    implementation: Call,
    function: Function,
    format: Format,
    *,
    name: str = "",
    second: Function | None = None,
    derivative: int = 0,
    on: Interval | None = None,
    policy: Policy = _STRICT,
    seed: int = 0,
    windows: int = WINDOWS,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> WindowedResult:
    """Run an implementation on windows of consecutive doubles, then climb from the worst of them.

    All counts and errors are those of the inputs that were run, each decided with proof; other inputs may be worse. The
    result depends on the seed and the arguments, and not on the number of workers.

    Arguments:
        implementation, name, second, derivative, on, policy: as in `sweep.sweep`.
        seed: of the draw.
        windows: how many to draw from the binades around 1 (from all of a domain without any of them).
        workers: processes; by default one for each processor. With more than one, the implementation must be importable
            in another process.
        progress: called with (windows done, windows in all) now and then.

    Raises:
        InputError: the format is not binary64, or as `sweep.sweep`.
        IncompleteError: a worker died.
        ArithmeticError: a check of the reference failed; nothing can be said.
    """
    if format.name != "binary64":
        raise InputError(f"{format.name} is not sampled by windows: all of its encodings can be run")
    if windows < 1:
        raise InputError(f"{windows} windows are none; draw at least 1")
    stretches = tuple(stretch for task in plan_tasks(format, on) for stretch in task.stretches)
    functions = (function,) if second is None else (function, second)
    job = WindowJob(implementation, functions, format, derivative, policy, stretches)
    drawing = _Drawing(job, seed, windows, special=on is None)
    total = drawing.count + _CLIMBS * _WINDOWS_OF_A_CLIMB
    samples = _Samples()
    with closing(run_tasks(job, drawing.tasks, workers)) as outcomes:
        for _, found in outcomes:
            samples.add(found)
            if progress is not None:
                progress(len(samples.kept), total)
    climbs = [Climb(number, start) for number, start in enumerate(samples.tops())]
    with closing(run_tasks(job, climbs, workers)) as outcomes:
        for done, (_, found) in enumerate(outcomes, 1 + _CLIMBS - len(climbs)):
            samples.add(found)
            if progress is not None:
                progress(drawing.count + done * _WINDOWS_OF_A_CLIMB, total)
    return _result(job, name, samples.in_order(), seed, len(climbs))


class _Drawing:
    """The windows of a run, in tasks of one call each."""

    def __init__(self, job: WindowJob, seed: int, windows: int, special: bool) -> None:
        format, function = job.format, job.functions[0]
        oracle = Oracle(function.expression, job.derivative, format)
        other = job.functions[1] if len(job.functions) > 1 else get_function("gelu")
        spans = set(drawn(format, job.stretches, seed, windows))
        compared = None if other.expression == function.expression else other.expression
        for bits in marked(oracle, function.expression, job.derivative, compared, job.stretches):
            spans |= {window_at(format, bits ^ sign, LONG) for sign in (0, format.sign_mask)}
        domain = Domain(format, job.stretches)
        parts = [part for span in _disjoint(spans) if (part := domain.clipped(span)) is not None]
        self.count = len(parts) + 8 * special
        self.tasks: list[Draw | Specials] = list(_batches(parts, format.sign_mask))
        if special:
            self.tasks.append(Specials(len(self.tasks)))


def _disjoint(spans: Iterable[Span]) -> list[Span]:
    """Leave out the windows that lie in larger ones."""
    chosen = set(spans)
    return [span for span in chosen if span.count == LONG or window_at(span.format, span.first, LONG) not in chosen]


def _batches(parts: Iterable[Stretch], sign_mask: int) -> Iterator[Draw]:
    """Group windows for one call each, those at the same magnitudes together, the positive one first."""
    group: list[Stretch] = []
    number, size = 0, 0
    for part in sorted(parts, key=lambda part: (part.start & ~sign_mask, part.start)):
        apart = not group or (group[-1].start ^ part.start) != sign_mask
        if apart and size + 2 * LONG > CHUNK:
            yield Draw(number, tuple(group))
            group, number, size = [], number + 1, 0
        group.append(part)
        size += part.stop - part.start
    if group:
        yield Draw(number, tuple(group))


class _Samples:
    """The samples of a run, every window once."""

    def __init__(self) -> None:
        self.kept: dict[Span, Sample] = {}

    def add(self, samples: Iterable[Sample]) -> None:
        """Add samples whose windows are not part of what is there."""
        for sample in samples:
            window = sample.window
            if window not in self.kept and window_at(window.format, window.first, LONG) not in self.kept:
                self.kept[window] = sample

    def in_order(self) -> list[Sample]:
        """Return the samples in the order of the encodings."""
        return [self.kept[window] for window in sorted(self.kept, key=lambda window: (window.first, window.count))]

    def tops(self) -> list[int]:
        """Return the inputs with the largest errors to climb from, at most one in a binade."""
        starts: dict[int, int] = {}
        for size, place in sorted((sample.peak for sample in self.kept.values()), key=lambda peak: (-peak[0], peak[1])):
            if size > 0 and len(starts) < _CLIMBS:
                starts.setdefault(place >> 52, place)
        return list(starts.values())


def _result(job: WindowJob, name: str, samples: Sequence[Sample], seed: int, climbs: int) -> WindowedResult:
    statistics = []
    for number, function in enumerate(job.functions):
        judge = WindowMeter(function, job.derivative, job.format, job.policy, monotony=False).judge
        tally = Tally()
        for sample in samples:
            tally.merge(sample.found[number].tally)
        _settle_worst(tally, [sample.found[number] for sample in samples], WorstFinder(judge))
        statistics.append(statistics_of(function.name, tally, judge))
    second = statistics[1] if len(statistics) > 1 else None
    name = name or str(getattr(job.call, "__qualname__", type(job.call).__name__))
    inputs = sum(sample.inputs for sample in samples)
    first, *_ = statistics
    return WindowedResult(
        name, job.format, job.derivative, Verdict.SAMPLED, inputs, first, second, seed, len(samples), climbs
    )


def _settle_worst(tally: Tally, found: Iterable[Found], finder: WorstFinder) -> None:
    """Find the worst inputs among those proposed, by enclosures, the most promising first."""
    proposals: dict[str, list[Any]] = {}
    for each in found:
        for kind, some in each.proposals.items():
            proposals.setdefault(kind, []).extend(some)
    for kind, some in sorted(proposals.items()):
        for proposal in sorted(some, key=lambda proposal: (-proposal.top, proposal.inputs)):
            known = tally.worst.get(kind)
            if known is not None and proposal.top <= float_below(known.size):
                break
            for bits, got in proposal.inputs:
                finder.judge_alone(tally, bits, got)
            if not proposal.complete:
                tally.raise_bound(kind, Fraction(proposal.top) * Fraction(1025, 1024) if proposal.top < inf else None)
