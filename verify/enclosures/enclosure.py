"""A proven interval for one real number, with exact ends, that prints only digits which are certain."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx, fmpz

from gelu_verify.errors import IncompleteError
from gelu_verify.formats.rounding import floor_log2

MAX_BINARY_EXPONENT = 4_000_000  # an exact end is an integer of about this many bits
_FINEST_WIDTH = 1 << 17  # bits
_PLAIN_EXPONENTS = range(-5, 21)  # decimal exponents that are written without "e"


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Set the precision of Arb's arithmetic for a block, in bits, and restore it after.

    >>> with working_precision(20):
    ...     str(arb(1) / 3)
    '[0.33333 +/- 3.50e-6]'
    """
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A real number known to lie in [lower, upper]; the ends are exact.

    Raises:
        ValueError: the ends are the wrong way round.

    >>> third = Enclosure(Fraction(33333, 10**5), Fraction(33334, 10**5))
    >>> third.decimal(20), third.certain_digits()
    ('0.3333...', 4)
    """

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise ValueError(f"an enclosure's lower end {self.lower} exceeds its upper end {self.upper}")

    @property
    def exact(self) -> bool:
        """Whether the number itself is known."""
        return self.lower == self.upper

    @property
    def width(self) -> Fraction:
        """The distance between the ends (absolute)."""
        return self.upper - self.lower

    @property
    def midpoint(self) -> Fraction:
        """The rational number half-way between the ends."""
        return (self.lower + self.upper) / 2

    def __contains__(self, number: Fraction | int) -> bool:
        """Whether the rational `number` lies in the enclosure."""
        return self.lower <= number <= self.upper

    def __neg__(self) -> "Enclosure":
        """Return the enclosure of the negated number."""
        return Enclosure(-self.upper, -self.lower)

    def __abs__(self) -> "Enclosure":
        """Return the enclosure of the absolute value."""
        if self.lower >= 0:
            return self
        return -self if self.upper <= 0 else Enclosure(Fraction(0), max(-self.lower, self.upper))

    def certain_digits(self, limit: int = 100_000) -> int:
        """Return how many leading significant digits of the decimal expansion are certain, at most `limit`."""
        if self.exact:
            return limit
        if self.lower <= 0 <= self.upper:
            return 0
        low, high = sorted((abs(self.lower), abs(self.upper)))
        most = min(self._resolved_digits() + 1, limit)
        (low_figures, low_exponent), (high_figures, high_exponent) = _leading(low, most), _leading(high, most)
        if low_exponent != high_exponent:
            return 0
        certain, uncertain = 0, most + 1
        while uncertain - certain > 1:  # a common beginning is common to every shorter one
            digits = (certain + uncertain) // 2
            cut = _ten_to(most - digits)
            if low_figures // cut == high_figures // cut:
                certain = digits
            else:
                uncertain = digits
        return certain

    def decimal(self, digits: int) -> str:
        """Write at most `digits` significant digits of the number, each of them certain.

        Digits are those of the exact value, cut and never rounded; `...` says that the expansion goes on.
        An enclosure that holds a short decimal inside (0.1999...9, 0.2000...1) has few certain digits however narrow
        it is; then its two ends are written, as [lower, upper].
        """
        if self.lower == self.upper == 0:
            return "0"
        certain = self.certain_digits(digits)
        if not self.exact and certain < max(1, min(digits, self._resolved_digits()) - 2):
            places = min(digits, self._resolved_digits()) + 2
            return f"[{self.lower_decimal(places)}, {self.upper_decimal(places)}]"
        sign = "-" if self.upper < 0 else ""
        magnitude = min(abs(self.lower), abs(self.upper))
        figures, exponent = _leading(magnitude, certain)
        complete = self.exact and _is_scaled(magnitude, figures, certain - 1 - exponent)
        return sign + _write(_digits(figures), exponent, complete)

    def _resolved_digits(self) -> int:
        """Return about how many digits the relative width would allow, were it not for carries."""
        low, high = sorted((abs(self.lower), abs(self.upper)))
        if self.lower <= 0 <= self.upper:
            return 1
        return max(_decimal_exponent(high) - _decimal_exponent(high - low), 1)

    def lower_decimal(self, digits: int) -> str:
        """Return a decimal of `digits` significant digits that is at most the lower end."""
        return _outward(self.lower, digits, -1)

    def upper_decimal(self, digits: int) -> str:
        """Return a decimal of `digits` significant digits that is at least the upper end."""
        return _outward(self.upper, digits, +1)


def enclosure_of(ball: arb, finest: int = _FINEST_WIDTH) -> Enclosure:
    """Return the ball's exact ends, or ends a little further out where exact ones would be absurdly long.

    A ball may be far narrower than anybody needs (GELU(2999) is 2999 to within 2^-6487831): then its radius is widened
    to about 2^-finest of the midpoint; the default leaves some 39,000 digits.

    Raises:
        IncompleteError: the ball is not finite, or its ends would need millions of bits to be written out.
    """
    if not ball.is_finite():
        raise IncompleteError("no finite enclosure was found; the expression may not be defined there")
    middle = _dyadic(ball.mid())
    least = arb((1, int(floor_log2(abs(middle))) - finest)) if middle else ball.rad()
    radius = _dyadic(least if 0 < ball.rad() < least else ball.rad())
    return Enclosure(middle - radius, middle + radius)


def _dyadic(exact: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in exact.man_exp())
    if mantissa and abs(exponent) > MAX_BINARY_EXPONENT:
        size = "small" if exponent < 0 else "large"
        written = str(exponent) if abs(exponent) < 10**30 else f"an integer of {exponent.bit_length()} bits"
        raise IncompleteError(f"the value is too {size} to be written out: its binary exponent is {written}")
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def _decimal_exponent(value: Fraction) -> int:
    """Return e with 10^e <= value < 10^(e+1), for value > 0."""
    return _leading(value, 1)[1]


def _leading(value: Fraction, digits: int) -> tuple[int, int]:
    """Return the first `digits` digits of value > 0 as an integer, cut, and the decimal exponent of the first.

    Works on plain integers: reducing fractions of a million bits would take seconds.
    """
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    exponent = bits * 30103 // 100000  # log10(2): at most one off for any size in reach
    while True:
        figures = _floor_scaled(value, digits - 1 - exponent)
        if figures >= 10**digits:
            exponent += 1
        elif figures < 10 ** (digits - 1):
            exponent -= 1
        else:
            return figures, exponent


def _floor_scaled(value: Fraction, power: int) -> int:
    """Return the integer part of value 10^power."""
    if power >= 0:
        return value.numerator * _ten_to(power) // value.denominator
    return value.numerator // (value.denominator * _ten_to(-power))


def _ten_to(power: int) -> int:
    return int(10**power)


def _is_scaled(value: Fraction, figures: int, power: int) -> bool:
    """Return whether value 10^power is exactly the integer `figures`."""
    if power >= 0:
        return value.numerator * _ten_to(power) == figures * value.denominator
    return value.numerator == figures * value.denominator * _ten_to(-power)


def _outward(value: Fraction, digits: int, direction: int) -> str:
    if value == 0:
        return "0"
    figures, exponent = _leading(abs(value), digits)
    away_from_zero = (direction > 0) == (value > 0)
    if away_from_zero and not _is_scaled(abs(value), figures, digits - 1 - exponent):
        figures += 1
        if figures == 10**digits:
            figures, exponent = 10 ** (digits - 1), exponent + 1
    return ("-" if value < 0 else "") + _write(_digits(figures), exponent, complete=True)


def _digits(figures: int) -> str:
    return str(fmpz(figures))  # Python's own conversion refuses integers of more than 4300 digits


def _write(figures: str, exponent: int, complete: bool) -> str:
    """Place the decimal point; a complete expansion loses its trailing zeros, another gains `...`."""
    if complete:
        figures = figures.rstrip("0")
    if exponent not in _PLAIN_EXPONENTS or (exponent >= len(figures) and not complete):
        fraction = figures[1:]
        point = "." if fraction or not complete else ""
        return f"{figures[0]}{point}{fraction}{'' if complete else '...'}e{exponent}"
    if exponent < 0:
        written = "0." + "0" * (-exponent - 1) + figures
    elif exponent + 1 >= len(figures):
        written = figures.ljust(exponent + 1, "0")
    else:
        written = f"{figures[: exponent + 1]}.{figures[exponent + 1 :]}"
    if complete:
        return written
    return written + ("..." if "." in written else "....")
