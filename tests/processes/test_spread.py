"""Work spread over processes: the answers in order, the workers gone whatever happens."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import active_children
from pathlib import Path
from types import SimpleNamespace

import pytest

from gelu_verify import processes
from gelu_verify.errors import IncompleteError
from gelu_verify.processes import interrupts_held_back, spread

PATIENCE = 300  # seconds, for a machine that is slow and busy


def square(number: int) -> int:
    return number * number


def identify(number: int) -> int:
    return os.getpid()


def fail(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number


def die(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_answers_come_in_the_order_of_the_questions_whoever_found_them(workers: int) -> None:
    told: list[tuple[int, int]] = []
    answers = spread(square, range(20), lambda done, total: told.append((done, total)), workers)
    assert answers == [number * number for number in range(20)]
    assert told == [(done, 20) for done in range(1, 21)]


def test_one_worker_is_this_process_and_no_question_needs_none() -> None:
    assert spread(identify, [1], workers=4) == [os.getpid()]
    assert os.getpid() not in spread(identify, [1, 2], workers=2)
    assert spread(square, [], workers=2) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_reaches_the_caller_and_no_worker_is_left(workers: int) -> None:
    before = set(active_children())
    with pytest.raises(ValueError, match="three"):
        spread(fail, range(40), workers=workers)
    deadline = time.monotonic() + PATIENCE
    while set(active_children()) - before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert set(active_children()) == before


def test_a_worker_that_dies_is_told_in_one_line() -> None:
    with pytest.raises(IncompleteError, match="a worker process died"):
        spread(die, range(6), workers=2)


def test_without_semaphores_this_process_finds_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(processes, "ProcessPoolExecutor", refuse)
    assert spread(identify, [1, 2], workers=2) == [os.getpid()] * 2


def test_a_worker_of_somebody_elses_pool_works_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "current_process", lambda: SimpleNamespace(daemon=True))
    assert spread(identify, [1, 2], workers=2) == [os.getpid()] * 2


@pytest.mark.parametrize("error", [OSError(errno.EAGAIN, "Try again"), RuntimeError("can't start new thread")])
def test_a_limit_on_processes_is_told_in_one_line(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise error

    monkeypatch.setattr(processes.ProcessPoolExecutor, "submit", refuse)
    with pytest.raises(IncompleteError, match=r"cannot start another process: (try again|can't start new thread)"):
        spread(square, range(6), workers=2)


def test_in_a_removed_working_folder_this_process_finds_the_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert spread(identify, [1, 2], workers=2) == [os.getpid()] * 2


def test_in_a_working_folder_that_may_not_be_entered_this_process_finds_the_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "access", lambda folder, mode: mode != os.X_OK)
    assert spread(identify, [1, 2], workers=2) == [os.getpid()] * 2


@pytest.mark.parametrize("main", [True, False])
def test_a_ctrl_c_while_processes_start_waits_until_they_have_whichever_thread_takes_it(main: bool) -> None:
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    begun = finished = False
    taker = threading.Thread(target=signal.raise_signal, args=(signal.SIGINT,))
    try:
        with pytest.raises(KeyboardInterrupt), interrupts_held_back():
            begun = True
            if main:
                signal.raise_signal(signal.SIGINT)
            else:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # as of a thread that was there before
                taker.start()
                taker.join()
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            finished = True
        assert (begun, finished) == (True, True)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())
    finally:
        signal.signal(signal.SIGINT, usual)


SCRIPT = """
import signal
import time
from gelu_verify.processes import spread

def sleep(seconds):
    time.sleep(seconds)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs in the background inherits deaf ears
    print("started", flush=True)
    spread(sleep, [3600, 3600], workers=2)
"""


def alive(group: int) -> bool:
    """Tell whether a process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("wait", [0.05, 1.5])
def test_ctrl_c_ends_all_at_once_without_a_word_from_the_workers(tmp_path: Path, wait: float) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    run = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert run.stdout is not None
    run.stdout.readline()
    time.sleep(wait)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to all of them
    _, complaint = run.communicate(timeout=PATIENCE)  # nobody has waited for the hour of sleep
    assert complaint.count("KeyboardInterrupt") == 1  # the script's own
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and alive(run.pid):
        time.sleep(0.05)
    assert not alive(run.pid)
