"""Values that are the function's own, at the wrong sign: odd, even and negated continuations."""

import numpy as np

from gelu_verify.checks.case import Case, Diagnosis, Mask
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.sample import Sample
from gelu_verify.identify.models import claimed_model

_ENOUGH = 0.98


def explain_continuation(case: Case) -> None:
    """One half right, the other made from it by a symmetry that the function does not have."""
    sample = case.judged
    model = claimed_model(case.claim.function, case.claim.derivative)
    with np.errstate(all="ignore"):
        mirrored = model.values(-sample.x)
    for side in (sample.x < 0, sample.x > 0):
        if not side.any() or np.mean(case.left[side]) < 0.02 or case.left[~side].any():
            continue
        for values, name, law in (
            (-mirrored, "the negated value at -x", _reflection(case)),
            (mirrored, "the value at -x", _reflection(case)),
            (-sample.want, "the right value with the wrong sign", "the sign of the function is known"),
        ):
            if _matches(case, sample, side, values):
                mask = case.left & side
                message = f"returns {name}"
                regions = case.blurred(mask)
                case.explain(Diagnosis(Kind.PROPERTY_VIOLATION, mask, message, law, regions, case.worst(mask)))
                return


def _reflection(case: Case) -> str:
    if case.claim.derivative:
        return "f'(x) + f'(-x) = 1 does not hold: the function is neither odd nor even"
    return "f(x) - f(-x) = x does not hold: the function is neither odd nor even"


def _matches(case: Case, sample: Sample, side: Mask, values: np.ndarray) -> bool:
    with np.errstate(all="ignore"):
        near = abs(sample.got - values) <= 8 * sample.unit * np.maximum(abs(values), abs(sample.want))
    return bool(np.mean(near[side & case.left]) >= _ENOUGH)
