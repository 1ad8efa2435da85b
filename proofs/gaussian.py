"""Gaussian expectations of φ(X), Φ(X), their product and Φ(X)² for a normal X.

X = μ + s z with z standard normal, so an expectation is an integral over z with the density φ(z). Throughout
r = √(1 + s²) and q = √(1 + 2 s²).
"""

from typing import Any

from sympy import Rational, exp, oo, pi, sqrt

from gelu_verify.proofs.methods.equality import Derivative, Identity, Specialise
from gelu_verify.proofs.methods.integrals import Antiderivative, IntegralBound, Linearity, Substitution
from gelu_verify.proofs.methods.limits import ExactLimit, LimitCombination, Squeeze
from gelu_verify.proofs.methods.order import Sign
from gelu_verify.proofs.methods.parameters import UnderIntegral
from gelu_verify.proofs.notation import (
    POSITIVE,
    REALS,
    OwenT,
    Phi,
    derivative,
    integral,
    limit,
    mu,
    phi,
    s,
    t,
    z,
)
from gelu_verify.proofs.statements import Compare, Equal, Over, substitute
from gelu_verify.proofs.theorem import Step, Theorem, cited

OVER: Over = ((mu, REALS), (s, POSITIVE))
_INNER: Over = ((z, REALS), *OVER)
X = mu + s * z
R, Q = sqrt(1 + s**2), sqrt(1 + 2 * s**2)
MEAN_OF_PHI = phi(mu / R) / R
MEAN_OF_PRODUCT = MEAN_OF_PHI * Phi(mu / (R * Q))
MEAN_OF_PHI_SQUARED = phi(sqrt(2) * mu / Q) / (Q * sqrt(2 * pi))
_OWEN = OwenT(mu / R, 1 / Q)
MEAN_OF_SQUARE = Phi(mu / R) - 2 * _OWEN
NORMAL = ("X is normal with mean μ and standard deviation s > 0; z is standard normal.",)


def mean(integrand: Any) -> Any:
    """Return the integral over z of the integrand times φ(z)."""
    return integral(integrand * phi(z), z, -oo, oo)


DENSITY = Equal(mean(phi(X)), MEAN_OF_PHI, OVER)
DISTRIBUTION = Equal(mean(Phi(X)), Phi(mu / R), OVER)
DISTRIBUTION_SQUARED = Equal(mean(Phi(X) ** 2), MEAN_OF_SQUARE, OVER)


def _density() -> Theorem:
    return Theorem(
        "gaussian.density",
        "The mean of φ(X) for a normal X",
        (DENSITY,),
        (Step(DENSITY, Antiderivative(MEAN_OF_PHI * Phi(R * z + mu * s / R)), "Complete the square in the exponent."),),
        "this project; DLMF 7.7.3",
        NORMAL,
    )


def _domination(
    integrand: Any, slope: Any, majorant: Any, factors: tuple[Any, ...], slope_factors: tuple[Any, ...]
) -> tuple[Step, ...]:
    """The four bounds and the integral of the majorant that allow differentiating under the integral sign."""
    return (
        Step(Compare(integrand, "<=", majorant, _INNER), Sign(factors), "The integrand is dominated", "above"),
        Step(Compare(integrand, ">=", 0, _INNER), Sign(), "and not negative,", "below"),
        Step(Compare(slope, "<=", majorant, _INNER), Sign(slope_factors), "and so is its derivative", "slope above"),
        Step(Compare(slope, ">=", 0, _INNER), Sign(), "in μ,", "slope below"),
    )


_UNDER = ("slope", "value", "limit", "pointwise", "above", "below", "slope above", "slope below", "bound")


def _distribution() -> Theorem:
    integrand, slope = Phi(X) * phi(z), phi(X) * phi(z)
    return Theorem(
        "gaussian.distribution",
        "The mean of Φ(X) for a normal X: the probability that X exceeds an independent standard normal variable",
        (DISTRIBUTION,),
        (
            cited(DENSITY, "gaussian.density", "The mean of φ(X).", "slope"),
            Step(
                Equal(derivative(Phi(mu / R), mu), MEAN_OF_PHI, OVER),
                Derivative(),
                "It is the derivative in μ of Φ(μ/r).",
                "value",
            ),
            Step(
                Equal(limit(Phi(mu / R), mu, -oo), 0, ((s, POSITIVE),)), ExactLimit(), "Both sides tend to 0", "limit"
            ),
            Step(
                Equal(limit(integrand, mu, -oo), 0, ((z, REALS), (s, POSITIVE))),
                ExactLimit(),
                "as μ -> -∞.",
                "pointwise",
            ),
            *_domination(integrand, slope, phi(z), (-1, phi(z), 1 - Phi(X)), (-1, phi(z), 1 - phi(X))),
            Step(
                Equal(integral(phi(z), z, -oo, oo), 1),
                Antiderivative(Phi(z)),
                "by φ(z), which has an integral.",
                "bound",
            ),
            Step(DISTRIBUTION, UnderIntegral(mu), "So both sides have the same derivative in μ.", needs=_UNDER),
        ),
        "this project",
        NORMAL,
    )


def product_steps() -> tuple[Step, ...]:
    """E[Φ(X) φ(X)], by completing the square and the mean of Φ for another normal variable."""
    other = substitute(DISTRIBUTION, {mu: mu / R**2, s: s / R}, OVER)
    return (
        cited(DISTRIBUTION, "gaussian.distribution", "The mean of Φ(X).", "distribution"),
        Step(
            other,
            Specialise(((mu, mu / R**2), (s, s / R))),
            "For mean μ/r² and deviation s/r.",
            "other",
            ("distribution",),
        ),
        Step(
            Equal(mean(Phi(X) * phi(X)), MEAN_OF_PRODUCT, OVER),
            Substitution(R * z + mu * s / R, MEAN_OF_PHI),
            "Complete the square: φ(X) φ(z) is a normal density in r z + μ s/r, times a constant.",
            "product",
            ("other",),
        ),
    )


def _owen_limit_steps() -> tuple[Step, ...]:
    """Owen's T tends to 0 with its first argument to minus infinity."""
    kernel = exp(-(mu**2) / R**2 * (1 + t**2) / 2) / (1 + t**2)
    top = exp(-(mu**2) / R**2 / 2)
    over: Over = ((t, REALS), *OVER)
    ceiling = top / (2 * pi * Q)
    inside = (t**2 + 1 - exp(-(mu**2) / R**2 * t**2 / 2)) / (1 + t**2)
    return (
        Step(
            Compare(kernel, "<=", top, over), Sign((-1, top, inside)), "The kernel is largest at t = 0.", "kernel above"
        ),
        Step(Compare(kernel, ">=", 0, over), Sign(), "It is positive.", "kernel below"),
        Step(Compare(_OWEN, "<=", ceiling, OVER), IntegralBound(), "So T is small,", "T above", ("kernel above",)),
        Step(Compare(_OWEN, ">=", 0, OVER), IntegralBound(), "and not negative,", "T below", ("kernel below",)),
        Step(Equal(limit(ceiling, mu, -oo), 0, ((s, POSITIVE),)), ExactLimit(), "and its bound vanishes.", "ceiling"),
        Step(
            Equal(limit(_OWEN, mu, -oo), 0, ((s, POSITIVE),)),
            Squeeze(),
            "T -> 0.",
            "T limit",
            ("T above", "T below", "ceiling"),
        ),
        Step(Equal(limit(Phi(mu / R), mu, -oo), 0, ((s, POSITIVE),)), ExactLimit(), "Φ -> 0.", "Phi limit"),
        Step(
            Equal(limit(MEAN_OF_SQUARE, mu, -oo), 0, ((s, POSITIVE),)),
            LimitCombination((1, -2)),
            "So the right side -> 0.",
            "limit",
            ("Phi limit", "T limit"),
        ),
    )


def _squared_slope_steps(slope: Any) -> tuple[Step, ...]:
    """The mean of the integrand's derivative in μ, and the derivative of the right side, which is the same."""
    inner = integral(-mu / R**2 * exp(-(mu**2) / R**2 * (1 + t**2) / 2), t, 0, 1 / Q)
    inner_value = -2 * pi * MEAN_OF_PHI * (Phi(mu / (R * Q)) - Rational(1, 2))
    mean_slope = Equal(integral(slope, z, -oo, oo), 2 * MEAN_OF_PRODUCT, OVER)
    right_slope = Equal(derivative(MEAN_OF_SQUARE, mu), 2 * MEAN_OF_PRODUCT, OVER)
    primitive = -2 * pi * MEAN_OF_PHI * Phi(mu * t / R)
    return (
        *product_steps(),
        Step(mean_slope, Linearity((2,)), "Twice that.", "slope", ("product",)),
        Step(Equal(inner, inner_value, OVER), Antiderivative(primitive), "T in its first argument:", "inner"),
        Step(right_slope, Identity(), "the right side has this derivative.", "value", ("inner",)),
    )


def _squared() -> Theorem:
    integrand, slope = Phi(X) ** 2 * phi(z), 2 * Phi(X) * phi(X) * phi(z)
    majorant = 2 * phi(z)
    factors = (-1, phi(z), 1 + Phi(-X) * (1 + Phi(X)))
    slope_factors = (-2, phi(z), Phi(-X) + Phi(X) * (1 - phi(X)))
    pointwise = Equal(limit(integrand, mu, -oo), 0, ((z, REALS), (s, POSITIVE)))
    total = Equal(integral(majorant, z, -oo, oo), 2)
    return Theorem(
        "gaussian.distribution_squared",
        "The mean of Φ(X)² for a normal X, by Owen's T",
        (DISTRIBUTION_SQUARED,),
        (
            *_squared_slope_steps(slope),
            *_owen_limit_steps(),
            Step(pointwise, ExactLimit(), "The integrand -> 0.", "pointwise"),
            *_domination(integrand, slope, majorant, factors, slope_factors),
            Step(total, Antiderivative(2 * Phi(z)), "by 2 φ(z), which has an integral.", "bound"),
            Step(DISTRIBUTION_SQUARED, UnderIntegral(mu), "Both sides have the same derivative in μ.", needs=_UNDER),
        ),
        "this project; Owen, Ann. Math. Statist. 27 (1956)",
        NORMAL,
    )


THEOREMS = (_density(), _distribution(), _squared())
