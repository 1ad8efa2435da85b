"""Reading Coq source: what hides in comments, what does not, and which file comes first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.errors import InputError
from gelu_verify.proofs.coq_source import FORBIDDEN, code_only, compilation_order, dependencies, forbidden_words
from gelu_verify.proofs.formal import COQ_FOLDER


def test_the_ways_to_leave_something_unproved_are_all_forbidden() -> None:
    unproved = {"Admitted", "admit", "give_up", "Abort", "Admit", "Program"}
    assumed = {"Axiom", "Axioms", "Parameter", "Parameters", "Conjecture", "Conjectures", "Primitive"}
    assumed |= {"Hypothesis", "Hypotheses", "Variable", "Variables", "Context"}
    unchecked = {"Unset", "bypass_check", "native_compute", "Declare", "Load", "Add", "Redirect"}
    assert unproved | assumed | unchecked <= FORBIDDEN


@pytest.mark.parametrize("word", sorted(FORBIDDEN))
def test_every_forbidden_word_is_found_wherever_it_stands(word: str) -> None:
    for source in (
        f"{word}.",
        f"  {word} .",
        f"x.{word}\n.",
        f"(* a *){word}(* b *).",
        f"#[{word}(guard)]",
        f"[{word}|",
    ):
        assert [found for _, found in forbidden_words(source)] == [word], source


@pytest.mark.parametrize(
    "source",
    [
        "(* Admitted. *)",
        "Check (2 *) (* Admitted. *).",
        "(* outer (* Axiom cheat : False. *) Admitted. *)",
        '(* a string may hide a comment\'s end: "*)" Admitted. *)',
        'Goal True. idtac "Admitted." "say ""admit"" twice".',
        "Lemma admitted_once : axiom = Parameterless. Proof. exact Admitted'. Qed.",
    ],
)
def test_words_in_comments_in_strings_and_in_longer_names_are_not_reported(source: str) -> None:
    assert forbidden_words(source) == ()


@pytest.mark.parametrize(
    "source",
    [
        '"a string" Admitted.',
        '(* "(*" *) Admitted.',
        '"(*" Admitted. "*)"',
        "(* closed *) Admitted (* again *) .",
        "Qed.Admitted.",
        "(*(**)*)Admitted.",
    ],
)
def test_what_only_looks_like_a_comment_hides_nothing(source: str) -> None:
    assert [word for _, word in forbidden_words(source)] == ["Admitted"]


def test_a_forbidden_word_is_reported_with_its_line() -> None:
    assert forbidden_words("Lemma x : True.\n(* two\nlines *)\n  Proof. admit.\nAdmitted.") == (
        (4, "admit"),
        (5, "Admitted"),
    )


@given(st.text(alphabet='(*)" \nA', max_size=30))
def test_blanking_keeps_the_length_and_the_lines(source: str) -> None:
    code = code_only(source)
    assert len(code) == len(source)
    assert [at for at, sign in enumerate(code) if sign == "\n"] == [
        at for at, sign in enumerate(source) if sign == "\n"
    ]
    assert all(kept in (original, " ") for kept, original in zip(code, source, strict=True))


def development() -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in COQ_FOLDER.glob("*.v")}


def test_the_development_contains_no_forbidden_word() -> None:
    assert {name: forbidden_words(source) for name, source in development().items() if forbidden_words(source)} == {}


def test_each_file_is_compiled_after_those_it_imports() -> None:
    graph = dependencies(development())
    order = compilation_order(development())
    done: list[str] = []
    while order.is_active():
        for name in order.get_ready():
            assert graph[name] <= set(done)
            done.append(name)
            order.done(name)
    assert sorted(done) == sorted(graph)
    assert graph["Theorems"] >= {"TanhBound", "SigmoidBound", "Minimum"}
    assert graph["MeanValue"] == set()


def test_the_project_file_names_every_source_in_an_order_that_compiles() -> None:
    lines = (COQ_FOLDER / "_CoqProject").read_text(encoding="utf-8").split("\n")
    names = [line.removesuffix(".v") for line in lines if line.endswith(".v")]
    graph = dependencies(development())
    assert sorted(names) == sorted(graph)
    assert all(graph[name] <= set(names[:at]) for at, name in enumerate(names))


def test_a_missing_file_and_a_circle_are_told() -> None:
    with pytest.raises(InputError, match=r"A\.v imports B, which is not in the development"):
        compilation_order({"A": "From GeluVerify Require Import B."})
    with pytest.raises(InputError, match="in a circle"):
        compilation_order({"A": "From GeluVerify Require Import B.", "B": "From GeluVerify Require Export A."})
