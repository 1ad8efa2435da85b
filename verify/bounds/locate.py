"""Where an expression has its local minima, maxima, zeros and inflections, with proof that there are no others."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb
from gelu_verify.bounds.error import Error
from gelu_verify.bounds.roots import Line, Root, Unresolved, zeros
from gelu_verify.bounds.smooth import Deadline, OutOfTime, Smooth, point, segment
from gelu_verify.bounds.stretches import Stretch, agree, continuous_by_form, differentiable, stretches, value_at
from gelu_verify.catalogue import Expression, difference
from gelu_verify.catalogue.evaluators import exact_value
from gelu_verify.enclosures import Enclosure, enclosure_of, working_precision
from gelu_verify.enclosures.scales import NoAsymptotics
from gelu_verify.enclosures.tails import Approach, settle
from gelu_verify.errors import InputError
from gelu_verify.records import Verdict

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
        on: intervals on all of which the expression is zero, or as low (high) as on both sides it is nowhere.
        reason: what was not decided.
    """

    verdict: Verdict
    what: str
    points: tuple[Place, ...] = ()
    on: tuple[Line, ...] = ()
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
    question = _Question(Error(expression, derivative=derivative), line, int(digits * 3.33) + 32, Deadline(timeout))
    try:
        return question.answer(what)
    except OutOfTime:
        return LocateResult(Verdict.UNKNOWN, what, reason="the time allowed is over")
    except (Unresolved, NoAsymptotics) as problem:
        return LocateResult(Verdict.UNKNOWN, what, reason=str(problem))


@dataclass(frozen=True, slots=True)
class _Side:
    """An expression seen from a point to one side."""

    f: Smooth
    x: Fraction
    side: int

    def direction(self) -> int:
        """Return 1 when the expression rises away from the point, -1 when it falls, 0 when it is constant."""
        slope = self.f.derivative()
        if slope.vanishes():
            return 0
        at_point = None if slope.vanishes(self.x) else slope.sign_at(self.x)
        sign = at_point or settle(slope.expression, Approach(self.x, self.side), lambda found: found.sign())
        return sign * self.side


class _Question:
    def __init__(self, error: Error, line: Line, bits: int, deadline: Deadline) -> None:
        self._error, self._line, self._bits, self._deadline = error, line, bits, deadline
        self._parts = stretches(error, line, bits, deadline)

    def answer(self, what: str) -> LocateResult:
        on: list[Line] = []
        if what == "roots":
            places = list(self._roots())
            on = [part.line for part in self._parts if (flat := part.constant) is not None and not flat]
        elif what == "inflections":
            places = list(self._inflections())
        else:
            sign = 1 if what == "minimum" else -1
            places = list(self._extrema(sign))
            on = list(self._plateaus(sign))
        ordered = sorted({place.x: place for place in places}.values(), key=lambda place: place.x.lower)
        return LocateResult(Verdict.CERTIFIED, what, tuple(ordered), tuple(on))

    # Points inside stretches

    def _zeros(self, part: Stretch, order: int) -> list[Root]:
        f = part.f.derivative(order)
        return [] if part.constant is not None or f.vanishes() else zeros(f, part.line, self._deadline)

    def _roots(self) -> Iterator[Place]:
        for part in self._parts:
            yield from (self._place(part.f, root, "root") for root in self._zeros(part, 0))
        for x, left, right in self._points():
            own = self._own(x, left, right)
            if own is not None and own.vanishes(x):
                yield self._exactly(own, x, "root")
        for around, left, right in self._gaps():
            for side in (left, right):
                if self._over(side.f, around).contains(0):
                    raise Unresolved(f"whether there is a zero near {float(around.lower):.9g} is not decided")

    def _inflections(self) -> Iterator[Place]:
        for part in self._parts:
            for root in self._zeros(part, 2):
                if root.multiplicity % 2 == 1:
                    yield self._place(part.f, root, "inflection")
        tangent = Error(self._error.expression, derivative=self._error.derivative + 1)
        for x, left, right in self._points():
            if left is None or right is None or not differentiable(tangent, left, right, x):
                continue
            slopes = (_Side(left.f.derivative(), x, -1), _Side(right.f.derivative(), x, 1))
            before, after = -slopes[0].direction(), slopes[1].direction()
            if before * after < 0:
                yield self._exactly(left.f, x, "inflection")
        if any(True for _ in self._gaps()) and not continuous_by_form(self._error):
            raise Unresolved("whether a switch at an irrational point is smooth is not decided")

    def _extrema(self, sign: int) -> Iterator[Place]:
        for part in self._parts:
            for root in self._zeros(part, 1):
                if root.multiplicity % 2 == 1 and root.rising == (sign > 0):
                    yield self._place(part.f, root, "stationary")
        for x, left, right in self._points():
            own = self._own(x, left, right)
            if own is None:
                continue
            sides = [_Side(part.f, x, side) for part, side in ((left, -1), (right, 1)) if part is not None]
            if all(self._leaves(own, side) * sign > 0 for side in sides):
                yield self._exactly(own, x, "kink" if len(sides) == 2 else "end")
        for around, left, right in self._gaps():
            yield from self._extremum_in_gap(around, left, right, sign)

    def _extremum_in_gap(self, around: Enclosure, left: Stretch, right: Stretch, sign: int) -> Iterator[Place]:
        if not continuous_by_form(self._error) or self._error.derivative:
            raise Unresolved(f"the switch near {float(around.lower):.9g} is not decided")
        falling = left.f.derivative().sign_at(around.lower)
        rising = right.f.derivative().sign_at(around.upper)
        if not falling or not rising:
            raise Unresolved(f"the slopes at the kink near {float(around.lower):.9g} are not decided")
        if falling * sign < 0 < rising * sign:
            yield Place(around, enclosure_of(self._over(left.f, around)), "kink")

    def _plateaus(self, sign: int) -> Iterator[Line]:
        """Yield the intervals on which the expression is constant and from whose ends it rises (falls) outward."""
        for index, part in enumerate(self._parts):
            if part.constant is None:
                continue
            before = self._parts[index - 1] if index else None
            after = self._parts[index + 1] if index + 1 < len(self._parts) else None
            ends = ((part.line.lower, before, -1), (part.line.upper, after, 1))
            if all(
                x is None or neighbour is None or self._leaves(part.f, _Side(neighbour.f, x, side)) * sign > 0
                for x, neighbour, side in ends
            ):
                yield part.line

    # Points between stretches

    def _points(self) -> Iterator[tuple[Fraction, Stretch | None, Stretch | None]]:
        """Yield the domain's finite ends and the exact cuts, with the stretches on both sides."""
        first, last = self._parts[0], self._parts[-1]
        if first.line.lower is not None:
            yield first.line.lower, None, first
        for left, right in pairwise(self._parts):
            if left.line.upper is not None and left.line.upper == right.line.lower:
                yield left.line.upper, left, right
        if last.line.upper is not None:
            yield last.line.upper, last, None

    def _gaps(self) -> Iterator[tuple[Enclosure, Stretch, Stretch]]:
        for left, right in pairwise(self._parts):
            low, high = left.line.upper, right.line.lower
            if low is not None and high is not None and low != high:
                yield Enclosure(low, high), left, right

    def _own(self, x: Fraction, left: Stretch | None, right: Stretch | None) -> Smooth | None:
        """Return the rule for the value at a cut or an end, None where there is no value."""
        if self._error.derivative == 0:
            return value_at(self._error, x)
        sides = [part for part in (left, right) if part is not None]
        if left is not None and right is not None:
            smooth = differentiable(self._error, left, right, x)
            if smooth is None:
                raise Unresolved(f"whether the derivative exists at {x} is not decided")
            if not smooth:
                return None
        return sides[0].f

    def _leaves(self, own: Smooth, side: _Side) -> int:
        """Return 1 when the values to that side are greater than the point's own, -1 when they are less, 0 if equal."""
        same = agree(own, side.f, side.x)
        if same is None:
            raise Unresolved(f"whether there is a jump at {side.x} is not decided")
        if same:
            return side.direction()
        return Smooth(difference(side.f.expression, own.expression)).sign_at(side.x) or 0

    # Values

    def _place(self, f: Smooth, root: Root, kind: str) -> Place:
        if root.exact is not None:
            return self._exactly(f, root.exact, kind)
        x = root.ball(self._bits)
        with working_precision(self._bits + 64):
            value = arb(0) if kind == "root" else f.value(x)
        return Place(enclosure_of(x), enclosure_of(value), kind)

    def _exactly(self, f: Smooth, x: Fraction, kind: str) -> Place:
        known = Fraction(0) if f.vanishes(x) else exact_value(f.expression, x)
        with working_precision(self._bits + 64):
            value = enclosure_of(f.value(point(x))) if known is None else Enclosure(known, known)
        return Place(Enclosure(x, x), value, kind)

    def _over(self, f: Smooth, around: Enclosure) -> arb:
        with working_precision(self._bits + 64):
            return f.value(segment(around.lower, around.upper))
