"""Spreading independent questions over the processors, with answers in the order of the questions."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, resource_tracker
from typing import TypeVar

from gelu_verify.errors import IncompleteError

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
        IncompleteError: a worker process died.
    """
    count = min(workers or os.cpu_count() or 1, len(questions))
    told = advance or (lambda done, total: None)
    if count <= 1:
        answers = []
        for question in questions:
            answers.append(work(question))
            told(len(answers), len(questions))
        return answers
    found: dict[int, Answer] = {}
    others = set(active_children())
    # spawn, not fork: python-flint and the caller's threads do not survive a fork everywhere.
    with ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=die_with_parent) as pool:
        try:
            with interrupts_held_back():
                places = {pool.submit(work, question): place for place, question in enumerate(questions)}
            for future in as_completed(places):
                found[places[future]] = future.result()
                told(len(found), len(questions))
        except BrokenProcessPool:
            raise IncompleteError("a worker process died; is there enough memory?") from None
        except BaseException:  # Ctrl-C among them: nobody waits for the answers under way
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(active_children()) - others:
                process.terminate()
            raise
    return [found[place] for place in range(len(questions))]


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
