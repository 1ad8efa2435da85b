"""Where an expression without kinks is defined: cut at zeros of denominators, and of arguments of log and sqrt."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gelu_verify.bounds.roots import Line, Root, Unresolved, zeros
from gelu_verify.bounds.smooth import Smooth
from gelu_verify.catalogue.derivative import ONE, add
from gelu_verify.catalogue.expression import Expression, NamedConstant, Number, Operation, Where, text
from gelu_verify.catalogue.forms import NoNormalForm
from gelu_verify.catalogue.normal_form import normal_form
from gelu_verify.deadlines import Deadline
from gelu_verify.enclosures.scales import NoAsymptotics
from gelu_verify.enclosures.scales import sign as sign_of_form
from gelu_verify.errors import InputError


@dataclass(frozen=True, slots=True)
class _Guard:
    """What must not be zero.

    Attributes:
        of: "logarithm" or "square root" when it must not be negative either.
    """

    inner: Expression
    of: str = ""


def defined_parts(rule: Expression, line: Line, bits: int, deadline: Deadline) -> list[Line]:
    """Cut a line at the points where the rule is not defined, or not smooth.

    Raises:
        InputError: a logarithm or a square root of negative numbers, or a division by zero, on a whole interval.
        Unresolved: the cuts are not proven to be complete.
        OutOfTime: the deadline has passed.
    """
    parts = [line]
    for guard in dict.fromkeys(_guards(rule)):  # inner ones first: what is outside may rest on them
        least = least_sign(guard.inner)
        if least == 1 or (least == 0 and guard.of == "square root"):
            continue
        if _is_constant(guard.inner):
            _check_sign(guard, _constant_sign(guard.inner), "")
            continue
        parts = [inner for part in parts for inner in cut(part, zeros(Smooth(guard.inner), part, deadline), bits)]
        for part in parts if guard.of and least is None else ():
            x = part.between()
            _check_sign(guard, Smooth(guard.inner).sign_at(x), f" at x = {x}; restrict the domain with --on")
    return parts


def defined_everywhere(expression: Expression) -> bool:
    """Return whether the expression is seen, by its form, to be defined for all real x."""
    for guard in _guards(expression):
        least = least_sign(guard.inner)
        if least == 1 or (least == 0 and guard.of == "square root"):
            continue
        if not _is_constant(guard.inner):
            return False
    return True


def cut(line: Line, roots: list[Root], bits: int) -> list[Line]:
    """Return the parts of the line between the roots' enclosures."""
    ends = [root.enclosure(bits) for root in roots]
    lowers = [line.lower, *(end.upper for end in ends)]
    uppers = [*(end.lower for end in ends), line.upper]
    parts = [Line(lower, upper) for lower, upper in zip(lowers, uppers, strict=True)]
    return [part for part in parts if part.lower is None or part.upper is None or part.lower < part.upper]


def _check_sign(guard: _Guard, sign: int | None, where: str) -> None:
    written = text(guard.inner)
    if sign is None:
        raise Unresolved(f"the sign of {written} is not decided")
    if sign < 0 and guard.of:
        raise InputError(f"{guard.of} of negative numbers: {written} is negative{where}")
    if sign == 0 and guard.of != "square root":
        raise InputError(f"{written} is zero everywhere, and stands where that is not defined")


def _is_constant(expression: Expression) -> bool:
    try:
        return normal_form(expression).constant
    except NoNormalForm:
        return False


def _constant_sign(expression: Expression) -> int | None:
    try:
        return sign_of_form(normal_form(expression))
    except (NoNormalForm, NoAsymptotics):
        return None


def children(node: Expression) -> tuple[Expression, ...]:
    """Return the expressions that a node is made of."""
    match node:
        case Operation(_, arguments):
            return arguments
        case Where(_, left, right, then, otherwise):
            return left, right, then, otherwise
    return ()


def walk(node: Expression, seen: set[int] | None = None) -> Iterator[Expression]:
    """Yield the expression's nodes, each object once, inner ones first."""
    seen = set() if seen is None else seen
    if id(node) in seen:
        return
    seen.add(id(node))
    for child in children(node):
        yield from walk(child, seen)
    yield node


def _guards(rule: Expression) -> Iterator[_Guard]:
    for node in walk(rule):
        match node:
            case Operation("/", (_, denominator)):
                yield from _factors(denominator)
            case Operation("**", (base, Number(exponent))) if exponent < 0:
                yield from _factors(base)
            case Operation("log", (inner,)):
                yield _Guard(inner, "logarithm")
            case Operation("log1p", (inner,)):
                yield _Guard(add(ONE, inner), "logarithm")
            case Operation("sqrt", (inner,)):
                yield _Guard(inner, "square root")


def _factors(denominator: Expression) -> Iterator[_Guard]:
    """Yield the factors of a denominator: a power has no more zeros than its base, but harder ones to separate."""
    match denominator:
        case Operation("*", (left, right)):
            yield from _factors(left)
            yield from _factors(right)
        case Operation("neg", (inner,)) | Operation("/", (inner, _)):
            yield from _factors(inner)
        case Operation("**", (base, Number(exponent))) if exponent > 0:
            yield from _factors(base)
        case Number(value) if value:
            return
        case _:
            yield _Guard(denominator)


def least_sign(node: Expression) -> int | None:
    """Return 1 for an expression that is positive by its form, 0 for one that is not negative, else None.

    >>> from gelu_verify.catalogue import parse
    >>> [least_sign(parse(formula)) for formula in ("1 + x**2", "abs(x)*exp(x)", "x + 1")]
    [1, 0, None]
    """
    match node:
        case Number(value):
            return 1 if value > 0 else (0 if value == 0 else None)
        case NamedConstant() | Operation("exp" | "sigmoid" | "erfc", _):
            return 1
        case Operation("abs", _):
            return 0
        case Operation("sqrt", (inner,)):
            return least_sign(inner) or 0
        case Operation("**", (base, Number(exponent))):
            return least_sign(base) if exponent % 2 or least_sign(base) else 0
        case Operation("+", (left, right)):
            return _joined(left, right, max)
        case Operation("*" | "/", (left, right)):
            return _joined(left, right, min)
    return None


def _joined(left: Expression, right: Expression, choose: Callable[[int, int], int]) -> int | None:
    a, b = least_sign(left), least_sign(right)
    return None if a is None or b is None else choose(a, b)
