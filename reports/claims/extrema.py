"""Claims about where a function is least or greatest, and where it vanishes or turns."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Self

from gelu_verify.bounds.error import Error, SupremumResult
from gelu_verify.bounds.locate import locate
from gelu_verify.bounds.roots import Line
from gelu_verify.bounds.supremum import supremum
from gelu_verify.catalogue.derivative import derivative as differentiate
from gelu_verify.catalogue.expression import Expression, Number, Operation
from gelu_verify.catalogue.functions import Function
from gelu_verify.enclosures import Enclosure
from gelu_verify.records import Verdict
from gelu_verify.references import value
from gelu_verify.reports.claims.bounds import end_text
from gelu_verify.reports.claims.fields import Fields
from gelu_verify.reports.claims.numbers import SHOWN_DIGITS, approach_notes, number_note
from gelu_verify.reports.claims.printed import DIGITS_TRIED, NumberClaim, Printed
from gelu_verify.reports.claims.record import Limits, Note, Outcome
from gelu_verify.reports.claims.values import prime, quoted

MAX_DERIVATIVE = 4
_POINTS = ("minimum", "maximum", "roots", "inflections")
_PLACES = 12  # digits of a place in a sentence


@dataclass(frozen=True, slots=True)
class Target:
    """A function (or a derivative of it) on a part of the real line."""

    function: Function
    derivative: int
    line: Line

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Read `function`, `derivative` and `on`."""
        function = fields.function("function", "gelu")
        return cls(function, fields.integer("derivative", 0, MAX_DERIVATIVE, 0), Line(*fields.domain("on")))

    @property
    def expression(self) -> Expression:
        """The derivative as an expression."""
        return differentiate(self.function.expression, self.derivative)

    @property
    def name(self) -> str:
        """How it is written in a sentence."""
        return prime(self.function.name, self.derivative)

    def command(self, what: str) -> str:
        """Return the command line that locates its points."""
        words = [f"gelu-verify locate {what}", quoted(self.function.name)]
        if (self.line.lower, self.line.upper) != (None, None):
            words.append(f"--on {end_text(self.line.lower, '-inf')} {end_text(self.line.upper, 'inf')}")
        return " ".join([*words, f"--derivative {self.derivative}"] if self.derivative else words)


@dataclass(frozen=True, slots=True)
class Extremum:
    """`kind = "minimum"` or `"maximum"`: the least (greatest) value of a function, and where it is taken.

    `number` is about the value, `place` about the only point where it is taken; at least one is there.
    """

    what: str
    target: Target
    number: NumberClaim | None
    place: NumberClaim | None

    @classmethod
    def minimum(cls, fields: Fields) -> Self:
        """Read a claim about a minimum."""
        return cls._read("minimum", fields)

    @classmethod
    def maximum(cls, fields: Fields) -> Self:
        """Read a claim about a maximum."""
        return cls._read("maximum", fields)

    @classmethod
    def _read(cls, what: str, fields: Fields) -> Self:
        target = Target.read(fields)
        number = fields.number() if fields.has("printed") else None
        place = NumberClaim(fields.printed("at"), about=fields.flag("about")) if fields.has("at") else None
        if number is None and place is None:
            raise fields.complain(f"a {what} needs its value (printed), its place (at), or both")
        return cls(what, target, number, place)

    def judge(self, limits: Limits) -> Outcome:
        """Find the least value over the whole domain and compare."""
        command = self.target.command(self.what)
        for digits in DIGITS_TRIED:
            found, lowest = _least(self.target, self.what, digits, limits.inner)
            if found.infinite:
                note = Note("extremum.unbounded", {"what": self._formula()})
                return Outcome(Verdict.REFUTED, None, (note,), command)
            if found.attained is False:
                return self._not_attained(found, command)
            if lowest is None:
                reason = Note("undecided.reason", {"reason": found.reason or "the extremum was not isolated"})
                return Outcome(Verdict.UNKNOWN, None, (reason,), command)
            outcome = self._compare(found, lowest, command)
            if outcome.verdict is not Verdict.UNKNOWN:
                break
        return outcome

    def _not_attained(self, found: SupremumResult, command: str) -> Outcome:
        notes = (Note("extremum.not_attained", {"what": self._formula()}), *approach_notes(found.approached))
        return Outcome(Verdict.REFUTED, None, notes, command)

    def _compare(self, found: SupremumResult, lowest: Enclosure, command: str) -> Outcome:
        answers, notes = [], []
        if self.number is not None:
            answers.append(self.number.allows(lowest))
            notes.append(number_note(self._formula(), self.number, lowest, answers[-1]))
        if self.place is not None:
            answers.append(self._place_answer(found))
            notes.append(self._place_note(found, answers[-1]))
        verdict = Verdict.CERTIFIED if all(answer is True for answer in answers) else Verdict.UNKNOWN
        if False in answers:
            verdict = Verdict.REFUTED
        return Outcome(verdict, lowest, tuple(notes), command, self._anchors())

    def _anchors(self) -> tuple[str, ...]:
        """Name the places of a report that show this very extremum, should it have them."""
        name, order = self.target.function.name, self.target.derivative
        if (self.target.line.lower, self.target.line.upper) != (None, None):
            return ()
        place = f"points-{self.what}.{name}" + (f".derivative{order}" if order else "")
        return (place, f"certificate-{name}_{self.what}") if order == 0 else (place,)

    def _place_answer(self, found: SupremumResult) -> bool | None:
        """One place must be the only one, and be printed right."""
        if self.place is None or found.attained is None or found.tied:
            return None
        if len(found.at) != 1 or found.on:
            return False
        return self.place.allows(found.at[0])

    def _place_note(self, found: SupremumResult, answer: bool | None) -> Note:
        if self.place is not None and len(found.at) == 1 and not found.on:
            return number_note(f"arg {self._formula()}", self.place, found.at[0], answer)
        places = ", ".join(place.decimal(_PLACES) for place in found.at)
        return Note("extremum.places", {"what": self._formula(), "count": str(len(found.at)), "places": places})

    def _formula(self) -> str:
        return f"{self.what[:3]} {self.target.name}"


def _least(target: Target, what: str, digits: int, seconds: float) -> tuple[SupremumResult, Enclosure | None]:
    """Return the least (greatest) value by way of a supremum, with the places where it is taken.

    With s above some value of f, inf f = s - sup |min(f - s, 0)|: what lies above s plays no part.
    """
    sign = 1 if what == "minimum" else -1
    f = target.expression if sign > 0 else Operation("neg", (target.expression,))
    shift = _above(f, target.line)
    clipped = Operation("min", (Operation("-", (f, Number(shift))), Number(Fraction(0))))
    found = supremum(Error(clipped), target.line, digits + len(str(abs(shift))), seconds)
    if found.supremum is None or not (found.at or found.on):
        return found, None
    ends = sorted(sign * (shift - end) for end in (found.supremum.lower, found.supremum.upper))
    return found, Enclosure(ends[0], ends[1])


def _above(f: Expression, line: Line) -> Fraction:
    """Return a whole number above the values of f at some points of the line."""
    points = [line.between(), *(end for end in (line.lower, line.upper) if end is not None)]
    near = [x for x in (Fraction(-1), Fraction(0), Fraction(1)) if inside(x, line)]
    highest = max(value(f, x, digits=5).upper for x in [*points, *near])
    return Fraction(floor(highest) + 1)


def inside(x: Fraction, line: Line) -> bool:
    """Tell whether a point lies on the line, its ends included."""
    return (line.lower is None or line.lower <= x) and (line.upper is None or x <= line.upper)


@dataclass(frozen=True, slots=True)
class Points:
    """`kind = "points"`: how many local minima, maxima, zeros or inflections there are, and where."""

    what: str
    target: Target
    count: int
    places: tuple[Printed, ...]

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Read `what`, the function, `count`, and `at` (a list of printed places, in rising order)."""
        what, target = fields.choice("what", _POINTS), Target.read(fields)
        places = fields.printed_list("at") if fields.has("at") else ()
        count = fields.integer("count", 0, 1000, len(places) if places else None)
        if places and count != len(places):
            raise fields.complain(f"count = {count}, but at lists {len(places)} places")
        return cls(what, target, count, places)

    def judge(self, limits: Limits) -> Outcome:
        """Locate all of them."""
        target, command = self.target, self.target.command(self.what)
        found = locate(
            self.what, target.function.expression, target.line, target.derivative, SHOWN_DIGITS, limits.inner
        )
        if not found.complete:
            return Outcome(Verdict.UNKNOWN, None, (Note("undecided.reason", {"reason": found.reason}),), command)
        shown = ", ".join(place.x.decimal(_PLACES) for place in found.points)
        values = {"function": target.name, "count": str(len(found.points)), "places": shown}
        right = len(found.points) == self.count and not found.on
        notes = [Note(f"points.{self.what}" if found.points else f"points.no_{self.what}", values)]
        answers = [right]
        if right:
            for printed, place in zip(self.places, found.points, strict=False):
                answers.append(NumberClaim(printed).allows(place.x) is True)
                notes.append(number_note("x", NumberClaim(printed), place.x, answers[-1]))
        verdict = Verdict.CERTIFIED if all(answers) else Verdict.REFUTED
        return Outcome(verdict, None, tuple(notes), command)
