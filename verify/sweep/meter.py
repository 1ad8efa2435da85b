"""Judging the results of an implementation against one function, piece by piece of the partition."""

from collections.abc import Callable
from math import ldexp

import numpy as np
import numpy.typing as npt
from gelu_verify.formats import Format, arrays
from gelu_verify.references.anchored import ulp_exponent
from gelu_verify.references.models import Floats
from gelu_verify.references.partition import Anchored, Piece, Single, Smooth
from gelu_verify.sweep.anchored import AnchoredMeter
from gelu_verify.sweep.exact import Judge
from gelu_verify.sweep.measure import Comparison
from gelu_verify.sweep.oracle import Kernel
from gelu_verify.sweep.policy import Policy
from gelu_verify.sweep.results import Indices, Results, Segment
from gelu_verify.sweep.segments import any_segments, binade, monotone_segments

_NOBODY = np.empty(0, np.intp)
_NO_OVERFLOW = np.zeros(1, np.int8)


class Meter:
    """Judges the results of one implementation against one function."""

    def __init__(self, judge: Judge, policy: Policy, kernel: Kernel) -> None:
        self.judge = judge
        self.format: Format = judge.format
        self.comparison = Comparison(judge, policy)
        self._anchored = AnchoredMeter(self.comparison)
        self._kernel = kernel
        # From half an ulp beyond the largest number on, every result is what overflow gives.
        half_ulp = ldexp(0.5, self.format.emax - self.format.fraction_bits)
        self._overflow = float(self.format.exact(self.format.max_finite)) + half_ulp

    def judge_results(self, piece: Piece, results: Results) -> None:
        """Count results for encodings that all lie in one part of the piece (zero, infinities and NaN left out)."""
        self.comparison.count_inputs(results.first, len(results.bits))
        match piece:
            case Smooth():
                part, offset = divmod(results.first - piece.span.first, piece.part)
                self._smooth(piece, part, offset, results)
            case Anchored():
                self._anchored.judge(piece, results)
            case Single():
                self._alone(results, np.arange(len(results.bits)))

    def look(self, piece: Smooth, results: Results) -> None:
        """Search results that were counted before for the worst input."""
        self.comparison.looking = True
        part, offset = divmod(results.first - piece.span.first, piece.part)
        self._smooth(piece, part, offset, results)
        self.comparison.looking = False

    def matching(self, piece: Anchored, first: int, count: int) -> None:
        """Count results for part of an anchored piece that are known to have the bits that they should have."""
        self.comparison.count_inputs(first, count)
        self._anchored.note_bound(piece)

    def judge_zero(self, bits: int, got: int) -> None:
        """Count the result at +0 or -0."""
        self.comparison.count_inputs(bits, 1)
        self.comparison.alone(bits, got)

    def _smooth(self, piece: Smooth, part: int, offset: int, results: Results) -> None:
        count = len(results.bits)

        def values() -> Floats:
            return self._kernel.values(piece, part, spare=True)[offset : offset + count]

        errors = self._kernel.values(piece, part)[offset : offset + count]
        bound, low, high = (float(known[part]) for known in (piece.pieces.bound, piece.pieces.low, piece.pieces.high))
        in_range = high < self._overflow
        if in_range and low > 0 and binade(self.format, low) == binade(self.format, high):
            segment = Segment(0, count, ulp_exponent(self.format, low), low, 1 if errors[0] > 0 else -1)
            np.subtract(errors, results.values, out=errors)
            self.comparison.segment(results, errors, segment, bound, _NOBODY, values)
            return
        direction = int(piece.pieces.direction[part])
        found = monotone_segments(self.format, errors, bound, low, high, direction) if direction and in_range else None
        if found is not None:
            (segments, aside), overflow = found, _NO_OVERFLOW
        else:
            segments, aside, overflow = any_segments(self.format, errors, bound, self._overflow)
        np.subtract(errors, results.values, out=errors)
        for segment in segments:
            self._part(results, errors, segment, bound, aside, values)
        if not self.comparison.looking:
            self._alone(results, aside)
            self._overflowing(results, overflow)

    def _part(
        self,
        results: Results,
        errors: Floats,
        segment: Segment,
        bound: float,
        aside: Indices,
        values: Callable[[], Floats],
    ) -> None:
        start, stop = segment.start, segment.stop
        self.comparison.segment(
            results.part(start, stop),
            errors[start:stop],
            segment,
            bound,
            aside[(aside >= start) & (aside < stop)] - start,
            lambda: values()[start:stop],
        )

    def _overflowing(self, results: Results, signs: npt.NDArray[np.int8]) -> None:
        """Judge the places whose true value is beyond the largest number: most results will be as they should."""
        if not signs.any():
            return
        storage = arrays.storage_dtype(self.format).type
        want = np.where(signs < 0, storage(self.format.overflow | self.format.sign_mask), storage(self.format.overflow))
        right = results.bits == want
        if not self.format.has_infinity:
            right |= np.isnan(results.values)
        self._alone(results, np.flatnonzero((signs != 0) & ~right))

    def _alone(self, results: Results, places: Indices) -> None:
        for place in places.tolist():
            self.comparison.alone(results.first + place, int(results.bits[place]))
