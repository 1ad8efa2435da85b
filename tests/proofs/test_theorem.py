"""The runner: what it refuses, what it refutes, and that the conclusion must follow from the steps."""

from dataclasses import replace
from typing import Any

import pytest
import sympy
from gelu_verify.proofs.library import get_theorem, theorems
from gelu_verify.proofs.methods.equality import Derivative, Identity
from gelu_verify.proofs.methods.logic import Theorem as ByTheorem
from gelu_verify.proofs.methods.order import Sign
from gelu_verify.proofs.notation import REALS, G, Phi, derivative, phi, x
from gelu_verify.proofs.statements import Compare, Equal, Implies
from gelu_verify.proofs.theorem import Step, Theorem, TheoremResult, check_theorem
from gelu_verify.records import Verdict

LINE = ((x, REALS),)
TRUE = Equal(derivative(G(x), x), Phi(x) + x * phi(x), LINE)


def checked(*statement: Any, steps: tuple[Step, ...]) -> TheoremResult:
    return check_theorem(Theorem("test", "a test", statement, steps, "this test"), theorems().get)


def test_a_true_statement_with_a_proof_is_proved() -> None:
    assert checked(TRUE, steps=(Step(TRUE, Derivative(), "product rule"),)).verdict is Verdict.PROVED


def test_a_theorem_without_statement_is_refused() -> None:
    result = checked(steps=(Step(TRUE, Derivative(), ""),))
    assert result.verdict is Verdict.UNKNOWN
    assert "states nothing" in result.reason


def test_a_theorem_without_steps_is_refused() -> None:
    result = checked(TRUE, steps=())
    assert result.verdict is Verdict.UNKNOWN
    assert "no steps" in result.reason


@pytest.mark.parametrize(
    "empty",
    [
        Equal(G(x), G(x), LINE),
        Equal(G(x) + 0, G(x), LINE),
        Compare(x, "<=", x, LINE),
        Implies((TRUE,), TRUE),
    ],
)
def test_a_step_with_identical_sides_is_refused(empty: Any) -> None:
    steps = (Step(empty, Identity(), ""), Step(TRUE, Derivative(), ""))
    result = checked(TRUE, steps=steps)
    assert result.verdict is Verdict.UNKNOWN
    assert "nothing to prove" in result.reason


def test_a_definition_is_no_theorem() -> None:
    definition = Equal(G(x), x * Phi(x), LINE)
    result = checked(definition, steps=(Step(definition, Identity(), ""),))
    assert result.verdict is Verdict.UNKNOWN
    assert "nothing to prove" in result.reason


def test_the_statement_must_be_what_the_steps_conclude() -> None:
    other = Equal(derivative(G(x), x, 2), (2 - x**2) * phi(x), LINE)
    result = checked(other, steps=(Step(TRUE, Derivative(), ""),))
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "no step concludes the statement")


def test_the_second_formula_of_a_statement_must_be_concluded_too() -> None:
    other = Equal(derivative(G(x), x, 2), (2 - x**2) * phi(x), LINE)
    assert checked(TRUE, other, steps=(Step(TRUE, Derivative(), ""),)).verdict is Verdict.UNKNOWN


def test_a_false_statement_is_refuted_with_a_witness() -> None:
    false = replace(TRUE, right=Phi(x) - x * phi(x))
    result = checked(false, steps=(Step(TRUE, Derivative(), ""),))
    assert result.verdict is Verdict.REFUTED
    assert "x = " in result.reason


def test_a_false_step_refutes_even_if_its_method_would_pass() -> None:
    class Believer:
        name = "believe"

        def check(self, goal: Any, facts: Any) -> Any:
            raise AssertionError("a false claim must not reach its method")

    false = Equal(Phi(x), phi(x), LINE)
    result = checked(TRUE, steps=(Step(false, Believer(), ""), Step(TRUE, Derivative(), "")))
    assert result.verdict is Verdict.REFUTED


def test_numeric_agreement_alone_proves_nothing() -> None:
    """A claim true to 50 digits at every point tried, which no method derives, stays unknown."""
    tiny = Equal(sympy.exp(x), sympy.exp(x) * (1 + sympy.Rational(1, 10**200)), LINE)
    result = checked(tiny, steps=(Step(tiny, Identity(), ""),))
    assert result.verdict is Verdict.UNKNOWN


def test_a_step_may_only_rest_on_earlier_steps() -> None:
    steps = (Step(TRUE, Derivative(), "", "a", ("b",)), Step(TRUE, Derivative(), "", "b"))
    assert "no earlier step" in checked(TRUE, steps=steps).reason


def test_a_theorem_cannot_cite_itself() -> None:
    assert "cites the theorem itself" in checked(TRUE, steps=(Step(TRUE, ByTheorem("test"), ""),)).reason


def test_a_cited_theorem_must_say_what_is_cited() -> None:
    result = checked(TRUE, steps=(Step(TRUE, ByTheorem("gelu.derivative.second"), ""),))
    assert result.verdict is Verdict.UNKNOWN
    assert "does not say this" in result.reason


def test_an_unknown_method_result_leaves_the_theorem_unknown() -> None:
    claim = Compare(Phi(x), ">", phi(x) - 1, LINE)  # true, but not evident from the signs of its terms
    result = checked(claim, steps=(Step(claim, Sign(), ""),))
    assert result.verdict is Verdict.UNKNOWN


def test_every_theorem_has_an_id_of_its_own_group_and_a_source() -> None:
    for name, theorem in theorems().items():
        assert name == theorem.id
        assert theorem.title and theorem.source
        assert get_theorem(name) is theorem
