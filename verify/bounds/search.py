"""The greatest value of |f| on segments: branch and bound with Taylor models, then Newton's method on f'.

A cell is dropped when |f| stays below a value that is certainly reached, or when f' keeps a sign there (its ends are
ends of neighbours, or of the segment, which are candidates of their own). What survives are cells on which f'' keeps a
sign, so that each run of them holds at most one stationary point, and, where f'' vanishes too, cells narrow enough.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from flint import arb

from gelu_verify.bounds.roots import Root, Unresolved, multiple_zero, simple_zero
from gelu_verify.bounds.smooth import Model, Smooth, bits_for, point
from gelu_verify.deadlines import Deadline
from gelu_verify.enclosures import working_precision

_SAMPLES = 16
_MOST_BITS = 1 << 13
_ACCURATE = 24  # bits that a sampled value should have, lest rounding errors hide the function
_SECOND_LOOK = 300  # cells after which ends are tried where models do not settle
_PATIENCE = 3000  # cells bisected before the tolerance counts
_SHARES = Fraction(2**60)  # a cell of a segment that is shorter by this factor is kept undecided


@dataclass(frozen=True, slots=True)
class Segment:
    """Where to look for interior maxima of |f|, and a precision that resolves f there."""

    f: Smooth
    lower: Fraction
    upper: Fraction
    bits: int


@dataclass(frozen=True, slots=True)
class Core:
    """A segment that may hold a maximum of |f| inside.

    Attributes:
        root: the stationary point in it, if it is proven to hold exactly one.
        peak: an enclosure of the greatest |f| on the segment, as good as the search needed it.
    """

    segment: Segment
    root: Root | None
    peak: arb


@dataclass(frozen=True, slots=True)
class _Cell:
    origin: Segment
    lower: Fraction
    upper: Fraction
    over: Model | None

    @property
    def above(self) -> arb:
        """An upper bound of |f|."""
        return arb.pos_inf() if self.over is None else abs(self.over.value).upper()

    @property
    def reached(self) -> arb:
        """A lower bound of |f| at one of its points."""
        return arb(0) if self.over is None else abs(self.over.middle).lower()

    @property
    def bend(self) -> int:
        """The sign of f'', 0 where it has none."""
        return 0 if self.over is None else bool(self.over.bend > 0) - bool(self.over.bend < 0)


class Search:
    """A search for the common supremum of |f| over many segments.

    Arguments:
        tolerance: where f is so flat that bisection does not end, it stops when the supremum is known within this
            relative distance.

    Attributes:
        reached: a lower bound of the supremum, from everything seen so far.
        open_above: an upper bound of |f| on all cells that were not dropped, valid at any time.
    """

    def __init__(self, deadline: Deadline, tolerance: Fraction) -> None:
        self._tolerance = point(tolerance)
        self.reached = arb(0)
        self.open_above = arb.pos_inf()
        self.deadline = deadline
        self._cells = 0

    def offer(self, value: arb) -> None:
        """Take note of an enclosure of a value that |f| takes, or comes arbitrarily close to."""
        if value.is_finite():
            self.reached = arb.max(self.reached, abs(value).lower()).lower()

    def segment(self, f: Smooth, lower: Fraction, upper: Fraction) -> Segment:
        """Return a segment with a precision at which sampled values are resolved; the samples are offered."""
        bits = 64
        while True:
            sharpest = 0
            with working_precision(bits):
                for k in range(1, _SAMPLES):
                    values = f.taylor(point(lower + (upper - lower) * k / _SAMPLES), 0)
                    if values is not None:
                        self.offer(values[0])
                        sharpest = max(sharpest, values[0].rel_accuracy_bits())
            if sharpest >= _ACCURATE or bits >= _MOST_BITS:
                return Segment(f, lower, upper, bits)
            bits *= 4

    def cores(self, segments: list[Segment]) -> list[Core]:
        """Return parts of the segments outside which no interior maximum of |f| reaches the supremum.

        Raises:
            Unresolved: f is not defined, or not smooth, somewhere inside.
            OutOfTime: the deadline has passed; `open_above` then bounds what is left.
        """
        kept = [cell for cell in self._bisect(segments) if not cell.above < self.reached]
        ranks = {id(part): rank for rank, part in enumerate(segments)}
        kept.sort(key=lambda cell: (ranks[id(cell.origin)], cell.lower))
        return [core for run in _runs(kept) if (core := _core(run)) is not None]

    def _bisect(self, segments: list[Segment]) -> list[_Cell]:
        order = count()
        queue: list[tuple[arb, int, _Cell]] = []
        survivors: list[_Cell] = []
        kept_above = arb(0)
        pending = [(part, part.lower, part.upper) for part in segments]
        for steps in count():
            cells = [cell for place in pending if (cell := self._cell(*place)) is not None]
            for cell in cells:
                heapq.heappush(queue, (-cell.above, next(order), cell))
            self.open_above = arb.max(kept_above, -queue[0][0] if queue else arb(0)).upper()
            self.deadline.check()
            if not queue or queue[0][2].above < self.reached:
                return survivors
            if steps > _PATIENCE and queue[0][2].above - self.reached <= self.reached * self._tolerance:
                return survivors + [cell for _, _, cell in queue]
            cell = heapq.heappop(queue)[2]
            pending = []
            if cell.bend or self._is_narrow(cell):
                survivors.append(cell)
                kept_above = arb.max(kept_above, cell.above).upper()
            else:
                middle = (cell.lower + cell.upper) / 2
                pending = [(cell.origin, cell.lower, middle), (cell.origin, middle, cell.upper)]
        return survivors

    def _is_narrow(self, cell: _Cell) -> bool:
        narrow = cell.upper - cell.lower <= (cell.origin.upper - cell.origin.lower) / _SHARES
        if narrow and cell.over is None:
            raise Unresolved(f"the expression is not resolved near x = {float(cell.lower):.9g}")
        return narrow

    def _cell(self, origin: Segment, lower: Fraction, upper: Fraction) -> _Cell | None:
        """Return the cell with its model, or None when it can hold no interior maximum."""
        over = origin.f.model(lower, upper, origin.bits)
        if over is not None:
            self.offer(over.middle)
            if not over.slope.contains(0) or abs(over.value).upper() < self.reached:
                return None
        self._cells += 1
        if self._cells > _SECOND_LOOK and self._is_settled_by_ends(origin, lower, upper):
            return None
        return _Cell(origin, lower, upper, over)

    def _is_settled_by_ends(self, origin: Segment, lower: Fraction, upper: Fraction) -> bool:
        """Return whether interval arithmetic on ends shows what the Taylor model did not."""
        values = origin.f.range(lower, upper, origin.bits)
        if values is not None and arb.max(-values[0], values[1]) < self.reached:
            return True
        slopes = origin.f.derivative().range(lower, upper, origin.bits)
        return slopes is not None and bool(slopes[0] > 0 or slopes[1] < 0)


def _runs(cells: list[_Cell]) -> Iterator[list[_Cell]]:
    """Yield runs of neighbouring cells on which f'' has one sign, or on which it has none."""
    run: list[_Cell] = []
    for cell in cells:
        if run and not (cell.origin is run[-1].origin and cell.lower == run[-1].upper and cell.bend == run[-1].bend):
            yield run
            run = []
        run.append(cell)
    if run:
        yield run


def _core(run: list[_Cell]) -> Core | None:
    """Return what the run may hold; None when f' has no zero inside it.

    A zero at an end of the run is an end of the whole segment, or lies in a neighbour that was dropped because |f| is
    too small on it.
    """
    origin, lower, upper, bend = run[0].origin, run[0].lower, run[-1].upper, run[0].bend
    part = Segment(origin.f, lower, upper, origin.bits)
    slope, peak = origin.f.derivative(), _peak(run)
    if bend == 0:
        stationary = multiple_zero(slope, lower, upper)
        at_end = stationary is not None and stationary.exact in (lower, upper)
        return None if at_end else Core(part, stationary, peak)
    left, right = (_sign_or_zero(slope, end) for end in (lower, upper))
    if left is None or right is None:
        return Core(part, None, peak)
    if left == right or left == 0 or right == 0:
        return None
    return Core(part, simple_zero(slope, lower, upper, bend > 0), peak)


def _peak(run: list[_Cell]) -> arb:
    with working_precision(bits_for(run[0].lower, run[0].upper, 2 * run[0].origin.bits)):
        low, high = arb(0), arb(0)
        for cell in run:
            low, high = arb.max(low, cell.reached), arb.max(high, cell.above)
        return low.union(high)


def _sign_or_zero(f: Smooth, x: Fraction) -> int | None:
    sign = f.sign_at(x)
    return 0 if sign is None and f.vanishes(x) else sign
