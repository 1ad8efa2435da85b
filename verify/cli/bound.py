"""The verb `bound`: the certified supremum of an error, with every point where it is attained."""

import argparse
from typing import TYPE_CHECKING, Any

from gelu_verify.cli import EXIT_HOLDS, EXIT_INCOMPLETE
from gelu_verify.cli.domain import (
    add_question,
    bracketed,
    check_question,
    domain_text,
    end_text,
    read_expression,
    read_line,
    shortened,
)
from gelu_verify.cli.output import enclosure_json, print_json, print_lines
from gelu_verify.cli.paths import path
from gelu_verify.errors import InputError

if TYPE_CHECKING:
    from gelu_verify.bounds.error import SupremumResult
    from gelu_verify.bounds.roots import Line

EXAMPLES = [
    "gelu-verify bound gelu_tanh",
    "gelu-verify bound gelu_tanh --digits 30 --json",
    "gelu-verify bound 'x*sigmoid(1.773*x)' --on -6 6 --digits 20",
    "gelu-verify bound silu --against relu --derivative 1",
    "gelu-verify bound gelu_tanh --relative --on -4 inf",
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("expression", metavar="EXPR", help="a catalogue function or a formula in x")
    parser.add_argument(
        "--against", default="gelu", metavar="F", help="what it approximates (default: gelu; 0: nothing)"
    )
    parser.add_argument("--relative", action="store_true", help="divide the error by F")
    add_question(parser)
    parser.add_argument("--certificate", type=path, metavar="FILE", help="write a certificate that `recheck` re-proves")


def run(arguments: argparse.Namespace) -> int:
    """Bound the error; 3 when it is not decided."""
    from gelu_verify.bounds.error import Error
    from gelu_verify.bounds.supremum import supremum

    check_question(arguments)
    line = read_line(arguments.on)
    error = Error(
        read_expression(arguments.expression),
        read_expression(arguments.against),
        arguments.derivative,
        arguments.relative,
    )
    certificate = None if arguments.certificate is None else _certificate(arguments)
    result = supremum(error, line, arguments.digits, arguments.timeout)
    if certificate is not None and result.verdict.holds:
        from gelu_verify.proofs.certificate import write_certificate

        write_certificate(arguments.certificate, certificate)
    if arguments.json:
        print_json(_document(arguments, line, result))
    else:
        print_lines(_text(arguments, line, result))
    return EXIT_HOLDS if result.verdict.holds else EXIT_INCOMPLETE


def _certificate(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the certificate that was asked for.

    Raises:
        InputError: the checker does not cover the question.
    """
    from gelu_verify.proofs.certificate import certificate_for_bound
    from gelu_verify.proofs.certificate_members import covered_member

    member = covered_member(read_expression(arguments.expression))
    found = None
    if member is not None and arguments.on is None and not arguments.relative and arguments.against == "gelu":
        found = certificate_for_bound(*member, arguments.derivative, arguments.digits)
    if found is None:
        raise InputError(
            "no certificate covers this question; they cover the absolute error over all reals of relu, silu, "
            "gelu_sigmoid, gelu_tanh and gelu_tanh2 against gelu, up to the second derivative"
        )
    return found


def _domain(line: "Line") -> list[str]:
    return [end_text(line.lower, "-inf"), end_text(line.upper, "inf")]


def _document(arguments: argparse.Namespace, line: "Line", result: "SupremumResult") -> dict[str, Any]:
    digits = arguments.digits
    document: dict[str, Any] = {
        "verdict": result.verdict,
        "expression": arguments.expression,
        "against": arguments.against,
        "domain": _domain(line),
        "derivative": arguments.derivative,
        "relative": arguments.relative,
        "supremum": "infinity" if result.infinite else None,
        "attained": result.attained,
        "at": [enclosure_json(place, digits) for place in result.at],
        "attained_on": [part.text(digits) for part in result.on],
        "approached": list(result.approached),
        "symmetry": {1: "even", -1: "odd", None: None}[result.parity],
    }
    if result.supremum is not None:
        document["supremum"] = enclosure_json(result.supremum, digits)
    if not result.verdict.holds:
        document |= {
            "reason": result.reason,
            "lower": None if result.lower is None else _outward(result.lower, digits)[0],
            "upper": None if result.upper is None else _outward(result.upper, digits)[1],
        }
    return document


def _outward(value: Any, digits: int) -> tuple[str, str]:
    from gelu_verify.enclosures import Enclosure

    exact = Enclosure(value, value)
    return exact.lower_decimal(digits + 3), exact.upper_decimal(digits + 3)


def _text(arguments: argparse.Namespace, line: "Line", result: "SupremumResult") -> list[str]:
    lines = [f"sup {_error_text(arguments)} {domain_text(line)}"]
    if not result.verdict.holds:
        low = "?" if result.lower is None else _outward(result.lower, arguments.digits)[0]
        high = "none" if result.upper is None else _outward(result.upper, arguments.digits)[1]
        lines += [f"  at least   {low}", f"  at most    {high}", f"  not decided: {result.reason}"]
    else:
        found = "infinity" if result.supremum is None else result.supremum.decimal(arguments.digits)
        lines += [f"  = {found}", *_places_text(result, arguments.digits)]
    return [*lines, f"  {result.verdict}"]


def _error_text(arguments: argparse.Namespace) -> str:
    left, right = shortened(arguments.expression), shortened(arguments.against)
    error = f"|{left}|" if right == "0" else f"|{bracketed(left)} - {bracketed(right)}|"
    error += f" / |{right}|" if arguments.relative else ""
    return f"{error}, derivative {arguments.derivative}," if arguments.derivative else error


def _places_text(result: "SupremumResult", digits: int) -> list[str]:
    lines = [f"attained on all of {part.text(digits)}" for part in result.on]
    if result.attained:
        verb = "attained at" if not result.tied else "attained at one of these at least: at"
        lines += [f"{verb} x = {place.decimal(digits)}" for place in result.at]
    elif result.attained is None:
        lines += [f"whether it is attained at x = {place.decimal(digits)} is not decided" for place in result.at]
        lines += [f"tends to it {way}" for way in result.approached]
    else:
        lines += [f"not attained; tends to it {way}" for way in result.approached]
    return [f"  {line}" for line in lines]
