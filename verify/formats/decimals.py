"""Shortest decimal that still leads back to a number, for showing floats to people."""

from collections.abc import Callable
from fractions import Fraction

from gelu_verify.formats.rounding import floor_log2


def shortest_decimal(q: Fraction, leads_back: Callable[[Fraction], bool]) -> tuple[int, int]:
    """Return (m, k) such that m * 10^k has the fewest digits among the decimals that lead back to q > 0.

    `leads_back` must hold on an interval around q. Of two such decimals the one nearer to q is taken, the even one of
    two equally near.

    >>> shortest_decimal(Fraction(1, 3), lambda decimal: abs(decimal - Fraction(1, 3)) < Fraction(1, 1000))
    (333, -3)
    """
    exponent = _floor_log10(q)
    digits = 1
    while True:
        scale = Fraction(10) ** (exponent - digits + 1)
        below = q // scale
        # If any decimal of this length leads back, one of the two around q does, for what leads back is an interval.
        around = sorted((below, below + 1), key=lambda m: (abs(m * scale - q), m % 2))
        for m in around:
            if leads_back(m * scale):
                return m, exponent - digits + 1
        digits += 1


def written(m: int, k: int) -> str:
    """Write m * 10^k, m > 0, as Python writes floats.

    >>> written(15, -1), written(1, 2), written(1, -45), written(340, 36)
    ('1.5', '100.0', '1e-45', '3.4e+38')
    """
    digits = str(m).rstrip("0")
    exponent = len(str(m)) + k - 1
    if not -5 < exponent < 16:
        tail = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{digits[0]}{tail}e{exponent:+03d}"
    if exponent < 0:
        return f"0.{'0' * (-exponent - 1)}{digits}"
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    return f"{whole}.{digits[exponent + 1 :] or '0'}"


def _floor_log10(q: Fraction) -> int:
    """Return the integer e with 10^e <= q < 10^(e+1), for q > 0."""
    exponent = floor_log2(q) * 1233 // 4096  # log10(2) to within 1e-4; the loops below correct it
    while Fraction(10) ** exponent > q:
        exponent -= 1
    while Fraction(10) ** (exponent + 1) <= q:
        exponent += 1
    return exponent
