"""Whatever an implementation does, `check` says what it was, with the right exit code, and the next one is unharmed."""

import json
import random
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., Any]

HOSTILE = Path(__file__).parents[1] / "targets" / "hostile.py"
QUICK = ("--as", "relu", "--only", "special-values", "--timeout", "60", "--json")


def kinds(outcome: Any) -> list[str]:
    return [finding["kind"] for finding in json.loads(outcome.out)["findings"]]


@pytest.mark.parametrize(
    ("name", "kind", "told"),
    [
        ("always_segfaults", "crash", "SIGSEGV; the input 0.0 alone is enough"),
        ("segfaults_with_a_dump", "crash", "SIGSEGV; the input 0.0 alone is enough"),
        ("segfaults_on_nan", "crash", "SIGSEGV; the input nan alone is enough"),
        ("exits", "crash", "exit code 7"),
        ("leaves", "exception", "SystemExit: goodbye"),
        ("closes_all", "crash", "process"),
        ("allocates_too_much", "exception", "MemoryError"),
        ("too_short", "wrong-shape", "input of shape (6,), result of shape (5,)"),
        ("double", "wrong-dtype", "result of type float64"),
        ("generator", "wrong-dtype", "of type builtins.generator"),
        ("in_place_without_a_result", "wrong-dtype", "None (a function that works in place is to return its array)"),
        ("breaks_numpy", "exception", "TypeError: 'NoneType' object is not callable"),
    ],
)
def test_a_target_without_a_result_is_a_finding(name: str, kind: str, told: str, gelu_verify: Run) -> None:
    outcome = gelu_verify("check", f"{HOSTILE}:{name}", *QUICK)
    assert (outcome.code, outcome.err, kinds(outcome)) == (1, "", [kind])
    (finding,) = json.loads(outcome.out)["findings"]
    assert told in finding["message"] and "\n" not in finding["message"]


def test_an_endless_loop_ends_at_the_time_limit_also_in_the_first_call(gelu_verify: Run) -> None:
    outcome = gelu_verify("check", f"{HOSTILE}:always_loops", *QUICK, "--timeout", "0.3")
    assert (outcome.code, kinds(outcome)) == (1, ["hang"])
    assert "no answer within 0.3 s" in outcome.out


@pytest.mark.parametrize(
    "name",
    ["forks_and_comes_back", "in_place", "every_second_element", "unnamed", "prints_megabytes"],
)
def test_a_right_result_is_right_however_it_comes(name: str, gelu_verify: Run) -> None:
    outcome = gelu_verify("check", f"{HOSTILE}:{name}", *QUICK)
    assert (outcome.code, outcome.err, kinds(outcome)) == (0, "", [])


def test_a_wider_result_for_a_narrow_format_is_the_wrong_type(gelu_verify: Run) -> None:
    outcome = gelu_verify("check", f"{HOSTILE}:wider", *QUICK, "--format", "bfloat16")
    assert (outcome.code, kinds(outcome)) == (1, ["wrong-dtype"])
    assert "input of type bfloat16, result of type float32" in outcome.out


def test_what_a_target_changes_is_told_and_does_not_reach_the_next(gelu_verify: Run) -> None:
    def state() -> tuple[object, ...]:
        return Path.cwd(), random.getstate(), np.random.get_state()[1].tobytes(), np.float32(1) + np.float32(2.0**-30)

    words = ("check", f"{HOSTILE}:right", *QUICK)
    before, undisturbed = state(), gelu_verify(*words)
    for name, changed in (
        ("reseeds", "NumPy's global random state and Python's global random state"),
        ("rounds_upwards", "the rounding mode"),
        ("changes_folder", "the working directory"),
    ):
        outcome = gelu_verify("check", f"{HOSTILE}:{name}", *QUICK)
        assert (outcome.code, kinds(outcome)) == (1, ["side-effect"])
        assert f"changes {changed} while it runs" in outcome.out
    assert gelu_verify(*words) == undisturbed
    assert state() == before


@pytest.mark.parametrize(
    ("command", "kind", "told"),
    [
        ("yes", "wrong-shape", "24 bytes given, more returned"),
        ("true", "wrong-shape", "24 bytes given, 0 bytes returned"),
        ("head -c 4", "wrong-shape", "bytes given, 4 bytes returned"),
        ("sh -c 'echo no device >&2; exit 3'", "crash", "exit code 3: no device"),
        ("sh -c 'kill -11 $$'", "crash", "signal 11"),
        ("cat", "special-value", "f(-inf) is -inf and should be 0.0"),
    ],
)
def test_a_command_may_do_anything(command: str, kind: str, told: str, gelu_verify: Run) -> None:
    outcome = gelu_verify("check", f"pipe:{command}", *QUICK)
    assert (outcome.code, outcome.err, kinds(outcome)) == (1, "", [kind])
    assert told in outcome.out


def test_a_scalar_function_of_a_library_is_told_from_one_that_takes_arrays(gelu_verify: Run, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("float f(float x) { return x > 0 ? x : 0; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "f.so", tmp_path / "f.c"], check=True)
    for verb in (("check", *QUICK), ("identify",)):
        outcome = gelu_verify(verb[0], f"{tmp_path / 'f.so'}:f", *verb[1:])
        assert "none written: it is called as void f(const T *x, T *y, size_t n)" in outcome.out + outcome.err
        assert outcome.code == (1 if verb[0] == "check" else 2)


@pytest.mark.parametrize("name", ["random.py", "numpy.py", "types.py", "json.py"])
def test_a_file_called_like_a_module_does_not_stand_in_for_it(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("raise RuntimeError('not to be imported by anybody else')\n")
    (tmp_path / "mine.py").write_text("def f(x):\n    return x * (x > 0)\n")
    script = shlex.quote(str(Path(sys.executable).with_name("gelu-verify")))
    done = subprocess.run(
        f"{script} identify mine:f --format binary16",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("mine:f computes relu")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["libm.so.6:erff"], "give the library's path, such as ./libm.so.6:erff"),
        ([f"{HOSTILE}:right", "--max-ulp", "0"], "below 1/2"),
        ([f"{HOSTILE}:right", "--max-ulp", "-1"], "below 1/2"),
        ([f"{HOSTILE}:right", "--max-ulp", "nan"], "not a finite number"),
        ([f"{HOSTILE}:right", "--on", "nan", "1"], "nan"),
        ([f"{HOSTILE}:right", "--on", "1e-60", "2e-60"], "no finite number"),
        ([f"{HOSTILE}:right", "--on", "inf", "-inf"], "lower end first"),
        ([f"{HOSTILE}:right", "--on", "1e400", "2e400"], "no finite number"),
        ([f"{HOSTILE}:right", "--on", "0", "1e-60"], "none of the sampled inputs"),
        ([f"{HOSTILE}:right", "--on", "400", "400.00001", "--format", "binary64"], "none of the sampled inputs"),
        ([f"{HOSTILE}:right", "--batch", "0"], "at least 1"),
        ([f"{HOSTILE}:right", "--timeout", "nan"], "above 0"),
        ([f"{HOSTILE}:right", "--gradient"], "no automatic gradient"),
        ([f"{HOSTILE}:right", "--gradient", "--derivative", "1"], "leave --derivative out"),
        (["pipe:'"], "names no command"),
    ],
)
def test_a_question_without_sense_is_refused_in_one_line(words: list[str], complaint: str, gelu_verify: Run) -> None:
    outcome = gelu_verify("check", *words, "--as", "relu", "--format", "binary32", "--sampled")
    assert (outcome.code, outcome.out) == (2, "")
    assert complaint in outcome.err and outcome.err.count("\n") == 1
