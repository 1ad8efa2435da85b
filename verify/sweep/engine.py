"""Sweeps: an implementation on every encoding of a format, judged against one or two functions in one pass."""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gelu_verify import __version__
from gelu_verify.catalogue import Function, text
from gelu_verify.errors import InputError
from gelu_verify.formats import Format
from gelu_verify.formats.arrays import refuse_flushing
from gelu_verify.records import Verdict
from gelu_verify.sweep import checkpoint
from gelu_verify.sweep.calls import Call
from gelu_verify.sweep.exact import Judge
from gelu_verify.sweep.policy import Policy
from gelu_verify.sweep.result import SweepResult, statistics_of
from gelu_verify.sweep.statistics import Tally
from gelu_verify.sweep.tasks import Interval, Task, covered, plan_tasks
from gelu_verify.sweep.workers import Found, Job, Work, run_tasks

Report = Callable[[int, int], object]

_LARGEST_DERIVATIVE = 8
_SAVE_EVERY = 2.0  # seconds between two checkpoints
_STRICT = Policy()


def sweep(
    implementation: Call,
    function: Function,
    format: Format,
    *,
    name: str = "",
    second: Function | None = None,
    derivative: int = 0,
    on: Interval | None = None,
    policy: Policy = _STRICT,
    workers: int | None = None,
    progress: Report | None = None,
    resume: Path | None = None,
    dask: str | None = None,
) -> SweepResult:
    """Run an implementation on every encoding of a format and judge every result, with proof.

    The result is the same whatever the number of workers, and whether or not the sweep was interrupted.

    Arguments:
        implementation: maps an array of the format's type to one of the same type and shape. It is called with up to
            2^16 consecutive encodings in a read-only array that is overwritten after the call.
        function: what it claims to compute.
        name: what to call the implementation; its own name by default.
        second: a function to judge the same results against as well.
        derivative: the implementation claims to compute this derivative of the functions.
        on: only the numbers in this interval.
        policy: what to allow, and an error to look for.
        workers: processes; by default one for each processor. With 1, everything runs in this process; with more, the
            implementation must be importable in another process.
        progress: called with (inputs done, inputs in all) now and then.
        resume: a checkpoint: read if it exists, written every other second, removed when the sweep is finished.
        dask: the address of a Dask scheduler; the tasks run on its workers. Dask exchanges pickles: it must be one that
            you trust.

    Raises:
        InputError: the implementation fails or returns something else, the process flushes subnormal numbers, or the
            checkpoint is damaged or belongs to another sweep.
        IncompleteError: a worker died, or the cluster cannot be reached or has lost its workers.
        ArithmeticError: a check of the oracle failed; nothing can be said.
    """
    refuse_flushing("a library switched it on")  # workers ask for themselves
    if format.width > 32:
        raise InputError(f"{format.name} has too many encodings to run them all; sample it with windows")
    if not 0 <= derivative <= _LARGEST_DERIVATIVE:
        raise InputError(f"the derivative's order is {derivative}; it must be from 0 to {_LARGEST_DERIVATIVE}")
    name = name or str(getattr(implementation, "__qualname__", type(implementation).__name__))
    job = Job(implementation, (function,) if second is None else (function, second), format, derivative, policy)
    tasks = plan_tasks(format, on)
    memory = _Memory(resume, job, name, on, tasks)
    todo = [task for task in tasks if task.number not in memory.done]
    with memory, closing(outcomes_of(job, todo, workers, dask)) as outcomes:
        if progress is not None:
            progress(memory.inputs, covered(tasks))
        for task, tallies in outcomes:
            memory.add(task, tallies)
            if progress is not None:
                progress(memory.inputs, covered(tasks))
    return _result(job, name, memory.tallies, covered(tasks))


def outcomes_of(
    job: Work[Task, Found], tasks: Sequence[Task], workers: int | None, dask: str | None
) -> Generator[tuple[Task, Found], None, None]:
    """Run tasks in processes of this machine, or on a cluster.

    Raises:
        InputError, IncompleteError: as `sweep`.
    """
    if dask is not None:
        from gelu_verify.sweep.cluster import run_on_cluster

        if workers is not None:
            raise InputError("a cluster has workers of its own; give a number of workers or a cluster, not both")
        return run_on_cluster(job, tasks, dask)
    return run_tasks(job, tasks, workers)


class _Memory:
    """What was found so far, kept in a checkpoint if there is to be one."""

    def __init__(self, path: Path | None, job: Job, name: str, on: Interval | None, tasks: Sequence[Task]) -> None:
        self._path = path
        self._sweep = _description(job, name, on)
        self.done: set[int] = set()
        self.tallies = tuple(Tally() for _ in job.functions)
        self._saved = time.monotonic()
        found = None
        if path is not None:
            inputs = {task.number: task.inputs for task in tasks}
            found = checkpoint.load(path, self._sweep, inputs, len(job.functions))
        if found is not None:
            self.done, self.tallies = set(found.done), found.tallies

    def __enter__(self) -> None:
        if self._path is not None:
            self._save(self._path)  # a place that cannot be written to is told before the work, not after

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._path is None:
            return
        if kind is None:
            with suppress(FileNotFoundError):
                self._path.unlink()
        else:
            self._save(self._path)

    @property
    def inputs(self) -> int:
        """How many inputs are done."""
        return self.tallies[0].inputs

    def add(self, task: Task, tallies: Sequence[Tally]) -> None:
        """Add what was found in a task."""
        for known, found in zip(self.tallies, tallies, strict=True):
            known.merge(found)
        self.done.add(task.number)
        if self._path is not None and time.monotonic() - self._saved > _SAVE_EVERY:
            self._save(self._path)

    def _save(self, path: Path) -> None:
        checkpoint.save(path, self._sweep, checkpoint.Progress(frozenset(self.done), self.tallies))
        self._saved = time.monotonic()


def _description(job: Job, name: str, on: Interval | None) -> dict[str, Any]:
    """Describe a sweep so that two with the same description find the same."""
    return {
        "program": __version__,
        "implementation": name,
        "functions": [text(function.expression) for function in job.functions],
        "format": job.format.name,
        "derivative": job.derivative,
        "interval": None if on is None else [str(on.lower), str(on.upper)],
        "policy": {key: value if isinstance(value, bool) else str(value) for key, value in asdict(job.policy).items()},
    }


def _result(job: Job, name: str, sums: Sequence[Tally], total: int) -> SweepResult:
    statistics = []
    for function, tally in zip(job.functions, sums, strict=True):
        tally.count_steps_between_tasks()
        if tally.inputs != total:
            raise ArithmeticError(f"{tally.inputs} inputs were judged of {total}")
        statistics.append(statistics_of(function.name, tally, Judge(function.expression, job.derivative, job.format)))
    second = statistics[1] if len(statistics) > 1 else None
    return SweepResult(name, job.format, job.derivative, Verdict.EXHAUSTIVE, total, statistics[0], second)
