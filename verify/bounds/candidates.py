"""Places where a supremum may be attained, each with its value to any number of bits."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce

from flint import arb

from gelu_verify.bounds.error import Span
from gelu_verify.bounds.roots import Root, Unresolved
from gelu_verify.bounds.search import Core, Search
from gelu_verify.bounds.smooth import Smooth, point, segment
from gelu_verify.catalogue.evaluators import exact_value
from gelu_verify.catalogue.forms import Form
from gelu_verify.deadlines import Deadline
from gelu_verify.enclosures import Enclosure, enclosure_of, working_precision
from gelu_verify.enclosures.tails import Approach, Limit

_FEW_BITS = 64
_MOST_CANCELLED = 8  # times the precision asked for, and a thousand bits, to which cancellation is followed
_PROGRESS = 4  # bits that a further search must gain to be followed by another
_ANY_TOLERANCE = Fraction(2) ** 64  # a refinement may stop whenever it takes long


def accurately(evaluate: Callable[[int], arb], bits: int) -> arb:
    """Return a value accurate to `bits` bits, computed at rising precision as far as cancellation asks for it.

    Arguments:
        evaluate: takes the working precision, which is set.
    """
    precision = bits + 64
    while True:
        with working_precision(precision):
            value = evaluate(precision)
        known = value.is_exact() or value.rel_accuracy_bits() >= bits or not value.is_finite()
        if known or precision > _MOST_CANCELLED * (bits + 1024):
            return value
        precision *= 4


@dataclass(slots=True)
class Candidate(ABC):
    """A place where |f| may reach its supremum.

    Attributes:
        attained: whether the value is taken there (False: only approached; None: not decided).
        approach: along which it is approached.
        certain: whether |f| takes the value or tends to it, so that the supremum is at least as great.
    """

    attained: bool | None = field(default=True, kw_only=True)
    approach: Approach | None = field(default=None, kw_only=True)
    certain: bool = field(default=True, kw_only=True)

    @abstractmethod
    def value(self, bits: int) -> arb:
        """Enclose |f| there to about `bits` bits."""

    def ceiling(self) -> arb:
        """Return an upper bound of |f| there, at once."""
        return self.value(_FEW_BITS).upper()

    @property
    def rational(self) -> Fraction | None:
        """The value of |f| there, when it is known to be this rational number."""
        return None

    def places(self, bits: int) -> list[Enclosure]:
        """Enclose the point; an interval, or an end that is only approached, is told otherwise."""
        return []

    def enclosure(self, bits: int) -> Enclosure:
        """Enclose the value between exact ends."""
        exact = self.rational
        return enclosure_of(self.value(bits)) if exact is None else Enclosure(exact, exact)


@dataclass(slots=True)
class Stationary(Candidate):
    """A maximum inside a segment, where f' has its only zero there."""

    f: Smooth
    root: Root

    @property
    def rational(self) -> Fraction | None:
        """The value at a rational zero, when it is rational."""
        return None if self.root.exact is None else Spot(self.f, self.root.exact).rational

    def value(self, bits: int) -> arb:
        """By Taylor's theorem at a point m near the zero z, f(z) = f(m) - f''/2 (m - z)^2: half the bits do for z."""
        if self.root.exact is not None:
            return Spot(self.f, self.root.exact).value(bits)

        def evaluate(precision: int) -> arb:
            z = self.root.ball(precision // 2)
            middle = z.mid()
            at, over = self.f.taylor(middle, 0), self.f.taylor(z, 2)
            if at is None or over is None:
                raise Unresolved(f"the expression is not resolved at {z}")
            radius = z - middle
            return abs(at[0] - over[2] * arb(0).union(radius * radius))

        return accurately(evaluate, bits)

    def places(self, bits: int) -> list[Enclosure]:
        """Return the zero's enclosure."""
        return [self.root.enclosure(bits)]


@dataclass(slots=True)
class Spot(Candidate):
    """A rational point: an end of the domain, a kink, or one side of a jump."""

    f: Smooth
    x: Fraction

    @property
    def rational(self) -> Fraction | None:
        """The value, when elementary rules show it to be rational."""
        exact = exact_value(self.f.expression, self.x)
        return None if exact is None else abs(exact)

    def value(self, bits: int) -> arb:
        """Evaluate."""
        rational = self.rational
        if rational is not None:
            with working_precision(bits + 64):
                return point(rational)
        return accurately(lambda precision: abs(self.f.value(point(self.x))), bits)

    def places(self, bits: int) -> list[Enclosure]:
        """Return the point."""
        return [Enclosure(self.x, self.x)]


@dataclass(slots=True)
class Gap(Candidate):
    """The enclosure of an irrational kink or jump, with a rule that holds there, or up to there."""

    f: Smooth
    around: Enclosure

    def value(self, bits: int) -> arb:
        """Enclose the values over the gap (as sharp as the gap is narrow)."""
        with working_precision(bits + 64):
            return abs(self.f.value(segment(self.around.lower, self.around.upper)))

    def places(self, bits: int) -> list[Enclosure]:
        """Return the gap."""
        return [self.around]


@dataclass(slots=True)
class Flat(Candidate):
    """An interval on which |f| is constant."""

    constant: Form
    span: Span

    @property
    def rational(self) -> Fraction | None:
        """The constant, when it is rational."""
        exact = self.constant.rational
        return None if exact is None else abs(exact)

    def value(self, bits: int) -> arb:
        """Evaluate the exact constant."""
        return accurately(lambda precision: abs(self.constant.ball()), bits)


@dataclass(slots=True)
class Limiting(Candidate):
    """A finite limit, at infinity or at a point where f is not defined: approached and not attained."""

    limit: Limit

    @property
    def rational(self) -> Fraction | None:
        """The limit, when it is rational."""
        exact = None if self.limit.value is None else self.limit.value.rational
        return None if exact is None else abs(exact)

    def value(self, bits: int) -> arb:
        """Evaluate the exact limit."""
        return accurately(lambda precision: abs(self.limit.ball(precision)), bits)


@dataclass
class Blunt(Candidate):
    """A segment on which f'' vanishes too, or is not told from zero: it is searched further for further digits."""

    core: Core
    deadline: Deadline

    def __post_init__(self) -> None:
        self._parts = [self.core]

    def value(self, bits: int) -> arb:
        """Enclose the maximum over the segment."""
        accuracy = 0
        while accuracy < bits:
            before, accuracy = accuracy, min((core.peak.rel_accuracy_bits() for core in self._parts), default=bits)
            if accuracy >= bits or (before and accuracy < before + _PROGRESS):
                break
            search = Search(self.deadline, _ANY_TOLERANCE)
            segments = [core.segment for core in self._parts]
            self._parts = search.cores([search.segment(part.f, part.lower, part.upper) for part in segments])
        with working_precision(bits + 64):
            return reduce(arb.max, (core.peak for core in self._parts), arb(0))

    def ceiling(self) -> arb:
        """Return an upper bound of the maximum without searching further."""
        return reduce(arb.max, (core.peak.upper() for core in self._parts), arb(0)).upper()

    def places(self, bits: int) -> list[Enclosure]:
        """Return the segments left."""
        return [Enclosure(core.segment.lower, core.segment.upper) for core in self._parts]
