"""The part of `check` that asks for the same bits as another implementation gives."""

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from gelu_verify.cli.output import float_json, printable
from gelu_verify.cli.progress import Progress
from gelu_verify.cli.target_options import open_target
from gelu_verify.errors import InputError

if TYPE_CHECKING:
    from gelu_verify.checks.case import Claim
    from gelu_verify.checks.runner import Report
    from gelu_verify.formats import Format
    from gelu_verify.sweep import Interval, Region
    from gelu_verify.sweep.differences import Differences
    from gelu_verify.targets import IsolatedTarget


def add_difference(
    arguments: argparse.Namespace,
    target: "IsolatedTarget",
    report: "Report",
    on: "Interval | None",
    *,
    whole: bool,
) -> "Differences | None":
    """Compare the forward passes of TARGET and of the other one, if there is one, and add to the report what is found.

    A target that gives no result has been told of already, and has nothing to compare.

    Arguments:
        whole: run every input of the format (or of `on`), not a sample.

    Raises:
        InputError: the other one cannot be loaded or gives no result, in one line.
    """
    from gelu_verify.checks.differences import difference_finding
    from gelu_verify.checks.findings import importance

    claim = report.claim
    if arguments.same_as is None or not report.has_results:
        return None
    if whole and claim.format.width <= 32:
        found = _on_every_input(arguments, claim.format, on)
    else:
        found = _on_a_sample(arguments, target, claim)
    finding = difference_finding(claim, arguments.same_as, found)
    if finding is not None:
        report.findings = sorted([*report.findings, finding], key=importance)
    return found


def _on_every_input(arguments: argparse.Namespace, format: "Format", on: "Interval | None") -> "Differences":
    from gelu_verify.sweep.differences import compare
    from gelu_verify.targets import parse_target
    from gelu_verify.targets.direct import DirectTarget

    parsed = [parse_target(text, arguments.arg, *_how(arguments)) for text in (arguments.target, arguments.same_as)]
    if arguments.dask is not None:
        parsed = [specification.absolute() for specification in parsed]
    first, second = (DirectTarget(each, format, timeout=arguments.timeout, batch=arguments.batch) for each in parsed)
    try:
        with Progress("compare", "inputs") as progress:
            return compare(
                first, second, format, on=on, workers=arguments.workers, dask=arguments.dask, progress=progress
            )
    finally:
        first.close()
        second.close()


def _on_a_sample(arguments: argparse.Namespace, target: "IsolatedTarget", claim: "Claim") -> "Differences":
    from gelu_verify.checks.case import inside
    from gelu_verify.checks.probes import probes
    from gelu_verify.sweep.differences import compare_samples
    from gelu_verify.targets.misbehaviour import Misbehaved, Unsupported

    other = open_target(arguments, target=arguments.same_as)
    chosen = probes(claim.format)
    bits = chosen[inside(claim, chosen)]
    try:
        first = target.evaluate(bits)
        try:
            return compare_samples(claim.format, bits, first, other.evaluate(bits))
        except (Misbehaved, Unsupported) as error:
            raise InputError(f"{arguments.same_as}: {error}") from None
    finally:
        other.close()


def _how(arguments: argparse.Namespace) -> tuple[str, str]:
    return arguments.framework, arguments.device


def same_as_json(other: str, found: "Differences", format: "Format") -> dict[str, Any]:
    """Return where two targets differ, for the document."""
    datum = partial(float_json, format)
    pair = found.widest
    return {
        "target": other,
        "inputs": found.inputs,
        "counts": found.counts,
        "widest": pair
        and {"apart": pair.apart, "x": datum(pair.bits), "got": datum(pair.first), "other": datum(pair.second)},
        "regions": [_region(region, format) for region in sorted(found.regions, key=_ascending(format))],
        "histogram": [
            {"first": format.bits_text(first), "different": different} for first, different in found.binades.items()
        ],
    }


def _ascending(format: "Format") -> "Callable[[Region], int]":
    return lambda region: -region.first if region.first & format.sign_mask else region.first


def _region(region: "Region", format: "Format") -> dict[str, Any]:
    ends = (region.last, region.first) if region.first & format.sign_mask else (region.first, region.last)
    first, last = (float_json(format, end) for end in ends)
    return {"first": first, "last": last, "count": region.count}


def same_as_lines(document: dict[str, Any] | None) -> list[str]:
    """Return what to print of it: the counts, and where."""
    if document is None:
        return []
    counts, name = document["counts"], printable(document["target"])
    if not counts["different"]:
        return ["", f"the same bits as {name} at all {document['inputs']} inputs"]
    lines = ["", f"beside {name}", *(f"  {count} {number}" for count, number in counts.items() if number), "  where"]
    return lines + [
        f"    {region['count']} from {region['first']['decimal']} to {region['last']['decimal']}  "
        f"({region['first']['bits']} to {region['last']['bits']})"
        for region in document["regions"]
    ]
