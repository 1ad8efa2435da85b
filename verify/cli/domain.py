"""What the verbs about formulas ask for alike: an expression, a domain, a derivative, digits, a time limit."""

import argparse
import re
from typing import TYPE_CHECKING

from gelu_verify.cli.ranges import check_range, check_seconds
from gelu_verify.errors import InputError

if TYPE_CHECKING:
    from gelu_verify.bounds.roots import Line
    from gelu_verify.catalogue import Expression

MAX_DERIVATIVE = 4
MAX_DIGITS = 10_000
MAX_SECONDS = 86_400
_SHOWN_DIGITS = 20
_SHOWN_LENGTH = 100


def add_question(parser: argparse.ArgumentParser) -> None:
    """Declare --on, --derivative, --digits and --timeout."""
    parser.add_argument(
        "--on", nargs=2, metavar=("LO", "HI"), help="the domain, its finite ends included (default: -inf inf)"
    )
    parser.add_argument("--derivative", type=int, default=0, metavar="N", help="of order N, at most 4 (default: 0)")
    add_limits(parser)


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Declare --digits and --timeout."""
    parser.add_argument("--digits", type=int, default=15, metavar="D", help="significant digits (default: 15)")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS", help="when to give up (default: 60)")


def check_question(arguments: argparse.Namespace) -> None:
    """Refuse numbers out of range.

    Raises:
        InputError: with the range.
    """
    check_range("--derivative", arguments.derivative, 0, MAX_DERIVATIVE)
    check_limits(arguments)


def check_limits(arguments: argparse.Namespace) -> None:
    """Refuse digits and seconds out of range.

    Raises:
        InputError: with the range.
    """
    check_range("--digits", arguments.digits, 1, MAX_DIGITS)
    check_seconds(arguments.timeout, MAX_SECONDS)


def read_line(ends: list[str] | None) -> "Line":
    """Return the domain that was typed, all reals by default.

    Raises:
        InputError: not numbers, or in the wrong order.
    """
    from gelu_verify.bounds.roots import Line
    from gelu_verify.formats.numbers import parse_number

    if ends is None:
        return Line(None, None)
    low, high = (parse_number(end) for end in ends)
    if low.is_nan or high.is_nan:
        raise InputError("a domain cannot end at nan; write for example --on -6 6 or --on 0 inf")
    if (low.value is None and not low.negative) or (high.value is None and high.negative):
        raise InputError(f"--on {ends[0]} {ends[1]} is the wrong way round; write the lower end first")
    if low.value is not None and high.value is not None and low.value >= high.value:
        problem = "is a single point" if low.value == high.value else "is the wrong way round"
        raise InputError(f"--on {ends[0]} {ends[1]} {problem}; write the lower end first, then a greater one")
    return Line(low.value, high.value)


def read_expression(written: str) -> "Expression":
    """Return the expression for a catalogue name or a formula as typed.

    Raises:
        InputError: neither, with what was wrong.
    """
    from gelu_verify.catalogue import function_or_expression

    return function_or_expression(written).expression


def end_text(end: object, infinity: str) -> str:
    """Return a domain's end in the grammar that --on reads."""
    return infinity if end is None else str(end)


def domain_text(line: "Line") -> str:
    """Return the domain in words, its ends shortened."""
    from gelu_verify.enclosures import Enclosure

    if line.lower is None and line.upper is None:
        return "over all reals"
    low, high = (
        None if end is None else Enclosure(end, end).decimal(_SHOWN_DIGITS) for end in (line.lower, line.upper)
    )
    left = "" if low is None else f"{low} <= "
    right = "" if high is None else f" <= {high}"
    return f"over {left}x{right}"


def shortened(written: str) -> str:
    """Return a formula, its middle left out when it is very long."""
    half = _SHOWN_LENGTH // 2
    return written if len(written) <= _SHOWN_LENGTH else f"{written[:half]} ... {written[-half:]}"


def bracketed(written: str) -> str:
    """Return a formula in brackets, unless it is a name or a number or a call already."""
    return written if re.fullmatch(r"[\w.]*|\w+\([^()]*\)", written) else f"({written})"
