"""The verb `locate`: every minimum, maximum, zero or inflection of a function, with proof that there are no others."""

import argparse
from typing import TYPE_CHECKING, Any

from gelu_verify.cli import EXIT_HOLDS, EXIT_INCOMPLETE
from gelu_verify.cli.domain import (
    add_question,
    check_question,
    domain_text,
    end_text,
    read_expression,
    read_line,
    shortened,
)
from gelu_verify.cli.output import enclosure_json, print_json, print_lines, table

if TYPE_CHECKING:
    from gelu_verify.bounds.locate import LocateResult
    from gelu_verify.bounds.roots import Line

EXAMPLES = [
    "gelu-verify locate minimum gelu",
    "gelu-verify locate roots 'gelu_tanh(x) - gelu(x)'",
    "gelu-verify locate inflections silu --digits 30",
    "gelu-verify locate maximum gelu --derivative 1",
]
WHAT = ("minimum", "maximum", "roots", "inflections")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("what", choices=WHAT, help="what to look for (local minima and maxima, all of them)")
    parser.add_argument("function", metavar="F", help="a catalogue function or a formula in x")
    add_question(parser)


def run(arguments: argparse.Namespace) -> int:
    """Locate the points; 3 when it is not proven that they are all there are."""
    from gelu_verify.bounds.locate import locate

    check_question(arguments)
    line = read_line(arguments.on)
    expression = read_expression(arguments.function)
    result = locate(arguments.what, expression, line, arguments.derivative, arguments.digits, arguments.timeout)
    if arguments.json:
        print_json(_document(arguments, line, result))
    else:
        print_lines(_text(arguments, line, result))
    return EXIT_HOLDS if result.verdict.holds else EXIT_INCOMPLETE


def _domain(line: "Line") -> list[str]:
    return [end_text(line.lower, "-inf"), end_text(line.upper, "inf")]


def _document(arguments: argparse.Namespace, line: "Line", result: "LocateResult") -> dict[str, Any]:
    return {
        "verdict": result.verdict,
        "what": arguments.what,
        "function": arguments.function,
        "domain": _domain(line),
        "derivative": arguments.derivative,
        "points": [
            {
                "x": enclosure_json(place.x, arguments.digits),
                "value": enclosure_json(place.value, arguments.digits),
                "kind": place.kind,
            }
            for place in result.points
        ],
        "intervals": [part.text(arguments.digits) for part in result.on],
        "complete": result.complete,
        **({} if result.complete else {"reason": result.reason}),
    }


def _text(arguments: argparse.Namespace, line: "Line", result: "LocateResult") -> list[str]:
    order = f", derivative {arguments.derivative}" if arguments.derivative else ""
    title = f"{arguments.what} of {shortened(arguments.function)}{order} {domain_text(line)}"
    if not result.complete:
        return [title, f"  not decided: {result.reason}", f"  {result.verdict}"]
    digits = arguments.digits
    rows = [(place.x.decimal(digits), place.value.decimal(digits), place.kind) for place in result.points]
    body = table(rows, ("x", "value", "kind")) if rows else []
    body += [f"everywhere on {part.text(digits)}" for part in result.on]
    count = "no others" if rows or result.on else "none"
    return [title, *body, f"{result.verdict}: {count}"]
