"""Smooth functions over intervals: Taylor models whose precision grows as the intervals shrink."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import perm

from flint import arb, fmpq

from gelu_verify.bounds.intervals import range_between
from gelu_verify.catalogue.derivative import derivative
from gelu_verify.catalogue.evaluators import NotSmooth, arb_taylor, arb_value, ball_power
from gelu_verify.catalogue.expression import Expression
from gelu_verify.catalogue.forms import NoNormalForm, number
from gelu_verify.catalogue.normal_form import normal_form
from gelu_verify.enclosures import working_precision

LEAST_BITS = 64


_LINE = arb(0, float("inf"))


def point(x: Fraction) -> arb:
    """Enclose a rational number."""
    return arb(fmpq(x.numerator, x.denominator))


def segment(lower: Fraction, upper: Fraction) -> arb:
    """Enclose a segment."""
    return point(lower).union(point(upper))


def bits_for(lower: Fraction, upper: Fraction, least: int = LEAST_BITS) -> int:
    """Return a precision at which rounding errors stay far below the variation of a function over a short segment."""
    width = upper - lower
    shrunk = width.denominator.bit_length() - width.numerator.bit_length() if width else 0
    return least + 3 * max(shrunk, 0)


@dataclass(frozen=True, slots=True)
class Model:
    """Enclosures of a function's value at a cell's middle and, over the cell, of f, f' and f''/2."""

    middle: arb
    value: arb
    slope: arb
    bend: arb


def vanishes(expression: Expression, at: Fraction | None = None) -> bool:
    """Return whether the expression is proven to be exactly zero, at a rational point or everywhere."""
    try:
        return not normal_form(expression, None if at is None else number(at))
    except NoNormalForm:
        return False


@lru_cache(maxsize=256)
def _written_out(base: Expression, order: int) -> Expression:
    return derivative(base, order)


@dataclass(frozen=True, slots=True)
class Smooth:
    """A derivative of an expression without kinks, evaluated through the Taylor series of the expression itself."""

    base: Expression
    order: int = 0

    @property
    def expression(self) -> Expression:
        """The derivative written out."""
        return _written_out(self.base, self.order) if self.order else self.base

    def derivative(self, by: int = 1) -> "Smooth":
        """Return a further derivative."""
        return Smooth(self.base, self.order + by)

    def vanishes(self, at: Fraction | None = None) -> bool:
        """Return whether the function is proven to be exactly zero, at a rational point or everywhere."""
        return vanishes(self.expression, at)

    def value(self, x: arb) -> arb:
        """Enclose the values over the ball; not finite where the function is not defined."""
        if self.order == 0:
            return arb_value(self.base, x)
        coefficients = self.taylor(x, 0)
        return arb("nan") if coefficients is None else coefficients[0]

    def taylor(self, x: arb, order: int) -> list[arb] | None:
        """Return the enclosed Taylor coefficients, or None where the ball meets a kink, a pole or the domain's edge."""
        try:
            coefficients = arb_taylor(self.base, x, order + self.order)
        except (NotSmooth, ZeroDivisionError, ValueError):
            return None
        if not all(coefficient.is_finite() for coefficient in coefficients):
            return None
        return [c * perm(k + self.order, self.order) for k, c in enumerate(coefficients[self.order :])]

    def model(self, lower: Fraction, upper: Fraction, least_bits: int = LEAST_BITS) -> Model | None:
        """Enclose the function over [lower, upper] by Taylor's theorem at the middle, or None where it has no values.

        Where only derivatives fail (at the end of a root's domain), slope and bend are the whole line.
        """
        with working_precision(bits_for(lower, upper, least_bits)):
            middle = (lower + upper) / 2
            inside, over = self.taylor(point(middle), 1), self.taylor(segment(lower, upper), 2)
            if inside is None or over is None:
                value = self.value(segment(lower, upper))
                return Model(self.value(point(middle)), value, _LINE, _LINE) if value.is_finite() else None
            offset = segment(lower - middle, upper - middle)
            slope = over[1].intersection(inside[1] + 2 * over[2] * offset)
            value = over[0].intersection(inside[0] + inside[1] * offset + over[2] * ball_power(offset, 2))
            return Model(inside[0], value.intersection(inside[0] + slope * offset), slope, over[2])

    def range(self, lower: Fraction, upper: Fraction, least_bits: int = LEAST_BITS) -> tuple[arb, arb] | None:
        """Return bounds of the values over [lower, upper] by interval arithmetic on ends, None if there are none."""
        with working_precision(bits_for(lower, upper, least_bits)):
            return range_between(self.expression, point(lower).lower(), point(upper).upper())

    def sign_at(self, x: Fraction, most_bits: int = 2048) -> int | None:
        """Return the sign at a rational point, 0 only for an exact zero, None if it is not decided."""
        bits = LEAST_BITS
        while bits <= most_bits:
            with working_precision(bits):
                value = self.value(point(x))
            if not value.is_finite():
                return None
            if value.is_zero() or value > 0 or value < 0:
                return 0 if value.is_zero() else (1 if value > 0 else -1)
            bits *= 4
        return None
