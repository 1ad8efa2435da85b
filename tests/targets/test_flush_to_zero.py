"""Modes that replace subnormal numbers by zero: seen wherever they are switched on, and never measured through."""

import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gelu_verify.catalogue import get_function
from gelu_verify.checks.case import Claim
from gelu_verify.checks.runner import run_checks
from gelu_verify.formats import FORMATS
from gelu_verify.targets import IsolatedTarget, parse_target

BINARY32 = FORMATS["binary32"]
RELU = get_function("relu")
SUBNORMALS = np.array([1, 2, 0x007FFFFF, 0x00800000], np.uint32)
MODE = {  # both bits, flush results and flush operands
    "x86_64": "_mm_setcsr(_mm_getcsr() | 0x8040)",
    "aarch64": '__asm__ volatile("msr fpcr, %0" : : "r"(1UL << 24))',
}
SOURCE = """
#include <stddef.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
void flush(void) { MODE; }
#ifdef ON_LOADING
__attribute__((constructor)) static void loaded(void) { flush(); }
#endif
void relu(const float *x, float *y, size_t n) { for (size_t i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] * 1.0f : 0; }
void flushing_relu(const float *x, float *y, size_t n) { flush(); relu(x, y, n); }
"""

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="a C compiler is needed to set the mode"),
    pytest.mark.skipif(platform.machine() not in MODE, reason="the mode is set by processor"),
]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with calm.so, which changes the mode when asked, and rash.so, which does so when it is loaded."""
    folder = tmp_path_factory.mktemp("libraries")
    (folder / "relu.c").write_text(SOURCE.replace("MODE", MODE[platform.machine()]))
    for name, options in (("calm", []), ("rash", ["-DON_LOADING"])):
        words = ["cc", "-O1", "-ffp-contract=off", *options, "-shared", "-fPIC", "-o", folder / f"{name}.so"]
        subprocess.run([*words, folder / "relu.c"], check=True)
    return folder


def test_a_library_that_changes_the_mode_when_it_is_loaded_is_told_and_measured_without(libraries: Path) -> None:
    target = IsolatedTarget(parse_target(f"{libraries}/rash.so:relu"), BINARY32)
    try:
        assert target.side_effects == {"the treatment of subnormal numbers as soon as it is loaded"}
        assert target.evaluate(SUBNORMALS).tolist() == SUBNORMALS.tolist()
    finally:
        target.close()


def test_a_function_that_changes_the_mode_is_told_and_the_next_call_starts_without(libraries: Path) -> None:
    target = IsolatedTarget(parse_target(f"{libraries}/calm.so:flushing_relu"), BINARY32)
    try:
        assert target.side_effects == set()
        for _ in range(2):
            assert target.evaluate(SUBNORMALS).tolist() == [0, 0, 0, 0x00800000]
        assert target.side_effects == {"the treatment of subnormal numbers"}
    finally:
        target.close()


@pytest.mark.parametrize(
    ("target", "message", "others"),
    [
        ("rash.so:relu", "changes the treatment of subnormal numbers as soon as it is loaded", []),
        (
            "calm.so:flushing_relu",
            "changes the treatment of subnormal numbers while it runs",
            ["subnormal-flush"],
        ),
        ("calm.so:relu", None, []),
    ],
)
def test_the_mode_is_a_finding_of_its_own(libraries: Path, target: str, message: str | None, others: list[str]) -> None:
    isolated = IsolatedTarget(parse_target(f"{libraries}/{target}"), BINARY32)
    try:
        found = {
            str(each.kind): each.message
            for each in run_checks(isolated, Claim(RELU, BINARY32), parts=["accuracy"]).findings
        }
    finally:
        isolated.close()
    assert found.pop("side-effect", None) == message
    assert sorted(found) == others


def run(code: str, *words: object) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, whose mode it may change."""
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


COMMAND_LINE = """
import ctypes, sys
import numpy
from gelu_verify.cli import main
ctypes.CDLL(sys.argv[1])
sys.exit(main(["check", "gelu_verify.forms:tanh_factored", "--as", "gelu_tanh", "--format", *sys.argv[2:]]))
"""


@pytest.mark.parametrize("words", [["e5m2"], ["binary32", "--derivative", "2"]])
def test_nothing_is_measured_in_a_process_that_flushes(libraries: Path, words: list[str]) -> None:
    done = run(COMMAND_LINE, libraries / "rash.so", *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "this process replaces subnormal numbers by zero (a library switched it on); run without" in done.stderr


IN_PLACE = """
import ctypes, json, sys
from gelu_verify.assertions.accuracy import assert_gelu_accurate
from gelu_verify.catalogue import get_function
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS
from gelu_verify.forms import FORMS
from gelu_verify.sweep import sweep

library, complaints = ctypes.CDLL(sys.argv[1]), []

def flushing(x):
    library.flush()
    return FORMS["tanh_factored"](x)

for question in (
    lambda: sweep(flushing, get_function("gelu_tanh"), FORMATS["binary16"], workers=1),
    lambda: assert_gelu_accurate(flushing, function="gelu_tanh"),
):
    try:
        question()
    except InputError as error:
        complaints.append(str(error))
    ctypes.CDLL("libm.so.6").fesetenv(ctypes.c_void_p(-1))
print(json.dumps(complaints))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the mode is restored by glibc")
def test_an_implementation_that_switches_it_on_in_our_own_process_gets_no_verdict(libraries: Path) -> None:
    complaints = json.loads(run(IN_PLACE, libraries / "calm.so").stdout)
    assert len(complaints) == 2
    assert all("this process replaces subnormal numbers by zero" in complaint for complaint in complaints)
    assert "(the implementation switched it on)" in complaints[0]
