"""The steps of a report, in their order."""

from collections.abc import Sequence

from gelu_verify.reports.options import Options
from gelu_verify.reports.pipeline import Step
from gelu_verify.reports.sections.bounds import bounds
from gelu_verify.reports.sections.certificates import certificates
from gelu_verify.reports.sections.claims import claims
from gelu_verify.reports.sections.constants import constants
from gelu_verify.reports.sections.figures import figures
from gelu_verify.reports.sections.formal import formal_claims, formal_run
from gelu_verify.reports.sections.host import host, host_key
from gelu_verify.reports.sections.implementations import implementations
from gelu_verify.reports.sections.special_values import special_values
from gelu_verify.reports.sections.sweeps import numpy_sweeps
from gelu_verify.reports.sections.theorems import prove_theorems
from gelu_verify.reports.sections.written_forms import written_forms

STEPS: Sequence[Step] = (
    Step("theorems", prove_theorems, "theorems"),
    Step("certificates", certificates, "certificates"),
    Step("formal", formal_claims),
    Step("bounds", bounds, "bounds"),
    Step("constants", constants, "families"),
    Step("special_values", special_values),
    Step("claims", claims, "claims"),
    Step("written_forms", written_forms, "forms"),
    Step("figures", figures, "figures"),
    Step("numpy_sweeps", numpy_sweeps, "inputs", host_key),
    Step("implementations", implementations, "implementations", host_key),
    Step("formal_run", formal_run, "files", host_key),
    Step("host", host, host=host_key),
)
ON_MACHINE = frozenset({"numpy_sweeps", "implementations", "formal_run", "host"})
PORTABLE = frozenset(step.name for step in STEPS) - ON_MACHINE  # whose results are the same on every machine
REQUIRED = frozenset({"claims", "figures"})


def steps_for(options: Options) -> Sequence[Step]:
    """Return the steps that were asked for."""
    left_out = set(options.skip) | (ON_MACHINE if options.portable else set())
    if not options.formal:
        left_out.add("formal_run")
    return [step for step in STEPS if step.name not in left_out]
