"""Fitting the constants of a family to an implementation's results, with their uncertainty."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import Function
from gelu_verify.identify.constants import constant_value
from gelu_verify.identify.float64 import value_and_slope

Floats = npt.NDArray[np.float64]

_STEPS = 12  # of Gauss-Newton; it converges in four or five
_GATE_ENDS = (0.02, 0.98)  # between which a gate tells its argument


@dataclass(frozen=True, slots=True)
class Fit:
    """Constants with their standard errors (of the fit, not of the implementation's own rounding)."""

    constants: Mapping[str, float]
    errors: Mapping[str, float]


@np.errstate(all="ignore")  # far from every member of a family nothing may be finite, which is looked at below
def fit(
    family: Function, derivative: int, x: Floats, got: Floats, noise: Floats, start: Fit | None = None
) -> Fit | None:
    """Return the least-squares constants of the family, or None when the results do not determine them.

    Arguments:
        noise: the size of error expected at each input; it sets the weights.
        start: constants to start from, if there is an idea.
    """
    usable = np.isfinite(got) & (noise > 0) & np.isfinite(noise)
    x, got, noise = x[usable], got[usable], noise[usable]
    guess = start.constants if start else _start(family, x, got) if derivative == 0 else None
    constants = np.array([*guess.values()] if guess else _defaults(family))
    if x.size <= 4 * constants.size or not np.all(np.isfinite(constants)):
        return None
    names = list(family.constants)
    for _ in range(_STEPS):
        jacobian, residual = _linearised(family, derivative, names, constants, x, got)
        weighted = jacobian / noise[:, None]
        if not (np.all(np.isfinite(weighted)) and np.all(np.isfinite(residual / noise))):
            return None
        change, *_, singular = np.linalg.lstsq(weighted, residual / noise, rcond=None)
        if not np.all(np.isfinite(constants + change)) or singular.min() <= 1e-12 * singular.max():
            return None
        constants = constants + change
        if np.all(abs(change) <= 1e-12 * abs(constants)):
            break
    errors = _standard_errors(weighted, residual / noise)
    return Fit(dict(zip(names, constants.tolist(), strict=True)), dict(zip(names, errors.tolist(), strict=True)))


def with_floats(family: Function, constants: Mapping[str, float]) -> Function:
    """Return the family's member with these constants, taken exactly."""
    return family.with_constants(**{name: Fraction(value) for name, value in constants.items()})


def _defaults(family: Function) -> list[float]:
    return [constant_value(text) for text in family.constants.values()]


def _linearised(
    family: Function, derivative: int, names: list[str], constants: Floats, x: Floats, got: Floats
) -> tuple[Floats, Floats]:
    """Return the derivatives of the values by the constants, and the residuals."""

    def values(at: Floats) -> Floats:
        member = with_floats(family, dict(zip(names, at.tolist(), strict=True)))
        return value_and_slope(member.expression, x)[derivative]

    middle = values(constants)
    columns = []
    for place, constant in enumerate(constants):
        moved = constants.copy()
        moved[place] += 1e-6 * (abs(constant) or 1)
        columns.append((values(moved) - middle) / (moved[place] - constant))
    return np.stack(columns, axis=1), got - middle


def _standard_errors(weighted: Floats, residual: Floats) -> Floats:
    """Return the usual estimate from the residuals' own spread: noise is not assumed to have the size expected."""
    freedom = max(residual.size - weighted.shape[1], 1)
    covariance = np.linalg.pinv(weighted.T @ weighted) * float(residual @ residual) / freedom
    errors: Floats = np.sqrt(np.diag(covariance))
    return errors


def _start(family: Function, x: Floats, got: Floats) -> dict[str, float] | None:
    """Return constants of a gate sigmoid(z) or Phi(z) from its argument z, in which they are linear."""
    if family.name not in ("gelu_tanh2", "gelu_sigmoid", "gelu_scaled"):
        return None
    gate = got / x
    telling = (gate > _GATE_ENDS[0]) & (gate < _GATE_ENDS[1])
    gate, x = gate[telling], x[telling]
    argument = np.log(gate) - np.log1p(-gate)
    if x.size < 8:
        return None
    if family.name == "gelu_tanh2":
        columns = np.stack([2 * x, 2 * x**3], axis=1)
        scale = abs(columns).max(axis=0)
        if not np.all(np.isfinite(columns / scale)):
            return None
        solution = np.linalg.lstsq(columns / scale, argument, rcond=None)[0] / scale
        return {"a": float(solution[0]), "b": float(solution[1])}
    slope = float(argument @ x / (x @ x))
    # A probit differs from a logit by a factor of about sqrt(8/pi); Gauss-Newton does the rest.
    return {"k": slope} if family.name == "gelu_sigmoid" else {"s": slope / 1.596}
