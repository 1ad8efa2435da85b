"""An intermediate value kept in fewer bits than the result, and subnormal numbers thrown away."""

import numpy as np

from gelu_verify.faults.correct import gelu_by_erfc, gelu_tanh_factored, silu_factored
from gelu_verify.faults.elementary import SQRT_HALF, Array, computed_in, cubic, erf, exp, tanh
from gelu_verify.faults.record import fault


@fault("low-precision-intermediate", "gelu_tanh", "binary32", source="llama.cpp#29252", also=("coarse-approximation",))
def half_precision_table(x: Array) -> Array:
    """A table over all binary16 inputs inside a binary32 operation, 0 up to -10 and x from 10 on."""
    table = computed_in(np.float16, gelu_tanh_factored)(np.clip(x, -10, 10))
    result = np.where(x <= -10, np.asarray(0, x.dtype), np.where(x >= 10, x, table))
    return np.where(np.isnan(x), x, result)


@fault("low-precision-intermediate", "gelu", "binary32", source="mixed precision around an activation")
def input_in_half(x: Array) -> Array:
    """The input is rounded to binary16 first."""
    rounded = x.astype(np.float16).astype(x.dtype)
    return gelu_by_erfc(np.where(abs(x) < 60000, rounded, x))


@fault("low-precision-intermediate", "gelu", "binary32", source="mixed precision around an activation")
def input_in_bfloat16(x: Array) -> Array:
    """The input is truncated to bfloat16 first."""
    kept = (x.view(np.uint32) & np.uint32(0xFFFF0000)).view(x.dtype)
    return gelu_by_erfc(np.where(np.isnan(x), x, kept))


@fault("low-precision-intermediate", "gelu", "binary32", source="an operation run in half precision by a cast policy")
def output_in_half(x: Array) -> Array:
    """The output goes through binary16 where it fits."""
    result = gelu_by_erfc(x)
    low = result.astype(np.float16).astype(x.dtype)
    return np.where(abs(x) < 60000, np.where(low == 0, np.copysign(low, result), low), result)


@fault("low-precision-intermediate", "silu", "binary32", source="an operation run in bfloat16 by a cast policy")
def output_in_bfloat16(x: Array) -> Array:
    """The output is truncated to bfloat16."""
    result = silu_factored(x)
    kept = (result.view(np.uint32) & np.uint32(0xFFFF0000)).view(x.dtype)
    return np.where(np.isnan(result), result, kept)


@fault("low-precision-intermediate", "gelu_tanh", "binary32", source="tanh.approx.f16 inside an f32 kernel")
def tanh_in_half(x: Array) -> Array:
    """0.5 x (1 + tanh u) with a binary16 tanh."""
    return 0.5 * x * (1 + computed_in(np.float16, tanh)(np.clip(cubic(x), -20, 20)))


@fault(
    "low-precision-intermediate", "gelu", "binary32", source="erf on a special unit of 10 bits, kind of llama.cpp#29252"
)
def erf_in_half(x: Array) -> Array:
    """0.5 x (1 + erf(x/sqrt 2)) with a binary16 erf."""
    return 0.5 * x * (1 + computed_in(np.float16, erf)(np.clip(x * SQRT_HALF, -20, 20)))


@fault("low-precision-intermediate", "silu", "binary32", source="a sigmoid stored in bfloat16 between two kernels")
def sigmoid_in_bfloat16(x: Array) -> Array:
    """x sigmoid(x) with the sigmoid truncated to bfloat16."""
    power = exp(-abs(x))
    gate = np.where(x < 0, power, 1) / (1 + power)
    kept = (gate.view(np.uint32) & np.uint32(0xFFFF0000)).view(x.dtype)
    return np.where(x == -np.inf, np.asarray(-0.0, x.dtype), x * np.where(np.isnan(gate), gate, kept))


@fault("low-precision-intermediate", "gelu_tanh", "binary32", source="TF32 products, kind of llama.cpp#29252")
def argument_in_tf32(x: Array) -> Array:
    """u rounded to the 11 bits of TF32 before the sigmoid."""
    u = cubic(x)
    kept = ((u.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(x.dtype)
    wide = 2 * np.where(np.isfinite(u), kept, u).astype(np.float64)
    power = np.exp(-abs(wide))
    result = (x * (np.where(wide < 0, power, 1) / (1 + power))).astype(x.dtype)
    return np.where(x == -np.inf, np.asarray(-0.0, x.dtype), result)


@fault("low-precision-intermediate", "gelu", "binary64", source="a binary64 operation dispatched to a binary32 kernel")
def double_through_single(x: Array) -> Array:
    """A binary64 function computed in binary32 where the input fits."""
    fits = (abs(x) < 1e30) & (abs(x) > 1e-30)
    safe = np.where(fits, x, np.asarray(1, x.dtype))
    return np.where(fits & (x > -12), gelu_by_erfc(safe.astype(np.float32)).astype(x.dtype), gelu_by_erfc(x))


def _flushed(x: Array) -> Array:
    least = float(np.finfo(x.dtype).tiny) if x.dtype.kind == "f" else 2.0**-126
    return np.where(abs(x) < np.asarray(least, x.dtype), np.copysign(np.asarray(0, x.dtype), x), x)


@fault(
    "subnormal-flush", "gelu", "bfloat16", "binary32", "binary16", source="flush-to-zero units, kind of cases in bf16"
)
def outputs_flushed(x: Array) -> Array:
    """Subnormal outputs become zero."""
    return _flushed(gelu_by_erfc(x))


@fault("subnormal-flush", "gelu_tanh", "binary32", "bfloat16", source="flush-to-zero units")
def tanh_form_outputs_flushed(x: Array) -> Array:
    """Subnormal outputs of the tanh form become zero."""
    return _flushed(gelu_tanh_factored(x))


@fault("subnormal-flush", "silu", "binary32", source="denormals-are-zero mode")
def inputs_flushed(x: Array) -> Array:
    """Subnormal inputs count as zero, outputs do not."""
    return silu_factored(_flushed(x))


@fault("subnormal-flush", "silu", "binary32", "binary64", source="tensorflow#124835")
def gate_flushed(x: Array) -> Array:
    """x sigmoid(x) with a subnormal sigmoid flushed: zero although the product is a normal number."""
    wide = abs(x.astype(np.float64))
    power = np.exp(-wide)
    gate = _flushed((np.where(x < 0, power, 1) / (1 + power)).astype(x.dtype))
    return np.where(x == -np.inf, np.asarray(-0.0, x.dtype), x * gate)
