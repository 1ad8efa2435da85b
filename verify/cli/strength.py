"""The verb `strength`: which wrong GELUs would this test accept? And are these expected values right?"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gelu_verify.cli import EXIT_FAILED, EXIT_HOLDS
from gelu_verify.cli.output import float_json, print_json, print_lines, table
from gelu_verify.cli.paths import path
from gelu_verify.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gelu_verify.strength import Strength
    from gelu_verify.strength.oracles import JudgedRow
    from gelu_verify.strength.smallest_test import SmallestTest

EXAMPLES = [
    "gelu-verify strength --preset onnx-node --as gelu",
    "gelu-verify strength --preset torch-defaults --as gelu --json",
    "gelu-verify strength --rtol 0 --atol 1e-3 --inputs -3 -1 0 1 3 --as gelu_tanh",
]
_SHOWN = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument(
        "--as", dest="claim", default="gelu", metavar="F", help="the function that is tested (default: gelu)"
    )
    parser.add_argument(
        "--format", default="binary32", metavar="NAME", help="of inputs and results (default: binary32)"
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--preset", metavar="NAME", help="torch-defaults, onnx-node or atol-1e-3")
    what.add_argument("--inputs", nargs="+", metavar="X", help="the inputs of a test; with --rtol and --atol")
    what.add_argument("--test", metavar="FILE::NAME", help="a pytest test that calls the fixture gelu_implementation")
    what.add_argument(
        "--table", type=path, metavar="FILE", help="judge expected values: an input and a value each line"
    )
    parser.add_argument("--rtol", type=float, metavar="R", help="relative tolerance of --inputs (default: 0)")
    parser.add_argument("--atol", type=float, metavar="A", help="absolute tolerance of --inputs (default: 0)")


def run(arguments: argparse.Namespace) -> int:
    """Judge a test or a table; 1 when a fault is accepted, every right variant refused, or a value is wrong."""
    if arguments.inputs is None and (arguments.rtol is not None or arguments.atol is not None):
        raise InputError("--rtol and --atol are the tolerances of --inputs; presets and tests have their own")
    if arguments.table is not None:
        return _run_table(arguments)
    from gelu_verify.strength.smallest_test import smallest_test

    found = _tested(arguments) if arguments.test else _compared(arguments)
    remedy = smallest_test(found.function, found.format.name)
    document = _document(arguments, found, remedy)
    print_json(document) if arguments.json else print_lines(_text(found, remedy))
    return EXIT_FAILED if found.accepted or found.meaningless else EXIT_HOLDS


def _compared(arguments: argparse.Namespace) -> "Strength":
    import numpy as np

    from gelu_verify.catalogue import get_function
    from gelu_verify.errors import nearest_names
    from gelu_verify.formats import get_format
    from gelu_verify.formats.arrays import storage_dtype, to_float64
    from gelu_verify.formats.numbers import parse_number
    from gelu_verify.strength import PRESETS, Tolerance, strength

    name, format = get_function(arguments.claim).name, get_format(arguments.format)
    if arguments.preset is None:
        bits = np.array([parse_number(x).to_bits(format) for x in arguments.inputs], storage_dtype(format))
        tolerance = Tolerance(arguments.rtol or 0.0, arguments.atol or 0.0)
        if not (0 <= tolerance.rtol < inf and 0 <= tolerance.atol < inf):
            raise InputError("tolerances are finite and not negative; write for example --rtol 1e-6 --atol 0")
        return strength(name, format.name, to_float64(format, bits), tolerance)
    if arguments.preset not in PRESETS:
        hint = nearest_names(arguments.preset, PRESETS) or f"; known are {', '.join(PRESETS)}"
        raise InputError(f"unknown preset {arguments.preset!r}{hint}")
    preset = PRESETS[arguments.preset]
    return strength(name, format.name, preset.inputs(), preset.tolerance(format.name))


def _tested(arguments: argparse.Namespace) -> "Strength":
    """Run somebody's test once for each fault and each right variant, in a pytest of its own."""
    if find_spec("pytest") is None:
        raise InputError("--test runs pytest, which is not installed: pip install pytest")
    from gelu_verify.catalogue import get_function
    from gelu_verify.formats import get_format
    from gelu_verify.plugin import FAULT_OPTION, OUTCOMES_OPTION
    from gelu_verify.strength import seeded_implementations, sort_out

    name, format = get_function(arguments.claim).name, get_format(arguments.format)
    seeded = seeded_implementations(name, format.name)
    if not Path(arguments.test.split("::")[0]).is_file():
        raise InputError(f"there is no file {arguments.test.split('::')[0]!r}")
    chosen = [arguments.test, FAULT_OPTION, f"{name}:{format.name}"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "outcomes.json")
        words = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "--maxfail=0",
            *chosen,
            OUTCOMES_OPTION,
            file,
        ]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
        outcomes = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    ran = {id: outcomes.get(id) for id in seeded}
    if not {"passed", "failed"} & set(ran.values()):
        last = (done.stdout + done.stderr).strip("= \n").splitlines() or ["no output"]
        raise InputError(f"{arguments.test} ran no fault ({last[-1].strip('= ')}); it is to take gelu_implementation")
    for id, outcome in ran.items():
        if outcome not in ("passed", "failed"):
            raise InputError(
                f"{arguments.test} came to no end for {id} ({outcome or 'not run'}); see 'pytest {shlex.join(chosen)}'"
            )
    return sort_out(name, format, {id: outcome == "passed" for id, outcome in ran.items()})


def _document(arguments: argparse.Namespace, found: "Strength", remedy: "SmallestTest") -> dict[str, Any]:
    accepted = [
        {"fault": entry.fault.id, "kind": entry.fault.kind, "summary": entry.fault.summary}
        | {"max_abs": _size(entry.max_abs), "max_ulp": _size(entry.max_ulp)}
        for entry in found.accepted
    ]
    return {
        "verdict": "refuted" if accepted or found.meaningless else "sampled",
        "function": found.function,
        "format": found.format.name,
        "test": arguments.preset or arguments.test or {"rtol": arguments.rtol or 0.0, "atol": arguments.atol or 0.0},
        "faults": len(found.accepted) + len(found.refused),
        "accepted": accepted,
        "strongest": accepted[0]["fault"] if accepted else None,
        "right_variants_refused": [variant.id for variant in found.blamed],
        "smallest_test": {
            "inputs": [float_json(found.format, bits) for bits in remedy.inputs],
            "max_ulp": remedy.max_ulp,
            "needs_paths": [fault.id for fault in remedy.beyond],
        },
    }


def _size(value: float) -> str:
    return f"{value:.9g}"


def _text(found: "Strength", remedy: "SmallestTest") -> list[str]:
    total = len(found.accepted) + len(found.refused)
    lines = [
        f"accepts {len(found.accepted)} of {total} wrong implementations of {found.function} in {found.format.name}"
    ]
    if found.accepted:
        strongest = found.accepted[0]
        lines.append(f"the strongest: {strongest.fault.id} ({strongest.fault.summary})")
        rows = [
            [entry.fault.id, entry.fault.kind, f"{entry.max_abs:.4g}", f"{entry.max_ulp:.4g}"]
            for entry in found.accepted[:_SHOWN]
        ]
        lines += ["", *table(rows, ["accepted", "kind", "largest distance", "largest ulp"])]
        lines += [f"... and {len(found.accepted) - _SHOWN} more"] if len(found.accepted) > _SHOWN else []
    lines += [f"refuses the right implementation {variant.id}" for variant in found.blamed]
    if found.meaningless:
        lines.append("refuses every right implementation, so it says nothing of the wrong ones")
    inputs = ", ".join(f"{found.format.decimal(bits)} ({found.format.bits_text(bits)})" for bits in remedy.inputs)
    if remedy.inputs:
        count = f"{len(remedy.inputs)} inputs" if len(remedy.inputs) > 1 else "1 input"
        verb = "refuse" if len(remedy.inputs) > 1 else "refuses"
        lines += ["", f"{count} at {remedy.max_ulp:g} ulp {verb} them all: {inputs}"]
    else:
        lines += ["", "no input of a plain array refuses them"]
    if remedy.beyond:
        lines.append(
            f"but for {', '.join(fault.id for fault in remedy.beyond)}: vary length, layout and order for these"
        )
    return lines


def _run_table(arguments: argparse.Namespace) -> int:
    from gelu_verify.catalogue import get_function
    from gelu_verify.strength.oracles import judge_table

    claim = get_function(arguments.claim).name
    judged = judge_table(arguments.table, claim)
    rows = judged.rows
    wrong = [row for row in rows if not row.holds(claim)]
    if arguments.json:
        verdict = "refuted" if wrong else "certified"
        found = {"rows": [_row(row, claim) for row in rows], "passed_over": list(judged.passed_over)}
        print_json({"verdict": verdict, "function": claim, **found})
    else:
        cells = [[row.x, row.printed, ", ".join(row.right_for) or "neither", _right(row)] for row in rows]
        lines = [*table(cells, ["x", "printed", "right for", f"{claim}(x)"]), ""]
        lines += [f"passed over {_numbered(judged.passed_over)}: no number first"] if judged.passed_over else []
        print_lines([*lines, f"{len(rows) - len(wrong)} of {len(rows)} values are {claim} to their printed digits"])
    return EXIT_FAILED if wrong else EXIT_HOLDS


def _row(row: "JudgedRow", claim: str) -> dict[str, Any]:
    from gelu_verify.cli.output import enclosure_json

    judged = {"line": row.line, "x": row.x, "printed": row.printed, "right_for": list(row.right_for)}
    ends = dict.fromkeys(("lower", "upper"), row.right) if isinstance(row.right, str) else enclosure_json(row.right, 20)
    return judged | {"holds": row.holds(claim), "value": ends}


def _right(row: "JudgedRow") -> str:
    return row.right if isinstance(row.right, str) else row.right.decimal(20)


def _numbered(lines: "Sequence[int]") -> str:
    shown = ", ".join(map(str, lines[:_SHOWN])) + (" and others" if len(lines) > _SHOWN else "")
    return f"line{'s' if len(lines) > 1 else ''} {shown}"
