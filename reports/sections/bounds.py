"""The certified numbers: errors of the forms, distances of the relatives, extrema and zeros, rounding thresholds."""

from typing import Any

from gelu_verify.bounds.catalogue_table import ErrorQuestion, PlaceQuestion, Question, ThresholdQuestion, questions
from gelu_verify.bounds.error import SupremumResult
from gelu_verify.bounds.locate import LocateResult
from gelu_verify.bounds.thresholds import RoundingSet
from gelu_verify.cli.output import enclosure_json, float_json
from gelu_verify.enclosures import Enclosure
from gelu_verify.formats import FORMATS
from gelu_verify.processes import spread
from gelu_verify.records import Verdict
from gelu_verify.reports.pipeline import Context

DIGITS = 30
_TABLES = {ErrorQuestion: "errors", PlaceQuestion: "points", ThresholdQuestion: "thresholds"}


def bounds(context: Context) -> dict[str, Any]:
    """Answer every question of the catalogue's table."""
    asked = questions()
    seconds = context.options["timeout"]
    documents = spread(_answer, [(question, seconds) for question in asked], context.advance)
    tables: dict[str, Any] = {name: [] for name in _TABLES.values()}
    for question, document in zip(asked, documents, strict=True):
        tables[_TABLES[type(question)]].append(document)
    return tables


def _answer(work: tuple[Question, float]) -> dict[str, Any]:
    question, seconds = work
    found = question.answer(DIGITS, seconds)
    match question, found:
        case ErrorQuestion(), SupremumResult():
            return _error(question, found)
        case PlaceQuestion(), LocateResult():
            return _points(question, found)
        case ThresholdQuestion(), RoundingSet():
            return _threshold(question, found)
    raise TypeError(f"no document for {type(question).__name__}")


def _error(question: ErrorQuestion, found: SupremumResult) -> dict[str, Any]:
    words = [f"gelu-verify bound {question.function}"]
    words += [f"--against {question.against}"] if question.against != "gelu" else []
    words += [f"--derivative {question.derivative}"] if question.derivative else []
    words += ["--relative"] if question.relative else []
    words += [f"--on {question.lower} inf"] if question.lower is not None else []
    return {
        "id": question.id,
        "function": question.function,
        "against": question.against,
        "derivative": question.derivative,
        "relative": question.relative,
        "domain": ["-inf" if question.lower is None else str(question.lower), "inf"],
        "verdict": str(found.verdict),
        "supremum": _supremum(found),
        "attained": found.attained,
        "at": [enclosure_json(place, DIGITS) for place in found.at],
        "approached": list(found.approached),
        "reason": found.reason,
        "command": " ".join(words),
    }


def _supremum(found: SupremumResult) -> dict[str, str] | str | None:
    if found.infinite:
        return "infinity"
    return None if found.supremum is None else enclosure_json(found.supremum, DIGITS)


def _points(question: PlaceQuestion, found: LocateResult) -> dict[str, Any]:
    order = f" --derivative {question.derivative}" if question.derivative else ""
    minus = question.minus
    written = question.function if minus is None else f"'{question.function}(x) - {minus}(x)'"
    return {
        "id": question.id,
        "what": question.what,
        "function": question.function if minus is None else f"{question.function} - {minus}",
        "derivative": question.derivative,
        "verdict": str(found.verdict),
        "points": [
            {"x": enclosure_json(place.x, DIGITS), "value": enclosure_json(place.value, DIGITS)}
            for place in found.points
        ],
        "intervals": [[_end(part.lower), _end(part.upper)] for part in found.on],
        "complete": found.complete,
        "reason": found.reason,
        "command": f"gelu-verify locate {question.what} {written}{order}",
    }


def _end(end: Enclosure | None) -> str:
    if end is None:
        return str(None)
    return str(end.lower) if end.exact else end.decimal(DIGITS)


def _threshold(question: ThresholdQuestion, found: RoundingSet) -> dict[str, Any]:
    format = FORMATS[found.format]
    return {
        "id": question.id,
        "format": found.format,
        "outcome": found.outcome,
        "verdict": str(Verdict.CERTIFIED),
        "count": found.count,
        "runs": [
            {"first": float_json(format, run.first), "last": float_json(format, run.last), "step": run.step}
            for run in found.runs
        ],
        "command": f"gelu-verify table gelu --format {found.format} --thresholds",
    }
