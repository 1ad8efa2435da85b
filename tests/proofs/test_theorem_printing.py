"""Every theorem can be read: as text, as LaTeX, as MathML, and as a line to cite."""

from xml.dom import minidom

import pytest
import sympy

from gelu_verify import __version__
from gelu_verify.proofs.library import get_theorem, theorems
from gelu_verify.proofs.notation import G, He, T, c, derivative, derivative_at, n, s, x
from gelu_verify.proofs.printers import latex, mathml, plain
from gelu_verify.proofs.printing import (
    citation,
    definitions,
    statement_latex,
    statement_mathml,
    statement_text,
    theorem_latex,
    theorem_mathml,
    theorem_text,
)
from gelu_verify.proofs.statements import Compare, Curved, Equal, Implies, Monotone, Smooth, UniqueZero

IDS = tuple(theorems())


@pytest.mark.parametrize("name", IDS)
def test_every_formula_of_a_proof_is_written_in_three_scripts(name: str) -> None:
    theorem = get_theorem(name)
    for formula in (*theorem.statement, *(step.claim for step in theorem.steps)):
        text, tex, markup = statement_text(formula), statement_latex(formula), statement_mathml(formula)
        assert "\n" not in text and "**" not in text and "Derivative(" not in text and "Integral(" not in text
        assert tex.count("{") == tex.count("}") and tex.count(r"\left") == tex.count(r"\right")
        assert "Subs(" not in text and "{Subs" not in tex
        root = minidom.parseString(markup).documentElement
        assert root is not None and root.tagName == "math"
        assert "mfenced" not in markup and "&amp;" not in markup


@pytest.mark.parametrize("name", IDS)
def test_a_theorem_is_cited_by_id_statement_and_version(name: str) -> None:
    line = citation(get_theorem(name))
    assert line.startswith(f"{name}: ")
    assert line.endswith(f"[gelu-verify {__version__}]")
    assert theorem_text(get_theorem(name)) in line


@pytest.mark.parametrize("name", IDS)
def test_every_step_has_a_reason_and_every_title_is_one_line(name: str) -> None:
    theorem = get_theorem(name)
    assert all(step.reason for step in theorem.steps)
    assert "\n" not in theorem.title and len(theorem.title) <= 130


def test_whole_statements() -> None:
    theorem = get_theorem("gelu.shape.stationary")
    assert theorem_text(theorem) == (
        "G'(x) = 0 for x in ℝ, if and only if x = ξ; and G'(x) < 0, for all x in (-∞, ξ); "
        "and G'(x) > 0, for all x in (ξ, ∞)"
    )
    assert theorem_latex(theorem).count(r"\\") == 2
    assert theorem_mathml(theorem).count("<math") == 3


def test_expressions_in_plain_text() -> None:
    assert plain(derivative(G(x), x, 2)) == "G''(x)"
    assert plain(derivative(G(x), x, n)) == "G^(n)(x)"
    assert plain(derivative_at(G(x), x, 0)) == "G'(0)"
    assert plain(He(n - 2, x)) == "He_{n-2}(x)"
    assert plain(T(x, c)) == "T_c(x)"
    assert plain(sympy.Abs(G(x))) == "|G(x)|"
    assert plain(sympy.sqrt(2 * sympy.pi) * x**2) == "√2·√π·x^2"
    assert plain(sympy.Limit(G(x) / x, x, sympy.oo)) == "lim_{x→∞} (G(x)/x)"


def test_expressions_in_latex_and_mathml() -> None:
    assert latex(derivative(G(x), x)) == r"G^{\prime}\left(x\right)"
    assert latex(He(n, x)) == r"\operatorname{He}_{n}\left(x\right)"
    assert latex(derivative(G(x), x, n)) == r"G^{\left(n\right)}\left(x\right)"
    assert mathml(derivative(G(x), x, 2)).startswith("<mrow><msup><mi>G</mi><mo>″</mo></msup>".replace("″", "′′"))
    assert "<mi>σ</mi>" in statement_mathml(get_theorem("form.tanh.sigmoid").statement[0])


def test_statements_in_words() -> None:
    line, half = ((x, sympy.S.Reals),), ((x, sympy.Interval(0, sympy.oo)),)
    assert statement_text(Monotone(x, False, half)) == "x is strictly decreasing for x in [0, ∞)"
    assert statement_text(Curved(x**2, True, half)) == "x^2 is strictly convex for x in [0, ∞)"
    assert statement_text(UniqueZero(x - 1, 1, line)) == "x - 1 = 0 for x in ℝ, if and only if x = 1"
    assert statement_text(Smooth(G(x), line)) == "G(x) is infinitely differentiable for x in ℝ"
    positive = sympy.Interval.open(0, sympy.oo)
    assert statement_text(Compare(s, ">=", 0, ((s, positive),))) == "s ≥ 0, for all s > 0"
    implication = Implies((Equal(n, 1),), Equal(n + 1, 2), ((n, sympy.Range(0, sympy.oo)),))
    assert statement_text(implication) == "if n = 1, then n + 1 = 2, for all integers n ≥ 0"


def test_definitions_name_every_function_and_number() -> None:
    theorem = get_theorem("gelu.shape.minimum")
    lines = definitions([*theorem.statement, *(step.claim for step in theorem.steps)])
    assert "G(x) = x*Phi(x)" in lines
    assert "ξ is the zero of G'(x) between -1 and -1/2" in lines
