"""What GELU is: x times the standard normal distribution function, in its equal forms (DLMF 7.2, 7.18)."""

from sympy import erf, oo, sqrt, sympify

from gelu_verify.proofs.methods.equality import Identity
from gelu_verify.proofs.methods.integrals import Antiderivative
from gelu_verify.proofs.methods.limits import ExactLimit
from gelu_verify.proofs.methods.order import BeyondLimit, MonotoneBySign, Rearrange, Sign
from gelu_verify.proofs.notation import NONZERO, POSITIVE, REALS, G, Phi, derivative, integral, limit, phi, t, x
from gelu_verify.proofs.statements import Compare, Equal, Monotone
from gelu_verify.proofs.theorem import Step, Theorem

_LINE = ((x, REALS),)
_HALF_LINE = ((x, POSITIVE),)
_HENDRYCKS = "Hendrycks & Gimpel, arXiv:1606.08415"


def _integral_form() -> Theorem:
    claim = Equal(G(x), x * integral(phi(t), t, -oo, x), _LINE)
    return Theorem(
        "gelu.definition.integral",
        "GELU is x times the probability that a standard normal variable is at most x",
        (claim,),
        (
            Step(
                Equal(integral(phi(t), t, -oo, x), Phi(x), _LINE),
                Antiderivative(Phi(t)),
                "The distribution function is an antiderivative of the density and vanishes at minus infinity.",
                "cdf",
            ),
            Step(claim, Identity(), "Multiply by x.", needs=("cdf",)),
        ),
        f"{_HENDRYCKS}; DLMF 7.2.2",
    )


def _erf_form() -> Theorem:
    claim = Equal(G(x), x / 2 * (1 + erf(x / sqrt(2))), _LINE)
    step = Step(claim, Identity(), "erfc(z) = 1 - erf(z), and erf is odd (DLMF 7.2.2, 7.4.1).")
    return Theorem(
        "gelu.definition.erf",
        "The erf form of GELU is the same function",
        (claim,),
        (step,),
        f"{_HENDRYCKS}; DLMF 7.2.2",
        remark="True of real numbers; in floating point 1 + erf cancels for negative x, erfc does not.",
    )


def _total() -> Theorem:
    total, spread = Equal(integral(phi(t), t, -oo, oo), 1), Equal(integral(t**2 * phi(t), t, -oo, oo), 1)
    mean = Equal(integral(t * phi(t), t, -oo, oo), 0)
    return Theorem(
        "normal.moments",
        "The density integrates to 1, has mean 0 and variance 1",
        (total, mean, spread),
        (
            Step(total, Antiderivative(Phi(t)), "Φ tends to 0 and 1."),
            Step(mean, Antiderivative(-phi(t)), "φ' = -t φ."),
            Step(spread, Antiderivative(Phi(t) - t * phi(t)), "(t φ)' = φ - t^2 φ."),
        ),
        "DLMF 7.2.1, 7.12",
    )


def _distribution() -> Theorem:
    mirror = Equal(Phi(x) + Phi(-x), 1, _LINE)
    rising = Monotone(Phi(x), True, _LINE)
    positive, below = Compare(Phi(x), ">", 0, _LINE), Compare(Phi(x), "<", 1, _LINE)
    slope = Compare(derivative(Phi(x), x), ">", 0, _LINE)
    return Theorem(
        "normal.distribution",
        "Φ rises strictly from 0 to 1, and Φ(x) + Φ(-x) = 1",
        (mirror, rising, positive, below),
        (
            Step(mirror, Identity(), "erf is odd."),
            Step(slope, Sign((phi(x),)), "Φ' = φ > 0.", "slope"),
            Step(rising, MonotoneBySign(), "Its derivative is positive.", "rising", ("slope",)),
            Step(Equal(limit(Phi(x), x, -oo), 0), ExactLimit(), "The limit on the left,", "left"),
            Step(Equal(limit(Phi(x), x, oo), 1), ExactLimit(), "and on the right.", "right"),
            Step(
                positive, BeyondLimit(), "A rising function stays above its limit on the left", needs=("rising", "left")
            ),
            Step(below, BeyondLimit(), "and below its limit on the right.", needs=("rising", "right")),
        ),
        "DLMF 7.4.2, 7.12.1",
    )


def _mills() -> Theorem:
    """Each bound's distance to the tail is monotone and tends to 0, so it keeps its sign."""
    bounds = ((phi(x) / x, False), (x * phi(x) / (1 + x**2), True))
    slopes = ((-1, phi(x), 1 / x**2), (2, phi(x), 1 / (1 + x**2) ** 2))
    steps: list[Step] = []
    claims: list[Compare] = []
    for number, ((bound, rising), factors) in enumerate(zip(bounds, slopes, strict=True)):
        gap = bound - Phi(-x)
        relation = ">" if rising else "<"
        claim = Compare(Phi(-x), relation, bound, _HALF_LINE)
        claims.append(claim)
        steps += [
            Step(Compare(derivative(gap, x), relation, 0, _HALF_LINE), Sign(tuple(map(sympify, factors))),
                 "The distance between bound and tail has a derivative of one sign,", f"slope {number}"),
            Step(Monotone(gap, rising, _HALF_LINE), MonotoneBySign(), "so it is monotone,", f"monotone {number}",
                 (f"slope {number}",)),
            Step(Equal(limit(gap, x, oo), 0), ExactLimit(), "and it tends to 0:", f"limit {number}"),
            Step(Compare(gap, "<" if rising else ">", 0, _HALF_LINE), BeyondLimit(), "its sign follows,",
                 f"sign {number}", (f"monotone {number}", f"limit {number}")),
            Step(claim, Rearrange(-1), "which is the bound.", needs=(f"sign {number}",)),
        ]  # fmt: skip
    return Theorem(
        "normal.mills",
        "The tail of the normal distribution lies between x φ(x)/(1 + x^2) and φ(x)/x",
        tuple(claims),
        tuple(steps),
        "DLMF 7.8; Gordon, Ann. Math. Statist. 12 (1941), 364-366",
        perturbations=(("domain: x != 0", (Compare(Phi(-x), "<", phi(x) / x, ((x, NONZERO),)),)),),
    )


THEOREMS = (_total(), _distribution(), _mills(), _integral_form(), _erf_form())
