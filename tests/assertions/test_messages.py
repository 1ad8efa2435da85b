"""What a failed assertion says: the figures in it, and a command that runs when it is pasted."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gelu_verify.assertions.accuracy import assert_gelu_accurate
from gelu_verify.faults.correct import gelu_by_erfc


def said(fn: object, **options: object) -> str:
    with pytest.raises(AssertionError) as failure:
        assert_gelu_accurate(fn, **options)  # type: ignore[arg-type]
    return str(failure.value)


@pytest.mark.parametrize(("value", "word"), [(np.nan, "not a number"), (np.inf, "infinite")])
def test_a_result_that_is_not_finite_is_farther_off_than_all_others(value: float, word: str):
    def broken(x: np.ndarray) -> np.ndarray:
        return np.where(x == 1, np.float16(value), 2 * x)

    text = said(broken, function="x*1", format="binary16", on=(0.5, 4))
    at = "at x = 1.0 (0x3c00)"
    assert f"\nGreatest absolute difference: {word} {at}\nGreatest error: {word} {at} (up to 2 ulp allowed)\n" in text


def test_the_greatest_difference_and_the_greatest_error_have_inputs_of_their_own():
    def off(x: np.ndarray) -> np.ndarray:
        return np.where(x == 1, np.float16(1.5), np.where(x == 4, np.float16(6), x))

    text = said(off, function="x*1", format="binary16", on=(1, 4))
    assert "Mismatched inputs: 2 / " in text
    assert "\nGreatest absolute difference: 2 at x = 4.0 (0x4400)\nGreatest error: 512 ulp at x = 1.0 (0x3c00)" in text


def test_a_function_without_any_result_has_no_figures_and_no_gap():
    text = said(lambda x: x.tolist(), format="binary16")
    lines = text.splitlines()
    assert lines[1] == "" and lines[2].startswith("wrong-dtype: ")


def test_a_backward_pass_that_no_command_names_is_shown_again_by_the_test():
    def fails(x: np.ndarray) -> np.ndarray:
        raise RuntimeError("no gradient today")

    text = said(gelu_by_erfc, gradient=fails, format="binary16", on=(1, 2))
    assert "exception of the backward pass: gives no result: RuntimeError: no gradient today" in text
    assert "again    pytest " in text and "gelu-verify check" not in text


PROJECT = {
    "pytest.ini": "[pytest]\npythonpath = src\naddopts = --import-mode=importlib\n",
    "src/mylib/__init__.py": "",
    "src/mylib/act.py": "def double(x):\n    return x + x\n",
    "tests/deep/test_mine.py": (
        "from mylib.act import double\nfrom gelu_verify.plugin import assert_gelu_accurate\n\n"
        "def again(x):\n    return double(x)\n\n"
        "def demanded(f):\n    assert_gelu_accurate(f, 'x*3', 'binary16', on=(1, 2))\n\n"
        "def test_of_package():\n    demanded(double)\n\n"
        "def test_of_file():\n    demanded(again)\n\n"
        "def test_of_closure():\n    demanded(lambda x: x)\n\n"
        "def test_exhaustively():\n    assert_gelu_accurate(again, 'x*2', 'binary16', exhaustive=True)\n"
    ),
}


def outside() -> dict[str, str]:
    """Return the variables of a shell in which nothing of this test run is set."""
    inside = ("PYTHONPATH", "PYTEST_CURRENT_TEST")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {name: value for name, value in os.environ.items() if name not in inside} | {"PATH": path}


def test_the_commands_run_as_they_are_printed_wherever_pytest_was_started(tmp_path: Path):
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    folder = tmp_path / "tests"
    words = [sys.executable, "-m", "pytest", "-q", "-rN", "-p", "no:cacheprovider"]  # -rN: each message once
    done = subprocess.run(words, cwd=folder, env=outside(), capture_output=True, text=True, check=False)
    assert "3 failed, 1 passed" in done.stdout
    commands = [line.partition("  again  ")[2].strip() for line in done.stdout.splitlines() if "  again  " in line]
    assert [" ".join(command.split()[:4]) for command in commands] == [
        "PYTHONPATH=../src gelu-verify check mylib.act:double",
        "PYTHONPATH=../src gelu-verify check deep/test_mine.py:again",
        "pytest deep/test_mine.py::test_of_closure",
    ]
    for command in commands:
        run = subprocess.run(command, shell=True, cwd=folder, env=outside(), capture_output=True, check=False)
        assert (run.returncode, run.stderr) == (1, b""), command
        assert b"2.0" in run.stdout or b"x*3" in run.stdout


def test_a_program_without_pytest_is_told_as_well_and_runs_once(tmp_path: Path):
    (tmp_path / "program.py").write_text(
        "from gelu_verify.plugin import assert_gelu_accurate\n\n"
        "def double(x):\n    return x + x\n\n"
        "print('started')\n"
        "assert_gelu_accurate(double, 'x*2', 'binary16', exhaustive=True)\n"
        "assert_gelu_accurate(double, 'x*3', 'binary16', on=(1, 2))\n"
    )
    words = [sys.executable, "program.py"]
    done = subprocess.run(words, cwd=tmp_path, env=outside(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "started\n")
    assert "AssertionError: double is not an accurate x*3 in binary16!" in done.stderr
    assert "again    run this program again: no other can import the function" in done.stderr
