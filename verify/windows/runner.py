"""Running an implementation on windows, and climbing from the worst of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import Function
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import Format, arrays
from gelu_verify.references.spans import Span
from gelu_verify.sweep.calls import Call
from gelu_verify.sweep.policy import Policy
from gelu_verify.sweep.results import Results
from gelu_verify.sweep.runner import GATES
from gelu_verify.sweep.special import judge_special
from gelu_verify.sweep.tasks import Stretch
from gelu_verify.sweep.workers import close_call
from gelu_verify.windows.climb import Climber
from gelu_verify.windows.domain import Domain
from gelu_verify.windows.meter import Found, WindowMeter
from gelu_verify.windows.symmetry import offer_residual

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Sample:
    """What was found in one window against every function.

    Attributes:
        window: where; `results` may cover a part of it only, at the ends of a domain.
        inputs: how many were run.
    """

    window: Span
    inputs: int
    found: tuple[Found, ...]

    @property
    def peak(self) -> tuple[float, int]:
        """The largest finite error against the first function, and where it is."""
        return self.found[0].peak


@dataclass(frozen=True, slots=True)
class Draw:
    """A task: windows (clipped to the domain), run in one call; those on both sides of zero one after the other."""

    number: int
    windows: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True)
class Climb:
    """A task: to search for larger errors, from an input on."""

    number: int
    start: int


@dataclass(frozen=True, slots=True)
class Specials:
    """A task: infinities and NaNs."""

    number: int


@dataclass(frozen=True, slots=True)
class WindowJob:
    """What all tasks of a sampled run have in common.

    Attributes:
        stretches: the domain.
    """

    call: Call
    functions: tuple[Function, ...]
    format: Format
    derivative: int
    policy: Policy
    stretches: tuple[Stretch, ...]

    def runner(self) -> "WindowRunner":
        """Return a runner for the tasks."""
        return WindowRunner(self)

    def close(self) -> None:
        """End what the implementation keeps open."""
        close_call(self.call)


class WindowRunner:
    """Runs tasks of one sampled run, one after the other."""

    def __init__(self, job: WindowJob) -> None:
        self._call, self._format = job.call, job.format
        self._meters = [
            WindowMeter(function, job.derivative, job.format, job.policy, monotony=number == 0)
            for number, function in enumerate(job.functions)
        ]
        gate = job.derivative == 0 and job.functions[0].name in GATES
        self._symmetric = gate
        self._domain = Domain(job.format, job.stretches)
        self._native, self._storage = arrays.native_dtype(job.format), arrays.storage_dtype(job.format)

    def run(self, task: Draw | Climb | Specials) -> list[Sample]:
        """Run a task."""
        self._refuse_flushing("a library")
        with np.errstate(all="ignore"):
            match task:
                case Draw():
                    samples = self._draw(task.windows)
                case Climb():
                    samples = Climber(self._domain, self._climbed).climb(task.start)
                case Specials():
                    samples = self._specials()
        self._refuse_flushing("the implementation")
        return samples

    def _refuse_flushing(self, who: str) -> None:
        if arrays.subnormals_are_flushed():
            raise InputError(
                f"this process replaces subnormal numbers by zero ({who} switched it on); run without, and declare "
                "--flush-subnormals if the implementation is meant to flush"
            )

    def _climbed(self, windows: Sequence[Stretch]) -> list[Sample]:
        return [self._judged(part, results) for part, results in self._results(windows)]

    def _draw(self, windows: Sequence[Stretch]) -> list[Sample]:
        samples = []
        kept: tuple[Results, Sample] | None = None
        for part, results in self._results(windows):
            sample = self._judged(part, results)
            samples.append(sample)
            if not self._symmetric:
                continue
            if part.span.negative and kept is not None and _mirrors(kept[0], results, self._format):
                offer_residual(self._format, kept[1].found[0].tally, kept[0], results)
            kept = None if part.span.negative else (results, sample)
        return samples

    def _judged(self, part: Stretch, results: Results) -> Sample:
        found = tuple(meter.measure(part.span, results) for meter in self._meters)
        return Sample(part.span, len(results.bits), found)

    def _specials(self) -> list[Sample]:
        format = self._format
        ends = [format.infinity, format.infinity + 1, format.nan, format.sign_mask - 1]
        places = [bits | sign for sign in (0, format.sign_mask) for bits in ends]
        bits = self._run(np.array(places, self._storage))
        samples = []
        for place, result in zip(places, np.split(bits, len(bits)), strict=True):
            found = tuple(Found() for _ in self._meters)
            for meter, known in zip(self._meters, found, strict=True):
                judge_special(meter.judge, known.tally, place, result, np.isnan(result.view(self._native)))
            samples.append(Sample(Span(format, place, 1), 1, found))
        return samples

    def _results(self, windows: Sequence[Stretch]) -> Iterator[tuple[Stretch, Results]]:
        """Call the implementation once for all windows and yield the results of each."""
        inputs = np.concatenate([np.arange(part.start, part.stop, dtype=self._storage) for part in windows])
        bits = self._run(inputs)
        ends = np.cumsum([part.stop - part.start for part in windows])
        for part, results in zip(windows, np.split(bits, ends[:-1]), strict=True):
            yield part, Results(part.start, results, results.view(np.float64))

    def _run(self, encodings: Array) -> Array:
        """Return the results of the implementation, as encodings."""
        inputs = encodings.view(self._native)
        inputs.flags.writeable = False
        try:
            returned: object = self._call(inputs)
        except (InputError, IncompleteError):
            raise
        except Exception as error:
            described = f"{type(error).__name__}: {error}".splitlines()[0]
            place = self._format.bits_text(int(encodings[0]))
            raise InputError(
                f"the implementation failed for {len(inputs)} inputs from {place} on: {described}"
            ) from error
        if not isinstance(returned, np.ndarray) or returned.shape != inputs.shape or returned.dtype != self._native:
            raise InputError(
                f"the implementation must return an array of {self._native} and shape {inputs.shape}; it returned "
                f"{_described(returned)}"
            )
        return np.array(returned).view(self._storage)


def _mirrors(plus: Results, minus: Results, format: Format) -> bool:
    return plus.first | format.sign_mask == minus.first and len(plus.bits) == len(minus.bits)


def _described(returned: object) -> str:
    if isinstance(returned, np.ndarray):
        return f"an array of {returned.dtype} and shape {returned.shape}"
    return f"a {type(returned).__name__}"
