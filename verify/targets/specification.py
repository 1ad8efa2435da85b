"""What a person may type for an implementation under test, and what it means."""

import ast
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gelu_verify.errors import InputError

_FORMS = "package.module:callable, file.py:callable, model.onnx, libname.so:symbol or pipe:COMMAND"
_FILES = ("file", "onnx", "library")
_LIBRARY = re.compile(r"\.(so|dylib|dll)(\.\d+)*$")


@dataclass(frozen=True, slots=True)
class Specification:
    """Where an implementation is found and how it is called.

    Attributes:
        text: what was typed.
        kind: `module`, `file`, `onnx`, `library` or `pipe`.
        place: the module's name, the file's path, or the command.
        symbol: the callable's dotted name in there; empty for `onnx` and `pipe`.
        keywords: arguments passed by name to every call, for example approximate="tanh".
        framework: `numpy`, `torch`, `jax`, `scalar`, or `auto` to find out.
        device: where torch or JAX is to compute; empty for their default.
        inputs: how many arrays it takes: 1, or 2 for a gated unit.
    """

    text: str
    kind: str
    place: str
    symbol: str = ""
    keywords: dict[str, Any] = field(default_factory=dict)
    framework: str = "auto"
    device: str = ""
    inputs: int = 1

    def absolute(self) -> "Specification":
        """Return the same with the whole path of its file, for processes that work in another folder."""
        if self.kind not in _FILES:
            return self
        return replace(self, place=str(Path(self.place).resolve()))


def parse_target(
    text: str, keywords: Sequence[str] = (), framework: str = "auto", device: str = "", inputs: int = 1
) -> Specification:
    """Read a target and the keyword arguments (`NAME=VALUE`) it is to be called with.

    Raises:
        InputError: the text is none of the forms, or the file does not exist.

    >>> parse_target("torch.nn.functional:gelu", ["approximate=tanh"]).keywords
    {'approximate': 'tanh'}
    >>> parse_target("pipe:./my_gelu --fast").kind
    'pipe'
    """
    named = dict(_keyword(word) for word in keywords)
    kind, place, symbol = _split(text)
    if named and kind not in ("module", "file"):
        raise InputError(f"keyword arguments fit only a Python callable, and {text!r} is none")
    if device and kind not in ("module", "file"):
        raise InputError(f"a device fits only a callable of torch or JAX, and {text!r} is none")
    return Specification(text, kind, place, symbol, named, framework, device, inputs)


def _split(text: str) -> tuple[str, str, str]:
    if text.startswith("pipe:"):
        command = text.removeprefix("pipe:").strip()
        if not command or not _splits(command):
            raise InputError(f"{text!r} names no command; write pipe:COMMAND ARGUMENT ...")
        return "pipe", command, ""
    if text.endswith(".onnx"):
        return "onnx", _existing(text), ""
    place, colon, symbol = text.rpartition(":")
    if not colon or not place or not symbol:
        raise InputError(f"{text!r} is no target; write {_FORMS}")
    if _LIBRARY.search(place):
        if "/" not in place and not Path(place).is_file():
            raise InputError(f"there is no file {place!r} here; give the library's path, such as ./{place}:{symbol}")
        return "library", _existing(place), symbol
    if not all(part.isidentifier() for part in symbol.split(".")):
        raise InputError(f"{symbol!r} in {text!r} is no name of a callable; write {_FORMS}")
    if place.endswith(".py"):
        return "file", _existing(place), symbol
    if not all(part.isidentifier() for part in place.split(".")):
        raise InputError(f"{place!r} in {text!r} is no name of a module; write {_FORMS}")
    return "module", place, symbol


def _splits(command: str) -> bool:
    try:
        return bool(shlex.split(command))
    except ValueError:
        return False


def _existing(path: str) -> str:
    if not Path(path).is_file():
        raise InputError(f"there is no file {path!r}")
    return path


def _keyword(word: str) -> tuple[str, Any]:
    name, equals, value = word.partition("=")
    if not equals or not name.isidentifier():
        raise InputError(f"{word!r} is no keyword argument; write NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
