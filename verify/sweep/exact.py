"""One input at a time, decided exactly: the last instance for whatever float64 cannot tell.

The true value is enclosed between rational numbers, more and more narrowly, until the question at hand has an answer.
"""

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from gelu_verify.catalogue import Expression
from gelu_verify.catalogue.evaluators import NotSmooth, exact_value
from gelu_verify.enclosures import working_precision
from gelu_verify.formats import Format
from gelu_verify.formats.rounding import dyadic
from gelu_verify.references import derivative_ball, rounded
from gelu_verify.references.anchors import ball_sign
from gelu_verify.references.spans import Span
from gelu_verify.references.values import point

_FIRST_PRECISION = 96
_SIZE_PRECISION = 256  # enough for the sizes of errors, which are rounded to 80 bits
_LAST_PRECISION = 6144  # bits: past this a difference counts as not decidable
_TINIEST = 4200  # binary places: far below the ulp of every format
_LARGEST = 1 << 16  # bits of a number that is still worth writing out


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A rational interval."""

    lower: Fraction
    upper: Fraction


class Judge:
    """Decides single inputs for one function in one format."""

    def __init__(self, expression: Expression, derivative: int, format: Format) -> None:
        self.expression = expression
        self.derivative = derivative
        self.format = format

    def want(self, bits: int) -> int:
        """Return the correctly rounded result as bits."""
        return rounded(self.expression, bits, self.format, self.derivative)

    def is_misrounded(self, bits: int, got: int) -> bool:
        """Tell whether a result is not the correctly rounded one; the sign of a zero is a matter apart."""
        want = self.want(bits)
        if self.format.is_nan(want):
            return not self.format.is_nan(got)
        return want != got and (want | got) & ~self.format.sign_mask != 0

    def is_normal(self, bits: int) -> bool:
        """Tell whether the true value is at least the least normal number in size."""
        value = self.value(bits)
        least = self.format.exact(self.format.min_normal)
        return value is not None and min(abs(value.lower), abs(value.upper)) >= least

    def exceeds(self, bits: int, got: int, limit: Fraction) -> bool | None:
        """Tell whether the error of a finite result exceeds `limit` ulp; None if that cannot be told."""
        precision = _FIRST_PRECISION
        while precision <= _LAST_PRECISION:
            answer = self._exceeds(self.value(bits, precision), got, limit)
            if answer is not None:
                return answer
            precision *= 4
        return self._exceeds(self._exact_value(bits), got, limit)

    def _exceeds(self, value: Enclosed | None, got: int, limit: Fraction) -> bool | None:
        ulp = None if value is None else self._ulp(value)
        if value is None or ulp is None:
            return None
        distance = self._distance(value, got)
        if distance.lower > limit * ulp:
            return True
        return False if distance.upper <= limit * ulp else None

    def error(self, bits: int, got: int) -> Enclosed | None:
        """Enclose |result - value| in ulps of the value; None where the value's binade is not certain."""
        value = self.value(bits)
        if value is None or (ulp := self._ulp(value)) is None:
            return None
        distance = self._distance(value, got)
        return Enclosed(distance.lower / ulp, distance.upper / ulp)

    def absolute_error(self, bits: int, got: int) -> Enclosed | None:
        """Enclose |result - value|."""
        value = self.value(bits)
        return None if value is None else self._distance(value, got)

    def relative_error(self, bits: int, got: int) -> Enclosed | None:
        """Enclose |result - value| / |value|; None around the value zero."""
        value = self.value(bits)
        if value is None or value.lower <= 0 <= value.upper:
            return None
        distance = self._distance(value, got)
        sizes = sorted((abs(value.lower), abs(value.upper)))
        return Enclosed(distance.lower / sizes[1], distance.upper / sizes[0])

    def slope_sign(self, first: int, count: int) -> int:
        """Return +1 or -1 if the values rise or fall throughout the `count` encodings from `first` on (in one binade),
        as the encodings grow; 0 where that cannot be told.
        """
        span = Span(self.format, first, count)
        with working_precision(_FIRST_PRECISION):
            try:
                slope = derivative_ball(self.expression, span.hull(), self.derivative + 1)
            except (NotSmooth, ZeroDivisionError):
                return 0
        return (ball_sign(slope) or 0) * (-1 if span.negative else 1)

    def value(self, bits: int, precision: int = _SIZE_PRECISION) -> Enclosed | None:
        """Enclose the true value at a finite input; None where this precision gives no finite enclosure."""
        with working_precision(precision):
            try:
                ball = derivative_ball(self.expression, point(self.format.exact(bits)), self.derivative)
            except (NotSmooth, ZeroDivisionError):
                return None
            return _rational(ball) if ball.is_finite() else None

    def _exact_value(self, bits: int) -> Enclosed | None:
        """Return the true value where it can be shown to be rational."""
        exact = exact_value(self.expression, self.format.exact(bits)) if self.derivative == 0 else None
        return None if exact is None else Enclosed(exact, exact)

    def _ulp(self, value: Enclosed) -> Fraction | None:
        least, most = sorted((abs(value.lower), abs(value.upper)))
        if value.lower < 0 < value.upper:
            least = Fraction(0)
        ulp = self.format.ulp(most)
        return ulp if self.format.ulp(least) == ulp else None

    def _distance(self, value: Enclosed, got: int) -> Enclosed:
        result = self.format.exact(got)
        ends = sorted((abs(result - value.lower), abs(result - value.upper)))
        inside = value.lower <= result <= value.upper
        return Enclosed(Fraction(0) if inside else ends[0], ends[1])


def _rational(ball: arb) -> Enclosed | None:
    """Return rational ends of a finite ball; None if they would be integers of absurd size."""
    return _enclosed(_rational_end(ball.lower(), -1), _rational_end(ball.upper(), 1))


def _enclosed(lower: Fraction | None, upper: Fraction | None) -> Enclosed | None:
    return None if lower is None or upper is None else Enclosed(lower, upper)


def _rational_end(end: arb, outward: int) -> Fraction | None:
    """Return an exact ball as a rational; where it is astronomically small, the next simple number outward."""
    mantissa, exponent = (int(part) for part in end.man_exp())
    size = abs(mantissa).bit_length() + exponent
    if mantissa == 0 or size < -_TINIEST:
        return Fraction(outward, 1 << _TINIEST) if mantissa * outward > 0 else Fraction(0)
    return dyadic(mantissa, exponent) if size < _LARGEST else None
