"""What a failed assertion says: how many results are wrong and how far, in the order of torch.testing; then what it is,
with an input, the likely cause and a command that shows it again.
"""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gelu_verify.assertions.places import surroundings_of
from gelu_verify.checks.case import Case
from gelu_verify.checks.findings import with_command
from gelu_verify.checks.runner import Report
from gelu_verify.formats import Format
from gelu_verify.records import Finding

if TYPE_CHECKING:
    from gelu_verify.sweep import SweepResult

_MOST_FINDINGS = 6  # that a message tells in full


def message(
    name: str,
    report: Report,
    results: "Sequence[SweepResult]",
    place: str | None,
    gradient: str | None,
) -> str:
    """Return the whole message.

    Arguments:
        name: of the implementation.
        results: of the exhaustive runs of the forward and the backward pass, as far as there were any.
        place, gradient: the target of the command line and its backward pass. Without a place there is no such command;
            without a gradient the backward pass was not looked at.
    """
    claim = report.claim
    forward, backward = [*results, None, None][:2]
    extent = _extent(report.forward, forward, "") + _extent(report.backward, backward, " of the backward pass")
    lines = [
        f"{name} is not an accurate {claim.function.name} in {claim.format.name}!",
        *([""] if extent else []),
        *extent,
    ]
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
    """Say where the result is farthest off; one that is not finite, and should be, is farther than all others."""
    sample = case.claimed
    farthest = (
        ("absolute difference", "", abs(sample.distance)),
        ("error", f" (up to {case.claim.max_ulp:g} ulp allowed)", sample.error),
    )
    return [f"Greatest {what}: {_farthest(case, sizes, what)}{allowed}" for what, allowed, sizes in farthest]


def _farthest(case: Case, sizes: npt.NDArray[np.float64], what: str) -> str:
    """Return the greatest of the sizes where the error is over the budget, and the input that gives it."""
    sample, format = case.claimed, case.claim.format
    place = int(np.argmax(np.where(case.over, np.nan_to_num(sizes, nan=np.inf, posinf=np.inf), -1.0)))
    bits, got = int(sample.bits[place]), float(sample.got[place])
    size = f"{sizes[place]:.6g}{' ulp' if what == 'error' else ''}"
    if not np.isfinite(got):
        size = "not a number" if np.isnan(got) else "infinite"
    return f"{size} at x = {format.decimal(bits)} ({format.bits_text(bits)})"


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
    if place is None:
        test = _current_test()
        return f"pytest {shlex.quote(test)}" if test else "run this program again: no other can import the function"
    options = ["--max-ulp", f"{report.claim.max_ulp:g}"]
    options += [] if gradient is None else ["--gradient", *([] if gradient == "auto" else [gradient])]
    options += [] if exhaustive else ["--sampled"]
    return surroundings_of(place) + with_command(finding, place, report.claim, options).command


def _current_test() -> str:
    """Return what names the running test to pytest in this folder; its own name for it begins at the project's root."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    file, colons, rest = test.partition("::")
    for folder in (Path.cwd(), *Path.cwd().parents):
        if file and (folder / file).is_file():
            return os.path.relpath(folder / file) + colons + rest
    return test
