"""The written forms with correctly rounded elementary functions: their counts, and which form to write."""

from collections.abc import Mapping, Sequence
from typing import Any

from gelu_verify.formats import get_format
from gelu_verify.formats.arrays import native_dtype
from gelu_verify.forms import FORMS
from gelu_verify.processes import spread
from gelu_verify.reports.counting import count_narrow, record
from gelu_verify.reports.pipeline import Context

NARROW = ("binary16", "bfloat16")
_FAR_MORE = 2  # times as many wrong zeros are the reason against a form
Document = Mapping[str, Any]


def written_forms(context: Context) -> dict[str, Any]:
    """Return the counts of every form in every format, those of binary32 as recorded, and the choice among forms."""
    work = [(format, form) for format in NARROW for form in FORMS]
    narrow = spread(count_narrow, work, context.advance)
    recorded = record()
    return {
        "counts": [*(recorded[name] for name in FORMS), *narrow],
        "choices": choices([recorded[name] for name in FORMS]),
    }


def require_bfloat16() -> None:
    """Make sure, before any work is done, that bfloat16 can be run.

    Raises:
        InputError: ml_dtypes is not installed.
    """
    native_dtype(get_format("bfloat16"))


def choices(documents: Sequence[Document]) -> list[dict[str, Any]]:
    """Rank the forms of each function and derivative: the fewest NaN, then errors above 1024 ulp, then above 4."""
    groups: dict[tuple[str, int], list[Document]] = {}
    for document in documents:
        groups.setdefault((document["function"], document["derivative"]), []).append(document)
    return [_choice(function, derivative, group) for (function, derivative), group in groups.items()]


def _choice(function: str, derivative: int, group: Sequence[Document]) -> dict[str, Any]:
    best, *others = sorted((_facts(document) for document in group), key=_rank)
    return {
        "function": function,
        "derivative": derivative,
        "best": best,
        "others": [{**other, "why": _why(best, other)} for other in others],
    }


def _rank(facts: Document) -> tuple[int, ...]:
    # Not the largest error: one wrong zero makes it 2^24 ulp, as a billion of them do.
    return facts["nan"], facts["over_1024_ulp"], facts["over_4_ulp"]


def _facts(document: Document) -> dict[str, Any]:
    counts, total = document["errors"]["counts"], document["total"]
    zeros = document["errors"]["regions"].get("zero_instead_of_nonzero", ())
    return {
        "id": document["id"],
        "form": document["form"],
        "code": document["code"],
        "max_ulp": document["errors"]["max_ulp"]["error"],
        "over_4_ulp": counts["over_4_ulp"],
        "over_1024_ulp": counts["over_1024_ulp"],
        "zero": counts["zero_instead_of_nonzero"],
        "zeros": max(zeros, key=lambda region: region["count"], default=None),
        "nan": counts["nan"],
        "distance": None if total is None else total["max_abs"]["error"],
        "command": document["command"],
    }


def _why(best: Document, other: Document) -> dict[str, Any]:
    """Say what is wrong with a form that is not the best: what weighs most comes first."""
    if other["nan"] > best["nan"]:
        return {"key": "nan", "values": {"count": other["nan"], "best": best["nan"]}}
    if other["zero"] > _FAR_MORE * best["zero"] and other["zeros"] is not None:
        ends = {name: other["zeros"][name]["decimal"] for name in ("first", "last")}
        return {"key": "zero", "values": {"count": other["zero"], "best": best["zero"], **ends}}
    return {"key": "ulp", "values": {"count": other["over_1024_ulp"], "best": best["over_1024_ulp"]}}
