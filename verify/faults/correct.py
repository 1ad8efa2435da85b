"""Right implementations, written in many ways: no check may blame one of them.

Those without a `max_ulp` of their own are right to the default budget; the others promise what their formula can keep
(the argument of an exponential is rounded, and its error grows with the argument).
"""

import numpy as np

from gelu_verify.faults.elementary import (
    INV_SQRT_2PI,
    SQRT_2,
    SQRT_2_OVER_PI,
    SQRT_HALF,
    Array,
    cubic,
    erf,
    erfc,
    exp,
    expm1,
    tanh,
)
from gelu_verify.faults.record import variant


def _rounded(wide: Array, x: Array, at_minus_infinity: float = -0.0) -> Array:
    """Round a binary64 result to the type of x, with the limit put in at -inf where the formula gives inf * 0."""
    return np.where(x == -np.inf, np.asarray(at_minus_infinity, x.dtype), wide.astype(x.dtype))


def wide_sigmoid(z: Array) -> Array:
    """Return the logistic function in binary64 without overflow and without cancellation."""
    power = np.exp(-abs(z))
    return np.where(z < 0, power, 1) / (1 + power)


@variant("gelu", "binary32", "binary16", "bfloat16", "e4m3fn", "e5m2")
@variant("gelu", "binary64", max_ulp=3000)
def gelu_by_erfc(x: Array) -> Array:
    """x erfc(-x/sqrt 2)/2 in binary64 (there the rounding of x/sqrt 2 costs about x^2 ulp)."""
    wide = x.astype(np.float64)
    return _rounded(0.5 * wide * erfc(-wide * SQRT_HALF), x)


@variant("gelu_tanh", "binary32", "binary16", "bfloat16", "e4m3fn", "e5m2")
@variant("gelu_tanh", "binary64", max_ulp=6000)
def gelu_tanh_factored(x: Array) -> Array:
    """x sigmoid(2u) in binary64."""
    wide = x.astype(np.float64)
    return _rounded(wide * wide_sigmoid(2 * cubic(wide)), x)


@variant("gelu_sigmoid", "binary32", "binary16", "bfloat16", "e5m2")
@variant("gelu_sigmoid", "binary64", max_ulp=3000)
def gelu_sigmoid_factored(x: Array) -> Array:
    """x sigmoid(1.702 x) in binary64."""
    wide = x.astype(np.float64)
    return _rounded(wide * wide_sigmoid(1.702 * wide), x)


@variant("silu", "binary32", "binary16", "bfloat16")
@variant("silu", "binary64", max_ulp=400)
def silu_factored(x: Array) -> Array:
    """x sigmoid(x) in binary64 (there the sigmoid becomes subnormal before the result does)."""
    wide = x.astype(np.float64)
    return _rounded(wide * wide_sigmoid(wide), x)


@variant("mish", "binary32", "binary16")
def mish_from_binary64(x: Array) -> Array:
    """x tanh(log1p(e^x)) in binary64."""
    wide = x.astype(np.float64)
    softplus = np.maximum(wide, 0) + np.log1p(np.exp(-abs(wide)))
    return _rounded(wide * np.tanh(softplus), x)


@variant("relu", "binary32", "binary64", "bfloat16")
def relu(x: Array) -> Array:
    """The maximum of x and 0."""
    return np.maximum(x, np.asarray(0, x.dtype))


@variant("leaky_relu", "binary32", "binary16")
def leaky_relu(x: Array) -> Array:
    """x, or 0.01 x for negative x."""
    return np.where(x < 0, np.asarray(0.01, x.dtype) * x, x)


@variant("elu", "binary32", "binary64")
def elu_by_expm1(x: Array) -> Array:
    """x, or e^x - 1 by expm1 for negative x."""
    return np.where(x < 0, expm1(np.minimum(x, 0)), x)


@variant("Phi", "binary32", "bfloat16")
def normal_cdf(x: Array) -> Array:
    """erfc(-x/sqrt 2)/2 in binary64."""
    return (0.5 * erfc(-x.astype(np.float64) * SQRT_HALF)).astype(x.dtype)


@variant("phi", "binary32")
def normal_density(x: Array) -> Array:
    """e^(-x^2/2)/sqrt(2 pi) in binary64."""
    wide = x.astype(np.float64)
    return (INV_SQRT_2PI * np.exp(-0.5 * wide * wide)).astype(x.dtype)


@variant("erf", "binary32", "binary16")
def error_function(x: Array) -> Array:
    """The library's erf."""
    return erf(x)


@variant("erfc", "binary32")
def complementary_error_function(x: Array) -> Array:
    """The library's erfc."""
    return erfc(x)


@variant("tanh", "binary32", "bfloat16")
def hyperbolic_tangent(x: Array) -> Array:
    """The library's tanh."""
    return tanh(x)


@variant("exp", "binary32", "binary16")
def exponential(x: Array) -> Array:
    """The library's exp."""
    return exp(x)


@variant("sigmoid", "binary32")
def logistic(x: Array) -> Array:
    """1/(1 + e^-x) in binary64."""
    return wide_sigmoid(x.astype(np.float64)).astype(x.dtype)


@variant("gelu_tanh", "binary32")
def factor_outside(x: Array) -> Array:
    """x c (1 + 0.044715 x^2) for c (x + 0.044715 x^3): another order of the same operations, in binary64."""
    wide = x.astype(np.float64)
    return _rounded(wide * wide_sigmoid(2 * wide * SQRT_2_OVER_PI * (1 + 0.044715 * wide * wide)), x)


@variant("gelu", "binary32")
def one_plus_erf_in_binary64(x: Array) -> Array:
    """The positive side by 1 + erf, the negative by erfc, in binary64."""
    wide = x.astype(np.float64)
    tail = 0.5 * wide * erfc(-wide / SQRT_2)
    return _rounded(np.where(wide < 0, tail, 0.5 * wide * (1 + erf(wide / SQRT_2))), x)


@variant("gelu", "binary32", max_ulp=400)
def gelu_by_erfc_in_place(x: Array) -> Array:
    """x erfc(-x/sqrt 2)/2 in the format itself: the rounding of x/sqrt 2 costs about x^2 ulp in the tail."""
    return _rounded(0.5 * x * erfc(-x * SQRT_HALF), x)


@variant("gelu_tanh", "binary32", max_ulp=400)
def gelu_tanh_factored_in_place(x: Array) -> Array:
    """x sigmoid(2u) in the format itself, by the exponential that does not overflow."""
    z = 2 * cubic(x)
    power = exp(-abs(z))
    return _rounded(x * (np.where(z < 0, power, 1) / (1 + power)), x)


@variant("gelu_sigmoid", "binary32", max_ulp=200)
def gelu_sigmoid_in_place(x: Array) -> Array:
    """x sigmoid(1.702 x) in the format itself."""
    z = 1.702 * x
    power = exp(-abs(z))
    return _rounded(x * (np.where(z < 0, power, 1) / (1 + power)), x)


@variant("silu", "binary32", max_ulp=60)
def silu_in_two_branches(x: Array) -> Array:
    """x e^x/(1 + e^x) on the left, x/(1 + e^-x) on the right, in the format itself; subnormal near -88."""
    power = exp(-abs(x))
    return _rounded(x * (np.where(x < 0, power, 1) / (1 + power)), x)


@variant("silu", "binary16", "bfloat16")
def silu_through_binary32(x: Array) -> Array:
    """16-bit SiLU computed in binary32 and rounded once: what a good kernel does."""
    middle = x.astype(np.float32)
    power = exp(-abs(middle))
    return _rounded(middle * (np.where(middle < 0, power, 1) / (1 + power)), x)


@variant("gelu", "binary32")
def gelu_in_blocks(x: Array) -> Array:
    """The same values whatever the length: evaluated in blocks of 8 elements with a remainder."""
    flat = np.ravel(x)
    pieces = [gelu_by_erfc(flat[start : start + 4096]) for start in range(0, flat.size, 4096)]
    return (np.concatenate(pieces) if pieces else flat).reshape(x.shape)


@variant("gelu", "bfloat16", "binary32", flush_subnormals=True)
def gelu_with_subnormals_flushed(x: Array) -> Array:
    """Subnormal inputs and outputs count as zero, as declared."""
    least = 2.0**-126
    inputs = np.where(abs(x) < np.asarray(least, x.dtype), np.copysign(np.asarray(0, x.dtype), x), x)
    result = gelu_by_erfc(inputs)
    return np.where(abs(result) < np.asarray(least, x.dtype), np.copysign(np.asarray(0, x.dtype), result), result)


@variant("gelu", "binary32")
def gelu_with_positive_zero_at_minus_infinity(x: Array) -> Array:
    """G(-inf) = +0: the limit is approached from below, but either zero is taken."""
    return np.where(x == -np.inf, np.asarray(0.0, x.dtype), gelu_by_erfc(x))


def _at_limits(wide: Array, x: Array) -> Array:
    """Round a derivative's binary64 values to the type of x, with its limits 0 and 1 put in at -inf and +inf."""
    limits = np.where(x > 0, np.asarray(1, x.dtype), np.asarray(0, x.dtype))
    return np.where(np.isinf(x), limits, wide.astype(x.dtype))


@variant("gelu", "binary32", "binary16", "bfloat16", derivative=1)
def gelu_gradient(x: Array) -> Array:
    """Phi(x) + x phi(x) in binary64."""
    wide = x.astype(np.float64)
    return _at_limits(0.5 * erfc(-wide * SQRT_HALF) + wide * INV_SQRT_2PI * np.exp(-0.5 * wide * wide), x)


@variant("gelu_tanh", "binary32", "bfloat16", derivative=1)
def gelu_tanh_gradient(x: Array) -> Array:
    """s + x (2u)' s (1 - s) with s = sigmoid(2u), in binary64; 1 - s is sigmoid(-2u)."""
    wide = x.astype(np.float64)
    z = 2 * cubic(wide)
    slope = 2 * SQRT_2_OVER_PI * (1 + 3 * 0.044715 * wide * wide)
    return _at_limits(wide_sigmoid(z) * (1 + wide * slope * wide_sigmoid(-z)), x)


@variant("gelu_sigmoid", "binary32", derivative=1)
def gelu_sigmoid_gradient(x: Array) -> Array:
    """s (1 + k x (1 - s)) with s = sigmoid(k x), in binary64."""
    z = 1.702 * x.astype(np.float64)
    return _at_limits(wide_sigmoid(z) * (1 + z * wide_sigmoid(-z)), x)


@variant("silu", "binary32", "binary16", derivative=1)
def silu_gradient(x: Array) -> Array:
    """s (1 + x (1 - s)) with s = sigmoid(x), in binary64."""
    wide = x.astype(np.float64)
    return _at_limits(wide_sigmoid(wide) * (1 + wide * wide_sigmoid(-wide)), x)


@variant("gelu", "binary32", gradient=gelu_gradient)
def gelu_with_its_gradient(x: Array) -> Array:
    """GELU with its own derivative as the backward pass."""
    return gelu_by_erfc(x)


@variant("gelu_tanh", "bfloat16", gradient=gelu_tanh_gradient)
def gelu_tanh_with_its_gradient(x: Array) -> Array:
    """The tanh form with its own derivative as the backward pass."""
    return gelu_tanh_factored(x)


@variant("gelu_tanh", "binary32", "binary16", "bfloat16")
def gelu_tanh_by_logaddexp(x: Array) -> Array:
    """x e^-log(1 + e^-2u): the sigmoid by a logarithm that neither overflows nor cancels."""
    wide = x.astype(np.float64)
    return _rounded(wide * np.exp(-np.logaddexp(0, -2 * cubic(wide))), x)


@variant("mish", "binary32", "bfloat16")
def mish_by_bounded_exponential(x: Array) -> Array:
    """x n/(n + 2) with n = e^x (e^x + 2), both divided by e^2x for positive x: the fraction that does not overflow."""
    wide = x.astype(np.float64)
    power = np.exp(-abs(wide))
    above = np.where(wide < 0, power * (power + 2), 1 + 2 * power)
    return _rounded(wide * above / np.where(wide < 0, above + 2, above + 2 * power * power), x)


@variant("gelu", "binary32", "bfloat16")
def identity_from_6(x: Array) -> Array:
    """x from 6 on, where GELU rounds to x: a threshold that is right."""
    return np.where(x > np.asarray(6, x.dtype), x, gelu_by_erfc(x))


@variant("gelu", "binary32")
def zero_from_minus_14_5(x: Array) -> Array:
    """-0 left of -14.5, where GELU rounds to it: a threshold that is right."""
    return np.where(x < -14.5, np.asarray(-0.0, x.dtype), gelu_by_erfc(x))


@variant("gelu", "binary32")
def half_of_tiny_inputs(x: Array) -> Array:
    """x/2 for |x| < 1e-8, where no other term is left."""
    return np.where(abs(x) < 1e-8, x * np.asarray(0.5, x.dtype), gelu_by_erfc(x))


@variant("gelu_tanh", "binary32", max_ulp=400)
def gelu_tanh_by_power_of_2(x: Array) -> Array:
    """x sigmoid(2u) by 2^(2u log2 e), in the format itself."""
    z = np.clip(x, *(np.asarray(end, x.dtype) for end in (-30, 30)))
    exponent = np.asarray(-2 * SQRT_2_OVER_PI * 1.4426950408889634, x.dtype) * z * (1 + 0.044715 * z * z)
    power = np.exp2(-abs(exponent).astype(np.float64)).astype(x.dtype)
    return _rounded(x * (np.where(exponent > 0, power, 1) / (1 + power)), x)


@variant("silu", "binary32", gated=True)
def swiglu(a: Array, b: Array) -> Array:
    """SiLU(a) b: the first half is activated, the second is the gate's value."""
    return silu_factored(a) * b


@variant("gelu", "binary32", gated=True)
def geglu(a: Array, b: Array) -> Array:
    """G(a) b."""
    return gelu_by_erfc(a) * b
