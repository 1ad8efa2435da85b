"""Properties of results among themselves: monotone where the function is, and f(x) - f(-x) = x for the gates.

A correctly rounded monotone function is monotone, so every step against the direction of the function is a fault.
Directions are those along the encodings: with the sign bit set, x falls as the encoding grows.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.formats import Format, arrays
from gelu_verify.references.models import Floats, Model, cut
from gelu_verify.references.partition import Anchored, Piece, Smooth
from gelu_verify.references.spans import CHUNK
from gelu_verify.sweep.exact import Judge
from gelu_verify.sweep.results import Flags, Indices, Results, intervals_of
from gelu_verify.sweep.statistics import Edge, Tally, Worst
from gelu_verify.sweep.worst import float_below

_ROWS = 64  # parts into which a chunk with a stationary point is cut once more
_LEAST_RUN = 16  # steps: in a shorter run with a stationary point the true values are compared one by one


class MonotonyCheck:
    """Counts steps against the function's direction. Steps from one binade to the next are left to the tally."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._before: Edge | None = None

    def check(self, tally: Tally, piece: Piece, results: Results, *, in_order: bool) -> None:
        """Count the steps between these results, and the step from the results before.

        Arguments:
            in_order: the errors are known to be too small for a step between these results to go wrong.
        """
        direction, values = _direction(piece, results.first), results.values
        self._step_to(tally, Edge(results.first, float(values[0]), direction))
        self._before = Edge(results.first + len(values) - 1, float(values[-1]), direction)
        if in_order:
            return
        if direction:
            wrong = np.less(values[1:], values[:-1]) if direction > 0 else np.greater(values[1:], values[:-1])
        else:
            wrong = self._wrong_steps_around_turn(piece, results)
        number = int(np.count_nonzero(wrong))
        if number:
            tally.add("not_monotone", number)
            tally.add_region("not_monotone", intervals_of(wrong, results.first + 1))

    def pass_matching(self, tally: Tally, piece: Anchored, first: int, count: int, ends: tuple[float, float]) -> None:
        """Pass over `count` results from `first` on that are correctly rounded, and so in order; `ends` are the first
        and the last of them.
        """
        direction = _direction(piece, first)
        self._step_to(tally, Edge(first, ends[0], direction))
        self._before = Edge(first + count - 1, ends[1], direction)

    def pass_zero(self, tally: Tally, edge: Edge) -> None:
        """Pass the result at a zero."""
        self._step_to(tally, edge)
        self._before = edge

    def _step_to(self, tally: Tally, edge: Edge) -> None:
        if self._before is None:
            tally.edges[edge.bits] = edge
        else:
            tally.count_step(self._before, edge)

    def finish(self, tally: Tally) -> None:
        """Keep the last result for the step to the next binade, and start afresh."""
        if self._before is not None:
            tally.edges[self._before.bits] = self._before
        self._before = None

    def _wrong_steps_around_turn(self, piece: Piece, results: Results) -> Flags:
        """Flag the steps against the function in a part with a stationary point (or too short to know)."""
        values = results.values
        falls, rises = values[1:] < values[:-1], values[1:] > values[:-1]
        directions = _directions(piece, results)
        for run in intervals_of(directions == 0, 0):
            self._find_directions(directions, results.first, run.first, run.last + 1)
        wrong: Flags = (falls & (directions > 0)) | (rises & (directions < 0))
        for place in np.flatnonzero((falls | rises) & (directions == 0)).tolist():
            wrong[place] = self._is_against(results, place)
        return wrong

    def _find_directions(self, directions: npt.NDArray[np.int8], first: int, start: int, stop: int) -> None:
        """Fill in the directions of the steps `start` ... `stop - 1`, as far as the sign of the slope shows them."""
        sign = self._judge.slope_sign(first + start, stop - start + 1)
        if sign:
            directions[start:stop] = sign
        elif stop - start > _LEAST_RUN:
            middle = (start + stop) // 2
            self._find_directions(directions, first, start, middle)
            self._find_directions(directions, first, middle, stop)

    def _is_against(self, results: Results, place: int) -> bool:
        """Compare the true values at a place and the next with the results there."""
        here, there = (self._judge.value(results.first + place + step) for step in (0, 1))
        if here is None or there is None:
            return False
        falls = bool(results.values[place + 1] < results.values[place])
        return there.lower > here.upper if falls else there.upper < here.lower


def _direction(piece: Piece, first: int) -> int:
    """Return +1 or -1 if f rises or falls with the encoding throughout the part of the piece, else 0."""
    match piece:
        case Smooth():
            return int(piece.pieces.direction[(first - piece.span.first) // piece.part])
        case Anchored(scale=(_, sign)):
            return sign * (-1 if piece.span.negative else 1)
    return 0


def _directions(piece: Piece, results: Results) -> npt.NDArray[np.int8]:
    """Return the direction of every step, 0 where it is not known."""
    steps = len(results.bits) - 1
    if isinstance(piece, Anchored):
        # Steps between unequal results where all true values round to one number: whether they rise or fall is not
        # looked at, since each such result is counted as misrounded.
        return np.full(steps, 2, np.int8)
    if not isinstance(piece, Smooth):
        return np.zeros(steps, np.int8)
    part, offset = divmod(results.first - piece.span.first, piece.part)
    rows = min(_ROWS, piece.part)
    length = piece.part // rows
    finer = cut(Model(piece.span, piece.pieces.coefficients[part], 0.0, float(piece.pieces.bound[part])), rows)
    directions = np.repeat(finer.direction, length)
    directions[length - 1 :: length] = 0  # steps from one row to the next
    return directions[offset : offset + steps]


class SymmetryCheck:
    """Finds the largest |f(x) - f(-x) - x|, which is zero for x times a distribution function symmetric about 1/2."""

    def __init__(self, format: Format) -> None:
        self._format = format
        self._seen = -1.0
        single = format.name == "binary32"  # other formats' results are looked at as float64 numbers
        self._residual = np.empty(CHUNK, np.float32 if single else np.float64)
        self._rounding = 2.0**-22 if single else 2.0**-51  # twice what rounding may do to a difference

    def may_exceed(self, bound: float) -> bool:
        """Tell whether a residual of at most `bound` may be larger than those seen."""
        return not bound <= self._seen

    def check(self, tally: Tally, plus: Results, minus: Results, x: npt.NDArray[Any]) -> None:
        """Look at the results for x > 0 and for the same encodings with the sign bit set.

        Arguments:
            x: the positive inputs, in the type of the results' values.
        """
        residual = self._residual[: len(x)]
        np.subtract(plus.values, x, out=residual)
        np.subtract(residual, minus.values, out=residual)
        largest, size = _largest_size(residual), _largest_size(minus.values)
        # The subtractions lose at most u |plus - x| and u |residual|, where |plus - x| <= |minus| + |residual|; two
        # residuals are compared.
        slack = (size + 2 * largest) * self._rounding
        if largest + slack < self._seen:
            return
        sizes = np.abs(residual)
        finite = np.isfinite(sizes)
        if not finite.all():
            sizes[~finite] = 0
            slack = (_largest_size(minus.values[finite]) + 2 * float(sizes.max())) * self._rounding
        self._look_closely(tally, plus, minus, np.flatnonzero(finite & (sizes >= sizes.max() - slack)))

    def _look_closely(self, tally: Tally, plus: Results, minus: Results, places: Indices) -> None:
        """Compare exactly. Residuals are multiples of an ulp, and many are equal: of those that float64 holds without
        rounding the first of the largest stands for all.
        """
        x = arrays.to_float64(self._format, (plus.first + places).astype(arrays.storage_dtype(self._format)))
        gap, lost = _difference(plus.values[places].astype(np.float64), minus.values[places].astype(np.float64))
        residual, lost_again = _difference(gap, x)
        without_loss = (lost == 0) & (lost_again == 0)
        chosen = np.flatnonzero(~without_loss)
        if without_loss.any():
            chosen = np.append(chosen, np.where(without_loss, np.abs(residual), -1).argmax())
        exact = self._format.exact
        for place in places[chosen].tolist():
            bits, got = plus.first + place, int(plus.bits[place])
            size = abs(exact(got) - exact(int(minus.bits[place])) - exact(bits))
            tally.offer("symmetry", Worst(size, bits, got))
            self._seen = max(self._seen, float_below(size))


def _largest_size(values: npt.NDArray[Any]) -> float:
    """Return the largest absolute value, NaN if there is one among them, and 0 for none."""
    return max(float(values.max()), -float(values.min())) if len(values) else 0.0


def _difference(left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Return the rounded difference and what was lost by rounding (Knuth's TwoSum)."""
    difference = left - right
    part = difference - left
    return difference, (left - (difference - part)) - (right + part)
