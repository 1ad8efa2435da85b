"""From diagnoses to findings: one for each kind, with an exact witness, its regions in words, and a command."""

import shlex
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gelu_verify.checks.case import Case, Claim, Diagnosis
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.sample import measure
from gelu_verify.checks.thresholds import innermost
from gelu_verify.checks.truth import Truth
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import Format
from gelu_verify.records import Finding, Region
from gelu_verify.references.correct_rounding import rounded
from gelu_verify.targets.process import GRADIENT

_MOST_REGIONS = 3  # that are written out
_MOST_PIECES = 3  # of one kind that are told one by one
_LANES = 67  # whole vectors of every width in use, and a remainder that is computed one by one


def findings_of(case: Case) -> list[Finding]:
    """Return one finding for each kind of diagnosis; of several with one kind the widest speaks for all."""
    by_kind: dict[Kind, list[Diagnosis]] = {}
    for diagnosis in case.found:
        by_kind.setdefault(diagnosis.kind, []).append(diagnosis)
    return [_finding(case, kind, diagnoses) for kind, diagnoses in by_kind.items()]


def _finding(case: Case, kind: Kind, diagnoses: list[Diagnosis]) -> Finding:
    main = max(diagnoses, key=lambda diagnosis: int(diagnosis.mask.sum()))
    regions = joined(case.claim.format, [region for diagnosis in diagnoses for region in diagnosis.regions])
    x = main.witness if main.witness is not None else innermost(case, main.regions)[0]
    got, want, error = _witness(case, x)
    message = _pieces(case.claim.format, main, diagnoses)
    follows = not any(diagnosis.mask.any() for diagnosis in diagnoses) and len(diagnoses) < len(case.found)
    return Finding(kind, message, main.cause, x, got, want, error, regions, follows=follows)


def _pieces(format: Format, main: Diagnosis, diagnoses: list[Diagnosis]) -> str:
    """Return what is wrong and where, each thing with the regions in which it is true, the main one first."""
    places: dict[str, list[Region]] = {main.message: []}
    for diagnosis in sorted(diagnoses, key=lambda diagnosis: -int(diagnosis.mask.sum())):
        places.setdefault(diagnosis.message, []).extend(diagnosis.regions)
    told = [f"{message}, {where(format, joined(format, regions))}" for message, regions in places.items()]
    more = [f"and {len(told) - _MOST_PIECES} more such pieces"] if len(told) > _MOST_PIECES else []
    return "; ".join(told[:_MOST_PIECES] + more)


def importance(finding: Finding) -> tuple[bool, int, bool]:
    """Return the key by which findings are put in order, the most important first."""
    return finding.follows, Kind(finding.kind).rank, finding.backward


def _witness(case: Case, x: int) -> tuple[int, int | None, float | None]:
    """Return the result, the correctly rounded right value and the error at one input, from certified values.

    Vector and scalar code may differ, and only one of them err: the input fills an array, and the worst result counts.
    """
    claim = case.claim
    bits = np.full(_LANES, x, case.judged.bits.dtype)
    sample = measure(case.target, Truth(claim.function, claim.derivative), bits, case.operation)
    worst = int(np.argmax(np.nan_to_num(sample.error, nan=np.inf)))
    try:
        want: int | None = rounded(claim.function, x, claim.format, claim.derivative)
    except (InputError, IncompleteError):
        want = None
    error = float(sample.error[worst])
    return int(sample.got_bits[worst]), want, None if np.isnan(error) else error


def joined(format: Format, regions: list[Region]) -> tuple[Region, ...]:
    """Return the regions in ascending order, with those that overlap or touch made one."""
    result: list[Region] = []
    for region in sorted(regions, key=lambda region: format.ordinal(region.first)):
        if result and format.ordinal(region.first) <= format.ordinal(result[-1].last) + 1:
            last = max(region.last, result[-1].last, key=format.ordinal)
            result[-1] = Region(result[-1].first, last)
        else:
            result.append(region)
    return tuple(result)


def where(format: Format, regions: tuple[Region, ...]) -> str:
    """Return the regions in words, for example `for x <= -5.5426`."""
    words = [_words(format, region) for region in regions[:_MOST_REGIONS]]
    more = f" and {len(regions) - _MOST_REGIONS} more regions" if len(regions) > _MOST_REGIONS else ""
    return ", ".join(words) + more


def _words(format: Format, region: Region) -> str:
    first, last = format.decimal(region.first), format.decimal(region.last)
    if region.first == region.last:
        return f"at x = {first} ({format.bits_text(region.first)})"
    if region.last == format.max_finite:
        return f"for x >= {first}"
    if region.first == format.max_finite | format.sign_mask:
        return f"for x <= {last}"
    return f"for {first} <= x <= {last}"


def with_command(
    finding: Finding, target: str, claim: Claim, options: Sequence[str], typed: Sequence[str] = ()
) -> Finding:
    """Return the finding with a command that shows it again, on the narrowest domain that holds the witness.

    Arguments:
        options: the other words of the command; typed: the domain that was asked for, if there was one.
    """
    words = ["gelu-verify", "check", target, "--as", claim.function.name, "--format", claim.format.name, *options]
    regions = [
        region for region in finding.regions if finding.x is not None and _holds(claim.format, region, finding.x)
    ]
    if finding.kind in _LOCAL and regions and all(map(claim.format.is_finite, (regions[0].first, regions[0].last))):
        words += ["--on", *(claim.format.hex(bits) for bits in (regions[0].first, regions[0].last))]
    else:
        words += typed
    return replace(finding, command=shlex.join(words))


_LOCAL = (
    Kind.OVERFLOW,
    Kind.COARSE_APPROXIMATION,
    Kind.CANCELLATION,
    Kind.SUBNORMAL_FLUSH,
    Kind.ACCURACY,
    Kind.DIFFERENCE,
)
"""Kinds that a part of the format shows as well as the whole: the others need to be seen beside what is right."""


def _holds(format: Format, region: Region, x: int) -> bool:
    if format.is_nan(x) or format.is_nan(region.first):
        return False
    return format.ordinal(region.first) <= format.ordinal(x) <= format.ordinal(region.last)


def mismatch(case: Case, forward: str) -> Finding | None:
    """Return the finding that the backward pass belongs to another function than the forward pass, if it does."""
    backward = case.model
    if case.operation != GRADIENT or backward is None or backward.derivative != 1 or backward.name == forward:
        return None
    x = case.worst(np.ones_like(case.over))
    got, want, error = _witness(case, x)
    message = f"the forward pass computes {forward}, the backward pass {backward}"
    cause = "the two passes were taken from different forms: differentiate the function that is computed"
    return Finding(
        Kind.MISMATCH, message, cause, x, got, want, error, case.blurred(case.over) if case.over.any() else ()
    )
