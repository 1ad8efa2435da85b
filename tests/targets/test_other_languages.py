"""Shared libraries, commands and models as targets."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS
from gelu_verify.targets import InProcess, IsolatedTarget, Layout, Misbehaved, Misdeed, Unsupported, parse_target

BINARY32 = FORMATS["binary32"]
X = np.array([-2.0, 0.5, 3.0], np.float32).view(np.uint32)
SOURCE = """
#include <stddef.h>
void relu(const float *x, float *y, size_t n) { for (size_t i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : 0; }
void one_too_many(const float *x, float *y, size_t n) { for (size_t i = 0; i <= n; i++) y[i] = 1; }
void product(const float *a, const float *b, float *y, size_t n) { for (size_t i = 0; i < n; i++) y[i] = a[i] * b[i]; }
void null(const float *x, float *y, size_t n) { *(volatile float *)0 = 1; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    assert compiler is not None, "a C compiler is needed to test shared libraries"
    folder = tmp_path_factory.mktemp("library")
    (folder / "relu.c").write_text(SOURCE)
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", folder / "relu.so", folder / "relu.c"], check=True)
    return folder / "relu.so"


def test_a_c_function_is_called_with_pointers(library: Path):
    target = IsolatedTarget(parse_target(f"{library}:relu"), BINARY32)
    try:
        assert target.evaluate(X).view(np.float32).tolist() == [0, 0.5, 3]
        assert target.evaluate(X, layout=Layout.OFFSET).view(np.float32).tolist() == [0, 0.5, 3]
        with pytest.raises(Unsupported):
            target.evaluate(X, layout=Layout.STRIDED)
        with pytest.raises(InputError, match="--gradient"):
            target.evaluate(X, operation="gradient")
    finally:
        target.close()


def test_a_gated_c_function_has_two_inputs(library: Path):
    target = IsolatedTarget(parse_target(f"{library}:product", inputs=2), BINARY32)
    try:
        assert target.evaluate(X, X).view(np.float32).tolist() == [4, 0.25, 9]
    finally:
        target.close()


@pytest.mark.parametrize(("symbol", "misdeed"), [("one_too_many", Misdeed.OVERRUN), ("null", Misdeed.CRASH)])
def test_a_c_function_that_writes_elsewhere_is_caught(library: Path, symbol: str, misdeed: Misdeed):
    target = IsolatedTarget(parse_target(f"{library}:{symbol}"), BINARY32)
    try:
        with pytest.raises(Misbehaved) as caught:
            target.evaluate(X)
        assert caught.value.misdeed is misdeed
    finally:
        target.close()


def test_a_symbol_that_is_not_there_is_refused(library: Path):
    with pytest.raises(InputError, match="cannot load 'gelu'"):
        IsolatedTarget(parse_target(f"{library}:gelu"), BINARY32)


PROGRAM = "import sys, numpy as np; x = np.frombuffer(sys.stdin.buffer.read(), '<f4'); {}"


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("sys.stdout.buffer.write(np.maximum(x, 0).tobytes())", [0, 0.5, 3]),
        ("sys.stdout.buffer.write(x[1:].tobytes())", Misdeed.WRONG_SHAPE),
        ("sys.exit('no device')", "exit code 1: no device"),
        (
            "import ctypes, faulthandler; faulthandler.enable(); "
            "print('cold', file=sys.stderr, flush=True); ctypes.string_at(1)",
            "signal 11: cold",
        ),
    ],
)
def test_a_command_reads_and_writes_raw_numbers(body: str, outcome: list[float] | Misdeed | str):
    target = IsolatedTarget(parse_target(f'pipe:{sys.executable} -c "{PROGRAM.format(body)}"'), BINARY32)
    try:
        if isinstance(outcome, list):
            assert target.evaluate(X).view(np.float32).tolist() == outcome
        else:
            with pytest.raises(Misbehaved) as caught:
                target.evaluate(X)
            assert outcome in (caught.value.misdeed, caught.value.detail)
    finally:
        target.close()


def test_a_model_without_onnxruntime_is_refused_with_the_package_named(tmp_path: Path, monkeypatch):
    model = tmp_path / "model.onnx"
    model.write_bytes(b"")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    from gelu_verify.targets.loading import load

    with pytest.raises(InputError, match="pip install onnxruntime"):
        load(parse_target(str(model)), BINARY32)


def test_a_callable_of_the_caller_is_called_in_place():
    target = InProcess(lambda x: 2 * x, BINARY32, gradient=lambda x: x * 0 + 2, name="twice")
    assert target.evaluate(X).view(np.float32).tolist() == [-4, 1, 6]
    assert target.evaluate(X, operation="gradient").view(np.float32).tolist() == [2, 2, 2]
    with pytest.raises(Misbehaved, match="ZeroDivisionError"):
        InProcess(lambda x: 1 // 0, BINARY32).evaluate(X)
