"""Every finding names a command that shows it again: the command, run as it stands, finds the same."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gelu_verify.checks.kinds import Kind

Run = Callable[..., Any]

HOSTILE = shlex.quote(str(Path(__file__).parents[1] / "targets" / "hostile.py"))
FAULTS = "gelu_verify.faults."

SHOWN = {
    "crash": f"{HOSTILE}:segfaults_on_nan --as relu --only special-values",
    "hang": f"{HOSTILE}:hangs_above_100 --as relu --only special-values --timeout 0.5",
    "exception": f"{HOSTILE}:raises --as relu --only special-values",
    "wrong-shape": f"{HOSTILE}:too_short --as relu --format binary16",
    "wrong-dtype": f"{HOSTILE}:double --as relu --format binary16",
    "side-effect": f"{HOSTILE}:reseeds --as relu --format e5m2 --sampled",
    "gated-order": f"{FAULTS}gated:geglu_halves_exchanged --as gelu --format bfloat16 --gated",
    "wrong-form": f"{FAULTS}forms:tanh_for_exact --as gelu --sampled",
    "forward-backward-mismatch": f"{FAULTS}correct:gelu_by_erfc --as gelu --format bfloat16 --sampled"
    f" --gradient {FAULTS}correct:gelu_tanh_gradient",
    "wrong-derivative": f"{FAULTS}gradients:factor_3_missing --as gelu_tanh --derivative 1 --sampled",
    "wrong-constant": f"{FAULTS}constants:cubic_0_044175 --as gelu_tanh --sampled",
    "overflow": f"{FAULTS}overflow:silu_by_growing_exponential --as silu --format binary16",
    "property-violation": f"{FAULTS}properties:odd_continuation --as gelu --format bfloat16 --sampled",
    "coarse-approximation": f"{FAULTS}approximations:identity_at_one_input --as gelu --format bfloat16 --sampled",
    "low-precision-intermediate": f"{FAULTS}low_precision:half_precision_table --as gelu_tanh --sampled",
    "special-value": f"{FAULTS}cancellation:naive_tanh --as gelu_tanh --format binary16 --only special-values",
    "cancellation": f"{FAULTS}cancellation:naive_tanh --as gelu_tanh --format binary16 --max-ulp 8",
    "path-dependence": f"{FAULTS}paths:scalar_for_short_or_strided --as gelu --only paths",
    "difference": "gelu_verify.forms:tanh_naive --as gelu_tanh --format binary16"
    " --same-as gelu_verify.forms:tanh_factored",
    "subnormal-flush": f"{FAULTS}low_precision:outputs_flushed --as gelu --format bfloat16 --sampled",
    "accuracy": f"{FAULTS}correct:gelu_by_erfc_in_place --as gelu --sampled --on -6 -1",
}


def findings(gelu_verify: Run, words: list[str]) -> list[dict[str, Any]]:
    outcome = gelu_verify("check", *words, "--json")
    assert outcome.code == 1, outcome.err
    return json.loads(outcome.out)["findings"]


@pytest.mark.parametrize("kind", SHOWN)
def test_the_command_of_a_finding_finds_it_again(kind: str, gelu_verify: Run) -> None:
    found = {finding["kind"]: finding for finding in findings(gelu_verify, shlex.split(SHOWN[kind]))}[kind]
    program, verb, *words = shlex.split(found["command"])
    assert (program, verb) == ("gelu-verify", "check")
    again = {finding["kind"]: finding for finding in findings(gelu_verify, words)}[kind]
    assert {key: again[key] for key in ("x", "got", "want")} == {key: found[key] for key in ("x", "got", "want")}


def test_every_kind_is_among_them() -> None:
    # A buffer overrun needs a C compiler: it has a test of its own.
    assert {*SHOWN, "buffer-overrun"} == set(Kind)


def through_a_shell(command: str, folder: Path) -> dict[str, Any]:
    script = Path(sys.executable).with_name("gelu-verify")
    path = os.pathsep.join([str(script.parent), os.environ["PATH"]])
    done = subprocess.run(
        f"{command} --json", shell=True, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, check=False
    )
    assert done.returncode == 1, done.stderr.decode()
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_a_command_with_awkward_names_goes_through_a_shell_as_it_stands(
    gelu_verify: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "my kernels; $HOME"
    folder.mkdir()
    (folder / "größe 'x'.py").write_text(
        "import numpy as np\n\n\ndef f(x, slope=0.0):\n    return np.where(x < 3, slope * x, x).astype(x.dtype)\n"
    )
    monkeypatch.chdir(tmp_path)
    target = "my kernels; $HOME/größe 'x'.py:f"
    words = [target, "--as", "x*1", "--arg", "slope=0.5", "--format", "binary16", "--max-ulp", "2.5", "--sampled"]
    first = findings(gelu_verify, words)
    assert [finding["kind"] for finding in first] == ["coarse-approximation", "property-violation"]
    assert through_a_shell(first[1]["command"], tmp_path)["findings"] == first


def test_a_write_past_the_end_is_found_again(gelu_verify: Run, tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    assert compiler is not None, "a C compiler is needed"
    (tmp_path / "f.c").write_text(
        "#include <stddef.h>\n"
        "void f(const float *x, float *y, size_t n) { for (size_t i = 0; i <= n; i++) y[i] = 1; }\n"
    )
    subprocess.run([compiler, "-shared", "-fPIC", "-o", tmp_path / "f.so", tmp_path / "f.c"], check=True)
    first = findings(gelu_verify, [f"{tmp_path / 'f.so'}:f", "--as", "relu", "--sampled"])
    assert [finding["kind"] for finding in first] == ["buffer-overrun"]
    assert through_a_shell(first[0]["command"], tmp_path)["findings"] == first
