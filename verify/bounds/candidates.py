"""Places where a supremum may be attained, each with its value to any number of bits."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb
from gelu_verify.bounds.roots import Line, Root, Unresolved
from gelu_verify.bounds.search import Core, Search
from gelu_verify.bounds.smooth import Deadline, Smooth, point, segment
from gelu_verify.catalogue.evaluators import arb_value, exact_value
from gelu_verify.catalogue.expression import Expression
from gelu_verify.catalogue.forms import Form
from gelu_verify.enclosures import Enclosure, enclosure_of, working_precision
from gelu_verify.enclosures.tails import Approach, Limit

_ROUNDS = 8


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
        with working_precision(bits + 64):
            rational = self.rational
            return abs(self.f.value(point(self.x))) if rational is None else point(rational)

    def places(self, bits: int) -> list[Enclosure]:
        """Return the point."""
        return [Enclosure(self.x, self.x)]


@dataclass(slots=True)
class Gap(Candidate):
    """The enclosure of an irrational kink or jump, with what the expression may be at points of it."""

    f: Expression
    around: Enclosure

    def value(self, bits: int) -> arb:
        """Enclose the values over the gap (as sharp as the gap is narrow)."""
        with working_precision(bits + 64):
            return abs(arb_value(self.f, segment(self.around.lower, self.around.upper)))

    def places(self, bits: int) -> list[Enclosure]:
        """Return the gap."""
        return [self.around]


@dataclass(slots=True)
class Flat(Candidate):
    """An interval on which |f| is constant."""

    constant: Form
    line: Line

    @property
    def rational(self) -> Fraction | None:
        """The constant, when it is rational."""
        exact = self.constant.rational
        return None if exact is None else abs(exact)

    def value(self, bits: int) -> arb:
        """Evaluate the exact constant."""
        with working_precision(bits + 64):
            return abs(self.constant.ball())


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
        return abs(self.limit.ball(bits + 64))


@dataclass(slots=True)
class Blunt(Candidate):
    """A maximum where f'' vanishes too: a segment that is bisected further for each further digit."""

    core: Core
    deadline: Deadline

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
