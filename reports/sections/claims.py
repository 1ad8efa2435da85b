"""The judged claims of the built-in ledger, and of what else is said about GELU."""

from typing import Any

from gelu_verify.records import Verdict
from gelu_verify.reports.claims import Limits, judge_all
from gelu_verify.reports.claims.output import claim_json
from gelu_verify.reports.ledger import folklore, ledger, sources
from gelu_verify.reports.pipeline import Context


def claims(context: Context) -> dict[str, Any]:
    """Judge both lists."""
    asked, said = ledger(), folklore()
    proved = {each["id"]: Verdict(each["verdict"]) for each in context.results.get("theorems", ())}
    limits = Limits(context.options["timeout"], proved)
    judged = judge_all([*asked, *said], limits, context.advance)
    documents = [claim_json(each) for each in judged]
    return {"ledger": documents[: len(asked)], "folklore": documents[len(asked) :], "source": sources()}
