"""The process in which a stranger's code runs: `python -m gelu_verify.targets.worker COMMANDS REPLIES MEMORY`.

The three arguments are file descriptors. Commands and replies are lines of JSON; the numbers lie in shared memory, in
three equal parts: the first input, the second, the output. The target's own standard output goes nowhere.
"""

import json
import mmap
import os
import sys
from collections.abc import Callable
from typing import IO, Any

import numpy as np

from gelu_verify.errors import InputError
from gelu_verify.formats import Format, get_format
from gelu_verify.formats.arrays import native_dtype, storage_dtype
from gelu_verify.processes import die_with_parent
from gelu_verify.targets.adapters import Adapter
from gelu_verify.targets.layouts import Layout, arrange
from gelu_verify.targets.loading import load
from gelu_verify.targets.misbehaviour import Misbehaved, Misdeed, Unsupported, in_one_line
from gelu_verify.targets.specification import Specification
from gelu_verify.targets.surroundings import ARITHMETIC, ON_LOADING, Surroundings

PARTS = 3


def main() -> None:
    """Serve one target until the commands end."""
    commands_fd, replies_fd, memory_fd = map(int, sys.argv[1:4])
    die_with_parent()
    with os.fdopen(commands_fd, "r") as commands, os.fdopen(replies_fd, "w") as replies:
        setup = json.loads(commands.readline())

        def imported() -> None:
            """Say that the target was found, and wait until it may be called for the first time."""
            _reply(replies, {"imported": True})
            commands.readline()

        sys.path.extend(entry for entry in setup["path"] if entry not in sys.path)
        format = get_format(setup["format"])
        try:
            server = _Server(setup, format, mmap.mmap(memory_fd, 0), imported)
        except InputError as error:
            _reply(replies, {"input_error": str(error)})
            return
        _reply(replies, {"framework": server.framework, "changed": server.changed_on_loading})
        for line in commands:
            _reply(replies, server.answer(json.loads(line)))


def _reply(replies: IO[str], content: dict[str, Any]) -> None:
    replies.write(json.dumps(content) + "\n")
    replies.flush()


class _Server:
    """The target, loaded, with its memory."""

    def __init__(
        self, setup: dict[str, Any], format: Format, memory: mmap.mmap, imported: Callable[[], object]
    ) -> None:
        self._memory = np.frombuffer(memory, storage_dtype(format)).reshape(PARTS, -1)
        self._native = native_dtype(format)
        self._surroundings = Surroundings()
        self._process = os.getpid()
        self.changed_on_loading: list[str] = []

        def found() -> None:
            self._settle()
            imported()

        self._adapter = load(Specification(**setup["target"]), format, found)
        self._gradient: Adapter | None = None
        if setup["gradient"] is not None:
            self._gradient = load(Specification(**setup["gradient"]), format, self._settle)
        self._leave_if_forked()
        self._inputs: int = setup["target"]["inputs"]
        self.framework = self._adapter.framework
        self._surroundings.changed()

    def _settle(self) -> None:
        """Compare the state from here on: what importing does is none of the call's doing.

        But whoever loads code that changes the arithmetic has it changed in all of the process.
        """
        changed = self._surroundings.changed()
        self.changed_on_loading += [f"{name}{ON_LOADING}" for name in changed if name in ARITHMETIC]

    def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        """Run one call; the reply says what happened, in the words of `Misdeed`."""
        try:
            result = self._call(command["operation"], command["count"], Layout(command["layout"]))
        except Misbehaved as fault:
            return {"misdeed": fault.misdeed, "detail": fault.detail}
        except Unsupported as refusal:
            return {"unsupported": str(refusal)}
        except InputError as error:
            return {"input_error": str(error)}
        except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever the target raises is its own doing)
            return {"misdeed": Misdeed.EXCEPTION, "detail": in_one_line(error)}
        finally:
            self._leave_if_forked()
        self._memory[PARTS - 1, : command["count"]] = result.ravel()
        return {"changed": self._surroundings.changed()}

    def _leave_if_forked(self) -> None:
        """End a copy of this process that the target forked off and let come back: there can be only one to answer."""
        if os.getpid() != self._process:
            os._exit(0)

    def _call(self, operation: str, count: int, layout: Layout) -> np.ndarray[Any, Any]:
        inputs = [arrange(self._memory[part, :count].copy().view(self._native), layout) for part in range(self._inputs)]
        if operation == "forward":
            return self._adapter.forward(*inputs)
        if self._gradient is not None:
            return self._gradient.forward(*inputs)
        return self._adapter.gradient(*inputs)


if __name__ == "__main__":
    main()
