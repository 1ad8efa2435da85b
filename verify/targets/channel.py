"""The line to a worker process: commands and replies as JSON over pipes, numbers in shared memory."""

import contextlib
import json
import mmap
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.errors import InputError
from gelu_verify.processes import cannot_start
from gelu_verify.targets.misbehaviour import LONGEST_COMPLAINT, Misbehaved, Misdeed, last_complaint

Bits = npt.NDArray[Any]

_PARTS = 3  # two inputs and the output


def _nameless_file(size: int) -> int:
    """Return the handle of a new file in memory, which takes no place in /dev/shm: that may be small, full or missing.

    Where the system makes none such it is a temporary one, of so many bytes whose place on the disk is taken at once:
    to run out of it while they are written would end this process by SIGBUS.

    Raises:
        OSError: there is no room.
    """
    try:
        return os.memfd_create("gelu-verify")
    except (AttributeError, OSError):
        with tempfile.TemporaryFile() as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            return os.dup(file.fileno())


def _require_working_folder() -> None:
    """Refuse to start a target where the working folder has been removed: that would be told as a crash of its own.

    Raises:
        InputError: it has.
    """
    try:
        os.getcwd()  # noqa: PTH109 (a string is made sooner)
    except FileNotFoundError:
        raise InputError("the working folder has been removed; change to another, for example with 'cd ..'") from None


class Channel:
    """One worker process, alive from construction to `close`.

    Arguments:
        part: size in bytes of each of the three parts of the shared memory.
    """

    def __init__(self, part: int) -> None:
        _require_working_folder()
        self._part = part
        self._pending = b""
        self._tail = b""
        try:
            with contextlib.ExitStack() as undo:
                self._start(undo)
                undo.pop_all()
        except (OSError, RuntimeError) as error:  # RuntimeError: no further thread may be started
            raise cannot_start(error) from None

    def _start(self, undo: contextlib.ExitStack) -> None:
        """Open the pipes and the memory and start the process; `undo` is to put away what there is, at a failure."""
        with contextlib.ExitStack() as theirs:
            memory = _nameless_file(_PARTS * self._part)
            theirs.callback(os.close, memory)
            os.truncate(memory, _PARTS * self._part)
            self._memory = mmap.mmap(memory, _PARTS * self._part)
            undo.callback(self._memory.close)
            commands, self._commands = os.pipe()
            theirs.callback(os.close, commands)
            undo.callback(os.close, self._commands)
            self._replies, replies = os.pipe()
            theirs.callback(os.close, replies)
            undo.callback(os.close, self._replies)
            handles = (commands, replies, memory)
            # -P: a random.py in the working folder must not stand in for the standard library's
            words = [sys.executable, "-P", "-m", "gelu_verify.targets.worker", *map(str, handles)]
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=handles,
                start_new_session=True,
            )
        undo.enter_context(self._process)  # closes its standard error and waits for it
        undo.callback(self._process.kill)
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()

    def write(self, part: int, bits: Bits) -> None:
        """Copy encodings into a part of the shared memory."""
        np.frombuffer(self._memory, bits.dtype, bits.size, part * self._part)[:] = bits

    def read(self, dtype: np.dtype[Any], count: int) -> Bits:
        """Return a copy of the output."""
        return np.frombuffer(self._memory, dtype, count, (_PARTS - 1) * self._part).copy()

    def ask(self, command: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Send one command and return the reply.

        Raises:
            Misbehaved: the process died (a crash) or did not answer in time (a hang); it is of no more use then.
        """
        try:
            os.write(self._commands, json.dumps(command).encode() + b"\n")
        except BrokenPipeError:
            raise self._death() from None
        line = self._line(time.monotonic() + timeout, timeout)
        try:
            reply: dict[str, Any] = json.loads(line)
        except ValueError:
            raise Misbehaved(Misdeed.CRASH, f"the worker process answered {line[:80]!r}") from None
        return reply

    def close(self) -> None:
        """Kill the process with all its children, and free the memory."""
        for descriptor in (self._commands, self._replies):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join(timeout=5)
        if self._process.stderr is not None:
            self._process.stderr.close()

    def _line(self, deadline: float, timeout: float) -> bytes:
        while b"\n" not in self._pending:
            left = deadline - time.monotonic()
            ready = left > 0 and select.select([self._replies], [], [], left)[0]
            if not ready:
                raise Misbehaved(Misdeed.HANG, f"no answer within {timeout:g} s")
            data = os.read(self._replies, 1 << 16)
            if not data:
                raise self._death()
            self._pending += data
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def _death(self) -> Misbehaved:
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return Misbehaved(Misdeed.CRASH, "the process closed its line and went on")
        self._reader.join(timeout=5)
        how = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        last = last_complaint(self._tail)
        return Misbehaved(Misdeed.CRASH, f"the process {how}" + (f": {last}" if last else ""))

    def _drain(self) -> None:
        """Read the standard error to its end, keeping the last of it: a full pipe would stop the target."""
        stream = self._process.stderr
        while stream is not None and (data := os.read(stream.fileno(), 1 << 16)):
            self._tail = (self._tail + data)[-LONGEST_COMPLAINT:]
