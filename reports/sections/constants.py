"""The best constants of each family, what is gained by them, and the best that a format or a short decimal can hold."""

from fractions import Fraction
from typing import Any

from gelu_verify.bounds.minimax import FitResult, fit
from gelu_verify.bounds.representable import GRIDS, Grid, Representable, best_on_grid
from gelu_verify.bounds.roots import Unresolved
from gelu_verify.catalogue import get_function, text
from gelu_verify.catalogue.expression import Number
from gelu_verify.cli.output import enclosure_json, float_json
from gelu_verify.deadlines import OutOfTime
from gelu_verify.formats import FORMATS
from gelu_verify.processes import spread
from gelu_verify.records import Verdict
from gelu_verify.reports.pipeline import Context

FAMILIES = ("gelu_sigmoid", "gelu_tanh", "gelu_tanh2")
TARGETS = ("gelu", "Phi")
DIGITS = 25


def constants(context: Context) -> list[dict[str, Any]]:
    """Return the best constants of each family for GELU and for Phi."""
    seconds = context.options["timeout"]
    questions = [(family, target, seconds) for target in TARGETS for family in FAMILIES]
    return spread(_document, questions, context.advance)


def _document(question: tuple[str, str, float]) -> dict[str, Any]:
    family, target, seconds = question
    command = f"gelu-verify fit {family}" + ("" if target == "gelu" else f" --against {target}")
    document: dict[str, Any] = {
        "id": f"{family}.{target}",
        "family": family,
        "target": target,
        "command": command,
        "usual": dict(get_function(family).constants),
    }
    try:
        best = fit(family, target, DIGITS, seconds)
        rounded = [best_on_grid(best, Grid(name), DIGITS) for name in GRIDS] if target == "gelu" else []
    except (Unresolved, OutOfTime) as problem:
        return {**document, "verdict": str(Verdict.UNKNOWN), "reason": str(problem)}
    return {**document, "verdict": str(best.verdict), "reason": "", **_best(best, rounded)}


def _best(best: FitResult, rounded: list[Representable]) -> dict[str, Any]:
    return {
        "constants": {name: enclosure_json(value, DIGITS) for name, value in best.constants.items()},
        "supremum": enclosure_json(best.supremum, DIGITS),
        "usual_supremum": enclosure_json(best.default_supremum, DIGITS),
        "gain": enclosure_json(best.gain, DIGITS),
        "alternation": [enclosure_json(place, DIGITS) for place in best.alternation],
        "representable": [
            {
                "grid": choice.grid,
                "constants": {name: _held(choice.grid, value) for name, value in choice.constants.items()},
                "supremum": enclosure_json(choice.supremum, DIGITS),
            }
            for choice in rounded
        ],
    }


def _held(grid: str, value: Fraction) -> dict[str, str] | str:
    """Return a constant as the grid holds it: a float, or a decimal."""
    if grid in FORMATS:
        return float_json(FORMATS[grid], FORMATS[grid].round(value))
    return text(Number(value))
