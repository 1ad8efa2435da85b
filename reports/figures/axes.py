"""Scales: from numbers to places on the paper, and the ticks that explain them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: the numbers from `low` to `high` are laid out from `start` to `end`.

    Attributes:
        power: the ticks are labelled in units of 10^power, which the axis' label names.
        fixed: ticks given by hand, as (number, label).
        logarithmic: equal steps are equal factors (of 2 for ticks at powers of two, else of 10).
    """

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False
    power: int = 0
    fixed: tuple[tuple[float, str], ...] = ()

    @classmethod
    def of(cls, description: Mapping[str, Any], start: float, end: float) -> "Axis":
        """Read an axis of a figure's description."""
        logarithmic = description.get("scale") == "log"
        power, fixed = (
            description.get("power", 0),
            tuple((place, label) for place, label in description.get("ticks", ())),
        )
        return cls(description["low"], description["high"], start, end, logarithmic, power, fixed)

    def place(self, value: float) -> float:
        """Return where a number lies; numbers beyond the ends lie beyond the ends."""
        low, high, value = (self._warp(number) for number in (self.low, self.high, value))
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def holds(self, value: float) -> bool:
        """Tell whether the number lies on the axis."""
        return self.low <= value <= self.high

    def ticks(self, about: int = 6) -> list[tuple[float, str]]:
        """Return places of ticks, as numbers, with their labels."""
        if self.fixed:
            return list(self.fixed)
        return self._decades() if self.logarithmic else self._steps(about)

    def _warp(self, value: float) -> float:
        return math.log10(max(value, self.low / 10)) if self.logarithmic else value

    def _steps(self, about: int) -> list[tuple[float, str]]:
        low, high = Fraction(self.low), Fraction(self.high)
        step = _round_step((high - low) / about)
        first = math.ceil(low / step)
        places = [step * index for index in range(first, math.floor(high / step) + 1)]
        return [(float(place), _label(place / Fraction(10) ** self.power)) for place in places]

    def _decades(self) -> list[tuple[float, str]]:
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        stride = max(1, (last - first) // 6)
        return [(10.0**power, _power_label(power)) for power in range(first, last + 1, stride)]


def _round_step(step: Fraction) -> Fraction:
    """Return the least of 1, 2, 5 times a power of ten that is not below the step."""
    power = Fraction(10) ** math.floor(math.log10(step))
    return next(power * factor for factor in (1, 2, 5, 10, 20) if power * factor >= step)


def _label(value: Fraction) -> str:
    """Write a tick's number shortly, with a typographic minus.

    >>> _label(Fraction(-3, 2)), _label(Fraction(4)), _label(Fraction(1, 5))
    ('−1.5', '4', '0.2')
    """
    thousandths = round(value * 1000)
    whole, part = divmod(abs(thousandths), 1000)
    places = f".{part:03}".rstrip("0") if part else ""
    return ("\N{MINUS SIGN}" if thousandths < 0 else "") + str(whole) + places


_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _power_label(power: int) -> str:
    return str(10**power) if 0 <= power <= 3 else "10" + superscript(power)


def superscript(power: int) -> str:
    """Write an exponent.

    >>> superscript(-12)
    '⁻¹²'
    """
    return str(power).translate(_SUPERSCRIPT)
