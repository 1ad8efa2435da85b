"""Judging claims, each part within its time."""

import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.records import Verdict
from gelu_verify.reports.claims.record import Claim, JudgedClaim, Limits, Note, Outcome, Part
from gelu_verify.reports.claims.theorems import Theorems, verdicts

DEFAULT_LIMITS = Limits()


def judge(claim: Claim, limits: Limits = DEFAULT_LIMITS) -> JudgedClaim:
    """Decide a claim, part by part. What could not be decided is `unknown` and says why; nothing is raised."""
    return JudgedClaim(claim, tuple(_judge_part(part, limits) for part in claim.parts))


def judge_all(
    claims: Sequence[Claim], limits: Limits = DEFAULT_LIMITS, progress: Callable[[int, int], None] | None = None
) -> tuple[JudgedClaim, ...]:
    """Decide claims in their order; `progress` is called with the number done and the number of all.

    The theorems that they rest on are checked first, together, unless their verdicts are given.
    """
    limits = replace(limits, theorems=_check_theorems(claims, limits.theorems))
    judged = []
    for claim in claims:
        judged.append(judge(claim, limits))
        if progress:
            progress(len(judged), len(claims))
    return tuple(judged)


def _check_theorems(claims: Sequence[Claim], known: Mapping[str, Verdict]) -> Mapping[str, Verdict]:
    questions = [part.question for claim in claims for part in claim.parts]
    wanted = {id for question in questions if isinstance(question, Theorems) for id in question.ids} - set(known)
    return {**known, **verdicts(sorted(wanted))} if wanted else known


def _judge_part(part: Part, limits: Limits) -> Outcome:
    try:
        with _at_most(limits.seconds):
            return part.question.judge(limits)
    except _OutOfTime:
        return Outcome(Verdict.UNKNOWN, None, (Note("undecided.time", {"seconds": f"{limits.seconds:g}"}),))
    except (IncompleteError, InputError) as error:
        return Outcome(Verdict.UNKNOWN, None, (Note("undecided.reason", {"reason": str(error)}),))


class _OutOfTime(BaseException):
    """Not an Exception: no handler on the way may take it for an error of its own."""


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Interrupt the block after so many seconds, where the system can (the main thread, with POSIX signals)."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise _OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
