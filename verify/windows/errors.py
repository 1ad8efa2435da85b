"""The errors of results at consecutive doubles, in ulps of the true values, each with a bound of its own."""

from dataclasses import dataclass
from math import ldexp

import numpy as np
import numpy.typing as npt

from gelu_verify.formats import Format
from gelu_verify.windows.double_double import UNIT, Floats, two_sum
from gelu_verify.windows.reference import Reference

Flags = npt.NDArray[np.bool_]

_DOUBTFUL = 2.0**-8  # a bound above so many ulps decides too little: such places are judged alone


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors result - true value; every array has the shape of the results.

    Attributes:
        scaled: in units of 2^exponent, off by at most `doubt`.
        ulps: the size in ulps of the true value, off by at most `slack`.
        exact: whether nothing but the reference's rest is missing from `scaled`.
        normal: where the true value is at least the least normal number (but for values next to it).
        subnormal: where the correctly rounded result is below the least normal number.
        overflow: where the true value rounds to an infinity.
        aside: where too little is known: beside a zero, a power of two or the overflow threshold.
    """

    reference: Reference
    scaled: Floats
    doubt: Floats
    ulps: Floats
    slack: Floats
    exact: Flags
    normal: Flags
    subnormal: Flags
    overflow: Flags
    aside: Flags


def measured(format: Format, reference: Reference, values: Floats) -> Errors:
    """Return the errors of the results `values` at all encodings of the reference."""
    exponent, bound = reference.exponent, reference.bound
    with np.errstate(all="ignore"):
        total, lost = two_sum(np.ldexp(values, -exponent), -reference.high)
        scaled = np.where(np.isfinite(total), total + (lost - reference.low), total)
        doubt = bound + np.abs(scaled) * (4 * UNIT)
        ulp, ambiguous = _ulps(format, reference)
        overflow, near_overflow = _overflow(reference)
        subnormal, near_subnormal = _subnormal(format, reference)
        aside = (ambiguous | near_subnormal | (bound > _DOUBTFUL * ulp)) & ~overflow | near_overflow
        return Errors(
            reference,
            scaled,
            doubt,
            np.abs(scaled) / ulp,
            doubt / ulp,
            (lost == 0) & (reference.low == 0),
            np.abs(reference.high) >= ldexp(1.0, format.emin - exponent),
            subnormal,
            overflow & ~near_overflow,
            aside,
        )


def _ulps(format: Format, reference: Reference) -> tuple[Floats, Flags]:
    """Return the scaled ulp of every true value, and where it may also be half of that.

    Only where the rounded value is a power of two may the true one lie in the binade below.
    """
    size = np.abs(reference.high)
    fraction, binade = np.frexp(size)
    outward = np.where(reference.high < 0, -1.0, 1.0)
    beyond = reference.low * outward
    at_power = (fraction == 0.5) & (binade - 1 > format.emin - reference.exponent)
    if reference.side is not None:
        inward = at_power & (reference.side * outward < 0)
        ambiguous = np.zeros(len(size), np.bool_)
    else:
        inward = at_power & (beyond < -reference.bound)
        ambiguous = at_power & (np.abs(beyond) <= reference.bound) & (reference.bound > 0)
    exponents = np.maximum(binade - 1 - inward, format.emin - reference.exponent) - format.fraction_bits
    return np.ldexp(1.0, exponents), ambiguous


def _subnormal(format: Format, reference: Reference) -> tuple[Flags, Flags]:
    """Return where the correctly rounded result is below the least normal number, and where that is not certain.

    From half a subnormal step below the least normal number on, values round to it.
    """
    least, half = (ldexp(1.0, format.emin - down - reference.exponent) for down in (0, format.fraction_bits + 1))
    beyond = (np.abs(reference.high) - least) + (np.where(reference.high < 0, -reference.low, reference.low) + half)
    return beyond < 0, np.abs(beyond) <= 2 * reference.bound


def _overflow(reference: Reference) -> tuple[Flags, Flags]:
    """Return where the true value rounds to an infinity of binary64, and where that is not certain.

    The threshold is half an ulp below 2^1024; what lies beyond it, rounded to 53 bits, is at least 2^1024.
    """
    size, nobody = np.abs(reference.high), np.zeros(len(reference.high), np.bool_)
    if np.isinf(size).any():
        return np.isinf(size), nobody
    if reference.exponent < 960:
        return nobody, nobody
    edge, half = ldexp(1.0, 1024 - reference.exponent), ldexp(1.0, 970 - reference.exponent)
    beyond = (size - edge) + (np.where(reference.high < 0, -reference.low, reference.low) + half)
    return beyond >= 0, np.abs(beyond) <= 2 * reference.bound
