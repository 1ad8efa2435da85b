"""What a supremum is taken of, and how the answer is told."""

from dataclasses import dataclass
from fractions import Fraction

from gelu_verify.bounds.smooth import Smooth, vanishes
from gelu_verify.catalogue import Expression, difference
from gelu_verify.catalogue.derivative import ONE, derivative, divide, subtract
from gelu_verify.catalogue.normal_form import parity
from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import InputError
from gelu_verify.records import Verdict


@dataclass(frozen=True, slots=True)
class Error:
    """The error of one expression against another.

    Attributes:
        against: None to take the expression itself.
        derivative: order of the derivative that is taken of both.
        relative: whether the difference is divided by the (derivative of the) second.
    """

    expression: Expression
    against: Expression | None = None
    derivative: int = 0
    relative: bool = False

    @property
    def rules(self) -> tuple[Expression, ...]:
        """The expressions that must be smooth for the error to be."""
        return (self.expression,) if self.against is None else (self.expression, self.against)

    def of(self, rules: tuple[Expression, ...], order: int | None = None) -> Smooth:
        """Return the error for given rules of both.

        Raises:
            InputError: a relative error against zero.
        """
        order = self.derivative if order is None else order
        if len(rules) == 1:
            return Smooth(rules[0], order)
        if not self.relative:
            return Smooth(subtract(*rules), order)
        numerator, denominator = (derivative(rule, order) for rule in rules)
        if vanishes(denominator):
            raise InputError("relative error against a function that is zero on an interval; use the absolute error")
        return Smooth(subtract(divide(numerator, denominator), ONE))

    @property
    def parity(self) -> int | None:
        """1 when the error (before derivatives are taken) is proven even, -1 odd, None when neither is shown."""
        if self.against is None:
            return parity(self.expression)
        if not self.relative:
            return parity(difference(self.expression, self.against))
        parities = parity(self.expression), parity(self.against)
        return 1 if parities in ((1, 1), (-1, -1)) else None


@dataclass(frozen=True, slots=True)
class Span:
    """An interval whose ends are numbers known by enclosure, or infinite (None)."""

    lower: Enclosure | None
    upper: Enclosure | None
    lower_closed: bool = False
    upper_closed: bool = False

    @property
    def mirrored(self) -> "Span":
        """The interval of -x."""
        lower, upper = (None if end is None else -end for end in (self.upper, self.lower))
        return Span(lower, upper, self.upper_closed, self.lower_closed)

    def holds(self, place: Enclosure) -> bool:
        """Whether a point known by enclosure surely lies in the interval."""
        low, high = self.lower, self.upper
        after = low is None or low.upper < place.lower or (self.lower_closed and low.upper <= place.lower)
        before = high is None or place.upper < high.lower or (self.upper_closed and place.upper <= high.lower)
        return after and before

    def text(self, digits: int) -> str:
        """Write the interval, with round brackets at ends that do not belong to it.

        >>> Span(None, Enclosure(Fraction(1, 4), Fraction(1, 4)), upper_closed=True).text(5)
        '(-inf, 0.25]'
        """
        low = "-inf" if self.lower is None else self.lower.decimal(digits)
        high = "inf" if self.upper is None else self.upper.decimal(digits)
        return f"{'[' if self.lower_closed else '('}{low}, {high}{']' if self.upper_closed else ')'}"


@dataclass(frozen=True, slots=True)
class SupremumResult:
    """A supremum and how far it is settled.

    Attributes:
        verdict: `certified`, or `unknown` with the best bounds so far in `lower` and `upper`.
        supremum: its enclosure; None when it is infinite or unknown.
        infinite: whether |f| is proven to be unbounded.
        attained: whether the supremum is a value of |f|; None when that is not decided.
        at: enclosures that hold every point where it is attained.
        on: intervals on all of which it is attained.
        approached: the ends along which |f| tends to the supremum, in words.
        tied: whether the precision did not tell several places in `at` apart, and no symmetry explains them.
        parity: 1 for an error proven even, -1 for one proven odd, else None.
        lower: a lower bound of the supremum.
        upper: an upper bound; None when there is none (yet).
        reason: what was not decided, when the verdict is `unknown`.
    """

    verdict: Verdict
    supremum: Enclosure | None = None
    infinite: bool = False
    attained: bool | None = None
    at: tuple[Enclosure, ...] = ()
    on: tuple[Span, ...] = ()
    approached: tuple[str, ...] = ()
    tied: bool = False
    parity: int | None = None
    lower: Fraction | None = None
    upper: Fraction | None = None
    reason: str = ""
