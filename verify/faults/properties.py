"""Values that break what every reader knows of the function: its sign, its range, its symmetry."""

import numpy as np

from gelu_verify.faults.correct import gelu_by_erfc, logistic
from gelu_verify.faults.elementary import Array, cubic, erf
from gelu_verify.faults.record import fault

_NUMERATOR = (
    -2.76076847742355e-16,
    2.00018790482477e-13,
    -8.60467152213735e-11,
    5.12229709037114e-08,
    1.48572235717979e-05,
    6.37261928875436e-04,
    4.89352455891786e-03,
)
_DENOMINATOR = (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03)


@fault(
    "property-violation",
    "gelu",
    "binary16",
    source="ncnn#6979: coefficients of a binary32 tanh used in binary16",
    also=("coarse-approximation", "overflow"),
)
def tanh_above_one(x: Array) -> Array:
    """A rational tanh that saturates at 1.044 in binary16: f(-100) = +2.2."""
    u = np.clip(cubic(np.clip(x, -20, 20)), -9, 9)
    t = u * _horner(u * u, _NUMERATOR) / _horner(u * u, _DENOMINATOR)
    return np.where(np.isinf(x), np.where(x > 0, x, np.asarray(-0.0, x.dtype)), 0.5 * x * (1 + t))


def _horner(s: Array, coefficients: tuple[float, ...]) -> Array:
    total = np.zeros_like(s)
    for coefficient in coefficients:
        total = total * s + np.asarray(coefficient, s.dtype)
    return total


@fault("property-violation", "gelu", "binary32", "bfloat16", source="an odd table", also=("coarse-approximation",))
def odd_continuation(x: Array) -> Array:
    """f(-x) computed as -f(x): the reflection G(x) - G(-x) = x does not hold."""
    return np.copysign(gelu_by_erfc(abs(x)), x)


@fault("property-violation", "gelu", "binary32", source="an even table", also=("coarse-approximation",))
def even_continuation(x: Array) -> Array:
    """f(-x) computed as f(x)."""
    return gelu_by_erfc(abs(x))


@fault("property-violation", "gelu", "binary32", source="a magnitude computed without its sign")
def sign_lost(x: Array) -> Array:
    """|G(x)|: the small negative lobe comes out positive."""
    return abs(gelu_by_erfc(x))


@fault("property-violation", "erf", "binary32", source="jaxlib: 7383 inputs near 3.77 give erf > 1")
def erf_above_one(x: Array) -> Array:
    """erf exceeds 1 by one ulp on [3.6962414, 3.8325036]."""
    above = np.nextafter(np.asarray(1, x.dtype), np.asarray(2, x.dtype))
    return np.where((abs(x) >= 3.6962413787841797) & (abs(x) <= 3.8325035572052), np.copysign(above, x), erf(x))


@fault("property-violation", "tanh", "binary32", source="a tanh without a final clamp, kind of ncnn#6979")
def tanh_above_one_by_an_ulp(x: Array) -> Array:
    """tanh exceeds 1 by one ulp from 9.1 on."""
    above = np.nextafter(np.asarray(1, x.dtype), np.asarray(2, x.dtype))
    return np.where(abs(x) >= 9.1, np.copysign(above, x), np.tanh(x.astype(np.float64)).astype(x.dtype))


@fault("property-violation", "sigmoid", "binary32", source="a sigmoid by polynomial without a final clamp")
def sigmoid_below_zero(x: Array) -> Array:
    """The sigmoid turns slightly negative left of -100."""
    return np.where(x < -100, np.asarray(-1e-45, x.dtype), logistic(x))
