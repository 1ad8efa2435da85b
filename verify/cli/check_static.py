"""The bound that `check` can prove from the code alone: for the written forms with correctly rounded functions."""

from typing import TYPE_CHECKING, Any

from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import IncompleteError

if TYPE_CHECKING:
    from gelu_verify.checks.case import Claim
    from gelu_verify.sweep import Interval

_PREFIX = "gelu_verify.forms:correct."
_DIGITS = 6


def static_bound_json(target: str, claim: "Claim", on: "Interval | None") -> dict[str, Any] | None:
    """Return the proven bound on a domain, or None where the target is no such form of the claim or has no bound."""
    from gelu_verify.forms import FORMS
    from gelu_verify.static_error import static_bound

    form = FORMS.get(target.removeprefix(_PREFIX)) if target.startswith(_PREFIX) else None
    if form is None or on is None or (form.function, form.derivative) != (claim.function.name, claim.derivative):
        return None
    try:
        bound = static_bound(form, claim.format, on)
    except IncompleteError:
        return None
    return {
        "verdict": "certified",
        "ulp": Enclosure(bound.ulp, bound.ulp).upper_decimal(_DIGITS),
        "at": {"lower": _end(bound.at.lower, -1), "upper": _end(bound.at.upper, 1)},
        "cells": bound.cells,
    }


def _end(value: Any, outward: int) -> str:
    end = Enclosure(value, value)
    return end.lower_decimal(_DIGITS) if outward < 0 else end.upper_decimal(_DIGITS)


def static_bound_line(bound: dict[str, Any] | None) -> list[str]:
    """Return what to print of it."""
    if bound is None:
        return []
    return ["", f"certified from the code: at no number but 0 does the error exceed {bound['ulp']} ulp"]
