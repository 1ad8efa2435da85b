"""Faults without edges: cancellation, arguments rounded before they matter, and approximations that are not close."""

import numpy as np
import numpy.typing as npt

from gelu_verify.checks.case import Case, Diagnosis, Mask
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.probes import windows
from gelu_verify.checks.regions import runs
from gelu_verify.checks.sample import Sample
from gelu_verify.checks.smoothness import errs_along_a_curve, smoothed
from gelu_verify.checks.thresholds import innermost, lost

Floats = npt.NDArray[np.float64]

_FINE = 20  # bits of precision from which on a mean error can be told from rounding
_SYSTEMATIC = 0.4  # mean error in units of the format, relative to x, that rounding does not leave
_NEAR = 64.0  # error in units of a fine format that no wrong factor or term keeps to, whatever x
_DISTINCT = 64
_CLOSENESS = (Kind.COARSE_APPROXIMATION, Kind.LOW_PRECISION, Kind.WRONG_DERIVATIVE)
_SEVERAL = 8

_CURES = {
    "gelu": "1 + erf(x/sqrt 2) cancels for negative x: compute x*erfc(-x/sqrt(2))/2",
    "Phi": "1 + erf(x/sqrt 2) cancels for negative x: compute erfc(-x/sqrt(2))/2",
    "gelu_tanh": "1 + tanh(u) cancels for negative x: compute x*sigmoid(2u) = x/(1 + e^(-2u))",
    "gelu_sigmoid": "1 + tanh or 1 - sigmoid cancels for negative x: compute x*e^(kx)/(1 + e^(kx)) there",
    "silu": "1 + tanh or 1 - sigmoid cancels for negative x: compute x*e^x/(1 + e^x) there",
    "mish": "log(1 + e^x) forgets e^x for negative x: use log1p(e^x)",
    "elu": "e^x - 1 cancels near zero: use expm1(x)",
}

_BY_SUMS = ("gelu", "Phi", "gelu_tanh", "gelu_sigmoid", "silu")  # gates that people write as a sum of 1 and another
_SMALL = 2.0**-12  # a gate that x^2 ulp, which the rounding of x/sqrt 2 costs, move by some 2^-8 units of the format
_FAR_BELOW = 2.0**-6  # of such a unit
_WIDE = 53  # bits of precision of binary64
_LOST_DIGITS = 2.0**-6  # relative error that no argument's rounding in a fine format costs
_UNITS_OF_BINARY64 = 2.0**-50  # a few


def explain_noise(case: Case) -> None:
    """Name what is left: an approximation that is not close, a cancellation, or an argument's rounding amplified."""
    _absorb_fringes(case)
    far = case.left & ~case.within_noise(case.judged)
    if far.any():
        _explain_distance(case, _joined(case.left, far))
    if not case.left.any() or (case.found and not _loses_results(case)):
        return
    fine = case.claim.format.precision >= _FINE
    careful = np.all(case.judged.error[case.left] <= case.limit[case.left])
    if careful and case.found:
        return
    if errs_along_a_curve(case) or (fine and not careful and _systematic(case)):
        _explain_distance(case, case.left)
    elif careful:
        _explain_condition(case, case.left)
    elif _keeps_small_gates(case):
        _explain_condition(case, case.left & ~lost(case.judged))
    else:
        _explain_cancellation(case, case.left)


def _keeps_small_gates(case: Case) -> bool:
    """Tell whether small gates are nearer to the right ones than a sum of numbers near 1 and -1 can be: that is off by
    about the unit of the format, however small it is, while an argument's rounding costs the part x^2 of the result.
    """
    sample, claim = case.judged, case.claim
    name = case.model.name if case.model is not None else claim.function.name
    if claim.derivative or claim.format.precision < _FINE or name not in _BY_SUMS:
        return False
    gate = 1.0 if name == "Phi" else abs(sample.x)
    small = case.left & ~lost(sample) & (sample.want != 0) & (abs(sample.want) <= _SMALL * gate)
    if not small.any():
        return False
    off = abs(sample.distance / gate)[small]
    if claim.format.precision < _WIDE and _cancels_in_binary64(off, abs(sample.want / gate)[small]):
        return False
    return bool(off.max() <= _FAR_BELOW * 2.0**-claim.format.precision)


def _cancels_in_binary64(off: Floats, gates: Floats) -> bool:
    """Tell whether a sum of numbers near 1 and -1 was formed in binary64 and its result rounded to the format, as code
    in Python does: gates lose their digits where they come down to the unit of binary64, and are off by no more.
    """
    bad = off > _LOST_DIGITS * gates
    return bool(bad.any() and off[bad].max() <= _UNITS_OF_BINARY64)


def _loses_results(case: Case) -> bool:
    """Tell whether cancellation stands out beside other faults: many results are zero. In a coarse format that is no
    sign of it when the function is not met closely anyway.
    """
    fine = case.claim.format.precision >= _FINE
    if not fine and any(diagnosis.kind in (*_CLOSENESS, Kind.PROPERTY_VIOLATION) for diagnosis in case.found):
        return False
    return bool(np.sum(case.left & lost(case.judged)) >= _SEVERAL)


def _absorb_fringes(case: Case) -> None:
    """Take from what is left the inputs beside those that a lack of closeness explains already: they are its fringe."""
    for diagnosis in case.found:
        if diagnosis.kind in _CLOSENESS:
            case.left = case.left & ~_joined(case.over, diagnosis.mask)


def _joined(left: Mask, core: Mask) -> Mask:
    """Return the runs of `left` that hold an input of `core`."""
    result = np.zeros_like(left)
    for start, stop in runs(left, gap=2):
        if core[start:stop].any():
            result[start:stop] = left[start:stop]
    return result


def _systematic(case: Case) -> bool:
    """Tell whether the error has a mean where rounding errors would average out, on runs of close inputs."""
    for part in _measured_windows(case):
        scale = np.maximum(abs(part.x), 1.0) if case.claim.derivative else abs(part.x)
        relative = part.distance / (part.unit * scale)
        if not np.isfinite(relative).all() or np.mean(case.exceeds(part)) < 0.25:
            continue
        if np.unique(part.got / part.x).size < _DISTINCT:
            continue  # of a few quantised values the mean says nothing
        noise = (relative - smoothed(part, relative)).std()
        if abs(relative.mean()) > max(_SYSTEMATIC, noise / 0.35):
            return True
    return False


def _measured_windows(case: Case) -> list[Sample]:
    """Return the implementation's results on the windows that lie in the sampled domain."""
    rows = windows(case.claim.format)
    first, last = case.judged.x[0], case.judged.x[-1]
    sample = case.measure(rows.ravel())
    size = rows.shape[1]
    parts = [sample.take(np.arange(row * size, (row + 1) * size)) for row in range(rows.shape[0])]
    return [part for part in parts if part.x[0] >= first and part.x[-1] <= last]


def _explain_distance(case: Case, mask: Mask) -> None:
    """The values are those of something near, not of the function."""
    largest = np.max(abs(case.judged.distance[mask]))
    fine = case.claim.format.precision >= _FINE
    if case.claim.derivative and fine and largest <= _NEAR * case.judged.unit:
        kind = Kind.COARSE_APPROXIMATION
        message = f"is the derivative of {case.claim.function.name} only up to {largest:.4g}"
        cause = (
            "a function that it calls, such as erf, is too coarse for the format: call one of the format's precision"
        )
    elif case.claim.derivative:
        kind = Kind.WRONG_DERIVATIVE
        message = f"is no derivative of {case.claim.function.name}: off by up to {largest:.4g}"
        cause = "a factor or a term is missing in the backward pass: compare it with the derivative written out"
    else:
        kind = Kind.COARSE_APPROXIMATION
        message = f"is an approximation of {case.claim.function.name} that is off by up to {largest:.4g}"
        cause = "a polynomial, table or threshold is too coarse for the format: compute the function itself"
    case.explain(Diagnosis(kind, mask, message, cause, case.blurred(mask), case.worst(mask)))


def _explain_condition(case: Case, mask: Mask) -> None:
    worst = int(np.argmax(np.where(mask, case.judged.error, 0)))
    message = f"errs by up to {case.judged.error[worst]:.4g} ulp where {case.claim.max_ulp:g} are allowed"
    cause = (
        "an argument is rounded before a function that amplifies its error: carry the argument in two numbers or in a "
        "higher precision, or allow more ulp"
    )
    regions = case.blurred(mask)
    case.explain(Diagnosis(Kind.ACCURACY, mask, message, cause, regions, int(case.judged.bits[worst])))


def _explain_cancellation(case: Case, mask: Mask) -> None:
    sample = case.judged
    zero = mask & lost(sample) & (abs(sample.want) >= 2.0**case.claim.format.emin)
    sign = mask & (np.sign(sample.got) * np.sign(sample.want) < 0)
    seen = mask & (sample.want != 0)
    relative = abs(sample.distance[seen]) / abs(sample.want[seen])
    message = f"loses its digits: the relative error grows to {min(float(relative.max()), 1e300):.2g}"
    message += ", even the sign is wrong at some inputs" if sign.any() else ""
    regions, witness = case.blurred(mask), int(sample.bits[int(np.argmax(np.where(mask, sample.error, 0)))])
    if zero.any():
        edges = case.sharp(mask & lost(sample), lost)
        witness, at = innermost(case, edges)
        message += f", and the result is zero from x = {at:.9g} on"
    name = case.model.name if case.model is not None else case.claim.function.name
    cause = _CURES.get(name, "two nearly equal numbers are subtracted")
    if case.claim.derivative:
        cause = "the terms of the derivative cancel: compute the gate by erfc or sigmoid, in a higher precision"
    case.explain(Diagnosis(Kind.CANCELLATION, mask, message, cause, regions, witness))
