"""How [0, L] is cut into the cells of a certificate: as few as the checker's Taylor polynomials allow, greedily."""

from fractions import Fraction
from typing import Any, NamedTuple

from gelu_verify.errors import InputError
from gelu_verify.proofs import checker

UNIT = 1 << checker.BITS
OUT_OF_REACH = "no certificate: the supremum is infinite, or the constants are too far from those of GELU"
FARTHEST = checker.MAX_SIZE  # where the tail may begin
_SMALLEST = UNIT >> 80
_HALVINGS = range(1, 30)  # cores are tried with 2, 1, 1/2, ... to either side of the maximum


class Peak(NamedTuple):
    """A maximum of sign F^(d): where, and how the place is written in the certificate."""

    t: Fraction
    sign: int
    written: str


def scaled(number: Fraction) -> int:
    """Return a number times 2^BITS, rounded down: the checker's scale on cells."""
    return number.numerator * UNIT // number.denominator


def write_scaled(figures: int, places: int) -> str:
    """Write figures/10^places >= 0 with all its places.

    >>> write_scaled(1702, 3)
    '1.702'
    """
    written = str(figures).rjust(places + 1, "0")
    return f"{written[:-places]}.{written[-places:]}" if places else written


def write_number(number: Fraction) -> str:
    """Write a rational number >= 0 exactly: as a decimal if it has an end, else as a fraction.

    >>> write_number(Fraction(1, 8)), write_number(Fraction(12)), write_number(Fraction(1, 3))
    ('0.125', '12', '1/3')
    """
    places, rest = 0, number.denominator
    for factor in (2, 5):
        count = 0
        while rest % factor == 0:
            rest, count = rest // factor, count + 1
        places = max(places, count)
    return write_scaled(int(number * 10**places), places) if rest == 1 else f"{number.numerator}/{number.denominator}"


def tail_stays_below(certificate: dict[str, Any], end: int, level: int) -> bool:
    """Whether the checker shows that |F^(d)| < level from `end` on (both at the checker's scale)."""
    x = checker.Interval(end, end, checker.BITS)
    try:
        return sum(checker.tail(certificate[side], x).hi for side in ("left", "right")) < level
    except checker.CertificateError:
        return False


def cut(certificate: dict[str, Any], peaks: list[Peak]) -> list[list[str]]:
    """Return the cells: a core around each peak, a cover between them, up to a point from which the tail is proved.

    Raises:
        InputError: a cell would have to be too small.
    """
    level = checker.real(certificate["lower"], checker.BITS).lo
    cells: list[list[str]] = []
    lo = 0
    for peak in peaks:
        begin, end = _core(certificate, peak, level, lo)
        cells += _cover(certificate, lo, begin, level)
        cells.append([_end(end), "+" if peak.sign > 0 else "-", peak.written])
        lo = end
    last = max(2 * UNIT, lo)
    step = UNIT // 4
    while not tail_stays_below(certificate, last, level):
        last += step
        step = max(step, 1 << (last.bit_length() - 4))
        if last > FARTHEST * UNIT:
            raise InputError(OUT_OF_REACH)
    return cells + _cover(certificate, lo, last, level)


def _end(end: int) -> str:
    return write_number(Fraction(end, UNIT))


def _core(certificate: dict[str, Any], peak: Peak, level: int, lo: int) -> tuple[int, int]:
    """Return the widest core around a peak that the checker accepts and that begins at `lo` or later."""
    t, derivative = scaled(peak.t), int(certificate["derivative"])
    for halvings in _HALVINGS:
        half = 4 * UNIT >> halvings
        grid = half >> 3
        begin, end = max((t - half) // grid * grid, 0), (t + half) // grid * grid + grid
        if begin < lo:
            continue
        cell = checker.Interval(begin, end, checker.BITS)
        bends = (checker.values(certificate, cell, derivative + 2) * peak.sign).hi < 0
        if bends and (checker.values(certificate, cell, derivative) * -peak.sign).hi < level:
            return begin, end
    raise InputError(OUT_OF_REACH)


def _cover(certificate: dict[str, Any], lo: int, hi: int, level: int) -> list[list[str]]:
    """Return cover cells from lo to hi: each as wide as will do, the next tried twice as wide."""
    cells: list[list[str]] = []
    width = UNIT // 4
    while lo < hi:
        end = min(lo + width, hi)
        cell = checker.Interval(lo, end, checker.BITS)
        around = checker.values(certificate, cell, int(certificate["derivative"]))
        if max(-around.lo, around.hi) < level:
            cells.append([_end(end)])
            lo, width = end, 2 * width
        else:
            width //= 2
        if width < _SMALLEST or len(cells) > checker.MAX_CELLS:
            raise InputError(OUT_OF_REACH)
    return cells
