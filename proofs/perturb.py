"""False variants of a statement, made from the statement itself: another sign, constant, degree or direction.

A runner that proves one of them, or cannot refute it, has not understood what it proves.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy

from gelu_verify.proofs.statements import (
    Compare,
    Corner,
    Curved,
    Equal,
    Implies,
    Monotone,
    Smooth,
    Statement,
    UniqueZero,
)
from gelu_verify.proofs.theorem import Theorem

_SMALL = sympy.Rational(1, 1000)
_OPPOSITE = {"<": ">", "<=": ">", ">": "<", ">=": "<"}


def perturbed(theorem: Theorem) -> Iterator[tuple[str, Theorem]]:
    """Yield variants of the theorem with one formula made false and the proof unchanged, with what was changed."""
    for place, formula in enumerate(theorem.statement):
        for change, variant in variants(formula):
            statement = (*theorem.statement[:place], variant, *theorem.statement[place + 1 :])
            yield f"formula {place + 1}, {change}", replace(theorem, statement=statement)
    for change, formulas in theorem.perturbations:
        yield change, replace(theorem, statement=formulas)


def variants(formula: Statement) -> Iterator[tuple[str, Statement]]:
    """Yield false variants of a true formula, with what was changed."""
    match formula:
        case Equal():
            yield from _unequal(formula)
        case Compare(left, relation, right, over):
            if relation == "!=":
                yield "equality claimed", Equal(left, right, over)
            else:
                yield "direction", replace(formula, relation=_OPPOSITE[relation])
        case Monotone(increasing=increasing):
            yield "direction", replace(formula, increasing=not increasing)
        case Curved(convex=convex):
            yield "direction", replace(formula, convex=not convex)
        case UniqueZero(zero=zero):
            yield "constant: the zero moved by 1/1000", replace(formula, zero=zero + _SMALL)
        case Corner(order=order):
            yield "degree: one derivative more", replace(formula, order=order + 1)
        case Smooth() | Implies():
            return


def _unequal(formula: Equal) -> Iterator[tuple[str, Statement]]:
    right = formula.right
    if right in (sympy.oo, -sympy.oo):
        yield "sign", replace(formula, right=-right)
        yield "constant: 1", replace(formula, right=sympy.Integer(1))
        return
    if right != 0:
        yield "sign", replace(formula, right=-right)
    yield "constant: 1/1000 added", replace(formula, right=right + _SMALL)
    for change, other in _numbers_moved(right):
        yield change, replace(formula, right=other)


def _numbers_moved(expression: Any) -> Iterator[tuple[str, Any]]:
    """Yield the expression with each of its literal numbers in turn raised by one (an exponent: the degree)."""
    for path in _number_paths(expression):
        number = _get(expression, path)
        moved = _set(expression, path, number + 1)
        parent = _get(expression, path[:-1])
        kind = "degree" if isinstance(parent, sympy.Pow) and path[-1] == 1 else "constant"
        yield f"{kind}: {number} to {number + 1}", moved


def _number_paths(expression: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    if path and expression.is_Rational and expression.is_Integer and expression > 1:
        yield path
    if isinstance(expression, (sympy.Integral, sympy.Sum, sympy.Limit, sympy.Derivative, sympy.Subs, sympy.Piecewise)):
        return
    for index, argument in enumerate(expression.args):
        yield from _number_paths(argument, (*path, index))


def _get(expression: Any, path: tuple[int, ...]) -> Any:
    for index in path:
        expression = expression.args[index]
    return expression


def _set(expression: Any, path: tuple[int, ...], value: Any) -> Any:
    if not path:
        return value
    arguments = list(expression.args)
    arguments[path[0]] = _set(arguments[path[0]], path[1:], value)
    return expression.func(*arguments)
