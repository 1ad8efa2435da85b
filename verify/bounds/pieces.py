"""Cutting the line where an expression changes its rule or leaves its domain, so that each piece is smooth inside.

Kinks of abs, min and max and the switches of where lie at zeros of an inner expression: those are isolated, with proof
that there are no others, and on each piece the branch that holds there takes the operator's place. Denominators and the
arguments of log and sqrt are treated alike; there the piece ends without being defined.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from gelu_verify.bounds.roots import Line, Root, Unresolved, zeros
from gelu_verify.bounds.smooth import Deadline, Smooth, segment, vanishes
from gelu_verify.catalogue.derivative import ONE, add, negate, subtract
from gelu_verify.catalogue.evaluators import arb_value
from gelu_verify.catalogue.expression import Expression, NamedConstant, Number, Operation, Where, text
from gelu_verify.catalogue.forms import NoNormalForm
from gelu_verify.catalogue.normal_form import normal_form
from gelu_verify.enclosures import Enclosure
from gelu_verify.enclosures.scales import NoAsymptotics
from gelu_verify.enclosures.scales import sign as sign_of_form
from gelu_verify.errors import InputError

_SWITCHES = ("abs", "max", "min")
_MOST_RULES = 256


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
    switch = _switch(node)
    if vanishes(switch):
        return pieces(tuple(_replace(rule, node, _branch(node, 0)) for rule in rules), line, bits, deadline)
    result = []
    for part in cut(line, zeros(Smooth(switch), line, deadline, strict=False), bits):
        side = Smooth(switch).sign_at(part.between())
        if not side:
            raise Unresolved(f"the sign of {text(switch)} is not decided")
        chosen = tuple(_replace(rule, node, _branch(node, side)) for rule in rules)
        result += pieces(chosen, part, bits, deadline)
    return result


def cut(line: Line, roots: list[Root], bits: int) -> list[Line]:
    """Return the parts of the line between the roots' enclosures."""
    ends = [root.enclosure(bits) for root in roots]
    lowers = [line.lower, *(end.upper for end in ends)]
    uppers = [*(end.lower for end in ends), line.upper]
    parts = [Line(lower, upper) for lower, upper in zip(lowers, uppers, strict=True)]
    return [part for part in parts if part.lower is None or part.upper is None or part.lower < part.upper]


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


def rule_at(expression: Expression, x: Fraction) -> Expression | None:
    """Return the rule that the expression follows at one rational point, or None if a comparison is not decided."""
    while True:
        node = next(_first_switch(expression), None)
        if node is None:
            return expression
        switch = _switch(node)
        side = 0 if vanishes(switch, x) else Smooth(switch).sign_at(x)
        if side is None:
            return None
        expression = _replace(expression, node, _branch(node, side))


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
        switch = arb_value(_switch(node), segment(around.lower, around.upper))
        sides = (1,) if switch > 0 else (-1,) if switch < 0 else (-1, 0, 1)
        pending += [tuple(_replace(rule, node, _branch(node, side)) for rule in chosen) for side in sides]
        if len(pending) + len(resolved) > _MOST_RULES:
            raise Unresolved(f"too many branches meet near {float(around.lower):.9g}")
    return list(dict.fromkeys(resolved))


def defined_parts(rule: Expression, line: Line, bits: int, deadline: Deadline) -> list[Line]:
    """Cut a piece at the zeros of denominators, logarithms' and roots' arguments.

    Raises:
        InputError: a logarithm or a square root of negative numbers, or a division by zero, on a whole interval.
    """
    parts = [line]
    for guarded, strict in dict.fromkeys(_guards(rule)):
        if _least(guarded) == 1 or (_least(guarded) == 0 and not strict):
            continue
        parts = [inner for part in parts for inner in _cut_at_guard(guarded, part, bits, deadline)]
    for guarded, must_be_positive in dict.fromkeys(_signed_guards(rule)):
        for part in parts:
            _check_sign(guarded, must_be_positive, part)
    return parts


def _cut_at_guard(guarded: Expression, part: Line, bits: int, deadline: Deadline) -> list[Line]:
    if vanishes(guarded):
        raise InputError(f"{text(guarded)} is zero everywhere; it stands where that is not defined")
    if _constant(guarded):
        return [part]
    return cut(part, zeros(Smooth(guarded), part, deadline), bits)


def _check_sign(guarded: Expression, must_be_positive: str, part: Line) -> None:
    if _least(guarded) is not None:
        return
    side = _constant_sign(guarded) if _constant(guarded) else Smooth(guarded).sign_at(part.between())
    if side is None:
        raise Unresolved(f"the sign of {text(guarded)} is not decided")
    if side < 0:
        raise InputError(
            f"{must_be_positive} of negative numbers: {text(guarded)} is negative at x = {part.between()}; "
            "restrict the domain with --on"
        )


def _constant(expression: Expression) -> bool:
    try:
        return normal_form(expression).constant
    except NoNormalForm:
        return False


def _constant_sign(expression: Expression) -> int | None:
    try:
        return sign_of_form(normal_form(expression))
    except (NoNormalForm, NoAsymptotics):
        return None


def _children(node: Expression) -> tuple[Expression, ...]:
    match node:
        case Operation(_, arguments):
            return arguments
        case Where(_, left, right, then, otherwise):
            return left, right, then, otherwise
    return ()


def _walk(node: Expression, seen: set[int]) -> Iterator[Expression]:
    if id(node) in seen:
        return
    seen.add(id(node))
    for child in _children(node):
        yield from _walk(child, seen)
    yield node


def _guards(rule: Expression) -> Iterator[tuple[Expression, bool]]:
    """Yield what must not be zero (True) or may be zero only at an end (False)."""
    for node in _walk(rule, set()):
        match node:
            case Operation("/", (_, denominator)):
                yield denominator, True
            case Operation("**", (base, Number(exponent))) if exponent < 0:
                yield base, True
            case Operation("log", (inner,)):
                yield inner, True
            case Operation("log1p", (inner,)):
                yield add(ONE, inner), True
            case Operation("sqrt", (inner,)):
                yield inner, False


def _signed_guards(rule: Expression) -> Iterator[tuple[Expression, str]]:
    for node in _walk(rule, set()):
        match node:
            case Operation("log", (inner,)):
                yield inner, "logarithm"
            case Operation("log1p", (inner,)):
                yield add(ONE, inner), "logarithm"
            case Operation("sqrt", (inner,)):
                yield inner, "square root"


def _least(node: Expression) -> int | None:
    """Return 1 for an expression that is positive by its form, 0 for one that is not negative, else None."""
    match node:
        case Number(value):
            return 1 if value > 0 else (0 if value == 0 else None)
        case NamedConstant():
            return 1
        case Operation("exp" | "sigmoid" | "erfc", _):
            return 1
        case Operation("abs", _):
            return 0
        case Operation("sqrt", (inner,)):
            return _least(inner) or 0
        case Operation("**", (base, Number(exponent))):
            return _least(base) if exponent % 2 or _least(base) else 0
        case Operation("+", (left, right)):
            return _joined(left, right, max)
        case Operation("*" | "/", (left, right)):
            return _joined(left, right, min)
    return None


def _joined(left: Expression, right: Expression, choose: Callable[[int, int], int]) -> int | None:
    a, b = _least(left), _least(right)
    return None if a is None or b is None else choose(a, b)


def switches(expression: Expression) -> Iterator[Expression]:
    """Yield every abs, min, max and where in the expression."""
    for node in _walk(expression, set()):
        if isinstance(node, Where) or (isinstance(node, Operation) and node.operator in _SWITCHES):
            yield node
