"""Counting the errors of a window against one function, with the words and the exactness of the exhaustive sweep.

What the double-double reference does not decide (an error next to a limit, a value next to a power of two) goes to
`exact.Judge`, input by input. The worst inputs are only proposed here, with what their errors are at most: which of
them is the worst is decided, exactly, when all windows have been run.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import inf

import numpy as np

from gelu_verify.catalogue import Function
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import Format
from gelu_verify.references.spans import Span
from gelu_verify.sweep.exact import Judge
from gelu_verify.sweep.measure import Comparison
from gelu_verify.sweep.policy import OVER_LIMIT, Policy
from gelu_verify.sweep.results import Indices, Results, intervals_of
from gelu_verify.sweep.statistics import Tally, Worst
from gelu_verify.sweep.worst import float_below
from gelu_verify.windows.double_double import UNIT
from gelu_verify.windows.errors import Errors, Flags, measured
from gelu_verify.windows.reference import SHORTEST, Oracle, Reference

MOST_ALONE = 512  # inputs of one window that are judged one by one for one reason; more are counted as undecided
_PROPOSED = 4  # inputs of a window with nearly the same, largest error


@dataclass(frozen=True, slots=True)
class Proposal:
    """Inputs of a window that may be the worst of a kind: no error in the window exceeds `top` (float64, rounded up).

    Attributes:
        inputs: pairs of an input and its result, as encodings.
        complete: whether no other input of the window comes near.
    """

    top: float
    inputs: tuple[tuple[int, int], ...]
    complete: bool


@dataclass(slots=True)
class Found:
    """What was found in a window against one function."""

    tally: Tally = field(default_factory=Tally)
    proposals: dict[str, list[Proposal]] = field(default_factory=dict)

    @property
    def peak(self) -> tuple[float, int]:
        """The largest finite error in ulps (float64) and where it is; of equal ones, at the smallest encoding."""
        peaks = [(p.top, -p.inputs[0][0]) for p in self.proposals.get("ulp", ()) if p.inputs and p.top < inf]
        alone = self.tally.worst.get("ulp")
        if alone is not None:
            peaks.append((float_below(alone.size), -alone.bits))
        size, place = max(peaks, default=(0.0, 0))
        return size, -place


class WindowMeter:
    """Judges windows against one function."""

    def __init__(self, function: Function, derivative: int, format: Format, policy: Policy, monotony: bool) -> None:
        self.judge = Judge(function.expression, derivative, format)
        self._format, self._policy, self._monotony = format, policy, monotony
        self._oracle = Oracle(function.expression, derivative, format)
        self._comparison = Comparison(self.judge, policy)
        self._found = Found()

    def measure(self, window: Span, results: Results) -> Found:
        """Judge the results for (part of) a window; zeros are judged alone."""
        self._comparison.tally = Tally()
        self._found = Found(self._comparison.tally)
        self._comparison.count_inputs(results.first, len(results.bits))
        for known in self._oracle.references(window):
            span = known if isinstance(known, Span) else known.span
            start, stop = (
                max(span.first, results.first),
                min(span.first + span.count, results.first + len(results.bits)),
            )
            if start >= stop:
                continue
            part = results.part(start - results.first, stop - results.first)
            with np.errstate(all="ignore"):
                if isinstance(known, Span):
                    self._unreferenced(known, part)
                else:
                    self._judge(_sliced(known, start, stop), part)
        return self._found

    def _unreferenced(self, span: Span, results: Results) -> None:
        if span.count > SHORTEST:
            self._found.tally.add("undecided", len(results.bits))
        else:
            self._alone(results, np.arange(len(results.bits)))

    def _judge(self, reference: Reference, results: Results) -> None:
        errors = measured(self._format, reference, results.values)
        aside = errors.aside.copy()
        if results.first & ~self._format.sign_mask == 0:
            aside[0] = True  # a zero
        finite = np.isfinite(results.values)
        overflow = errors.overflow & ~aside
        plain = finite & ~aside & ~overflow
        self._count_not_finite(results, ~finite & ~aside & ~overflow)
        self._count_overflow(reference, results, overflow)
        plain &= ~self._allowed(errors, results, plain)
        misrounded = self._count_limits(errors, results, plain)
        self._count_zeros_and_signs(errors, results, plain, misrounded)
        self._alone(results, np.flatnonzero(aside))
        self._propose(errors, results, plain, misrounded)
        if self._monotony:
            self._count_steps(reference, results)

    def _count_not_finite(self, results: Results, flags: Flags) -> None:
        """Count NaN, which has no error, and infinities, which exceed every limit."""
        comparison, limits = self._comparison, len(self._policy.limits)
        nan = flags & np.isnan(results.values)
        infinite = flags & ~nan
        comparison.flagged("nan", nan, results.first)
        comparison.flagged("infinite", infinite, results.first)
        numbers = [int(np.count_nonzero(nan)), int(np.count_nonzero(infinite))]
        comparison.count_over(results.first, [sum(numbers)] + [numbers[1]] * (limits - 1))
        self._note_own_limit(results, infinite)

    def _count_overflow(self, reference: Reference, results: Results, flags: Flags) -> None:
        """Count results where the right one is an infinity."""
        if not flags.any():
            return
        comparison = self._comparison
        wrong = flags & (results.values != np.where(reference.high < 0, -inf, inf))
        nan = wrong & np.isnan(results.values)
        finite = wrong & np.isfinite(results.values)
        comparison.flagged("nan", nan, results.first)
        comparison.flagged("finite_instead_of_infinite", finite, results.first)
        comparison.flagged("infinite", wrong & ~nan & ~finite, results.first)
        number = int(np.count_nonzero(wrong & ~nan))
        comparison.count_over(results.first, [int(np.count_nonzero(wrong))] + [number] * (len(self._policy.limits) - 1))
        self._note_own_limit(results, wrong & ~nan)

    def _note_own_limit(self, results: Results, flags: Flags) -> None:
        if self._policy.own is not None:
            self._comparison.flagged(OVER_LIMIT, flags, results.first)

    def _allowed(self, errors: Errors, results: Results, plain: Flags) -> Flags:
        """Count and flag the wrong results that the policy on subnormal numbers allows."""
        policy, least = self._policy, self._format.min_normal
        allowed = np.zeros(len(plain), np.bool_)
        if policy.flush_inputs and results.first & ~self._format.sign_mask < least:
            allowed |= self._comparison.as_if_zero(results)
        if policy.flush_outputs:
            allowed |= (results.values == 0) & errors.subnormal
        allowed &= plain & (errors.ulps > 0.5)
        self._found.tally.add("flushed", int(np.count_nonzero(allowed)))
        return allowed

    def _count_limits(self, errors: Errors, results: Results, plain: Flags) -> Flags:
        """Count the errors that exceed each limit; return the flags of the misrounded results."""
        numbers, misrounded = [], plain
        for k, limit in enumerate(self._policy.limits):
            edge = float(limit)
            over = plain & (errors.ulps > edge)
            near = plain & (np.abs(errors.ulps - edge) <= errors.slack + 4 * UNIT * edge)
            if near.any():
                self._decide(errors, results, near, over, k)
            misrounded = over if k == 0 else misrounded
            numbers.append(int(np.count_nonzero(over)))
            if k == self._policy.own:
                self._note_own_limit(results, over)
        self._comparison.count_over(results.first, numbers)
        return misrounded

    def _decide(self, errors: Errors, results: Results, near: Flags, over: Flags, k: int) -> None:
        """Correct `over` where an error is near the k-th limit.

        Where a(x) is known exactly and the rest of f(x) = a(x) + rest has a known sign, an error against a(x) that
        equals the limit exceeds it if and only if the rest points away from the result.
        """
        limit, side = self._policy.limits[k], errors.reference.side
        if side in (-1, 1) and limit == Fraction(float(limit)):
            equal = near & errors.exact & (errors.ulps == float(limit))
            over[equal] = np.sign(errors.scaled[equal]) == -side
            near = near & ~equal
        places = np.flatnonzero(near)
        self._found.tally.add("undecided", max(len(places) - MOST_ALONE, 0))
        for place in places[:MOST_ALONE].tolist():
            bits, got = results.first + place, int(results.bits[place])
            exceeds = self.judge.is_misrounded(bits, got) if k == 0 else self.judge.exceeds(bits, got, limit)
            self._found.tally.add("undecided", int(exceeds is None))
            over[place] = bool(exceeds)

    def _count_zeros_and_signs(self, errors: Errors, results: Results, plain: Flags, misrounded: Flags) -> None:
        comparison, sign = self._comparison, errors.reference.sign
        zero = plain & (results.values == 0)
        wrong = zero & misrounded
        comparison.flagged("zero_instead_of_nonzero", wrong, results.first)
        comparison.flagged("subnormal_flush", wrong & errors.subnormal, results.first)
        if wrong.any() and (wrong & errors.normal).any():  # the relative error of a zero is 1, exactly
            place = int((wrong & errors.normal).argmax())
            self._found.tally.offer("rel", Worst(Fraction(1), results.first + place, int(results.bits[place])))
        signs = np.sign(errors.reference.high) if sign is None else np.full(len(zero), float(sign))
        comparison.flagged("wrong_sign", plain & (np.sign(results.values) * signs < 0), results.first)
        sign_bit = results.bits & np.uint64(self._format.sign_mask) != 0
        right = zero & ~misrounded & (signs != 0)
        self._found.tally.add("zero_sign", int(np.count_nonzero(right & (sign_bit == (signs > 0)))))

    def _alone(self, results: Results, places: Indices) -> None:
        """Judge single inputs exactly; those that have no value, or are too many, are undecided."""
        self._found.tally.add("undecided", max(len(places) - MOST_ALONE, 0))
        if len(places) > MOST_ALONE:
            for kind in ("ulp", "abs", "rel"):
                self._found.tally.raise_bound(kind, None)
        for place in places[:MOST_ALONE].tolist():
            try:
                self._comparison.alone(results.first + place, int(results.bits[place]))
            except (InputError, IncompleteError):
                self._found.tally.add("undecided", 1)

    def _propose(self, errors: Errors, results: Results, plain: Flags, misrounded: Flags) -> None:
        """Propose the worst inputs among those that were not judged alone."""
        if not plain.any():
            return
        reference = errors.reference
        with np.errstate(all="ignore"):
            absolute = np.ldexp(np.abs(errors.scaled), reference.exponent)
            slack = np.ldexp(errors.doubt, reference.exponent) + 2.0**-1074
            relative = np.abs(errors.scaled) / np.abs(reference.high)
            relative_slack = 2 * (errors.doubt / np.abs(reference.high)) * (1 + relative)
        measures = [("ulp", errors.ulps, errors.slack, plain), ("abs", absolute, slack, plain)]
        normal = plain & errors.normal & ~(misrounded & (results.values == 0))
        measures += [("rel", relative, relative_slack, normal)] if normal.any() else []
        for kind, sizes, doubts, flags in measures:
            self._found.proposals.setdefault(kind, []).append(_proposal(results, sizes, doubts, flags))

    def _count_steps(self, reference: Reference, results: Results) -> None:
        """Count the steps between neighbours that go against the function's direction."""
        values = results.values
        falls, rises = values[1:] < values[:-1], values[1:] > values[:-1]
        if reference.direction:
            wrong = falls if reference.direction > 0 else rises
        else:
            with np.errstate(invalid="ignore"):
                coarse, fine = np.diff(reference.high), np.diff(reference.low)
                steps = coarse + fine
                sure = np.abs(steps) > 2 * reference.bound + 4 * UNIT * (np.abs(coarse) + np.abs(fine))
            wrong = sure & ((falls & (steps > 0)) | (rises & (steps < 0)))
        number = int(np.count_nonzero(wrong))
        if number:
            self._found.tally.add("not_monotone", number)
            self._found.tally.add_region("not_monotone", intervals_of(wrong, results.first + 1))


def _sliced(reference: Reference, start: int, stop: int) -> Reference:
    """Return the part of a reference for the encodings start ... stop - 1."""
    first = reference.span.first
    if (start, stop) == (first, first + reference.span.count):
        return reference
    part = slice(start - first, stop - first)
    return Reference(
        reference.span,
        reference.high[part],
        reference.low[part],
        reference.exponent,
        reference.bound,
        reference.side,
        reference.sign,
        reference.direction,
    )


def _proposal(results: Results, sizes: np.ndarray, doubts: np.ndarray, flags: Flags) -> Proposal:
    sizes = np.where(flags, sizes, -1.0)
    largest = float(sizes.max())
    doubt = float(np.max(doubts, where=flags & (sizes >= largest * 0.5), initial=0.0))
    places = np.flatnonzero(sizes >= largest - 2 * doubt) if largest < inf else np.flatnonzero(sizes == inf)
    inputs = tuple((results.first + place, int(results.bits[place])) for place in places[:_PROPOSED].tolist())
    return Proposal(largest + doubt, inputs, len(places) <= _PROPOSED)
