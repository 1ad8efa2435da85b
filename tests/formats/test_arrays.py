"""The array functions: equal to the scalar ones, to NumPy and to ml_dtypes."""

import subprocess
import sys
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS, Format, arrays

ALL = list(FORMATS.values())
SMALL = [format for format in ALL if format.width <= 16]
NARROW = [format for format in ALL if format.width <= 32]
by_name = {"ids": lambda format: format.name}
NATIVE = {
    "binary16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "binary32": np.float32,
    "binary64": np.float64,
    "e4m3fn": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
}


def sample(format: Format, count: int = 2000) -> np.ndarray[Any, Any]:
    """Return all encodings of a small format; of a wide one random ones and those around the ends of binades."""
    if format.width <= 16:
        return arrays.all_bits(format)
    source = np.random.default_rng(format.width)
    anywhere = source.integers(0, 2**format.width - 1, count, np.uint64, endpoint=True)
    fields = np.arange(1 << (format.width - format.precision), dtype=np.uint64) << np.uint64(format.fraction_bits)
    edges = (fields[:, None] + np.arange(-2, 3).astype(np.uint64)).ravel() & np.uint64(format.sign_mask - 1)
    both = np.concatenate([anywhere, edges, edges | np.uint64(format.sign_mask)])
    return both.astype(arrays.storage_dtype(format))


def hard_doubles(format: Format) -> np.ndarray[Any, Any]:
    """Return every number and every tie of the sample of a narrow format, and the doubles on both sides of each."""
    bits = sample(format)
    value = arrays.to_float64(format, bits)
    value = value[np.isfinite(value)]
    ties = value + arrays.ulp(format, value) / 2
    points = np.concatenate([value, ties])
    around = [points, np.nextafter(points, np.inf), np.nextafter(points, -np.inf)]
    least = np.array([1]).view(np.float64)
    special = np.array([0.0, -0.0, np.inf, -np.inf, 1e308, -1e308, 2.0**-1022, -(2.0**-1022), least[0], -least[0]])
    return np.concatenate([*around, special])


def same_but_for_nan_payloads(format: Format, a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Compare encodings; two NaNs of one sign count as the same."""
    nan_a, nan_b = np.isnan(arrays.to_float64(format, a)), np.isnan(arrays.to_float64(format, b))
    same_sign = (a ^ b) & arrays.storage_dtype(format).type(format.sign_mask) == 0
    return bool(np.all((a == b) | (nan_a & nan_b & same_sign)))


@pytest.mark.parametrize("format", ALL, **by_name)
def test_types_are_those_of_numpy_and_ml_dtypes(format: Format) -> None:
    assert arrays.native_dtype(format) == np.dtype(NATIVE[format.name])
    assert arrays.storage_dtype(format).itemsize * 8 == format.width == arrays.native_dtype(format).itemsize * 8
    info = ml_dtypes.finfo(NATIVE[format.name])
    assert float(info.max) == format.exact(format.max_finite)
    assert float(info.smallest_subnormal) == format.exact(format.min_subnormal)
    assert info.bits == format.width
    assert info.nmant == format.fraction_bits


def test_a_missing_ml_dtypes_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(InputError, match=r"bfloat16.*pip install 'gelu-verify\[dtypes\]'"):
        arrays.native_dtype(FORMATS["bfloat16"])
    assert arrays.native_dtype(FORMATS["binary16"]) == np.float16


@pytest.mark.parametrize("format", ALL, **by_name)
def test_values_are_those_of_the_native_types(format: Format) -> None:
    bits = sample(format)
    got = arrays.to_float64(format, bits)
    native = bits.view(NATIVE[format.name])
    with np.errstate(invalid="ignore"):
        want = native.astype(np.float64)
    assert np.array_equal(got, want, equal_nan=True)
    assert np.array_equal(np.signbit(got), np.array([format.sign(int(b)) for b in bits], bool))


@pytest.mark.parametrize("format", ALL, **by_name)
def test_values_are_those_of_the_scalar_methods(format: Format) -> None:
    for bits, value in zip(sample(format).tolist(), arrays.to_float64(format, sample(format)).tolist(), strict=True):
        assert np.isnan(value) == format.is_nan(bits)
        assert np.isinf(value) == format.is_infinite(bits)
        assert not format.is_finite(bits) or Fraction(value) == format.exact(bits)


@pytest.mark.parametrize("format", ALL, **by_name)
def test_every_sampled_number_rounds_to_itself(format: Format) -> None:
    bits = sample(format)
    assert same_but_for_nan_payloads(format, arrays.round_float64(format, arrays.to_float64(format, bits)), bits)


@pytest.mark.parametrize("format", SMALL, **by_name)
def test_rounding_at_and_beside_every_tie_is_that_of_the_scalar_method(format: Format) -> None:
    doubles = hard_doubles(format)
    if format.width == 16:
        doubles = doubles[:: 7 if format.name == "binary16" else 11]
    rounded = arrays.round_float64(format, doubles)
    for value, bits in zip(doubles.tolist(), rounded.tolist(), strict=True):
        if np.isinf(value):
            assert bits == format.overflow | (format.sign_mask if value < 0 else 0)
        else:
            assert bits == format.round(Fraction(value), negative_zero=bool(np.signbit(value)))


def test_rounding_to_binary16_is_that_of_numpy() -> None:
    doubles = hard_doubles(FORMATS["binary16"])
    with np.errstate(over="ignore"):
        want = doubles.astype(np.float16).view(np.uint16)
    assert np.array_equal(arrays.round_float64(FORMATS["binary16"], doubles), want)


@pytest.mark.parametrize("name", ["bfloat16", "e4m3fn", "e5m2"])
def test_rounding_of_binary32_numbers_is_that_of_ml_dtypes(name: str) -> None:
    """From float32, not from float64: on that way ml_dtypes rounds twice, through float32 (see the next test)."""
    format = FORMATS[name]
    bits = np.random.default_rng(3).integers(0, 2**32 - 1, 200_000, np.uint32, endpoint=True)
    with np.errstate(over="ignore"):
        singles = np.concatenate([bits.view(np.float32), hard_doubles(format).astype(np.float32), [np.float32(464)]])
    singles = singles.astype(np.float32)
    with np.errstate(all="ignore"):
        want = singles.astype(NATIVE[name]).view(arrays.storage_dtype(format))
        doubles = singles.astype(np.float64)
    assert same_but_for_nan_payloads(format, arrays.round_float64(format, doubles), want)


def test_rounding_from_double_to_bfloat16_happens_once() -> None:
    """Just below a tie, the way through binary32 would round up to the tie and then to the even neighbour above."""
    bfloat16 = FORMATS["bfloat16"]
    below_tie = 1 + 3 * 2.0**-8 - 2.0**-40
    assert arrays.round_float64(bfloat16, [below_tie]).tolist() == [bfloat16.round(Fraction(below_tie))] == [0x3F81]
    twice = arrays.round_float64(bfloat16, np.float64(np.float32(below_tie)))
    assert int(twice) == 0x3F82


@pytest.mark.parametrize("name", ["binary32", "binary64"])
def test_rounding_of_wide_formats_is_that_of_the_scalar_method(name: str) -> None:
    format = FORMATS[name]
    doubles = hard_doubles(FORMATS["binary32"])
    rounded = arrays.round_float64(format, doubles)
    for value, bits in zip(doubles.tolist(), rounded.tolist(), strict=True):
        if np.isinf(value):
            assert bits == format.infinity | (format.sign_mask if value < 0 else 0)
        else:
            assert bits == format.round(Fraction(value), negative_zero=bool(np.signbit(value)))


@given(st.sampled_from(ALL), hnp.arrays(np.float64, st.integers(0, 20), elements=st.floats(allow_nan=True)))
def test_rounding_of_any_doubles_is_that_of_the_scalar_method(format: Format, values: np.ndarray[Any, Any]) -> None:
    for value, bits in zip(values.tolist(), arrays.round_float64(format, values).tolist(), strict=True):
        if np.isnan(value):
            assert format.is_nan(bits)
            assert format.sign(bits) == np.signbit(value)
        elif np.isfinite(value):
            assert bits == format.round(Fraction(value), negative_zero=bool(np.signbit(value)))


@pytest.mark.parametrize("format", NARROW, **by_name)
def test_ulp_is_that_of_the_scalar_method_at_all_numbers_and_ties(format: Format) -> None:
    doubles = hard_doubles(format)
    doubles = doubles[:: max(1, len(doubles) // 20000)]
    for value, step in zip(doubles.tolist(), arrays.ulp(format, doubles).tolist(), strict=True):
        assert np.isnan(step) if np.isinf(value) else Fraction(step) == format.ulp(Fraction(value))


@given(st.sampled_from(ALL), st.floats(allow_nan=False, allow_infinity=False))
def test_ulp_of_any_double_is_that_of_the_scalar_method(format: Format, value: float) -> None:
    assert Fraction(float(arrays.ulp(format, value))) == format.ulp(Fraction(value))


def test_ulp_of_binary64_is_the_spacing_of_numpy_and_right_at_the_ends() -> None:
    binary64 = FORMATS["binary64"]
    values = np.abs(sample(binary64).view(np.float64))
    finite = values[np.isfinite(values) & (values < np.finfo(np.float64).max)]
    assert np.array_equal(arrays.ulp(binary64, finite), np.spacing(finite))
    assert arrays.ulp(binary64, np.finfo(np.float64).max) == 2.0**971
    assert np.isnan(arrays.ulp(binary64, [np.nan, np.inf, -np.inf])).all()


@pytest.mark.parametrize("format", ALL, **by_name)
def test_ordinals_and_neighbours_are_those_of_the_scalar_methods(format: Format) -> None:
    bits = sample(format)
    columns = [f(format, bits).tolist() for f in (arrays.ordinals, arrays.next_up, arrays.next_down)]
    for encoding, place, up, down in zip(bits.tolist(), *columns, strict=True):
        assert up == format.next_up(encoding)
        assert down == format.next_down(encoding)
        if not format.is_nan(encoding):
            assert place == format.ordinal(encoding)
        else:
            assert place > format.ordinal(format.max_finite) or place < -1 - format.max_finite


@pytest.mark.parametrize("format", ALL, **by_name)
def test_ordinals_lead_back_to_the_encodings(format: Format) -> None:
    bits = sample(format)
    bits = bits[~np.isnan(arrays.to_float64(format, bits))]
    back = arrays.from_ordinals(format, arrays.ordinals(format, bits))
    assert back.dtype == bits.dtype
    assert np.array_equal(back, bits)
    greatest = format.max_finite + format.has_infinity
    for place in (greatest + 1, -2 - greatest):
        if abs(place) < 2**63:
            with pytest.raises(InputError, match=r"no ordinal"):
                arrays.from_ordinals(format, [0, place])


@pytest.mark.parametrize("format", SMALL, **by_name)
def test_sorting_by_ordinal_sorts_by_value(format: Format) -> None:
    bits = arrays.all_bits(format)
    assert np.array_equal(bits, np.arange(2**format.width))
    bits = bits[~np.isnan(arrays.to_float64(format, bits))]
    places = np.sort(arrays.ordinals(format, bits))
    assert np.array_equal(np.diff(places), np.ones(len(places) - 1))
    assert np.all(np.diff(arrays.to_float64(format, arrays.from_ordinals(format, places))) >= 0)


def test_wide_formats_are_not_enumerated_at_once() -> None:
    for name in ("binary32", "binary64"):
        with pytest.raises(InputError, match=rf"all {2 ** FORMATS[name].width} encodings .* 16 bits is the most"):
            arrays.all_bits(FORMATS[name])


@pytest.mark.parametrize("format", ALL, **by_name)
def test_encodings_come_as_any_integers_that_fit(format: Format) -> None:
    last = 2**format.width - 1
    for encoding in (0, format.round(1), last):
        stored = np.array([encoding], arrays.storage_dtype(format))
        for other in ([encoding], np.array([encoding], np.uint64), stored.astype(stored.dtype.newbyteorder(">"))):
            for function in (arrays.to_float64, arrays.ordinals, arrays.next_up, arrays.next_down):
                assert np.array_equal(function(format, other), function(format, stored), equal_nan=True)
    assert arrays.to_float64(format, []).shape == (0,)


@pytest.mark.parametrize("bits", [[-1], [256], [1.0], np.array([2**40]), [0, 256]])
def test_what_is_no_encoding_is_refused(bits: Any) -> None:
    for function in (arrays.to_float64, arrays.ordinals, arrays.next_up, arrays.next_down):
        with pytest.raises(InputError, match=r"encodings of e5m2"):
            function(FORMATS["e5m2"], bits)


@pytest.mark.parametrize("format", ALL, **by_name)
def test_shapes_are_kept_from_nothing_to_two_dimensions_and_across_strides(format: Format) -> None:
    for shape in ((), (0,), (3, 4)):
        bits = np.full(shape, format.round(1), arrays.storage_dtype(format))
        values = arrays.to_float64(format, bits)
        for result in (values, arrays.round_float64(format, values), arrays.ulp(format, values)):
            assert np.shape(result) == shape
        for function in (arrays.ordinals, arrays.next_up, arrays.next_down):
            assert np.shape(function(format, bits)) == shape
    strided = np.linspace(-2, 2, 41)[::4]
    assert np.array_equal(arrays.round_float64(format, strided), arrays.round_float64(format, strided.copy()))
    swapped = strided.astype(">f8")
    assert np.array_equal(arrays.round_float64(format, swapped), arrays.round_float64(format, strided))


FLUSHING = """
import ctypes, mmap, sys
import numpy
from gelu_verify.formats import FORMATS, arrays
page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("0fae17c3"))  # ldmxcsr [rdi]; ret
load = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
answers = []
for control in (0x1F80, 0x9F80, 0x1FC0, 0x9FC0, 0x1F80):  # default; flush results; flush operands; both; default
    word = ctypes.c_uint32(control)
    load(ctypes.addressof(word))
    answers.append(arrays.subnormals_are_flushed())
    step = arrays.ulp(FORMATS["binary64"], [0.0]).view(numpy.uint64)[0] == 1
    small = FORMATS["bfloat16"]
    exact = numpy.array_equal(arrays.round_float64(small, arrays.to_float64(small, [1, 0x8001])), [1, 0x8001])
    answers.append(bool(step and exact))
print(answers)
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="sets the x86 control register through the Linux calling convention"
)
def test_flushing_of_subnormals_is_noticed_and_leaves_ulp_and_small_formats_alone() -> None:
    import platform

    if platform.machine() != "x86_64":
        pytest.skip("sets the x86 control register")
    done = subprocess.run([sys.executable, "-c", FLUSHING], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == str([False, True, True, True, True, True, True, True, False, True])
