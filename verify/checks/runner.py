"""All checks of one implementation, in order, with whatever it does while they run."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from gelu_verify.checks.accuracy import diagnose
from gelu_verify.checks.case import Case, Claim, open_case
from gelu_verify.checks.findings import findings_of, importance, mismatch
from gelu_verify.checks.gated import GateOpen, gate_findings
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.misdeeds import misdeed_finding
from gelu_verify.checks.paths import path_findings
from gelu_verify.checks.special_values import special_value_findings
from gelu_verify.formats.arrays import refuse_flushing
from gelu_verify.records import Finding, Verdict
from gelu_verify.targets import Misbehaved, Misdeed, Target
from gelu_verify.targets.process import FORWARD, GRADIENT
from gelu_verify.targets.surroundings import ON_LOADING

SPECIAL, PATHS, ACCURACY, BACKWARD = "special-values", "paths", "accuracy", "gradient"
PARTS = (SPECIAL, PATHS, ACCURACY, BACKWARD)


@dataclass(slots=True)
class Report:
    """What the checks found.

    Attributes:
        verdict: `refuted` with a finding, else `sampled`: nothing was found on the inputs that were run.
        findings: the most important first, each kind once in either pass.
        forward, backward: the evidence of either pass, where it was gathered.
        inputs: how many inputs were compared with right values.
    """

    claim: Claim
    findings: list[Finding] = field(default_factory=list)
    forward: Case | None = None
    backward: Case | None = None
    inputs: int = 0

    @property
    def has_results(self) -> bool:
        """Whether the target gives usable results: it neither crashed nor hung nor returned something else."""
        return not any(finding.kind in tuple(Misdeed) for finding in self.findings)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the claim."""
        return Verdict.REFUTED if self.findings else Verdict.SAMPLED


def run_checks(
    target: Target,
    claim: Claim,
    *,
    gradient: bool = False,
    gated: bool = False,
    parts: Iterable[str] = PARTS,
) -> Report:
    """Check an implementation on special values, on its code paths and on a sample of inputs, and name what is wrong.

    Arguments:
        gradient: check its backward pass as well (the claim is then on the function itself).
        gated: it takes (a, b) and claims f(a) b.
        parts: which of `PARTS` to run.

    Raises:
        InputError: this process replaces subnormal numbers by zero.
    """
    refuse_flushing("a library switched it on")
    report, wanted = Report(claim), set(parts)
    single: Target = GateOpen(target) if gated else target
    if gated and ACCURACY in wanted:
        _collect(report, target, claim, FORWARD, lambda: gate_findings(target, claim))
        if report.findings:
            return _finished(report, target)
    report.forward = _check_pass(report, single, claim, FORWARD, wanted)
    if gradient and BACKWARD in wanted:
        report.backward = _check_pass(report, single, claim.of_backward_pass(), GRADIENT, wanted)
        _compare_passes(report)
    return _finished(report, target)


def _check_pass(report: Report, target: Target, claim: Claim, operation: str, wanted: set[str]) -> Case | None:
    """Run the parts wanted on one pass; return the evidence on accuracy."""
    found: list[Case] = []
    if wanted == {BACKWARD}:  # nothing but the backward pass, and of that everything
        wanted = set(PARTS) if operation == GRADIENT else set()

    def accuracy() -> Iterator[Finding]:
        # What depends on the place in the array is told already, and is no fault of the formula.
        in_every_place = depends_on_path(report.findings, backward=operation == GRADIENT)
        case = open_case(target, claim, operation, in_every_place=in_every_place)
        found.append(case)
        report.inputs += case.claimed.bits.size
        diagnose(case)
        yield from findings_of(case)

    if SPECIAL in wanted:
        _collect(report, target, claim, operation, lambda: special_value_findings(target, claim, operation))
    if PATHS in wanted:
        _collect(report, target, claim, operation, lambda: path_findings(target, claim, operation))
    if ACCURACY in wanted:
        _collect(report, target, claim, operation, accuracy)
    return found[0] if found else None


def depends_on_path(findings: Iterable[Finding], *, backward: bool) -> bool:
    """Tell whether it was found in one pass that the same input gives different bits."""
    return any(finding.kind == Kind.PATH_DEPENDENCE and finding.backward == backward for finding in findings)


def _collect(
    report: Report, target: Target, claim: Claim, operation: str, part: Callable[[], Iterator[Finding]]
) -> None:
    """Add the findings of one part; a target that gives no result is a finding with its witness."""
    backward = operation == GRADIENT
    try:
        report.findings.extend(replace(finding, backward=backward) for finding in part())
    except Misbehaved as fault:
        report.findings.append(replace(misdeed_finding(target, claim, operation, fault), backward=backward))


def _compare_passes(report: Report) -> None:
    """Name a backward pass that belongs to another function than the forward pass."""
    forward, backward = report.forward, report.backward
    if forward is None or backward is None or forward.model is None or not np.any(backward.over | forward.over):
        return
    finding = mismatch(backward, forward.model.name)
    if finding is not None:
        told = (Kind.WRONG_DERIVATIVE, Kind.WRONG_CONSTANT)
        report.findings = [f for f in report.findings if f.kind not in told or not f.backward]
        report.findings.append(finding)


def _finished(report: Report, target: Target) -> Report:
    """Put the findings in order, each kind once in a pass, with what the target was seen to change in its process."""
    refuse_flushing("the implementation switched it on")
    if target.side_effects:
        changed = " and ".join(sorted(target.side_effects))
        when = "" if all(name.endswith(ON_LOADING) for name in target.side_effects) else " while it runs"
        cause = "an elementwise function leaves its surroundings alone: others in the process depend on them"
        report.findings.append(Finding(Kind.SIDE_EFFECT, f"changes {changed}{when}", cause))
    unique: dict[tuple[str, bool], Finding] = {}
    for finding in report.findings:
        unique.setdefault((finding.kind, finding.backward), finding)
    report.findings = sorted(unique.values(), key=importance)
    return report
