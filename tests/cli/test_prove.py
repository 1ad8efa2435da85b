"""`gelu-verify prove`: what it prints, and its exit codes."""

import json
import subprocess
import sys
from dataclasses import replace
from types import MappingProxyType

import pytest

from gelu_verify.cli import main
from gelu_verify.proofs import formal, library
from gelu_verify.proofs.formal import FormalResult, FormalVerdict
from gelu_verify.proofs.formal_statements import FormalTheorem
from gelu_verify.proofs.perturb import perturbed
from gelu_verify.proofs.theorem import Theorem
from gelu_verify.records import Verdict

SECOND = "gelu.derivative.second"


def test_two_theorems_are_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "gelu.derivative.first", SECOND, "--workers", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[2:4]] == [["gelu.derivative.first", "proved"], [SECOND, "proved"]]
    assert lines[-1].startswith("2 of 2 proved")


def test_json_has_the_keys_that_tools_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", SECOND, "--workers", "1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema_version"] == 1
    (entry,) = document["theorems"]
    assert (entry["id"], entry["verdict"], entry["rests_on"]) == (SECOND, "proved", ["gelu.derivative.first"])
    assert entry["seconds"] >= 0


def test_the_list_names_every_theorem_with_its_title(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--list"]) == 0
    out = capsys.readouterr().out
    for name, theorem in library.theorems().items():
        assert name in out and theorem.title in out
    assert len(library.theorems()) >= 60


def test_the_list_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--list", "--json", SECOND]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["theorems"]
    assert entry["statement"] == ["G''(x) = (2 - x^2)·φ(x), for all real x"]
    assert entry["mathml"][0].startswith("<math")
    assert entry["citation"].startswith(f"{SECOND}: ")


def test_the_general_derivative_reads_as_a_proof(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--show", "gelu.derivative.nth"]) == 0
    out = capsys.readouterr().out
    for part in (
        "Statement\n  G^(n)(x) = (-1)^n·(n·He_{n-2}(x) - x·He_{n-1}(x))·φ(x), for all real x and integers n ≥ 2",
        "Base case n = 2",
        "Induction step",
        "[under the hypothesis from 4, 5, 6, 7] proved",
        "[induction from 1, 8] proved: base n = 2, step n -> n + 1",
        r"G^{\left(n\right)}\left(x\right)",
        "Verdict: proved",
    ):
        assert part in out


def test_show_in_json_has_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--show", SECOND, "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    assert [step["method"] for step in steps] == ["theorem", "differentiate both sides"]
    assert all(step["latex"] and step["evidence"] for step in steps)


@pytest.mark.parametrize("words", [["gelu.derivative.secnd"], ["--show", "gelu.derivative.secnd"]])
def test_an_unknown_theorem_gets_the_nearest_names(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "did you mean 'gelu.derivative.second'" in captured.err


@pytest.mark.parametrize("workers", ["0", "-1", "many"])
def test_a_wrong_number_of_workers_is_refused(workers: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", SECOND, "--workers", workers]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_show_takes_one_theorem_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", SECOND, "--show", SECOND]) == 2
    assert "--show takes one theorem" in capsys.readouterr().err


def test_false_variants_are_listed_as_refuted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--falsify", SECOND, "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert "degree: 2 to 3" in out
    assert "false variants refuted" in out
    assert "unknown" not in out


def test_false_variants_in_json_carry_their_witness(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--falsify", SECOND, "--workers", "1", "--json"]) == 0
    variants = json.loads(capsys.readouterr().out)["variants"]
    assert variants and all(row["verdict"] == "refuted" and row["reason"] for row in variants)


def _library_with(theorem: Theorem) -> object:
    changed = MappingProxyType({**library.theorems(), theorem.id: theorem})
    return lambda: changed


@pytest.mark.parametrize("name", [SECOND, "gelu.shape.stationary", "hermite.derivative", "relu.corner"])
def test_a_perturbed_theorem_is_refuted_and_the_exit_code_is_1(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, false = next(perturbed(library.get_theorem(name)))
    monkeypatch.setattr(library, "theorems", _library_with(false))
    assert main(["prove", name, "--workers", "1"]) == 1
    assert "refuted" in capsys.readouterr().out


def test_what_rests_on_a_theorem_without_proof_is_not_proved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = replace(library.get_theorem("gelu.derivative.first"), steps=())
    monkeypatch.setattr(library, "theorems", _library_with(bare))
    assert main(["prove", SECOND, "--workers", "1"]) == 3
    assert "rests on gelu.derivative.first, which is unknown" in capsys.readouterr().out


def test_the_examples_in_the_help_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--help"]) == 0
    assert "gelu-verify prove --show gelu.derivative.nth" in capsys.readouterr().out


def formal_result(verdict: Verdict, reason: str, ran: bool) -> FormalResult:
    theorem = FormalTheorem("tanh_error_bound", "|T(x) - G(x)| <= 1 for all real x", "forall x : R, ...")
    return FormalResult((FormalVerdict(theorem, verdict, reason),), ran, "8.16.1", ("Classical_Prop.classic",))


FORMAL = {
    "proved": (
        formal_result(Verdict.PROVED, "", ran=True),
        0,
        ["proved  |T(x) - G(x)| <= 1 for all real x", "1 of 1 proved by Coq 8.16.1", "Classical_Prop.classic"],
    ),
    "rejected": (
        formal_result(Verdict.UNKNOWN, "TanhBound.v, line 3: no", ran=True),
        1,
        ["unknown  |T(x) - G(x)| <= 1 for all real x\n  TanhBound.v, line 3: no", "0 of 1 proved by Coq 8.16.1"],
    ),
    "not run": (
        formal_result(Verdict.UNKNOWN, "did not run: coqc not found", ran=False),
        3,
        ["The formal proof did not run: coqc not found\n"],
    ),
}


@pytest.mark.parametrize(("result", "code", "parts"), FORMAL.values(), ids=FORMAL.keys())
def test_the_formal_proof_is_told_with_its_exit_code(
    result: FormalResult,
    code: int,
    parts: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(formal, "run_formal", lambda progress: result)
    assert main(["prove", "--formal"]) == code
    out = capsys.readouterr().out
    assert all(part in out for part in parts)
    assert ("proved" in out) == result.ran
    assert main(["prove", "--formal", "--json"]) == code
    document = json.loads(capsys.readouterr().out)
    assert (document["ran"], document["coq"]) == (result.ran, "8.16.1")
    (entry,) = document["theorems"]
    assert (entry["id"], entry["verdict"]) == ("tanh_error_bound", str(result.verdicts[0].verdict))
    assert entry["seconds"] >= 0


def test_without_coq_the_formal_proof_says_so_and_is_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert main(["prove", "--formal"]) == 3
    assert capsys.readouterr().out == f"The formal proof did not run: coqc not found ({formal.INSTALL})\n"


def test_the_formal_proof_takes_no_theorem_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--formal", SECOND]) == 2
    assert "leave out gelu.derivative.second" in capsys.readouterr().err


def test_ctrl_c_ends_it_with_130_and_without_a_theorem() -> None:
    script = (
        "import threading, _thread, signal, sys\n"
        "from gelu_verify.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored by what runs in the background
        "threading.Timer(2.0, _thread.interrupt_main).start()\n"
        "code = main(['prove', '--workers', '2'])\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "gelu-verify: interrupted\n")
