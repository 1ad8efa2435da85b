"""The runner: what it refuses, what it refutes, and that the conclusion must follow from the steps."""

from dataclasses import replace
from typing import Any

import pytest
import sympy
from sympy import Interval, exp

from gelu_verify.proofs import library
from gelu_verify.proofs.falsify import POINTS, falsify
from gelu_verify.proofs.library import get_theorem, theorems
from gelu_verify.proofs.methods.equality import Derivative, Identity
from gelu_verify.proofs.methods.limits import approaches
from gelu_verify.proofs.methods.logic import Theorem as ByTheorem
from gelu_verify.proofs.methods.order import Sign
from gelu_verify.proofs.methods.outcome import proved
from gelu_verify.proofs.methods.structure import possible_signs
from gelu_verify.proofs.notation import (
    POSITIVE,
    REALS,
    G,
    Phi,
    ReLU,
    Root,
    derivative,
    integral,
    limit,
    n,
    phi,
    s,
    t,
    x,
)
from gelu_verify.proofs.statements import (
    Compare,
    Corner,
    Curved,
    Equal,
    Implies,
    Monotone,
    Smooth,
    UniqueZero,
    ill_quantified,
)
from gelu_verify.proofs.theorem import Step, Theorem, TheoremResult, check_theorem, contradiction
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


LOOSE: dict[str, Any] = {
    "a free variable": Equal(derivative(G(x), x), Phi(x) + x * phi(x)),
    "a second free variable": Equal(x * s, s * x + 0 * s, ((x, REALS),)),
    "a set beyond the symbol's assumption": Compare(s, ">", -1, ((s, REALS),)),
    "an integer set beyond the symbol's assumption": Compare(n, ">", -9, ((n, sympy.Range(-5, sympy.oo)),)),
    "a variable quantified twice": Compare(exp(x), ">", 0, ((x, REALS), (x, REALS))),
    "no variable": Monotone(x, True, ()),
    "an empty set": Monotone(-x, True, ((x, Interval(1, 0)),)),
    "a free variable in a hypothesis": Implies((Equal(x, s),), Equal(x, 2, ((x, REALS),)), ((s, POSITIVE),)),
}


@pytest.mark.parametrize("name", LOOSE)
def test_a_formula_that_is_not_properly_quantified_is_refused(name: str) -> None:
    result = checked(TRUE, steps=(Step(LOOSE[name], Identity(), ""), Step(TRUE, Derivative(), "")))
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason.startswith("refused: ")


def test_arrays_random_and_bound_variables_count_as_quantified() -> None:
    for name in ("geglu.block_gradient", "gelu.gating.dropout", "gelu.gating.expectation", "gelu.derivative.maclaurin"):
        theorem = get_theorem(name)
        assert [ill_quantified(formula) for formula in theorem.statement] == [None] * len(theorem.statement)


def test_a_root_needs_its_ends_in_order() -> None:
    with pytest.raises(ValueError, match="below its upper end"):
        Root("xi", x, x, 1, -1)


def test_two_steps_may_not_share_a_label() -> None:
    steps = (Step(TRUE, Derivative(), "", "a"), Step(TRUE, Derivative(), "", "a"))
    assert "two steps are called 'a'" in checked(TRUE, steps=steps).reason


def test_a_limit_that_the_values_do_not_bear_out_is_not_believed() -> None:
    class Believer:
        name = "believe"

        def check(self, goal: Any, facts: Any) -> Any:
            return proved("so it is")

    false = Equal(limit(Phi(x), x, sympy.oo), sympy.Rational(1, 2))
    assert checked(false, steps=(Step(false, Believer(), ""),)).verdict is Verdict.UNKNOWN
    true = Equal(limit(Phi(x), x, sympy.oo), 1)
    assert checked(true, steps=(Step(true, Believer(), ""),)).verdict is Verdict.PROVED


def test_an_identity_that_cannot_be_evaluated_anywhere_is_not_believed() -> None:
    class Believer:
        name = "believe"

        def check(self, goal: Any, facts: Any) -> Any:
            return proved("so it is")

    strange = Equal(sympy.zeta(x + 7), sympy.zeta(x + 7) + 0 * x + sympy.gamma(x) - sympy.gamma(x + 1), LINE)
    result = checked(strange, steps=(Step(strange, Believer(), ""),))
    assert "could not be evaluated" in result.reason


def test_contradictions_are_recognised() -> None:
    half_line = ((x, POSITIVE),)
    known = Equal(limit(Phi(x), x, sympy.oo), 1)
    assert contradiction(known, replace(known, right=sympy.Integer(2))) is not None
    assert contradiction(known, known) is None
    assert contradiction(Equal(G(x), 1, half_line), Equal(G(x), 2, LINE)) is None  # known on a smaller set only
    assert contradiction(Equal(G(x), 1, LINE), Equal(G(x), 2, half_line)) is not None
    assert contradiction(Equal(Phi(x), 1, LINE), Equal(G(x), 2, LINE)) is None
    assert contradiction(Equal(limit(x, x, sympy.oo), sympy.oo), Equal(limit(x, x, sympy.oo), 1)) is not None
    assert contradiction(known, replace(known, right=sympy.oo)) is not None
    corner = Corner(ReLU(x), 0, 0, LINE)
    assert contradiction(corner, replace(corner, order=1)) is not None
    assert contradiction(corner, replace(corner, order=1, expression=G(x))) is None


def test_a_circle_of_citations_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Equal(derivative(Phi(x), x), phi(x), LINE)
    first = Theorem("a", "a", (TRUE,), (Step(TRUE, ByTheorem("b"), ""),), "here")
    second = Theorem("b", "b", (TRUE, other), (Step(TRUE, ByTheorem("a"), ""), Step(other, Derivative(), "")), "here")
    monkeypatch.setattr(library, "theorems", lambda: {"a": first, "b": second})
    results = library.prove(["a", "b"], workers=1)
    assert [result.verdict for result in results] == [Verdict.UNKNOWN, Verdict.UNKNOWN]


@pytest.mark.parametrize(
    ("formula", "part"),
    [
        (Compare(Phi(x), "<", phi(x), LINE), "left minus right"),
        (Compare(Phi(x), ">=", 1, LINE), "left minus right"),
        (Compare(x, "!=", 0, ((x, Interval(0, 1)),)), "left minus right"),
        (Monotone(G(x), True, LINE), "goes the other way"),
        (Monotone(0 * x + 1, True, LINE), "goes the other way"),
        (Curved(G(x), True, LINE), "wrong side"),
        (UniqueZero(derivative(G(x), x), -1, LINE), "at -1"),
        (UniqueZero(x * (x - 1) * (x + 1), 0, LINE), "changes sign"),
        (UniqueZero(x, 0, ((x, POSITIVE),)), "is not in"),
        (Smooth(ReLU(x), LINE), "one-sided derivatives of order 1"),
        (Equal(integral(phi(t), t, -sympy.oo, x), phi(x), LINE), "mpmath"),
    ],
)
def test_false_statements_of_every_kind_get_a_witness(formula: Any, part: str) -> None:
    trial = falsify(formula)
    assert trial.witness is not None
    assert part in trial.witness


@pytest.mark.parametrize(
    "formula",
    [
        Compare(Phi(x), "<", 1, LINE),
        Monotone(Phi(x), True, LINE),
        Curved(exp(x), True, LINE),
        UniqueZero(x**3, 0, LINE),
        Smooth(G(x), LINE),
        Equal(integral(phi(t), t, -sympy.oo, x), Phi(x), LINE),
    ],
)
def test_true_statements_survive_the_search_for_a_witness(formula: Any) -> None:
    assert falsify(formula).witness is None


@pytest.mark.parametrize(
    ("function", "point", "direction", "value", "approached"),
    [
        (Phi(x), sympy.oo, "-", sympy.Integer(1), True),
        (Phi(x), sympy.oo, "-", sympy.Rational(9999, 10000), True),  # too near to tell: it is a look, not a proof
        (Phi(x), sympy.oo, "-", sympy.Rational(99, 100), False),
        (x, sympy.oo, "-", sympy.oo, True),
        (x, sympy.oo, "-", -sympy.oo, False),
        (-x, sympy.oo, "-", sympy.oo, False),
        (1 / x, sympy.Integer(0), "-", -sympy.oo, True),
        (1 / x, sympy.Integer(0), "+-", sympy.oo, False),
        (sympy.sin(x), sympy.Integer(0), "+", sympy.Integer(0), True),
        (integral(phi(t), t, 0, x), sympy.oo, "-", sympy.Integer(7), True),  # nothing can be computed
    ],
)
def test_the_values_on_the_way_to_a_limit(
    function: Any, point: Any, direction: str, value: Any, approached: bool
) -> None:
    assert (approaches(function, x, point, direction, value, ()) is None) is approached


@pytest.mark.parametrize(
    ("expression", "signs"),
    [
        (t**2 + 1 - exp(-(t**2)), {0, 1}),
        (1 - exp(-(s**2)), {1}),
        (exp(s) - 1, {1}),
        (1 - exp(s), {-1}),
        (2 - exp(s), {-1, 0, 1}),
        (t**2 + 1, {1}),
        (t**2 - s, {-1, 0, 1}),
        (-(t**2) - s, {-1}),
        (1 - Phi(t), {1}),
        (2 - Phi(t), {-1, 0, 1}),
        (1 / t, {-1, 0, 1}),
        (1 / s, {1}),
        (t**3 * s, {-1, 0, 1}),
        (sympy.sqrt(s) * phi(t), {1}),
        (sympy.pi - sympy.Rational(22, 7), {-1}),
        (sympy.cos(t), {-1, 0, 1}),
        (sympy.tanh(-s), {-1}),
        (G(s), {1}),
    ],
)
def test_possible_signs(expression: Any, signs: set[int]) -> None:
    assert possible_signs(expression, ((t, REALS), (s, POSITIVE))) == signs


def test_an_identity_is_tried_at_several_points_to_fifty_digits() -> None:
    assert falsify(TRUE).points == POINTS
    barely = Equal(TRUE.left, TRUE.right + sympy.Rational(1, 10**38), LINE)
    assert falsify(barely).witness is not None
