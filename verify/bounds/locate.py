"""Where an expression has its local minima, maxima, zeros and inflections, with proof that there are no others."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from gelu_verify.bounds.boundaries import (
    Boundary,
    at_point,
    boundaries,
    is_continuous_kink,
    own_rule,
    plateaus,
    same_value,
)
from gelu_verify.bounds.error import Error, Span
from gelu_verify.bounds.pieces import passing_switch
from gelu_verify.bounds.quotients import factors, quotient
from gelu_verify.bounds.roots import Line, Root, Unresolved, zeros
from gelu_verify.bounds.smooth import Smooth, point
from gelu_verify.bounds.stretches import Stretch, stretches
from gelu_verify.catalogue import Expression, difference, text
from gelu_verify.catalogue.derivative import ONE
from gelu_verify.catalogue.evaluators import exact_value
from gelu_verify.catalogue.forms import NoNormalForm
from gelu_verify.catalogue.normal_form import normal_form
from gelu_verify.deadlines import Deadline, OutOfTime
from gelu_verify.enclosures import Enclosure, enclosure_of, working_precision
from gelu_verify.enclosures.scales import NoAsymptotics
from gelu_verify.enclosures.tails import Approach, settle
from gelu_verify.errors import InputError
from gelu_verify.records import Verdict

_COMPARING_BITS = 128
WHAT = ("minimum", "maximum", "roots", "inflections")


@dataclass(frozen=True, slots=True)
class Place:
    """A point that was looked for.

    Attributes:
        kind: `stationary`, `kink`, `end`, `root` or `inflection`.
    """

    x: Enclosure
    value: Enclosure
    kind: str


@dataclass(frozen=True, slots=True)
class LocateResult:
    """All points of one kind on a domain.

    Attributes:
        verdict: `certified` when the points are proven to be all there are, else `unknown` (and no points).
        on: intervals on all of which the expression is zero, or has one value and is greater (less) on both sides.
        reason: what was not decided.
    """

    verdict: Verdict
    what: str
    points: tuple[Place, ...] = ()
    on: tuple[Span, ...] = ()
    reason: str = ""

    @property
    def complete(self) -> bool:
        """Whether it is proven that there are no others."""
        return self.verdict.holds


def locate(
    what: str,
    expression: Expression,
    line: Line,
    derivative: int = 0,
    digits: int = 15,
    timeout: float | None = None,
) -> LocateResult:
    """Return every local minimum, local maximum, zero or inflection of a derivative of the expression.

    Arguments:
        what: one of `WHAT`. A minimum at an end of the domain counts when the expression rises from there.
        line: finite ends belong to the domain.

    Raises:
        InputError: `what` is none of these, or the expression is not defined on a whole interval of the line.

    >>> from gelu_verify.catalogue import get_function
    >>> (lowest,) = locate("minimum", get_function("gelu").expression, Line(None, None)).points
    >>> lowest.x.decimal(15), lowest.value.decimal(15)
    ('-0.751791524693564...', '-0.169971207479903...')
    """
    if what not in WHAT:
        raise InputError(f"{what!r} cannot be located; choose one of {', '.join(WHAT)}")
    deadline = Deadline(timeout)
    try:
        with deadline:
            error, bits = Error(expression, derivative=derivative), int(digits * 3.33) + 32
            return _Question(error, line, bits, deadline).answer(what)
    except OutOfTime:
        return LocateResult(Verdict.UNKNOWN, what, reason="the time allowed is over")
    except (Unresolved, NoAsymptotics) as problem:
        return LocateResult(Verdict.UNKNOWN, what, reason=str(problem))
    except RecursionError:
        return LocateResult(Verdict.UNKNOWN, what, reason="the expression is nested too deeply for this")


class _Question:
    def __init__(self, error: Error, line: Line, bits: int, deadline: Deadline) -> None:
        self._error, self._line, self._bits, self._deadline = error, line, bits, deadline
        self._parts = stretches(error, line, bits, deadline)
        self._boundaries = boundaries(self._parts, line)

    def answer(self, what: str) -> LocateResult:
        if what == "roots":
            places, on = list(self._roots()), list(self._zero_spans())
        elif what == "inflections":
            places, on = list(self._inflections()), []
        else:
            sign = 1 if what == "minimum" else -1
            places, on = list(self._extrema(sign)), list(self._extreme_spans(sign))
        places = [place for place in places if not any(span.holds(place.x) for span in on)]
        ordered = sorted({place.x: place for place in places}.values(), key=lambda place: place.x.lower)
        return LocateResult(Verdict.CERTIFIED, what, tuple(ordered), tuple(on))

    def _zeros(self, part: Stretch, order: int) -> list[Root]:
        f = part.f.derivative(order)
        if part.constant is not None or f.vanishes():
            return []
        try:
            return zeros(f, part.line, self._deadline)
        except Unresolved:
            return self._zeros_of_numerator(f, part.line)

    def _zeros_of_numerator(self, f: Smooth, line: Line) -> list[Root]:
        """Return the zeros of a quotient whose denominator has none on the line, though it may have at its ends."""
        numerator, denominator = quotient(f.expression)
        sign = Smooth(denominator).sign_at(line.between())
        if denominator == ONE or not sign:
            raise Unresolved(f"the zeros of {text(f.base)} are not separated")
        roots = zeros(Smooth(numerator), line, self._deadline)
        return [Root(root.f, root.ball(64), root.rising == (sign > 0), root.exact, root.multiplicity) for root in roots]

    def _roots(self) -> Iterator[Place]:
        for part in self._parts:
            yield from (self._place(part.f, root, "root") for root in self._zeros(part, 0))
        for boundary in self._boundaries:
            own = own_rule(self._error, boundary)
            if own is None:
                continue
            if own.vanishes(boundary.exact) or self._vanishes_with_switch(own, boundary):
                yield self._there(own, boundary, "root")
            elif boundary.exact is None and at_point(own, boundary, self._bits).contains(0):
                raise Unresolved(f"whether there is a zero near {float(boundary.at.lower):.9g} is not decided")

    def _vanishes_with_switch(self, own: Smooth, boundary: Boundary) -> bool:
        """Return whether a factor of the error is a multiple of the expression that changes the branch there."""
        if boundary.exact is not None:
            return False
        switch = passing_switch(self._error.expression, boundary.at)
        try:
            passing = None if switch is None else normal_form(switch)
            forms = [normal_form(factor) for factor in factors(own.expression)]
        except NoNormalForm:
            return False
        return passing is not None and any(form.proportion(passing) is not None for form in forms)

    def _zero_spans(self) -> Iterator[Span]:
        for plateau in plateaus(self._error, self._parts, self._line):
            if not plateau.constant:
                yield plateau.span

    def _inflections(self) -> Iterator[Place]:
        for part in self._parts:
            for root in self._zeros(part, 2):
                if root.multiplicity % 2 == 1:
                    yield self._place(part.f, root, "inflection")
        tangent = Error(self._error.expression, derivative=self._error.derivative + 1)
        for boundary in self._boundaries:
            if boundary.left is None or boundary.right is None or own_rule(tangent, boundary) is None:
                continue
            before = -_direction(boundary.left.f.derivative(), boundary, -1)
            after = _direction(boundary.right.f.derivative(), boundary, 1)
            if before * after < 0:
                yield self._there(boundary.left.f, boundary, "inflection")

    def _extrema(self, sign: int) -> Iterator[Place]:
        for part in self._parts:
            for root in self._zeros(part, 1):
                if root.multiplicity % 2 == 1 and root.rising == (sign > 0):
                    yield self._place(part.f, root, "stationary")
        for boundary in self._boundaries:
            own = own_rule(self._error, boundary)
            if own is None:
                continue
            if all(self._leaves(own, part, boundary, side) * sign > 0 for side, part in boundary.sides):
                yield self._there(own, boundary, "kink" if len(boundary.sides) == 2 else "end")

    def _extreme_spans(self, sign: int) -> Iterator[Span]:
        """Yield the plateaus that the expression leaves upward (downward) at both ends, if it goes on there."""
        for plateau in plateaus(self._error, self._parts, self._line):
            before = self._boundary(right=self._parts[plateau.first])
            after = self._boundary(left=self._parts[plateau.last])
            if all(
                boundary is None or self._leaves_plateau(self._parts[plateau.first].f, boundary, side) * sign >= 0
                for boundary, side in ((before, -1), (after, 1))
            ):
                yield plateau.span

    def _boundary(self, left: Stretch | None = None, right: Stretch | None = None) -> Boundary | None:
        for boundary in self._boundaries:
            if (left is not None and boundary.left is left) or (right is not None and boundary.right is right):
                return boundary
        return None

    def _leaves_plateau(self, constant: Smooth, boundary: Boundary, side: int) -> int:
        """Return whether the values rise (1) or fall (-1) from a plateau's end outward; 1 or -1 for a jump there."""
        own = own_rule(self._error, boundary)
        smooth = is_continuous_kink(self._error, boundary)
        jump = 0 if own is None or smooth else _compare(own, constant, boundary)
        beyond = dict(boundary.sides).get(side)
        if jump or beyond is None:
            return jump
        return self._leaves(constant, beyond, boundary, side)

    def _leaves(self, own: Smooth, part: Stretch, boundary: Boundary, side: int) -> int:
        """Return 1 when the values beside the boundary are greater than its own, -1 when less, 0 when equal."""
        if is_continuous_kink(self._error, boundary):
            return _direction(part.f, boundary, side)
        return _compare(part.f, own, boundary) or _direction(part.f, boundary, side)

    def _place(self, f: Smooth, root: Root, kind: str) -> Place:
        if root.exact is not None:
            return self._exactly(f, root.exact, kind)
        x = root.ball(self._bits)
        with working_precision(self._bits + 64):
            value = arb(0) if kind == "root" else f.value(x)
        return Place(enclosure_of(x), enclosure_of(value), kind)

    def _there(self, f: Smooth, boundary: Boundary, kind: str) -> Place:
        if boundary.exact is not None:
            return self._exactly(f, boundary.exact, kind)
        value = arb(0) if kind == "root" else at_point(f, boundary, self._bits + 64)
        return Place(boundary.at, enclosure_of(value), kind)

    def _exactly(self, f: Smooth, x: Fraction, kind: str) -> Place:
        known = Fraction(0) if f.vanishes(x) else exact_value(f.expression, x)
        with working_precision(self._bits + 64):
            value = enclosure_of(f.value(point(x))) if known is None else Enclosure(known, known)
        return Place(Enclosure(x, x), value, kind)


def _compare(left: Smooth, right: Smooth, boundary: Boundary) -> int:
    """Return the sign of left - right at the boundary's point.

    Raises:
        Unresolved: it is not decided.
    """
    if same_value(left, right, boundary):
        return 0
    gap = Smooth(difference(left.expression, right.expression))
    if boundary.exact is not None:
        sign = gap.sign_at(boundary.exact)
    else:
        value = at_point(gap, boundary, _COMPARING_BITS)
        sign = (1 if value > 0 else -1) if value.is_finite() and not value.contains(0) else None
    if not sign:
        raise Unresolved(f"whether there is a jump near {float(boundary.at.lower):.9g} is not decided")
    return sign


def _direction(f: Smooth, boundary: Boundary, side: int) -> int:
    """Return 1 when f rises away from the boundary to that side, -1 when it falls, 0 when it is constant."""
    slope = f.derivative()
    if slope.vanishes():
        return 0
    if boundary.exact is None:
        value = at_point(slope, boundary, _COMPARING_BITS)
        if value.contains(0) or not value.is_finite():
            raise Unresolved(f"the slope near {float(boundary.at.lower):.9g} is not decided")
        return (1 if value > 0 else -1) * side
    there = None if slope.vanishes(boundary.exact) else slope.sign_at(boundary.exact)
    sign = there or settle(slope.expression, Approach(boundary.exact, side), lambda found: found.sign())
    return sign * side
