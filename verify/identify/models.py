"""Candidates for what an implementation computes, and how far each agrees with its results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import FUNCTIONS, Function
from gelu_verify.catalogue.expression import Operation, Variable
from gelu_verify.formats import Format
from gelu_verify.identify.constants import USUAL, is_rounded_to, remark
from gelu_verify.identify.float64 import value_and_slope

Floats = npt.NDArray[np.float64]

# These are no functions of the catalogue, but implementations compute them by mistake.
IDENTITY = Function("identity", "the input itself", "x", "what is left when an activation is left out")
SOFTPLUS = Function(
    "softplus", "log(1 + e^x)", "max(x, 0) + log1p(exp(-abs(x)))", "taken for an activation of its kind"
)
SQUARED_RELU = Function("relu_squared", "max(x, 0)^2", "max(x, 0)**2", "the activation of Primer, arXiv:2109.08668")
SCALED_GELU = Function(
    "gelu_scaled",
    "x Phi(s x): GELU with another divisor than sqrt 2 under erf",
    "x*Phi(s*x)",
    "a family around GELU, for constants typed wrongly",
    constants={"s": "1"},
)
FAMILIES: Mapping[str, Function] = MappingProxyType(
    {
        "gelu": SCALED_GELU,
        "gelu_tanh": FUNCTIONS["gelu_tanh2"],
        "gelu_sigmoid": FUNCTIONS["gelu_sigmoid"],
        "leaky_relu": FUNCTIONS["leaky_relu"],
        "elu": FUNCTIONS["elu"],
    }
)
"""The family in which the constants of a function are sought when they are not the catalogue's."""

_STEP = 1e-6  # relative step for a slope of a derivative, in error estimates only


@dataclass(frozen=True, slots=True)
class Model:
    """One candidate: a function, perhaps with constants of its own and a factor in front, or its derivative.

    Attributes:
        name: the catalogue's name of the function.
        function: the exact function, constants and factor put in.
        constants: what distinguishes it from the catalogue's function of that name, in words or digits.
        derivative: which derivative of `function` is meant (0 or 1).
    """

    name: str
    function: Function
    constants: Mapping[str, str] = field(default_factory=dict)
    derivative: int = 0

    def __str__(self) -> str:
        """Return the name as people say it: `gelu_tanh with c = 0.044175`."""
        constants = ", ".join(f"{name} = {value}" for name, value in self.constants.items())
        what = "the derivative of " * self.derivative + self.name
        return f"{what} with {constants}" if constants else what

    def is_stored_in(self, format: Format) -> bool:
        """Tell whether all constants there are, if any, are the usual ones as a format stores them.

        In code of that format they cannot be anything else.
        """
        return all(
            name in USUAL and is_rounded_to(format, name, text, USUAL[name]) for name, text in self.constants.items()
        )

    def remarks(self, usual: Mapping[str, str] = USUAL) -> str:
        """Return what a person would want to know of the constants, one after the other; empty where there are none."""
        return "; ".join(remark(name, text, usual[name]) for name, text in self.constants.items() if name in usual)

    def values(self, x: Floats) -> Floats:
        """Return binary64 approximations of the model's values."""
        return value_and_slope(self.function.expression, x)[self.derivative]

    def values_and_slopes(self, x: Floats) -> tuple[Floats, Floats]:
        """Return `values` with rough values of their own derivative, for error propagation."""
        value, slope = value_and_slope(self.function.expression, x)
        if self.derivative == 0:
            return value, slope
        step = _STEP * np.maximum(abs(x), _STEP)
        return slope, (self.values(x + step) - slope) / step


def fixed_models(derivative: int) -> list[Model]:
    """Return every function of the catalogue, and what is taken for one by mistake, as candidates.

    For a derivative the functions themselves are candidates too: a forward pass is registered as backward by mistake.
    """
    functions = [function for name, function in FUNCTIONS.items() if name != "gelu_tanh2"]
    functions += [IDENTITY, SOFTPLUS, SQUARED_RELU]
    models = [Model(function.name, function, derivative=derivative) for function in functions]
    if derivative:
        models += [Model(function.name, function) for function in functions]
    return models


def claimed_model(function: Function, derivative: int) -> Model:
    """Return the claim itself as a candidate."""
    return Model(function.name, function, derivative=derivative)


def scaled(function: Function, factor: str) -> Function:
    """Return `factor` times the function."""
    return Function(
        f"{factor}*{function.name}",
        f"{factor} times {function.title}",
        _multiplied(function.formula),
        "a factor too much",
        constants={**function.constants, "factor": factor},
    )


def _multiplied(formula: str) -> str:
    return f"factor*({formula})"


_DEFINITIONS = [function.formula for function in (*FUNCTIONS.values(), SCALED_GELU, IDENTITY, SOFTPLUS, SQUARED_RELU)]
WELL_WRITTEN = frozenset([*_DEFINITIONS, *map(_multiplied, _DEFINITIONS)])
"""The formulas that do not cancel: the catalogue's, this module's, and multiples of them."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well a model explains the results.

    Attributes:
        careful: share of the inputs within the error of a careful implementation of the model.
        careless: share within the error of one that rounds numbers as large as x on the way.
        max_abs: largest absolute distance over the inputs.
        spread: root mean square of the distance at positive inputs, in units of the format there.
        strain: root mean square of the distance in terms of a careful implementation's error.
    """

    model: Model
    careful: float
    careless: float
    max_abs: float
    spread: float
    strain: float


def agreement(model: Model, x: Floats, got: Floats, unit: float, least: float) -> Agreement:
    """Compare results with a model.

    Arguments:
        unit: the format's relative spacing at 1; least: its smallest positive number.
    """
    with np.errstate(all="ignore"):
        value, slope = model.values_and_slopes(x)
        distance = abs(got - value)
        careful = unit * (4 * abs(value) + 2 * abs(x * slope)) + 2 * least
        careless = careful + 2 * unit * _careless_scale(model, x, unit)
    seen = np.isfinite(distance)
    if not seen.any():
        return Agreement(model, 0.0, 0.0, *[float("inf")] * 3)
    shares = [float(np.mean((distance <= limit)[seen])) for limit in (careful, careless)]
    with np.errstate(all="ignore"):
        spread = _root_mean_square((distance / (unit * abs(value) + least))[seen & (x > 0)])
        strain = _root_mean_square((distance / careful)[seen])
    return Agreement(model, shares[0], shares[1], float(distance[seen].max()), spread, strain)


def _careless_scale(model: Model, x: Floats, unit: float) -> Floats:
    """Return the size of the numbers that a careless implementation rounds on the way, as they come out at the end.

    They are as large as x, in a derivative at least as large as 1. The derivative of x s, s = sigmoid(g(x)), is
    s + x g'(x) s (1 - s), and with t = tanh(g/2) many write (1 - t^2)/4 for s (1 - s): then numbers near 1 are rounded
    before x g'(x), which grows like x^3 in the tanh form, multiplies what is left of them. Where t rounds to 1, nothing
    is left.
    """
    if model.derivative == 0:
        return abs(x)
    size = np.maximum(abs(x), 1.0)
    match model.function.expression:
        case Operation("*", (Variable(), Operation("sigmoid", (argument,)))):
            inner, steepness = value_and_slope(argument, x)
            left = 0.25 / np.cosh(inner / 2) ** 2
            return np.where(left > unit / 8, np.maximum(size, abs(x * steepness) / 2), size)
    return size


def _root_mean_square(values: Floats) -> float:
    return float(np.sqrt(np.mean(values * values))) if values.size else float("inf")
