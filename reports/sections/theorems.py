"""The theorems: statement, verdict and proof of each."""

from typing import Any

from gelu_verify.proofs.library import prove, theorems
from gelu_verify.proofs.printing import citation, statement_latex, statement_mathml, statement_text
from gelu_verify.proofs.theorem import Theorem, TheoremResult
from gelu_verify.reports.pipeline import Context


def prove_theorems(context: Context) -> list[dict[str, Any]]:
    """Check every theorem of the library and return them in reading order."""
    library = theorems()
    results = prove(progress=context.advance)
    return [_document(library[result.id], result) for result in results]


def _document(theorem: Theorem, result: TheoremResult) -> dict[str, Any]:
    return {
        "id": theorem.id,
        "title": theorem.title,
        "verdict": str(result.verdict),
        "reason": result.reason,
        "statement": [statement_text(formula) for formula in theorem.statement],
        "latex": [statement_latex(formula) for formula in theorem.statement],
        "mathml": [statement_mathml(formula) for formula in theorem.statement],
        "assumptions": list(theorem.assumptions),
        "steps": [
            {
                "claim": statement_text(step.claim),
                "method": step.method.name,
                "reason": step.reason,
                "evidence": seen.evidence,
                "verdict": str(seen.verdict),
            }
            for step, seen in zip(theorem.steps, result.steps, strict=False)
        ],
        "rests_on": list(result.cites),
        "remark": theorem.remark,
        "source": theorem.source,
        "citation": citation(theorem),
        "command": f"gelu-verify prove --show {theorem.id}",
    }
