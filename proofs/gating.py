"""GELU as a gate: the expectation of a random mask, what it shares with dropout, and its limit, ReLU."""

from dataclasses import replace
from typing import Any

from sympy import Interval, Symbol, oo
from sympy.stats import Bernoulli, Expectation, Normal, Probability, Variance

from gelu_verify.proofs.extrema import STATIONARY
from gelu_verify.proofs.methods.assembly import Cases
from gelu_verify.proofs.methods.equality import Specialise, StatisticsOf
from gelu_verify.proofs.methods.integrals import Antiderivative
from gelu_verify.proofs.methods.limits import ExactLimit
from gelu_verify.proofs.methods.order import Rearrange
from gelu_verify.proofs.notation import (
    NEGATIVE,
    POSITIVE,
    REALS,
    G,
    Phi,
    ReLU,
    alpha,
    integral,
    limit,
    phi,
    t,
    x,
)
from gelu_verify.proofs.statements import Compare, Equal, Over
from gelu_verify.proofs.theorem import Step, Theorem, cited

_LINE: Over = ((x, REALS),)
_PAPER = "Hendrycks & Gimpel, arXiv:1606.08415, section 2"

_KEEP = Symbol("p", positive=True)  # a keep probability
_UNIT = Interval.Lopen(0, 1)
_DROPOUT: Over = ((x, REALS), (_KEEP, _UNIT))


def _mask(probability: Any) -> Any:
    """Return the random variable m that is 1 with this probability, else 0."""
    return Bernoulli("m", probability)


def _mean() -> Theorem:
    claim = Equal(Expectation(_mask(Phi(x)) * x), G(x), _LINE)
    return Theorem(
        "gelu.gating.mean",
        "GELU is the mean of x times a mask that keeps x with probability Φ(x)",
        (claim,),
        (Step(claim, StatisticsOf(), "Two outcomes: x with probability Φ(x), 0 otherwise."),),
        _PAPER,
        ("m is a Bernoulli variable with parameter Φ(x), drawn for each x.",),
    )


def _variance() -> Theorem:
    claim = Equal(Variance(_mask(Phi(x)) * x), x**2 * Phi(x) * Phi(-x), _LINE)
    return Theorem(
        "gelu.gating.variance",
        "The masked input has variance x² Φ(x) (1 - Φ(x)): most where the gate is undecided",
        (claim,),
        (Step(claim, StatisticsOf(), "E[(m x)²] - E[m x]² with m² = m, and 1 - Φ(x) = Φ(-x)."),),
        _PAPER,
        ("m is a Bernoulli variable with parameter Φ(x), drawn for each x.",),
    )


def _threshold() -> Theorem:
    gate = Equal(Probability(Normal("Z", 0, 1) <= x), Phi(x), _LINE)
    area = Equal(integral(x * phi(t), t, -oo, x), G(x), _LINE)
    return Theorem(
        "gelu.gating.threshold",
        "The same mask, as a comparison with noise: keep x when a standard normal variable Z is at most x",
        (gate, area),
        (
            Step(gate, StatisticsOf(), "P(Z ≤ x) is the distribution function."),
            Step(area, Antiderivative(x * Phi(t)), "E[x 1{Z ≤ x}]: integrate the density up to x."),
        ),
        _PAPER,
    )


def _smoothed_relu() -> Theorem:
    claim = Equal(integral((x - t) * phi(t), t, -oo, x), G(x) + phi(x), _LINE)
    return Theorem(
        "gelu.gating.smoothed_relu",
        "GELU is not ReLU smoothed by noise: E ReLU(x + Z) = G(x) + φ(x)",
        (claim,),
        (
            Step(
                claim,
                Antiderivative(x * Phi(t) + phi(t)),
                "E ReLU(x + Z) = E ReLU(x - Z) is the integral of (x - t) φ(t) up to x; -t φ(t) integrates to φ(t).",
            ),
        ),
        "this project",
    )


def _dropout() -> Theorem:
    mean = Equal(Expectation(_mask(_KEEP) * x), _KEEP * x, _DROPOUT)
    variance = Equal(Variance(_mask(_KEEP) * x), _KEEP * (1 - _KEEP) * x**2, _DROPOUT)
    inverted = Equal(Expectation(_mask(_KEEP) * x / _KEEP), x, _DROPOUT)
    spread = Equal(Variance(_mask(_KEEP) * x / _KEEP), (1 - _KEEP) / _KEEP * x**2, _DROPOUT)
    return Theorem(
        "gelu.gating.dropout",
        "With a keep probability that ignores x the mask is dropout: its mean is linear in x",
        (mean, variance, inverted, spread),
        tuple(
            Step(claim, StatisticsOf(), "Two outcomes, with probabilities p and 1 - p.")
            for claim in (mean, variance, inverted, spread)
        ),
        "Srivastava et al., JMLR 15 (2014)",
        ("m is a Bernoulli variable with parameter p, 0 < p ≤ 1.",),
        remark="GELU is what remains when the keep probability depends on the input itself.",
    )


def _relu_limit() -> Theorem:
    scaled = limit(G(alpha * x) / alpha, alpha, oo)
    claims = (Equal(scaled, x, ((x, POSITIVE),)), Equal(scaled, 0, ((x, NEGATIVE),)))
    wide = Equal(limit(G(alpha * x) / alpha, alpha, 0, "+"), x / 2, _LINE)
    return Theorem(
        "gelu.gating.relu_limit",
        "As the scale grows GELU becomes ReLU, as it shrinks the line x/2: G(αx)/α -> ReLU(x), x/2",
        (*claims, wide),
        (
            *(Step(claim, ExactLimit(), "Φ(αx) tends to 1 or 0 with the sign of x.") for claim in claims),
            Step(wide, ExactLimit(), "Φ(αx) tends to 1/2."),
        ),
        f"{_PAPER} (σ -> 0)",
    )


def _relu_rate() -> Theorem:
    both: Over = ((x, REALS), (alpha, POSITIVE))
    bound = Compare(ReLU(x) - G(x), "<=", -G(STATIONARY), _LINE)
    scaled = Compare(ReLU(alpha * x) - G(alpha * x), "<=", -G(STATIONARY), both)
    claim = Compare(ReLU(x) - G(alpha * x) / alpha, "<=", -G(STATIONARY) / alpha, both)
    halves = tuple(
        replace(claim, over=((x, region), (alpha, POSITIVE))) for region in (Interval(-oo, 0), Interval(0, oo))
    )
    return Theorem(
        "gelu.gating.relu_rate",
        "The convergence to ReLU is uniform: G(αx)/α is below ReLU(x) by at most |G(ξ)|/α, for all x",
        (claim,),
        (
            cited(bound, "gelu.shape.relu_distance", "The distance for α = 1.", "bound"),
            Step(scaled, Specialise(((x, alpha * x),)), "At α x.", "scaled", ("bound",)),
            *(
                Step(half, Rearrange(1 / alpha), "Divide by α: ReLU(αx) = α ReLU(x).", name, ("scaled",))
                for half, name in zip(halves, ("left", "right"), strict=True)
            ),
            Step(claim, Cases(), "Both half-lines.", needs=("left", "right")),
        ),
        "this project",
    )


THEOREMS = (
    _mean(),
    _variance(),
    _threshold(),
    _smoothed_relu(),
    _dropout(),
    _relu_limit(),
    _relu_rate(),
)
