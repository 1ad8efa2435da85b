"""The steps of a report, in their order."""

from collections.abc import Sequence

from gelu_verify.reports.options import Options
from gelu_verify.reports.pipeline import Step
from gelu_verify.reports.sections.bounds import bounds
from gelu_verify.reports.sections.certificates import certificates
from gelu_verify.reports.sections.claims import claims
from gelu_verify.reports.sections.constants import constants
from gelu_verify.reports.sections.figures import figures
from gelu_verify.reports.sections.special_values import special_values
from gelu_verify.reports.sections.theorems import prove_theorems

STEPS: Sequence[Step] = (
    Step("theorems", prove_theorems, "theorems"),
    Step("certificates", certificates, "certificates"),
    Step("bounds", bounds, "bounds"),
    Step("constants", constants, "families"),
    Step("special_values", special_values),
    Step("claims", claims, "claims"),
    Step("figures", figures, "figures"),
)
PORTABLE = frozenset(step.name for step in STEPS)  # whose results are the same on every machine
SLOW: frozenset[str] = frozenset()  # steps that take more than a minute
REQUIRED = frozenset({"claims", "figures"})


def steps_for(options: Options) -> Sequence[Step]:
    """Return the steps that were asked for."""
    return [step for step in STEPS if step.name not in options.skip and (step.name in PORTABLE or not options.portable)]
