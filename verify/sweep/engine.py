"""Sweeps: an implementation on every encoding of a format, judged against one or two functions in one pass."""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing

from gelu_verify.catalogue import Function
from gelu_verify.errors import InputError
from gelu_verify.formats import Format
from gelu_verify.records import Verdict
from gelu_verify.sweep.exact import Judge
from gelu_verify.sweep.result import SweepResult, statistics_of
from gelu_verify.sweep.runner import Call
from gelu_verify.sweep.statistics import Tally
from gelu_verify.sweep.tasks import Interval, Task, covered, plan_tasks
from gelu_verify.sweep.workers import Job, Outcome, run_here, run_in_processes

Report = Callable[[int, int], object]

_LARGEST_DERIVATIVE = 8


def sweep(
    implementation: Call,
    function: Function,
    format: Format,
    *,
    name: str = "",
    second: Function | None = None,
    derivative: int = 0,
    on: Interval | None = None,
    workers: int | None = None,
    progress: Report | None = None,
) -> SweepResult:
    """Run an implementation on every encoding of a format and judge every result, with proof.

    The result is the same whatever the number of workers.

    Arguments:
        implementation: maps an array of the format's type to one of the same type and shape. It is called with up to
            2^16 consecutive encodings in a read-only array that is overwritten after the call.
        function: what it claims to compute.
        name: what to call the implementation; its own name by default.
        second: a function to judge the same results against as well.
        derivative: the implementation claims to compute this derivative of the functions.
        on: only the numbers in this interval.
        workers: processes; by default one for each processor. With 1, everything runs in this process; with more, the
            implementation must be importable in another process.
        progress: called with (inputs done, inputs in all) now and then.

    Raises:
        InputError: the implementation fails or returns something else, or the process flushes subnormal numbers.
        IncompleteError: a worker died.
        ArithmeticError: a check of the oracle failed; nothing can be said.
    """
    if format.width > 32:
        raise InputError(f"{format.name} has too many encodings to run them all; sample it with windows")
    if not 0 <= derivative <= _LARGEST_DERIVATIVE:
        raise InputError(f"the derivative's order is {derivative}; it must be from 0 to {_LARGEST_DERIVATIVE}")
    functions = (function,) if second is None else (function, second)
    job = Job(implementation, functions, format, derivative)
    tasks = plan_tasks(format, on)
    sums = [Tally() for _ in functions]
    done, total = 0, covered(tasks)
    with closing(_outcomes(job, tasks, workers or len(os.sched_getaffinity(0)))) as outcomes:
        for task, tallies in outcomes:
            for tally, found in zip(sums, tallies, strict=True):
                tally.merge(found)
            done += task.inputs
            if progress is not None:
                progress(done, total)
    return _result(job, name or _name_of(implementation), sums, total)


def _outcomes(job: Job, tasks: Sequence[Task], workers: int) -> Generator[Outcome, None, None]:
    if workers < 1:
        raise InputError(f"the number of workers is {workers}; it must be at least 1")
    if workers == 1 or len(tasks) == 1:
        return run_here(job, tasks)
    return run_in_processes(job, tasks, workers)


def _result(job: Job, name: str, sums: Sequence[Tally], total: int) -> SweepResult:
    statistics = []
    for function, tally in zip(job.functions, sums, strict=True):
        tally.count_steps_between_tasks()
        if tally.inputs != total:
            raise ArithmeticError(f"{tally.inputs} inputs were judged of {total}")
        statistics.append(statistics_of(function.name, tally, Judge(function.expression, job.derivative, job.format)))
    second = statistics[1] if len(statistics) > 1 else None
    return SweepResult(name, job.format, job.derivative, Verdict.EXHAUSTIVE, total, statistics[0], second)


def _name_of(implementation: Call) -> str:
    return str(getattr(implementation, "__qualname__", type(implementation).__name__))
