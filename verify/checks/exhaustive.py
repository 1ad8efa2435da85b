"""What an exhaustive run found, told in the words of the checks."""

from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gelu_verify.checks.accuracy import diagnose
from gelu_verify.checks.case import Claim, open_case
from gelu_verify.checks.findings import findings_of, importance, where
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.regions import ascending
from gelu_verify.checks.runner import Report, depends_on_path
from gelu_verify.formats.arrays import from_ordinals
from gelu_verify.records import Finding
from gelu_verify.targets import Target
from gelu_verify.targets.process import FORWARD, GRADIENT

if TYPE_CHECKING:
    from gelu_verify.sweep import Statistics

_AROUND = 64  # inputs on either side of a witness
_MOST_REGIONS = 32

# counts of which a single input is a fault -> its kind, and what is wrong with it
_FAULTS = {
    "nan": (Kind.OVERFLOW, "gives NaN for finite inputs"),
    "infinite": (Kind.OVERFLOW, "gives an infinity where the result is finite"),
    "finite_instead_of_infinite": (Kind.ACCURACY, "gives a finite number where the result overflows"),
    "wrong_sign": (Kind.PROPERTY_VIOLATION, "gives results of the wrong sign"),
    "special_values": (Kind.SPECIAL_VALUE, "is wrong at infinities"),
    "nan_swallowed": (Kind.SPECIAL_VALUE, "does not give NaN for NaN"),
    "over_limit": (Kind.ACCURACY, "exceeds the error allowed"),
}
_SPECIAL = ("special_values", "nan_swallowed")


def add_exhaustive_findings(target: Target, report: Report, errors: "Statistics", operation: str = FORWARD) -> None:
    """Add to the report what its sample of one pass has missed: every count of faults must be represented."""
    backward = operation == GRADIENT
    claim = report.claim.of_backward_pass() if backward else report.claim
    told: tuple[str, ...] = ()
    if claim.derivative <= 1 and _unnamed(report, errors, backward):
        moves = depends_on_path(report.findings, backward=backward)
        case = open_case(target, claim, operation, _inputs_around(claim, errors), in_every_place=moves)
        diagnose(case)
        _add(report, findings_of(case), backward)
        if moves and not case.over.any():  # wrong in some places of an array alone, as was found
            told = tuple(name for name in _FAULTS if name not in _SPECIAL)
    for name in _unnamed(report, errors, backward):
        if name not in told:
            _add(report, [_plain(claim, name, errors)], backward)


def _kinds(report: Report, backward: bool) -> set[str]:
    """Return what was found in one pass; a mismatch is found in both."""
    return {
        finding.kind for finding in report.findings if finding.backward == backward or finding.kind == Kind.MISMATCH
    }


def _unnamed(report: Report, errors: "Statistics", backward: bool) -> list[str]:
    """Return the counts of faults that no finding speaks of yet."""
    kinds = _kinds(report, backward)
    accuracy = kinds - {Kind.SPECIAL_VALUE, Kind.PATH_DEPENDENCE, Kind.SIDE_EFFECT}
    counted = [name for name in _FAULTS if errors.counts[name]]
    return [name for name in counted if (Kind.SPECIAL_VALUE not in kinds if name in _SPECIAL else not accuracy)]


def _add(report: Report, findings: list[Finding], backward: bool) -> None:
    known = _kinds(report, backward)
    report.findings += [replace(finding, backward=backward) for finding in findings if finding.kind not in known]
    report.findings.sort(key=importance)


def _inputs_around(claim: Claim, errors: "Statistics") -> npt.NDArray[Any]:
    """Return the finite nonzero inputs around the worst one and around the ends of the regions of faults."""
    format = claim.format
    centres = [worst.bits for worst in (errors.max_ulp, errors.max_abs) if worst is not None]
    for name in _FAULTS:
        for region in errors.regions.get(name, ())[:_MOST_REGIONS]:
            centres += [region.first, region.last]
    places = np.array([format.ordinal(bits) for bits in centres if format.is_finite(bits)], np.int64)
    near = np.unique(places[:, None] + np.arange(-_AROUND, _AROUND + 1))
    size = np.where(near < 0, -1 - near, near)
    return from_ordinals(format, near[(size > 0) & (size <= format.max_finite)])


def _plain(claim: Claim, name: str, errors: "Statistics") -> Finding:
    """Return a finding that says what was counted, without a diagnosis."""
    format = claim.format
    kind, message = _FAULTS[name]
    regions = ascending(format, [(region.first, region.last) for region in errors.regions[name]])
    worst = errors.max_ulp if name == "over_limit" else None
    x = regions[0].first if worst is None else worst.bits
    got, want = (None, None) if worst is None else (worst.got, worst.want)
    error = None if worst is None else _float(worst.size)
    text = f"{message}: {errors.counts[name]} inputs, {where(format, regions)}"
    cause = "no known pattern of faults explains it: look at the witness"
    return Finding(kind, text, cause, x, got, want, error, regions)


def _float(size: Fraction) -> float:
    """Return the nearest float64; infinity where a number stands for zero, 2^1074 ulp and more away in binary64."""
    try:
        return float(size)
    except OverflowError:
        return inf
