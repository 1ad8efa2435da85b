"""Claims that a function rises or falls throughout."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil, floor
from typing import Self

from gelu_verify.bounds.boundaries import is_continuous
from gelu_verify.bounds.error import Error
from gelu_verify.bounds.locate import LocateResult, locate
from gelu_verify.bounds.roots import Line, Unresolved
from gelu_verify.bounds.stretches import stretches
from gelu_verify.deadlines import Deadline, OutOfTime
from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.records import Verdict
from gelu_verify.references import value
from gelu_verify.reports.claims.extrema import Target, inside
from gelu_verify.reports.claims.fields import Fields
from gelu_verify.reports.claims.numbers import SHOWN_DIGITS
from gelu_verify.reports.claims.record import Limits, Note, Outcome
from gelu_verify.reports.claims.values import written

_BITS = 64
_AROUND = tuple(Fraction(n) for n in (-100, -10, -1, 0, 1, 10, 100))  # offsets at which values are compared
_Known = tuple[Fraction, Enclosure]


@dataclass(frozen=True, slots=True)
class Monotone:
    """`kind = "monotone"`: a function never falls (or never rises) on its domain."""

    target: Target
    increasing: bool

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Read the function and `direction`."""
        target = Target.read(fields)
        return cls(target, fields.choice("direction", ("increasing", "decreasing"), "increasing") == "increasing")

    def judge(self, limits: Limits) -> Outcome:
        """Two points in the wrong order refute it; a continuous function without inner extrema is monotone."""
        target = self.target
        found = [
            locate(what, target.function.expression, target.line, target.derivative, SHOWN_DIGITS, limits.inner)
            for what in ("minimum", "maximum")
        ]
        command = target.command("minimum")
        for result in found:
            if not result.complete:
                return Outcome(Verdict.UNKNOWN, None, (Note("undecided.reason", {"reason": result.reason}),), command)
        words = {"function": target.name}
        direction = "increasing" if self.increasing else "decreasing"
        known = self._values(found)
        pair = _ordered(known, rising=not self.increasing)
        if pair is not None:
            (a, at_a), (b, at_b) = pair
            values = {**words, "a": written(a), "b": written(b), "at_a": at_a.decimal(10), "at_b": at_b.decimal(10)}
            return Outcome(Verdict.REFUTED, None, (Note(f"monotone.not_{direction}", values),), command)
        turns = any(_inner(result, target.line) for result in found)
        if turns or _ordered(known, rising=self.increasing) is None or not _continuous(target, limits.inner):
            return Outcome(Verdict.UNKNOWN, None, (Note("monotone.undecided", words),), command)
        return Outcome(Verdict.CERTIFIED, None, (Note(f"monotone.{direction}", words),), command)

    def _values(self, found: list[LocateResult]) -> list[_Known]:
        """Return the values at points around what was found and at the domain's ends, in rising order of x."""
        line = self.target.line
        points = {offset + line.between() for offset in _AROUND} | set(_ends(line))
        for result in found:
            for place in result.points:
                points |= {_rounded(place.x), Fraction(ceil(place.x.lower) - 1), Fraction(floor(place.x.upper) + 1)}
            for part in result.on:
                ends = [_rounded(end) for end in (part.lower, part.upper) if end is not None]
                points |= {x + offset for x in ends for offset in (-1, 0, 1)}
        known = []
        for x in sorted(points):
            if inside(x, line):
                try:
                    known.append((x, value(self.target.expression, x)))
                except (InputError, IncompleteError):  # not defined at that very point
                    continue
        return known


def _ends(line: Line) -> Iterator[Fraction]:
    return (end for end in (line.lower, line.upper) if end is not None)


def _ordered(known: list[_Known], rising: bool) -> tuple[_Known, _Known] | None:
    """Return the nearest two points between which the values certainly rise (fall)."""
    pairs = [
        (one, other)
        for one, other in combinations(known, 2)
        if (one[1].upper < other[1].lower if rising else one[1].lower > other[1].upper)
    ]
    return min(pairs, key=lambda pair: pair[1][0] - pair[0][0], default=None)


def _inner(result: LocateResult, line: Line) -> bool:
    """Tell whether there is an extremum, or a plateau that is one, away from the domain's ends."""
    if any(place.kind != "end" for place in result.points):
        return True
    return any(not _starts(part.lower, line.lower) and not _starts(part.upper, line.upper) for part in result.on)


def _starts(end: Enclosure | None, x: Fraction | None) -> bool:
    """Tell whether a plateau's end is the domain's end x."""
    return end is None if x is None else end is not None and x in end


def _continuous(target: Target, seconds: float) -> bool:
    """Tell whether the function is shown to be continuous on its domain: its smooth parts meet."""
    error = Error(target.function.expression, derivative=target.derivative)
    try:
        return is_continuous(error, stretches(error, target.line, _BITS, Deadline(seconds)), target.line)
    except (Unresolved, OutOfTime):
        return False


def _rounded(place: Enclosure) -> Fraction:
    """Return a short decimal near the place."""
    return Fraction(round(place.midpoint * 10**4), 10**4)
