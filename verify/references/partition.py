"""The partition of a format's encodings into spans on which a function is known well enough to judge every result.

There are four kinds of piece. Where the function is so near to a constant or to 2^k x that its correct rounding is
that of the constant or of 2^k x, this is proved once for the whole span and results are compared by their bits: an
`Anchored` piece. Elsewhere a `Smooth` piece carries a certified polynomial. A span that is too short for both
(around a kink) is `Single`: its encodings go to Arb one by one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import floor, isfinite, ldexp

from flint import arb

from gelu_verify.catalogue import Expression, text
from gelu_verify.catalogue.derivative import derivative as differentiated
from gelu_verify.catalogue.evaluators import NotSmooth
from gelu_verify.catalogue.evaluators.balls import rational_ball
from gelu_verify.catalogue.expression import Number, Operation, Variable, difference
from gelu_verify.enclosures import working_precision
from gelu_verify.enclosures.tails import STARTS, TO_INFINITY, TO_MINUS_INFINITY, Limit, bound_beyond, limit
from gelu_verify.errors import IncompleteError
from gelu_verify.formats import Format
from gelu_verify.references import derivative_ball
from gelu_verify.references.anchors import anchor, ball_sign
from gelu_verify.references.models import (
    BUDGET,
    FINE_PRECISION,
    PRECISION,
    Model,
    Pieces,
    blurred,
    cut,
    derivative_taylor,
    expand,
    hopeless,
    ulp_exponent,
    upper,
    within_budget,
)
from gelu_verify.references.spans import CHUNK, Span, require_tiling

_MOST_PIECES = 1024  # in one binade
_LEAST_SMOOTH = 16  # encodings: a shorter span is not worth a model


@dataclass(frozen=True, slots=True)
class Anchored:
    """On the span f(x) = a(x) + g(x), a being a constant or 2^k x and g too small to matter to the rounding.

    Attributes:
        scale: the exponent k and the sign of the slope of a, or None when a is a constant.
        constant: the constant, as bits of the format (may be an infinity: everything there overflows).
        gap: an upper bound of |g|.
        gap_sign: the sign of g throughout the span (0: g is exactly zero), or None where it is not known.
    """

    span: Span
    scale: tuple[int, int] | None
    constant: int
    gap: float
    gap_sign: int | None


@dataclass(frozen=True, slots=True)
class Smooth:
    """The span carries a polynomial, cut into equal parts of at most one chunk."""

    span: Span
    model: Model
    pieces: Pieces

    @property
    def part(self) -> int:
        """Encodings in a part."""
        return self.span.count // len(self.pieces.bound)


@dataclass(frozen=True, slots=True)
class Single:
    """Every encoding is judged alone."""

    span: Span


Piece = Anchored | Smooth | Single


class Planner:
    """Finds the pieces of one function (or derivative) in one format."""

    def __init__(self, expression: Expression, derivative: int, format: Format) -> None:
        self.expression = expression
        self.derivative = derivative
        self.format = format
        self._differentiated = differentiated(expression, derivative)
        self._slope = differentiated(expression, derivative + 1)
        self._limits: dict[tuple[Fraction, Fraction, bool], Limit | None] = {}
        self._tails: dict[tuple[Fraction, Fraction, bool, int], arb | None] = {}

    def plan(self, span: Span) -> list[Piece]:
        """Return the pieces of a span, in the order of the encodings."""
        with working_precision(PRECISION):
            first, last = self._value(span, _first_index(span)), self._value(span, span.count - 1)
            pieces = list(islice(self._pieces(span, first, last), _MOST_PIECES + 1))
        if len(pieces) > _MOST_PIECES:
            raise IncompleteError(
                f"no partition was found for the inputs from {self.format.hex(span.first)} to "
                f"{self.format.hex(span.last)}: {text(self.expression)} is too wild there for float64 models"
            )
        require_tiling(((piece.span.first, piece.span.count) for piece in pieces), span.first, span.count)
        return pieces

    def anchored(self, span: Span) -> Anchored | None:
        """Return the proof that the whole span rounds to a constant or to 2^k x, or None where there is none."""
        with working_precision(PRECISION):
            first, last = self._value(span, _first_index(span)), self._value(span, span.count - 1)
            return self._anchored(span, first, last)

    def sign_far_out(self, span: Span) -> int | None:
        """Return the sign of the function from the span on outwards, where its expansion at infinity shows that."""
        return self._side(span, Fraction(0), Fraction(0))

    def _pieces(self, span: Span, first: arb, last: arb) -> Iterator[Piece]:
        """Yield the pieces; `first` and `last` are the values at the two ends (next to zero instead of at it)."""
        piece = self._anchored(span, first, last) or self.smooth(span)
        if piece is not None:
            yield piece
        elif span.count > _LEAST_SMOOTH:
            left, right = span.halves()
            yield from self._pieces(left, first, self._value(left, left.count - 1))
            yield from self._pieces(right, self._value(right, 0), last)
        else:
            yield Single(span)

    def _value(self, span: Span, index: int) -> arb:
        return derivative_ball(self.expression, span.point(index), self.derivative)

    def smooth(self, span: Span) -> Smooth | None:
        """Return a polynomial for the span, or None where none is good enough."""
        if span.count < _LEAST_SMOOTH:
            return None
        model = expand(self.expression, self.derivative, span)
        if model is not None and blurred(model):
            model = expand(self.expression, self.derivative, span, precision=FINE_PRECISION)
        if model is None or hopeless(model):
            return None
        pieces = cut(model, max(span.count // CHUNK, 1))
        if within_budget(model, pieces):
            return Smooth(span, model, pieces)
        # Around a zero of the function no budget is small enough for the least values; those are judged one by one.
        least = min(CHUNK, self.format.min_normal)
        if span.count <= least and float(pieces.bound[0]) <= BUDGET * _ulp(self.format, float(pieces.high[0])):
            return Smooth(span, model, pieces)
        return None

    def _anchored(self, span: Span, first: arb, last: arb) -> Anchored | None:
        try:
            return self._constant(span, first, last) or self._proportional(span, first, last)
        except (NotSmooth, ZeroDivisionError):
            return None

    def _constant(self, span: Span, first: arb, last: arb) -> Anchored | None:
        bits = self._common_rounding(first, last)
        if bits is None:
            return None
        if not self.format.is_finite(bits):
            return Anchored(span, None, bits, 0.0, None) if self._overflows(span, bits) else None
        constant = self.format.exact(bits)
        for gap, sign in self._gaps(span, last, constant, Fraction(0)):
            vanishes = constant == 0 and upper(gap) < self._half_of_least
            if vanishes or self.format.round_ball(rational_ball(constant) + gap) == bits:
                side = self._side(span, constant, Fraction(0)) if sign is None else sign
                zero = self.format.sign_mask if side == -1 else 0
                return Anchored(span, None, bits if constant else zero, upper(gap), side)
        return None

    def _overflows(self, span: Span, bits: int) -> bool:
        """Tell whether the values all round to an infinity, knowing that those at the ends do."""
        if self.format.round_ball(self._value_over(span)) == bits:
            return True
        # The ball of all values can be too wide to show even their sign; a monotone function stays between its ends.
        slope = anchor(self._slope, span.hull(), span.negative)
        return slope.constant == slope.slope == 0 and slope.sign in (-1, 1)

    def _common_rounding(self, first: arb, last: arb) -> int | None:
        """Return what both values round to, or may round to where their balls hold zero; a zero of either sign is +0,
        since a ball around zero has no sign.
        """
        if all(upper(ball) < self._half_of_least or ball.contains(0) for ball in (first, last)):
            return 0
        bits = self.format.round_ball(last)
        return bits if bits is not None and self.format.round_ball(first) == bits else None

    @property
    def _half_of_least(self) -> float:
        return 2.0 ** (self.format.emin - self.format.fraction_bits - 1)

    def _proportional(self, span: Span, first: arb, last: arb) -> Anchored | None:
        low, high = span.point(_first_index(span)), span.point(span.count - 1)
        slope = float(last / high)
        if not isfinite(slope) or slope == 0:
            return None
        scale = round_to_power(slope)
        factor = arb((scale[1], scale[0]))
        # Half of 2^k x, k < 0, may lie between two numbers of the format, and half-way at worst: then 2^(k-1) ulp away
        # from the nearest boundary that is not itself the half-way point.
        room = _ulp(self.format, abs(float(factor * low))) * 2.0 ** min(scale[0], -2)
        bits = self.format.round_ball(factor * high)
        if bits is None or not self.format.is_finite(bits):
            return None
        if not (upper(first - factor * low) < room and upper(last - factor * high) < room):
            return None
        exact_slope = scale[1] * Fraction(2) ** scale[0]
        for gap, sign in self._gaps(span, last, Fraction(0), exact_slope):
            if upper(gap) < room:
                side = self._side(span, Fraction(0), exact_slope) if sign is None else sign
                return Anchored(span, scale, 0, upper(gap), side)
        return None

    def _gaps(self, span: Span, last: arb, constant: Fraction, slope: Fraction) -> Iterator[tuple[arb, int | None]]:
        """Yield enclosures of f - constant - slope x over the span, each with its sign, by one way after another."""
        seen = anchor(self._differentiated, span.hull(), span.negative)
        if (seen.constant, seen.slope) == (constant, slope):
            yield seen.rest, seen.sign
        for way in (self._gap_of_values, self._mean_value_form, self._gap_of_long_tail, self._gap_of_tail):
            try:
                gap = way(span, last, constant, slope)
            except (NotSmooth, ZeroDivisionError):
                continue
            if gap is not None:
                yield gap, ball_sign(gap)

    def _side(self, span: Span, constant: Fraction, slope: Fraction) -> int | None:
        """Return the sign that f - constant - slope x has from the span on outwards, where its expansion at infinity
        shows that; None where it does not.
        """
        key = constant, slope, span.negative
        if key not in self._limits:
            approach = TO_MINUS_INFINITY if span.negative else TO_INFINITY
            self._limits[key] = limit(self._beside_line(constant, slope), approach)
        found = self._limits[key]
        if found is None or found.infinite or found.nonzero or not abs(span.point(_first_index(span))) >= found.start:
            return None
        return found.sign

    def _beside_line(self, constant: Fraction, slope: Fraction) -> Expression:
        """Return f - constant - slope x."""
        line = Operation("+", (Number(constant), Operation("*", (Number(slope), Variable()))))
        return difference(self._differentiated, line)

    def _value_over(self, span: Span) -> arb:
        return derivative_ball(self.expression, span.hull(), self.derivative)

    def _gap_of_values(self, span: Span, last: arb, constant: Fraction, slope: Fraction) -> arb | None:
        """Enclose the gap to a constant by the values themselves."""
        return None if slope else self._value_over(span) - rational_ball(constant)

    def _gap_of_tail(self, span: Span, last: arb, constant: Fraction, slope: Fraction) -> arb | None:
        """Enclose the gap by what the expansion at infinity leaves of it from the span on outwards.

        Far out a ball of all values can be too wide: in log(1 + exp(x)) the exponential alone spans thousands of
        binades.
        """
        return self._beyond(constant, slope, span.negative, floor(_least(span)))

    def _gap_of_long_tail(self, span: Span, last: arb, constant: Fraction, slope: Fraction) -> arb | None:
        """Enclose the gap as above, but from one of a few places on, so that many spans share an expansion."""
        return self._beyond(constant, slope, span.negative, max((s for s in STARTS if s <= _least(span)), default=0))

    def _beyond(self, constant: Fraction, slope: Fraction, negative: bool, start: int) -> arb | None:
        key = constant, slope, negative, start
        if start >= 2 and key not in self._tails:
            self._tails[key] = bound_beyond(self._beside_line(constant, slope), start, -1 if negative else 1)
        bound = self._tails.get(key)
        return None if bound is None else bound.union(-bound)

    def _mean_value_form(self, span: Span, last: arb, constant: Fraction, slope: Fraction) -> arb:
        """Enclose the gap by its value at the end plus the enclosure of its slope times the way from there."""
        end = span.point(span.count - 1)
        steepness = derivative_taylor(self.expression, span.hull(), self.derivative, 1)[1] - rational_ball(slope)
        return last - rational_ball(constant) - rational_ball(slope) * end + steepness * (span.hull() - end)


def round_to_power(value: float) -> tuple[int, int]:
    """Return (k, s) with s 2^k the power of two nearest to value != 0 (in ratio), s its sign."""
    mantissa, exponent = abs(value).hex().split("p")
    fraction = float.fromhex(mantissa)
    return int(exponent) + (fraction > 1.4142135), 1 if value > 0 else -1


def _ulp(format: Format, value: float) -> float:
    return ldexp(1.0, ulp_exponent(format, value)) if isfinite(value) else 0.0


def _least(span: Span) -> Fraction:
    """Return the least size of a number of the span."""
    return span.format.exact(span.first & ~span.format.sign_mask)


def _first_index(span: Span) -> int:
    """Return the index of the first number that is not zero."""
    return 1 if span.starts_at_zero and span.count > 1 else 0
