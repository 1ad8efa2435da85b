"""What a printed number says, and the one rule by which every printed number is judged.

The rule: *a printed decimal stands for all real numbers that round to it at its last printed digit.* 0.17 stands for
[0.165, 0.175], 0.170 for [0.1695, 0.1705], 4.7e-4 for [0.000465, 0.000475], 1e2 for [50, 150]. A decimal that ends in
`...` is cut, not rounded: 1.41... stands for [1.41, 1.42). Three stand for themselves alone: a fraction (1/2), a whole
number without a point (a slope of 1, a count), and any decimal that is claimed `exactly`.

- `equals`: the true number is one of those that the printed one stands for. `about 0.02` says the same; it matters for
  a whole number: `about 100` stands for [99.5, 100.5].
- `at most`, `below`, `at least`, `above`: an inequality limits by the printed number itself. With `about`, it limits by
  the farthest of the numbers that the printed one stands for: "at most about 0.0005" is true up to 0.00055.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import InputError

MAX_LENGTH = 400  # characters of a printed number
MAX_EXPONENT = 1000
DIGITS_TRIED = (20, 60, 250)  # significant digits asked for, until the printed number can be judged

_DECIMAL = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]+)(?:\.(?P<places>[0-9]*))?(?P<cut>\.\.\.)?(?:[eE](?P<exponent>[+-]?[0-9]+))?"
)
_FRACTION = re.compile(r"[+-]?[0-9]+/[0-9]+")


class Relation(StrEnum):
    """How the true number is said to lie to the printed one."""

    EQUALS = "equals"
    AT_MOST = "at most"
    BELOW = "below"
    AT_LEAST = "at least"
    ABOVE = "above"


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as somebody printed it.

    Attributes:
        places: how many decimal places were printed, or None for a fraction, which is exact.
        exponent: the printed power of ten.
        cut: whether it ends in `...`.
        whole: whether it is a whole number without a point, which is exact unless `about` is said.
    """

    text: str
    value: Fraction
    places: int | None
    exponent: int = 0
    cut: bool = False
    whole: bool = False

    @property
    def unit(self) -> Fraction:
        """The value of one step of the last printed digit; 0 for a fraction."""
        return Fraction(0) if self.places is None else Fraction(10) ** (self.exponent - self.places)

    @property
    def stands_for(self) -> tuple[Fraction, Fraction]:
        """The ends of the set of numbers that round to the printed one (or begin with it)."""
        if self.cut:
            ends = (self.value, self.value + (-self.unit if self.text.startswith("-") else self.unit))
            return min(ends), max(ends)
        return self.value - self.unit / 2, self.value + self.unit / 2

    def like(self, number: Fraction) -> str:
        """Print `number` as this one is printed: rounded (or cut) at the same place.

        >>> read_printed("-0.28").like(Fraction(-27846, 100000)), read_printed("4.1e-4").like(Fraction(473, 10**6))
        ('-0.28', '4.7e-4')
        """
        if self.places is None:
            return str(number)
        steps = abs(number) / self.unit
        count = int(steps) if self.cut else round(steps)
        whole, places = divmod(count, 10**self.places)
        decimal = f"{whole}.{places:0{self.places}}" if self.places else str(whole)
        sign = "-" if number < 0 and count else ""
        return sign + decimal + ("..." if self.cut else "") + (f"e{self.exponent}" if self.exponent else "")


def read_printed(text: str) -> Printed:
    """Read a printed number: a decimal (`-0.17`, `4.73e-4`, `1.41...`) or a fraction (`1/2`).

    Raises:
        InputError: it is neither, or far too long.

    >>> read_printed("0.020").unit
    Fraction(1, 1000)
    """
    shown = repr(text if len(text) <= 40 else text[:37] + "...")
    if len(text) > MAX_LENGTH:
        raise InputError(f"the printed number {shown} has {len(text)} characters; at most {MAX_LENGTH} are read")
    plain = text.strip().replace("\N{MINUS SIGN}", "-")
    if _FRACTION.fullmatch(plain):
        numerator, denominator = plain.split("/")
        if int(denominator) == 0:
            raise InputError(f"the printed number {shown} divides by zero")
        return Printed(plain, Fraction(int(numerator), int(denominator)), None)
    match = _DECIMAL.fullmatch(plain)
    if match is None:
        raise InputError(f"{shown} is not a printed number; {_advice(plain)}")
    exponent, places = match["exponent"] or "0", match["places"] or ""
    if len(exponent) > 6 or abs(int(exponent)) > MAX_EXPONENT:
        raise InputError(f"the printed number {shown} has an exponent beyond the limit of {MAX_EXPONENT}")
    digits = int(match["whole"] + places)
    value = digits * Fraction(10) ** (int(exponent) - len(places))
    whole = match["places"] is None and match["exponent"] is None and not match["cut"]
    signed = -value if match["sign"] == "-" else value
    return Printed(plain, signed, len(places), int(exponent), bool(match["cut"]), whole)


def _advice(text: str) -> str:
    """Return what would be right in place of a text that is no printed number."""
    if re.fullmatch(r"[+-]?[0-9]+,[0-9]+", text):
        return "write the decimal comma as a point"
    if re.match(r"(?i)about|approx|circa|[~≈<>≤≥=]", text):
        return "write the number alone, and beside it about = true or a relation such as 'at most'"
    return "write a decimal such as 0.0005, 4.7e-4 or 1.41..., or 1/2"


@dataclass(frozen=True, slots=True)
class NumberClaim:
    """A printed number together with how it is meant."""

    printed: Printed
    relation: Relation = Relation.EQUALS
    about: bool = False
    exactly: bool = False

    @property
    def literal(self) -> bool:
        """Whether the printed number is meant exactly as it stands."""
        return self.exactly or self.printed.places is None or (self.printed.whole and not self.about)

    def allows(self, enclosure: Enclosure) -> bool | None:
        """Tell whether every number of the enclosure agrees with the claim, none does, or (None) it is not decided."""
        low, high = (self.printed.value,) * 2 if self.literal else self.printed.stands_for
        if self.relation is Relation.EQUALS:
            return self._equals(enclosure, low, high)
        limit = self.printed.value
        if self.relation in (Relation.AT_MOST, Relation.BELOW):
            return _at_most(enclosure, high if self.about else limit, self.relation is Relation.BELOW)
        return _at_most(-enclosure, -(low if self.about else limit), self.relation is Relation.ABOVE)

    def _equals(self, enclosure: Enclosure, low: Fraction, high: Fraction) -> bool | None:
        # Of a cut decimal's ends, the one away from zero is printed with another last digit.
        excluded = None
        if self.printed.cut and not self.literal:
            excluded = low if self.printed.text.startswith("-") else high
        if enclosure.upper < low or enclosure.lower > high or enclosure.lower == enclosure.upper == excluded:
            return False
        inside = low <= enclosure.lower and enclosure.upper <= high
        return True if inside and excluded not in (enclosure.lower, enclosure.upper) else None


def _at_most(enclosure: Enclosure, limit: Fraction, strictly: bool) -> bool | None:
    if enclosure.upper < limit or (enclosure.upper == limit and not strictly):
        return True
    return False if enclosure.lower > limit or (strictly and enclosure.lower == limit) else None


def settle(claim: NumberClaim, enclose: Callable[[int], Enclosure]) -> tuple[bool | None, Enclosure]:
    """Decide the claim with ever narrower enclosures of the true number.

    Arguments:
        enclose: returns an enclosure with about the given number of significant digits.

    Returns:
        Whether the claim is true (None: not even the narrowest enclosure decides it), and the enclosure used last.
    """
    for digits in DIGITS_TRIED:
        enclosure = enclose(digits)
        answer = claim.allows(enclosure)
        if answer is not None:
            return answer, enclosure
    return None, enclosure
