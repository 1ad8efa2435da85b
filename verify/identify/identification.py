"""Comparing results with every candidate, and choosing the one that explains them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import Function
from gelu_verify.formats import Format
from gelu_verify.identify.constants import constant_value, name_constant
from gelu_verify.identify.families import ENOUGH, FINE, ROUNDED, fitted_models, resolution
from gelu_verify.identify.models import (
    Agreement,
    Model,
    agreement,
    claimed_model,
    fixed_models,
    scaled,
)
from gelu_verify.identify.rivals import better, hits, rivals

Floats = npt.NDArray[np.float64]

_NEAR, _FAR = 2.0**-6, 8.0  # the magnitudes between which functions of this kind differ
_FEWEST, _MOST = 32, 3000  # inputs to compare on
_CLEARLY = 2.5
_NEAR_SILU = 0.5  # from 1 is how far the factor in x sigmoid(k x) may be for the form to be taken for SiLU's


@dataclass(frozen=True, slots=True)
class Identification:
    """What explains the results.

    Attributes:
        best: the candidates, nearest first.
        settled: whether the first one explains the results.
        tied: the functions of the catalogue, the first one among them, between which the results do not decide.
    """

    best: tuple[Agreement, ...]
    settled: bool
    tied: tuple[Agreement, ...] = ()

    @property
    def name(self) -> str:
        """What it is, as people say it: `gelu_tanh with c = 0.044175`, or `gelu or gelu_tanh` where both explain it."""
        return " or ".join(str(agreement.model) for agreement in self.tied or self.best[:1])


def identify(format: Format, x: Floats, got: Floats, derivative: int = 0) -> Identification:
    """Rank every function of the catalogue, and every family with fitted constants, by how well it explains results.

    Arguments:
        x, got: inputs and results as binary64 numbers.
        derivative: 1 when the implementation is meant as a derivative.
    """
    x, got = _telling(x, got)
    unit, least = resolution(format)
    fixed = fixed_models(derivative)
    models = fixed + [model for model, differs in fitted_models(format, x, got, derivative) if differs]
    models += [multiple for model in fixed if (multiple := _with_factor(model, x, got, unit)) is not None]
    found = [agreement(model, x, got, unit, least) for model in models]
    found.sort(key=lambda a: (-(a.careful >= ENOUGH), -(a.careless >= ENOUGH), len(a.model.constants), a.max_abs))
    settled = found[0].careless >= ENOUGH
    if not settled:
        found = [each for each in found if "factor" not in each.model.constants]  # fitted to no avail
        found.sort(key=lambda a: a.max_abs)
        return Identification(tuple(found), settled)
    exact = _exact(format, found[0], found[1:], x, got)
    if exact is not None:
        return Identification((exact, *(each for each in found if each is not exact)), settled, (exact,))
    tied = rivals(format, [each for each in found if _as_good_as(found[0], each)], x, got)
    return Identification((*tied, *(each for each in found if each not in tied)), settled, tied)


def _as_good_as(first: Agreement, other: Agreement) -> bool:
    """Tell whether another explanation is of the same kind as the first, and good enough; fitted constants are none."""
    if other is first:
        return True
    plain = not first.model.constants and not other.model.constants and first.model.derivative == other.model.derivative
    return plain and other.careless >= ENOUGH and (other.careful >= ENOUGH) == (first.careful >= ENOUGH)


def explain(format: Format, claim: Function, derivative: int, x: Floats, got: Floats) -> Model | None:
    """Return what the implementation computes, seen from its claim, or None when nothing explains the results.

    The claim has the benefit of every doubt: another model is returned only when it explains the results much better.
    """
    x, got = _telling(x, got)
    own = claimed_model(claim, derivative)
    if x.size < _FEWEST:
        return own
    unit, least = resolution(format)

    def judged(models: Iterable[Model]) -> list[Agreement]:
        return [agreement(model, x, got, unit, least) for model in models]

    (claimed,) = judged([own])
    fits = [model for model, differs in fitted_models(format, x, got, derivative) if differs]
    others = [model for model in fixed_models(derivative) if (model.name, model.derivative) != (claim.name, derivative)]
    multiple = _with_factor(own, x, got, unit)
    fixed, fitted = judged([*others, *([multiple] if multiple is not None else [])]), judged(fits)
    exact = _exact(format, claimed, fixed + fitted, x, got)
    if exact is not None:
        return exact.model
    relatives = [found for found in fitted if related(found.model, claim) and _clearly_better(found, claimed)]
    for candidates in (_careful(relatives), [] if claimed.careful < ENOUGH else [claimed], _careful(fixed + fitted)):
        if candidates:
            return max(candidates, key=lambda a: (a.careful, -len(a.model.constants))).model
    # What is left can only be told apart where rounding errors as large as those of x are still small.
    if format.precision >= FINE:
        relatives = [found for found in relatives if found.careless >= ENOUGH]
        if relatives:
            return relatives[0].model
        fixed = sorted((found for found in fixed if found.careless >= ENOUGH), key=lambda a: -a.careful)
        return claimed.model if claimed.careless >= ENOUGH else fixed[0].model if fixed else None
    near = [claimed] if claimed.careless >= ENOUGH else [found for found in relatives if found.careless >= ENOUGH]
    return max(near, key=lambda a: a.careful).model if near else None


def related(model: Model, claim: Function) -> bool:
    """Tell whether a model is the function claimed but for its constants."""
    if model.name == claim.name:
        return True
    k = model.constants.get("k", "1.702")
    return (model.name, claim.name) == ("gelu_sigmoid", "silu") and abs(constant_value(k) - 1) < _NEAR_SILU


def _exact(format: Format, claimed: Agreement, others: list[Agreement], x: Floats, got: Floats) -> Agreement | None:
    """Return the model whose correctly rounded values the results are, in a format so coarse that this tells more than
    the size of errors does: wherever the claim rounds otherwise, the results are nearly always the model's.
    """
    if format.precision >= FINE:
        return None
    own = hits(format, claimed.model, x, got)
    found = []
    for other in others:
        right = hits(format, other.model, x, got)
        apart, share = right != own, float(np.mean(right))
        if share >= ROUNDED and better(right, own) and np.mean(right[apart]) >= ENOUGH:
            found.append((share, -len(other.model.constants), other))
    return max(found, key=lambda each: each[:2])[2] if found else None


def _careful(found: list[Agreement]) -> list[Agreement]:
    return [agreement for agreement in found if agreement.careful >= ENOUGH]


def _clearly_better(found: Agreement, claimed: Agreement) -> bool:
    """Tell whether other constants leave far smaller residuals than the claimed ones, on the side without cancellation
    or altogether. A bias of an ulp moves fitted constants too; it does not make the residuals several times smaller.
    """
    return found.spread * _CLEARLY < claimed.spread or found.strain * _CLEARLY < claimed.strain


def _telling(x: Floats, got: Floats) -> tuple[Floats, Floats]:
    """Keep the inputs at which the candidates differ and a result is there to compare."""
    keep = np.flatnonzero((abs(x) >= _NEAR) & (abs(x) <= _FAR) & np.isfinite(got))
    keep = keep[:: max(keep.size // _MOST, 1)]
    return x[keep], got[keep]


def _with_factor(model: Model, x: Floats, got: Floats, unit: float) -> Model | None:
    """Return the multiple of a model that is nearest to results, or None if that is the model itself or nothing."""
    with np.errstate(all="ignore"):
        value = model.values(x)
        weight = np.where(np.isfinite(value) & (value != 0), 1 / abs(value), 0.0)
        factor = np.median((got / value)[weight > 0]) if np.any(weight) else 1.0
    written = name_constant(float(factor), unit * abs(factor), "1")
    if written in ("0", "1") or not np.isfinite(factor):
        return None
    return Model(model.name, scaled(model.function, written), {"factor": written}, model.derivative)
