"""Judging results where the correct rounding is known without the value: that of a constant or of 2^k x.

There f(x) = a(x) + g(x) with a tiny rest g of known sign, and a(x) and the result lie on the format's grid or half-way
between. So |result - a| can equal a limit exactly; the sign of g then tells whether the error exceeds it.
"""

from fractions import Fraction
from math import ldexp
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.formats import Format
from gelu_verify.references.anchored import (
    anchor_values,
    error_bound,
    expected_bits,
    least_size,
    ulp_of,
)
from gelu_verify.references.models import Floats, ulp_exponent
from gelu_verify.references.partition import Anchored
from gelu_verify.sweep.measure import Comparison
from gelu_verify.sweep.near_misses import near_misses, worst_of
from gelu_verify.sweep.policy import OVER_LIMIT
from gelu_verify.sweep.results import Flags, Indices, Results, Segment
from gelu_verify.sweep.statistics import Tally, Worst, rounded_size

_NEGLIGIBLE = 2.0**-90  # relative to an error: below what errors are rounded to


class AnchoredMeter:
    """Judges results in anchored pieces."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._format: Format = comparison.format
        self._noted: tuple[Anchored, Tally] | None = None

    def judge(self, piece: Anchored, results: Results) -> None:
        """Count the results' errors."""
        self.note_bound(piece)
        want = expected_bits(piece, results.first, len(results.bits))
        if self._count_near_misses(piece, results, want):
            return
        places = np.flatnonzero(results.bits != want)
        if not self._format.is_finite(piece.constant):
            self._overflowed(results, places)
            return
        magnitudes = results.bits.dtype.type(~self._format.sign_mask & (1 << self._format.width) - 1)
        both_zero = (results.bits[places] | want[places]) & magnitudes == 0
        if piece.gap_sign is not None:
            self._comparison.tally.add("zero_sign", int(np.count_nonzero(both_zero)))
        places = self._without_allowed(piece, results, want, places[~both_zero], magnitudes)
        edges = self._at_binade_edge(piece, results.first, places)
        for place in places[edges].tolist():
            self._comparison.alone(results.first + place, int(results.bits[place]))
        places = places[~edges]
        if len(places):
            self._count(piece, results, want[places] & magnitudes, places)

    def _count_near_misses(self, piece: Anchored, results: Results, want: npt.NDArray[Any]) -> bool:
        """Count results if all are right or next to right, and nothing else is to be noted of them."""
        comparison, policy = self._comparison, self._comparison.policy
        if policy.flush_inputs or policy.flush_outputs:
            return False
        misses = near_misses(piece, results, want)
        if misses is None:
            return False
        numbers = [sum(miss.number for miss in misses if miss.is_over(limit)) for limit in policy.limits]
        numbers[0] = sum(miss.number for miss in misses)
        if policy.own is not None and numbers[policy.own]:
            return False
        comparison.count_over(results.first, numbers)
        if misses:
            places = np.array([worst_of(misses).place, *(miss.place for miss in misses)])
            anchors = anchor_values(piece, results.first + places)
            exponent = ulp_exponent(self._format, _size_for_ulp(piece, float(anchors[-1])))
            self._look_for_worst(piece, results, places, anchors, anchors - results.values[places], exponent)
        return True

    def _without_allowed(
        self, piece: Anchored, results: Results, want: npt.NDArray[Any], places: Indices, magnitudes: Any
    ) -> Indices:
        """Leave out results that the policy allows: those of subnormal numbers taken for zeros."""
        policy, least = self._comparison.policy, self._format.min_normal
        allowed = np.zeros(len(places), np.bool_)
        if policy.flush_outputs:
            allowed |= (results.values[places] == 0) & (want[places] & magnitudes < least)
        if policy.flush_inputs and piece.span.first & ~self._format.sign_mask < least:
            allowed |= self._comparison.as_if_zero(results)[places]
        self._comparison.tally.add("flushed", int(np.count_nonzero(allowed)))
        return places[~allowed]

    def note_bound(self, piece: Anchored) -> None:
        """Record the largest error that a result with the right bits can have here."""
        tally = self._comparison.tally
        if self._noted is not None and self._noted[0] is piece and self._noted[1] is tally:
            return
        self._noted = piece, tally
        if not self._format.is_finite(piece.constant):
            return
        least, ulp = least_size(piece), ulp_of(piece)
        bound = Fraction(error_bound(piece))
        tally.raise_bound("abs", bound)
        if least < 2.0**self._format.emin:
            tally.raise_bound("ulp", bound / Fraction(ulp))
        else:  # in the binade below a power of two the ulp is half as large
            tally.raise_bound("ulp", bound / Fraction(ulp / 2))
            tally.raise_bound("rel", bound / Fraction(least) * Fraction(1025, 1024))

    def _overflowed(self, results: Results, places: Indices) -> None:
        if not self._format.has_infinity:
            places = places[~np.isnan(results.values[places])]
        for place in places.tolist():
            self._comparison.alone(results.first + place, int(results.bits[place]))

    def _count(self, piece: Anchored, results: Results, want: npt.NDArray[Any], places: Indices) -> None:
        """Count wrong results: those at `places`, where the magnitudes `want` are wanted."""
        comparison = self._comparison
        anchors = anchor_values(piece, results.first + places)
        values = results.values[places].astype(np.float64)
        nan, infinite = np.isnan(values), np.isinf(values)
        signs = np.where(anchors == 0, piece.gap_sign or 0, np.sign(anchors))
        for name, flags in (
            ("nan", nan),
            ("infinite", infinite),
            ("zero_instead_of_nonzero", values == 0),
            ("subnormal_flush", (values == 0) & (want < self._format.min_normal)),
            ("wrong_sign", (values * signs < 0) & ~infinite),
        ):
            comparison.flagged_places(name, places[flags], results)
        errors = np.where(nan | infinite, 0.0, anchors - values)
        exponent = ulp_exponent(self._format, _size_for_ulp(piece, float(anchors[-1])))
        self._count_limits(results, places, errors, infinite, ldexp(1.0, exponent), piece.gap_sign)
        self._look_for_worst(piece, results, places, anchors, errors, exponent)

    def _look_for_worst(
        self, piece: Anchored, results: Results, places: Indices, anchors: Floats, errors: Floats, exponent: int
    ) -> None:
        """Offer the worst inputs. Very many errors are equal here but for the rest: where that is too small to show,
        the first of them stands for all; elsewhere take note of how large they are.
        """
        comparison, sizes = self._comparison, np.abs(errors)
        worst = int(sizes.argmax())
        comparison.note_error(float(sizes[worst]) + piece.gap)
        if not sizes[worst]:  # none of them is finite
            return
        if piece.gap > float(sizes[worst]) * _NEGLIGIBLE:  # `look` comes back to these
            segment = Segment(0, len(errors), exponent, least_size(piece), 1)
            comparison.worst.note(segment, piece.gap, float(sizes[worst]))
            return
        normal = np.abs(anchors) >= 2.0**self._format.emin
        relative = np.divide(sizes, np.abs(anchors), out=np.zeros(len(sizes)), where=normal)
        steepest = int(relative.argmax())
        for kind, chosen, unit in (
            ("ulp", worst, Fraction(2) ** exponent),
            ("abs", worst, Fraction(1)),
            ("rel", steepest, Fraction(abs(float(anchors[steepest]))) if normal[steepest] else None),
        ):
            if unit is not None and sizes[chosen]:
                size = rounded_size(Fraction(float(sizes[chosen])) / unit)
                place = int(places[chosen])
                comparison.worst.offer(
                    comparison.tally, kind, Worst(size, results.first + place, int(results.bits[place]))
                )

    def _count_limits(
        self, results: Results, places: Indices, errors: Floats, infinite: Flags, ulp: float, gap_sign: int | None
    ) -> None:
        """Count the errors that exceed each limit; at 1/2 ulp that is known from the bits."""
        sizes, policy = np.abs(errors), self._comparison.policy
        numbers = []
        for k, limit in enumerate(policy.limits):
            edge = float(limit) * ulp
            over = infinite | (sizes > edge)
            at_edge = sizes == edge
            if k == 0:
                over[:] = True
            elif at_edge.any() and gap_sign is None:
                self._comparison.tally.add("undecided", int(np.count_nonzero(at_edge)))
            elif at_edge.any():
                # |result - a - g| exceeds the edge where g points away from the result; errors hold a - result.
                over |= at_edge & (np.sign(errors) == gap_sign)
            numbers.append(int(np.count_nonzero(over)))
            if k == policy.own:
                self._comparison.flagged_places(OVER_LIMIT, places[over], results)
        self._comparison.count_over(results.first, numbers)

    def _at_binade_edge(self, piece: Anchored, first: int, places: Indices) -> Flags:
        """Flag places where a(x) is a power of two and f(x) may lie on its other side, where the ulp is smaller."""
        if piece.scale is None:
            edge = piece.gap_sign is None and self._format.exact(piece.constant) != 0
            return np.full(len(places), edge and _is_power_of_two(abs(self._format.exact(piece.constant))))
        inward = -1 if (piece.scale[1] < 0) == piece.span.negative else 1
        if piece.gap_sign in (0, inward):
            return np.zeros(len(places), np.bool_)
        flags: Flags = (first + places) & (self._format.min_normal - 1) == 0  # x is a power of two, so 2^k x is one
        return flags


def _is_power_of_two(value: Fraction) -> bool:
    return value.numerator & (value.numerator - 1) == 0 and value.denominator & (value.denominator - 1) == 0


def _size_for_ulp(piece: Anchored, anchor: float) -> float:
    """Return a number with the ulp of the true values, given one value of a."""
    size = abs(anchor)
    if piece.scale is None and size and piece.gap_sign == (-1 if anchor > 0 else 1):
        return float(np.nextafter(size, 0.0))
    return size
