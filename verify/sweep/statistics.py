"""What a sweep counts, as plain data that adds up: any order of adding gives the same sum.

Counts add, the worst inputs are compared by a total order, and regions are sets of intervals. So the result does not
depend on how the work was cut into tasks or on who finished first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

LIMITS = (Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4), Fraction(16), Fraction(1024))  # ulps
OVER = ("misrounded", "over_1_ulp", "over_2_ulp", "over_4_ulp", "over_16_ulp", "over_1024_ulp")  # one for each limit
COUNTS = (
    *OVER,
    "nan",
    "infinite",
    "finite_instead_of_infinite",
    "zero_instead_of_nonzero",
    "subnormal_flush",
    "wrong_sign",
    "zero_sign",
    "special_values",
    "nan_swallowed",
    "not_monotone",
    "monotone_unjudged",
    "undecided",
    "flushed",
    "over_limit",
)


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """Consecutive encodings from `first` to `last` (bits, both included), `count` of which are concerned."""

    first: int
    last: int
    count: int


@dataclass(frozen=True, slots=True)
class Worst:
    """The input with the largest error of one kind; of equal ones, the one with the smaller bits.

    Attributes:
        size: the error, rounded to 80 significant bits.
        bits, got: the input and the result.
    """

    size: Fraction
    bits: int
    got: int

    @property
    def rank(self) -> tuple[Fraction, int]:
        """What the worst has most of."""
        return self.size, -self.bits


@dataclass(frozen=True, slots=True)
class Edge:
    """The result at an encoding where one task ends and another begins.

    Attributes:
        bits: the encoding.
        got: the result.
        direction: +1 or -1 if the function rises or falls with the encoding there, 0 if that is not known, and None at
            zero, where the direction is that of the neighbour.
    """

    bits: int
    got: float
    direction: int | None


@dataclass(slots=True)
class Tally:
    """Everything counted about one implementation against one function.

    Attributes:
        inputs: how many encodings were run.
        counts: how many inputs are concerned, by the names of `COUNTS`.
        histogram: for each binade of inputs (its lowest magnitude with sign, as bits) the number of inputs run and the
            numbers whose error exceeds each of `LIMITS`.
        worst: by kind of error ("ulp", "abs", "rel", "symmetry").
        bounds: by kind, what no error exceeds that was not looked at exactly: results that were compared by their bits
            alone, or of which very many had nearly the same error. None stands for no bound.
        regions: where, by the name of a count.
        edges: the results at both ends of every task, by encoding, for the steps from one task to the next.
    """

    inputs: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    histogram: dict[int, list[int]] = field(default_factory=dict)
    worst: dict[str, Worst] = field(default_factory=dict)
    bounds: dict[str, Fraction | None] = field(default_factory=dict)
    regions: dict[str, list[Interval]] = field(default_factory=dict)
    edges: dict[int, Edge] = field(default_factory=dict)

    def add(self, name: str, number: int) -> None:
        """Count `number` more inputs under a name."""
        if number:
            self.counts[name] = self.counts.get(name, 0) + number

    def row(self, binade: int) -> list[int]:
        """Return the histogram's row of a binade, to be added to."""
        return self.histogram.setdefault(binade, [0] * (len(LIMITS) + 1))

    def offer(self, kind: str, worst: Worst) -> None:
        """Propose an input as the worst of its kind."""
        known = self.worst.get(kind)
        if known is None or worst.rank > known.rank:
            self.worst[kind] = worst

    def raise_bound(self, kind: str, bound: Fraction | None) -> None:
        """Record that errors up to `bound` may have been passed over."""
        known = self.bounds.get(kind, Fraction(0))
        self.bounds[kind] = None if bound is None or known is None else max(known, bound)

    def add_region(self, name: str, intervals: Iterable[Interval]) -> None:
        """Record where a count arose."""
        self.regions.setdefault(name, []).extend(intervals)

    def count_step(self, before: Edge, after: Edge) -> None:
        """Count a step between neighbouring encodings if it goes against the direction that both share."""
        directions = {edge.direction for edge in (before, after) if edge.direction is not None}
        if len(directions) == 1 and (after.got - before.got) * directions.pop() < 0:
            self.add("not_monotone", 1)
            self.add_region("not_monotone", [Interval(after.bits, after.bits, 1)])

    def count_steps_between_tasks(self) -> None:
        """Count the steps across the edges; done once, when everything has been merged."""
        for bits, edge in sorted(self.edges.items()):
            after = self.edges.get(bits + 1)
            if after is not None:
                self.count_step(edge, after)
        self.edges.clear()

    def merge(self, other: "Tally") -> None:
        """Add another tally to this one."""
        self.inputs += other.inputs
        for name, number in other.counts.items():
            self.add(name, number)
        for binade, numbers in other.histogram.items():
            self.histogram[binade] = [a + b for a, b in zip(self.row(binade), numbers, strict=True)]
        for kind, worst in other.worst.items():
            self.offer(kind, worst)
        for kind, bound in other.bounds.items():
            self.raise_bound(kind, bound)
        for name, intervals in other.regions.items():
            self.add_region(name, intervals)
        self.edges.update(other.edges)

    def joined_regions(self, name: str) -> list[Interval]:
        """Return the intervals of a kind in the order of the encodings, adjoining ones joined."""
        return joined(self.regions.get(name, ()))


def joined(intervals: Iterable[Interval]) -> list[Interval]:
    """Sort intervals and join those that adjoin.

    >>> joined([Interval(4, 7, 4), Interval(0, 3, 4), Interval(9, 9, 1)])
    [Interval(first=0, last=7, count=8), Interval(first=9, last=9, count=1)]
    """
    result: list[Interval] = []
    for interval in sorted(intervals):
        if result and interval.first <= result[-1].last + 1:
            before = result.pop()
            interval = Interval(before.first, max(before.last, interval.last), before.count + interval.count)
        result.append(interval)
    return result


def coarsened(intervals: Sequence[Interval], most: int, sign_mask: int) -> list[Interval]:
    """Join intervals of the same sign across the smallest gaps until at most `most` are left.

    >>> coarsened([Interval(0, 3, 4), Interval(9, 9, 1), Interval(11, 11, 1)], 2, 1 << 31)
    [Interval(first=0, last=3, count=4), Interval(first=9, last=11, count=2)]
    """
    gaps = [
        (after.first - before.last, number)
        for number, (before, after) in enumerate(pairwise(intervals))
        if before.first & sign_mask == after.first & sign_mask
    ]
    closed = {number for _, number in sorted(gaps)[: max(len(intervals) - most, 0)]}
    result: list[Interval] = []
    for number, interval in enumerate(intervals):
        if number - 1 in closed:
            before = result.pop()
            interval = Interval(before.first, interval.last, before.count + interval.count)
        result.append(interval)
    return result


def rounded_size(size: Fraction) -> Fraction:
    """Round to 80 significant bits, so that sizes from enclosures of different width compare alike.

    >>> rounded_size(Fraction(1, 3)) == Fraction(1, 3), rounded_size(Fraction(3, 4))
    (False, Fraction(3, 4))
    """
    if size == 0:
        return size
    shift = 80 - (size.numerator.bit_length() - size.denominator.bit_length())
    return Fraction(round(size * Fraction(2) ** shift)) / Fraction(2) ** shift
