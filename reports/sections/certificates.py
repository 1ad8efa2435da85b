"""The certificates that come with the package, each re-proved by the integer-only checker while the report is made."""

import json
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from gelu_verify.proofs import checker
from gelu_verify.records import Verdict
from gelu_verify.reports.pipeline import Context


def certificates(context: Context) -> list[dict[str, Any]]:
    """Return every certificate with what the checker says about it."""
    folder = files("gelu_verify.proofs") / "certificates"
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".json")), key=lambda each: each.name)
    documents = []
    for entry in found:
        documents.append(_document(entry.name, entry.read_bytes()))
        context.advance(len(documents), len(found))
    return documents


def _document(name: str, content: bytes) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:  # the checker reads files, as a stranger would hand them over
        path = Path(folder) / name
        path.write_bytes(content)
        code, sentence = checker.check(str(path))
    certificate = json.loads(content)
    return {
        "id": name.removesuffix(".json"),
        "verdict": str(Verdict.CERTIFIED if code == 0 else Verdict.REFUTED if code == 1 else Verdict.UNKNOWN),
        "statement": sentence,
        "value": {"lower": certificate["lower"], "upper": certificate["upper"]},
        "left": certificate["left"],
        "right": certificate["right"],
        "derivative": int(certificate["derivative"]),
        "bytes": len(content),
        "command": f"gelu-verify recheck proofs/certificates/{name}",
    }
