"""Statements, proofs and citations for readers: plain text, LaTeX and MathML from one list of fragments."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import sympy

from gelu_verify import __version__
from gelu_verify.enclosures import enclosure_of
from gelu_verify.proofs.notation import NamedBase, Root
from gelu_verify.proofs.numerics import enclose
from gelu_verify.proofs.preparation import prepare
from gelu_verify.proofs.printers import latex, mathml, plain
from gelu_verify.proofs.statements import (
    Compare,
    Corner,
    Curved,
    Equal,
    Implies,
    Monotone,
    Over,
    Smooth,
    Statement,
    UniqueZero,
)
from gelu_verify.proofs.theorem import Theorem

_RELATION_TEXT = {"=": "=", "<": "<", "<=": "≤", ">": ">", ">=": "≥", "!=": "≠"}
_RELATION_LATEX = {"=": "=", "<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "!=": r"\ne"}
_RELATION_MATHML = {"=": "=", "<": "&lt;", "<=": "≤", ">": "&gt;", ">=": "≥", "!=": "≠"}

Writers = Mapping[str, Callable[[Any], str]]  # how to write a fragment of each kind
Fragment = tuple[str, Any]  # ("words", str) | ("relation", str) | ("expression", SymPy)


def statement_text(statement: Statement) -> str:
    """Write a statement on one line."""
    written: Writers = {"words": str, "relation": _RELATION_TEXT.__getitem__, "expression": plain}
    return " ".join(written[kind](value) for kind, value in _fragments(statement)).replace(" ,", ",")


def statement_latex(statement: Statement) -> str:
    """Write a statement in LaTeX (math mode, without dollars)."""
    written: Writers = {
        "words": lambda words: rf"\text{{{words}}}",
        "relation": _RELATION_LATEX.__getitem__,
        "expression": latex,
    }
    return r"\ ".join(written[kind](value) for kind, value in _fragments(statement)).replace(r"\ \text{,", r"\text{,")


def statement_mathml(statement: Statement) -> str:
    """Write a statement as a MathML element."""
    written: Writers = {
        "words": lambda words: f"<mtext>&#160;{words}&#160;</mtext>",
        "relation": lambda relation: f"<mo>{_RELATION_MATHML[relation]}</mo>",
        "expression": mathml,
    }
    body = "".join(written[kind](value) for kind, value in _fragments(statement))
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mrow>{body}</mrow></math>'


def theorem_text(theorem: Theorem) -> str:
    """Write the whole statement of a theorem, one formula after another."""
    return "; and ".join(map(statement_text, theorem.statement))


def theorem_latex(theorem: Theorem) -> str:
    """Write the whole statement of a theorem in LaTeX."""
    formulas = map(statement_latex, theorem.statement)
    return r"\begin{gathered}" + r" \\ ".join(formulas) + r"\end{gathered}"


def theorem_mathml(theorem: Theorem) -> str:
    """Write the whole statement of a theorem as MathML, one element for each formula."""
    return "\n".join(map(statement_mathml, theorem.statement))


def citation(theorem: Theorem) -> str:
    """Return the line by which to cite a theorem: id, statement, version."""
    return f"{theorem.id}: {theorem_text(theorem)} [gelu-verify {__version__}]"


def digits(theorem: Theorem, count: int = 20) -> list[str]:
    """Return the theorem's numbers, each with certain digits from an Arb enclosure."""
    return [f"{plain(value)} = {enclosure_of(enclose(prepare(value))).decimal(count)}" for value in theorem.values]


def definitions(statements: Sequence[Statement]) -> list[str]:
    """Return what the named functions and numbers in the statements stand for, one line each."""
    found: dict[str, str] = {}
    for statement in statements:
        for expression in _expressions(statement):
            for function in sorted(expression.atoms(NamedBase), key=str):
                found.setdefault(type(function).__name__, type(function).formula)
            for root in sorted(_roots(expression, statement), key=str):
                place = f"between {root.low} and {root.high}"
                found.setdefault(root.name, f"{plain(root)} is the zero of {plain(root.function)} {place}")
    return list(found.values())


def _roots(expression: Any, statement: Statement) -> set[Any]:
    """Return the roots in an expression, a unique zero, or the ends of the statement's sets."""
    zero = getattr(statement, "zero", sympy.Integer(0))
    ends = [region for _, region in statement.over if isinstance(region, sympy.Set)]
    return set().union(*(part.atoms(Root) for part in (expression, zero, *ends)))


def _expressions(statement: Statement) -> Iterator[Any]:
    if isinstance(statement, Implies):
        for each in (*statement.hypotheses, statement.conclusion):
            yield from _expressions(each)
    for field in ("left", "right", "expression"):
        if hasattr(statement, field):
            yield getattr(statement, field)


def _fragments(statement: Statement) -> list[Fragment]:
    match statement:
        case Implies(hypotheses, conclusion, over):
            found: list[Fragment] = []
            for index, hypothesis in enumerate(hypotheses):
                found += [("words", "and" if index else "if"), *_fragments(hypothesis)]
            return [*found, ("words", ", then"), *_fragments(conclusion), *_quantifiers(over)]
        case Equal(left, right, over):
            return [("expression", left), ("relation", "="), ("expression", right), *_quantifiers(over)]
        case Compare(left, relation, right, over):
            return [("expression", left), ("relation", relation), ("expression", right), *_quantifiers(over)]
        case _:
            return _described(statement)


def _described(statement: Any) -> list[Fragment]:
    """Statements that are told in words, with the variable's set in the sentence."""
    (variable, region), *rest = statement.over
    expression: Fragment = ("expression", statement.expression)
    place: list[Fragment] = [("words", "for"), ("expression", variable), ("words", "in"), ("expression", region)]
    quantifiers = _quantifiers(tuple(rest))
    match statement:
        case Monotone(increasing=increasing):
            direction = "increasing" if increasing else "decreasing"
            return [expression, ("words", f"is strictly {direction}"), *place, *quantifiers]
        case Curved(convex=convex):
            return [expression, ("words", f"is strictly {'convex' if convex else 'concave'}"), *place, *quantifiers]
        case UniqueZero(zero=zero):
            only: list[Fragment] = [("words", ", if and only if"), ("expression", variable), ("relation", "=")]
            return [
                expression,
                ("relation", "="),
                ("expression", sympy.Integer(0)),
                *place,
                *only,
                ("expression", zero),
                *quantifiers,
            ]
        case Smooth():
            if region == sympy.S.Complexes:
                return [expression, ("words", "is an entire function of"), ("expression", variable), *quantifiers]
            return [expression, ("words", "is infinitely differentiable"), *place, *quantifiers]
        case Corner(point=point, order=order):
            at: list[Fragment] = [("expression", variable), ("relation", "="), ("expression", point)]
            words = (
                f"has exactly {order} continuous derivatives at"
                if order
                else "is continuous, but not differentiable, at"
            )
            return [expression, ("words", words), *at, *quantifiers]
    raise TypeError(f"no words for {type(statement).__name__}")


def _quantifiers(over: Over) -> list[Fragment]:
    found: list[Fragment] = []
    for index, (variable, region) in enumerate(over):
        start: Fragment = ("words", "and" if index else ", for all")
        found += [start, *_quantifier(variable, region)]
    return found


def _quantifier(variable: Any, region: Any) -> list[Fragment]:
    name: Fragment = ("expression", variable)
    if region == sympy.S.Reals:
        return [("words", "real"), name]
    if region == sympy.S.Complexes:
        return [("words", "complex"), name]
    if isinstance(region, sympy.Range):
        return [("words", "integers"), name, ("relation", ">="), ("expression", region.start)]
    if region == sympy.Interval.open(0, sympy.oo):
        return [name, ("relation", ">"), ("expression", sympy.Integer(0))]
    if region == sympy.Interval.open(-sympy.oo, 0):
        return [name, ("relation", "<"), ("expression", sympy.Integer(0))]
    return [name, ("words", "in"), ("expression", region)]
