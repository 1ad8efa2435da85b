"""Audit the GELUs of torch, JAX, onnxruntime and transformers, whichever are installed, and print one table.

Every float of bfloat16, binary16 and binary32 goes through each of them, forward and backward. Run as

    python tests/ecosystem/audit.py [--only torch ...] [--format bfloat16 ...] [--pass forward] [--json]

The table goes to standard output, what is being done to standard error. The exit code is 1 when a form is not what the
documentation promises, 3 when an implementation that says it has the format gave no result, and 0 otherwise: how far
results are off is for the reader to judge.
"""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from implementations import FORMATS, IMPLEMENTATIONS, Implementation

from gelu_verify.catalogue import Function, function_or_expression
from gelu_verify.checks.case import Claim
from gelu_verify.checks.paths import path_findings
from gelu_verify.checks.probes import probes
from gelu_verify.checks.special_values import special_value_findings
from gelu_verify.errors import InputError
from gelu_verify.formats import Format, get_format
from gelu_verify.formats.arrays import native_dtype, storage_dtype, to_float64
from gelu_verify.identify import Model, identify
from gelu_verify.processes import spread
from gelu_verify.records import Verdict
from gelu_verify.references import rounded
from gelu_verify.sweep import Statistics, sweep
from gelu_verify.targets import IsolatedTarget, Misbehaved
from gelu_verify.targets.ahead import ReadAhead
from gelu_verify.targets.process import DEFAULT_BATCH

PASSES = ("forward", "gradient")
TIMEOUT = 300.0  # seconds for one call: the first one may compile
IN_CACHE = 1 << 16  # elements in one call; a call of JAX costs too much for so few
SURROUNDINGS = {
    # The processes fill the processors, so each computes with one thread.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # glibc keeps freed memory: otherwise every large result goes through fresh pages, which takes half of the time.
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
    "MALLOC_MMAP_THRESHOLD_": str(1 << 25),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One implementation in one format, one pass.

    Attributes:
        identified: the forms that explain the results, the best first; empty where none does.
        as_documented: whether the documented form is among them.
        max_ulp, at: the largest error, and where; counts: of the sweep, those that are not zero.
        first_wrong_zero: the input nearest to zero whose result is zero and should be a normal number; where it should
            be the least of them, an intermediate subnormal number was flushed, which `counts` tells.
        special_values, path_dependence: what the checks found, in words, or empty.
        problem: why there is nothing of all that.
    """

    package: str
    version: str
    name: str
    format: str
    operation: str
    identified: tuple[str, ...] = ()
    as_documented: bool = False
    verdict: str = str(Verdict.UNKNOWN)
    inputs: int = 0
    max_ulp: str = ""
    at: str = ""
    first_wrong_zero: str = ""
    counts: dict[str, int] | None = None
    special_values: str = ""
    path_dependence: str = ""
    problem: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Work:
    """What one process does at a time."""

    implementation: Implementation
    format: str
    operations: tuple[str, ...]


def audit(work: Work) -> list[Row]:
    """Run one implementation on every float of a format, in one pass after the other."""
    with TemporaryDirectory() as folder:
        try:
            specification = work.implementation.specification(work.format, Path(folder))
            target = IsolatedTarget(specification, get_format(work.format), timeout=TIMEOUT)
        except (InputError, Misbehaved) as error:
            return [_row(work, operation, {"problem": str(error)}) for operation in work.operations]
        try:
            return [_row(work, operation, _attempted(target, work, operation)) for operation in work.operations]
        finally:
            target.close()


def _row(work: Work, operation: str, found: dict[str, Any]) -> Row:
    package = work.implementation.package
    return Row(package, metadata.version(package), work.implementation.name, work.format, operation, **found)


def _attempted(target: IsolatedTarget, work: Work, operation: str) -> dict[str, Any]:
    start = time.monotonic()
    try:
        found = _measured(target, work.implementation, operation)
    except (InputError, Misbehaved) as error:
        found = {"problem": str(error)}
    return found | {"seconds": round(time.monotonic() - start, 1)}


def _measured(target: IsolatedTarget, implementation: Implementation, operation: str) -> dict[str, Any]:
    format, function = target.format, function_or_expression(implementation.documented)
    derivative = int(operation == "gradient")
    claim = Claim(function, format, derivative)

    batch = DEFAULT_BATCH if implementation.package == "jax" else IN_CACHE
    ahead = ReadAhead(partial(target.evaluate, operation=operation), format, batch, TIMEOUT)

    def call(inputs: np.ndarray) -> np.ndarray:
        return ahead(inputs.view(storage_dtype(format))).view(native_dtype(format))

    special = [finding.message for finding in special_value_findings(target, claim, operation)]
    paths = [finding.message for finding in path_findings(target, claim, operation)]
    forms = _forms(target, operation, derivative)
    documented = implementation.documented
    result = sweep(call, function, format, derivative=derivative, workers=1)
    worst = result.errors.max_ulp
    return {
        "identified": tuple(_told(model, format) for model in forms),
        "as_documented": documented not in _named() or any(_is(model, documented, format) for model in forms),
        "verdict": str(result.verdict),
        "inputs": result.inputs,
        "max_ulp": "" if worst is None else _size(float(worst.size)),
        "at": "" if worst is None else format.decimal(worst.bits),
        "first_wrong_zero": _first_wrong_zero(result.errors, function, format, derivative),
        "counts": {name: count for name, count in result.errors.counts.items() if count},
        "special_values": "; ".join(special),
        "path_dependence": "; ".join(paths),
    }


def _named() -> set[str]:
    return {each.documented for each in IMPLEMENTATIONS if each.documented.isidentifier()}


def _forms(target: IsolatedTarget, operation: str, derivative: int) -> list[Model]:
    """Return the forms between which the results do not decide: in few bits there may be several."""
    bits = probes(target.format)
    got = to_float64(target.format, target.evaluate(bits, operation=operation))
    found = identify(target.format, to_float64(target.format, bits), got, derivative)
    return [each.model for each in found.tied if each.model.derivative == derivative]


def _is(model: Model, documented: str, format: Format) -> bool:
    """Tell whether a form is the one documented; its constants may be rounded to the format, as in code of its type."""
    return model.name == documented and model.is_stored_in(format)


def _told(model: Model, format: Format) -> str:
    if not model.constants:
        return model.name
    return f"{model.name} ({model.remarks()})" if model.is_stored_in(format) else str(model)


def _first_wrong_zero(errors: Statistics, function: Function, format: Format, derivative: int) -> str:
    """Return the input nearest to zero that gives zero where the right result is above the least normal number."""
    ends = [end for region in errors.regions.get("zero_instead_of_nonzero", ()) for end in (region.first, region.last)]
    lost = [x for x in ends if rounded(function, x, format, derivative) & ~format.sign_mask > format.min_normal]
    return format.decimal(min(lost, key=lambda x: x & ~format.sign_mask)) if lost else ""


def _size(ulp: float) -> str:
    return f"{ulp:.3f}" if ulp < 1000 else f"{ulp:.3g}"


HEADER = ("implementation", "version", "format", "pass", "computes", "max ulp", "at x", "first wrong zero")
HEADER += ("special values", "path dependence")
_MOST = 80  # characters of a problem in the table


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table, aligned."""
    lines = [HEADER, *map(_cells, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADER))]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines)


def _cells(row: Row) -> tuple[str, ...]:
    name = f"{row.package} {row.name}"
    if row.problem:
        problem = "no kernel in this format" if _unsupported(row) else f"no result: {row.problem[:_MOST]}"
        return (name, row.version, row.format, row.operation, problem.replace("|", "/"), *[""] * (len(HEADER) - 5))
    computes = " or ".join(row.identified) or "none known"
    return (
        *(name, row.version, row.format, row.operation, computes, row.max_ulp, row.at, row.first_wrong_zero or "none"),
        row.special_values.replace(" and should be ", ", not ") or "right",
        row.path_dependence.removeprefix("gives ") or "none",
    )


def main() -> int:
    """Print the table; 1 when a form is not what is documented, 3 when an implementation gave no result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    packages = tuple(dict.fromkeys(each.package for each in IMPLEMENTATIONS))
    parser.add_argument("--only", nargs="+", choices=packages, default=packages, help="packages")
    parser.add_argument("--name", default="", help="only implementations with this in their name")
    parser.add_argument("--format", nargs="+", choices=FORMATS, default=FORMATS)
    parser.add_argument("--pass", dest="operation", nargs="+", choices=PASSES, default=PASSES)
    parser.add_argument("--json", action="store_true", help="print everything that was found as JSON")
    arguments = parser.parse_args()
    start = time.monotonic()
    for variable, value in SURROUNDINGS.items():
        os.environ.setdefault(variable, value)
    rows = sorted(chain.from_iterable(spread(audit, _work(arguments), _tell)), key=_place)
    print(f"{len(rows)} rows in {time.monotonic() - start:.0f} s", file=sys.stderr)
    machine = {"processor": platform.machine(), "processors": os.cpu_count(), "python": platform.python_version()}
    document = {"schema_version": 1, "machine": machine, "rows": [asdict(row) for row in rows]}
    print(json.dumps(document, indent=2) if arguments.json else table(rows))
    if not rows or any(row.problem and not _unsupported(row) for row in rows):
        return 3
    return 0 if all(row.as_documented for row in rows if not row.problem) else 1


def _work(arguments: argparse.Namespace) -> list[Work]:
    """Return what is to be done, what takes longest first."""
    chosen = [each for each in IMPLEMENTATIONS if each.package in arguments.only and arguments.name in each.name]
    needed = {package: (package, "onnx") if package == "onnxruntime" else (package,) for package in arguments.only}
    absent = [package for package in arguments.only if not all(map(find_spec, needed[package]))]
    if absent:
        print(f"not installed here: {', '.join(absent)}", file=sys.stderr)
    return [
        Work(each, format, tuple(name for name in arguments.operation if name == "forward" or each.differentiable))
        for format in sorted(arguments.format, key=lambda name: -get_format(name).width)
        for each in chosen
        if each.package not in absent
    ]


def _place(row: Row) -> tuple[int, int, int]:
    names = [(each.package, each.name) for each in IMPLEMENTATIONS]
    return names.index((row.package, row.name)), FORMATS.index(row.format), PASSES.index(row.operation)


def _unsupported(row: Row) -> bool:
    """Tell whether a package says that it has no implementation in a format."""
    return "NOT_IMPLEMENTED" in row.problem or "not implemented for" in row.problem


def _tell(done: int, total: int) -> None:
    print(f"{done} of {total} done", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
