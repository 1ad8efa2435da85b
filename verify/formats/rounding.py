"""The integer arithmetic under every rounding: the binade of a rational, and division to nearest with ties to even."""

from fractions import Fraction


def floor_log2(q: Fraction) -> int:
    """Return the integer e with 2^e <= q < 2^(e+1), for q > 0.

    >>> floor_log2(Fraction(1)), floor_log2(Fraction(7, 8)), floor_log2(Fraction(9, 4))
    (0, -1, 1)
    """
    numerator, denominator = q.numerator, q.denominator
    # A quotient of an a-bit by a b-bit integer lies strictly between 2^(a-b-1) and 2^(a-b+1).
    exponent = numerator.bit_length() - denominator.bit_length()
    if exponent >= 0:
        return exponent if numerator >= denominator << exponent else exponent - 1
    return exponent if numerator << -exponent >= denominator else exponent - 1


def nearest_multiple(q: Fraction, exponent: int) -> int:
    """Return the integer nearest to q / 2^exponent, the even one of two equally near.

    >>> [nearest_multiple(Fraction(n, 2), 0) for n in (1, 2, 3, 4, 5)]
    [0, 1, 2, 2, 2]
    """
    numerator, denominator = q.numerator, q.denominator
    if exponent >= 0:
        denominator <<= exponent
    else:
        numerator <<= -exponent
    quotient, remainder = divmod(numerator, denominator)
    above_half = 2 * remainder - denominator
    return quotient + (above_half > 0 or (above_half == 0 and quotient % 2 == 1))


def dyadic(mantissa: int, exponent: int) -> Fraction:
    """Return mantissa * 2^exponent exactly.

    >>> dyadic(3, -1), dyadic(3, 2)
    (Fraction(3, 2), Fraction(12, 1))
    """
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)
