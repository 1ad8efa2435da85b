"""The right formula with a wrong number in it.

All but the last few are rounded once from binary64, so that nothing but the constant is wrong.
"""

import math

import numpy as np

from gelu_verify.faults.elementary import SQRT_2_OVER_PI, SQRT_HALF, Array, cubic, erfc, tanh
from gelu_verify.faults.record import fault

_TYPED = "digits dropped or swapped in a constant, found in public code"
_SCALE = "2/sqrt(pi) for sqrt(2/pi): ten public Rust files, one with a test that expects it"


def _tanh_form(x: Array, c: float, a: float = SQRT_2_OVER_PI) -> Array:
    """Return x (1 + tanh(a(x + c x^3)))/2 as x sigmoid(2a(x + c x^3))."""
    wide = x.astype(np.float64)
    z = 2 * a * wide * (1 + c * wide * wide)
    power = np.exp(-abs(z))
    result = (wide * (np.where(z < 0, power, 1) / (1 + power))).astype(x.dtype)
    return np.where(x == -np.inf, np.asarray(-0.0, x.dtype), result)


def _sigmoid_form(x: Array, k: float) -> Array:
    return _tanh_form(x, 0.0, k / 2)


def _erf_form(x: Array, scale: float) -> Array:
    """Return x (1 + erf(scale x))/2 as x erfc(-scale x)/2."""
    wide = x.astype(np.float64)
    result = (0.5 * wide * erfc(-wide * scale)).astype(x.dtype)
    return np.where(x == -np.inf, np.asarray(-0.0, x.dtype), result)


@fault("wrong-constant", "gelu_tanh", "binary32", "binary64", source=_TYPED)
def cubic_0_044175(x: Array) -> Array:
    """0.044175 for 0.044715: two digits swapped."""
    return _tanh_form(x, 0.044175)


@fault("wrong-constant", "gelu_tanh", "binary32", "bfloat16", source=_TYPED)
def cubic_0_047715(x: Array) -> Array:
    """0.047715 for 0.044715: a digit doubled."""
    return _tanh_form(x, 0.047715)


@fault("wrong-constant", "gelu_tanh", "binary32", "binary16", "bfloat16", source=_TYPED)
def cubic_0_47715(x: Array) -> Array:
    """0.47715 for 0.044715."""
    return _tanh_form(x, 0.47715)


@fault("wrong-constant", "gelu_tanh", "binary32", "binary16", source=_TYPED)
def cubic_0_04715(x: Array) -> Array:
    """0.04715 for 0.044715: a digit dropped."""
    return _tanh_form(x, 0.04715)


@fault("wrong-constant", "gelu_tanh", "binary32", "bfloat16", source=_TYPED)
def cubic_0_0047715(x: Array) -> Array:
    """0.0047715 for 0.044715."""
    return _tanh_form(x, 0.0047715)


@fault("wrong-constant", "gelu_tanh", "binary32", source=_TYPED)
def cubic_0_44715(x: Array) -> Array:
    """0.44715 for 0.044715: the decimal point moved."""
    return _tanh_form(x, 0.44715)


@fault("wrong-constant", "gelu_tanh", "binary32", source=_TYPED)
def cubic_0_044714(x: Array) -> Array:
    """0.044714 for 0.044715: the last digit."""
    return _tanh_form(x, 0.044714)


@fault("wrong-constant", "gelu_tanh", "binary16", "bfloat16", source=_TYPED, also=("cancellation",))
def cubic_0_44715_in_place(x: Array) -> Array:
    """0.44715 for 0.044715 in 0.5 x (1 + tanh u), every operation rounded to the format."""
    half, one = np.asarray(0.5, x.dtype), np.asarray(1, x.dtype)
    return half * x * (one + tanh(cubic(x, c=0.44715)))


@fault("wrong-constant", "gelu_tanh", "binary32", source="(0.044715 x)^3 in public code")
def cubic_bracketed(x: Array) -> Array:
    """(0.044715 x)^3 for 0.044715 x^3: the constant is cubed with x."""
    return _tanh_form(x, 0.044715**3)


@fault("wrong-constant", "gelu_tanh", "binary32", "bfloat16", source="the cubic term forgotten, in teaching material")
def cubic_missing(x: Array) -> Array:
    """tanh(sqrt(2/pi) x): the cubic term is missing."""
    return _tanh_form(x, 0.0)


@fault("wrong-constant", "gelu_tanh", "binary32", source="(4 - pi)/(6 pi), the Taylor-matching constant, for 0.044715")
def cubic_by_taylor(x: Array) -> Array:
    """(4 - pi)/(6 pi) = 0.04553992 for 0.044715: matches the series at 0, not the curve."""
    return _tanh_form(x, (4 - math.pi) / (6 * math.pi))


@fault("wrong-constant", "gelu_tanh", "binary32", source="weights and constants stored in bfloat16")
def cubic_in_bfloat16(x: Array) -> Array:
    """0.044715 stored in bfloat16, which is 0.044677734375."""
    return _tanh_form(x, 0.044677734375)


@fault("wrong-constant", "gelu_tanh", "binary32", "binary16", "bfloat16", source=_SCALE)
def scale_2_over_sqrt_pi(x: Array) -> Array:
    """2/sqrt(pi) = 1.1283791671 for sqrt(2/pi)."""
    return _tanh_form(x, 0.044715, 2 / math.sqrt(math.pi))


@fault("wrong-constant", "gelu_tanh", "binary32", source="the fraction under the root turned over, kind of 2/sqrt(pi)")
def scale_sqrt_pi_over_2(x: Array) -> Array:
    """sqrt(pi/2) for sqrt(2/pi)."""
    return _tanh_form(x, 0.044715, math.sqrt(math.pi / 2))


@fault("wrong-constant", "gelu_tanh", "binary32", source="pi typed as 3.14, in teaching material")
def scale_with_pi_3_14(x: Array) -> Array:
    """sqrt(2/3.14) for sqrt(2/pi)."""
    return _tanh_form(x, 0.044715, math.sqrt(2 / 3.14))


@fault("wrong-constant", "gelu_tanh", "binary32", source="sqrt(2/pi) rounded to three digits")
def scale_0_798(x: Array) -> Array:
    """0.798 for sqrt(2/pi) = 0.79788456."""
    return _tanh_form(x, 0.044715, 0.798)


@fault("wrong-constant", "gelu_tanh", "binary32", source="six-digit constants 0.797885 and 0.035677 in public kernels")
def six_digit_constants(x: Array) -> Array:
    """tanh(0.797885 x + 0.035677 x^3): six digits are not enough for binary32."""
    return _tanh_form(x, 0.035677 / 0.797885, 0.797885)


@fault("wrong-constant", "gelu_tanh", "binary32", source="the bracket closed too early in a port")
def cubic_not_scaled(x: Array) -> Array:
    """tanh(sqrt(2/pi) x + 0.044715 x^3): the cubic term lacks the factor sqrt(2/pi)."""
    return _tanh_form(x, 0.044715 / SQRT_2_OVER_PI)


@fault("wrong-constant", "gelu_tanh", "binary32", source="tanh replaced by the sigmoid without doubling its argument")
def sigmoid_of_u(x: Array) -> Array:
    """x sigmoid(u) for x sigmoid(2u)."""
    return _tanh_form(x, 0.044715, SQRT_2_OVER_PI / 2)


@fault("wrong-constant", "gelu_tanh", "binary16", "bfloat16", source=_TYPED)
def cubic_0_04475(x: Array) -> Array:
    """0.04475 for 0.044715, in formats that show it in the tail alone."""
    return _tanh_form(x, 0.04475)


@fault("wrong-constant", "gelu_tanh", "bfloat16", source="sqrt(2/pi) rounded to one digit")
def scale_0_8(x: Array) -> Array:
    """0.8 for sqrt(2/pi) = 0.79788456."""
    return _tanh_form(x, 0.044715, 0.8)


@fault("wrong-constant", "gelu_tanh", "binary32", source="weights and constants stored in bfloat16")
def constants_in_bfloat16(x: Array) -> Array:
    """Both constants stored in bfloat16, as 0.796875 and 0.044677734375."""
    return _tanh_form(x, 0.044677734375, 0.796875)


@fault("wrong-form", "gelu_tanh", "binary32", source="transformers#11514", also=("coarse-approximation",))
def constants_exchanged(x: Array) -> Array:
    """tanh(0.044715 x (1 + 7978845608 x^2)): the result is closer to ReLU than to GELU."""
    return 0.5 * x * (1 + tanh(0.044715 * x * (1 + 7978845608 * x * x)))


@fault("wrong-constant", "gelu_sigmoid", "binary32", "bfloat16", source="mlx#744: code and comment disagree")
def sigmoid_1_773(x: Array) -> Array:
    """x sigmoid(1.773 x) for 1.702."""
    return _sigmoid_form(x, 1.773)


@fault("wrong-constant", "x*sigmoid(1.773*x)", "binary32", source="mlx#744, the reverse")
def sigmoid_1_702(x: Array) -> Array:
    """x sigmoid(1.702 x) for a documented 1.773."""
    return _sigmoid_form(x, 1.702)


@fault("wrong-constant", "gelu_sigmoid", "binary32", "binary16", source="1.702 shortened to 1.7")
def sigmoid_1_7(x: Array) -> Array:
    """x sigmoid(1.7 x) for 1.702."""
    return _sigmoid_form(x, 1.7)


@fault("wrong-constant", "gelu_sigmoid", "binary32", source="sqrt(8/pi), the slope-matching constant, for 1.702")
def sigmoid_by_slope(x: Array) -> Array:
    """x sigmoid(sqrt(8/pi) x) for 1.702."""
    return _sigmoid_form(x, math.sqrt(8 / math.pi))


@fault("wrong-constant", "gelu", "binary32", source="1/sqrt 2 with five digits, in public kernels")
def divisor_1_41421(x: Array) -> Array:
    """erf(x/1.41421): sqrt 2 with six digits."""
    return _erf_form(x, 1 / 1.41421)


@fault("wrong-constant", "gelu", "binary32", source="1/sqrt 2 with three digits, in public kernels")
def factor_0_707(x: Array) -> Array:
    """erf(0.707 x)."""
    return _erf_form(x, 0.707)


@fault("wrong-constant", "gelu", "binary32", "bfloat16", source="the division by sqrt 2 forgotten")
def division_by_sqrt_2_missing(x: Array) -> Array:
    """erf(x) for erf(x/sqrt 2)."""
    return _erf_form(x, 1.0)


@fault("wrong-constant", "gelu", "binary32", source="division by 2 for division by sqrt 2")
def divided_by_2(x: Array) -> Array:
    """erf(x/2) for erf(x/sqrt 2)."""
    return _erf_form(x, 0.5)


@fault(
    "wrong-constant", "gelu", "binary32", "bfloat16", "binary16", source="the factor 1/2 forgotten", also=("overflow",)
)
def half_missing(x: Array) -> Array:
    """x (1 + erf(x/sqrt 2)): the factor 1/2 is missing."""
    wide = x.astype(np.float64)
    return np.where(x == -np.inf, np.asarray(-0.0, x.dtype), (wide * erfc(-wide * SQRT_HALF)).astype(x.dtype))


@fault("wrong-constant", "gelu", "binary32", source="0.05 typed for 0.5")
def half_typed_0_05(x: Array) -> Array:
    """0.05 x (1 + erf(x/sqrt 2)): a tenth of the function."""
    wide = x.astype(np.float64)
    return np.where(x == -np.inf, np.asarray(-0.0, x.dtype), (0.05 * wide * erfc(-wide * SQRT_HALF)).astype(x.dtype))


@fault("wrong-constant", "gelu", "binary32", source="the gain of normalizer-free networks left in", also=("overflow",))
def gain_1_7015(x: Array) -> Array:
    """1.7015043497 G(x): the gain that keeps the variance belongs to the layer, not to the function."""
    wide = 1.7015043497085571 * x.astype(np.float64)
    gate = erfc(-x.astype(np.float64) * SQRT_HALF) / 2
    return np.where(x == -np.inf, np.asarray(-0.0, x.dtype), (wide * gate).astype(x.dtype))


@fault("wrong-constant", "silu", "binary32", source="e^-x by 2^(-1.44 x), on units that have only the exponential of 2")
def log2_e_1_44(x: Array) -> Array:
    """x/(1 + 2^(-1.44 x)): log2(e) = 1.442695 rounded to three digits."""
    return _sigmoid_form(x, 1.44 * math.log(2))


@fault("wrong-constant", "leaky_relu", "binary32", "binary16", source="slopes 0.1 and 0.01 mixed up between libraries")
def leaky_relu_slope_0_1(x: Array) -> Array:
    """Slope 0.1 for 0.01."""
    return np.where(x < 0, np.asarray(0.1, x.dtype) * x, x)


@fault("wrong-constant", "elu", "binary32", source="the alpha of SELU in ELU")
def elu_alpha_1_67(x: Array) -> Array:
    """alpha = 1.67326324 for 1."""
    wide = x.astype(np.float64)
    return np.where(x < 0, (1.6732632423543772 * np.expm1(np.minimum(wide, 0))).astype(x.dtype), x)
