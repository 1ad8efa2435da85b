"""What a seeded fault and a correct variant are, and the register in which both stand."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gelu_verify.faults.elementary import Array

Call = Callable[..., Array]


@dataclass(frozen=True, slots=True)
class Fault:
    """A wrong implementation, with what a check must say about it.

    Attributes:
        id: name of the callable and the format, for example `one_plus_erf.binary32`.
        kind: the fault's kind, one word of `gelu_verify.checks.kinds`.
        function: what the callable claims to compute: a catalogue name or an expression.
        format: the format of input and output; `call` maps an array of its NumPy type to one of the same shape.
        call: the implementation. With `gated`, it takes two arrays (a, b) and claims function(a)*b.
        summary: what is wrong, in one line.
        source: where it was seen in public, or how it follows from what was seen there.
        gradient: the backward pass that comes with `call`, if it has one.
        derivative: which derivative of `function` the callable claims to be.
        also: further kinds that the same slip truly shows, and that a check may name beside `kind`.
        onset: encoding of the input at which the fault sets in, next to the side that is still right.
        gated: whether `call` is a gated unit of two inputs.
    """

    id: str
    kind: str
    function: str
    format: str
    call: Call
    summary: str
    source: str
    gradient: Call | None = None
    derivative: int = 0
    also: tuple[str, ...] = ()
    onset: int | None = None
    gated: bool = False


@dataclass(frozen=True, slots=True)
class Variant:
    """A right implementation, which no check may blame.

    Attributes:
        max_ulp: the error it promises not to exceed, in ulp.
        flush_subnormals: whether it is right only under the declared policy that subnormal numbers count as zero.

    The others are those of `Fault`.
    """

    id: str
    function: str
    format: str
    call: Call
    summary: str
    max_ulp: float = 4.0
    gradient: Call | None = None
    derivative: int = 0
    flush_subnormals: bool = False
    gated: bool = False


faults: dict[str, Fault] = {}
variants: dict[str, Variant] = {}


def fault(kind: str, function: str, *formats: str, source: str, **details: Any) -> Callable[[Call], Call]:
    """Return a decorator that registers a wrong implementation once for each format; its docstring is the summary."""

    def register(call: Call) -> Call:
        for format in formats:
            record = Fault(_id(call, format), kind, function, format, call, _summary(call), source, **details)
            _add(faults, record.id, record)
        return call

    return register


def variant(function: str, *formats: str, **details: Any) -> Callable[[Call], Call]:
    """Return a decorator that registers a right implementation once for each format; its docstring is the summary."""

    def register(call: Call) -> Call:
        for format in formats:
            record = Variant(_id(call, format), function, format, call, _summary(call), **details)
            _add(variants, record.id, record)
        return call

    return register


def _id(call: Call, format: str) -> str:
    return f"{call.__name__}.{format}"


def _summary(call: Call) -> str:
    """Return the first line of what is written under the callable's name, which -OO takes from the running program."""
    return (call.__doc__ or _written(call)).strip().splitlines()[0]


def _written(call: Call) -> str:
    """Return the docstring as it stands in the source; the name where that is not there either."""
    try:
        definition = ast.parse(textwrap.dedent(inspect.getsource(call))).body[0]
    except OSError:
        return call.__name__
    found = ast.get_docstring(definition) if isinstance(definition, ast.FunctionDef) else None
    return found or call.__name__


def _add(register: dict[str, Any], key: str, record: Fault | Variant) -> None:
    if key in faults or key in variants:
        raise ValueError(f"two seeded implementations are called {key}")
    register[key] = record
