"""Backward passes that are wrong: of the formula, of its arithmetic, or of another function than the forward pass."""

import numpy as np

from gelu_verify.faults.correct import (
    gelu_by_erfc,
    gelu_gradient,
    gelu_sigmoid_factored,
    gelu_sigmoid_gradient,
    gelu_tanh_factored,
    gelu_tanh_gradient,
    silu_factored,
    wide_sigmoid,
)
from gelu_verify.faults.elementary import (
    INV_SQRT_2PI,
    SQRT_2_OVER_PI,
    SQRT_HALF,
    Array,
    constants,
    cubic,
    density,
    erf,
    erfc,
    exp,
    tanh,
)
from gelu_verify.faults.record import fault

_C = 0.044715
_SLIP = "an algebra slip in a hand-written backward pass"


def _limits(wide: Array, x: Array) -> Array:
    """Round to the type of x, with the limits of a right derivative at infinity."""
    at_infinity = np.where(x > 0, np.asarray(1, x.dtype), np.asarray(0, x.dtype))
    return np.where(np.isinf(x), at_infinity, wide.astype(x.dtype))


@fault("overflow", "gelu_tanh", "binary16", source="fairseq#2235", derivative=1, also=("cancellation", "special-value"))
def square_overflows(x: Array) -> Array:
    """T' with 3 c x^2 in binary16: infinity times zero from |x| = 147.875 on; the forward pass is clean."""
    t = tanh(cubic(x))
    inner = SQRT_2_OVER_PI * (1 + (3 * x * x) * _C)
    return 0.5 * (1 + t) + 0.5 * x * ((1 - t * t) * inner)


@fault("overflow", "gelu_tanh", "binary32", source="fairseq#2235", derivative=1, also=("special-value",))
def infinity_times_zero(x: Array) -> Array:
    """T' as ... + 0.5 x sech^2(u) (1 + 3 c x^2) s: the square overflows where sech^2 is zero."""
    wide = x.astype(np.float64)
    z = 2 * cubic(np.clip(wide, -1e30, 1e30))
    square = np.asarray(x * x, x.dtype)
    far = np.where(np.isinf(square), np.asarray(np.inf), 1 + 3 * _C * wide * wide)
    return (wide_sigmoid(z) + wide * (2 * SQRT_2_OVER_PI * wide_sigmoid(z) * wide_sigmoid(-z) * far)).astype(x.dtype)


@fault(
    "cancellation",
    "gelu",
    "bfloat16",
    source="tt-metal#35971",
    derivative=1,
    also=("property-violation", "special-value"),
)
def gradient_by_rounded_parts(x: Array) -> Array:
    """G' in bfloat16 as (1 + erf)/2 + x phi(x), erf cut to bfloat16, the density rounded: positive at -3.7."""
    half, scale = constants(x, 0.5, SQRT_HALF)
    wide = erf((x * scale).astype(np.float32))
    cut = (wide.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32).astype(x.dtype)
    return half * (1 + np.where(np.isnan(x), x, cut)) + x * density(x)


@fault("cancellation", "gelu", "binary32", source="tt-metal#35971", derivative=1, also=("special-value",))
def gradient_by_one_plus_erf(x: Array) -> Array:
    """G' as (1 + erf)/2 + x phi(x) in binary32."""
    return 0.5 * (1 + erf(x * SQRT_HALF)) + x * density(x)


@fault(
    "coarse-approximation",
    "gelu",
    "binary32",
    source="a bfloat16 threshold used in binary32",
    derivative=1,
    also=("property-violation",),
)
def gradient_saturated(x: Array) -> Array:
    """G' set to 1 from 3.1719 on: right in bfloat16, a jump of 7.5e-3 in binary32."""
    return np.where(x >= 3.1719, np.asarray(1, x.dtype), gelu_gradient(x))


@fault("wrong-derivative", "gelu_tanh", "binary32", source=_SLIP, derivative=1)
def sech_for_sech_squared(x: Array) -> Array:
    """sech(u) for sech^2(u): T'(1) = 1.1719 for 1.0830."""
    wide = x.astype(np.float64)
    u = cubic(wide)
    power = np.exp(-abs(u))
    sech = 2 * power / (1 + power * power)
    slope = SQRT_2_OVER_PI * (1 + 3 * _C * wide * wide)
    return _limits(wide_sigmoid(2 * u) + 0.5 * wide * sech * slope, x)


@fault("wrong-derivative", "gelu_tanh", "binary32", source=_SLIP, derivative=1, also=("overflow",))
def cubic_outside_the_bracket(x: Array) -> Array:
    """The cubic term outside sech^2 by a parenthesis: T'(-3) = -1.4495, unbounded at infinity."""
    wide = x.astype(np.float64)
    sech_squared = 4 * wide_sigmoid(2 * cubic(wide)) * wide_sigmoid(-2 * cubic(wide))
    outside = 3 * _C * SQRT_2_OVER_PI * wide * wide
    return (wide_sigmoid(2 * cubic(wide)) + 0.5 * wide * (sech_squared * SQRT_2_OVER_PI + outside)).astype(x.dtype)


@fault("wrong-derivative", "gelu_tanh", "binary32", "bfloat16", source=_SLIP, derivative=1)
def factor_3_missing(x: Array) -> Array:
    """The factor 3 from the derivative of x^3 is missing."""
    wide = x.astype(np.float64)
    z = 2 * cubic(wide)
    slope = 2 * SQRT_2_OVER_PI * (1 + _C * wide * wide)
    return _limits(wide_sigmoid(z) * (1 + wide * slope * wide_sigmoid(-z)), x)


@fault("wrong-derivative", "gelu", "binary32", "binary16", source=_SLIP, derivative=1)
def density_term_missing(x: Array) -> Array:
    """Phi(x) alone: the term x phi(x) is missing."""
    return (0.5 * erfc(-x.astype(np.float64) * SQRT_HALF)).astype(x.dtype)


@fault("wrong-derivative", "gelu", "binary32", "binary16", "binary64", source=_SLIP, derivative=1)
def x_before_the_density_missing(x: Array) -> Array:
    """Phi(x) + phi(x): the factor x of the second term is missing."""
    wide = x.astype(np.float64)
    return (0.5 * erfc(-wide * SQRT_HALF) + INV_SQRT_2PI * np.exp(-0.5 * wide * wide)).astype(x.dtype)


@fault("wrong-derivative", "gelu", "binary32", source="a loss scale left in a backward pass", derivative=1)
def gradient_halved(x: Array) -> Array:
    """G'/2."""
    return gelu_gradient(x) * np.asarray(0.5, x.dtype)


@fault("wrong-derivative", "gelu_tanh", "bfloat16", source=_SLIP, derivative=1)
def factor_2_for_3(x: Array) -> Array:
    """The derivative of x^3 taken for 2 x^2: no more than rounding to bfloat16 in absolute terms."""
    wide = x.astype(np.float64)
    z = 2 * cubic(wide)
    slope = 2 * SQRT_2_OVER_PI * (1 + 2 * _C * wide * wide)
    return _limits(wide_sigmoid(z) * (1 + wide * slope * wide_sigmoid(-z)), x)


@fault("wrong-derivative", "gelu", "binary32", source=_SLIP, derivative=1)
def density_not_normalised(x: Array) -> Array:
    """Phi(x) + x e^(-x^2/2) without 1/sqrt(2 pi)."""
    wide = x.astype(np.float64)
    return _limits(0.5 * erfc(-wide * SQRT_HALF) + wide * np.exp(-0.5 * wide * wide), x)


@fault("wrong-derivative", "gelu", "binary32", source=_SLIP, derivative=1)
def density_without_half(x: Array) -> Array:
    """Phi(x) + x e^(-x^2)/sqrt(2 pi): the 1/2 in the exponent is missing."""
    wide = x.astype(np.float64)
    return _limits(0.5 * erfc(-wide * SQRT_HALF) + wide * INV_SQRT_2PI * np.exp(-wide * wide), x)


@fault("wrong-derivative", "gelu_sigmoid", "binary32", source=_SLIP, derivative=1)
def inner_factor_missing(x: Array) -> Array:
    """s + x s (1 - s): the inner derivative k is missing."""
    wide = x.astype(np.float64)
    return _limits(wide_sigmoid(1.702 * wide) * (1 + wide * wide_sigmoid(-1.702 * wide)), x)


@fault("wrong-derivative", "silu", "binary32", source=_SLIP, derivative=1)
def silu_derivative_with_sign(x: Array) -> Array:
    """s (1 + x s): s for 1 - s."""
    wide = x.astype(np.float64)
    return np.where(
        x == -np.inf, np.asarray(0, x.dtype), (wide_sigmoid(wide) * (1 + wide * wide_sigmoid(wide))).astype(x.dtype)
    )


@fault(
    "wrong-derivative",
    "gelu",
    "binary32",
    source="a backward kernel given the output in place of the input",
    derivative=1,
)
def taken_at_the_output(x: Array) -> Array:
    """G' at G(x) in place of x, as after an operation in place."""
    return gelu_gradient(np.where(x == -np.inf, np.asarray(-0.0, x.dtype), gelu_by_erfc(x)))


@fault("wrong-derivative", "gelu", "binary32", source="a backward pass copied from another activation", derivative=1)
def step_for_gradient(x: Array) -> Array:
    """ReLU's derivative for GELU's."""
    return np.where(np.isnan(x), x, np.where(x > 0, np.asarray(1, x.dtype), np.asarray(0, x.dtype)))


@fault("wrong-derivative", "gelu", "binary32", source="a backward pass copied from another form", derivative=1)
def tanh_gradient_for_exact(x: Array) -> Array:
    """T' given out as G'."""
    return gelu_tanh_gradient(x)


@fault(
    "wrong-derivative", "gelu", "binary32", "bfloat16", source="a forward kernel registered as backward", derivative=1
)
def forward_for_gradient(x: Array) -> Array:
    """G given out as G'."""
    return np.where(x == -np.inf, np.asarray(-0.0, x.dtype), gelu_by_erfc(x))


@fault(
    "wrong-constant", "gelu_tanh", "binary32", source="the swapped digits of 0.044175 in a backward pass", derivative=1
)
def gradient_with_0_044175(x: Array) -> Array:
    """T' with 0.044175 for 0.044715 throughout."""
    wide = x.astype(np.float64)
    z = 2 * cubic(wide, c=0.044175)
    slope = 2 * SQRT_2_OVER_PI * (1 + 3 * 0.044175 * wide * wide)
    return _limits(wide_sigmoid(z) * (1 + wide * slope * wide_sigmoid(-z)), x)


@fault("special-value", "gelu", "binary32", source="backward from the output, in memory-saving kernels", derivative=1)
def gradient_by_division(x: Array) -> Array:
    """G' as G(x)/x + x phi(x): 0/0 is NaN at zero, where 1/2 is right."""
    return np.where(x == 0, x / x, gelu_gradient(x))


@fault("subnormal-flush", "silu", "binary64", source="tensorflow#124835", derivative=1, also=("cancellation",))
def silu_gradient_flushed(x: Array) -> Array:
    """SiLU' with a subnormal sigmoid flushed: 0 at -709, where -8.6148e-306 is right."""
    power = np.exp(-abs(x))
    s = np.where(x < 0, power, 1) / (1 + power)
    s = np.where(s < 2.0**-1022, 0, s)
    finite = np.where(np.isinf(x), 0, x)
    return s * (1 + finite * (1 / (1 + np.exp(x))))


@fault(
    "special-value", "gelu", "binary32", source="the limit of the density term, kind of pytorch#192318", derivative=1
)
def gradient_at_infinity(x: Array) -> Array:
    """x phi(x) is inf * 0 = NaN at both infinities, where 1 and 0 are right."""
    return np.where(np.isinf(x), x * 0, gelu_gradient(x))


@fault("coarse-approximation", "gelu", "binary32", source="a clamp to [0, 1] on a gradient", derivative=1)
def gradient_clamped(x: Array) -> Array:
    """G' clamped to [0, 1], although it goes from -0.129 to 1.129."""
    return np.clip(gelu_gradient(x), np.asarray(0, x.dtype), np.asarray(1, x.dtype))


def silu_gradient_by_quotients(x: Array) -> Array:
    """Differentiate x/(1 + e^-x) as a quotient: infinity over infinity left of -88.7."""
    power = exp(-x)
    return 1 / (1 + power) + x * power / ((1 + power) * (1 + power))


@fault(
    "overflow",
    "silu",
    "binary32",
    source="sigmoid by z/(1 + e^-z), differentiated automatically",
    gradient=silu_gradient_by_quotients,
    also=("special-value",),
)
def clean_forward_nan_backward(x: Array) -> Array:
    """A clean forward pass whose gradient is NaN at -548.3162."""
    return silu_factored(x)


_MISMATCH = "a fused backward pass of another form"


@fault("forward-backward-mismatch", "gelu_sigmoid", "binary32", source=_MISMATCH, gradient=gelu_tanh_gradient)
def sigmoid_forward_tanh_backward(x: Array) -> Array:
    """Forward the sigmoid form, backward the derivative of the tanh form."""
    return gelu_sigmoid_factored(x)


@fault("forward-backward-mismatch", "gelu", "binary32", "bfloat16", source=_MISMATCH, gradient=gelu_tanh_gradient)
def exact_forward_tanh_backward(x: Array) -> Array:
    """Forward GELU, backward the derivative of the tanh form."""
    return np.where(x == -np.inf, np.asarray(-0.0, x.dtype), gelu_by_erfc(x))


@fault("forward-backward-mismatch", "gelu_tanh", "binary32", source=_MISMATCH, gradient=gelu_gradient)
def tanh_forward_exact_backward(x: Array) -> Array:
    """Forward the tanh form, backward the derivative of GELU."""
    return gelu_tanh_factored(x)


@fault("forward-backward-mismatch", "silu", "binary32", source=_MISMATCH, gradient=gelu_sigmoid_gradient)
def silu_forward_sigmoid_form_backward(x: Array) -> Array:
    """Forward SiLU, backward the derivative of x sigmoid(1.702 x)."""
    return silu_factored(x)
