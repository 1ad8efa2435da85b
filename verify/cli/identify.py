"""The verb `identify`: which function is this, with its constants?"""

import argparse
from typing import TYPE_CHECKING, Any

from gelu_verify.cli import EXIT_FAILED, EXIT_HOLDS
from gelu_verify.cli.output import float_json, print_json, print_lines, table
from gelu_verify.cli.ranges import check_range
from gelu_verify.cli.target_options import add_target, open_target
from gelu_verify.errors import InputError

if TYPE_CHECKING:
    from gelu_verify.identify import Agreement, Identification

EXAMPLES = [
    "gelu-verify identify gelu_verify.faults.constants:cubic_0_044175",
    "gelu-verify identify gelu_verify.faults.correct:gelu_tanh_factored --format bfloat16 --json",
    "gelu-verify identify math:erf --format binary64",
    "gelu-verify identify gelu_verify.faults.correct:gelu_gradient --derivative 1",
]
_SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_target(parser)
    parser.add_argument("--derivative", type=int, default=0, metavar="N", help="it is a derivative of order N (0 or 1)")


def run(arguments: argparse.Namespace) -> int:
    """Probe the implementation; 1 when it is none of the functions known."""
    from gelu_verify.checks.probes import probes
    from gelu_verify.formats.arrays import to_float64
    from gelu_verify.identify import identify
    from gelu_verify.targets import Misbehaved

    check_range("--derivative", arguments.derivative, 0, 1)
    target = open_target(arguments)
    try:
        bits = probes(target.format)
        results = target.evaluate(bits)
    except Misbehaved as fault:
        raise InputError(f"{arguments.target} gives no result: {fault.detail}; 'gelu-verify check' says more") from None
    finally:
        target.close()
    format = target.format
    found = identify(format, to_float64(format, bits), to_float64(format, results), arguments.derivative)
    if arguments.json:
        print_json(_document(arguments, found))
    else:
        print_lines(_text(arguments, found))
    return EXIT_HOLDS if found.settled else EXIT_FAILED


def _document(arguments: argparse.Namespace, found: "Identification") -> dict[str, Any]:
    return {
        "verdict": "sampled" if found.settled else "unknown",
        "target": arguments.target,
        "format": arguments.format,
        "identified": found.settled,
        "tied": [agreement.model.name for agreement in found.tied],
        "best": [_candidate(agreement) for agreement in found.best[:_SHOWN]],
    }


def _candidate(agreement: "Agreement") -> dict[str, Any]:
    model = agreement.model
    return {
        "function": model.name,
        "derivative": model.derivative,
        "constants": dict(model.constants),
        "max_abs": _float(agreement.max_abs),
    }


def _float(value: float) -> dict[str, str]:
    import struct

    from gelu_verify.formats import get_format

    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    return float_json(get_format("binary64"), bits)


def _text(arguments: argparse.Namespace, found: "Identification") -> list[str]:
    first = f"{arguments.target} computes {found.name}" if found.settled else f"none of these; nearest is {found.name}"
    if len(found.tied) > 1:
        first += f": {arguments.format} is too coarse to tell them apart"
    remarks = found.best[0].model.remarks() if found.settled else ""
    rows = [
        [str(agreement.model), f"{agreement.max_abs:.6g}", "yes" if agreement.careless >= 0.98 else "no"]
        for agreement in found.best[:_SHOWN]
    ]
    return [
        first,
        *([remarks] if remarks else []),
        "",
        *table(rows, ["function", "largest distance", "explains the results"]),
    ]
