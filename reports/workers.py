"""Spreading independent questions over the processors, with answers in the order of the questions."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")


def spread(
    work: Callable[[Question], Answer],
    questions: Sequence[Question],
    advance: Callable[[int, int], None],
    workers: int | None = None,
) -> list[Answer]:
    """Return the answers, whatever the number of workers.

    Arguments:
        work: a function of a module (the workers import it).
        advance: called with the number of answers that are there, and of all.
        workers: processes; by default one for each processor. 1 works in this process.
    """
    count = min(workers or os.cpu_count() or 1, len(questions))
    if count <= 1:
        answers = []
        for question in questions:
            answers.append(work(question))
            advance(len(answers), len(questions))
        return answers
    found: dict[int, Answer] = {}
    # spawn, not fork: python-flint and the caller's threads do not survive a fork everywhere.
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        places = {pool.submit(work, question): place for place, question in enumerate(questions)}
        try:
            for future in as_completed(places):
                found[places[future]] = future.result()
                advance(len(found), len(questions))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[place] for place in range(len(questions))]
