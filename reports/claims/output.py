"""Judged claims as JSON documents."""

from typing import Any

from gelu_verify.cli.output import enclosure_json, float_json
from gelu_verify.enclosures import Enclosure
from gelu_verify.reports.claims.record import Datum, JudgedClaim, Outcome, Part, Sharp
from gelu_verify.reports.languages import Language, get_language

VALUE_DIGITS = 20


def claim_json(judged: JudgedClaim) -> dict[str, Any]:
    """Return a judged claim as a document; its evidence has one entry for each part."""
    claim, language = judged.claim, get_language("en")
    return {
        "id": claim.id,
        "statement": claim.statement,
        "statements": dict(sorted(claim.statements.items())),
        "verdict": str(judged.verdict),
        "value": sharp_json(judged.value),
        "evidence": [
            _evidence(part, outcome, language) for part, outcome in zip(claim.parts, judged.outcomes, strict=True)
        ],
        "source": claim.source,
    }


def sharp_json(value: Sharp) -> dict[str, str] | str | None:
    """Return a sharp number: an enclosure, a float, "infinity", or null."""
    if isinstance(value, Enclosure):
        return enclosure_json(value, VALUE_DIGITS)
    return float_json(value.format, value.bits) if isinstance(value, Datum) else value


def _evidence(part: Part, outcome: Outcome, language: Language) -> dict[str, Any]:
    return {
        "kind": part.kind,
        "supporting": part.supporting,
        "verdict": str(outcome.verdict),
        "value": sharp_json(outcome.value),
        "text": " ".join(map(language.tell, outcome.notes)),
        "notes": [{"key": note.key, "values": dict(note.values)} for note in outcome.notes],
        "command": outcome.command,
        "anchors": list(outcome.anchors),
    }
