"""The line to a worker process needs little of the system, and says what is missing."""

import errno
import os
import signal
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import FORMATS
from gelu_verify.targets import IsolatedTarget, parse_target

BINARY32 = FORMATS["binary32"]
X = np.array([-2.0, 0.5], np.float32).view(np.uint32)


def absolute() -> IsolatedTarget:
    return IsolatedTarget(parse_target("numpy:abs"), BINARY32, timeout=300)


def full(*arguments: object, **options: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def works() -> bool:
    target = absolute()
    try:
        return np.array_equal(target.evaluate(X).view(np.float32), [2.0, 0.5])
    finally:
        target.close()


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="this Python makes no files in memory")
def test_no_folder_needs_room_for_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    assert works()


def test_without_files_in_memory_a_temporary_one_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    assert works()


def test_a_full_disk_is_told_before_anything_is_written_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(IncompleteError, match="cannot start another process: no space left on device"):
        absolute()


def test_where_no_thread_starts_the_process_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Recorded(subprocess.Popen):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(subprocess, "Popen", Recorded)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(IncompleteError, match="cannot start another process: can't start new thread"):
        absolute()
    assert [process.returncode for process in started] == [-signal.SIGKILL]
    assert started[0].stderr is not None and started[0].stderr.closed


def test_a_removed_working_folder_is_no_fault_of_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(InputError, match="the working folder has been removed"):
        absolute()
