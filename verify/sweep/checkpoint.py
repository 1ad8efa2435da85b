"""Checkpoints: what a sweep has found so far, in a file from which it goes on after a kill.

The file is JSON, written whole or not at all. It names the sweep that it belongs to, and carries a digest of itself:
whatever was cut off, edited or made for another sweep is refused, never half believed.
"""

import json
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from gelu_verify.errors import InputError, reason
from gelu_verify.files import replace_whole
from gelu_verify.sweep.statistics import COUNTS, LIMITS, Edge, Interval, Tally, Worst

_VERSION = 1
_LARGEST = 1 << 28  # bytes; the fullest checkpoint, of a sweep with regions everywhere, is far smaller
_MOST = 1 << 64  # above every count and encoding
_RATIONAL = re.compile(r"-?[0-9]{1,2000}(/[0-9]{1,2000})?")  # no exponent: 1e999999999 would be written out
T = TypeVar("T")
_KINDS = ("ulp", "abs", "rel", "symmetry")


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
    try:
        replace_whole(path, json.dumps({"digest": _digest(body), **body}).encode())
    except OSError as error:
        raise InputError(f"cannot write the checkpoint {path}: {reason(error)}") from None


def load(path: Path, sweep: Mapping[str, Any], tasks: Mapping[int, int], functions: int = 1) -> Progress | None:
    """Read the checkpoint of the sweep that `sweep` describes; None if there is no such file.

    Arguments:
        tasks: the number of inputs of every task, by its number.
        functions: how many tallies there must be.

    Raises:
        InputError: the file is damaged, or belongs to another sweep.
    """
    content = _content(path)
    if content is None:
        return None
    body = _verified_body(path, content)
    if body["sweep"] != json.loads(json.dumps(sweep)):
        differing = [name for name in sweep if body["sweep"].get(name) != json.loads(json.dumps(sweep[name]))]
        raise InputError(
            f"the checkpoint {path} belongs to another sweep (its {', '.join(differing) or 'description'} differs); "
            "give another file or remove it"
        )
    try:
        done = [_natural(number) for number in body["done"]]
        progress = Progress(frozenset(done), tuple(map(_tally_from_json, body["tallies"])))
        inputs = sum(tasks[number] for number in done)
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
        raise _damaged(path) from None
    whole = len(progress.done) == len(done) and len(progress.tallies) == functions
    if not whole or any(tally.inputs != inputs for tally in progress.tallies):
        raise _damaged(path)
    return progress


def _content(path: Path) -> bytes | None:
    """Read a file of bearable size; None if there is none."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):  # a pipe would let us wait, a device would never end
            raise InputError(f"cannot read the checkpoint {path}: it is not a file")
        if found.st_size > _LARGEST:
            raise _damaged(path)
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"cannot read the checkpoint {path}: {reason(error)}") from None


def _verified_body(path: Path, content: bytes) -> Any:
    try:
        body: Any = json.loads(content)
        genuine = isinstance(body, dict) and body.pop("digest", None) == _digest(body)
    except (ValueError, RecursionError):
        raise _damaged(path) from None
    if not genuine:
        raise _damaged(path)
    if body.get("version") != _VERSION:
        raise InputError(f"the checkpoint {path} was written by another version of this program; remove it")
    if not isinstance(body.get("sweep"), dict):
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
    """Rebuild a tally from data in which nothing is taken on trust; raises what `load` tells as damage."""
    return Tally(
        inputs=_natural(data["inputs"]),
        counts={_one_of(COUNTS, name): _natural(number) for name, number in data["counts"].items()},
        histogram=dict(_row_from_json(*row) for row in data["histogram"]),
        worst={_one_of(_KINDS, kind): _worst_from_json(*entry) for kind, entry in data["worst"].items()},
        bounds={
            _one_of(_KINDS, kind): None if bound is None else _rational(bound) for kind, bound in data["bounds"].items()
        },
        regions={
            _one_of(COUNTS, name): [Interval(*map(_natural, entry)) for entry in entries]
            for name, entries in data["regions"].items()
        },
        edges={edge.bits: edge for edge in (_edge_from_json(*entry) for entry in data["edges"])},
    )


def _row_from_json(binade: object, *numbers: object) -> tuple[int, list[int]]:
    if len(numbers) != len(LIMITS) + 1:
        raise ValueError("a row of the wrong length")
    return _natural(binade), [_natural(number) for number in numbers]


def _worst_from_json(size: object, bits: object, got: object) -> Worst:
    return Worst(_rational(size), _natural(bits), _natural(got))


def _edge_from_json(bits: object, got: str, direction: int | None) -> Edge:
    if direction is not None:
        _one_of((-1, 0, 1), direction)
    return Edge(_natural(bits), float.fromhex(got), direction)


def _natural(value: object) -> int:
    if type(value) is not int or not 0 <= value < _MOST:
        raise ValueError("not a count or an encoding")
    return value


def _rational(value: object) -> Fraction:
    if not isinstance(value, str) or not _RATIONAL.fullmatch(value):
        raise ValueError("not a rational number")
    return Fraction(value)


def _one_of(known: Sequence[T], value: T) -> T:
    if value not in known:
        raise ValueError("an unknown name")
    return value
