"""Implementations that are right at every finite nonzero input and wrong at zeros, infinities or NaN."""

import numpy as np

from gelu_verify.faults.elementary import SQRT_HALF, Array, cubic, erfc
from gelu_verify.faults.record import fault

_MINUS_INFINITY = "pytorch#192318, the same in jax and onnxruntime"


def _gelu(x: Array) -> Array:
    """Return GELU from binary64, right to half an ulp at every finite input of a narrower format."""
    wide = x.astype(np.float64)
    return (0.5 * wide * erfc(-wide * SQRT_HALF)).astype(x.dtype)


def _sigmoid(z: Array) -> Array:
    wide = z.astype(np.float64)
    power = np.exp(-abs(wide))
    return np.where(wide < 0, power, 1) / (1 + power)


@fault("special-value", "gelu", "binary32", "bfloat16", "binary16", source=_MINUS_INFINITY)
def erfc_form_at_minus_infinity(x: Array) -> Array:
    """x erfc(-x/sqrt 2)/2 is right in the tail, but -inf times 0 is NaN."""
    return _gelu(x)


@fault("special-value", "gelu_tanh", "binary32", "bfloat16", source=_MINUS_INFINITY)
def factored_tanh_at_minus_infinity(x: Array) -> Array:
    """x sigmoid(2u) is right in the tail, but -inf times 0 is NaN."""
    wide = x.astype(np.float64)
    return (wide * _sigmoid(2 * cubic(wide))).astype(x.dtype)


@fault("special-value", "gelu_sigmoid", "binary32", "bfloat16", source=_MINUS_INFINITY)
def sigmoid_form_at_minus_infinity(x: Array) -> Array:
    """x sigmoid(1.702 x): -inf times 0 is NaN."""
    wide = x.astype(np.float64)
    return (wide * _sigmoid(1.702 * wide)).astype(x.dtype)


@fault("special-value", "silu", "binary32", "binary16", source=_MINUS_INFINITY)
def silu_at_minus_infinity(x: Array) -> Array:
    """x sigmoid(x): -inf times 0 is NaN."""
    wide = x.astype(np.float64)
    return (wide * _sigmoid(wide)).astype(x.dtype)


def _guarded(x: Array) -> Array:
    return np.where(x == -np.inf, np.asarray(-0.0, x.dtype), _gelu(np.where(x == -np.inf, np.asarray(0, x.dtype), x)))


@fault("special-value", "gelu", "binary32", "binary16", source="nan_to_num on the output, seen in training scripts")
def nan_swallowed(x: Array) -> Array:
    """nan_to_num on the output: NaN becomes 0 and is never noticed."""
    return np.where(np.isnan(x), np.asarray(0, x.dtype), _guarded(x))


@fault("special-value", "gelu", "binary32", source="clamp by min and max that drop NaN, kind of nan_to_num")
def nan_clamped(x: Array) -> Array:
    """A clamp by fmax drops NaN: the output is the lower limit."""
    return _guarded(np.fmax(x, np.asarray(-60, x.dtype)))


@fault("special-value", "gelu", "binary32", source="pytorch#185770, there only in the vector path")
def plus_infinity_becomes_nan(x: Array) -> Array:
    """+inf gives NaN, as inf - inf in a blend of two branches does."""
    return np.where(x == np.inf, np.asarray(np.nan, x.dtype), _guarded(x))


@fault("special-value", "gelu", "binary32", source="saturation to the largest number, kind of nan_to_num")
def infinity_saturated(x: Array) -> Array:
    """+inf gives the largest finite number."""
    return np.where(x == np.inf, np.asarray(np.finfo(x.dtype).max, x.dtype), _guarded(x))


@fault("special-value", "gelu", "binary32", source="a floor under the probability, kind of log-sum-exp guards")
def minus_infinity_kept(x: Array) -> Array:
    """-inf stays -inf, as with a smallest positive factor that never becomes zero."""
    return np.where(x == -np.inf, x, _guarded(x))


@fault("special-value", "gelu", "binary32", "bfloat16", source="adding +0 or taking a maximum with it")
def negative_zero_lost(x: Array) -> Array:
    """-0 gives +0: the sign of zero is lost in a final addition."""
    return _guarded(x) + np.asarray(0, x.dtype)


@fault(
    "special-value", "gelu", "binary32", source="division by x to recover the gate, kind of a backward from the output"
)
def gate_by_division(x: Array) -> Array:
    """x times (G(x)/x): 0/0 is NaN at zero."""
    wide = x.astype(np.float64)
    return np.where(x == 0, x / x, _guarded(wide).astype(x.dtype))
