"""All zeros of a smooth expression on an interval, infinite ends included, with proof that there are no others.

Cells are bisected until the expression has no zero there (its Taylor model keeps a sign), or is monotone there (the
model of its derivative keeps a sign), or holds a multiple zero at a rational point (the expression divided by
(x - z)^m keeps a sign). Near an infinite or singular end the sign comes from the expansion at that end.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import groupby

from flint import arb

from gelu_verify.bounds.smooth import Smooth, bits_for, point, segment
from gelu_verify.deadlines import Deadline
from gelu_verify.enclosures import Enclosure, enclosure_of, working_precision
from gelu_verify.enclosures.germs import Germ
from gelu_verify.enclosures.scales import NoAsymptotics, TooEarly
from gelu_verify.enclosures.tails import TO_INFINITY, TO_MINUS_INFINITY, Approach, settle

FAR, CLOSE = Fraction(64), Fraction(1, 64)  # ends beyond, or nearer to zero, are taken to be far out or close to it
_NARROWEST = Fraction(1, 2**50)  # a cell this narrow, relative to its distance from zero, is left undecided
_SUSPECT = Fraction(1, 2)  # the width from which on a multiple zero is looked for
_MOST_MULTIPLE = 12
_TAYLOR_TERMS = 6  # beyond the first that does not vanish
_SECOND_LOOK = 300  # cells after which ends are tried where models do not settle
_SIMPLE = 10**6  # largest denominator of a rational number that is tried as a zero


class Unresolved(ArithmeticError):  # noqa: N818 (a limit of the method, not a fault)
    """A question about the expression that was not decided, in words."""


class Root:
    """A zero of an expression, the only one in [lower, upper].

    Attributes:
        exact: its value, when it is known to be this rational number.
        multiplicity: its order; 0 for a narrow segment that may hold zeros and was not resolved.
        rising: whether a simple zero is passed from below.
    """

    __slots__ = ("_ball", "exact", "f", "multiplicity", "rising")

    def __init__(self, f: Smooth, ball: arb, rising: bool, exact: Fraction | None, multiplicity: int = 1):
        self.f, self.rising = f, rising
        self.exact, self.multiplicity = exact, multiplicity
        self._ball = ball

    def ball(self, bits: int) -> arb:
        """Enclose the zero with a radius below about 2^-bits of its size."""
        if self.exact is not None:
            with working_precision(bits + 16):
                return point(self.exact)
        if self.multiplicity:
            self._ball = narrowed(self.f, self._ball, self.rising, bits)
        return self._ball

    def enclosure(self, bits: int) -> Enclosure:
        """Enclose the zero between exact ends."""
        return Enclosure(self.exact, self.exact) if self.exact is not None else enclosure_of(self.ball(bits))


def narrowed(f: Smooth, x: arb, rising: bool, bits: int) -> arb:
    """Narrow an enclosure of a simple zero to `bits` bits: interval Newton, and bisection where that stalls."""
    while True:
        accuracy = max(x.rel_accuracy_bits(), 0)
        if accuracy >= bits or x.rad() < arb(2) ** (-2 * bits - 64):
            return x
        with working_precision(2 * min(accuracy, bits) + 96):
            step = _newton_step(f, x)
            x = step if step.rad() < x.rad() / 2 else _halved(f, x, rising)


def _newton_step(f: Smooth, x: arb) -> arb:
    middle = x.mid()
    at, over = f.taylor(middle, 1), f.taylor(x, 2)
    if at is None or over is None:
        return x
    slope = over[1].intersection(at[1] + 2 * over[2] * (x - middle))
    return x if slope.contains(0) else (middle - at[0] / slope).intersection(x)


def _halved(f: Smooth, x: arb, rising: bool) -> arb:
    """Return the half that holds the zero; should the cut hit it, a little beyond the half."""
    ends = enclosure_of(x)
    for weight in (Fraction(1, 2), Fraction(3, 7), Fraction(5, 9)):
        cut = ends.lower + weight * ends.width
        at_cut = f.sign_at(cut)
        if at_cut:
            left = (at_cut > 0) == rising
            return segment(ends.lower, cut) if left else segment(cut, ends.upper)
    raise Unresolved("a zero could not be narrowed")


@dataclass(frozen=True, slots=True)
class Line:
    """An interval of the real line; None is an infinite end. Nothing is said about whether the ends belong to it."""

    lower: Fraction | None
    upper: Fraction | None

    def between(self) -> Fraction:
        """Return a point strictly inside."""
        if self.lower is None:
            return Fraction(0) if self.upper is None else self.upper - 1
        return self.lower + 1 if self.upper is None else (self.lower + self.upper) / 2


def zeros(f: Smooth, line: Line, deadline: Deadline, strict: bool = True) -> list[Root]:
    """Return all zeros in the open interval, in rising order.

    Arguments:
        strict: False to get narrow segments that were not resolved as roots of multiplicity 0.

    Raises:
        Unresolved: it is not proven that the zeros found (and such segments) are all there are.
        OutOfTime: the deadline has passed.
    """
    if f.vanishes():
        raise Unresolved("the expression is zero everywhere")
    lower, left_sign = _first_sign(f, line, 1, deadline)
    upper, right_sign = _first_sign(f, line, -1, deadline)
    if lower >= upper:
        return []
    cells = list(_cells(f, lower, upper, deadline))
    found: list[Root] = []
    runs = [(kind, list(cells_of_kind)) for kind, cells_of_kind in groupby(cells, key=lambda cell: cell.kind)]
    for kind, run in runs:
        first, last = run[0].lower, run[-1].upper
        if kind == "multiple":
            found.extend({cell.root.exact: cell.root for cell in run if cell.root is not None}.values())
        elif kind in ("rising", "falling"):
            left = left_sign if first == lower else f.sign_at(first)
            right = right_sign if last == upper else f.sign_at(last)
            found.extend(_between_signs(f, first, last, left, right))
        elif kind == "undecided":
            if strict:
                raise Unresolved(f"zeros near {float(first):.6g} are not separated")
            with working_precision(bits_for(first, last)):
                found.append(Root(f, segment(first, last), True, None, 0))
    return found


def _between_signs(f: Smooth, lower: Fraction, upper: Fraction, left: int | None, right: int | None) -> Iterator[Root]:
    if not left or not right:
        raise Unresolved(f"the sign at an end of [{float(lower):.6g}, {float(upper):.6g}] is not decided")
    if left == right:
        return
    yield simple_zero(f, lower, upper, right > 0)


def simple_zero(f: Smooth, lower: Fraction, upper: Fraction, rising: bool) -> Root:
    """Return the zero of an expression that is monotone on [lower, upper] and has different signs at the ends."""
    with working_precision(bits_for(lower, upper)):
        root = Root(f, segment(lower, upper), rising, None)
    guess = simplest_between(root.enclosure(64))
    if guess.denominator <= _SIMPLE and f.vanishes(guess):
        root.exact = guess
    return root


def simplest_between(enclosure: Enclosure) -> Fraction:
    """Return the rational number of least denominator in the enclosure (Stern-Brocot).

    >>> simplest_between(Enclosure(Fraction(33, 100), Fraction(34, 100)))
    Fraction(1, 3)
    """
    low, high = enclosure.lower, enclosure.upper
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest_between(-enclosure)
    whole = -((-low.numerator) // low.denominator)
    if whole <= high:
        return Fraction(whole)
    floor = whole - 1
    return floor + 1 / simplest_between(Enclosure(1 / (high - floor), 1 / (low - floor)))


def outer_approach(end: Fraction, side: int) -> Approach | None:
    """Return what is approached from the inside (side 1: from a lower end) past an end that is near zero, or far out.

    An expansion there holds on both sides of the end, and says at once what cells of ever different sizes say slowly.
    """
    if end * side <= -FAR:
        return TO_MINUS_INFINITY if side > 0 else TO_INFINITY
    return Approach(Fraction(0), side) if 0 < end * side <= CLOSE else None


def _first_sign(f: Smooth, line: Line, side: int, deadline: Deadline) -> tuple[Fraction, int | None]:
    """Return the end of the part of the line that needs searching, and the sign beyond it or at it."""
    end = line.lower if side > 0 else line.upper
    if end is not None and (outer := outer_approach(end, side)) is not None:
        try:
            place, sign = settle(f.expression, outer, lambda found: (outer.end(found.horizon.start), found.sign()))
            if sign and (place - end) * side >= 0:  # else the expansion holds only farther out than the end
                return place, sign
        except NoAsymptotics:
            pass
    if end is not None and f.taylor(point(end), 2) is not None:
        at_end = f.sign_at(end)
        if at_end:
            return end, at_end
    approach = Approach(end, side if end is not None else -side)
    other = line.upper if side > 0 else line.lower

    def read(found: Germ) -> tuple[Fraction, int]:
        place = approach.end(found.horizon.start)
        if end is not None and other is not None and (other - place) * side <= 0:
            raise TooEarly
        return place, found.sign()

    try:
        return settle(f.expression, approach, read, deadline.check)
    except NoAsymptotics as problem:
        raise Unresolved(str(problem)) from None


@dataclass(frozen=True, slots=True)
class _Cell:
    lower: Fraction
    upper: Fraction
    kind: str  # positive, negative, rising, falling, multiple, undecided
    root: Root | None = None


def _cells(f: Smooth, lower: Fraction, upper: Fraction, deadline: Deadline) -> Iterator[_Cell]:
    """Yield cells of one kind each that cover [lower, upper] from left to right."""
    stack, tried = [(lower, upper)], 0
    while stack:
        deadline.check()
        low, high = stack.pop()
        tried += 1
        kind = _kind(f, low, high, tried > _SECOND_LOOK)
        if kind:
            yield _Cell(low, high, kind)
            continue
        if high - low <= _SUSPECT:
            root = multiple_zero(f, low, high)
            if root is not None:
                yield _Cell(low, high, "multiple", root)
                continue
        if high - low <= _NARROWEST * max(abs(low), abs(high), _SUSPECT):
            yield _Cell(low, high, "undecided")
            continue
        middle = (low + high) / 2
        stack += [(middle, high), (low, middle)]


def _kind(f: Smooth, lower: Fraction, upper: Fraction, by_ends: bool) -> str | None:
    over = f.model(lower, upper)
    if over is not None:
        if over.value > 0 or over.value < 0:
            return "positive" if over.value > 0 else "negative"
        if over.slope > 0 or over.slope < 0:
            return "rising" if over.slope > 0 else "falling"
    values = f.range(lower, upper) if by_ends else None
    if values is not None and (values[0] > 0 or values[1] < 0):
        return "positive" if values[0] > 0 else "negative"
    return None


def multiple_zero(f: Smooth, lower: Fraction, upper: Fraction) -> Root | None:
    """Return the zero z of order m >= 2 with f/(x - z)^m of one sign on the cell, for z the simplest number there.

    If f, f', ..., f^(m-1) vanish at z, dividing Taylor's theorem at z by (x - z)^m leaves the coefficients from order
    m on, and the remainder as it was.
    """
    z = simplest_between(Enclosure(lower, upper))
    if z.denominator > _SIMPLE:
        return None
    with working_precision(bits_for(lower, upper)):
        at, over = f.taylor(point(z), 1), f.taylor(segment(lower, upper), 1)
        if at is None or over is None or not at[0].contains(0) or not at[1].contains(0) or not over[1].contains(0):
            return None
    order = _order_of_zero(f, z)
    if order < 2:
        return None
    with working_precision(bits_for(lower, upper)):
        length = order + _TAYLOR_TERMS
        at, over = f.taylor(point(z), length), f.taylor(segment(lower, upper), length)
        if at is None or over is None:
            return None
        offset, quotient = segment(lower - z, upper - z), over[length]
        for coefficient in reversed(at[order:length]):
            quotient = coefficient + offset * quotient
        return None if quotient.contains(0) else Root(f, point(z), bool(quotient > 0), z, order)


@lru_cache(maxsize=256)
def _order_of_zero(f: Smooth, z: Fraction) -> int:
    """Return how many of f(z), f'(z), ... are proven to be zero before the first that is not."""
    order = 0
    while order <= _MOST_MULTIPLE and f.vanishes(z):
        order, f = order + 1, f.derivative()
    return order
