"""Which numbers of a format lie in an interval of real numbers."""

from fractions import Fraction

from gelu_verify.errors import InputError
from gelu_verify.formats.format import Format

BEYOND = Fraction(2) ** 2000
"""A number past those of every format, which stands for infinity as the end of an interval."""


def finite_ends(format: Format, lower: Fraction, upper: Fraction) -> tuple[int, int]:
    """Return the first and the last finite number of a format in a closed interval, as encodings.

    An interval that holds 0 holds both zeros.

    Raises:
        InputError: no finite number lies in it.

    >>> from gelu_verify.formats import FORMATS
    >>> [hex(bits) for bits in finite_ends(FORMATS["binary16"], Fraction(-1, 10), Fraction(0))]
    ['0xae66', '0x0']
    >>> [hex(bits) for bits in finite_ends(FORMATS["e4m3fn"], -BEYOND, BEYOND)]
    ['0xfe', '0x7e']
    """
    largest = format.exact(format.max_finite)
    first, last = (format.ordinal(format.round(min(max(end, -largest), largest))) for end in (lower, upper))
    # Rounding, or drawing an end in to the largest number, may have left the interval; and -0 comes before +0.
    first += (format.exact(format.from_ordinal(first)) < lower) - (lower == 0)
    last -= format.exact(format.from_ordinal(last)) > upper
    if first > last:
        raise InputError(f"{format.name} has no finite number in this interval; choose a wider one")
    return format.from_ordinal(first), format.from_ordinal(last)
