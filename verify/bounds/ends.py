"""The ends of each stretch: finite ones by value, infinite and singular ones by the expansion of the error there."""

from dataclasses import replace
from fractions import Fraction

from gelu_verify.bounds.boundaries import Boundary, at_point, boundaries, meets, own_rule, plateaus
from gelu_verify.bounds.candidates import Candidate, Flat, Gap, Limiting, Spot
from gelu_verify.bounds.error import Error, Span
from gelu_verify.bounds.monotone import without_monotone_ends
from gelu_verify.bounds.pieces import rules_over
from gelu_verify.bounds.quotients import factors, quotient
from gelu_verify.bounds.roots import Line, Unresolved
from gelu_verify.bounds.search import Search, Segment
from gelu_verify.bounds.smooth import Smooth, point, segment
from gelu_verify.bounds.stretches import Stretch
from gelu_verify.catalogue import Expression
from gelu_verify.enclosures import Enclosure, working_precision
from gelu_verify.enclosures.tails import STARTS, Approach, Limit, bound_near, limit

_PATIENCE = 3  # tries with a plain bound before the limit is worked out
_WINDOW = 4  # on an infinite stretch, how far to look for a first lower bound
_BITS = 128
_FIRST_START = STARTS[0]
_LEAST_UNIT = Fraction(1, 2**64)


class Infinite(Exception):  # noqa: N818 (an answer)
    """The error is unbounded.

    Attributes:
        approach: along which it is.
    """

    def __init__(self, approach: Approach) -> None:
        super().__init__()
        self.approach = approach


class Ends:
    """The settling of all ends, with the candidates found there.

    Arguments:
        parts: the stretches of the line from left to right.
        line: the domain; its finite ends belong to it.
    """

    def __init__(self, error: Error, parts: list[Stretch], line: Line, search: Search) -> None:
        self.candidates: list[Candidate] = []
        self._error, self._parts, self._line, self._search = error, parts, line, search

    def settle(self) -> list[Segment]:
        """Return what is left to search.

        Raises:
            Infinite: the error is unbounded near some end.
            Unresolved: the behaviour near some end is not decided.
        """
        flat: set[int] = set()
        for plateau in plateaus(self._error, self._parts, self._line):
            flat.update(range(plateau.first, plateau.last + 1))
            self._add(Flat(plateau.constant, plateau.span))
        moving = [part for index, part in enumerate(self._parts) if index not in flat]
        for part in moving:
            self._look_around(part)
        for boundary in boundaries(self._parts, self._line):
            self._settle_boundary(boundary)
        segments = []
        for part in moving:
            lower, upper = self._inner_end(part, 1), self._inner_end(part, -1)
            if lower < upper:
                lower, upper = without_monotone_ends(part.f, lower, upper)
            if lower < upper:
                segments.append(self._search.segment(part.f, lower, upper))
        return segments

    def _look_around(self, part: Stretch) -> None:
        """Give the search a first lower bound."""
        lower, upper = part.line.lower, part.line.upper
        if lower is None:
            lower = Fraction(-_WINDOW) if upper is None else upper - _WINDOW
        if upper is None:
            upper = max(lower, Fraction(0)) + _WINDOW
        self._search.segment(part.f, lower, upper)

    def _settle_boundary(self, boundary: Boundary) -> None:
        """Add the error's own value there, and the limits from the sides where they are others, or not told apart."""
        for side, part in boundary.sides:
            if boundary.exact is None and not at_point(part.f, boundary, _BITS).is_finite():
                _require_pole(part.f, boundary.at)
                raise Infinite(Approach(boundary.at.midpoint, side))
        try:
            own = own_rule(self._error, boundary)
        except Unresolved:
            self._add_unresolved(boundary)
            return
        if own is not None:
            self._add(self._place(own, boundary))
        for side, part in boundary.sides:
            same = False if own is None else meets(self._error, own, part, boundary)
            if not same:
                self._add(self._place(part.f, boundary, attained=same, approach=Approach(boundary.at.midpoint, side)))

    def _add_unresolved(self, boundary: Boundary) -> None:
        """Allow for every branch that may hold near a boundary; the sides' limits are certain to be approached."""
        for rules in rules_over(self._error.rules, boundary.at):
            gap = Gap(self._error.of(rules), boundary.at, attained=None, certain=False)
            if not gap.value(_BITS).is_finite():
                raise Unresolved(f"the behaviour near {float(boundary.at.lower):.9g} is not decided")
            self.candidates.append(gap)
        for side, part in boundary.sides:
            self._add(self._place(part.f, boundary, attained=None, approach=Approach(boundary.at.midpoint, side)))
        x = self._line.lower if boundary.left is None else self._line.upper
        if len(boundary.sides) < 2 and x is not None:
            own = own_rule(self._error, Boundary(Enclosure(x, x), boundary.left, boundary.right))
            if own is not None:
                self._add(Spot(own, x))

    def _place(
        self, f: Smooth, boundary: Boundary, attained: bool | None = True, approach: Approach | None = None
    ) -> Candidate:
        if boundary.exact is None:
            return Gap(f, boundary.at, attained=attained, approach=approach)
        return Spot(f, boundary.exact, attained=attained, approach=approach)

    def _add(self, candidate: Candidate) -> None:
        """Add a candidate with a certain value; a side that is singular at its end is left to its limit."""
        value = candidate.value(_BITS)
        if value.is_finite():
            self._search.offer(value)
            self.candidates.append(candidate)

    def _inner_end(self, part: Stretch, side: int) -> Fraction:
        """Return where the search may begin (side 1) or stop (-1): beyond, |f| is below what is reached, or settled."""
        end = part.line.lower if side > 0 else part.line.upper
        if end is not None:
            with working_precision(_BITS):
                if part.f.taylor(point(end), 2) is not None:
                    return end
        return self._far_end(part, Approach(end, side if end is not None else -side))

    def _far_end(self, part: Stretch, approach: Approach) -> Fraction:
        """Return an end beyond which |f| is below what is reached, or below its limit there.

        Raises:
            Infinite: |f| is unbounded beyond.
            Unresolved: neither is shown.
        """
        tries, known = 0, None
        for start in STARTS:
            place = approach.end(start)
            if not _inside(part.line, place, approach):
                continue
            self._search.deadline.check()
            if self._is_low(part, approach, start):
                return self._nearer_end(part, approach, start)
            tries += 1
            if tries == _PATIENCE:
                known = self._limit(part, approach)
                self._search.offer(known.ball(_BITS))
            if known is None or start < known.start:
                continue
            if known.value is not None and known.nonzero and known.sign == 0:
                self._add(Flat(known.value, _zone(place, approach)))
                return place
            if known.nonzero and not known.shrinking:
                self.candidates.append(Limiting(known, attained=False, approach=approach))
                first = approach.end(known.start)
                return self._within_limit(part, approach, known) if _inside(part.line, first, approach) else place
            self._look_at(part.f, place)
        raise Unresolved(f"no bound {approach} was found")

    def _limit(self, part: Stretch, approach: Approach) -> Limit:
        known = limit(part.f.expression, approach, check=self._search.deadline.check)
        if known is None:
            raise Unresolved(f"the behaviour {approach} is not decided")
        if known.infinite:
            raise Infinite(approach)
        return known

    def _within_limit(self, part: Stretch, approach: Approach, known: Limit) -> Fraction:
        """Return an end from which on |f| stays below its limit, as near to zero as is easily seen."""
        while known.start == _FIRST_START and approach.point is None and approach.unit > _LEAST_UNIT:
            nearer = replace(approach, unit=approach.unit / 16)
            if not _inside(part.line, nearer.end(known.start), nearer):
                break
            found = limit(part.f.expression, nearer, check=self._search.deadline.check)
            if found is None or found.shrinking or found.start > _FIRST_START:
                break
            approach = nearer
        return approach.end(known.start)

    def _is_low(self, part: Stretch, approach: Approach, start: int) -> bool:
        bound = bound_near(part.f.expression, approach, start)
        return bound is not None and bool(bound < self._search.reached)

    def _nearer_end(self, part: Stretch, approach: Approach, start: int) -> Fraction:
        """Return an end nearer to zero, if |f| is low from there already: on a small scale a search would take long."""
        if start > _FIRST_START or approach.point is not None:
            return approach.end(start)
        while approach.unit > _LEAST_UNIT:
            nearer = replace(approach, unit=approach.unit / 16)
            if not (_inside(part.line, nearer.end(start), nearer) and self._is_low(part, nearer, start)):
                break
            approach = nearer
        return approach.end(start)

    def _look_at(self, f: Smooth, x: Fraction) -> None:
        with working_precision(4 * _BITS):
            self._search.offer(f.value(point(x)))


def _zone(place: Fraction, approach: Approach) -> Span:
    """Return the interval from `place` to the end that is approached."""
    inner = Enclosure(place, place)
    outer = None if approach.point is None else Enclosure(approach.point, approach.point)
    rising = (approach.side > 0) == (approach.point is None)
    return Span(inner, outer, lower_closed=True) if rising else Span(outer, inner, upper_closed=True)


def _inside(line: Line, place: Fraction, approach: Approach) -> bool:
    """Whether the zone near an end, up to `place`, is a part of the line (and at most half of a finite one)."""
    if line.lower is not None and line.upper is not None:
        middle = (line.lower + line.upper) / 2
        return line.lower < place <= middle if approach.point == line.lower else middle <= place < line.upper
    return (line.lower is None or place > line.lower) and (line.upper is None or place < line.upper)


def _require_pole(f: Smooth, around: Enclosure) -> None:
    """Check that f = n/d with n of one sign over the enclosure, and a factor of d passing through zero in it."""
    numerator, denominator = quotient(f.expression)
    with working_precision(4 * _BITS):
        over = Smooth(numerator).value(segment(around.lower, around.upper))
    if over.contains(0) or not over.is_finite() or not any(_crosses_zero(f, around) for f in factors(denominator)):
        raise Unresolved(f"the behaviour near {float(around.lower):.9g} is not decided")


def _crosses_zero(factor: Expression, around: Enclosure) -> bool:
    low, high = (Smooth(factor).sign_at(end) for end in (around.lower, around.upper))
    return bool(low and high and low != high)
