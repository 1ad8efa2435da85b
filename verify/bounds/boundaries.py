"""The points between stretches and at the domain's ends: what the error is there, and where it stays constant."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from flint import arb

from gelu_verify.bounds.error import Error, Span
from gelu_verify.bounds.pieces import is_continuous_over, rule_at_zero
from gelu_verify.bounds.roots import Line, Unresolved
from gelu_verify.bounds.smooth import Smooth, point, segment
from gelu_verify.bounds.stretches import Stretch
from gelu_verify.catalogue import Expression, difference
from gelu_verify.catalogue.forms import Form
from gelu_verify.enclosures import Enclosure, working_precision

_BITS = 128


@dataclass(frozen=True, slots=True)
class Boundary:
    """An end of the domain, or a point between two stretches: exact, or a narrow enclosure (of one point or more).

    Attributes:
        left, right: the stretches on both sides; None where there is none.
    """

    at: Enclosure
    left: Stretch | None
    right: Stretch | None

    @property
    def exact(self) -> Fraction | None:
        """The point, when it is known."""
        return self.at.lower if self.at.exact else None

    @property
    def sides(self) -> list[tuple[int, Stretch]]:
        """The stretches that there are, each with the side on which it lies (-1: below)."""
        return [(side, part) for side, part in ((-1, self.left), (1, self.right)) if part is not None]

    def ball(self) -> arb:
        """Enclose the point at the working precision."""
        return segment(self.at.lower, self.at.upper)


def boundaries(parts: list[Stretch], line: Line) -> list[Boundary]:
    """Return all finite boundaries from left to right; together with the stretches they cover the line."""
    found = []
    if not parts and line.lower is not None and line.upper is not None:
        return [Boundary(Enclosure(line.lower, line.upper), None, None)]
    if line.lower is not None and parts[0].line.lower is not None:
        found.append(Boundary(Enclosure(line.lower, parts[0].line.lower), None, parts[0]))
    for left, right in pairwise(parts):
        if left.line.upper is None or right.line.lower is None:
            raise ValueError("stretches out of order")
        found.append(Boundary(Enclosure(left.line.upper, right.line.lower), left, right))
    if line.upper is not None and parts[-1].line.upper is not None:
        found.append(Boundary(Enclosure(parts[-1].line.upper, line.upper), parts[-1], None))
    return found


def own_rule(error: Error, boundary: Boundary) -> Smooth | None:
    """Return the rule that gives the error's own value at the boundary, None where it has no value there.

    Raises:
        Unresolved: that is not decided.
    """
    x = boundary.exact
    if x is None and len(boundary.sides) < 2:
        raise Unresolved(f"the domain's end at {float(boundary.at.lower):.9g} is too close to a cut")
    if error.derivative:
        return _own_derivative(error, boundary)
    rules = [rule_at_zero(rule, boundary.at) for rule in error.rules]
    known = tuple(rule for rule in rules if rule is not None)
    if len(known) < len(rules):
        return None
    own = error.of(known, 0)
    with working_precision(_BITS):
        return own if own.value(boundary.ball()).is_finite() else None


def _own_derivative(error: Error, boundary: Boundary) -> Smooth | None:
    """A derivative has a value where all derivatives up to its order agree from both sides."""
    sides = [part for _, part in boundary.sides]
    if not all(at_point(Smooth(rule, k), boundary, _BITS).is_finite() for k, rule in _lower_orders(error, sides)):
        return None
    if len(sides) < 2:
        return sides[0].f
    first = int(is_continuous_kink(replace(error, derivative=0), boundary))
    agreements = [
        same_value(Smooth(a, order), Smooth(b, order), boundary)
        for a, b in zip(sides[0].rules, sides[1].rules, strict=True)
        for order in range(first, error.derivative + 1)
    ]
    if False in agreements:
        return None
    if None in agreements:
        raise Unresolved(f"whether the derivative exists near {float(boundary.at.lower):.9g} is not decided")
    return sides[0].f


def _lower_orders(error: Error, sides: list[Stretch]) -> Iterator[tuple[int, Expression]]:
    for part in sides:
        for rule in part.rules:
            for order in range(error.derivative + 1):
                yield order, rule
        yield 0, part.f.expression


def meets(error: Error, own: Smooth, part: Stretch, boundary: Boundary) -> bool | None:
    """Return whether the error's own value at a boundary is the limit from a stretch; None when not decided."""
    return is_continuous_kink(error, boundary) or same_value(own, part.f, boundary)


def is_continuous_kink(error: Error, boundary: Boundary) -> bool:
    """Return whether the values at an irrational boundary meet by the form of the expressions (not so derivatives)."""
    if boundary.exact is not None or error.derivative:
        return False
    return all(is_continuous_over(rule, boundary.at) for rule in error.rules)


def same_value(left: Smooth, right: Smooth, boundary: Boundary) -> bool | None:
    """Return whether two functions have the same value at the boundary's point; None when that is not decided."""
    gap = Smooth(difference(left.expression, right.expression))
    if left == right or gap.vanishes(boundary.exact):
        return True
    if boundary.exact is not None:
        return False if gap.sign_at(boundary.exact) else None
    with working_precision(_BITS):
        value = gap.value(boundary.ball())
    return None if value.contains(0) or not value.is_finite() else False


@dataclass(frozen=True, slots=True)
class Plateau:
    """Stretches on which the error has one constant value, joined where it has that value between them too.

    Attributes:
        first, last: the indices of its stretches.
    """

    constant: Form
    span: Span
    first: int
    last: int


def plateaus(error: Error, parts: list[Stretch], line: Line) -> Iterator[Plateau]:
    """Yield the intervals on which the error is proven to be constant."""
    fences = _fences(parts, boundaries(parts, line))
    index = 0
    while index < len(parts):
        constant, first = parts[index].constant, index
        index += 1
        if constant is None:
            continue
        while index < len(parts) and parts[index].constant == constant and _holds(error, parts[first], fences[index]):
            index += 1
        lower, upper = fences[first], fences[index]
        span = Span(
            None if lower is None else lower.at,
            None if upper is None else upper.at,
            _holds(error, parts[first], lower),
            _holds(error, parts[first], upper),
        )
        yield Plateau(constant, span, first, index - 1)


def _fences(parts: list[Stretch], found: list[Boundary]) -> list[Boundary | None]:
    """Return the boundary before each stretch, and the one after the last; None at infinity."""
    before = {id(boundary.right): boundary for boundary in found if boundary.right is not None}
    after = [boundary for boundary in found if boundary.right is None]
    return [*(before.get(id(part)) for part in parts), after[0] if after else None]


def _holds(error: Error, part: Stretch, fence: Boundary | None) -> bool:
    """Return whether the error is shown to have the stretch's constant value at a boundary too."""
    if fence is None:
        return False
    try:
        own = own_rule(error, fence)
    except Unresolved:
        return False
    return own is not None and meets(error, own, part, fence) is True


def at_point(f: Smooth, boundary: Boundary, bits: int) -> arb:
    """Enclose a function's value at the boundary."""
    with working_precision(bits):
        return f.value(boundary.ball() if boundary.exact is None else point(boundary.exact))


def is_continuous(error: Error, parts: list[Stretch], line: Line) -> bool:
    """Return whether the error is shown to be defined and continuous on all of the line."""
    if not parts or not _covers(parts, line):
        return False
    try:
        for boundary in boundaries(parts, line):
            own = own_rule(error, boundary)
            if own is None or not all(meets(error, own, part, boundary) for _, part in boundary.sides):
                return False
    except Unresolved:
        return False
    return True


def _covers(parts: list[Stretch], line: Line) -> bool:
    """Return whether the stretches reach an infinite end where the line does."""
    return (parts[0].line.lower is None) == (line.lower is None) and (parts[-1].line.upper is None) == (
        line.upper is None
    )
