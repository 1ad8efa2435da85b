"""The ends of each stretch: finite ones by value, infinite and singular ones by the expansion of the error there."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from gelu_verify.bounds.candidates import Candidate, Flat, Gap, Limiting, Spot
from gelu_verify.bounds.error import Error
from gelu_verify.bounds.pieces import rules_over
from gelu_verify.bounds.roots import Line, Unresolved
from gelu_verify.bounds.search import Search, Segment
from gelu_verify.bounds.smooth import Smooth, point, segment
from gelu_verify.bounds.stretches import Stretch, agree, continuous_by_form, differentiable, value_at
from gelu_verify.catalogue import Expression
from gelu_verify.catalogue.derivative import ONE, add, multiply, negate, power, subtract
from gelu_verify.catalogue.expression import Number, Operation
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
        parts: the stretches from left to right; the first's and the last's finite ends belong to the domain.
    """

    def __init__(self, error: Error, parts: list[Stretch], search: Search) -> None:
        self.candidates: list[Candidate] = []
        self._error, self._parts, self._search = error, parts, search

    def settle(self) -> list[Segment]:
        """Return what is left to search.

        Raises:
            Infinite: the error is unbounded near some end.
            Unresolved: the behaviour near some end is not decided.
        """
        moving = [part for part in self._parts if not self._is_flat(part)]
        for part in moving:
            self._look_around(part)
        self._points()
        segments = []
        for part in moving:
            lower, upper = self._inner_end(part, 1), self._inner_end(part, -1)
            if lower < upper:
                segments.append(self._search.segment(part.f, lower, upper))
        return segments

    def _is_flat(self, part: Stretch) -> bool:
        constant = part.constant
        if constant is None:
            return False
        flat = Flat(constant, part.line)
        self._search.offer(flat.value(_BITS))
        self.candidates.append(flat)
        return True

    def _look_around(self, part: Stretch) -> None:
        """Give the search a first lower bound."""
        lower, upper = part.line.lower, part.line.upper
        if lower is None:
            lower = Fraction(-_WINDOW) if upper is None else upper - _WINDOW
        if upper is None:
            upper = max(lower, Fraction(0)) + _WINDOW
        self._search.segment(part.f, lower, upper)

    def _points(self) -> None:
        """Collect the candidates at the domain's finite ends and between stretches."""
        first, last = self._parts[0], self._parts[-1]
        if first.line.lower is not None:
            self._edge(first.line.lower, first)
        if last.line.upper is not None:
            self._edge(last.line.upper, last)
        for left, right in pairwise(self._parts):
            low, high = left.line.upper, right.line.lower
            if low is None or high is None:
                raise ValueError("stretches out of order")
            if low == high:
                self._junction(low, left, right)
            else:
                self._gap(Enclosure(low, high), left, right)

    def _edge(self, x: Fraction, part: Stretch) -> None:
        """An end of the domain, or one side of a cut: the error's own value, and the stretch's where it is another."""
        if self._error.derivative:
            self._spot(part.f, x, True)
            return
        own = value_at(self._error, x)
        same = False if own is None else agree(own, part.f, x)
        if own is not None:
            self._spot(own, x, True)
        if not same:
            self._spot(part.f, x, same, Approach(x, 1 if x == part.line.lower else -1))

    def _junction(self, x: Fraction, left: Stretch, right: Stretch) -> None:
        if self._error.derivative == 0:
            self._edge(x, left)
            self._edge(x, right)
            return
        attained = differentiable(self._error, left, right, x)
        self._spot(left.f, x, attained, Approach(x, -1))
        if not attained:
            self._spot(right.f, x, attained, Approach(x, 1))

    def _spot(self, f: Smooth, x: Fraction, attained: bool | None, approach: Approach | None = None) -> None:
        """Add a value at a rational point; a side that is singular there is left to its limit."""
        spot = Spot(f, x, attained=attained, approach=approach)
        value = spot.value(_BITS)
        if value.is_finite():
            self._search.offer(value)
            self.candidates.append(spot)

    def _gap(self, around: Enclosure, left: Stretch, right: Stretch) -> None:
        """An irrational cut: a kink, or a pole."""
        if self._error.derivative == 0 and continuous_by_form(self._error):
            gaps = [Gap(self._error.of(self._error.rules).expression, around)]
        else:
            choices = rules_over(self._error.rules, around)
            gaps = [Gap(self._error.of(rules).expression, around, attained=None, certain=False) for rules in choices]
        if all(gap.value(_BITS).is_finite() for gap in gaps):
            self.candidates += gaps
            self._spot(left.f, around.lower, False, Approach(around.midpoint, -1))
            self._spot(right.f, around.upper, False, Approach(around.midpoint, 1))
            return
        for side, part in ((-1, left), (1, right)):
            if not Gap(part.f.expression, around).value(_BITS).is_finite():
                _require_pole(part.f, around)
                raise Infinite(Approach(around.midpoint, side))
        raise Unresolved(f"the behaviour near {float(around.lower):.9g} is not decided")

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
                if known.nonzero and not known.shrinking:
                    self.candidates.append(Limiting(known, attained=False, approach=approach))
                    if _inside(part.line, approach.end(known.start), approach):
                        return self._within_limit(part, approach, known)
            if known is not None:
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


def _inside(line: Line, place: Fraction, approach: Approach) -> bool:
    """Whether the zone near an end, up to `place`, is a part of the line (and at most half of a finite one)."""
    if line.lower is not None and line.upper is not None:
        middle = (line.lower + line.upper) / 2
        return line.lower < place <= middle if approach.point == line.lower else middle <= place < line.upper
    return (line.lower is None or place > line.lower) and (line.upper is None or place < line.upper)


def _require_pole(f: Smooth, around: Enclosure) -> None:
    """Check that f = n/d with n of one sign over the enclosure, and a factor of d passing through zero in it."""
    numerator, denominator = _quotient(f.expression)
    with working_precision(4 * _BITS):
        over = Smooth(numerator).value(segment(around.lower, around.upper))
    if over.contains(0) or not over.is_finite() or not any(_crosses_zero(f, around) for f in _factors(denominator)):
        raise Unresolved(f"the behaviour near {float(around.lower):.9g} is not decided")


def _crosses_zero(factor: Expression, around: Enclosure) -> bool:
    low, high = (Smooth(factor).sign_at(end) for end in (around.lower, around.upper))
    return bool(low and high and low != high)


def _factors(product: Expression) -> list[Expression]:
    match product:
        case Operation("*", (left, right)):
            return _factors(left) + _factors(right)
        case Operation("**", (base, Number())) | Operation("neg", (base,)):
            return _factors(base)
    return [product]


def _quotient(node: Expression) -> tuple[Expression, Expression]:
    """Return numerator and denominator of a rational function of expressions."""
    match node:
        case Operation("+" | "-" as operator, (left, right)):
            (a, b), (c, d) = _quotient(left), _quotient(right)
            join = add if operator == "+" else subtract
            return (join(a, c), b) if b == d else (join(multiply(a, d), multiply(c, b)), multiply(b, d))
        case Operation("*", (left, right)):
            (a, b), (c, d) = _quotient(left), _quotient(right)
            return multiply(a, c), multiply(b, d)
        case Operation("/", (left, right)):
            (a, b), (c, d) = _quotient(left), _quotient(right)
            return multiply(a, d), multiply(b, c)
        case Operation("neg", (inner,)):
            a, b = _quotient(inner)
            return negate(a), b
        case Operation("**", (inner, Number(exponent))):
            a, b = _quotient(inner)
            size = abs(int(exponent))
            raised = power(a, size), power(b, size)
            return raised if exponent > 0 else (raised[1], raised[0])
    return node, ONE
