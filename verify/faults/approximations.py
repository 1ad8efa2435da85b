"""Polynomials, tables and thresholds that are too coarse for the format."""

import numpy as np

from gelu_verify.faults.correct import gelu_by_erfc, gelu_tanh_factored
from gelu_verify.faults.elementary import SQRT_HALF, Array, cubic
from gelu_verify.faults.record import fault

_TAIL = ("cancellation",)


def _by_erf(x: Array, erf_of_wide: Array) -> Array:
    """Return x (1 + erf)/2 from binary64 values of an approximate erf."""
    return (0.5 * x.astype(np.float64) * (1 + erf_of_wide)).astype(x.dtype)


def _finite(x: Array) -> Array:
    """Return x in binary64, with infinities replaced by a large number, so that polynomials stay finite."""
    return np.clip(x.astype(np.float64), -1e30, 1e30)


def _with_infinities(result: Array, x: Array) -> Array:
    limits = np.where(x > 0, x, np.asarray(-0.0, x.dtype))
    return np.where(np.isinf(x), limits, result)


_LAWS = ("property-violation",)  # a coarse curve breaks the reflection, or turns where GELU does not


@fault("coarse-approximation", "gelu", "binary32", "binary16", source="I-BERT", also=("property-violation",))
def integer_polynomial_erf(x: Array) -> Array:
    """I-BERT's erf: sign(t)(a (min(|t|, -b) + b)^2 + 1) with a = -0.2888, b = -1.769."""
    t = _finite(x) * SQRT_HALF
    erf = np.sign(t) * (-0.2888 * (np.minimum(abs(t), 1.769) - 1.769) ** 2 + 1)
    return _with_infinities(_by_erf(x, erf), x)


def _hastings(t: Array, p: float, *coefficients: float) -> Array:
    """Return 1 - (c1 s + c2 s^2 + ...) e^(-t^2) with s = 1/(1 + p t), for t >= 0."""
    s = 1 / (1 + p * t)
    total = np.zeros_like(t)
    for coefficient in reversed(coefficients):
        total = (total + coefficient) * s
    return 1 - total * np.exp(-t * t)


@fault("coarse-approximation", "gelu", "binary32", source="Abramowitz & Stegun 7.1.26 in public kernels", also=_TAIL)
def abramowitz_stegun_7_1_26(x: Array) -> Array:
    """erf to 1.5e-7 by Abramowitz & Stegun 7.1.26."""
    t = _finite(x) * SQRT_HALF
    erf = _hastings(abs(t), 0.3275911, 0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
    return _with_infinities(_by_erf(x, np.copysign(erf, t)), x)


@fault("coarse-approximation", "gelu", "binary32", source="Abramowitz & Stegun 7.1.25 in public kernels", also=_TAIL)
def abramowitz_stegun_7_1_25(x: Array) -> Array:
    """erf to 2.5e-5 by Abramowitz & Stegun 7.1.25."""
    t = _finite(x) * SQRT_HALF
    erf = _hastings(abs(t), 0.47047, 0.3480242, -0.0958798, 0.7478556)
    return _with_infinities(_by_erf(x, np.copysign(erf, t)), x)


@fault("coarse-approximation", "gelu", "binary32", source="Abramowitz & Stegun 7.1.28 in public kernels", also=_TAIL)
def abramowitz_stegun_7_1_28(x: Array) -> Array:
    """erf to 3e-7 by Abramowitz & Stegun 7.1.28, the sixteenth power of a polynomial."""
    t = _finite(x) * SQRT_HALF
    powers = (1, 0.0705230784, 0.0422820123, 0.0092705272, 0.0001520143, 0.0002765672, 0.0000430638)
    erf = 1 - np.polynomial.polynomial.polyval(np.minimum(abs(t), 1e4), powers) ** -16
    return _with_infinities(_by_erf(x, np.copysign(erf, t)), x)


@fault(
    "coarse-approximation", "gelu", "binary32", "binary16", source="Winitzki's erf (2008) in shader code", also=_TAIL
)
def erf_by_winitzki(x: Array) -> Array:
    """erf t as sqrt(1 - e^(-t^2 (4/pi + 0.147 t^2)/(1 + 0.147 t^2)))."""
    t = np.clip(_finite(x) * SQRT_HALF, -1e4, 1e4)
    square = t * t
    power = np.exp(-square * (4 / np.pi + 0.147 * square) / (1 + 0.147 * square))
    return _with_infinities(_by_erf(x, np.copysign(np.sqrt(1 - power), t)), x)


# x/2 plus this even polynomial is GELU on [-5.5, 5.5], fitted to degree 15 by least squares on Chebyshev points.
_EVEN_PART = (
    2.98e-5,
    0.3869703362,
    -0.05462830205,
    0.005675291942,
    -0.0003589630938,
    1.324257073e-05,
    -2.612006033e-07,
    2.123605121e-09,
)


@fault(
    "coarse-approximation",
    "gelu",
    "binary32",
    source="a degree-15 fit in a public kernel",
    also=("special-value", "property-violation"),
)
def polynomial_of_degree_15(x: Array) -> Array:
    """A polynomial that leaves 2.98e-5 at x = 0, with 0 left of -5.5 and x right of 5.5."""
    wide = np.clip(x.astype(np.float64), -5.5, 5.5)
    middle = 0.5 * wide + np.polynomial.polynomial.polyval(wide * wide, _EVEN_PART)
    return np.where(abs(x) < 5.5, middle.astype(x.dtype), np.where(x > 0, x, _zero(x)))


def _zero(x: Array) -> Array:
    """Return -0, and NaN where x is NaN."""
    return np.where(np.isnan(x), x, np.asarray(-0.0, x.dtype))


_KNOTS = (0.0, 0.50855, 1.0, 1.5, 2.0, 3.0, 4.0)
_GAPS = (1.0443e-4, 0.15543, 0.158655, 0.100211, 0.0455003, 0.00404969, 0.0)  # max(x, 0) - G(x) at the knots


@fault(
    "coarse-approximation",
    "gelu",
    "binary32",
    "bfloat16",
    source="a table in a microcontroller library, claimed to be within 1 ulp",
    also=("special-value", "property-violation"),
)
def six_segments(x: Array) -> Array:
    """max(x, 0) minus a piecewise linear table on |x| of six segments: f(0) = -1.0443e-4."""
    size = np.minimum(abs(x.astype(np.float64)), 1e30)
    gap = np.interp(size, _KNOTS, _GAPS)
    result = np.maximum(x.astype(np.float64), 0) - gap
    return np.where(np.isnan(x), x, result.astype(x.dtype))


@fault(
    "coarse-approximation", "gelu", "binary32", "bfloat16", source="hard swish as GELU in mobile networks", also=_LAWS
)
def hard_swish_for_gelu(x: Array) -> Array:
    """x min(max(x + 3, 0), 6)/6."""
    return _hard_swish(x)


@fault(
    "coarse-approximation", "silu", "binary32", "binary16", source="hard swish as SiLU in mobile networks", also=_LAWS
)
def hard_swish_for_silu(x: Array) -> Array:
    """x min(max(x + 3, 0), 6)/6."""
    return _hard_swish(x)


def _hard_swish(x: Array) -> Array:
    wide = _finite(x)
    return _with_infinities((wide * np.clip(wide + 3, 0, 6) / 6).astype(x.dtype), x)


@fault(
    "coarse-approximation", "gelu", "binary32", source="the gate as a clipped line, in quantised networks", also=_LAWS
)
def clipped_line(x: Array) -> Array:
    """x min(max(0.5 + 0.2 x, 0), 1)."""
    wide = _finite(x)
    return _with_infinities((wide * np.clip(0.5 + 0.2 * wide, 0, 1)).astype(x.dtype), x)


@fault("coarse-approximation", "gelu", "binary32", "binary64", source="saturation at a threshold too close to zero")
def saturated_at_4(x: Array) -> Array:
    """0 left of -4 and x right of 4."""
    return np.where(abs(x) < 4, gelu_by_erfc(x), np.where(x > 0, x, _zero(x)))


@fault("coarse-approximation", "gelu_tanh", "binary32", "bfloat16", source="saturation at a threshold")
def zero_from_minus_5(x: Array) -> Array:
    """0 left of -5, right elsewhere."""
    return np.where(x < -5, np.asarray(-0.0, x.dtype), gelu_tanh_factored(x))


@fault("coarse-approximation", "gelu", "binary32", source="saturation at a threshold", also=_LAWS)
def identity_from_4(x: Array) -> Array:
    """x right of 4, right elsewhere: 531 ulp too much at 4."""
    return np.where(x > 4, x, gelu_by_erfc(x))


@fault("coarse-approximation", "gelu", "binary32", source="saturation at a threshold")
def zero_from_minus_8(x: Array) -> Array:
    """0 left of -8, right elsewhere: beyond what a sum of numbers near 1 could tell from zero."""
    return np.where(x < -8, np.asarray(-0.0, x.dtype), gelu_by_erfc(x))


@fault("coarse-approximation", "gelu", "binary16", source="saturation at a threshold")
def zero_from_minus_5_in_half(x: Array) -> Array:
    """0 from -5 on, where binary16 has 24 subnormal steps left."""
    return np.where(x <= -5, np.asarray(-0.0, x.dtype), gelu_by_erfc(x))


@fault("coarse-approximation", "silu", "binary32", "bfloat16", source="the argument of exp clamped in int8 networks")
def exponential_clamped_at_20(x: Array) -> Array:
    """x/(1 + e^min(-x, 20)): from -20 on the gate stays at 2.06e-9 and the result grows with x."""
    wide = x.astype(np.float64)
    return (wide / (1 + np.exp(np.minimum(-wide, 20)))).astype(x.dtype)


@fault("coarse-approximation", "gelu", "binary32", source="inputs clamped to keep a table small", also=_LAWS)
def input_clamped_to_8(x: Array) -> Array:
    """The input is clamped to [-8, 8], so that large inputs give 8."""
    return gelu_by_erfc(np.clip(x, -8, 8))


@fault("coarse-approximation", "gelu", "binary32", source="a lookup table with linear interpolation", also=_LAWS)
def interpolated_table(x: Array) -> Array:
    """256 entries on [-8, 8] with linear interpolation."""
    knots = np.linspace(-8, 8, 257)
    inner = np.interp(_finite(x), knots, gelu_by_erfc(knots)).astype(x.dtype)
    return np.where(abs(x) < 8, inner, np.where(x > 0, x, _zero(x)))


@fault(
    "coarse-approximation",
    "gelu",
    "binary32",
    source="a lookup table without interpolation, in int8 networks",
    also=("property-violation",),
)
def nearest_table_entry(x: Array) -> Array:
    """256 entries on [-8, 8], the nearest one taken."""
    knots = np.linspace(-8, 8, 257)
    index = np.clip(np.rint((np.nan_to_num(_finite(x)) + 8) * 16), 0, 256).astype(np.int64)
    inner = gelu_by_erfc(knots)[index].astype(x.dtype)
    return np.where(abs(x) < 8, inner, np.where(x > 0, x, _zero(x)))


@fault(
    "coarse-approximation",
    "gelu_tanh",
    "binary32",
    source="tanh as u(27 + u^2)/(27 + 9u^2) in audio and shader code",
    also=_LAWS,
)
def tanh_by_small_fraction(x: Array) -> Array:
    """tanh u as u(27 + u^2)/(27 + 9u^2), clamped to [-1, 1]."""
    u = np.clip(cubic(_finite(x)), -3, 3)
    t = np.clip(u * (27 + u * u) / (27 + 9 * u * u), -1, 1)
    return _with_infinities(_by_erf(x, t), x)


@fault("coarse-approximation", "gelu_tanh", "binary32", "bfloat16", source="Lambert's fraction, clamped, in audio code")
def tanh_by_lambert(x: Array) -> Array:
    """tanh u by four steps of Lambert's continued fraction, u clamped to [-4.97, 4.97]."""
    u = np.clip(cubic(_finite(x)), -4.97, 4.97)
    square = u * u
    above = 135135 + square * (17325 + square * (378 + square))
    below = 135135 + square * (62370 + square * (3150 + square * 28))
    return _with_infinities(_by_erf(x, np.clip(u * above / below, -1, 1)), x)


@fault("coarse-approximation", "silu", "binary32", source="e^z as (1 + z/256)^256 in shader code", also=_LAWS)
def exponential_by_power(x: Array) -> Array:
    """x/(1 + e^-x) with e^z as (1 + z/256)^256."""
    z = np.clip(_finite(x), -40, 40)
    power = (1 + abs(z) / -256) ** 256
    gate = np.where(z < 0, power, 1) / (1 + power)
    return _with_infinities((_finite(x) * gate).astype(x.dtype), x)


@fault(
    "coarse-approximation", "silu", "binary32", source="Schraudolph's exponential from the exponent field", also=_LAWS
)
def exponential_by_bits(x: Array) -> Array:
    """x/(1 + e^-x) with e^z read off the exponent field (Schraudolph 1999)."""
    z = -abs(np.clip(_finite(x), -80, 80))
    power = (12102203.161561485 * z + 1064866805).astype(np.int32).view(np.float32).astype(np.float64)
    gate = np.where(_finite(x) < 0, power, 1) / (1 + power)
    return _with_infinities((_finite(x) * gate).astype(x.dtype), x)


@fault(
    "coarse-approximation",
    "gelu",
    "bfloat16",
    source="one input of a public bfloat16 kernel that falls through to the identity",
    onset=0xB4AB,
    also=_LAWS,
)
def identity_at_one_input(x: Array) -> Array:
    """x in place of x/2 at the one input -3.1851232e-07."""
    return np.where(x == np.asarray(-3.1851232051849365e-07, x.dtype), x, gelu_by_erfc(x))
