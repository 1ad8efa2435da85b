"""Long work in named steps, of which finished ones are kept: an interrupted report continues where it was.

Every step returns plain JSON data. It is kept in one file, together with a key made from everything that the result
depends on; a file that is damaged, or was made by another version, from other sources or with other options, counts
as absent.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from gelu_verify import __version__
from gelu_verify.files import write_atomically

Advance = Callable[[int, int], None]  # (done, total) within a step


@dataclass(frozen=True, slots=True)
class Context:
    """What a step may use.

    Attributes:
        results: the results of the steps before it, by name.
        options: what was asked for on the command line; part of every step's key.
        scratch: a folder for the step's own checkpoints; it survives an interruption.
        advance: tells how far the step has come.
    """

    results: Mapping[str, Any]
    options: Mapping[str, Any]
    scratch: Path
    advance: Advance


@dataclass(frozen=True, slots=True)
class Step:
    """One named piece of work.

    Attributes:
        unit: what is counted while it runs.
        host: whatever else its result depends on (nothing for what is the same on every machine).
    """

    name: str
    run: Callable[[Context], Any]
    unit: str = "steps"
    host: Callable[[], str] = field(default=lambda: "")


Watch = Callable[[Step, int, int], AbstractContextManager[Advance]]


@dataclass(frozen=True, slots=True)
class Finished:
    """What a step returned, and how long it took."""

    result: Any
    seconds: float


class Store:
    """A folder that keeps the results of finished steps."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, name: str, key: str) -> "Finished | None":
        """Return a kept result, or None if there is none that is whole and was made under the same key."""
        try:
            document = json.loads(self._path(name).read_text(encoding="utf-8"))
            kept = Finished(document["result"], float(document["seconds"]))
            whole = document["key"] == key and document["sha256"] == _digest([kept.result, kept.seconds])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return kept if whole else None

    def save(self, name: str, key: str, finished: "Finished") -> None:
        """Keep a result."""
        self.folder.mkdir(exist_ok=True)
        digest = _digest([finished.result, finished.seconds])
        document = {"key": key, "sha256": digest, "result": finished.result, "seconds": finished.seconds}
        write_atomically(self._path(name), json.dumps(document))

    def clear(self) -> None:
        """Forget everything."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self.folder)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"


def run_steps(steps: Sequence[Step], store: Store, options: Mapping[str, Any], watch: Watch) -> dict[str, Finished]:
    """Run the steps in their order and return their results by name; finished ones are taken from the store.

    Arguments:
        watch: called with each step that is to be run, its number (from 1) and the number of steps; returns a context
            manager that gives the step's `advance`.
    """
    finished: dict[str, Finished] = {}
    for number, step in enumerate(steps, 1):
        key = step_key(step, options)
        kept = store.load(step.name, key)
        if kept is None:
            store.folder.mkdir(exist_ok=True)
            results = {name: each.result for name, each in finished.items()}
            started = time.perf_counter()
            with watch(step, number, len(steps)) as advance:
                # Through JSON and back: a continued report must see the same data as an uninterrupted one.
                result = json.loads(json.dumps(step.run(Context(results, options, store.folder, advance))))
            kept = Finished(result, round(time.perf_counter() - started, 3))
            store.save(step.name, key, kept)
        finished[step.name] = kept
    return finished


def step_key(step: Step, options: Mapping[str, Any]) -> str:
    """Return a digest of everything that a step's result depends on."""
    return _digest([step.name, __version__, source_digest(), dict(options), step.host()])


@lru_cache(maxsize=1)
def source_digest() -> str:
    """Return a digest of the package's own sources and data."""
    digest = hashlib.sha256()
    for package in ("gelu_verify", "gelu_verify.proofs", "gelu_verify.reports"):
        _feed(digest, files(package))
    return digest.hexdigest()


def _feed(digest: Any, folder: Traversable) -> None:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.is_dir():
            if entry.name not in ("__pycache__", "published"):
                _feed(digest, entry)
        elif entry.name.endswith((".py", ".toml", ".json", ".v", ".html", ".md", ".css")):
            digest.update(entry.name.encode() + b"\0" + entry.read_bytes())


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
