"""The certified numbers: errors of the forms, distances of the relatives, extrema and zeros."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gelu_verify.bounds.error import Error, SupremumResult
from gelu_verify.bounds.locate import LocateResult, locate
from gelu_verify.bounds.roots import Line
from gelu_verify.bounds.supremum import supremum
from gelu_verify.catalogue.functions import function_or_expression
from gelu_verify.cli.output import enclosure_json
from gelu_verify.reports.claims.bounds import end_text
from gelu_verify.reports.claims.values import quoted
from gelu_verify.reports.pipeline import Context

DIGITS = 30
FORMS = ("gelu_tanh", "gelu_sigmoid")
RELATIVES = ("relu", "silu", "elu", "mish", "leaky_relu")
_CUTS = (1, 2, 3, 4)  # errors are also given on [-c, inf)


@dataclass(frozen=True, slots=True)
class Question:
    """One supremum that is asked for."""

    function: str
    derivative: int = 0
    relative: bool = False
    low: int | None = None

    @property
    def id(self) -> str:
        """A name that can stand in a link."""
        kind = "relative" if self.relative else f"derivative{self.derivative}" if self.derivative else "absolute"
        return f"{self.function}.{kind}" + (f".from{self.low}" if self.low is not None else "")

    @property
    def command(self) -> str:
        """What to type to compute it again."""
        words = [f"gelu-verify bound {self.function} --digits {DIGITS}"]
        words += [f"--derivative {self.derivative}"] if self.derivative else []
        words += ["--relative"] if self.relative else []
        words += [f"--on {self.low} inf"] if self.low is not None else []
        return " ".join(words)


def bounds(context: Context) -> dict[str, Any]:
    """Compute all tables."""
    questions = [*_errors(), *(Question(name, order) for name in RELATIVES for order in (0, 1))]
    points = list(_points())
    seconds = context.options["timeout"]
    tables: dict[str, Any] = {"errors": [], "distances": [], "points": []}
    for done, question in enumerate(questions, 1):
        table = "distances" if question.function in RELATIVES else "errors"
        tables[table].append(_error_document(question, seconds))
        context.advance(done, len(questions) + len(points))
    for done, (what, function, derivative) in enumerate(points, len(questions) + 1):
        tables["points"].append(_points_document(what, function, derivative, seconds))
        context.advance(done, len(questions) + len(points))
    return tables


def _errors() -> Iterator[Question]:
    for form in FORMS:
        yield from (Question(form, order) for order in (0, 1, 2))
        yield Question(form, relative=True)
        yield from (Question(form, low=-cut) for cut in _CUTS)
        yield from (Question(form, relative=True, low=-cut) for cut in _CUTS)


def _points() -> Iterator[tuple[str, str, int]]:
    """Yield what is located, of which function or expression, and of which derivative."""
    for name in ("gelu", *FORMS, "silu", "mish"):
        yield "minimum", name, 0
    for name in ("gelu", *FORMS, "silu"):
        yield from (("maximum", name, 1), ("minimum", name, 1), ("inflections", name, 0))
    for name in FORMS:
        yield "roots", f"{name}(x) - gelu(x)", 0


def _error_document(question: Question, seconds: float) -> dict[str, Any]:
    expression, gelu = (function_or_expression(name).expression for name in (question.function, "gelu"))
    line = Line(None if question.low is None else Fraction(question.low), None)
    error = Error(expression, gelu, question.derivative, question.relative)
    found = supremum(error, line, DIGITS, seconds)
    return {
        "id": question.id,
        "function": question.function,
        "against": "gelu",
        "derivative": question.derivative,
        "relative": question.relative,
        "domain": [end_text(line.lower, "-inf"), "inf"],
        "verdict": str(found.verdict),
        "supremum": _supremum(found),
        "attained": found.attained,
        "at": [enclosure_json(place, DIGITS) for place in found.at],
        "approached": list(found.approached),
        "reason": found.reason,
        "command": question.command,
    }


def _supremum(found: SupremumResult) -> dict[str, str] | str | None:
    if found.infinite:
        return "infinity"
    return None if found.supremum is None else enclosure_json(found.supremum, DIGITS)


def _points_document(what: str, function: str, derivative: int, seconds: float) -> dict[str, Any]:
    expression = function_or_expression(function).expression
    found: LocateResult = locate(what, expression, Line(None, None), derivative, DIGITS, seconds)
    order = f" --derivative {derivative}" if derivative else ""
    return {
        "id": f"{what}.{function.split('(')[0]}.{derivative}",
        "what": what,
        "function": function,
        "derivative": derivative,
        "verdict": str(found.verdict),
        "points": [
            {"x": enclosure_json(place.x, DIGITS), "value": enclosure_json(place.value, DIGITS)}
            for place in found.points
        ],
        "complete": found.complete,
        "reason": found.reason,
        "command": f"gelu-verify locate {what} {quoted(function)}{order} --digits {DIGITS}",
    }
