"""The finding that another implementation gives other bits: another build, another library, another version."""

from typing import TYPE_CHECKING

from gelu_verify.checks.case import Claim
from gelu_verify.checks.findings import where
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.regions import ascending
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.records import Finding
from gelu_verify.references.correct_rounding import rounded

if TYPE_CHECKING:
    from gelu_verify.sweep.differences import Differences

_CAUSE = (
    "the two are compiled, vectorized or approximated in different ways: each may be within its budget, "
    "but no test for equal bits can pass on both"
)


def difference_finding(claim: Claim, other: str, found: "Differences") -> Finding | None:
    """Return what to tell of two implementations that should give the same bits; None where they do.

    The witness is the input at which they are farthest apart: `got` is the result of the one that is checked, and
    `want` the correctly rounded right value, which may be neither.
    """
    pair, format = found.widest, claim.format
    if pair is None:
        return None
    try:
        want: int | None = rounded(claim.function, pair.bits, format, claim.derivative)
    except (InputError, IncompleteError):
        want = None
    regions = ascending(format, [(region.first, region.last) for region in found.regions])
    how_many = f"{found.counts['different']} of {found.inputs} inputs"
    message = (
        f"gives other bits than {other} at {how_many}, {_how_far(found, pair.apart)}, "
        f"{where(format, regions)}; at the witness {other} gives {format.decimal(pair.second)} "
        f"({format.bits_text(pair.second)})"
    )
    return Finding(Kind.DIFFERENCE, message, _CAUSE, pair.bits, pair.first, want, None, regions)


def _how_far(found: "Differences", most: int | None) -> str:
    if found.counts["nan_in_one"]:
        return f"{found.counts['nan_in_one']} of them NaN in only one of the two"
    if found.counts["zero_sign"] == found.counts["different"]:
        return "all in the sign of zero alone"
    return f"at most {most} float{'s' * (most != 1)} apart"
