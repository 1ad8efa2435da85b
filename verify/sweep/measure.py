"""Comparing results with true values in float64, and counting.

An error that is within the oracle's bound (and single precision's rounding) of a limit is not decided here: its input
goes to `exact.Judge`. So do inputs whose true value may lie in either of two binades.
"""

from collections.abc import Callable
from fractions import Fraction
from math import inf, ldexp

import numpy as np
import numpy.typing as npt

from gelu_verify.formats import Format
from gelu_verify.references.models import Floats
from gelu_verify.references.spans import CHUNK
from gelu_verify.sweep.exact import Judge
from gelu_verify.sweep.policy import OVER_LIMIT, Policy
from gelu_verify.sweep.results import Flags, Indices, Results, Segment, intervals_of
from gelu_verify.sweep.statistics import OVER, Interval, Tally, Worst
from gelu_verify.sweep.worst import WorstFinder

_LARGE = 4.0  # ulps: where errors are larger, perhaps all are, and need not be counted limit by limit
_SINGLE = 2.0**-22  # allowance for rounding errors and limits to single precision, relative to the limit
_LIFT = 120  # errors too small for normal single-precision numbers are multiplied by 2^_LIFT ...
_LIFT_BELOW = -100  # ... namely where the ulp is smaller than 2^_LIFT_BELOW


class Comparison:
    """Counts the errors of results, for one function."""

    def __init__(self, judge: Judge, policy: Policy) -> None:
        self.judge = judge
        self.policy = policy
        self.format: Format = judge.format
        self.tally = Tally()
        self.looking = False  # whether to search the worst input instead of counting
        self.largest_error = 0.0  # bounds the absolute errors counted since it was last set to zero
        self.worst = WorstFinder(judge)
        self._least_normal = ldexp(1.0, judge.format.emin)
        self._binade_mask = ~(judge.format.min_normal - 1)
        # Columns of the histogram for the limits of the policy, as far as they are counted by binade.
        self._columns = [OVER.index(name) + 1 if name in OVER else None for name in policy.names]
        self._sizes = np.empty(CHUNK, np.float32)
        self._surely = np.empty(CHUNK, np.bool_)
        self._possibly = np.empty(CHUNK, np.bool_)
        self._misrounded = np.empty(CHUNK, np.bool_)

    def finished_tally(self) -> Tally:
        """Return the tally so far and start a new one."""
        finished, self.tally = self.tally, Tally()
        return finished

    def note_error(self, bound: float) -> None:
        """Take note of a bound of absolute errors."""
        self.largest_error = max(self.largest_error, bound)

    def row(self, encoding: int) -> list[int]:
        """Return the histogram's row for the binade of an input."""
        return self.tally.row(encoding & self._binade_mask)

    def count_inputs(self, first: int, number: int) -> None:
        """Count inputs that were run."""
        self.tally.inputs += number
        self.row(first)[0] += number

    def segment(
        self,
        results: Results,
        errors: Floats,
        segment: Segment,
        bound: float,
        aside: Indices,
        values: Callable[[], Floats],
    ) -> None:
        """Count the errors of a segment.

        Arguments:
            results: what was returned in the segment.
            errors: true value - result (float64, off by at most `bound`).
            aside: places in the segment that are judged alone, not here.
            values: gives the true values (float64, off by at most `bound`) when they are needed once more.
        """
        if len(aside):
            errors[aside] = 0
        if self._may_flush(results.first, segment.least):
            self._allow_flushing(results, errors, bound)
        if self.looking:
            errors[~np.isfinite(results.values)] = 0
            self.worst.look(self.tally, results, errors, segment, bound, values)
            return
        lift = _LIFT if segment.exponent < _LIFT_BELOW else 0
        sizes = self._sizes[: len(errors)]
        np.copyto(sizes, errors * 2.0**lift if lift else errors, casting="same_kind")
        np.abs(sizes, out=sizes)
        largest = float(sizes.max())
        # Where every error is smaller than the value, results are finite, not zero, and of the right sign.
        healthy = largest * (1 + _SINGLE) < ldexp(segment.least, lift)
        if not healthy:
            self._set_aside_non_finite(results, errors, sizes)
            largest = float(sizes.max())
        ulp = ldexp(1.0, segment.exponent + lift)
        misrounded = self._count_limits(results, sizes, largest, ldexp(bound, lift), ulp)
        largest, nonzero = ldexp(largest, -lift), None
        if not healthy:
            self._count_zeros_and_signs(results, errors, segment, bound, misrounded, aside)
            nonzero = self._offer_zeros(results, errors, segment, misrounded)
        self.note_error(largest * (1 + _SINGLE) + bound)
        self.worst.note(segment, bound, largest, nonzero)

    def _count_limits(
        self, results: Results, sizes: npt.NDArray[np.float32], largest: float, bound: float, ulp: float
    ) -> Flags:
        """Count the errors that exceed each limit; return the flags of those that exceed the first, 1/2 ulp."""
        count, limits = len(sizes), self.policy.edges
        misrounded = self._misrounded[:count]
        numbers = [0] * len(limits)
        if largest <= limits[0] * ulp * (1 - _SINGLE) - bound:
            misrounded[:] = False
            return misrounded
        smallest = float(sizes.min()) if largest > _LARGE * ulp else 0.0
        possibly = self._possibly[:count]
        for k, limit in enumerate(limits):
            edge = limit * ulp
            doubt = bound + edge * _SINGLE
            if largest <= edge - doubt:
                break
            if smallest > edge + doubt:
                numbers[k] = count
                if k in (0, self.policy.own):
                    misrounded[:] = True
                if k == self.policy.own:
                    self._note_own_limit(misrounded, results.first)
                continue
            surely = misrounded if k == 0 else self._surely[:count]
            np.greater(sizes, np.float32(edge + doubt), out=surely)
            numbers[k] = int(np.count_nonzero(surely))
            np.greater(sizes, np.float32(edge - doubt), out=possibly)
            if int(np.count_nonzero(possibly)) != numbers[k]:
                decided = self._decide(results, np.flatnonzero(possibly & ~surely), k)
                surely[decided] = True
                numbers[k] += len(decided)
            if k == self.policy.own:
                self._note_own_limit(surely, results.first)
        self.count_over(results.first, numbers)
        return misrounded

    def _note_own_limit(self, flags: Flags, first: int) -> None:
        if self.policy.own is not None:
            self.flagged(OVER_LIMIT, flags, first)

    def count_over(self, encoding: int, numbers: list[int]) -> None:
        """Count inputs of one binade whose errors exceed each of the limits."""
        row = self.row(encoding)
        for name, column, number in zip(self.policy.names, self._columns, numbers, strict=True):
            if number and column is not None:
                self.tally.add(name, number)
                row[column] += number

    def _decide(self, results: Results, places: Indices, k: int) -> list[int]:
        """Return those of the places whose error exceeds the k-th limit, one by one and exactly."""
        decided = []
        for place in places.tolist():
            bits, got = results.first + place, int(results.bits[place])
            exceeds = (
                self.judge.is_misrounded(bits, got) if k == 0 else self.judge.exceeds(bits, got, self.policy.limits[k])
            )
            if exceeds is None:
                self.tally.add("undecided", 1)
            elif exceeds:
                decided.append(place)
        return decided

    def _offer_zeros(self, results: Results, errors: Floats, segment: Segment, misrounded: Flags) -> float | None:
        """Offer the first zero among results that should be normal numbers: the relative error of all of them is 1.

        Returns:
            The largest |error| of the other results, if there are zeros.
        """
        zero = misrounded & (results.values == 0)
        if not self.worst.relative_counts(segment.least) or not zero.any():
            return None
        place = int(zero.argmax())
        self.worst.offer(self.tally, "rel", Worst(Fraction(1), results.first + place, int(results.bits[place])))
        return float(np.max(np.abs(errors), where=~zero, initial=0.0))

    def _may_flush(self, encoding: int, least: float) -> bool:
        """Tell whether the policy may allow zeros among results of at least this true size."""
        if self.policy.flush_inputs and self._is_subnormal(encoding):
            return True
        return self.policy.flush_outputs and least < self._least_normal

    def _allow_flushing(self, results: Results, errors: Floats, bound: float) -> None:
        """Count results that the policy allows, and take their errors away."""
        allowed = results.values == 0
        if self.policy.flush_inputs and self._is_subnormal(results.first):
            allowed = self.as_if_zero(results)
        else:  # the result being zero, the error is the true value
            allowed &= self._rounds_to_subnormal(results, errors, bound, allowed)
        allowed &= errors != 0
        errors[allowed] = 0
        if not self.looking:
            self.tally.add("flushed", int(np.count_nonzero(allowed)))

    def as_if_zero(self, results: Results) -> Flags:
        """Flag the results that are right for an input of zero."""
        at_zero = self.judge.want(results.first & self.format.sign_mask)
        flags: Flags = results.values == 0 if at_zero & ~self.format.sign_mask == 0 else results.bits == at_zero
        return flags

    def _rounds_to_subnormal(self, results: Results, values: Floats, bound: float, where: Flags) -> Flags:
        """Flag the places of `where` whose correctly rounded result is subnormal or zero."""
        edge = self._least_normal - ldexp(0.5, self.format.emin - self.format.fraction_bits)
        sizes = np.abs(values)
        flags: Flags = sizes < edge - bound
        for place in np.flatnonzero(where & (np.abs(sizes - edge) <= bound)).tolist():
            want = self.judge.want(results.first + place)
            flags[place] = want & ~self.format.sign_mask < self.format.min_normal
        return flags

    def _set_aside_non_finite(self, results: Results, errors: Floats, sizes: npt.NDArray[np.float32]) -> None:
        """Count NaN (which has no error) and infinities (whose error exceeds every limit) where finite is wanted."""
        finite = np.isfinite(results.values)
        if finite.all():
            return
        nan = np.isnan(results.values)
        infinite = ~finite & ~nan
        sizes[~finite] = errors[~finite] = 0
        numbers = [int(np.count_nonzero(nan)), int(np.count_nonzero(infinite))]
        self.flagged("nan", nan, results.first)
        self.flagged("infinite", infinite, results.first)
        self.count_over(results.first, [sum(numbers)] + [numbers[1]] * (len(self.policy.limits) - 1))
        self._note_own_limit(infinite, results.first)

    def flagged(self, name: str, flags: Flags, first: int) -> None:
        """Count flagged places under a name and record where they are."""
        number = int(np.count_nonzero(flags))
        if number:
            self.tally.add(name, number)
            self.tally.add_region(name, intervals_of(flags, first))

    def flagged_places(self, name: str, places: Indices, results: Results) -> None:
        """Count places under a name and record where they are."""
        if len(places):
            flags = np.zeros(len(results.bits), np.bool_)
            flags[places] = True
            self.flagged(name, flags, results.first)

    def _count_zeros_and_signs(
        self,
        results: Results,
        errors: Floats,
        segment: Segment,
        bound: float,
        misrounded: Flags,
        aside: Indices,
    ) -> None:
        zero = results.values == 0
        wrong = zero & misrounded
        self.flagged("zero_instead_of_nonzero", wrong, results.first)
        if segment.least < self._least_normal:  # the result being zero, the error is the true value
            flushed = wrong & self._rounds_to_subnormal(results, errors, bound, wrong)
            self.flagged("subnormal_flush", flushed, results.first)
        against = results.values < 0 if segment.sign > 0 else results.values > 0
        sign_bit = results.bits & self.format.sign_mask != 0
        other_zero = zero & ~misrounded & (sign_bit == (segment.sign > 0))
        against[aside] = other_zero[aside] = False
        self.flagged("wrong_sign", against & np.isfinite(results.values), results.first)
        self.tally.add("zero_sign", int(np.count_nonzero(other_zero)))

    def _is_subnormal(self, bits: int) -> bool:
        return 0 < bits & ~self.format.sign_mask < self.format.min_normal

    def alone(self, bits: int, got: int) -> None:
        """Count one input exactly."""
        want, format = self.judge.want(bits), self.format
        if not self.judge.is_misrounded(bits, got):
            if got != want and not format.is_nan(want):
                self.tally.add("zero_sign", 1)
            if format.is_finite(want):
                self._alone_finite(bits, got)
        elif self._is_allowed_flush(bits, got, want):
            self.tally.add("flushed", 1)
        elif format.is_finite(got) and format.is_finite(want):
            self._alone_wrong(bits, got, want)
        else:
            self._alone_not_finite(bits, got)

    def _is_allowed_flush(self, bits: int, got: int, want: int) -> bool:
        zero = got & ~self.format.sign_mask == 0
        if self.policy.flush_inputs and self._is_subnormal(bits):
            at_zero = self.judge.want(bits & self.format.sign_mask)
            return got == at_zero or (zero and at_zero & ~self.format.sign_mask == 0)
        return self.policy.flush_outputs and zero and self._is_subnormal(want)

    def _alone_wrong(self, bits: int, got: int, want: int) -> None:
        numbers = [1]
        for limit in self.policy.limits[1:]:
            exceeds = self.judge.exceeds(bits, got, limit)
            numbers.append(int(exceeds or False))
            self.tally.add("undecided", int(exceeds is None))
        names = []
        if got & ~self.format.sign_mask == 0:
            names = ["zero_instead_of_nonzero", *(["subnormal_flush"] if self._is_subnormal(want) else [])]
        elif self.format.sign(got) != self.format.sign(want):
            names = ["wrong_sign"]
        self._alone_counted(bits, numbers, names)
        self._alone_finite(bits, got)

    def _alone_finite(self, bits: int, got: int) -> None:
        self.worst.judge_alone(self.tally, bits, got)
        error = self.judge.absolute_error(bits, got)
        # No float64 may hold the error of two float64 numbers.
        small = error is not None and error.upper < Fraction(2) ** 1023
        self.note_error(float(error.upper) * (1 + _SINGLE) if error is not None and small else inf)

    def _alone_not_finite(self, bits: int, got: int) -> None:
        if self.format.is_nan(got):
            self._alone_counted(bits, [1] + [0] * (len(self.policy.limits) - 1), ["nan"])
        else:
            name = "infinite" if self.format.is_infinite(got) else "finite_instead_of_infinite"
            self._alone_counted(bits, [1] * len(self.policy.limits), [name])

    def _alone_counted(self, bits: int, numbers: list[int], names: list[str]) -> None:
        self.count_over(bits, numbers)
        if self.policy.own is not None and numbers[self.policy.own]:
            names = [*names, OVER_LIMIT]
        for name in names:
            self.tally.add(name, 1)
            self.tally.add_region(name, [Interval(bits, bits, 1)])
