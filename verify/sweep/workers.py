"""Worker processes: each runs tasks that the parent hands it, one at a time.

A worker ends when its pipe does, so none outlives the parent; the parent ends them all when it leaves, for whatever
reason. Ctrl-C is the parent's to handle: workers ignore it.
"""

import os
import signal
import sys
import traceback
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol, TypeVar, cast

from gelu_verify.catalogue import Function
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import Format
from gelu_verify.processes import cannot_start, die_with_parent, interrupts_held_back, worker_count
from gelu_verify.sweep.calls import Call
from gelu_verify.sweep.policy import Policy
from gelu_verify.sweep.runner import Runner

# Every worker computes with one thread: the matrix products are small, and the workers fill the cores.
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


Asked = TypeVar("Asked")
Found = TypeVar("Found")
Asks = TypeVar("Asks", contravariant=True)
Finds = TypeVar("Finds", covariant=True)


class Runs(Protocol[Asks, Finds]):
    """What runs tasks, one after the other."""

    def run(self, task: Asks, /) -> Finds:
        """Run a task and return what was found."""


class Work(Protocol[Asks, Finds]):
    """What all tasks of a run have in common, as it is sent to the workers."""

    def runner(self) -> Runs[Asks, Finds]:
        """Return a runner for the tasks."""

    def close(self) -> None:
        """Give back what the runner has opened."""


@dataclass(frozen=True, slots=True)
class Job:
    """What all tasks of a sweep have in common."""

    call: Call
    functions: tuple[Function, ...]
    format: Format
    derivative: int
    policy: Policy

    def runner(self) -> Runner:
        """Return a runner for the tasks."""
        return Runner(self.call, self.functions, self.format, self.derivative, self.policy)

    def close(self) -> None:
        """End what the implementation keeps open."""
        close_call(self.call)


def close_call(call: Call) -> None:
    """Close an implementation, if it can be closed."""
    close = getattr(call, "close", None)
    if close is not None:
        close()


def run_tasks(
    job: Work[Asked, Found], tasks: Sequence[Asked], workers: int | None
) -> Generator[tuple[Asked, Found], None, None]:
    """Run tasks in so many workers (see `worker_count`), or here where one is enough.

    Raises:
        InputError, IncompleteError: as `run_in_processes`.
    """
    count = worker_count(workers)
    return run_here(job, tasks) if count == 1 or len(tasks) <= 1 else run_in_processes(job, tasks, count)


def run_here(job: Work[Asked, Found], tasks: Sequence[Asked]) -> Generator[tuple[Asked, Found], None, None]:
    """Run tasks in this process, one after the other."""
    runner = job.runner()
    for task in tasks:
        yield task, runner.run(task)


def run_in_processes(
    job: Work[Asked, Found], tasks: Sequence[Asked], workers: int
) -> Generator[tuple[Asked, Found], None, None]:
    """Run tasks in worker processes, and yield what they found in the order in which they finish.

    Raises:
        InputError: the implementation failed or is not what it should be.
        IncompleteError: a worker died.
    """
    waiting = list(reversed(tasks))
    team: dict[Connection, BaseProcess] = {}
    try:
        _start(job, min(workers, len(tasks)), team)
        for connection in list(team):
            _send(waiting.pop(), connection, team)
        while team:
            for ready in wait(list(team)):
                connection = cast(Connection, ready)
                yield _received(connection, team)
                if waiting:
                    _send(waiting.pop(), connection, team)
                else:
                    _send(None, connection, team)
                    team.pop(connection).join()
    finally:
        for process in [process for process in team.values() if process.pid is not None]:
            process.kill()  # they hold nothing that needs to be put away
            process.join()
        for connection in team:
            connection.close()


def _start(job: Work[Asked, Found], workers: int, team: dict[Connection, BaseProcess]) -> None:
    context = get_context("spawn")
    with _single_threaded(), interrupts_held_back():
        for number in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(job, theirs), name=f"sweep-{number + 1}", daemon=True)
            team[ours] = process
            try:
                process.start()
            except ConnectionError:  # it died while it was told what to run
                raise _died(team.pop(ours)) from None
            except OSError as error:
                raise cannot_start(error) from None
            finally:
                theirs.close()


def _send(task: Any, connection: Connection, team: dict[Connection, BaseProcess]) -> None:
    try:
        connection.send(task)
    except ConnectionError:  # told here: the command line takes a broken pipe for a reader that has left
        raise _died(team.pop(connection)) from None


def _received(connection: Connection, team: dict[Connection, BaseProcess]) -> Any:
    try:
        answer = connection.recv()
    except (EOFError, OSError):  # OSError: it died in the middle of an answer
        raise _died(team.pop(connection)) from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _died(process: BaseProcess) -> IncompleteError:
    if process.pid is not None:
        process.join()
    return IncompleteError(
        f"worker {process.name} died (exit code {process.exitcode}); the implementation may have crashed it"
    )


def _work(job: Work[Asked, Found], connection: Connection) -> None:
    """Serve tasks until None comes or the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    die_with_parent()  # an implementation in an endless loop must not outlive it
    try:
        runner = job.runner()
        while (task := connection.recv()) is not None:
            connection.send((task, runner.run(task)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        os._exit(1)
    except (InputError, IncompleteError, ArithmeticError) as error:
        connection.send(type(error)(str(error)))
    except Exception as error:  # noqa: BLE001 (the parent must hear of it, whatever it is)
        traceback.print_exc(file=sys.stderr)
        connection.send(IncompleteError(f"a worker failed: {type(error).__name__}: {error}"))


@contextmanager
def _single_threaded() -> Iterator[None]:
    """Set the variables that tell numerical libraries how many threads to use, for processes started inside."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
