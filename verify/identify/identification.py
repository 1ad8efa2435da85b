"""Comparing results with every candidate, and choosing the one that explains them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import FUNCTIONS, Function
from gelu_verify.formats import Format
from gelu_verify.identify.constants import constant_value, name_constant
from gelu_verify.identify.fitting import Fit, fit, with_floats
from gelu_verify.identify.models import (
    FAMILIES,
    Agreement,
    Model,
    agreement,
    claimed_model,
    fixed_models,
    scaled,
)
from gelu_verify.identify.rivals import rivals

Floats = npt.NDArray[np.float64]

ENOUGH = 0.98  # share of inputs that a model has to explain
_NEAR, _FAR = 2.0**-6, 8.0  # the magnitudes between which functions of this kind differ
_FEWEST, _MOST = 32, 3000  # inputs to compare on
_FINE = 20  # bits of precision from which on careless implementations can still be told apart
_CLEARLY = 2.5
_FACTORS = ("2", "-1", "0.5", "-2", "4")


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
    unit, least = _resolution(format)
    models = fixed_models(derivative) + [model for model, differs in _fitted(x, got, unit, derivative) if differs]
    found = [agreement(model, x, got, unit, least) for model in models]
    found.sort(key=lambda a: (-(a.careful >= ENOUGH), -(a.careless >= ENOUGH), len(a.model.constants), a.max_abs))
    settled = found[0].careless >= ENOUGH
    if not settled:
        found.sort(key=lambda a: a.max_abs)
        return Identification(tuple(found), settled)
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
    unit, least = _resolution(format)

    def judged(models: Iterable[Model]) -> list[Agreement]:
        return [agreement(model, x, got, unit, least) for model in models]

    (claimed,) = judged([own])
    fits = [model for model, differs in _fitted(x, got, unit, derivative) if differs]
    others = [model for model in fixed_models(derivative) if (model.name, model.derivative) != (claim.name, derivative)]
    fixed, fitted = judged([*others, *_with_factors(claim, derivative)]), judged(fits)
    relatives = [found for found in fitted if found.model.name == claim.name and _clearly_better(found, claimed)]
    for candidates in (_careful(relatives), [] if claimed.careful < ENOUGH else [claimed], _careful(fixed + fitted)):
        if candidates:
            return max(candidates, key=lambda a: (a.careful, -len(a.model.constants))).model
    # What is left can only be told apart where rounding errors as large as those of x are still small.
    if format.precision >= _FINE:
        relatives = [found for found in relatives if found.careless >= ENOUGH]
        if relatives:
            return relatives[0].model
        fixed = sorted((found for found in fixed if found.careless >= ENOUGH), key=lambda a: -a.careful)
        return claimed.model if claimed.careless >= ENOUGH else fixed[0].model if fixed else None
    return claimed.model if claimed.careless >= ENOUGH else None


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


def _resolution(format: Format) -> tuple[float, float]:
    return 2.0 ** (1 - format.precision), 2.0 ** (format.emin - format.fraction_bits)


def _with_factors(claim: Function, derivative: int) -> Iterator[Model]:
    for factor in _FACTORS:
        yield Model(claim.name, scaled(claim, factor), {"factor": factor}, derivative)


def _fitted(x: Floats, got: Floats, unit: float, derivative: int) -> Iterator[tuple[Model, bool]]:
    """Yield for each family its best member, and whether its constants differ from the catalogue's."""
    noise = unit * (abs(x) if derivative == 0 else np.maximum(abs(x), 1.0))
    for name, family in FAMILIES.items():
        found = fit(family, derivative, x, got, noise)
        if found is not None:
            yield _named(name, family, _refitted(family, found, derivative, x, got, unit), unit, derivative)


def _refitted(family: Function, first: Fit, derivative: int, x: Floats, got: Floats, unit: float) -> Fit:
    """Fit again with the weights of a careful implementation, if the first fit shows that it is one: then the small
    results tell more of the constants than the large ones.
    """
    model = Model(family.name, with_floats(family, first.constants), {}, derivative)
    if agreement(model, x, got, unit, 0.0).careful < ENOUGH:
        return first
    with np.errstate(all="ignore"):
        value, slope = model.values_and_slopes(x)
        noise = unit * (abs(value) + abs(x * slope))
    return fit(family, derivative, x, got, noise, start=first) or first


def _named(name: str, family: Function, found: Fit, unit: float, derivative: int) -> tuple[Model, bool]:
    """Return the family's member with its constants in the words they were most likely typed in."""
    usual = {key: abs(constant_value(text)) for key, text in family.constants.items()}
    tolerances = {
        key: 4 * found.errors[key] + unit * max(abs(value), usual[key]) for key, value in found.constants.items()
    }
    if name == "gelu_tanh":
        return _named_tanh(found, tolerances, derivative)
    if name == "gelu_sigmoid":
        return _named_sigmoid(found.constants["k"], tolerances["k"], derivative)
    function = FUNCTIONS.get(name, family)
    constants = {
        key: name_constant(value, tolerances[key], family.constants[key]) for key, value in found.constants.items()
    }
    differs = {key: text for key, text in constants.items() if text != family.constants[key]}
    member = family.with_constants(**constants) if differs else function
    return Model(name, member, differs, derivative), bool(differs)


def _named_sigmoid(k: float, tolerance: float, derivative: int) -> tuple[Model, bool]:
    """Name the constant of x sigmoid(k x); with k = 1 the function has a name of its own."""
    written = name_constant(k, tolerance, "1.702")
    if written == "1":
        return Model("silu", FUNCTIONS["silu"], {}, derivative), False
    differs = {"k": written} if written != "1.702" else {}
    member = FUNCTIONS["gelu_sigmoid"].with_constants(**differs)
    return Model("gelu_sigmoid", member, differs, derivative), bool(differs)


def _named_tanh(found: Fit, tolerances: dict[str, float], derivative: int) -> tuple[Model, bool]:
    """Name the constants of tanh(a x + b x^3): as a and c = b/a where the form is written so, else as a and b."""
    a, b = found.constants["a"], found.constants["b"]
    scale = name_constant(a, tolerances["a"], "sqrt(2/pi)")
    if not a:
        return Model("gelu_tanh", with_floats(FUNCTIONS["gelu_tanh2"], found.constants), {"a": "0"}, derivative), True
    cubic = name_constant(b / a, (tolerances["b"] + tolerances["a"] * abs(b / a)) / abs(a), "0.044715")
    outer = name_constant(b, tolerances["b"], "0.044715*sqrt(2/pi)")
    if cubic == "0" and scale != "sqrt(2/pi)":
        return _named_sigmoid(2 * a, 2 * tolerances["a"], derivative)
    if len(outer) < len(cubic) and scale != "sqrt(2/pi)":
        member = FUNCTIONS["gelu_tanh2"].with_constants(a=scale, b=outer)
        return Model("gelu_tanh", member, {"a": scale, "b": outer}, derivative), True
    constants = {"a": scale, "c": cubic}
    defaults = {"a": "sqrt(2/pi)", "c": "0.044715"}
    differs = {key: text for key, text in constants.items() if text != defaults[key]}
    if not differs:
        return Model("gelu_tanh", FUNCTIONS["gelu_tanh"], {}, derivative), False
    member = FUNCTIONS["gelu_tanh2"].with_constants(a=scale, b=f"({scale})*({cubic})")
    return Model("gelu_tanh", member, differs, derivative), True
