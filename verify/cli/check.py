"""The verb `check`: run an implementation on every float of a format and judge every result."""

import argparse
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gelu_verify.cli import EXIT_FAILED, EXIT_HOLDS
from gelu_verify.cli.output import float_json, print_json, table
from gelu_verify.cli.progress import Progress
from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import InputError

if TYPE_CHECKING:
    from gelu_verify.formats import Format
    from gelu_verify.sweep import Interval, Policy, Region, Statistics, SweepResult, WorstInput

EXAMPLES = [
    "gelu-verify check gelu_verify.forms:tanh_factored --as gelu_tanh",
    "gelu-verify check gelu_verify.forms:tanh_naive --as gelu_tanh --format binary16 --max-ulp 8",
    "gelu-verify check gelu_verify.forms:sigmoid --as gelu_sigmoid --against gelu --on -4 4 --json",
]
_DIGITS = 12

# counts of which a single input is a fault -> what is wrong with it
FAULTS = {
    "nan": "gives NaN for finite inputs",
    "infinite": "gives an infinity where the result is finite",
    "finite_instead_of_infinite": "gives a finite number where the result overflows",
    "wrong_sign": "gives results of the wrong sign",
    "special_values": "is wrong at infinities",
    "nan_swallowed": "does not give NaN for NaN",
    "over_limit": "exceeds the error allowed",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("target", metavar="TARGET", help="package.module:callable or file.py:callable")
    parser.add_argument("--as", dest="claim", required=True, metavar="F", help="the function that it claims to compute")
    parser.add_argument("--against", metavar="F", help="a second function to measure the same results against")
    parser.add_argument("--format", default="binary32", metavar="NAME", help="of inputs and results (default binary32)")
    parser.add_argument(
        "--derivative", type=int, default=0, metavar="N", help="it computes this derivative (default 0)"
    )
    parser.add_argument("--max-ulp", default="4", metavar="U", help="the error allowed, in ulp (default 4)")
    parser.add_argument("--on", nargs=2, metavar=("LO", "HI"), help="only inputs in this interval (default: every bit)")
    parser.add_argument(
        "--flush-subnormals",
        nargs="?",
        const="both",
        choices=("inputs", "outputs", "both"),
        help="allow subnormal numbers to be taken for zeros",
    )
    parser.add_argument("--workers", type=int, metavar="N", help="processes (default: one for each processor)")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="go on from this checkpoint, or start one there")


def run(arguments: argparse.Namespace) -> int:
    """Judge the implementation; 1 when an input is over the limit or wrong in kind."""
    from gelu_verify.catalogue import function_or_expression
    from gelu_verify.formats import get_format
    from gelu_verify.sweep import sweep
    from gelu_verify.targets import parse_target
    from gelu_verify.targets.direct import DirectTarget

    format = get_format(arguments.format)
    claim = function_or_expression(arguments.claim)
    second = None if arguments.against is None else function_or_expression(arguments.against)
    policy, on = _policy(arguments), _interval(arguments.on)
    target = DirectTarget(parse_target(arguments.target), format)
    target.load()
    with Progress("check", "inputs") as progress:
        result = sweep(
            target,
            claim,
            format,
            name=arguments.target,
            second=second,
            derivative=arguments.derivative,
            on=on,
            policy=policy,
            workers=arguments.workers,
            progress=progress,
            resume=arguments.resume,
        )
    document = _document(result, policy)
    print_json(document) if arguments.json else print(_text(document, result))
    return EXIT_FAILED if document["findings"] else EXIT_HOLDS


def _policy(arguments: argparse.Namespace) -> "Policy":
    from gelu_verify.formats.numbers import parse_number
    from gelu_verify.sweep import Policy

    limit = parse_number(arguments.max_ulp).value
    if limit is None:
        raise InputError(f"--max-ulp {arguments.max_ulp} is not a finite number; write for example --max-ulp 4")
    flush = arguments.flush_subnormals
    return Policy(limit, flush in ("inputs", "both"), flush in ("outputs", "both"))


def _interval(ends: list[str] | None) -> "Interval | None":
    from gelu_verify.formats.numbers import parse_number
    from gelu_verify.sweep import Interval

    if ends is None:
        return None
    lower, upper = (parse_number(end) for end in ends)
    if lower.is_nan or upper.is_nan:
        raise InputError("an interval cannot end at nan; write for example --on -6 6")
    beyond = Fraction(2) ** 2000  # past every number of every format
    low = lower.value if lower.value is not None else (-beyond if lower.negative else beyond)
    high = upper.value if upper.value is not None else (-beyond if upper.negative else beyond)
    return Interval(low, high)


def _document(result: "SweepResult", policy: "Policy") -> dict[str, Any]:
    errors, format = result.errors, result.format
    findings = [_finding(name, errors, format) for name in FAULTS if errors.counts[name]]
    document = {
        "verdict": "refuted" if findings else result.verdict,
        "target": result.implementation,
        "function": errors.function,
        "format": format.name,
        "derivative": result.derivative,
        "max_ulp_allowed": str(policy.limit),
        "inputs": result.inputs,
        **_errors(errors, format),
        "findings": findings,
    }
    if result.second is not None:
        document["against"] = {"function": result.second.function, **_errors(result.second, format)}
    return document


def _errors(errors: "Statistics", format: "Format") -> dict[str, Any]:
    return {
        "max_ulp": _worst(errors.max_ulp, "ulp", format),
        "max_abs": _worst(errors.max_abs, "abs", format),
        "max_rel": _worst(errors.max_rel, "rel", format),
        "symmetry": _worst(errors.symmetry, "abs", format),
        "counts": dict(errors.counts),
        "regions": {name: [_region(region, format) for region in found] for name, found in errors.regions.items()},
        "histogram": [
            {"first": format.bits_text(row.first), "inputs": row.inputs, "over": list(row.over)}
            for row in errors.histogram
        ],
    }


def _worst(worst: "WorstInput | None", measure: str, format: "Format") -> dict[str, Any] | None:
    if worst is None:
        return None
    document: dict[str, Any] = {measure: _decimal(worst.size)}
    if worst.at_most != worst.size:
        document["at_most"] = None if worst.at_most is None else _decimal(worst.at_most)
    for name, bits in (("x", worst.bits), ("got", worst.got), ("want", worst.want)):
        document[name] = float_json(format, bits)
    return document


def _decimal(size: Fraction) -> str:
    """Return the digits of an error, rounded up."""
    return Enclosure(size, size).upper_decimal(_DIGITS)


def _region(region: "Region", format: "Format") -> dict[str, Any]:
    ends = {"first": float_json(format, region.first), "last": float_json(format, region.last)}
    return {**ends, "count": region.count}


def _finding(name: str, errors: "Statistics", format: "Format") -> dict[str, Any]:
    regions = errors.regions[name]
    witness = errors.max_ulp if name == "over_limit" else None
    x = regions[0].first if witness is None else witness.bits
    return {
        "kind": name,
        "x": float_json(format, x),
        "got": None if witness is None else float_json(format, witness.got),
        "want": None if witness is None else float_json(format, witness.want),
        "ulp": None if witness is None else _decimal(witness.size),
        "region": [_region(region, format) for region in regions],
        "message": f"{FAULTS[name]}: {errors.counts[name]} inputs, for example {format.decimal(x)}",
    }


def _text(document: dict[str, Any], result: "SweepResult") -> str:
    prime = "" if not result.derivative else f", derivative {result.derivative}"
    lines = [
        f"{result.implementation} as {result.errors.function}{prime} in {result.format.name}: {result.inputs} inputs"
    ]
    for part in (document, document.get("against")):
        if part is not None:
            lines += ["", *_lines(part)]
    lines += [
        "",
        *(f"{finding['kind']}: {finding['message']}" for finding in document["findings"]),
        document["verdict"],
    ]
    return "\n".join(lines)


def _lines(part: dict[str, Any]) -> list[str]:
    rows = [
        [name, worst[measure], worst["x"]["decimal"], worst["x"]["bits"], worst["got"]["hex"], worst["want"]["hex"]]
        for name, measure in (("max_ulp", "ulp"), ("max_abs", "abs"), ("max_rel", "rel"), ("symmetry", "abs"))
        if (worst := part[name]) is not None
    ]
    header = [f"against {part['function']}", "error", "x", "bits", "got", "want"]
    counts = [f"  {name} {number}" for name, number in part["counts"].items() if number]
    return [table(rows, header), *counts]
