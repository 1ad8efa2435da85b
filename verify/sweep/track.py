"""Judging the results of one sweep against one function, chunk after chunk."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gelu_verify.catalogue import Function
from gelu_verify.formats import Format
from gelu_verify.references.anchored import error_bound
from gelu_verify.references.models import verify_model
from gelu_verify.references.partition import Anchored, Piece, Planner, Smooth
from gelu_verify.references.spans import CHUNK, Span
from gelu_verify.sweep.buffers import Encodings
from gelu_verify.sweep.exact import Judge
from gelu_verify.sweep.meter import Meter
from gelu_verify.sweep.oracle import Kernel
from gelu_verify.sweep.policy import Policy
from gelu_verify.sweep.properties import MonotonyCheck
from gelu_verify.sweep.results import Results
from gelu_verify.sweep.statistics import Edge, Tally


@dataclass(slots=True)
class _Matching:
    """A run of results in one anchored piece that all had the bits they should have."""

    piece: Anchored
    first: int
    first_value: float
    last_value: float
    count: int
    bound: float

    def reaches(self, first: int, count: int) -> bool:
        """Tell whether the encodings from `first` on follow the run and lie in its piece."""
        span = self.piece.span
        return first == self.first + self.count and first + count <= span.first + span.count


@dataclass(frozen=True, slots=True)
class Chunk:
    """The encodings `first` ... `first + count - 1`, and by kind what none of their errors exceeds."""

    first: int
    count: int
    tops: Mapping[str, float]


class Track:
    """One function, its partition of the current binades, and what was counted so far."""

    def __init__(
        self,
        function: Function,
        derivative: int,
        format: Format,
        policy: Policy,
        kernel: Kernel,
        inputs: Encodings,
        *,
        monotony: bool,
    ) -> None:
        self._planner = Planner(function.expression, derivative, format)
        self.judge = Judge(function.expression, derivative, format)
        self._meter = Meter(self.judge, policy, kernel)
        self._monotony = MonotonyCheck(self.judge) if monotony else None
        self._inputs = inputs
        self._pieces: dict[bool, list[Piece]] = {}
        self._matching: _Matching | None = None
        self._noted: list[Chunk] = []

    @property
    def largest_error(self) -> float:
        """A bound of the absolute errors in what was last judged."""
        return self._meter.comparison.largest_error

    @property
    def tally(self) -> Tally:
        """What was counted since the last `finished_tally`."""
        return self._meter.comparison.tally

    def plan(self, span: Span) -> None:
        """Partition a binade, and compare every polynomial of the partition with Arb."""
        pieces = self._planner.plan(span)
        for piece in pieces:
            if isinstance(piece, Smooth):
                verify_model(self._planner.expression, self._planner.derivative, piece.model)
        self._pieces[span.negative] = pieces

    def judge_results(self, results: Results, negative: bool) -> None:
        """Judge the results for consecutive encodings of a planned binade, at most a chunk of them."""
        self._meter.comparison.largest_error = 0.0
        if self._continues_matching(results):
            return
        for piece, part in self._by_piece(results, negative):
            self._in_piece(piece, part)
        tops = self._meter.comparison.worst.noted()
        if tops:
            self._noted.append(Chunk(results.first, len(results.bits), tops))

    def worth_a_look(self) -> Iterator[Chunk]:
        """Yield the chunks judged before that may hold the worst input, the most promising first.

        After each, `look` must be called with the results there, computed once more: that is cheaper than to look at
        every chunk that is worse than those before it.
        """
        worst = self._meter.comparison.worst
        for kind in ("ulp", "abs", "rel"):
            for chunk in sorted(self._noted, key=lambda chunk: (-chunk.tops.get(kind, 0.0), chunk.first)):
                if not worst.may_exceed(kind, chunk.tops.get(kind, 0.0)):
                    break
                yield chunk
        self._noted.clear()

    def look(self, results: Results, negative: bool, tops: Mapping[str, float]) -> None:
        """Search a chunk, of which no error exceeds `tops`, for the worst input."""
        for piece, part in self._by_piece(results, negative):
            smooth = self._planner.smooth(_chunk_of(part, piece)) if isinstance(piece, Anchored) else piece
            if isinstance(smooth, Smooth):
                self._meter.look(smooth, part)
            elif isinstance(piece, Anchored):
                self._meter.comparison.worst.give_up(self.tally, tops)

    def _by_piece(self, results: Results, negative: bool) -> Iterator[tuple[Piece, Results]]:
        start, stop = results.first, results.first + len(results.bits)
        for piece in self._pieces[negative]:
            first, last = max(start, piece.span.first), min(stop, piece.span.first + piece.span.count)
            if first < last:
                yield piece, results if last - first == stop - start else results.part(first - start, last - start)

    def judge_zero(self, bits: int, got: int, value: float) -> None:
        """Judge the result at a zero."""
        self._meter.judge_zero(bits, got)
        if self._monotony is not None:
            self._monotony.pass_zero(self.tally, Edge(bits, value, None))

    def finish_stretch(self) -> None:
        """Say that the next results do not follow the last ones."""
        self._close_matching()
        if self._monotony is not None:
            self._monotony.finish(self.tally)

    def finished_tally(self) -> Tally:
        """Return what was counted and start anew."""
        return self._meter.comparison.finished_tally()

    def _in_piece(self, piece: Piece, results: Results) -> None:
        if isinstance(piece, Anchored) and self._inputs.expected(piece, results.first, results.bits):
            self._extend_matching(piece, results)
            return
        self._close_matching()
        self._meter.judge_results(piece, results)
        if self._monotony is not None:
            in_order = self._meter.in_order(piece, results.first)
            self._monotony.check(self.tally, piece, results, in_order=in_order)

    def _continues_matching(self, results: Results) -> bool:
        """Extend the run of matching results if these go on with it, as most do."""
        matching = self._matching
        if matching is None or not matching.reaches(results.first, len(results.bits)):
            return False
        if not self._inputs.expected(matching.piece, results.first, results.bits):
            return False
        self._extend_matching(matching.piece, results)
        return True

    def _extend_matching(self, piece: Anchored, results: Results) -> None:
        matching = self._matching
        if matching is None or matching.piece is not piece:
            self._close_matching()
            first_value = float(results.values[0])
            matching = self._matching = _Matching(piece, results.first, first_value, first_value, 0, error_bound(piece))
        self._meter.comparison.note_error(matching.bound)
        matching.last_value = float(results.values[-1])
        matching.count += len(results.bits)

    def _close_matching(self) -> None:
        matching = self._matching
        if matching is None:
            return
        self._matching = None
        self._meter.matching(matching.piece, matching.first, matching.count)
        if self._monotony is not None:
            ends = matching.first_value, matching.last_value
            self._monotony.pass_matching(self.tally, matching.piece, matching.first, matching.count, ends)


def _chunk_of(results: Results, piece: Piece) -> Span:
    """Return the chunk of a piece in which the results lie."""
    size = min(CHUNK, piece.span.count)
    return Span(piece.span.format, results.first // size * size, size)
