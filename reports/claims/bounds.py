"""Claims about suprema: how far one function is from another, over all reals or a part of them."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

from gelu_verify.bounds.error import Error, SupremumResult
from gelu_verify.bounds.roots import Line
from gelu_verify.bounds.supremum import supremum
from gelu_verify.catalogue.functions import Function
from gelu_verify.enclosures import Enclosure
from gelu_verify.records import Verdict
from gelu_verify.reports.claims.fields import Fields
from gelu_verify.reports.claims.numbers import SHOWN_DIGITS, approach_notes, judge_number
from gelu_verify.reports.claims.printed import NumberClaim, Relation
from gelu_verify.reports.claims.record import Limits, Note, Outcome
from gelu_verify.reports.claims.values import prime, quoted, written

MAX_DERIVATIVE = 4
UNBOUNDED = "infinity"  # what is printed for a supremum that is claimed to be infinite
_SHOWN_PLACES = 12  # digits of the places where a supremum is attained


@dataclass(frozen=True, slots=True)
class Bound:
    """`kind = "bound"`: the supremum of |function - against|, or of the function itself with `against = "0"`.

    `number` is None when the claim is that the supremum is infinite.
    """

    function: Function
    against: Function
    line: Line
    derivative: int
    relative: bool
    number: NumberClaim | None

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Read `function`, `against`, `on`, `derivative`, `relative` and the printed number (or "infinity")."""
        function, against = fields.function("function"), fields.function("against", "gelu")
        line = Line(*fields.domain("on"))
        derivative = fields.integer("derivative", 0, MAX_DERIVATIVE, 0)
        relative = fields.flag("relative")
        infinite = fields.text("printed") == UNBOUNDED
        if infinite:
            fields.choice("relation", (Relation.EQUALS,), Relation.EQUALS)
        return cls(function, against, line, derivative, relative, None if infinite else fields.number())

    def judge(self, limits: Limits) -> Outcome:
        """Certify the supremum and compare."""
        found = self._supremum(SHOWN_DIGITS, limits.inner)
        if found.infinite:
            return self._infinite(found)
        if found.supremum is None:
            return self._undecided(found)
        if self.number is None:
            values = {"what": self._formula(), "value": found.supremum.decimal(SHOWN_DIGITS)}
            return Outcome(Verdict.REFUTED, found.supremum, (Note("bound.finite", values),), self._command())
        first = found.supremum

        def enclose(digits: int) -> Enclosure:
            if digits <= SHOWN_DIGITS:
                return first
            return self._supremum(digits, limits.inner).supremum or first

        outcome = judge_number(self._formula(), self.number, enclose, self._command(), self._anchors())
        return replace(outcome, notes=(*outcome.notes, *_place_notes(found)))

    def _supremum(self, digits: int, seconds: float) -> SupremumResult:
        error = Error(self.function.expression, self.against.expression, self.derivative, self.relative)
        return supremum(error, self.line, digits, seconds)

    def _infinite(self, found: SupremumResult) -> Outcome:
        verdict = Verdict.CERTIFIED if self.number is None else Verdict.REFUTED
        notes = (Note("bound.infinite", {"what": self._formula()}), *_place_notes(found))
        return Outcome(verdict, UNBOUNDED, notes, self._command())

    def _undecided(self, found: SupremumResult) -> Outcome:
        """Judge by the best bounds so far: they may be enough."""
        lower, upper = found.lower or Fraction(0), found.upper
        values = {"what": self._formula(), "lower": Enclosure(lower, lower).lower_decimal(SHOWN_DIGITS)}
        answer = None
        if self.number is not None:
            answer = self.number.allows(Enclosure(lower, max(lower, _FAR) if upper is None else upper))
        verdict = {True: Verdict.CERTIFIED, False: Verdict.REFUTED, None: Verdict.UNKNOWN}[answer]
        if upper is None:
            note = Note("bound.at_least", {**values, "reason": found.reason})
        else:
            highest = Enclosure(upper, upper).upper_decimal(SHOWN_DIGITS)
            note = Note("bound.between", {**values, "upper": highest, "reason": found.reason})
        return Outcome(verdict, None, (note,), self._command())

    def _anchors(self) -> tuple[str, ...]:
        """Name the places of a report that show this very supremum, should it have them."""
        if self.against.name != "gelu" or self.relative or (self.line.lower, self.line.upper) != (None, None):
            return ()
        name, order = self.function.name, self.derivative
        measure = f"absolute.derivative{order}" if order else "absolute"
        certificate = f"certificate-{name}_error" + (f"_derivative_{order}" if order else "")
        return (f"bound-error.{name}.gelu.{measure}.reals", certificate)

    def _formula(self) -> str:
        name, other = prime(self.function.name, self.derivative), prime(self.against.name, self.derivative)
        inner = f"{name} - {other}" if self.against.name != "0" else name
        inner = f"({inner})/{other}" if self.relative else inner
        low, high = self.line.lower, self.line.upper
        ends = f" on [{end_text(low, '-inf')}, {end_text(high, 'inf')}]" if (low, high) != (None, None) else ""
        return f"sup |{inner}|{ends}"

    def _command(self) -> str:
        words = ["gelu-verify bound", quoted(self.function.name)]
        if self.against.name != "gelu":
            words.append(f"--against {quoted(self.against.name)}")
        if (self.line.lower, self.line.upper) != (None, None):
            words.append(f"--on {end_text(self.line.lower, '-inf')} {end_text(self.line.upper, 'inf')}")
        if self.derivative:
            words.append(f"--derivative {self.derivative}")
        return " ".join([*words, "--relative"] if self.relative else words)


_FAR = Fraction(10) ** 400  # stands for "no upper bound is known"; no printed number reaches it


def end_text(end: Fraction | None, infinite: str) -> str:
    """Write an end of an interval; None is the infinite one."""
    return infinite if end is None else written(end)


def _place_notes(found: SupremumResult) -> tuple[Note, ...]:
    if found.at:
        places = ", ".join(place.decimal(_SHOWN_PLACES) for place in found.at)
        return (Note("bound.attained", {"places": places}),)
    return approach_notes(found.approached)
