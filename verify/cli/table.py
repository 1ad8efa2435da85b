"""The verb `table`: golden vectors for somebody's own tests."""

import argparse
from typing import TYPE_CHECKING, Any

from gelu_verify.cli import EXIT_HOLDS
from gelu_verify.cli.output import float_json, print_json, print_lines, table
from gelu_verify.cli.paths import path
from gelu_verify.cli.ranges import check_range
from gelu_verify.errors import InputError
from gelu_verify.files import write_atomically

if TYPE_CHECKING:
    from gelu_verify.vectors import Vectors

EXAMPLES = [
    "gelu-verify table gelu",
    "gelu-verify table gelu_tanh --format bfloat16 --out gelu_tanh.csv",
    "gelu-verify table gelu --derivative 1 --out gelu_gradient.npz",
    "gelu-verify table silu --format binary16 --out silu.h",
    "gelu-verify table gelu --format bfloat16 --thresholds",
]
_WRITERS = {".csv": "csv", ".npz": "npz", ".h": "c_header"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("function", metavar="F", help="a catalogue function or a formula in x")
    parser.add_argument(
        "--format", default="binary32", metavar="NAME", help="of inputs and results (default: binary32)"
    )
    parser.add_argument("--derivative", type=int, default=0, metavar="N", help="of this order (default: 0)")
    parser.add_argument(
        "--thresholds", action="store_true", help="where gelu rounds to x, to x/2 and to zero, in place of vectors"
    )
    parser.add_argument("--out", type=path, metavar="FILE", help="a .csv, .npz or .h file (default: CSV on stdout)")


def run(arguments: argparse.Namespace) -> int:
    """Write the vectors, or tell the thresholds."""
    if arguments.thresholds:
        return _run_thresholds(arguments)
    from gelu_verify.catalogue import function_or_expression
    from gelu_verify.formats import get_format
    from gelu_verify.references import MAX_DERIVATIVE
    from gelu_verify.vectors import golden_vectors

    if arguments.out is not None and arguments.out.suffix not in _WRITERS:
        raise InputError(f"{arguments.out} is no .csv, .npz or .h file; its ending says how it is written")
    check_range("--derivative", arguments.derivative, 0, MAX_DERIVATIVE)
    format = get_format(arguments.format)
    vectors = golden_vectors(function_or_expression(arguments.function), format, arguments.derivative)
    if arguments.out is not None:
        write_atomically(arguments.out, getattr(vectors, _WRITERS[arguments.out.suffix])())
    if arguments.json:
        print_json(_document(arguments, vectors))
    elif arguments.out is None:
        print(vectors.csv(), end="")
    else:
        written = f"{arguments.out}: {len(vectors.inputs)} pairs, SHA-256 of the data {vectors.digest()}"
        print_lines([written, *vectors.left_out()])
    return EXIT_HOLDS


def _document(arguments: argparse.Namespace, vectors: "Vectors") -> dict[str, object]:
    text = vectors.format.bits_text
    return {
        "function": vectors.function,
        "derivative": vectors.derivative,
        "format": vectors.format.name,
        "sha256": vectors.digest(),
        "file": None if arguments.out is None else str(arguments.out),
        "vectors": [[text(x), text(y)] for x, y in zip(vectors.inputs, vectors.results, strict=True)],
        "without_value": list(map(text, vectors.without_value)),
        "undecided": list(map(text, vectors.undecided)),
    }


def _run_thresholds(arguments: argparse.Namespace) -> int:
    from gelu_verify.bounds.thresholds import OUTCOMES, rounding_set
    from gelu_verify.formats import get_format
    from gelu_verify.records import Verdict

    if (arguments.function, arguments.derivative) != ("gelu", 0):
        raise InputError(
            "thresholds are known of gelu alone; write 'gelu-verify table gelu --format NAME --thresholds'"
        )
    if arguments.out is not None:
        raise InputError("thresholds are printed, not written to a file; leave out --out (--json prints one document)")
    format = get_format(arguments.format)
    found = [rounding_set(format, outcome) for outcome in OUTCOMES]
    rows: list[dict[str, Any]] = [
        {"outcome": each.outcome, "first": run.first, "last": run.last, "step": run.step, "count": run.count}
        for each in found
        for run in each.runs
    ]
    if arguments.json:
        ends = [{**row, **{end: float_json(format, row[end]) for end in ("first", "last")}} for row in rows]
        print_json({"verdict": Verdict.CERTIFIED, "format": format.name, "thresholds": ends})
    else:
        cells = [
            [
                row["outcome"],
                *(f"{format.hex(row[end])}" for end in ("first", "last")),
                f"{row['step']}",
                f"{row['count']}",
            ]
            for row in rows
        ]
        counts = ", ".join(f"{each.count} numbers to {each.outcome}" for each in found)
        header = ["rounds to", "from x =", "to x =", "every", "count"]
        print_lines([*table(cells, header), f"{Verdict.CERTIFIED}: in {format.name}, gelu rounds {counts}"])
    return EXIT_HOLDS
