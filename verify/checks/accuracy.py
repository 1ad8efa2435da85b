"""From errors to names: the rules by which a diagnosis explains the inputs whose error is over the budget.

Each rule looks at what is left unexplained, and takes away what it can explain. The order matters: what kills a result
(overflow) before what it was (another function), that before how it was computed (thresholds, precision, cancellation).
"""

import numpy as np

from gelu_verify.catalogue import FUNCTIONS
from gelu_verify.checks.case import Case, Claim, Diagnosis, Rule, conditions
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.laws import explain_laws
from gelu_verify.checks.noise import explain_noise
from gelu_verify.checks.pieces import explain_pieces
from gelu_verify.checks.precision import explain_precision
from gelu_verify.checks.properties import explain_range, explain_signs
from gelu_verify.checks.sample import compare
from gelu_verify.checks.symmetry import explain_continuation
from gelu_verify.checks.thresholds import explain_flushes, explain_nonfinite, explain_thresholds
from gelu_verify.checks.truth import Truth
from gelu_verify.formats import get_format
from gelu_verify.identify import Model, explain, identify
from gelu_verify.identify.constants import USUAL
from gelu_verify.identify.identification import related
from gelu_verify.identify.models import claimed_model

_FORM = "an attribute was dropped or a name misled: ask for the form by its formula"
_MOSTLY = 8.0  # times smaller than before is what a model must make an error to explain it


def diagnose(case: Case) -> None:
    """Explain every input whose error is over the budget; the diagnoses are in `case.found`."""
    explain_range(case)
    for rule in _RULES:
        if not case.left.any():
            break
        rule(case)
    explain_laws(case)


def explain_function(case: Case) -> None:
    """Another function, or other constants, explain the results; the rest is judged by what was computed."""
    sample, claim = case.claimed, case.claim
    model = explain(claim.format, claim.function, claim.derivative, sample.x, sample.got)
    if model is None or (
        (model.name, model.derivative) == (claim.function.name, claim.derivative) and not model.constants
    ):
        return
    judged = compare(
        claim.format,
        sample.bits,
        sample.got_bits,
        *Truth(model.function, model.derivative).at(claim.format, sample.bits),
    )
    before = case.left
    case.model, case.judged = model, judged
    case.condition = conditions(model, judged)
    # Fitted constants are close and not exact: what they explain almost entirely is explained.
    with np.errstate(invalid="ignore"):
        remaining = before & case.exceeds(judged) & (_MOSTLY * abs(judged.distance) > abs(sample.distance))
    mask = before & ~remaining
    witness = case.worst(before)
    case.explain(_named(case, model, mask, witness))
    case.left = remaining


def _named(case: Case, model: Model, mask: np.ndarray, witness: int) -> Diagnosis:
    claim = case.claim
    what = f"the derivative of {claim.function.name}" if claim.derivative else claim.function.name
    kind, message, cause = Kind.WRONG_FORM, f"is not {what}: it computes {model}", _FORM
    itself = model.derivative == claim.derivative and related(model, claim.function)
    factor = model.constants.get("factor")
    if itself and factor is not None and claim.derivative:
        kind, message = Kind.WRONG_DERIVATIVE, f"is {what} times {factor}"
        cause = "a factor is too much or missing in the backward pass"
    elif itself and factor == "-1":
        message, cause = f"computes {what} with the opposite sign", "a sign was lost"
    elif itself and model.constants:
        constants = ", ".join(f"{name} = {value}" for name, value in model.constants.items())
        kind, message = Kind.WRONG_CONSTANT, f"computes {what} with {constants}"
        cause = _advice(model, claim)
    elif _relative(model, claim):
        kind, cause = Kind.WRONG_CONSTANT, "the constants are not those of the claim"
    elif claim.derivative:
        kind, cause = Kind.WRONG_DERIVATIVE, "the backward pass of another function is used"
    return Diagnosis(kind, mask, message, cause, case.blurred(mask), witness)


def _relative(model: Model, claim: Claim) -> bool:
    """Tell whether a typed expression is of the same family as the model, with other constants."""
    if claim.function.name in FUNCTIONS:
        return False
    x = np.linspace(-8.0, 8.0, 2001)
    values = claimed_model(claim.function, 0).values(x)
    binary64 = get_format("binary64")
    nearest = identify(binary64, x, values)
    return nearest.settled and nearest.best[0].model.name == model.name


def _advice(model: Model, claim: Claim) -> str:
    """Say of each constant what it should be."""
    if "factor" in model.constants:
        return "a constant factor is wrong, such as a forgotten 1/2"
    usual = USUAL | ({"k": "1"} if claim.function.name == "silu" else {})
    return model.remarks(usual)


_RULES: tuple[Rule, ...] = (
    explain_nonfinite,
    explain_function,
    explain_continuation,
    explain_precision,
    explain_flushes,
    explain_thresholds,
    explain_pieces,
    explain_signs,
    explain_noise,
)
