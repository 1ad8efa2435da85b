"""Forms that subtract nearly equal numbers: right in absolute terms, wrong in every digit where the result is small."""

import numpy as np

from gelu_verify.faults.elementary import SQRT_HALF, Array, constants, cubic, erf, erfc, exp, log, sigmoid, tanh
from gelu_verify.faults.record import fault

_TORCH = "pytorch#187806"
_TANH = "the tanh form as written in the GELU paper and in most libraries"


@fault("cancellation", "gelu", "binary64", "binary32", "binary16", "bfloat16", source=_TORCH)
def one_plus_erf(x: Array) -> Array:
    """0.5 x (1 + erf(x/sqrt 2)): the sum cancels for negative x."""
    half, scale = constants(x, 0.5, SQRT_HALF)
    return half * x * (1 + erf(x * scale))


@fault("cancellation", "gelu", "binary32", source="pytorch#187806, with a library's erf")
def one_plus_saturating_erf(x: Array) -> Array:
    """0.5 x (1 + erf(x/sqrt 2)) with an erf that is -1 already from -3.883 on: zero from about -5.49."""
    t = x * SQRT_HALF
    return 0.5 * x * (1 + np.where(abs(t) >= 3.883, np.copysign(np.asarray(1, x.dtype), t), erf(t)))


@fault("cancellation", "gelu", "binary32", source=_TORCH + ", factored the other way")
def half_plus_half_erf(x: Array) -> Array:
    """x (0.5 + 0.5 erf(x/sqrt 2))."""
    return x * (0.5 + 0.5 * erf(x * SQRT_HALF))


@fault("cancellation", "gelu", "binary32", source="Gaussian CDF by the upper tail, kind of pytorch#187806")
def one_minus_upper_tail(x: Array) -> Array:
    """x (1 - erfc(x/sqrt 2)/2): the wrong one of the two complementary forms on the negative side."""
    return x * (1 - 0.5 * erfc(x * SQRT_HALF))


@fault("cancellation", "gelu", "binary32", source="symmetry used to save half of a table, kind of pytorch#187806")
def reflected(x: Array) -> Array:
    """G(-x) + x for negative x, from the reflection G(x) - G(-x) = x: two numbers of size |x| cancel."""
    size = abs(x)
    return np.where(x < 0, size * (0.5 * erfc(-size * SQRT_HALF)) + x, size * (0.5 * erfc(-size * SQRT_HALF)))


@fault("cancellation", "gelu_tanh", "binary64", "binary32", "binary16", "bfloat16", source=_TANH)
def naive_tanh(x: Array) -> Array:
    """0.5 x (1 + tanh u): the sum cancels for negative x."""
    (half,) = constants(x, 0.5)
    return half * x * (1 + tanh(cubic(x)))


@fault("cancellation", "gelu_tanh", "binary32", source="sigmoid of the positive argument, kind of pytorch#187806")
def one_minus_sigmoid(x: Array) -> Array:
    """x (1 - sigmoid(-2u))."""
    return x * (1 - sigmoid(-2 * cubic(x)))


@fault("cancellation", "gelu_sigmoid", "binary32", source="sigmoid as (1 + tanh)/2, in many inference engines")
def sigmoid_form_by_tanh(x: Array) -> Array:
    """x (0.5 + 0.5 tanh(1.702 x/2))."""
    return x * (0.5 + 0.5 * tanh(0.851 * x))


@fault("cancellation", "silu", "binary32", "bfloat16", source="sigmoid as (1 + tanh)/2, in many inference engines")
def silu_by_tanh(x: Array) -> Array:
    """x (0.5 + 0.5 tanh(x/2))."""
    (half,) = constants(x, 0.5)
    return x * (half + half * tanh(half * x))


@fault("cancellation", "Phi", "binary32", source="pytorch#192295, the same sum in the distribution function")
def cdf_by_erf(x: Array) -> Array:
    """(1 + erf(x/sqrt 2))/2 for the normal distribution function."""
    return 0.5 * (1 + erf(x * SQRT_HALF))


@fault("cancellation", "mish", "binary32", source="softplus without log1p, a common first draft")
def mish_by_log(x: Array) -> Array:
    """x tanh(log(1 + e^x)): 1 + e^x forgets e^x for negative x."""
    softplus = np.where(x > 20, x, log(1 + exp(np.minimum(x, 20))))
    return x * tanh(softplus)


@fault("cancellation", "elu", "binary32", source="ELU without expm1, a common first draft")
def elu_by_exp(x: Array) -> Array:
    """e^x - 1 for negative x: the difference cancels near zero."""
    return np.where(x < 0, exp(np.minimum(x, 0)) - 1, x)


@fault("cancellation", "elu", "binary32", "binary64", source="ELU without expm1, on units that have only tanh")
def elu_by_tanh(x: Array) -> Array:
    """e^x - 1 with e^x as (1 + t)/(1 - t), t = tanh(x/2): zero for small x, as every sum with 1."""
    t = tanh(np.minimum(x, 0) * np.asarray(0.5, x.dtype))
    return np.where(x < 0, (1 + t) / (1 - t) - 1, x)
