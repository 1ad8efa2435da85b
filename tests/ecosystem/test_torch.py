"""Callables of torch, as people have them, through the real library; skipped where it is not installed."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gelu_verify.catalogue import FUNCTIONS
from gelu_verify.checks.case import Claim
from gelu_verify.checks.probes import probes
from gelu_verify.checks.runner import run_checks
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS, get_format
from gelu_verify.formats.arrays import native_dtype, storage_dtype, to_float64
from gelu_verify.identify import identify
from gelu_verify.targets import InProcess, IsolatedTarget, Layout, Misbehaved, Misdeed, parse_target
from gelu_verify.targets.frameworks import TorchAdapter
from gelu_verify.targets.loading import adapt, load_callable

torch = pytest.importorskip("torch")
pytest.importorskip("ml_dtypes")

FILE = Path(__file__).with_name("torch_targets.py")
FORMATS_OF_TORCH = ("binary16", "bfloat16", "binary32", "binary64")


def callable_of(name: str):
    return load_callable(parse_target(f"{FILE}:{name}"))


def in_process(call, format: str = "binary32", framework: str = "auto") -> InProcess:
    return InProcess(call, get_format(format), framework=framework)


def bits_of(values: list[float], format: str = "binary32") -> np.ndarray:
    return np.array(values).astype(native_dtype(get_format(format))).view(storage_dtype(get_format(format)))


@pytest.mark.parametrize("format", FORMATS_OF_TORCH)
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_results_are_torchs_own_bit_for_bit_in_every_format(format: str, approximate: str):
    call = load_callable(parse_target("torch.nn.functional:gelu", [f"approximate={approximate}"]))
    target = in_process(call, format)
    bits = bits_of([-3.0, -0.5, -0.0, 0.0, 0.3, 2.0, np.inf, np.nan] * 5, format)
    own = torch.tensor(to_float64(get_format(format), bits)).to(TorchAdapter(call, get_format(format))._dtype)
    want = torch.nn.functional.gelu(own, approximate=approximate).double().numpy()
    assert target.framework == "torch"
    np.testing.assert_array_equal(to_float64(get_format(format), target.evaluate(bits)), want)


@pytest.mark.parametrize("format", FORMATS_OF_TORCH)
def test_autograd_gives_the_derivative_of_the_callable(format: str):
    target = in_process(callable_of("gated"), format)
    x = np.linspace(-4, 4, 65)
    gate = 1 / (1 + np.exp(-1.702 * x))
    got = to_float64(get_format(format), target.evaluate(bits_of(x.tolist(), format), operation="gradient"))
    np.testing.assert_allclose(got, gate + 1.702 * x * gate * (1 - gate), atol=8 * 2.0 ** -get_format(format).precision)


@pytest.mark.parametrize(
    ("name", "framework"),
    [
        ("gated", "torch"),
        ("tanh_form", "torch"),
        ("Gated", "torch"),
        ("Arithmetic", "torch"),
        ("from_numpy", "numpy"),
        ("scalar", "scalar"),
    ],
)
def test_what_a_callable_is_fed_is_found_out(name: str, framework: str):
    assert in_process(callable_of(name)).framework == framework


@pytest.mark.parametrize(
    ("name", "misdeed", "detail"),
    [
        ("a_tuple", Misdeed.WRONG_DTYPE, "a tensor was expected, the result is of type builtins.tuple"),
        ("to_numpy", Misdeed.WRONG_DTYPE, "a tensor was expected, the result is of type numpy.ndarray"),
        ("widened", Misdeed.WRONG_DTYPE, "input of type torch.float32, result of type torch.float64"),
    ],
)
def test_a_result_of_another_kind_is_told_in_torchs_words(name: str, misdeed: Misdeed, detail: str):
    with pytest.raises(Misbehaved) as caught:
        in_process(callable_of(name)).evaluate(bits_of([1.0]))
    assert (caught.value.misdeed, caught.value.detail) == (misdeed, detail)


@pytest.mark.parametrize(
    ("name", "detail"),
    [("detached", "detached, or computed outside of torch"), ("independent", "from the result back to the input")],
)
def test_a_result_without_a_way_back_is_told_as_such(name: str, detail: str):
    with pytest.raises(Misbehaved, match=detail):
        in_process(callable_of(name)).evaluate(bits_of([1.0]), operation="gradient")


def test_a_callable_may_work_in_place_in_either_pass():
    target, same = in_process(callable_of("in_place")), in_process(callable_of("gated"))
    bits = bits_of([-1.0, 2.0])
    for operation in ("forward", "gradient"):
        got, want = (some.evaluate(bits, operation=operation).view(np.float32) for some in (target, same))
        np.testing.assert_allclose(got, want, rtol=1e-6)
    assert bits.tolist() == bits_of([-1.0, 2.0]).tolist()


def test_the_memory_of_the_input_is_torchs_without_a_copy():
    adapter = TorchAdapter(torch.nn.functional.gelu, FORMATS["bfloat16"])
    array = np.zeros(64, native_dtype(FORMATS["bfloat16"]))
    for given in (array, array[1:], array[::2], array.reshape(8, 8).T):
        tensor = adapter._tensor(given)
        assert tensor.data_ptr() == given.ctypes.data and tuple(tensor.shape) == given.shape
        assert tensor.dtype == torch.bfloat16


def test_layouts_that_torch_has_no_words_for_are_left_out_and_the_others_come_back_in_order():
    target, bits = in_process(torch.nn.functional.gelu), bits_of(np.linspace(1, 3, 24).tolist())
    values = target.evaluate(bits).view(np.float32)
    for layout in Layout:
        part = slice(0, 1) if layout is Layout.SCALAR else slice(None)
        if layout is not Layout.REVERSED:
            got = target.evaluate(bits[part], layout=layout).view(np.float32)
            np.testing.assert_allclose(got, values[part], rtol=1e-6)


@pytest.mark.parametrize("device", ["cuda", "meta", "no-such-device"])
def test_a_device_that_is_not_there_is_refused_in_one_line(device: str):
    if device == "cuda" and torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(InputError, match=f"torch cannot compute on '{device}' here: ") as caught:
        adapt(torch.nn.functional.gelu, FORMATS["binary32"], device=device)
    assert "\n" not in str(caught.value)


def test_a_device_fits_no_callable_that_takes_numpy_arrays():
    with pytest.raises(InputError, match="--device fits only torch and JAX"):
        adapt(np.tanh, FORMATS["binary32"], "numpy", device="cpu")


def test_forward_and_backward_of_different_forms_are_told_apart():
    claim = Claim(FUNCTIONS["gelu"], FORMATS["bfloat16"], 0, 4.0, False)
    target = in_process(callable_of("mismatched"), "bfloat16")
    report = run_checks(target, claim, gradient=True, parts=["accuracy", "gradient"])
    assert "the backward pass the derivative of gelu_sigmoid" in " ".join(f.message for f in report.findings)


@pytest.mark.parametrize(
    ("keywords", "computes"), [([], "gelu"), (["approximate=none"], "gelu"), (["approximate=tanh"], "gelu_tanh")]
)
def test_forms_are_identified_from_results_alone(keywords: list[str], computes: str):
    format = FORMATS["binary32"]
    for name in ("torch.nn.functional:gelu", "torch.nn:GELU"):
        bits = probes(format)
        results = in_process(load_callable(parse_target(name, keywords))).evaluate(bits)
        found = identify(format, to_float64(format, bits), to_float64(format, results))
        assert found.settled and str(found.best[0].model) == computes


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("reseeds", "torch's global random state"),
        ("changes_default", "torch's default type"),
    ],
)
def test_what_a_callable_changes_in_torch_is_seen_and_put_back(name: str, changed: str):
    target = IsolatedTarget(parse_target(f"{FILE}:{name}"), FORMATS["binary32"])
    bits = bits_of([1.0, -1.0])
    try:
        first, second = target.evaluate(bits), target.evaluate(bits)
        slopes = target.evaluate(bits, operation="gradient")
    finally:
        target.close()
    assert target.side_effects == {changed}
    assert first.tolist() == second.tolist()
    np.testing.assert_allclose(slopes.view(np.float32), [1.0833155, -0.0833155], rtol=1e-4)


def test_a_call_that_needs_a_gpu_is_a_finding_in_torchs_words():
    if torch.cuda.is_available():
        pytest.skip("there is one")
    words = ["check", f"{FILE}:on_a_gpu", "--as", "gelu", "--sampled", "--only", "accuracy"]
    done = subprocess.run([sys.executable, "-m", "gelu_verify", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and not done.stderr
    assert "exception: gives no result: " in done.stdout and "ndarray" not in done.stdout


def test_a_gradient_of_a_callable_that_torch_does_not_compute_is_refused_in_one_line():
    words = ["check", f"{FILE}:scalar", "--as", "gelu", "--sampled", "--only", "gradient"]
    done = subprocess.run([sys.executable, "-m", "gelu_verify", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "no automatic gradient" in done.stderr
