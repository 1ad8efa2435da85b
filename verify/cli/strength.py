"""The verb `strength`: which wrong GELUs would this test accept? And are these expected values right?"""

import argparse
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gelu_verify.cli import EXIT_FAILED, EXIT_HOLDS
from gelu_verify.cli.output import float_json, print_json, print_lines, table
from gelu_verify.cli.paths import path
from gelu_verify.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gelu_verify.oracles import JudgedRow
    from gelu_verify.strength import SmallestTest, Strength

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
    parser.add_argument(
        "--rtol", type=float, default=0.0, metavar="R", help="relative tolerance of --inputs (default: 0)"
    )
    parser.add_argument(
        "--atol", type=float, default=0.0, metavar="A", help="absolute tolerance of --inputs (default: 0)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Judge a test or a table; 1 when a fault is accepted or a value is wrong."""
    if arguments.table is not None:
        return _run_table(arguments)
    from gelu_verify.strength import smallest_test

    found = _tested(arguments) if arguments.test else _compared(arguments)
    remedy = smallest_test(found.function, found.format.name)
    document = _document(arguments, found, remedy)
    print_json(document) if arguments.json else print_lines(_text(found, remedy))
    return EXIT_FAILED if found.accepted else EXIT_HOLDS


def _compared(arguments: argparse.Namespace) -> "Strength":
    import numpy as np

    from gelu_verify.catalogue import get_function
    from gelu_verify.errors import nearest_names
    from gelu_verify.formats import get_format
    from gelu_verify.formats.numbers import parse_number
    from gelu_verify.strength import PRESETS, Tolerance, strength

    name, format = get_function(arguments.claim).name, get_format(arguments.format).name
    if arguments.preset is None:
        values = [parse_number(x).value for x in arguments.inputs]
        inputs = np.array([np.nan if value is None else float(value) for value in values])
        if not (arguments.rtol >= 0 and arguments.atol >= 0):
            raise InputError("tolerances cannot be negative; write for example --rtol 1e-6 --atol 0")
        return strength(name, format, inputs, Tolerance(arguments.rtol, arguments.atol))
    if arguments.preset not in PRESETS:
        hint = nearest_names(arguments.preset, PRESETS) or f"; known are {', '.join(PRESETS)}"
        raise InputError(f"unknown preset {arguments.preset!r}{hint}")
    preset = PRESETS[arguments.preset]
    return strength(name, format, preset.inputs(), preset.tolerance(format))


def _tested(arguments: argparse.Namespace) -> "Strength":
    """Run somebody's test once for each fault, in a pytest of its own."""
    from gelu_verify.catalogue import get_function
    from gelu_verify.formats import get_format
    from gelu_verify.strength import seeded_faults, sort_out

    name, format = get_function(arguments.claim).name, get_format(arguments.format)
    faults = seeded_faults(name, format.name)
    if not Path(arguments.test.split("::")[0]).is_file():
        raise InputError(f"there is no file {arguments.test.split('::')[0]!r}")
    words = [sys.executable, "-m", "pytest", "-q", "-rA", "--no-header", "--tb=no", "-p", "no:cacheprovider"]
    words += [arguments.test, "--gelu-faults", f"{name}:{format.name}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    passed = {id: any(line.startswith("PASSED") and f"[{id}]" in line for line in lines) for id in faults}
    failed = {id: any(line.startswith("FAILED") and f"[{id}]" in line for line in lines) for id in faults}
    if not any(passed.values()) and not any(failed.values()):
        last = (done.stdout + done.stderr).strip().splitlines()
        raise InputError(f"{arguments.test} ran no fault: {last[-1] if last else 'it asks for no gelu_implementation'}")
    return sort_out(name, format, faults, passed)


def _document(arguments: argparse.Namespace, found: "Strength", remedy: "SmallestTest") -> dict[str, Any]:
    accepted = [
        {"fault": entry.fault.id, "kind": entry.fault.kind, "summary": entry.fault.summary}
        | {"max_abs": _size(entry.max_abs), "max_ulp": _size(entry.max_ulp)}
        for entry in found.accepted
    ]
    return {
        "verdict": "refuted" if accepted else "sampled",
        "function": found.function,
        "format": found.format.name,
        "test": arguments.preset or arguments.test or {"rtol": arguments.rtol, "atol": arguments.atol},
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
    inputs = ", ".join(f"{found.format.decimal(bits)} ({found.format.bits_text(bits)})" for bits in remedy.inputs)
    lines += ["", f"{len(remedy.inputs)} inputs at {remedy.max_ulp:g} ulp refuse them all: {inputs}"]
    if remedy.beyond:
        lines.append(
            f"but for {', '.join(fault.id for fault in remedy.beyond)}: vary length, layout and order for these"
        )
    return lines


def _run_table(arguments: argparse.Namespace) -> int:
    from gelu_verify.catalogue import get_function
    from gelu_verify.oracles import judge_table

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
