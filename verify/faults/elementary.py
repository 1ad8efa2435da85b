"""Elementary functions in any floating type, rounded once from binary64: what the seeded implementations are made of.

NumPy's own float32 `tanh` and `exp` differ between processors, and where a wrong formula first returns zero depends on
their last bit. Rounding the binary64 result makes every seeded fault the same on every machine.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = Any  # a NumPy array of any floating type, those of ml_dtypes included, whose arithmetic NumPy's stubs ignore

SQRT_HALF = 0.7071067811865476
SQRT_2 = 1.4142135623730951
SQRT_2_OVER_PI = 0.7978845608028654
INV_SQRT_2PI = 0.3989422804014327


def _rounded_from_float64(function: Callable[[npt.NDArray[np.float64]], Any]) -> Callable[[Array], Array]:
    def apply(x: Array) -> Array:
        return np.asarray(function(np.asarray(x, np.float64)), np.float64).astype(x.dtype)

    return apply


def elementwise(function: Callable[[float], float]) -> Callable[[npt.NDArray[np.float64]], Any]:
    """Return the array function that applies a function of one Python float to each element."""
    return np.frompyfunc(function, 1, 1)


erf = _rounded_from_float64(elementwise(math.erf))
erfc = _rounded_from_float64(elementwise(math.erfc))
exp = _rounded_from_float64(np.exp)
expm1 = _rounded_from_float64(np.expm1)
log = _rounded_from_float64(np.log)
log1p = _rounded_from_float64(np.log1p)
tanh = _rounded_from_float64(np.tanh)


def constants(x: Array, *values: float) -> tuple[Array, ...]:
    """Return numbers in the type of x: a Python float would turn bfloat16 arithmetic into binary32."""
    return tuple(np.asarray(value, x.dtype) for value in values)


def sigmoid(z: Array) -> Array:
    """Return 1/(1 + e^-z): right to a few ulp wherever e^-z does not overflow."""
    return 1 / (1 + exp(-z))


def cubic(x: Array, a: float = SQRT_2_OVER_PI, c: float = 0.044715) -> Array:
    """Return u = a(x + c x^3), the argument of the tanh form."""
    scale, third = constants(x, a, c)
    return scale * (x + third * x * x * x)


def density(x: Array) -> Array:
    """Return the standard normal density."""
    height, half = constants(x, INV_SQRT_2PI, 0.5)
    return height * exp(-half * x * x)


def computed_in(low: Any, function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Return `function` evaluated in the floating type `low`, with input and output in the caller's type."""

    def apply(x: Array) -> Array:
        return function(x.astype(low)).astype(x.dtype)

    return apply
