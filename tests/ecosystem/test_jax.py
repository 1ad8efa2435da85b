"""Callables of JAX, as people have them, through the real library; skipped where it is not installed."""

from pathlib import Path

import numpy as np
import pytest

from gelu_verify.checks.probes import probes
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS, get_format
from gelu_verify.formats.arrays import native_dtype, round_float64, to_float64
from gelu_verify.identify import identify
from gelu_verify.targets import InProcess, IsolatedTarget, Misbehaved, Misdeed, parse_target
from gelu_verify.targets.frameworks import JaxAdapter
from gelu_verify.targets.loading import adapt, load_callable

jax = pytest.importorskip("jax")
pytest.importorskip("ml_dtypes")

FILE = Path(__file__).with_name("jax_targets.py")
BINARY32 = FORMATS["binary32"]


def callable_of(name: str):
    return load_callable(parse_target(f"{FILE}:{name}"))


@pytest.mark.parametrize("format", ["binary16", "bfloat16", "binary32"])
def test_results_are_jaxs_own_bit_for_bit(format: str):
    chosen = get_format(format)
    bits = round_float64(chosen, np.array([-3.0, -0.5, -0.0, 0.0, 0.3, 2.0, np.inf, np.nan] * 5))
    want = np.asarray(jax.nn.gelu(jax.numpy.asarray(bits.view(native_dtype(chosen)))))
    target = InProcess(jax.nn.gelu, chosen)
    assert target.framework == "jax" and want.dtype == native_dtype(chosen)
    got = target.evaluate(bits).view(want.dtype)
    np.testing.assert_array_equal(got.astype(np.float64), want.astype(np.float64))


def test_binary64_is_computed_in_binary64():
    target = IsolatedTarget(parse_target("jax.nn:gelu", ["approximate=False"]), FORMATS["binary64"])
    try:
        result = target.evaluate(np.array([1.0]).view(np.uint64)).view(np.float64)
    finally:
        target.close()
    assert abs(result[0] - 0.84134474606854293) < 1e-15 and not target.side_effects


@pytest.mark.parametrize(
    ("name", "framework"), [("jitted", "jax"), ("exact", "jax"), ("annotated", "jax"), ("to_numpy", "numpy")]
)
def test_what_a_callable_is_fed_is_found_out(name: str, framework: str):
    assert InProcess(callable_of(name), BINARY32).framework == framework


@pytest.mark.parametrize(
    ("name", "derivative", "computes"),
    [
        ("jitted", 0, "gelu_tanh"),
        ("exact", 0, "gelu"),
        ("annotated", 0, "gelu_sigmoid"),
        ("slope", 1, "the derivative of gelu"),
    ],
)
def test_forms_are_identified_from_results_alone(name: str, derivative: int, computes: str):
    bits = probes(BINARY32)
    results = InProcess(callable_of(name), BINARY32).evaluate(bits)
    found = identify(BINARY32, to_float64(BINARY32, bits), to_float64(BINARY32, results), derivative)
    assert found.settled and str(found.best[0].model) == computes


def test_the_gradient_is_that_of_the_callable():
    bits = np.linspace(-4, 4, 65).astype(np.float32).view(np.uint32)
    slopes = InProcess(callable_of("annotated"), BINARY32).evaluate(bits, operation="gradient").view(np.float32)
    x = bits.view(np.float32).astype(float)
    gate = 1 / (1 + np.exp(-1.702 * x))
    np.testing.assert_allclose(slopes, gate + 1.702 * x * gate * (1 - gate), atol=1e-6)
    stopped = InProcess(callable_of("stopped"), BINARY32).evaluate(bits, operation="gradient")
    assert not stopped.any()


def test_a_promoted_result_is_a_wrong_type():
    with pytest.raises(Misbehaved) as caught:
        InProcess(callable_of("promoted"), FORMATS["bfloat16"]).evaluate(np.array([0x3F80], np.uint16))
    assert caught.value.misdeed is Misdeed.WRONG_DTYPE
    assert caught.value.detail == "input of type bfloat16, result of type float32"


@pytest.mark.parametrize("device", ["gpu", "no-such-device"])
def test_a_device_that_is_not_there_is_refused_in_one_line(device: str):
    if device == "gpu" and jax.default_backend() == "gpu":
        pytest.skip("there is one")
    with pytest.raises(InputError, match=f"JAX cannot compute on '{device}' here: ") as caught:
        adapt(jax.nn.gelu, BINARY32, device=device)
    assert "\n" not in str(caught.value)
    assert adapt(jax.nn.gelu, BINARY32, device="cpu").framework == "jax"


def test_jaxs_64_bit_mode_is_put_back_and_told():
    target = IsolatedTarget(parse_target(f"{FILE}:sixty_four_bits"), BINARY32)
    try:
        target.evaluate(np.array([0x3F800000], np.uint32))
    finally:
        target.close()
    assert target.side_effects == {"JAX's 64-bit mode"}


def test_memory_that_dlpack_can_express_is_not_copied():
    memory = np.zeros(64 + 1024, np.uint8)
    start = -memory.ctypes.data % 64
    array = memory[start : start + 256].view(np.float32)
    given = JaxAdapter(jax.nn.gelu, BINARY32)._array(array)
    assert given.unsafe_buffer_pointer() == array.ctypes.data
