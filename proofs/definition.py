"""What GELU is: x times the standard normal distribution function, in its equal forms (DLMF 7.2, 7.18)."""

from gelu_verify.proofs.methods.equality import Identity
from gelu_verify.proofs.methods.integrals import Antiderivative
from gelu_verify.proofs.notation import POSITIVE, REALS, G, Phi, integral, phi, t, x
from gelu_verify.proofs.statements import Equal
from gelu_verify.proofs.theorem import Step, Theorem
from sympy import erf, oo, sqrt

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


THEOREMS = (_integral_form(), _erf_form())
