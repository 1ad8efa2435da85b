"""What every reader knows of the function and a result must not break, however small the error in ulp."""

import numpy as np

from gelu_verify.checks.case import Case, Diagnosis
from gelu_verify.checks.kinds import Kind

_BOUNDS = {
    "erf": (-1.0, 1.0),
    "erfc": (0.0, 2.0),
    "tanh": (-1.0, 1.0),
    "sigmoid": (0.0, 1.0),
    "Phi": (0.0, 1.0),
    "phi": (0.0, 1.0),
    "exp": (0.0, np.inf),
}
"""Closed ranges whose ends are numbers of every format: right values never round beyond them."""

_UNDER_RELU = ("gelu", "gelu_tanh", "gelu_sigmoid", "silu", "mish")


def explain_range(case: Case) -> None:
    """Values outside the range of a bounded function, which a final clamp would have prevented."""
    bounds = _BOUNDS.get(case.claim.function.name)
    if bounds is None or case.claim.derivative:
        return
    low, high = bounds
    sample = case.judged
    mask = (sample.got < low) | (sample.got > high)
    if mask.any():
        message = f"leaves the range [{low:g}, {high:g}] of {case.claim.function.name}"
        regions = case.sharp(mask, lambda some: (some.got < low) | (some.got > high))
        cause = "the approximation overshoots: clamp the result"
        case.explain(Diagnosis(Kind.PROPERTY_VIOLATION, mask, message, cause, regions, case.worst(mask)))


def explain_signs(case: Case) -> None:
    """Results of the wrong sign, or above the positive part of x, beyond anything that rounding explains."""
    if case.claim.derivative:
        return
    sample = case.judged
    far = case.left & ~case.within_noise(sample)
    wrong = far & (np.sign(sample.got) * np.sign(sample.want) < 0)
    if wrong.any():
        _explain(case, wrong, "has the wrong sign", "the function has the sign of x" if _gated(case) else "")
    above = far & case.left & (sample.got > np.maximum(sample.x, 0))
    if _gated(case) and above.any():
        _explain(case, above, "exceeds max(x, 0)", "x times a gate between 0 and 1 cannot exceed max(x, 0)")


def _gated(case: Case) -> bool:
    return case.claim.function.name in _UNDER_RELU


def _explain(case: Case, mask: np.ndarray, message: str, cause: str) -> None:
    regions = case.blurred(mask)
    case.explain(Diagnosis(Kind.PROPERTY_VIOLATION, mask, message, cause, regions, case.worst(mask)))
