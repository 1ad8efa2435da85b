"""The same input gives different bits: by length, position, layout, neighbours or repetition."""

import itertools

import numpy as np

from gelu_verify.faults.correct import gelu_by_erfc, gelu_tanh_factored, silu_factored
from gelu_verify.faults.elementary import SQRT_HALF, Array, erf
from gelu_verify.faults.record import fault

_VECTOR = "pytorch#189804: scalar and vector code differ"
_LANES = 8


def _nudged(x: Array, where: Array | bool) -> Array:
    """Return GELU, one ulp towards zero wherever the mask says so: no tolerance notices, the bits differ."""
    result = gelu_by_erfc(x)
    return np.where(where & np.isfinite(result), np.nextafter(result, np.asarray(0, x.dtype)), result)


def _places(x: Array) -> Array:
    return np.arange(x.size).reshape(x.shape)


@fault("path-dependence", "gelu", "binary32", source=_VECTOR, also=("cancellation",))
def scalar_for_short_or_strided(x: Array) -> Array:
    """Short or strided arrays take a scalar erf, contiguous ones of eight a vector erf that saturates at 3.9."""
    t = x * SQRT_HALF
    scalar = erf(t)
    vector = np.where(abs(t) > 3.9, np.copysign(np.asarray(1, x.dtype), t), scalar)
    full_vectors = x.size >= _LANES and x.flags.c_contiguous
    return 0.5 * x * (1 + (vector if full_vectors else scalar))


@fault("path-dependence", "gelu", "binary32", source="the tail of a vector loop handled by a scalar routine")
def remainder_by_other_routine(x: Array) -> Array:
    """The elements after the last full block of eight take another routine."""
    return _nudged(x, _places(x) >= x.size // _LANES * _LANES)


@fault("path-dependence", "gelu", "binary32", source="a loop peeled for alignment")
def first_element_by_other_routine(x: Array) -> Array:
    """The first element of a longer array takes another routine."""
    return _nudged(x, (_places(x) == 0) & (x.size > 16))


@fault("path-dependence", "gelu_tanh", "binary32", source="work shared among threads by length")
def long_arrays_by_other_routine(x: Array) -> Array:
    """Arrays of more than 2048 elements take another routine."""
    result = gelu_tanh_factored(x)
    return np.nextafter(result, np.asarray(0, x.dtype)) if x.size > 2048 else result


@fault(
    "path-dependence",
    "gelu",
    "binary32",
    "binary16",
    source="a fast path for contiguous memory, kind of pytorch#189804",
)
def strided_by_other_routine(x: Array) -> Array:
    """Arrays that are not contiguous take another routine."""
    return _nudged(x, not x.flags.c_contiguous)


@fault("path-dependence", "gelu", "binary32", source="pytorch#185770", also=("special-value",))
def infinity_lost_in_vectors(x: Array) -> Array:
    """+inf gives NaN in full vectors and +inf alone."""
    result = gelu_by_erfc(x)
    result = np.where(x == -np.inf, np.asarray(-0.0, x.dtype), result)
    vectors = (x == np.inf) & (x.size >= _LANES)
    return np.where(vectors, np.asarray(np.nan, x.dtype), result)


@fault("path-dependence", "gelu", "binary32", source="odd lengths padded with what was in memory")
def last_of_odd_length(x: Array) -> Array:
    """The last element of arrays of odd length above 32 comes out doubled."""
    result = gelu_by_erfc(x)
    return np.where((_places(x) == x.size - 1) & (x.size % 2 == 1) & (x.size > 32), 2 * result, result)


_calls = itertools.count()


@fault("path-dependence", "silu", "binary32", source="atomics and unordered reductions in GPU kernels")
def different_every_time(x: Array) -> Array:
    """The last bit changes from call to call."""
    result = silu_factored(x)
    return np.nextafter(result, np.asarray(0, x.dtype)) if next(_calls) % 2 else result


@fault("path-dependence", "gelu", "binary32", source="dynamic quantisation: the scale comes from the whole batch")
def scaled_by_the_batch(x: Array) -> Array:
    """The largest element of the batch sets a scale, and with it the last bit of all others."""
    largest = float(np.max(abs(x), initial=0, where=np.isfinite(x)))
    return _nudged(x, 0 < largest < 100)


@fault("path-dependence", "gelu_tanh", "bfloat16", source="a kernel for two-dimensional input, kind of pytorch#189804")
def matrix_by_other_routine(x: Array) -> Array:
    """Arrays of two dimensions take another routine."""
    result = gelu_tanh_factored(x)
    return result if x.ndim < 2 else (result.astype(np.float32) * np.float32(1.01)).astype(x.dtype)


@fault("path-dependence", "gelu", "binary32", source="a loop that ends one element early", also=("special-value",))
def last_element_left_out(x: Array) -> Array:
    """The last element of an array of more than three is never computed and stays zero."""
    left_out = (_places(x) == x.size - 1) & (x.size > 3)
    return np.where(left_out, np.asarray(0, x.dtype), gelu_by_erfc(x))


@fault("path-dependence", "gelu", "bfloat16", source="two lanes of a packed pair handled by different code")
def odd_places_by_other_routine(x: Array) -> Array:
    """Every second element comes out a hundredth too large."""
    result = gelu_by_erfc(x)
    return np.where(_places(x) % 2 == 1, (1.01 * result.astype(np.float32)).astype(x.dtype), result)


@fault("path-dependence", "gelu", "binary32", source="input and output overlap in a vector loop in place")
def neighbours_mixed(x: Array) -> Array:
    """One element of sixteen gets the result of the element before it."""
    flat = gelu_by_erfc(np.ravel(x))
    mixed = flat.copy()
    if flat.size >= 16:
        mixed[5::16] = flat[4::16][: mixed[5::16].size]
    return mixed.reshape(x.shape)
