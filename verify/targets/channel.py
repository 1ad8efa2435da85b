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

from gelu_verify.targets.misbehaviour import COMPLAINT, Misbehaved, Misdeed, last_complaint

Bits = npt.NDArray[Any]

_PARTS = 3  # two inputs and the output


class Channel:
    """One worker process, alive from construction to `close`.

    Arguments:
        part: size in bytes of each of the three parts of the shared memory.
    """

    def __init__(self, part: int) -> None:
        folder = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryFile(dir=folder) as file:
            file.truncate(_PARTS * part)
            self._memory = mmap.mmap(file.fileno(), _PARTS * part)
            self._part = part
            commands, self._commands = os.pipe()
            self._replies, replies = os.pipe()
            words = [
                sys.executable,
                "-P",  # a random.py in the working folder must not stand in for the standard library's
                "-m",
                "gelu_verify.targets.worker",
                str(commands),
                str(replies),
                str(file.fileno()),
            ]
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(commands, replies, file.fileno()),
                start_new_session=True,
            )
        os.close(commands)
        os.close(replies)
        self._pending = b""
        self._tail = b""
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
            self._tail = (self._tail + data)[-COMPLAINT:]
