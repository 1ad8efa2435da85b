"""Judging the results of an implementation against one function, piece by piece of the partition."""

from collections.abc import Callable
from math import ldexp

import numpy as np
import numpy.typing as npt

from gelu_verify.formats import Format, arrays
from gelu_verify.references.models import Floats
from gelu_verify.references.partition import Anchored, Piece, Single, Smooth
from gelu_verify.sweep.anchored import AnchoredMeter
from gelu_verify.sweep.exact import Judge
from gelu_verify.sweep.measure import Comparison
from gelu_verify.sweep.oracle import Kernel
from gelu_verify.sweep.parts import Part, parts_of
from gelu_verify.sweep.policy import Policy
from gelu_verify.sweep.results import Indices, Results, Segment
from gelu_verify.sweep.segments import any_segments, monotone_segments

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
        self._parts: tuple[Smooth, list[Part]] | None = None
        # From half an ulp beyond the largest number on, every result is what overflow gives.
        half_ulp = ldexp(0.5, self.format.emax - self.format.fraction_bits)
        self._overflow = float(self.format.exact(self.format.max_finite)) + half_ulp

    def judge_results(self, piece: Piece, results: Results) -> None:
        """Count results for encodings that all lie in one part of the piece (zero, infinities and NaN left out)."""
        self.comparison.count_inputs(results.first, len(results.bits))
        match piece:
            case Smooth():
                self._smooth(piece, results)
            case Anchored():
                self._anchored.judge(piece, results)
            case Single():
                self._alone(results, np.arange(len(results.bits)))

    def look(self, piece: Smooth, results: Results) -> None:
        """Search results that were counted before for the worst input."""
        self.comparison.looking = True
        self._smooth(piece, results)
        self.comparison.looking = False

    def in_order(self, piece: Piece, first: int) -> bool:
        """Tell whether the results judged last, from `first` on, must be in the order of the function."""
        if not isinstance(piece, Smooth):
            return False
        return self.comparison.largest_error < self._known(piece, (first - piece.span.first) // piece.part).order

    def matching(self, piece: Anchored, first: int, count: int) -> None:
        """Count results for part of an anchored piece that are known to have the bits that they should have."""
        self.comparison.count_inputs(first, count)
        self._anchored.note_bound(piece)

    def judge_zero(self, bits: int, got: int) -> None:
        """Count the result at +0 or -0."""
        self.comparison.count_inputs(bits, 1)
        self.comparison.alone(bits, got)

    def _known(self, piece: Smooth, number: int) -> Part:
        if self._parts is None or self._parts[0] is not piece:
            self._parts = piece, parts_of(piece)
        return self._parts[1][number]

    def _smooth(self, piece: Smooth, results: Results) -> None:
        number, offset = divmod(results.first - piece.span.first, piece.part)
        part, count = self._known(piece, number), len(results.bits)

        def values() -> Floats:
            return self._kernel.values(piece, number, spare=True)[offset : offset + count]

        errors = self._kernel.values(piece, number)[offset : offset + count]
        in_range = part.high < self._overflow
        if in_range and part.exponent is not None:
            segment = Segment(0, count, part.exponent, part.low, 1 if errors[0] > 0 else -1)
            np.subtract(errors, results.values, out=errors)
            self.comparison.segment(results, errors, segment, part.bound, _NOBODY, values)
            return
        found = monotone_segments(self.format, errors, part) if part.direction and in_range else None
        if found is not None:
            (segments, aside), overflow = found, _NO_OVERFLOW
        else:
            segments, aside, overflow = any_segments(self.format, errors, part.bound, self._overflow)
        np.subtract(errors, results.values, out=errors)
        for segment in segments:
            self._part(results, errors, segment, part.bound, aside, values)
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
