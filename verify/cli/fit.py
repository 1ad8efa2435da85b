"""The verb `fit`: the constants of a family that minimise its greatest error, proven to be the best."""

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gelu_verify.cli import EXIT_HOLDS, EXIT_INCOMPLETE
from gelu_verify.cli.domain import add_limits, check_limits
from gelu_verify.cli.output import enclosure_json, float_json, print_json, print_lines, table
from gelu_verify.cli.progress import Progress

if TYPE_CHECKING:
    from gelu_verify.bounds.minimax import FitResult
    from gelu_verify.bounds.representable import Representable

EXAMPLES = [
    "gelu-verify fit gelu_sigmoid",
    "gelu-verify fit gelu_tanh2 --digits 30",
    "gelu-verify fit gelu_tanh --against Phi --json",
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("family", metavar="FAMILY", help="gelu_sigmoid (k), gelu_tanh (c) or gelu_tanh2 (a, b)")
    parser.add_argument(
        "--against", default="gelu", metavar="F", help="gelu (default), or Phi: then the form divided by x is meant"
    )
    add_limits(parser)


def run(arguments: argparse.Namespace) -> int:
    """Fit the family; 3 when the constants found are not proven to be the best."""
    from gelu_verify.bounds.minimax import fit
    from gelu_verify.bounds.representable import GRIDS, Grid, best_on_grid
    from gelu_verify.bounds.roots import Unresolved
    from gelu_verify.deadlines import Deadline, OutOfTime

    check_limits(arguments)
    deadline = Deadline(arguments.timeout)
    try:
        best = fit(arguments.family, arguments.against, arguments.digits, deadline.left)
        rounded: list[Representable] = []
        with Progress("rounded constants", "grids") as progress:
            for number, grid in enumerate(GRIDS):
                progress(number, len(GRIDS))
                rounded.append(best_on_grid(best, Grid(grid), arguments.digits, deadline.left))
    except (Unresolved, OutOfTime) as problem:
        return _undecided(arguments, str(problem) or "the time allowed is over")
    if arguments.json:
        print_json(_document(best, rounded, arguments.digits))
    else:
        print_lines(_text(best, rounded, arguments.digits))
    return EXIT_HOLDS


def _undecided(arguments: argparse.Namespace, reason: str) -> int:
    if arguments.json:
        print_json({"verdict": "unknown", "family": arguments.family, "reason": reason})
    else:
        print_lines([f"best constants of {arguments.family}: not decided: {reason}", "  unknown"])
    return EXIT_INCOMPLETE


def _document(best: "FitResult", rounded: "list[Representable]", digits: int) -> dict[str, Any]:
    return {
        "verdict": best.verdict,
        "family": best.family,
        "against": best.target,
        "constants": {name: enclosure_json(value, digits) for name, value in best.constants.items()},
        "supremum": enclosure_json(best.supremum, digits),
        "alternation": [enclosure_json(place, digits) for place in best.alternation],
        "default_supremum": enclosure_json(best.default_supremum, digits),
        "gain": enclosure_json(best.gain, digits),
        "representable": [
            {
                "grid": choice.grid,
                "constants": {name: _number_json(choice.grid, value) for name, value in choice.constants.items()},
                "supremum": enclosure_json(choice.supremum, digits),
            }
            for choice in rounded
        ],
    }


def _number_json(grid: str, value: Fraction) -> Any:
    from gelu_verify.formats import FORMATS

    if grid in FORMATS:
        return float_json(FORMATS[grid], FORMATS[grid].round(value))
    return _decimal(value)


def _decimal(value: Fraction) -> str:
    from gelu_verify.catalogue import text
    from gelu_verify.catalogue.expression import Number

    return text(Number(value))


def _text(best: "FitResult", rounded: "list[Representable]", digits: int) -> list[str]:
    about = "x times the normal distribution function" if best.target == "gelu" else "the normal distribution function"
    lines = [f"best constants of {best.family} as an approximation of {best.target}, {about}, over all reals"]
    lines += [f"  {name} = {value.decimal(digits)}" for name, value in best.constants.items()]
    lines += [
        f"  greatest error {best.supremum.decimal(digits)}",
        f"  with the usual constants {best.default_supremum.decimal(digits)}, {best.gain.decimal(6)} times as much",
        "  attained with alternating signs at +-x, x = "
        + ", ".join(place.decimal(min(digits, 20)) for place in best.alternation),
        f"  {best.verdict}: no other constants do as well",
        "",
    ]
    names = list(best.constants)
    rows = [
        (choice.grid, *(_shown(choice.grid, choice.constants[name]) for name in names), choice.supremum.decimal(digits))
        for choice in rounded
    ]
    return [*lines, *table(rows, ("best in", *names, "greatest error"))]


def _shown(grid: str, value: Fraction) -> str:
    from gelu_verify.formats import FORMATS

    if grid not in FORMATS:
        return _decimal(value)
    format = FORMATS[grid]
    document = float_json(format, format.round(value))
    return f"{document['decimal']} ({document['hex']})"
