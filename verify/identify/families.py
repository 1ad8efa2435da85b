"""The members of families that come nearest to an implementation's results, with their constants in words."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import FUNCTIONS, Function
from gelu_verify.formats import Format
from gelu_verify.identify.constants import constant_value, is_decimal, is_stored, name_constant
from gelu_verify.identify.fitting import Fit, fit, with_floats
from gelu_verify.identify.models import FAMILIES, Model, agreement
from gelu_verify.identify.rivals import hits

Floats = npt.NDArray[np.float64]

ENOUGH = 0.98  # share of inputs that a model has to explain
FINE = 20  # bits of precision from which on careless implementations can still be told apart
ROUNDED = 0.9  # share of correctly rounded results by which a model in a coarse format is known for certain
_SAME_FIT = 1.02  # times larger than those of two constants are residuals of one that does as well
_NO_CHANCE = 2  # digits by which one way to write constants is shorter than another, so that it was the way


def resolution(format: Format) -> tuple[float, float]:
    """Return the relative spacing of the format at 1 and its smallest positive number."""
    return 2.0 ** (1 - format.precision), 2.0 ** (format.emin - format.fraction_bits)


def fitted_models(format: Format, x: Floats, got: Floats, derivative: int) -> Iterator[tuple[Model, bool]]:
    """Yield for each family its best member, and whether its constants differ from the catalogue's."""
    unit, least = resolution(format)
    noise = unit * (abs(x) if derivative == 0 else np.maximum(abs(x), 1.0))
    for name, family in FAMILIES.items():
        found = fit(family, derivative, x, got, noise)
        if found is not None:
            found = _refitted(family, found, derivative, x, got, unit, least)
            if name == "gelu_tanh":
                found = _with_usual_scale(found, derivative, x, got, unit, least)
            if format.precision < FINE:  # constants may be known better than the format could store them
                model, differs = _named(name, family, found, 0.0, derivative)
                if np.mean(hits(format, model, x, got)) >= ROUNDED:
                    yield model, differs
                    continue
            yield _named(name, family, found, unit, derivative)


def _with_usual_scale(both: Fit, derivative: int, x: Floats, got: Floats, unit: float, least: float) -> Fit:
    """Fit c of tanh(a(x + c x^3)) alone if a may be what it should be: two constants blur one another."""
    a, usual = both.constants["a"], constant_value("sqrt(2/pi)")
    if abs(a - usual) > 4 * both.errors["a"] + unit * usual:
        return both
    family = FUNCTIONS["gelu_tanh"]
    start = Fit({"c": both.constants["b"] / a}, {"c": 0.0})
    one = _refitted(family, start, derivative, x, got, unit, least)
    if one is start or _misfit(family, one, derivative, x, got, unit, least) > _SAME_FIT * _misfit(
        FUNCTIONS["gelu_tanh2"], both, derivative, x, got, unit, least
    ):
        return both
    return Fit({"a": usual, "b": usual * one.constants["c"]}, {"a": 0.0, "b": usual * one.errors["c"]})


def _misfit(family: Function, found: Fit, derivative: int, x: Floats, got: Floats, unit: float, least: float) -> float:
    """Return the root mean square of the residuals in terms of a careful implementation's error."""
    model = Model(family.name, with_floats(family, found.constants), {}, derivative)
    return agreement(model, x, got, unit, least).strain


def _refitted(family: Function, first: Fit, derivative: int, x: Floats, got: Floats, unit: float, least: float) -> Fit:
    """Fit again with the weights of a careful implementation, if the first fit shows that it is one: then the small
    results tell more of the constants than the large ones.
    """
    model = Model(family.name, with_floats(family, first.constants), {}, derivative)
    if agreement(model, x, got, unit, least).careful < ENOUGH:
        return first
    with np.errstate(all="ignore"):
        value, slope = model.values_and_slopes(x)
        noise = unit * (abs(value) + abs(x * slope)) + least
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
    shorter = 1 if scale != "sqrt(2/pi)" else _NO_CHANCE
    if cubic == "0" and scale != "sqrt(2/pi)":
        return _named_sigmoid(2 * a, 2 * tolerances["a"], derivative)
    constants, defaults = {"a": scale, "c": cubic}, {"a": "sqrt(2/pi)", "c": "0.044715"}
    if len(outer) + shorter <= len(cubic) and is_decimal(cubic) and not is_stored(cubic, "0.044715"):
        member = FUNCTIONS["gelu_tanh2"].with_constants(a=scale, b=outer)
        differs = {key: text for key, text in (("a", scale), ("b", outer)) if text != defaults.get(key)}
        return Model("gelu_tanh", member, differs, derivative), True
    differs = {key: text for key, text in constants.items() if text != defaults[key]}
    if not differs:
        return Model("gelu_tanh", FUNCTIONS["gelu_tanh"], {}, derivative), False
    member = FUNCTIONS["gelu_tanh2"].with_constants(a=scale, b=f"({scale})*({cubic})")
    return Model("gelu_tanh", member, differs, derivative), True
