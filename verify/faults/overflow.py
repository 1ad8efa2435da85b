"""Forms whose intermediate values overflow although the result is harmless."""

import numpy as np

from gelu_verify.faults.elementary import SQRT_HALF, Array, constants, cubic, erf, erfc, exp, tanh
from gelu_verify.faults.record import fault

_DOUBLED = "pytorch#186278"
_SYMMETRIC = "executorch#22323"


@fault("overflow", "gelu_tanh", "binary32", source=_DOUBLED, also=("cancellation",))
@fault("overflow", "gelu_tanh", "bfloat16", "binary64", source=_DOUBLED, also=("cancellation",))
def tanh_by_doubled_exponential(x: Array) -> Array:
    """tanh u as (e^2u - 1)/(e^2u + 1): infinity over infinity for large x."""
    power = exp(2 * cubic(x))
    (half,) = constants(x, 0.5)
    return half * x * (1 + (power - 1) / (power + 1))


@fault("overflow", "gelu_tanh", "binary32", "binary16", source=_SYMMETRIC, also=("cancellation",))
def tanh_by_two_exponentials(x: Array) -> Array:
    """tanh u as (e^u - e^-u)/(e^u + e^-u): infinity over infinity on both sides."""
    u = cubic(x)
    grown, shrunk = exp(u), exp(-u)
    return 0.5 * x * (1 + (grown - shrunk) / (grown + shrunk))


@fault("overflow", "gelu_tanh", "binary32", source="burn#520", also=("cancellation",))
def tanh_clamped_wrongly(x: Array) -> Array:
    """tanh u that turns to -1 for 43.67 < u < 44.36 and to NaN above: first a zero, then NaN."""
    u = cubic(x)
    t = tanh(u)
    t = np.where(u > 43.67, np.asarray(-1, x.dtype), t)
    return 0.5 * x * (1 + np.where(u > 44.36, np.asarray(np.nan, x.dtype), t))


@fault("overflow", "silu", "binary32", "binary16", source="sigmoid as e^x/(1 + e^x), kind of pytorch#186278")
def silu_by_growing_exponential(x: Array) -> Array:
    """x e^x/(1 + e^x)."""
    power = exp(x)
    return x * (power / (1 + power))


@fault("overflow", "silu", "binary32", source="sigmoid as 1/(1 + e^-x), kind of tensorflow#124835")
def silu_by_shrinking_exponential(x: Array) -> Array:
    """x/(1 + e^-x): the exponential overflows while the result is still a normal number."""
    return x / (1 + exp(-x))


@fault("overflow", "gelu_sigmoid", "binary32", source="sigmoid as e^z/(1 + e^z), kind of pytorch#186278")
def sigmoid_form_by_growing_exponential(x: Array) -> Array:
    """x e^kx/(1 + e^kx)."""
    power = exp(1.702 * x)
    return x * (power / (1 + power))


@fault("overflow", "mish", "binary32", source="Mish by a rational function of e^x, in several mobile kernels")
def mish_by_rational_exponential(x: Array) -> Array:
    """x n/(n + 2) with n = e^x (e^x + 2): n overflows at half of the logarithm of the largest number."""
    power = exp(x)
    n = power * (power + 2)
    return x * (n / (n + 2))


@fault("overflow", "gelu", "binary32", source="0.5 applied last, kind of executorch#22323", also=("cancellation",))
def half_applied_last(x: Array) -> Array:
    """x (1 + erf(x/sqrt 2))/2: the product is twice the result and overflows in the topmost binade."""
    return x * (1 + erf(x * SQRT_HALF)) / 2


@fault("overflow", "gelu", "binary32", source="scaled erfc used on both sides, kind of executorch#22323")
def scaled_erfc_on_both_sides(x: Array) -> Array:
    """x e^(-x^2/2) erfcx(-x/sqrt 2)/2: erfcx is for the negative side, on the positive one it overflows."""
    wide = x.astype(np.float64)
    upper = exp(0.5 * x * x) * (2 - erfc(x * SQRT_HALF))  # erfcx(-t) for t > 0
    good = (0.5 * wide * erfc(-wide * SQRT_HALF)).astype(x.dtype)
    return np.where(x > 0, 0.5 * x * (exp(-0.5 * x * x) * upper), good)
