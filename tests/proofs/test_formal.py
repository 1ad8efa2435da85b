"""The formal proof: it compiles and proves what is stated, and what should be refused is refused.

Where Coq is missing, the same tests ask that this is said plainly and counted as not proved.
"""

import os
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from gelu_verify.errors import IncompleteError
from gelu_verify.proofs import formal
from gelu_verify.proofs.formal import COQ_FOLDER, Coq, FormalResult, run_formal
from gelu_verify.proofs.formal_numbers import certified_numbers
from gelu_verify.proofs.formal_statements import (
    ALLOWED_AXIOMS,
    FormalTheorem,
    assumptions,
    formal_theorems,
    refused_axioms,
)
from gelu_verify.records import Verdict

COQC = shutil.which("coqc")
THEOREMS = {theorem.identifier: theorem for theorem in formal_theorems(certified_numbers())}


@dataclass(frozen=True)
class Run:
    """One run of the formal proof, and the folder it left behind."""

    result: FormalResult
    folder: Path


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("coq")
    return Run(run_formal(folder=folder), folder)


@pytest.fixture
def compiled(run: Run, tmp_path: Path) -> Iterator[Coq | None]:
    """A copy of the compiled development to change; None where Coq is missing, after checking that this was said."""
    if COQC is None:
        assert not run.result.ran
        yield None
    else:
        folder = tmp_path / "copy"
        shutil.copytree(run.folder, folder)
        yield Coq(COQC, folder, time.monotonic() + 300)


def change(coq: Coq, name: str, before: str, after: str) -> None:
    path = coq.folder / f"{name}.v"
    text = path.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))


def test_the_development_proves_every_theorem_or_says_that_it_did_not_run(run: Run) -> None:
    result = run.result
    assert [verdict.theorem for verdict in result.verdicts] == list(THEOREMS.values())
    if COQC is None:
        assert not result.holds and not result.ran
        assert {verdict.verdict for verdict in result.verdicts} == {Verdict.UNKNOWN}
        assert {verdict.reason for verdict in result.verdicts} == {f"did not run: coqc not found ({formal.INSTALL})"}
    else:
        assert [verdict.reason for verdict in result.verdicts if verdict.reason] == []
        assert result.holds and result.ran
        assert {verdict.verdict for verdict in result.verdicts} == {Verdict.PROVED}
        assert set(result.axioms) == set(ALLOWED_AXIOMS)
        assert {name for name, _ in result.seconds} == {path.name for path in COQ_FOLDER.glob("*.v")}


def test_nothing_is_written_beside_the_sources(run: Run) -> None:
    assert {path.suffix or path.name for path in COQ_FOLDER.iterdir()} == {".v", "_CoqProject"}


def test_bounds_below_the_true_suprema_and_above_the_true_minimum_are_refused(compiled: Coq | None) -> None:
    """The last digits are lowered by less than a unit: what is asked for is wrong in the sixteenth digit."""
    if compiled is None:
        return
    change(compiled, "Numbers", "value_upper := 0.000473235520687285", "value_upper := 0.0004732355206872848")
    change(compiled, "Numbers", "value_upper := 0.0203348722092393", "value_upper := 0.02033487220923923")
    change(
        compiled,
        "Numbers",
        "minimum_value_upper : R := -0.169971207479903",
        "minimum_value_upper : R := -0.1699712074799037",
    )
    assert compiled.compile("Numbers").problem == ""
    with ThreadPoolExecutor(max_workers=2) as pool:
        tanh, sigmoid, minimum = pool.map(compiled.compile, ["TanhBound", "SigmoidBound", "Minimum"])
    for refused in (tanh, sigmoid, minimum):
        assert refused.problem.startswith(f"{refused.name}.v, line ")
        assert refused.problem.endswith(
            "Numerical evaluation failed to conclude. You may want to adjust some parameters."
        )


def test_a_bound_of_twelve_digits_below_what_is_attained_is_refused(compiled: Coq | None) -> None:
    if compiled is None:
        return
    change(compiled, "Theorems", "<= tanh_bound.", "<= tanh_bound_minus_unit.")
    assert "Theorems.v, line" in compiled.compile("Theorems").problem


def audited(coq: Coq, theorem: str) -> str:
    assert coq.compile("Theorems").problem == ""
    return formal.audit([THEOREMS[theorem]], coq)[0]


def test_a_weakened_theorem_does_not_pass(compiled: Coq | None) -> None:
    if compiled is None:
        return
    change(
        compiled,
        "Theorems",
        "forall x, Rabs (T x - G x) <= tanh_bound.",
        "forall x, Rabs (T x - G x) <= tanh_bound + 0.",
    )
    change(
        compiled,
        "Theorems",
        "unfold tanh_numbers, tanh_bound in *.",
        "rewrite Rplus_0_r. unfold tanh_numbers, tanh_bound in *.",
    )
    problem = audited(compiled, "tanh_error_bound")
    assert problem.startswith("Theorems.v does not prove the statement expected of it: Audit.v, line")


G = "Definition G (x : R) : R := x * (1 / 2 + RInt (fun t => exp (- (t * t) / 2) / sqrt (2 * PI)) 0 x). "
T = "Definition T (x : R) : R := x / 2 * (1 + tanh (sqrt (2 / PI) * (x + 0.044715 * (x * x * x)))). "
FAKES = {
    "the zero function": "Definition G (x : R) : R := 0. Definition T (x : R) : R := 0. ",
    "another constant": G + T.replace("0.044715", "0.044716"),
    "another density": G.replace("/ 2)", "/ 1)") + T,
}


def write_fake(coq: Coq, definitions: str) -> None:
    (coq.folder / "Theorems.v").write_text(
        "From Coq Require Import Reals. From Coquelicot Require Import Coquelicot. Open Scope R_scope. "
        f"{definitions}Axiom tanh_error_bound : forall x : R, Rabs (T x - G x) <= 0.000473235520688."
    )


@pytest.mark.parametrize("definitions", FAKES.values(), ids=FAKES.keys())
def test_bent_definitions_do_not_pass(definitions: str, compiled: Coq | None) -> None:
    """The theorem has the expected words, of other functions; it is assumed here, as only its statement matters."""
    if compiled is None:
        return
    write_fake(compiled, definitions)
    problem = audited(compiled, "tanh_error_bound")
    assert problem.startswith("Theorems.v does not prove the statement expected of it: Audit.v, line")


def test_the_true_definitions_written_elsewhere_do_pass(compiled: Coq | None) -> None:
    """The control for the test above: only the axiom, which stands for the proof, is refused then."""
    if compiled is None:
        return
    write_fake(compiled, G + T)
    assert audited(compiled, "tanh_error_bound") == (
        "rests on more than it may: Theorems.tanh_error_bound: not an axiom of the reals"
    )


def test_an_assumed_theorem_is_noticed_by_its_axiom(compiled: Coq | None) -> None:
    """Even if the word had escaped the search, the axioms would show it."""
    if compiled is None:
        return
    (compiled.folder / "Theorems.v").write_text(
        "From Coq Require Import Reals. From GeluVerify Require Import Gaussian. Open Scope R_scope. "
        "Theorem Phi_through_erf : forall x, Phi x = (1 + erf (x / sqrt 2)) / 2. Admitted."
    )
    assert audited(compiled, "Phi_through_erf") == (
        "rests on more than it may: Theorems.Phi_through_erf: not an axiom of the reals"
    )


def test_machine_arithmetic_is_noticed(compiled: Coq | None) -> None:
    """Without i_prec, CoqInterval computes with the processor's floats; with i_prec, on its integers."""
    if compiled is None:
        return
    (compiled.folder / "Machine.v").write_text(
        "From Coq Require Import Reals. From Interval Require Import Tactic. Open Scope R_scope. "
        "Lemma exp_1 : 2 <= exp 1 <= 3. Proof. split; [interval | interval with (i_prec 60)]. Qed. "
        "Print Assumptions exp_1."
    )
    done = compiled.compile("Machine")
    assert done.problem == ""
    refused = refused_axioms(assumptions(done.output))
    assert {"PrimFloat.add: machine arithmetic", "PrimInt63.add: machine arithmetic"} < set(refused)
    assert all(each.endswith(": machine arithmetic") for each in refused)


@pytest.mark.parametrize("cheat", ["Admitted.", "Axiom cheat : False.", "Unset  Guard  Checking."])
def test_a_development_with_a_forbidden_word_is_not_run(cheat: str, tmp_path: Path) -> None:
    shutil.copytree(COQ_FOLDER, tmp_path / "coq")
    with (tmp_path / "coq" / "Forms.v").open("a") as file:
        file.write(f"\n{cheat}\n")
    result = run_formal(source=tmp_path / "coq")
    assert not result.holds
    if COQC is not None:
        lines = (COQ_FOLDER / "Forms.v").read_text().count("\n") + 2
        word = cheat.split()[0].rstrip(".")
        assert {verdict.reason for verdict in result.verdicts} == {f"Forms.v, line {lines}: {word} is not allowed"}
        assert result.ran


def test_a_missing_compiler_is_said_plainly() -> None:
    result = run_formal(coqc="no-such-coqc")
    assert not result.ran and not result.holds
    assert {verdict.reason for verdict in result.verdicts} == {
        f"did not run: no-such-coqc not found ({formal.INSTALL})"
    }


def stand_in(tmp_path: Path, script: str) -> str:
    path = tmp_path / "coqc"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_a_coq_without_its_libraries_is_said_plainly(tmp_path: Path) -> None:
    coqc = stand_in(
        tmp_path, 'case "$*" in *--print-version*) echo 8.99.0 4.14;; *) echo "no such library" >&2; exit 1;; esac'
    )
    result = run_formal(coqc=coqc)
    assert not result.ran and not result.holds
    reason = f"did not run: Coquelicot does not load in {coqc} ({formal.INSTALL})"
    assert {verdict.reason for verdict in result.verdicts} == {reason}


def test_time_that_runs_out_leaves_everything_unknown(tmp_path: Path) -> None:
    result = run_formal(timeout=0.2, coqc=stand_in(tmp_path, "sleep 5"))
    assert not result.ran and not result.holds
    assert {verdict.reason for verdict in result.verdicts} == {"did not run: time was up"}


def test_a_compiler_that_accepts_everything_proves_nothing_without_its_word_on_axioms(tmp_path: Path) -> None:
    """A stand-in that prints an axiom of its own at the end: every theorem stays unknown."""
    result = run_formal(coqc=stand_in(tmp_path, "echo Axioms:; echo cheat : False"))
    assert result.ran and not result.holds
    assert {verdict.reason for verdict in result.verdicts} == {
        "rests on more than it may: cheat: not an axiom of the reals"
    }


def test_a_compiler_that_says_nothing_proves_nothing(tmp_path: Path) -> None:
    result = run_formal(coqc=stand_in(tmp_path, "true"))
    assert not result.holds
    assert {verdict.reason for verdict in result.verdicts} == {"Coq did not say on which axioms it rests"}


def test_a_failing_file_is_named_with_its_line(tmp_path: Path) -> None:
    complaint = r"""File "./Old.v", line 3, characters 0-42:
Warning: something old
[deprecated]
File "./Gaussian.v", line 7, characters 2-9:
Error:
Unable to unify
"""
    script = f"case \"$*\" in *Gaussian*) cat >&2 <<'E'\n{complaint}E\nexit 1;; esac"
    result = run_formal(coqc=stand_in(tmp_path, script))
    assert {verdict.reason for verdict in result.verdicts} == {"Gaussian.v, line 7: Unable to unify"}
    assert result.ran and "Theorems.v" not in dict(result.seconds)


@pytest.mark.parametrize(
    ("printed", "axioms"),
    [
        ("Closed under the global context\n", ()),
        ("Axioms:\nClassical_Prop.classic : forall P : Prop, P \\/ ~ P\n", ("Classical_Prop.classic",)),
        ("Axioms:\na.b\n  : forall x,\n    x = x\nc : nat\n", ("a.b", "c")),
        ("Section Variables:\nh : False\n", ("Section Variables:", "h")),
        ("Axioms:\nType hierarchy is collapsed\n", ("Type hierarchy is collapsed",)),
        ("Axioms:\nloop is assumed to be guarded.\n", ("loop is assumed to be guarded.",)),
    ],
)
def test_every_line_about_assumptions_is_read_or_counted_as_one(printed: str, axioms: tuple[str, ...]) -> None:
    assert assumptions(printed) == axioms
    assert [line.split(":")[0] for line in refused_axioms(axioms)] == [
        axiom.split(":")[0] for axiom in axioms if axiom not in ALLOWED_AXIOMS
    ]


def test_the_first_failure_stops_the_file_that_is_compiled_beside_it(tmp_path: Path) -> None:
    long, bad = "echo $$ >pid; exec sleep 60", "while [ ! -s pid ]; do sleep 0.05; done; echo bad >&2; exit 1"
    coqc = stand_in(tmp_path, f'case "$*" in *Bad*) {bad};; *) {long};; esac')
    start = time.monotonic()
    coq = Coq(coqc, tmp_path, start + 50)
    compiled = formal.compile_all(coq, {"Bad": "", "Long": "", "Never": ""})
    assert [each.problem for each in compiled] == ["Bad.v does not compile: bad"]
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
    assert time.monotonic() - start < 50


def test_the_time_limit_covers_every_file(tmp_path: Path) -> None:
    coq = Coq(stand_in(tmp_path, "sleep 5"), tmp_path, time.monotonic() + 0.1)
    with pytest.raises(IncompleteError, match="time was up"):
        coq.compile("Slow")
    with pytest.raises(IncompleteError, match="time was up"):
        formal.compile_all(coq, {"One": "", "Two": "", "Three": ""})


def test_theorem_names_are_distinct_and_all_stand_in_the_summary() -> None:
    summary = (COQ_FOLDER / "Theorems.v").read_text()
    assert len(THEOREMS) == 10
    for theorem in THEOREMS.values():
        assert isinstance(theorem, FormalTheorem)
        assert f"Theorem {theorem.identifier} :" in summary
    assert summary.count("\nTheorem ") == len(THEOREMS)
