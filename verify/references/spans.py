"""Spans: consecutive encodings of one sign in one binade, which is an arithmetic progression of real numbers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from gelu_verify.formats import Format

CHUNK = 1 << 16  # encodings that are evaluated and judged together


@dataclass(frozen=True, slots=True)
class Span:
    """The encodings `first` ... `first + count - 1` of a format: a power of two of them, aligned, in one binade.

    Subnormal numbers, with zero at index 0, count as one binade. The magnitude grows with the index; the value
    therefore falls with it where the sign bit is set.
    """

    format: Format
    first: int
    count: int

    @property
    def last(self) -> int:
        """The last encoding."""
        return self.first + self.count - 1

    @property
    def negative(self) -> bool:
        """Whether the sign bit is set."""
        return bool(self.first & self.format.sign_mask)

    @property
    def starts_at_zero(self) -> bool:
        """Whether the value at index 0 is zero, which is judged apart."""
        return self.first & ~self.format.sign_mask == 0

    @property
    def spacing(self) -> int:
        """The exponent e of the distance 2^e between neighbours."""
        field = (self.first & ~self.format.sign_mask) >> self.format.fraction_bits
        return self.format.emin - self.format.fraction_bits + max(field - 1, 0)

    @property
    def centre(self) -> Fraction:
        """The value at index count/2."""
        return self.format.exact(self.first + self.count // 2)

    def point(self, index: int) -> arb:
        """Return the value at an index as an exact ball; index `count` is the next number above in magnitude."""
        fraction_bits = self.format.fraction_bits
        field, fraction = divmod(self.first & ~self.format.sign_mask, 1 << fraction_bits)
        significand = fraction + index + (1 << fraction_bits if field else 0)
        return arb((-significand if self.negative else significand, self.spacing))

    def hull(self) -> arb:
        """Return a ball that holds every value of the span except zero (beside zero a function may have a kink)."""
        first = self.point(1) if self.starts_at_zero and self.count > 1 else self.point(0)
        return first.union(self.point(self.count - 1))

    def halves(self) -> tuple["Span", "Span"]:
        """Split in the middle."""
        half = self.count // 2
        return Span(self.format, self.first, half), Span(self.format, self.first + half, half)


def binades(format: Format) -> Iterator[Span]:
    """Yield the binades of all finite numbers, each side of zero from the smallest magnitude up."""
    size = format.min_normal
    for sign in (0, format.sign_mask):
        for magnitude in range(0, format.max_finite + 1, size):
            if magnitude + size - 1 <= format.max_finite:
                yield Span(format, sign | magnitude, size)
            else:
                yield from _aligned(format, sign, magnitude, format.max_finite + 1)


def _aligned(format: Format, sign: int, start: int, stop: int) -> Iterator[Span]:
    """Cut the magnitudes of a broken binade (e4m3fn gives its last encoding to NaN) into aligned powers of two."""
    while start < stop:
        count = start & -start if start else format.min_normal
        while start + count > stop:
            count //= 2
        yield Span(format, sign | start, count)
        start += count


def require_tiling(pieces: Iterable[tuple[int, int]], first: int, total: int) -> None:
    """Check that pieces (first, count) are disjoint, leave nothing out and sum to `total` from `first` on.

    Raises:
        ArithmeticError: they do not. A sweep over such pieces would not be exhaustive.

    >>> require_tiling([(4, 2), (0, 4)], 0, 6)
    >>> require_tiling([(0, 4), (5, 1)], 0, 6)
    Traceback (most recent call last):
    ...
    ArithmeticError: the partition has a gap or an overlap at 0x4: the next piece starts at 0x5
    """
    position = first
    for start, count in sorted(pieces):
        if start != position or count <= 0:
            raise ArithmeticError(
                f"the partition has a gap or an overlap at {position:#x}: the next piece starts at {start:#x}"
            )
        position += count
    if position != first + total:
        raise ArithmeticError(f"the partition covers {position - first} encodings of {total}")
