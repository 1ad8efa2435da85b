"""Cutting the line where an expression changes its rule, so that on each piece there is one without kinks.

Kinks of abs, min and max and the switches of where lie at zeros of an inner expression: those are isolated, with proof
that there are no others, and on each piece the branch that holds there takes the operator's place.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from gelu_verify.bounds.domains import cut, defined_parts, least_sign, walk
from gelu_verify.bounds.roots import Line, Unresolved, zeros
from gelu_verify.bounds.smooth import Smooth, point, segment, vanishes
from gelu_verify.catalogue.derivative import negate, subtract
from gelu_verify.catalogue.evaluators import arb_value
from gelu_verify.catalogue.expression import Expression, Operation, Where, text
from gelu_verify.catalogue.forms import Form, NoNormalForm
from gelu_verify.catalogue.normal_form import normal_form
from gelu_verify.deadlines import Deadline
from gelu_verify.enclosures import Enclosure, working_precision

_SWITCHES = ("abs", "max", "min")
_MOST_RULES = 256
_BITS = 128


@dataclass(frozen=True, slots=True)
class Piece:
    """An interval and the expressions' rules on it. Two neighbours leave a gap: a point, or a point's enclosure."""

    line: Line
    rules: tuple[Expression, ...]


def pieces(rules: tuple[Expression, ...], line: Line, bits: int, deadline: Deadline) -> list[Piece]:
    """Cut the line at every kink and switch of the expressions, from left to right.

    Arguments:
        bits: how narrow the gap at an irrational cut is to be, relative to the point.

    Raises:
        Unresolved: the cuts are not proven to be complete.
        OutOfTime: the deadline has passed.
    """
    node = next((found for rule in rules for found in _first_switch(rule)), None)
    if node is None:
        return [Piece(line, rules)]
    result = []
    for part, side in _signed_parts(node, line, bits, deadline):
        chosen = tuple(_replace(rule, node, _branch(node, side)) for rule in rules)
        result += pieces(chosen, part, bits, deadline)
    return result


def _signed_parts(node: Expression, line: Line, bits: int, deadline: Deadline) -> Iterator[tuple[Line, int]]:
    """Yield parts of the line with the sign that the node's switch has inside."""
    switch = _switch(node)
    if vanishes(switch):
        yield line, 0
        return
    for expression, side in ((switch, 1), (negate(switch), -1)):
        least = least_sign(expression)
        if least == 1 or (least == 0 and not isinstance(node, Where)):
            for part in defined_parts(switch, line, bits, deadline):
                yield part, side
            return
    for defined in defined_parts(switch, line, bits, deadline):
        for part in cut(defined, zeros(Smooth(switch), defined, deadline, strict=False), bits):
            sign = Smooth(switch).sign_at(part.between())
            if not sign:
                raise Unresolved(f"the sign of {text(switch)} is not decided")
            yield part, sign


def _first_switch(node: Expression) -> Iterator[Expression]:
    """Yield the innermost switch that is evaluated wherever the expression is (branches of where come later)."""
    match node:
        case Operation(operator, arguments):
            for argument in arguments:
                yield from _first_switch(argument)
            if operator in _SWITCHES:
                yield node
        case Where(_, left, right, _, _):
            yield from _first_switch(left)
            yield from _first_switch(right)
            yield node


def _switch(node: Expression) -> Expression:
    match node:
        case Operation("abs", (inner,)):
            return inner
        case Operation(_, (left, right)) | Where(_, left, right, _, _):
            return subtract(left, right)
    raise TypeError(f"not a switch: {node}")


def _branch(node: Expression, side: int) -> Expression:
    """Return what the node is where its switch has that sign."""
    match node:
        case Operation("abs", (inner,)):
            return inner if side >= 0 else negate(inner)
        case Operation(operator, (left, right)):
            return left if (side < 0) == (operator == "min") else right
        case Where(relation, _, _, then, otherwise):
            holds = {"<": side < 0, "<=": side <= 0, ">": side > 0, ">=": side >= 0}[relation]
            return then if holds else otherwise
    raise TypeError(f"not a switch: {node}")


def _replace(expression: Expression, old: Expression, new: Expression) -> Expression:
    if expression == old:
        return new
    match expression:
        case Operation(operator, arguments):
            return Operation(operator, tuple(_replace(argument, old, new) for argument in arguments))
        case Where(relation, left, right, then, otherwise):
            parts = (_replace(part, old, new) for part in (left, right, then, otherwise))
            return Where(relation, *parts)
    return expression


def rule_at_zero(expression: Expression, at: Enclosure) -> Expression | None:
    """Return the rule that an expression follows at a point: an exact one, or the one where its switch passes zero.

    Returns:
        None if a comparison is not defined there.

    Raises:
        Unresolved: a comparison is not decided, or two different switches may pass zero in the enclosure.
    """
    passing: list[Form] = []
    while True:
        node = next(_first_switch(expression), None)
        if node is None:
            return expression
        side = _side_at(_switch(node), at.lower) if at.exact else _side_over(_switch(node), at, passing)
        if side is None:
            return None
        expression = _replace(expression, node, _branch(node, side))


def _side_at(switch: Expression, x: Fraction) -> int | None:
    side = 0 if vanishes(switch, x) else Smooth(switch).sign_at(x)
    if side is None and arb_value(switch, point(x)).is_finite():
        raise Unresolved(f"which branch holds at {x} is not decided")
    return side


def _side_over(switch: Expression, at: Enclosure, passing: list[Form]) -> int | None:
    """Return the sign over an enclosure; 0 for a switch that passes zero there, if it is the only one (or the same)."""
    if vanishes(switch):
        return 0
    with working_precision(_BITS):
        value = arb_value(switch, segment(at.lower, at.upper))
    if not value.is_finite():
        return None
    if not value.contains(0):
        return 1 if value > 0 else -1
    low, high = (Smooth(switch).sign_at(end) for end in (at.lower, at.upper))
    try:
        form = normal_form(switch)
    except NoNormalForm:
        raise Unresolved(f"the sign of {text(switch)} is not decided") from None
    passing.append(form)
    if not low or not high or low == high or any(form.proportion(other) is None for other in passing):
        raise Unresolved(f"which branch holds near {float(at.lower):.9g} is not decided")
    return 0


def passing_switch(expression: Expression, at: Enclosure) -> Expression | None:
    """Return an inner expression that passes zero at the point of a narrow enclosure, if a branch changes there."""
    for node, sides in _choices(expression, at):
        if len(sides) > 1:
            return _switch(node)
    return None


def is_continuous_over(expression: Expression, at: Enclosure) -> bool:
    """Return whether only abs, min and max can change branch in the enclosure: there both sides have one value."""
    return not any(len(sides) > 1 and isinstance(node, Where) for node, sides in _choices(expression, at))


def _choices(expression: Expression, at: Enclosure) -> Iterator[tuple[Expression, tuple[int, ...]]]:
    """Yield each switch met in the enclosure with the signs it may have there, following the last of them."""
    while (node := next(_first_switch(expression), None)) is not None:
        sides = _sides_over(_switch(node), at)
        yield node, sides
        expression = _replace(expression, node, _branch(node, sides[-1]))


def _sides_over(switch: Expression, at: Enclosure) -> tuple[int, ...]:
    if vanishes(switch):
        return (0,)
    with working_precision(_BITS):
        value = arb_value(switch, segment(at.lower, at.upper))
    return (1,) if value > 0 else (-1,) if value < 0 else (-1, 0, 1)


def rules_over(rules: tuple[Expression, ...], around: Enclosure) -> list[tuple[Expression, ...]]:
    """Return rules of which, at each point of the enclosure, one choice is what the expressions are.

    Raises:
        Unresolved: there are too many.
    """
    pending, resolved = [rules], []
    while pending:
        chosen = pending.pop()
        node = next((found for rule in chosen for found in _first_switch(rule)), None)
        if node is None:
            resolved.append(chosen)
            continue
        sides = _sides_over(_switch(node), around)
        pending += [tuple(_replace(rule, node, _branch(node, side)) for rule in chosen) for side in sides]
        if len(pending) + len(resolved) > _MOST_RULES:
            raise Unresolved(f"too many branches meet near {float(around.lower):.9g}")
    return list(dict.fromkeys(resolved))


def switches(expression: Expression) -> Iterator[Expression]:
    """Yield every abs, min, max and where in the expression."""
    for node in walk(expression):
        if isinstance(node, Where) or (isinstance(node, Operation) and node.operator in _SWITCHES):
            yield node
