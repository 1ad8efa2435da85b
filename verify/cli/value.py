"""The verb `value`: reference values."""

import argparse
from typing import Any

from gelu_verify.catalogue import Function, function_or_expression
from gelu_verify.cli.output import enclosure_json, float_json, print_json, print_lines
from gelu_verify.cli.ranges import check_range
from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import InputError
from gelu_verify.formats import Format, get_format
from gelu_verify.formats.numbers import ParsedInput, parse_number
from gelu_verify.records import Verdict
from gelu_verify.references import (
    MAX_DERIVATIVE,
    MAX_DIGITS,
    limit_at_infinity,
    reference,
    rounded_limit,
    rounded_value,
)

EXAMPLES = (
    "gelu-verify value 1 --digits 30",
    "gelu-verify value -5.5 0x1.8p+0 1/3 --function gelu_tanh",
    "gelu-verify value 0x00000001@binary32 --format binary32",
    'gelu-verify value -0.5 --function "x*sigmoid(1.773*x)" --derivative 1 --json',
)
_DEFAULT_DIGITS = 20
_EXACT_DIGITS = 1100  # more than any datum of any format has


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("x", nargs="+", metavar="X", help="decimal, fraction, hex float or bits such as 0xc0@binary16")
    parser.add_argument("--function", default="gelu", metavar="F", help="catalogue name or expression (default: gelu)")
    parser.add_argument("--derivative", type=int, default=0, metavar="N", help=f"order, up to {MAX_DERIVATIVE}")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--digits", type=int, metavar="D", help=f"certain digits, up to {MAX_DIGITS} (default: {_DEFAULT_DIGITS})"
    )
    kind.add_argument("--format", metavar="NAME", help="round correctly into binary16, bfloat16, binary32, ...")


def run(arguments: argparse.Namespace) -> int:
    """Print the values; every digit printed is certain."""
    function = function_or_expression(arguments.function)
    inputs = [parse_number(text) for text in arguments.x]
    check_range("--derivative", arguments.derivative, 0, MAX_DERIVATIVE)
    digits = _DEFAULT_DIGITS if arguments.digits is None else arguments.digits
    check_range("--digits", digits, 1, MAX_DIGITS)
    format = get_format(arguments.format) if arguments.format else None
    answers = [_answer(function, x, arguments.derivative, digits, format) for x in inputs]
    if arguments.json:
        values = [{"x": _decimal(x), **payload} for x, (payload, _) in zip(inputs, answers, strict=True)]
        print_json(
            {
                "verdict": Verdict.CERTIFIED,
                "function": function.name,
                "derivative": arguments.derivative,
                "values": values,
            }
        )
    else:
        name = _prime(function.name, arguments.derivative)
        print_lines(f"{name}({x.text}) {line}" for x, (_, line) in zip(inputs, answers, strict=True))
    return 0


def _answer(
    function: Function, x: ParsedInput, derivative: int, digits: int, format: Format | None
) -> tuple[dict[str, Any], str]:
    """Return the value as a part of the JSON document and as the end of a line."""
    if format is not None:
        bits = _rounded(function, x, derivative, format)
        described = float_json(format, bits)
        line = f"rounds to {described['decimal']}  {described['hex']}  {described['bits']}@{format.name}"
        return {"value": described, "format": format.name}, line
    if x.value is None:
        return _limit(function, x, derivative, digits)
    found = reference(function, x.value, derivative, digits)
    doubt = "" if found.confirmed else "  (by Arb alone: out of mpmath's reach)"
    payload = {**_value_json(found.enclosure, digits), "confirmed_by_mpmath": found.confirmed}
    written = found.enclosure.decimal(digits)
    return payload, f"{'in' if written.startswith('[') else '='} {written}{doubt}"


def _value_json(enclosure: Enclosure, digits: int) -> dict[str, Any]:
    return {"value": enclosure_json(enclosure, digits), "digits": digits}


def _rounded(function: Function, x: ParsedInput, derivative: int, format: Format) -> int:
    if x.value is not None:
        return rounded_value(function, x.value, format, derivative, from_below=x.negative)
    return format.nan if x.is_nan else rounded_limit(function.expression, x.negative, format, derivative)


def _decimal(x: ParsedInput) -> str:
    """Return x in decimal, exactly, where it has a finite expansion (a fraction such as 1/3 stays as typed)."""
    if x.value is None or x.value == 0:
        return x.text if x.format is None else x.format.decimal(x.to_bits(x.format))
    written = Enclosure(x.value, x.value).decimal(_EXACT_DIGITS)
    return x.text if "..." in written else written


def _limit(function: Function, x: ParsedInput, derivative: int, digits: int) -> tuple[dict[str, Any], str]:
    if x.is_nan:
        raise InputError("nan has no value in digits; ask with --format")
    limit = limit_at_infinity(function, x.negative, derivative)
    if limit.value is None:
        written = "infinity" if limit.sign == 1 else "-infinity"
        return {"value": written, "digits": digits}, f"-> {written}"
    enclosure = limit.enclosure(digits)
    side = {1: ", from above", -1: ", from below"}.get(limit.sign or 0, "")
    return _value_json(enclosure, digits), f"-> {enclosure.decimal(digits)}{side}"


def _prime(name: str, derivative: int) -> str:
    """Write f, f', f'' or f^(n).

    >>> _prime("gelu", 1), _prime("x*exp(x)", 3)
    ("gelu'", '(x*exp(x))^(3)')
    """
    atom = name if name.isidentifier() else f"({name})"
    return atom + ("'" * derivative if derivative < 3 else f"^({derivative})")
