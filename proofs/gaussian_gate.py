"""What GELU makes of a normal input: the means of G(X), G'(X) and G(X)², by integration by parts."""

from typing import Any

from sympy import Integer, Rational, atan, oo, pi, sqrt

from gelu_verify.proofs.gaussian import (
    DENSITY,
    DISTRIBUTION,
    DISTRIBUTION_SQUARED,
    MEAN_OF_PHI,
    MEAN_OF_PHI_SQUARED,
    MEAN_OF_PRODUCT,
    MEAN_OF_SQUARE,
    NORMAL,
    OVER,
    Q,
    R,
    X,
    mean,
    product_steps,
)
from gelu_verify.proofs.methods.equality import Identity, Specialise
from gelu_verify.proofs.methods.integrals import Antiderivative, Linearity
from gelu_verify.proofs.notation import G, OwenT, Phi, derivative_at, integral, mu, phi, s, t, y, z
from gelu_verify.proofs.statements import Equal, substitute
from gelu_verify.proofs.theorem import Step, Theorem, cited

EXPECTATION = Equal(mean(G(X)), mu * Phi(mu / R) + s**2 * MEAN_OF_PHI, OVER)
SLOPE = Equal(mean(derivative_at(G(y), y, X)), Phi(mu / R) + mu / R * phi(mu / R) / (1 + s**2), OVER)
SQUARE = Equal(
    mean(G(X) ** 2),
    (mu**2 + s**2) * MEAN_OF_SQUARE
    + 2 * s**2 * mu * MEAN_OF_PRODUCT * (2 - s**2 / R**2)
    + 2 * s**4 * MEAN_OF_PHI_SQUARED / R**2,
    OVER,
)


def _stein_steps() -> tuple[Step, ...]:
    """E[z Φ(X)] = s E φ(X), because the difference is the integral of a derivative."""
    difference = integral(z * Phi(X) * phi(z) - s * phi(X) * phi(z), z, -oo, oo)
    return (
        cited(DENSITY, "gaussian.density", "The mean of φ(X).", "density"),
        Step(Equal(difference, 0, OVER), Antiderivative(-Phi(X) * phi(z)), "The integral of a derivative.", "zero"),
        Step(
            Equal(mean(z * Phi(X)), s * MEAN_OF_PHI, OVER),
            Linearity((1, s)),
            "Stein's identity.",
            "stein",
            ("zero", "density"),
        ),
    )


def _expectation() -> Theorem:
    return Theorem(
        "gelu.gating.expectation",
        "The mean of GELU over a normal input",
        (EXPECTATION,),
        (
            cited(DISTRIBUTION, "gaussian.distribution", "The mean of Φ(X).", "distribution"),
            *_stein_steps(),
            Step(EXPECTATION, Linearity((mu, s)), "X Φ(X) = μ Φ(X) + s z Φ(X).", needs=("distribution", "stein")),
        ),
        "this project; Stein, Ann. Statist. 9 (1981)",
        NORMAL,
        perturbations=(("constant: the variance left out", (Equal(EXPECTATION.left, mu * Phi(mu / R), OVER),)),),
    )


def _expectation_slope() -> Theorem:
    product = phi(X) * phi(z)
    zero = integral((s * mu + R**2 * z) * product, z, -oo, oo)
    return Theorem(
        "gelu.gating.expectation_slope",
        "The mean slope of GELU over a normal input",
        (SLOPE,),
        (
            cited(DISTRIBUTION, "gaussian.distribution", "The mean of Φ(X).", "distribution"),
            cited(DENSITY, "gaussian.density", "The mean of φ(X).", "density"),
            Step(Equal(zero, 0, OVER), Antiderivative(-product), "The integral of a derivative.", "zero"),
            Step(
                Equal(mean(z * phi(X)), -s * mu / R**2 * MEAN_OF_PHI, OVER),
                Linearity((1 / R**2, -s * mu / R**2)),
                "The mean of z φ(X).",
                "moment",
                ("zero", "density"),
            ),
            Step(
                SLOPE,
                Linearity((1, mu, s)),
                "G'(X) = Φ(X) + μ φ(X) + s z φ(X).",
                needs=("distribution", "density", "moment"),
            ),
        ),
        "this project",
        NORMAL,
    )


_BY_PARTS = {  # an integrand that is the derivative of the second expression times φ(z)
    "by parts 1": (X * Phi(X) ** 2 * z - s * Phi(X) ** 2 - 2 * s * X * Phi(X) * phi(X), -X * Phi(X) ** 2),
    "by parts 2": (z * Phi(X) ** 2 - 2 * s * Phi(X) * phi(X), -(Phi(X) ** 2)),
    "by parts 3": ((s * mu + R**2 * z) * Phi(X) * phi(X) - s * phi(X) ** 2, -Phi(X) * phi(X)),
}


def _moment_steps() -> tuple[Step, ...]:
    """The means of z Φφ, z Φ², X Φ² and X Φφ, each a combination of known ones."""
    moment = (s * MEAN_OF_PHI_SQUARED - s * mu * MEAN_OF_PRODUCT) / R**2
    rows: tuple[tuple[str, Any, Any, tuple[Any, ...], tuple[str, ...]], ...] = (
        (
            "z Φ φ",
            z * Phi(X) * phi(X),
            moment,
            (1 / R**2, s / R**2, -s * mu / R**2),
            ("by parts 3", "cubic", "product"),
        ),
        ("z Φ²", z * Phi(X) ** 2, 2 * s * MEAN_OF_PRODUCT, (1, 2 * s), ("by parts 2", "product")),
        ("X Φ²", X * Phi(X) ** 2, mu * MEAN_OF_SQUARE + 2 * s**2 * MEAN_OF_PRODUCT, (mu, s), ("squared", "z Φ²")),
        ("X Φ φ", X * Phi(X) * phi(X), mu * MEAN_OF_PRODUCT + s * moment, (mu, s), ("product", "z Φ φ")),
    )
    return tuple(
        Step(Equal(mean(integrand), value, OVER), Linearity(coefficients), f"The mean of {name}.", name, needs)
        for name, integrand, value, coefficients, needs in rows
    )


def _square() -> Theorem:
    """E G(X)² by three integrations by parts, each the integral of a derivative."""
    cubic = Equal(mean(phi(X) ** 2), MEAN_OF_PHI_SQUARED, OVER)
    return Theorem(
        "gelu.gating.expectation_square",
        "The second moment of GELU over a normal input",
        (SQUARE,),
        (
            *product_steps(),
            cited(DISTRIBUTION_SQUARED, "gaussian.distribution_squared", "The mean of Φ(X)².", "squared"),
            Step(
                cubic,
                Antiderivative(MEAN_OF_PHI_SQUARED * Phi(Q * z + 2 * mu * s / Q)),
                "Complete the square.",
                "cubic",
            ),
            *(
                Step(
                    Equal(mean(integrand), 0, OVER),
                    Antiderivative(primitive * phi(z)),
                    "The integral of a derivative.",
                    name,
                )
                for name, (integrand, primitive) in _BY_PARTS.items()
            ),
            *_moment_steps(),
            Step(
                SQUARE,
                Linearity((mu, s, s**2, 2 * s**2)),
                "X² Φ(X)² = μ X Φ(X)² + s z X Φ(X)², and z X Φ(X)² is integrated by parts.",
                needs=("X Φ²", "by parts 1", "squared", "X Φ φ"),
            ),
        ),
        "this project; Owen, Ann. Math. Statist. 27 (1956)",
        NORMAL,
    )


def _standard() -> Theorem:
    """The three means for a standard normal input."""
    at = {mu: Integer(0), s: Integer(1)}
    owen = Equal(OwenT(0, 1 / sqrt(3)), Rational(1, 12))
    arc = Equal(integral(1 / (1 + t**2), t, 0, 1 / sqrt(3)), pi / 6)
    values = (1 / (2 * sqrt(pi)), Rational(1, 2), Rational(1, 3) + 1 / (2 * sqrt(3) * pi))
    sources = (
        (EXPECTATION, "gelu.gating.expectation"),
        (SLOPE, "gelu.gating.expectation_slope"),
        (SQUARE, "gelu.gating.expectation_square"),
    )
    specials = tuple(substitute(claim, at, ()) for claim, _ in sources)
    claims = tuple(Equal(special.left, value) for special, value in zip(specials, values, strict=True))
    steps: list[Step] = [
        Step(arc, Antiderivative(atan(t)), "arctan(1/√3) = π/6.", "arc"),
        Step(owen, Identity(), "T(0, a) = arctan(a)/(2π).", "owen", ("arc",)),
    ]
    for (claim, source), special, wanted in zip(sources, specials, claims, strict=True):
        steps += [
            cited(claim, source, "For any mean and deviation.", source),
            Step(special, Specialise(tuple(at.items())), "For μ = 0 and s = 1.", f"{source} at", (source,)),
            Step(wanted, Identity(), "In closed form.", needs=(f"{source} at", "owen")),
        ]
    return Theorem(
        "gelu.gating.standard_normal",
        "For a standard normal input GELU has mean 1/(2√π), mean slope 1/2 and mean square 1/3 + 1/(2√3 π)",
        claims,
        tuple(steps),
        "this project",
        ("z is standard normal.",),
        remark="These are what a layer's initialisation has to reckon with.",
        values=(values[0], values[2]),
    )


THEOREMS = (_expectation(), _expectation_slope(), _square(), _standard())
