"""The search for the worst input: a cheap bound tells where it cannot be; the few others are enclosed exactly."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isfinite, ldexp

import numpy as np

from gelu_verify.references.models import Floats
from gelu_verify.sweep.exact import Enclosed, Judge
from gelu_verify.sweep.results import Indices, Results, Segment
from gelu_verify.sweep.statistics import Tally, Worst, rounded_size

_CANDIDATES = 64  # how many inputs of nearly the same, largest error are looked at exactly
_SINGLE, _DOUBLE = 2.0**-22, 2.0**-50  # allowances for rounding to either precision


class WorstFinder:
    """Finds the largest error in ulps, absolutely and relatively.

    What it has found stays known from one tally to the next, so that most chunks need no second look. That cannot
    change the sum of the tallies: an input is passed over only if an earlier tally holds a larger error.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._seen: dict[str, float] = {}
        self._tops: dict[str, float] = {}
        self._least_normal = 2.0**judge.format.emin

    def note(self, segment: Segment, bound: float, largest: float, largest_nonzero: float | None = None) -> None:
        """Take note of how bad a segment can be at most.

        Arguments:
            largest: the largest |error|, rounded to single precision.
            largest_nonzero: the same among results other than zero, if there are zeros, whose relative error is 1.
        """
        top = largest * (1 + _SINGLE) + bound
        self._note("ulp", top / ldexp(1.0, segment.exponent))
        self._note("abs", top)
        if largest_nonzero is not None:
            top = largest_nonzero * (1 + _SINGLE) + bound if largest_nonzero else 0.0
        if self.relative_counts(segment.least):
            self._note("rel", top / segment.least)

    def _note(self, kind: str, top: float) -> None:
        if not top <= self._tops.get(kind, 0.0):
            self._tops[kind] = top

    def noted(self) -> dict[str, float]:
        """Return, by kind, how large an error can be in what was noted since the last call."""
        tops, self._tops = self._tops, {}
        return tops

    def look(
        self,
        tally: Tally,
        results: Results,
        errors: Floats,
        segment: Segment,
        bound: float,
        values: Callable[[], Floats],
    ) -> None:
        """Offer the tally the worst inputs of a segment, if they may be worse than what was seen.

        Arguments:
            errors: value - result in float64, off by at most `bound`; 0 for places that do not take part.
            values: gives the true values in float64, off by at most `bound`.
        """
        ulp = ldexp(1.0, segment.exponent)
        sizes = np.abs(errors)
        top = float(sizes.max()) * (1 + _DOUBLE) + bound
        if self.may_exceed("ulp", top / ulp) or self.may_exceed("abs", top):
            places, complete = _largest(sizes, 2 * bound)
            self._offer(tally, results, places, ("ulp", "abs"))
            if not complete:
                tally.raise_bound("ulp", _fraction(top / ulp))
                tally.raise_bound("abs", _fraction(top))
        if self.relative_counts(segment.least) and self.may_exceed("rel", top / segment.least):
            self._look_at_relative(tally, results, sizes, segment.least, bound, np.abs(values()))

    def _look_at_relative(
        self, tally: Tally, results: Results, sizes: Floats, least: float, bound: float, values: Floats
    ) -> None:
        relative = sizes / values
        relative[results.values == 0] = 0  # it is 1, exactly, and was offered when the zeros were counted
        slack = bound / least * (1 + float(relative.max())) * 2
        top = float(relative.max()) * (1 + _DOUBLE) + slack
        if self.may_exceed("rel", top):
            places, complete = _largest(relative, 2 * slack)
            self._offer(tally, results, places, ("rel",))
            if not complete:
                tally.raise_bound("rel", _fraction(top))

    def relative_counts(self, least: float) -> bool:
        """Relative errors are those of normal numbers: below, a result may be off by half of its size or all of it."""
        return least >= self._least_normal

    def give_up(self, tally: Tally, tops: Mapping[str, float]) -> None:
        """Record that errors larger than those offered may exist, none of which exceeds `tops`.

        Who has seen a larger error never looks, and that error then is the larger bound: the outcome is the same.
        """
        for kind, top in tops.items():
            tally.raise_bound(kind, _fraction(top))

    def judge_alone(self, tally: Tally, bits: int, got: int) -> None:
        """Offer one input with a finite result."""
        self._offer_one(tally, bits, got, ("ulp", "abs", "rel"))

    def offer(self, tally: Tally, kind: str, worst: Worst) -> None:
        """Offer an input whose error is known."""
        tally.offer(kind, worst)
        self._seen[kind] = max(self._seen.get(kind, -1.0), float_below(worst.size))

    def may_exceed(self, kind: str, most: float) -> bool:
        """Tell whether an error of at most `most` may be larger than those seen."""
        return not most <= self._seen.get(kind, -1.0)

    def _offer(self, tally: Tally, results: Results, places: Indices, kinds: Sequence[str]) -> None:
        for place in places.tolist():
            self._offer_one(tally, results.first + place, int(results.bits[place]), kinds)

    def _offer_one(self, tally: Tally, bits: int, got: int, kinds: Sequence[str]) -> None:
        if not self._judge.format.is_finite(got):
            return  # where all results of a segment are NaN, none of them has an error
        measures = {"ulp": self._judge.error, "abs": self._judge.absolute_error, "rel": self._judge.relative_error}
        for kind in kinds:
            enclosed: Enclosed | None = measures[kind](bits, got)
            if enclosed is not None and (kind != "rel" or self._judge.is_normal(bits)):
                size = rounded_size((enclosed.lower + enclosed.upper) / 2)
                self.offer(tally, kind, Worst(size, bits, got))


def _largest(sizes: Floats, slack: float) -> tuple[Indices, bool]:
    """Return the first places whose size may be the largest, and whether these are all of them."""
    places = np.flatnonzero(sizes >= sizes.max() - slack)
    return places[:_CANDIDATES], len(places) <= _CANDIDATES


def float_below(size: Fraction) -> float:
    """Return a float64 slightly below the number."""
    try:
        return float(size) * (1 - 2.0**-50)
    except OverflowError:
        return 2.0**1023


def _fraction(bound: float) -> Fraction | None:
    return Fraction(bound) if isfinite(bound) else None
