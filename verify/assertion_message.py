"""What a failed assertion says: how many results are wrong and how far, in the order of torch.testing; then what it is,
with an input, the likely cause and a command that shows it again.
"""

import os
import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gelu_verify.checks.case import Case
from gelu_verify.checks.findings import with_command
from gelu_verify.checks.runner import Report
from gelu_verify.formats import Format
from gelu_verify.records import Finding

if TYPE_CHECKING:
    from gelu_verify.sweep import SweepResult

_MOST_FINDINGS = 6  # that a message tells in full


def message(
    fn: Callable[..., Any],
    report: Report,
    results: "Sequence[SweepResult]",
    place: str | None,
    gradient: str | None,
) -> str:
    """Return the whole message.

    Arguments:
        results: of the exhaustive runs of the forward and the backward pass, as far as there were any.
        place, gradient: the target of the command line, and its backward pass; None where there is none.
    """
    claim = report.claim
    name = getattr(fn, "__qualname__", None) or type(fn).__qualname__
    lines = [f"{name} is not an accurate {claim.function.name} in {claim.format.name}!", ""]
    forward, backward = [*results, None, None][:2]
    lines += _extent(report.forward, forward, "")
    lines += _extent(report.backward, backward, " of the backward pass")
    for finding in report.findings[:_MOST_FINDINGS]:
        lines += [
            "",
            *_told(claim.format, finding),
            f"  again    {_again(report, finding, place, gradient, bool(results))}",
        ]
    hidden = [finding.kind for finding in report.findings[_MOST_FINDINGS:]]
    lines += ["", f"and also: {', '.join(hidden)}"] if hidden else []
    return "\n".join(lines)


def _extent(case: Case | None, result: "SweepResult | None", which: str) -> list[str]:
    """Say how many results are off, and how far."""
    if result is not None:
        wrong = result.errors.counts["over_limit"] + result.errors.counts["nan"]
        lines = [f"Mismatched inputs{which}: {wrong} / {result.inputs} ({wrong / result.inputs:.1%})"]
    elif case is not None:
        wrong, size = int(case.over.sum()), case.over.size
        lines = [f"Mismatched inputs{which}: {wrong} / {size} ({wrong / max(size, 1):.1%} of a sample)"]
    else:
        return []
    return lines + (_greatest(case) if case is not None and case.over.any() else [])


def _greatest(case: Case) -> list[str]:
    sample, format = case.claimed, case.claim.format
    sizes = np.where(case.over, np.nan_to_num(abs(sample.distance), nan=-1.0, posinf=-1.0), -1.0)
    errors = np.where(case.over, np.nan_to_num(sample.error, nan=-1.0, posinf=np.finfo(float).max), -1.0)
    places = [int(np.argmax(sizes)), int(np.argmax(errors))]
    where = [f"at x = {format.decimal(int(sample.bits[p]))} ({format.bits_text(int(sample.bits[p]))})" for p in places]
    worst = "not a number" if np.isinf(sample.error[places[1]]) else f"{sample.error[places[1]]:.6g} ulp"
    return [
        f"Greatest absolute difference: {sizes[places[0]]:.6g} {where[0]}",
        f"Greatest error: {worst} {where[1]} (up to {case.claim.max_ulp:g} ulp allowed)",
    ]


def _told(format: Format, finding: Finding) -> list[str]:
    which = " of the backward pass" if finding.backward else ""
    lines = [f"{finding.kind}{which}: {finding.message}"]
    for label, bits in (("input", finding.x), ("got", finding.got), ("expected", finding.want)):
        if bits is not None:
            lines.append(f"  {label:8} {format.decimal(bits)}  {format.hex(bits)}  {format.bits_text(bits)}")
    if finding.ulp is not None and np.isfinite(finding.ulp):
        lines.append(f"  error    {finding.ulp:.6g} ulp")
    return [*lines, f"  cause    {finding.cause}"]


def _again(report: Report, finding: Finding, place: str | None, gradient: str | None, exhaustive: bool) -> str:
    """Return a command that shows the finding again: `check`, or the test itself where there is no such target."""
    if place is None or (gradient is None and report.backward is not None):
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        return f"pytest {shlex.quote(test)}" if test else "run this program again: it is no function of a module"
    options = ["--max-ulp", f"{report.claim.max_ulp:g}"]
    options += [] if gradient is None else ["--gradient", *([] if gradient == "auto" else [gradient])]
    options += [] if exhaustive else ["--sampled"]
    return with_command(finding, place, report.claim, options).command
