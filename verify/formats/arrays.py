"""The formats on NumPy arrays: decoding, rounding, ulp, neighbours and ordinals, without a Python loop.

Encodings are arrays of the unsigned type as wide as the format (`storage_dtype`); other integer arrays and lists are
converted when their values fit. Every function returns a new array of the shape of its argument.

Scalar counterparts, one number at a time and with no float in them, are the methods of `gelu_verify.formats.Format`.
"""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.errors import InputError
from gelu_verify.formats.format import Format

Bits = npt.NDArray[Any]  # of one of the four unsigned types
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_NUMPY_TYPES: dict[str, type] = {"binary16": np.float16, "binary32": np.float32, "binary64": np.float64}
_ML_DTYPES = {"bfloat16": "bfloat16", "e4m3fn": "float8_e4m3fn", "e5m2": "float8_e5m2"}

# The fields of binary64, in which everything below computes.
_FRACTION_BITS = 52
_BIAS = 1023
_SIGN = np.uint64(1 << 63)
_INFINITY = np.uint64(0x7FF << _FRACTION_BITS)


def storage_dtype(format: Format) -> np.dtype[Any]:
    """Return the unsigned integer type that holds one encoding.

    >>> from gelu_verify.formats import FORMATS
    >>> [str(storage_dtype(format)) for format in FORMATS.values()]
    ['uint16', 'uint16', 'uint32', 'uint64', 'uint8', 'uint8']
    """
    return np.dtype(f"uint{format.width}")


def native_dtype(format: Format) -> np.dtype[Any]:
    """Return the floating type of the format, to view encodings with: NumPy's own, or one of ml_dtypes.

    Raises InputError when ml_dtypes is needed and not installed.

    >>> from gelu_verify.formats import FORMATS
    >>> np.array([0x3E00], np.uint16).view(native_dtype(FORMATS["binary16"]))
    array([1.5], dtype=float16)
    """
    if format.name in _NUMPY_TYPES:
        return np.dtype(_NUMPY_TYPES[format.name])
    try:
        import ml_dtypes
    except ImportError:
        message = f"arrays of {format.name} need the package ml_dtypes: pip install 'gelu-verify[dtypes]'"
        raise InputError(message) from None
    native: np.dtype[Any] = np.dtype(getattr(ml_dtypes, _ML_DTYPES[format.name]))
    return native


def all_bits(format: Format) -> Bits:
    """Return every encoding of a format of at most 16 bits, in the order of the encodings.

    Raises InputError for wider formats, whose encodings have to be gone through in pieces.

    >>> from gelu_verify.formats import FORMATS
    >>> all_bits(FORMATS["e5m2"])[-2:]
    array([254, 255], dtype=uint8)
    """
    if format.width > 16:
        raise InputError(
            f"all {2**format.width} encodings of {format.name} do not go into one array; 16 bits is the most"
        )
    return np.arange(1 << format.width).astype(storage_dtype(format))


def to_float64(format: Format, bits: npt.ArrayLike) -> Floats:
    """Return the values of encodings; nothing is lost, the sign of zeros and NaNs included.

    Raises InputError when `bits` are not encodings of the format.

    >>> from gelu_verify.formats import FORMATS
    >>> to_float64(FORMATS["e4m3fn"], [0x01, 0x38, 0x7E, 0x7F, 0x80])
    array([ 1.953125e-03,  1.000000e+00,  4.480000e+02,           nan,
           -0.000000e+00])
    """
    encodings = _encodings(format, bits)
    if format.width <= 16:
        return _table(format)[encodings]
    # A signalling NaN would raise the invalid flag, of which NumPy warns.
    with np.errstate(invalid="ignore"):
        return encodings.view(native_dtype(format)).astype(np.float64)


def round_float64(format: Format, values: npt.ArrayLike) -> Bits:
    """Return the encodings nearest to float64 values, ties to even; overflow and signed zeros as in `Format.round`.

    An infinity stays one (NaN where the format has none), and a NaN stays a NaN of the same sign.

    >>> from gelu_verify.formats import FORMATS
    >>> [hex(bits) for bits in round_float64(FORMATS["binary16"], [1 + 2**-11, 65520, -1e-9, np.inf])]
    ['0x3c00', '0x7c00', '0x8000', '0x7c00']
    """
    floats = np.asarray(values, np.float64)
    if format.name in ("binary32", "binary64"):
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            native = floats.astype(native_dtype(format))
        return native.view(storage_dtype(format))
    wide = floats.view(np.uint64)
    size = wide & ~_SIGN
    with np.errstate(over="ignore", invalid="ignore"):
        normal = np.abs(floats) >= 2.0**format.emin
        magnitude = np.where(normal, _normal_magnitudes(format, size), _subnormal_magnitudes(format, size))
    np.minimum(magnitude, np.uint64(format.overflow), out=magnitude)
    magnitude[size > _INFINITY] = format.nan
    sign = (wide & _SIGN) >> np.uint64(64 - format.width)
    rounded: Bits = (magnitude | sign).astype(storage_dtype(format))
    return rounded


def ulp(format: Format, values: npt.ArrayLike) -> Floats:
    """Return the unit in the last place at float64 values, an exact power of two (see `Format.ulp`).

    It is NaN at infinities and NaNs. Computed on the exponent fields alone, so no rounding or flushing mode matters.

    >>> from gelu_verify.formats import FORMATS
    >>> ulp(FORMATS["binary32"], [1.0, -0.75, np.inf]) * 2**24
    array([ 2.,  1., nan])
    """
    field = (np.asarray(values, np.float64).view(np.uint64) & _INFINITY).view(np.int64) >> _FRACTION_BITS
    finite = field < 2047
    field = np.maximum(field, format.emin + _BIAS) - format.fraction_bits
    if format.emin - format.fraction_bits + _BIAS > 0:
        power = field << _FRACTION_BITS
    else:
        # Only in binary64 the power can be subnormal: then it is the fraction bit with that weight.
        power = np.where(field > 0, field << _FRACTION_BITS, 1 << np.minimum(field, 0) + _FRACTION_BITS - 1)
    return np.where(finite, power.view(np.float64), np.nan)


def ordinals(format: Format, bits: npt.ArrayLike) -> Integers:
    """Return the places of encodings in the order of the format (see `Format.ordinal`) as int64.

    NaNs come out beyond the infinities: above if their sign bit is 0, below if it is 1.
    Raises InputError when `bits` are not encodings of the format.

    >>> from gelu_verify.formats import FORMATS
    >>> ordinals(FORMATS["binary16"], [0x8001, 0x8000, 0x0000, 0x0001, 0x7C00])
    array([   -2,    -1,     0,     1, 31744])
    """
    return _mirrored(_encodings(format, bits).view(f"int{format.width}")).astype(np.int64)


def from_ordinals(format: Format, places: npt.ArrayLike) -> Bits:
    """Return the encodings with these ordinals. Raises InputError when the format lacks one of them.

    >>> from gelu_verify.formats import FORMATS
    >>> [hex(bits) for bits in from_ordinals(FORMATS["binary16"], [-2, -1, 0, 1])]
    ['0x8001', '0x8000', '0x0', '0x1']
    """
    array = np.asarray(places, np.int64)
    if array.size:
        for end in (array.min(), array.max()):
            format.from_ordinal(int(end))
    return _mirrored(array.astype(f"int{format.width}")).view(storage_dtype(format))


def next_up(format: Format, bits: npt.ArrayLike) -> Bits:
    """Return the least datum greater than each one; zeros, ends and NaNs as in `Format.next_up`.

    Raises InputError when `bits` are not encodings of the format.

    >>> from gelu_verify.formats import FORMATS
    >>> [hex(bits) for bits in next_up(FORMATS["binary16"], [0x8001, 0x8000, 0x0000, 0x7C00])]
    ['0x8000', '0x1', '0x1', '0x7c00']
    """
    place = _mirrored(_encodings(format, bits).view(f"int{format.width}"))
    greatest = format.max_finite + format.has_infinity
    has_next = (place >= -1 - greatest) & (place < greatest)
    # From -0 the way leads past +0, which is not greater.
    step = has_next.astype(place.dtype) << (place == -1).astype(place.dtype)
    return _mirrored(place + step).view(storage_dtype(format))


def next_down(format: Format, bits: npt.ArrayLike) -> Bits:
    """Return the greatest datum less than each one: `next_up` seen in the mirror.

    Raises InputError when `bits` are not encodings of the format.
    """
    sign = storage_dtype(format).type(format.sign_mask)
    mirrored: Bits = next_up(format, _encodings(format, bits) ^ sign) ^ sign
    return mirrored


def subnormals_are_flushed() -> bool:
    """Tell whether this thread's floating-point unit replaces subnormal numbers by zero.

    A library may have switched that on for the whole process (a shared object linked with -ffast-math, a call of
    torch.set_flush_denormal). Then NumPy's conversions and every implementation under test are off at subnormals.

    >>> subnormals_are_flushed()
    False
    """
    least = np.array([1], np.uint32).view(np.float32)
    # Flushed as an operand or as a result, the product is zero.
    return bool((least * np.float32(1))[0] == 0)


def refuse_flushing(cause: str) -> None:
    """Refuse to measure when subnormal numbers do not exist for the processor: NumPy's own results would be off.

    Arguments:
        cause: who may have switched it on, in words.

    Raises:
        InputError: this thread's floating-point unit replaces subnormal numbers by zero.
    """
    if subnormals_are_flushed():
        raise InputError(
            f"this process replaces subnormal numbers by zero ({cause}); run without, and declare "
            "--flush-subnormals if the implementation is meant to flush"
        )


def _encodings(format: Format, bits: npt.ArrayLike) -> Bits:
    array = np.asarray(bits)
    if array.dtype == storage_dtype(format):
        return array
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"encodings of {format.name} are integers; got an array of {array.dtype}")
    if array.size and not 0 <= int(array.min()) <= int(array.max()) < 1 << format.width:
        raise InputError(f"encodings of {format.name} lie in 0 ... {(1 << format.width) - 1:#x}; some here do not")
    return array.astype(storage_dtype(format))


def _mirrored(signed: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Turn signed views of encodings into ordinals and back: the magnitude bits of the negative ones are inverted."""
    width = 8 * signed.dtype.itemsize
    other: npt.NDArray[Any] = signed ^ (signed >> (width - 1) & signed.dtype.type((1 << (width - 1)) - 1))
    return other


@cache
def _table(format: Format) -> Floats:
    """Return the values of all encodings of a format of at most 16 bits."""
    bits = np.arange(1 << format.width)
    magnitude = bits & ~format.sign_mask
    field, fraction = np.divmod(magnitude, format.min_normal)
    significand = np.where(field > 0, fraction + format.min_normal, fraction)
    value = np.ldexp(significand.astype(np.float64), format.emin - format.fraction_bits + np.maximum(field - 1, 0))
    if format.has_infinity:
        value[magnitude == format.overflow] = np.inf
    value[magnitude > format.max_finite + format.has_infinity] = np.nan
    signed: Floats = np.copysign(value, np.where(bits & format.sign_mask, -1.0, 1.0))
    return signed


def _normal_magnitudes(format: Format, size: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Round encodings of float64 magnitudes of at least 2^emin: drop fraction bits, then correct the exponent field.

    Adding just under half of what is dropped, and one more if the last bit kept is odd, carries exactly when rounding
    to nearest with ties to even goes up; a carry out of the fraction moves the exponent field on by itself.
    """
    dropped = np.uint64(_FRACTION_BITS - format.fraction_bits)
    last_kept = size >> dropped & np.uint64(1)
    rounded = size + last_kept + np.uint64((1 << int(dropped) - 1) - 1) >> dropped
    return rounded - np.uint64((format.emin - 1 + _BIAS) << format.fraction_bits)


def _subnormal_magnitudes(format: Format, size: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Round encodings of float64 magnitudes of at most 2^emin to multiples of the subnormal spacing.

    Adding a power of two whose own ulp is that spacing lets the processor round; the multiple stands in the low bits.
    """
    anchor = np.float64(2.0 ** (format.emin - format.fraction_bits + _FRACTION_BITS))
    return (size.view(np.float64) + anchor).view(np.uint64) - anchor.view(np.uint64)
