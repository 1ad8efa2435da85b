"""Spreading independent questions over the processors, with answers in the order of the questions."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, current_process, get_context, resource_tracker
from typing import TypeVar

from gelu_verify.errors import IncompleteError, InputError, reason

Question = TypeVar("Question")
Answer = TypeVar("Answer")

_SET_DEATH_SIGNAL = 1  # of Linux's prctl


def spread(
    work: Callable[[Question], Answer],
    questions: Sequence[Question],
    advance: Callable[[int, int], object] | None = None,
    workers: int | None = None,
) -> list[Answer]:
    """Return the answers, whatever the number of workers.

    Ctrl-C is this process's to handle: the workers never see it, and end with the call.

    Arguments:
        work: a function of a module (the workers import it).
        advance: called with the number of answers that are there, and of all.
        workers: processes; by default one for each processor. 1 works in this process.

    Raises:
        IncompleteError: a worker process died, or the system lets none start.
    """
    count = min(worker_count(workers), len(questions))
    told = advance or (lambda done, total: None)
    team = _team(count) if count > 1 else None
    if team is None:
        answers = []
        for question in questions:
            answers.append(work(question))
            told(len(answers), len(questions))
        return answers
    found: dict[int, Answer] = {}
    others = set(active_children())
    with team as pool:
        try:
            places = _hand_out(pool, work, questions)
            for future in as_completed(places):
                found[places[future]] = future.result()
                told(len(found), len(questions))
        except BrokenProcessPool:
            raise IncompleteError(
                "a worker process died: there is not enough memory, or a script asks outside of "
                "'if __name__ == \"__main__\":', which its worker processes would ask again"
            ) from None
        except BaseException:  # Ctrl-C among them: nobody waits for the answers under way
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(active_children()) - others:
                process.terminate()
            raise
    return [found[place] for place in range(len(questions))]


def _team(workers: int) -> ProcessPoolExecutor | None:
    """Return worker processes; None where the system has no semaphores for them to share, as without /dev/shm."""
    try:
        # spawn, not fork: python-flint and the caller's threads do not survive a fork everywhere.
        return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=die_with_parent)
    except (OSError, ImportError, NotImplementedError):
        return None


def _hand_out(
    pool: ProcessPoolExecutor, work: Callable[[Question], Answer], questions: Sequence[Question]
) -> dict[Future[Answer], int]:
    """Start the workers on the questions; return the place of each answer that is to come."""
    try:
        with interrupts_held_back():
            return {pool.submit(work, question): place for place, question in enumerate(questions)}
    except BrokenProcessPool:
        raise
    except (OSError, RuntimeError) as error:  # RuntimeError: no further thread may be started
        raise cannot_start(error) from None


def cannot_start(error: OSError | RuntimeError) -> IncompleteError:
    """Return what to tell where the system starts no further process or thread, which is no failure of any check."""
    return IncompleteError(f"cannot start another process: {reason(error)}")


def worker_count(wanted: int | None) -> int:
    """Return how many worker processes to run: those wanted, or one for each processor that this process may use.

    This process alone is the one where others cannot start: in a worker of somebody else's `multiprocessing.Pool`, and
    in a working folder that has been removed or may not be entered (as after sudo -u).

    Raises:
        InputError: fewer than one are wanted.
    """
    if wanted is not None and wanted < 1:
        raise InputError(f"the number of workers is {wanted}; it must be at least 1")
    if current_process().daemon or not _can_enter_working_folder():
        return 1
    if wanted is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return wanted


def _can_enter_working_folder() -> bool:
    try:
        return os.access(os.getcwd(), os.X_OK)  # noqa: PTH109 (a string is made sooner)
    except FileNotFoundError:
        return False


def die_with_parent() -> None:
    """Ask Linux to end this process when its parent dies, even by SIGKILL: nobody waits for its work then."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Hold Ctrl-C back while processes are started: they inherit that, also for the time before they run our code.

    One that comes meanwhile is raised at the end, unless an error ends the start.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which would let Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # Another thread may take the signal, for which Python interrupts the main one all the same: it is noted till later.
    usual, noted = signal.getsignal(signal.SIGINT), list[int]()
    here = threading.current_thread() is threading.main_thread() and callable(usual)
    if here:
        signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    try:
        yield
    finally:
        if here:
            signal.signal(signal.SIGINT, usual)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if noted:
        signal.raise_signal(signal.SIGINT)
