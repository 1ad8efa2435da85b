"""What a function is on a window of consecutive doubles, in double-double arithmetic, with a certified error budget.

A window of n = 2^12 doubles is 2^-40 of its place long: every smooth function is nearly linear there. With x_c the
middle of the window and s the spacing, Arb gives the Taylor coefficients of f(x_c + j s) 2^-E for j = -n/2 ... n/2 - 1,
where E is chosen so that the values are about 2^53. The coefficient of j is cut to 40 bits, so that its product with j
is exact; this product and the constant term are added without loss, and what is left (the rest of both coefficients,
the bend, the third order) is a few units at most, so that its roundings are some 2^-50 of an ulp. The fourth order is
bounded by Arb over the whole window (Lagrange). All bounds hold for every j, and every window is compared with Arb at
both ends, which its construction did not use.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import frexp, isfinite, ldexp

import numpy as np
from flint import arb

from gelu_verify.catalogue import Expression
from gelu_verify.catalogue.evaluators import NotSmooth
from gelu_verify.enclosures import working_precision
from gelu_verify.formats import Format, arrays
from gelu_verify.references.anchors import ball_sign
from gelu_verify.references.models import ROUND_UP, UNDERFLOW, derivative_taylor, gamma, upper
from gelu_verify.references.partition import Anchored, Planner
from gelu_verify.references.spans import Span
from gelu_verify.references.values import derivative_ball
from gelu_verify.windows.double_double import UNIT, Floats, two_sum

PRECISION = 200  # bits of the Arb expansions
LARGEST_WINDOW = 1 << 12  # encodings
_ORDER = 3  # of the polynomial
_STEEP_BITS = 40  # of the slope, so that its product with 2^12 places fits float64
_MARGIN = 8  # binary places that values get below the format's least ulp
_SHARP = 2.0**-20  # ulps
SHORTEST = 16  # encodings: a shorter window is not worth a polynomial


@dataclass(frozen=True, slots=True)
class Reference:
    """The true values at the encodings of a span: (high + low + rest) 2^exponent, |rest| <= bound.

    Attributes:
        high, low: shape (span.count,); high is high + low rounded.
        side: the strict sign of the rest throughout, where that is known (then low is zero throughout).
        sign: the sign of the true values throughout, or None.
        direction: +1 or -1 if the values rise or fall with the encoding throughout, else 0.
    """

    span: Span
    high: Floats
    low: Floats
    exponent: int
    bound: float
    side: int | None
    sign: int | None
    direction: int


class Oracle:
    """Gives the references of one function (or derivative) in one format."""

    def __init__(self, expression: Expression, derivative: int, format: Format) -> None:
        self._expression, self._derivative, self._format = expression, derivative, format
        self._planner = Planner(expression, derivative, format)
        self._least = format.emin - format.fraction_bits - _MARGIN  # no exponent of a reference is smaller
        self._anchored: dict[int, Anchored | None] = {}
        self._vanishing: dict[int, int | None] = {}

    def references(self, window: Span) -> Iterator[Reference | Span]:
        """Yield what is known of a window, in order: references, and bare spans where there is none.

        A bare span of at most `SHORTEST` encodings surrounds a kink or a pole, and its values can be found one by one.
        On a longer one Arb finds no value at all: none exists, or an exponential is beyond its range.

        Raises:
            ArithmeticError: a polynomial is off by more than it promises.
        """
        reference = self._reference(window)
        if reference is not None:
            yield reference
        elif window.count > SHORTEST and self._has_values(window):
            for half in window.halves():
                yield from self.references(half)
        else:
            yield window

    def _reference(self, window: Span) -> Reference | None:
        piece = self.anchored(window)
        anchored = None if piece is None else _from_anchor(piece, window)
        if anchored is not None and _is_sharp(anchored):
            return anchored
        sign = self._vanishing_sign(window)
        if sign is not None:
            return _vanishing(window, self._least, sign)
        reference = self._smooth(window)
        if reference is None or not reference.low.any():  # every value is one of the format, as far as that shows
            piece = self._planner.anchored(window)
            anchored = None if piece is None else _from_anchor(piece, window)
        return anchored if anchored is not None and _is_sharp(anchored) else reference

    def _vanishing_sign(self, window: Span) -> int | None:
        """Return the sign (0: unknown) of the values in the window's binade if all are far below the format's least
        number, else None.
        """
        size = self._format.min_normal
        first = window.first // size * size
        if first not in self._vanishing:
            self._vanishing[first] = self._sign_of_nothing(Span(self._format, first, size))
        return self._vanishing[first]

    def _sign_of_nothing(self, span: Span) -> int | None:
        with working_precision(PRECISION):
            try:
                values = derivative_ball(self._expression, span.hull(), self._derivative)
            except (NotSmooth, ZeroDivisionError):
                return None
            if not abs(values) < arb((1, self._least)):
                return None
            return ball_sign(values) or self._planner.sign_far_out(span) or 0

    def anchored(self, window: Span) -> Anchored | None:
        """Return the proof that the window's whole binade rounds to a constant or to 2^k x, if there is one."""
        size = self._format.min_normal
        first = window.first // size * size
        if first not in self._anchored:
            self._anchored[first] = self._planner.anchored(Span(self._format, first, size))
        return self._anchored[first]

    def _has_values(self, window: Span) -> bool:
        with working_precision(PRECISION):
            ends = [window.point(window.count // 2), window.point(window.count - 1)]
            try:
                return any(derivative_ball(self._expression, end, self._derivative).is_finite() for end in ends)
            except (NotSmooth, ZeroDivisionError):
                return False

    def _smooth(self, window: Span) -> Reference | None:
        with working_precision(PRECISION):
            try:
                values = derivative_ball(self._expression, window.hull(), self._derivative)
                if abs(values) < arb((1, self._least)):
                    return _vanishing(window, self._least, ball_sign(values))
                scaled = self._coefficients(window)
            except (NotSmooth, ZeroDivisionError):
                return None
            if not all(ball.is_finite() for ball in scaled):
                return None
            exponent = max(_binade(scaled, window.count // 2) - 52, self._least)
            reference = _evaluated(window, scaled, exponent, ball_sign(values))
            if reference is not None:
                self._verify(reference)
        return reference

    def _coefficients(self, window: Span) -> list[arb]:
        """Enclose the Taylor coefficients, in powers of the place; the last over the whole window."""
        centre = derivative_taylor(self._expression, window.point(window.count // 2), self._derivative, _ORDER)
        beyond = derivative_taylor(self._expression, window.hull(), self._derivative, _ORDER + 1)[_ORDER + 1]
        sign = -1 if window.negative else 1
        return [ball * arb((sign**k, window.spacing * k)) for k, ball in enumerate([*centre, beyond])]

    def _verify(self, reference: Reference) -> None:
        """Compare the first and the last value with Arb."""
        span, bound = reference.span, reference.bound
        for index in (1 if span.starts_at_zero else 0, span.count - 1):
            true = derivative_ball(self._expression, span.point(index), self._derivative)
            high, low = arb(float(reference.high[index])), arb(float(reference.low[index]))
            distance = true * arb((1, -reference.exponent)) - high - low
            if not abs(distance.mid()) <= arb(bound) + distance.rad():
                raise ArithmeticError(
                    f"the polynomial for encodings {span.first:#x} to {span.last:#x} is off by more than its bound "
                    f"{bound!r} at {span.first + index:#x}"
                )


def _vanishing(window: Span, exponent: int, sign: int | None) -> Reference:
    """Return the reference of values of at most 2^exponent: far below the least number of the format."""
    zero = np.zeros(window.count)
    return Reference(window, zero, zero, exponent, 1.0, None, sign or None, 0)


def _binade(scaled: list[arb], reach: int) -> int:
    """Return e where the largest value of the window is about 2^e."""
    largest = max(abs(scaled[0].mid()), abs(scaled[1].mid()) * reach)
    mantissa, exponent = (int(part) for part in largest.man_exp())
    return mantissa.bit_length() - 1 + exponent if mantissa else -(1 << 20)


def _evaluated(window: Span, scaled: list[arb], exponent: int, sign: int | None) -> Reference | None:
    """Evaluate the polynomial with coefficients `scaled` (of powers of the place) at every place of the window."""
    *balls, beyond = (ball * arb((1, -exponent)) for ball in scaled)
    reach = window.count // 2
    middle = float(balls[0].mid())
    steep = _cut(float(balls[1].mid()))
    rest = [float((ball - part).mid()) for ball, part in zip(balls, (middle, steep, 0.0, 0.0), strict=True)]
    if not isfinite(middle + steep + sum(map(abs, rest))):
        return None
    lost = sum(
        upper(ball - part - arb(left)) * float(reach) ** k
        for k, (ball, part, left) in enumerate(zip(balls, (middle, steep, 0.0, 0.0), rest, strict=True))
    )
    places = np.arange(-reach, window.count - reach, dtype=np.float64)
    total, carried = two_sum(np.full(window.count, middle), steep * places)
    small = rest[0] + places * (rest[1] + places * (rest[2] + places * rest[3]))
    high, low = two_sum(total, carried + small)
    sizes = sum(abs(left) * float(reach) ** k for k, left in enumerate(rest))
    # `small` takes six roundings, and the sum with `carried` (half an ulp of the total at most) one.
    rounding = gamma(8) * sizes + UNIT * (UNIT * (abs(middle) + abs(steep) * reach) * 2 + 2 * sizes)
    bound = lost + upper(beyond) * float(reach) ** (_ORDER + 1) + rounding + UNDERFLOW
    # From one place to the next: the slope, what bends it, and what is not known of two values.
    bend = sum(k * abs(left) * float(reach) ** (k - 1) for k, left in enumerate(rest) if k) + 2 * bound
    direction = (1 if steep > 0 else -1) if abs(steep) > bend * ROUND_UP else 0
    return Reference(window, high, low, exponent, bound * ROUND_UP, None, sign, direction)


def _cut(value: float) -> float:
    """Return a number of at most 40 bits next to the value."""
    if not isfinite(value):
        return value
    fraction, exponent = frexp(value)
    return ldexp(round(ldexp(fraction, _STEEP_BITS)), exponent - _STEEP_BITS)


def _is_sharp(reference: Reference) -> bool:
    """Tell whether the rest is negligible against an ulp: for the proof of an anchor a quarter of one is enough."""
    format = reference.span.format
    return reference.bound <= _SHARP * max(1.0, ldexp(1.0, format.emin - format.fraction_bits - reference.exponent))


def _from_anchor(piece: Anchored, window: Span) -> Reference:
    """Return a(x) scaled, exactly: a power of two times x, or a constant (maybe an infinity)."""
    format = window.format
    if piece.scale is None:
        constant = format.exact(piece.constant) if format.is_finite(piece.constant) else None
        value = float(constant) if constant is not None else float("inf")
        if constant is None and piece.constant & format.sign_mask:
            value = -value
        exponent = frexp(value)[1] - 53 if constant else format.emin - format.fraction_bits - _MARGIN
        high = np.full(window.count, ldexp(value, -exponent) if constant else value)
        direction = 0
    else:
        power, sign = piece.scale
        exponent = window.spacing + power
        encodings = np.arange(window.first, window.first + window.count, dtype=np.uint64)
        x = arrays.to_float64(format, encodings)
        high = np.ldexp(sign * x, power - exponent)
        direction = sign * (-1 if window.negative else 1)
    bound = ldexp(piece.gap, -exponent) * ROUND_UP + UNDERFLOW if piece.gap_sign != 0 else 0.0
    shown = float(high[-1])
    sign_of_all = (1 if shown > 0 else -1) if shown else piece.gap_sign
    return Reference(
        window, high, np.zeros(window.count), exponent, bound, piece.gap_sign, sign_of_all or None, direction
    )
