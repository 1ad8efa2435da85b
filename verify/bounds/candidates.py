"""Places where a supremum may be attained, each with its value to any number of bits."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from flint import arb
from gelu_verify.bounds.roots import Line, Root, Unresolved
from gelu_verify.bounds.search import Core, Search
from gelu_verify.bounds.smooth import Deadline, Smooth, point, segment
from gelu_verify.catalogue.evaluators import exact_value
from gelu_verify.catalogue.forms import Form
from gelu_verify.enclosures import Enclosure, working_precision
from gelu_verify.enclosures.tails import Approach, Limit

_ROUNDS = 8


class Candidate(Protocol):
    """A place where |f| may reach its supremum.

    Attributes:
        attained: whether the value is taken there (False: only approached; None: not decided).
        approach: along which it is approached.
    """

    attained: bool | None
    approach: Approach | None

    def value(self, bits: int) -> arb:
        """Enclose |f| there to about `bits` bits."""

    def places(self, bits: int) -> list[Enclosure]:
        """Enclose the place or places; none for a limit at infinity."""


@dataclass(slots=True)
class Stationary:
    """A maximum inside a segment, where f' has its only zero there."""

    f: Smooth
    root: Root
    attained: bool | None = True
    approach: Approach | None = None

    def value(self, bits: int) -> arb:
        """By Taylor's theorem at a point m near the zero z, f(z) = f(m) - f''/2 (m - z)^2: half the bits do for z."""
        if self.root.exact is not None:
            return Spot(self.f, self.root.exact).value(bits)
        z = self.root.ball(bits // 2 + 16)
        with working_precision(bits + 64):
            middle = z.mid()
            at, over = self.f.taylor(middle, 0), self.f.taylor(z, 2)
            if at is None or over is None:
                raise Unresolved(f"the expression is not resolved at {z}")
            radius = z - middle
            return abs(at[0] - over[2] * arb(0).union(radius * radius))

    def places(self, bits: int) -> list[Enclosure]:
        """Return the zero's enclosure."""
        return [self.root.enclosure(bits)]


@dataclass(slots=True)
class Spot:
    """A rational point: an end of the domain, a kink, or one side of a jump."""

    f: Smooth
    x: Fraction
    attained: bool | None = True
    approach: Approach | None = None

    def value(self, bits: int) -> arb:
        """Evaluate."""
        with working_precision(bits + 64):
            rational = exact_value(self.f.expression, self.x)
            return abs(self.f.value(point(self.x)) if rational is None else point(rational))

    def places(self, bits: int) -> list[Enclosure]:
        """Return the point."""
        return [Enclosure(self.x, self.x)]


@dataclass(slots=True)
class Gap:
    """One side's rule over the enclosure of an irrational kink."""

    f: Smooth
    around: Enclosure
    attained: bool | None
    approach: Approach | None = None

    def value(self, bits: int) -> arb:
        """Enclose the values over the gap (as sharp as the gap is narrow)."""
        with working_precision(bits + 64):
            return abs(self.f.value(segment(self.around.lower, self.around.upper)))

    def places(self, bits: int) -> list[Enclosure]:
        """Return the gap."""
        return [self.around]


@dataclass(slots=True)
class Flat:
    """An interval on which |f| is constant."""

    constant: Form
    line: Line
    attained: bool | None = True
    approach: Approach | None = None

    def value(self, bits: int) -> arb:
        """Evaluate the exact constant."""
        with working_precision(bits + 64):
            return abs(self.constant.ball())

    def places(self, bits: int) -> list[Enclosure]:
        """Return no point: the interval is told as such."""
        return []


@dataclass(slots=True)
class Limiting:
    """A finite limit, at infinity or at a point where f is not defined: approached and not attained."""

    limit: Limit
    approach: Approach | None
    attained: bool | None = False

    def value(self, bits: int) -> arb:
        """Evaluate the exact limit."""
        return abs(self.limit.ball(bits + 64))

    def places(self, bits: int) -> list[Enclosure]:
        """Return no point: it is told as an approach."""
        return []


@dataclass(slots=True)
class Blunt:
    """A maximum where f'' vanishes too: a segment that is bisected further for each further digit."""

    core: Core
    deadline: Deadline
    attained: bool | None = True
    approach: Approach | None = None

    def value(self, bits: int) -> arb:
        """Enclose the maximum over the segment."""
        self._refine(bits)
        part = self.core.segment
        over = part.f.model(part.lower, part.upper, bits + 64)
        if over is None:
            raise Unresolved(f"the expression is not resolved near {float(part.lower):.9g}")
        return abs(over.value)

    def _refine(self, bits: int) -> None:
        for _ in range(_ROUNDS):
            part = self.core.segment
            over = part.f.model(part.lower, part.upper, bits + 64)
            if over is None or abs(over.value).rel_accuracy_bits() >= bits:
                return
            search = Search(self.deadline)
            inner = search.cores([search.segment(part.f, part.lower, part.upper)])
            if len(inner) != 1:
                return
            self.core = inner[0]

    def places(self, bits: int) -> list[Enclosure]:
        """Return the segment."""
        return [Enclosure(self.core.segment.lower, self.core.segment.upper)]
