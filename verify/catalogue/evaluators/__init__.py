"""The numeric walkers: Arb balls, Arb Taylor series, exact rationals and mpmath.

Each is one algebra for `evaluate`; none knows any particular function of the catalogue. The Arb walkers give
enclosures: the result holds the true value for every point of the input ball. mpmath's is a second, independent
arithmetic and never a proof.
"""

from gelu_verify.catalogue.evaluators.balls import arb_value, ball_power
from gelu_verify.catalogue.evaluators.multiprecision import mpmath_value
from gelu_verify.catalogue.evaluators.rationals import exact_value
from gelu_verify.catalogue.evaluators.series import NotSmooth, arb_taylor

__all__ = ["NotSmooth", "arb_taylor", "arb_value", "ball_power", "exact_value", "mpmath_value"]
