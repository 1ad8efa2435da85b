"""Implementations found on this machine: what each computes, and how well on every bfloat16 number."""

from typing import Any

from gelu_verify.catalogue import get_function
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import get_format
from gelu_verify.processes import spread
from gelu_verify.records import Verdict
from gelu_verify.reports.claims import Limits, judge
from gelu_verify.reports.claims.implementation import LibraryClaim, identified
from gelu_verify.reports.claims.output import claim_json
from gelu_verify.reports.ledger import ledger
from gelu_verify.reports.libraries import LIBRARY_FUNCTIONS, get_library_function
from gelu_verify.reports.pipeline import Context
from gelu_verify.reports.sections.sweeps import size_text, statistics_document
from gelu_verify.sweep import sweep
from gelu_verify.targets import parse_target
from gelu_verify.targets.direct import DirectTarget

SWEPT = "bfloat16"


def implementations(context: Context) -> dict[str, Any]:
    """Probe and sweep what is installed, and judge the ledger's claims about libraries again, here."""
    found = [each for each in LIBRARY_FUNCTIONS.values() if each.installed]
    seconds = context.options["timeout"]
    audits = spread(_audit, [(each.name, seconds) for each in found], context.advance)
    limits = Limits(seconds, probing=True)
    about = [claim for claim in ledger() if any(isinstance(part.question, LibraryClaim) for part in claim.parts)]
    return {"audits": audits, "claims": [claim_json(judge(claim, limits)) for claim in about]}


def _audit(work: tuple[str, float]) -> dict[str, Any]:
    name, seconds = work
    implementation = get_library_function(name)
    document: dict[str, Any] = {
        "name": implementation.name,
        "target": implementation.target,
        "keywords": list(implementation.keywords),
        "documented": implementation.documented,
        "command": f"{implementation.command('check')} --as {implementation.documented} --format {SWEPT}",
    }
    try:
        computed = identified(implementation, seconds)
        specification = parse_target(implementation.target, implementation.keywords)
        function, format = get_function(implementation.documented), get_format(SWEPT)
        swept = sweep(DirectTarget(specification, format), function, format, name=implementation.name, workers=1)
    except (InputError, IncompleteError) as problem:
        return {**document, "verdict": str(Verdict.UNKNOWN), "reason": str(problem)}
    as_documented = computed == implementation.documented
    return {
        **document,
        "identified": computed,
        "verdict": str(Verdict.SAMPLED if as_documented else Verdict.UNKNOWN if computed is None else Verdict.REFUTED),
        "reason": "",
        "max_ulp": None if swept.errors.max_ulp is None else size_text(swept.errors.max_ulp.size),
        "errors": statistics_document(swept.errors, format),
    }
