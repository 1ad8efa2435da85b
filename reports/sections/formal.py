"""The formal proof: what it says is part of every report, whether Coq has just agreed is a fact of the machine."""

from typing import Any

from gelu_verify.proofs.formal import run_formal
from gelu_verify.proofs.formal_numbers import certified_numbers
from gelu_verify.proofs.formal_statements import formal_theorems
from gelu_verify.reports.pipeline import Context

COMMAND = "gelu-verify prove --formal"


def formal_claims(context: Context) -> list[dict[str, Any]]:
    """Return what the Coq development proves, with the numbers of the certificates in it."""
    return [
        {"id": theorem.identifier, "sentence": theorem.sentence, "coq": theorem.statement, "command": COMMAND}
        for theorem in formal_theorems(certified_numbers())
    ]


def formal_run(context: Context) -> dict[str, Any]:
    """Compile the development here and audit it."""
    found = run_formal(progress=context.advance)
    return {
        "ran": found.ran,
        "coq": found.coq,
        "axioms": list(found.axioms),
        "verdicts": {each.theorem.identifier: str(each.verdict) for each in found.verdicts},
        "reasons": sorted({each.reason for each in found.verdicts if each.reason}),
    }
