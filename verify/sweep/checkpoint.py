"""Checkpoints: what a sweep has found so far, in a file from which it goes on after a kill.

The file is JSON, written whole or not at all. It names the sweep that it belongs to, and carries a digest of itself:
whatever was cut off, edited or made for another sweep is refused, never half believed.
"""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from gelu_verify.errors import InputError
from gelu_verify.sweep.statistics import Edge, Interval, Tally, Worst

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Progress:
    """The tasks that are done, by number, and one tally for each function."""

    done: frozenset[int]
    tallies: tuple[Tally, ...]


def save(path: Path, sweep: Mapping[str, Any], progress: Progress) -> None:
    """Write a checkpoint for the sweep that `sweep` describes.

    Raises:
        InputError: the file cannot be written.
    """
    body = {
        "version": _VERSION,
        "sweep": sweep,
        "done": sorted(progress.done),
        "tallies": [_tally_to_json(tally) for tally in progress.tallies],
    }
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w") as stream:
            json.dump({"digest": _digest(body), **body}, stream)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise InputError(f"cannot write the checkpoint {path}: {(error.strerror or str(error)).lower()}") from None


def load(path: Path, sweep: Mapping[str, Any], tasks: Mapping[int, int]) -> Progress | None:
    """Read the checkpoint of the sweep that `sweep` describes; None if there is no such file.

    Arguments:
        tasks: the number of inputs of every task, by its number.

    Raises:
        InputError: the file is damaged, or belongs to another sweep.
    """
    try:
        text = path.read_text()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the checkpoint {path}: {error}") from None
    body = _verified_body(path, text)
    if body["sweep"] != json.loads(json.dumps(sweep)):
        differing = [name for name in sweep if body["sweep"].get(name) != json.loads(json.dumps(sweep[name]))]
        raise InputError(
            f"the checkpoint {path} belongs to another sweep (its {', '.join(differing) or 'description'} differs); "
            "give another file or remove it"
        )
    try:
        progress = Progress(frozenset(body["done"]), tuple(map(_tally_from_json, body["tallies"])))
        inputs = sum(tasks[number] for number in progress.done)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _damaged(path) from None
    if len(progress.done) != len(body["done"]) or any(tally.inputs != inputs for tally in progress.tallies):
        raise _damaged(path)
    return progress


def _verified_body(path: Path, text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise _damaged(path) from None
    if not isinstance(body, dict) or body.pop("digest", None) != _digest(body) or body.get("version") != _VERSION:
        raise _damaged(path)
    return body


def _damaged(path: Path) -> InputError:
    return InputError(f"the checkpoint {path} is damaged or not a checkpoint; remove it to start afresh")


def _digest(body: Mapping[str, Any]) -> str:
    return sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _tally_to_json(tally: Tally) -> dict[str, Any]:
    return {
        "inputs": tally.inputs,
        "counts": tally.counts,
        "histogram": [[binade, *row] for binade, row in sorted(tally.histogram.items())],
        "worst": {kind: [str(worst.size), worst.bits, worst.got] for kind, worst in tally.worst.items()},
        "bounds": {kind: None if bound is None else str(bound) for kind, bound in tally.bounds.items()},
        "regions": {
            name: [[interval.first, interval.last, interval.count] for interval in tally.joined_regions(name)]
            for name in tally.regions
        },
        "edges": [[edge.bits, float(edge.got).hex(), edge.direction] for edge in tally.edges.values()],
    }


def _tally_from_json(data: Mapping[str, Any]) -> Tally:
    return Tally(
        inputs=data["inputs"],
        counts=dict(data["counts"]),
        histogram={row[0]: list(row[1:]) for row in data["histogram"]},
        worst={kind: _worst_from_json(entry) for kind, entry in data["worst"].items()},
        bounds={kind: None if bound is None else Fraction(bound) for kind, bound in data["bounds"].items()},
        regions={name: [Interval(*entry) for entry in entries] for name, entries in data["regions"].items()},
        edges={bits: Edge(bits, float.fromhex(got), direction) for bits, got, direction in data["edges"]},
    )


def _worst_from_json(entry: Sequence[Any]) -> Worst:
    size, bits, got = entry
    return Worst(Fraction(size), bits, got)
