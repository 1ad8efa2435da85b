"""One floating-point format: how its encodings, its exact values and its roundings correspond."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from gelu_verify.errors import InputError
from gelu_verify.formats.decimals import shortest_decimal, written
from gelu_verify.formats.rounding import dyadic, floor_log2, nearest_multiple

if TYPE_CHECKING:
    import flint


@dataclass(frozen=True, slots=True)
class Format:
    """A binary floating-point format of IEEE 754 kind: a sign bit, an exponent field, a fraction field.

    `width` is the number of bits of an encoding, `precision` the number of significant bits of a normal number (the
    hidden one counted), and normal numbers lie in the binades 2^emin to 2^emax. The magnitude of an encoding, which is
    everything but its sign bit, grows with the absolute value it stands for: that is why rounding, neighbours and
    ordinals below are arithmetic on magnitudes.

    A format without infinities (e4m3fn) spends its topmost magnitude on its only NaN and uses the rest for numbers.

    A method that is given bits raises InputError when they do not fit in `width`.
    """

    name: str
    width: int
    precision: int
    emin: int
    emax: int
    has_infinity: bool = True

    @property
    def fraction_bits(self) -> int:
        """Width of the fraction field."""
        return self.precision - 1

    @property
    def sign_mask(self) -> int:
        """The encoding with only its sign bit set, which is also -0."""
        return 1 << (self.width - 1)

    @property
    def overflow(self) -> int:
        """Magnitude that every too large number rounds to: infinity, or NaN where the format has no infinity."""
        all_exponent_bits = self.sign_mask - (1 << self.fraction_bits)
        return all_exponent_bits if self.has_infinity else self.sign_mask - 1

    @property
    def infinity(self) -> int:
        """Bits of +infinity; raises InputError where the format has none."""
        if not self.has_infinity:
            raise InputError(f"{self.name} has no infinity; its largest number is {self.hex(self.max_finite)}")
        return self.overflow

    @property
    def nan(self) -> int:
        """Bits of the usual quiet NaN: positive, with only the first fraction bit set (e4m3fn has a single one)."""
        return self.overflow | 1 << (self.fraction_bits - 1)

    @property
    def max_finite(self) -> int:
        """Bits of the largest finite number."""
        return self.overflow - 1

    @property
    def min_normal(self) -> int:
        """Bits of the least positive normal number, 2^emin."""
        return 1 << self.fraction_bits

    @property
    def min_subnormal(self) -> int:
        """Bits of the least positive number, 2^(emin - precision + 1)."""
        return 1

    def sign(self, bits: int) -> int:
        """Return the sign bit, 0 or 1 (of zeros and NaNs too)."""
        return self._checked(bits) >> (self.width - 1)

    def is_nan(self, bits: int) -> bool:
        """Tell whether `bits` encode a NaN.

        >>> from gelu_verify.formats import FORMATS
        >>> e5m2 = FORMATS["e5m2"]
        >>> [e5m2.is_nan(bits) for bits in (0x7B, 0x7C, 0x7D, 0xFF)]
        [False, False, True, True]
        """
        return self._magnitude(bits) > self._greatest

    def is_infinite(self, bits: int) -> bool:
        """Tell whether `bits` encode an infinity."""
        return self.has_infinity and self._magnitude(bits) == self.overflow

    def is_finite(self, bits: int) -> bool:
        """Tell whether `bits` encode a number: neither an infinity nor a NaN."""
        return self._magnitude(bits) <= self.max_finite

    def exact(self, bits: int) -> Fraction:
        """Return the number that `bits` stand for; both zeros give 0. Raises InputError for infinities and NaNs.

        >>> from gelu_verify.formats import FORMATS
        >>> FORMATS["binary16"].exact(0xBC01)
        Fraction(-1025, 1024)
        """
        if not self.is_finite(bits):
            raise InputError(f"{self.bits_text(bits)} is {self.hex(bits)} in {self.name}; a finite number is needed")
        value = dyadic(*self._significand_exponent(self._magnitude(bits)))
        return -value if self.sign(bits) else value

    def round(self, q: Fraction | int, negative_zero: bool = False) -> int:
        """Return the bits of the number nearest to q, the one with an even significand of two equally near.

        Overflow is decided as if the exponent had no upper end (IEEE 754-2019 §4.3.1): from the largest finite number
        plus half its ulp on, the result is an infinity. Where there is none it is NaN with the sign of q, beyond (and
        not at) that point: in e4m3fn 464 is a tie between 448 and an encoding taken by NaN, and 448 is the even one.
        A negative q that rounds to zero gives -0; q = 0 gives -0 if `negative_zero` is set, and +0 otherwise.

        >>> from gelu_verify.formats import FORMATS
        >>> binary32 = FORMATS["binary32"]
        >>> [hex(binary32.round(q)) for q in (Fraction(-1, 10), 10**40, Fraction(-1, 2**151))]
        ['0xbdcccccd', '0x7f800000', '0x80000000']
        """
        sign = self.sign_mask if q < 0 or (q == 0 and negative_zero) else 0
        return sign | self._rounded_magnitude(abs(Fraction(q)))

    def round_ball(self, ball: "flint.arb") -> int | None:
        """Return the bits that every point of the ball rounds to, or None if there are two different ones.

        Rounding is that of `round`: a ball of negative numbers that round to zero gives -0, the exact ball 0 gives +0,
        and a ball with points on both sides of zero gives None however small it is. So does a ball that is not finite.
        The decision is exact, does not depend on the working precision, and stays cheap for exponents of any size.

        >>> import flint
        >>> from gelu_verify.formats import FORMATS
        >>> e4m3fn = FORMATS["e4m3fn"]
        >>> hex(e4m3fn.round_ball(flint.arb("1.1", "0.03"))), e4m3fn.round_ball(flint.arb("1.1", "0.05"))
        ('0x39', None)
        """
        import flint

        if not ball.is_finite():
            return None
        negative = bool(ball < 0)
        if not negative and not ball >= 0:
            return None
        size = ball.neg(exact=True) if negative else ball  # a plain minus would round to the working precision
        mantissa, exponent = (int(part) for part in size.mid().man_exp())
        magnitude = self._rounded_dyadic_magnitude(mantissa, exponent)
        # Whoever is nearest to the midpoint must be nearest to all of the ball: no boundary may be crossed, and one of
        # two equally near neighbours has the even significand. Comparisons of balls in Arb are exact.
        tie_is_ours = magnitude % 2 == 0
        if magnitude > 0:
            lower = flint.arb(self._boundary_above(magnitude - 1))
            if not (size >= lower if tie_is_ours else size > lower):
                return None
        if magnitude < self.overflow:
            upper = flint.arb(self._boundary_above(magnitude))
            if not (size <= upper if tie_is_ours else size < upper):
                return None
        return magnitude | self.sign_mask if negative else magnitude

    def ulp(self, q: Fraction | int) -> Fraction:
        """Return the unit in the last place at the real number q, a power of two.

        For q != 0 with 2^e <= |q| < 2^(e+1) it is 2^(max(e, emin) - precision + 1), also beyond the largest finite
        number; at 0 it is the spacing of the subnormal numbers. The error of a result r against the exact value y is
        |r - y| / ulp(y).

        >>> from gelu_verify.formats import FORMATS
        >>> binary16 = FORMATS["binary16"]
        >>> binary16.ulp(1), binary16.ulp(Fraction(999, 1000)), binary16.ulp(0)
        (Fraction(1, 1024), Fraction(1, 2048), Fraction(1, 16777216))
        """
        exponent = floor_log2(abs(Fraction(q))) if q else self.emin
        return dyadic(1, max(exponent, self.emin) - self.fraction_bits)

    def next_up(self, bits: int) -> int:
        """Return the least datum greater than this one, as nextUp of IEEE 754-2019 §5.3.1 does.

        Both zeros lead to the least positive number, and the least negative number to -0. The greatest datum of all
        (infinity, or the largest number where there is no infinity) and NaNs are returned unchanged.

        >>> from gelu_verify.formats import FORMATS
        >>> binary16 = FORMATS["binary16"]
        >>> [hex(binary16.next_up(bits)) for bits in (0x8002, 0x8001, 0x8000, 0x0000, 0x7BFF, 0x7C00)]
        ['0x8001', '0x8000', '0x1', '0x1', '0x7c00', '0x7c00']
        """
        if self.is_nan(bits):
            return bits
        if self._magnitude(bits) == 0:
            return self.min_subnormal
        if self.sign(bits):
            return bits - 1
        return min(bits + 1, self._greatest)

    def next_down(self, bits: int) -> int:
        """Return the greatest datum less than this one: `next_up` seen in the mirror."""
        return bits if self.is_nan(bits) else self.next_up(bits ^ self.sign_mask) ^ self.sign_mask

    def ordinal(self, bits: int) -> int:
        """Return the place of a datum in the order of the format: neighbours differ by 1, +0 has 0 and -0 has -1.

        Infinities have ordinals too, the least and the greatest. Raises InputError for NaNs.

        >>> from gelu_verify.formats import FORMATS
        >>> binary16 = FORMATS["binary16"]
        >>> [binary16.ordinal(bits) for bits in (0x8001, 0x8000, 0x0000, 0x0001, 0x7C00)]
        [-2, -1, 0, 1, 31744]
        """
        if self.is_nan(bits):
            raise InputError(f"{self.bits_text(bits)} is a NaN of {self.name}; only numbers and infinities are ordered")
        return -1 - self._magnitude(bits) if self.sign(bits) else bits

    def from_ordinal(self, ordinal: int) -> int:
        """Return the bits of the datum with this ordinal. Raises InputError if the format has none."""
        greatest = self._greatest
        if not -1 - greatest <= ordinal <= greatest:
            raise InputError(f"{self.name} has no ordinal {ordinal}; they go from {-1 - greatest} to {greatest}")
        return ordinal if ordinal >= 0 else self.sign_mask | -1 - ordinal

    def hex(self, bits: int) -> str:
        """Return the value as a normalised hexadecimal float in the manner of C, or 'inf', '-inf', 'nan'.

        >>> from gelu_verify.formats import FORMATS
        >>> binary32 = FORMATS["binary32"]
        >>> [binary32.hex(bits) for bits in (0x3FC00000, 0x80000001, 0x80000000, 0x7F7FFFFF, 0xFF800000)]
        ['0x1.8p+0', '-0x1p-149', '-0x0p+0', '0x1.fffffep+127', '-inf']
        """
        if self.is_nan(bits):
            return "nan"
        sign = "-" if self.sign(bits) else ""
        if self.is_infinite(bits):
            return f"{sign}inf"
        significand, exponent = self._significand_exponent(self._magnitude(bits))
        if significand == 0:
            return f"{sign}0x0p+0"
        length = significand.bit_length() - 1
        digits = -(-length // 4)
        fraction = (significand << (4 * digits - length)) - (1 << 4 * digits)
        tail = f".{fraction:0{digits}x}".rstrip("0") if fraction else ""
        return f"{sign}0x1{tail}p{exponent + length:+d}"

    def decimal(self, bits: int) -> str:
        """Return the shortest decimal that rounds to the number, written as Python does; or 'inf', '-inf', 'nan'.

        >>> from gelu_verify.formats import FORMATS
        >>> [FORMATS["binary32"].decimal(bits) for bits in (0x3DCCCCCD, 0x80000000, 0x00000001, 0x7F7FFFFF)]
        ['0.1', '-0.0', '1e-45', '3.4028235e+38']
        """
        if not self.is_finite(bits):
            return self.hex(bits)
        sign, magnitude = "-" if self.sign(bits) else "", self._magnitude(bits)
        if magnitude == 0:
            return f"{sign}0.0"
        m, k = shortest_decimal(self.exact(magnitude), lambda decimal: self.round(decimal) == magnitude)
        return sign + written(m, k)

    def bits_text(self, bits: int) -> str:
        """Return the encoding as a hexadecimal number of full width.

        >>> from gelu_verify.formats import FORMATS
        >>> FORMATS["binary16"].bits_text(1)
        '0x0001'
        """
        return f"0x{self._checked(bits):0{self.width // 4}x}"

    @property
    def _greatest(self) -> int:
        """Bits of the greatest datum in the order."""
        return self.max_finite + self.has_infinity

    def _checked(self, bits: int) -> int:
        if not 0 <= bits < 1 << self.width:
            raise InputError(f"{bits:#x} is not an encoding of {self.name}, which has {self.width} bits")
        return bits

    def _magnitude(self, bits: int) -> int:
        return self._checked(bits) & ~self.sign_mask

    def _significand_exponent(self, magnitude: int) -> tuple[int, int]:
        """Return integers (m, e) such that the magnitude stands for m * 2^e, with 2^e its distance to the next."""
        field, fraction = divmod(magnitude, self.min_normal)
        hidden = self.min_normal if field else 0
        return hidden + fraction, self.emin - self.fraction_bits + max(field - 1, 0)

    def _boundary_above(self, magnitude: int) -> tuple[int, int]:
        """Return (m, e) such that m * 2^e is halfway between this magnitude and the next one."""
        significand, exponent = self._significand_exponent(magnitude)
        return 2 * significand + 1, exponent - 1

    def _rounded_magnitude(self, q: Fraction) -> int:
        """Round q >= 0. A carry out of the significand moves into the exponent field by itself."""
        if q == 0:
            return 0
        exponent = floor_log2(q)
        if exponent > self.emax:
            return self.overflow
        exponent = max(exponent, self.emin)
        significand = nearest_multiple(q, exponent - self.fraction_bits)
        # A normal significand holds the hidden bit, which adds the 1 by which the field of emin exceeds that of zero.
        return min(((exponent - self.emin) << self.fraction_bits) + significand, self.overflow)

    def _rounded_dyadic_magnitude(self, mantissa: int, exponent: int) -> int:
        """Round mantissa * 2^exponent >= 0 without ever shifting by an exponent far outside the format."""
        top = mantissa.bit_length() + exponent
        if top > self.emax + 1:
            return self.overflow
        if top < self.emin - self.fraction_bits - 1:
            return 0
        return self._rounded_magnitude(dyadic(mantissa, exponent))
