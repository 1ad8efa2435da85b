"""All derivatives of GELU, its power series, its antiderivative and the differential equation it solves."""

from typing import Any

from sympy import Rational, Sum, factorial, oo, pi, sqrt

from gelu_verify.proofs import hermite
from gelu_verify.proofs.hermite import recurrence_step
from gelu_verify.proofs.methods.equality import Derivative, DifferentiateFact, Identity, Specialise
from gelu_verify.proofs.methods.integrals import Antiderivative, MaclaurinSeries
from gelu_verify.proofs.methods.limits import ByForm, ExactLimit, LimitCombination
from gelu_verify.proofs.methods.logic import Assuming, Induction
from gelu_verify.proofs.notation import (
    COMPLEXES,
    REALS,
    G,
    He,
    Phi,
    ReLU,
    derivative,
    derivative_at,
    integers_from,
    integral,
    limit,
    m,
    n,
    phi,
    w,
    x,
)
from gelu_verify.proofs.statements import Equal, Implies, Over, Smooth, substitute
from gelu_verify.proofs.theorem import Step, Theorem, cited

_LINE: Over = ((x, REALS),)
_FROM_TWO: Over = ((x, REALS), (n, integers_from(2)))
_INDEX: Over = ((n, integers_from(0)),)

FIRST = Equal(derivative(G(x), x), Phi(x) + x * phi(x), _LINE)
SECOND = Equal(derivative(G(x), x, 2), (2 - x**2) * phi(x), _LINE)
NTH = Equal(derivative(G(x), x, n), (-1) ** n * phi(x) * (n * He(n - 2, x) - x * He(n - 1, x)), _FROM_TWO)


def _density() -> Theorem:
    cdf = Equal(derivative(Phi(x), x), phi(x), _LINE)
    pdf = Equal(derivative(phi(x), x), -x * phi(x), _LINE)
    return Theorem(
        "normal.derivative",
        "The distribution function's derivative is the density, and the density's is -x times itself",
        (cdf, pdf),
        (
            Step(cdf, Derivative(), "The derivative of erfc (DLMF 7.10.1) and the chain rule."),
            Step(pdf, Derivative(), "The chain rule."),
        ),
        "DLMF 7.10.1",
    )


def _first() -> Theorem:
    return Theorem(
        "gelu.derivative.first",
        "The derivative of GELU",
        (FIRST,),
        (Step(FIRST, Derivative(), "The product rule with Φ' = φ."),),
        "Hendrycks & Gimpel, arXiv:1606.08415",
    )


def _second() -> Theorem:
    return Theorem(
        "gelu.derivative.second",
        "The second derivative of GELU",
        (SECOND,),
        (
            cited(FIRST, "gelu.derivative.first", "The first derivative is known.", "first"),
            Step(SECOND, DifferentiateFact(), "Differentiate once more: Φ' = φ, φ' = -x φ.", needs=("first",)),
        ),
        "this project",
    )


def _nth() -> Theorem:
    now, then = (substitute(NTH, {n: n + shift}, _LINE) for shift in range(2))

    def shifted(claim: Equal, label: str, fact: str, shift: int, reason: str) -> Step:
        return Step(substitute(claim, {n: n - shift}, _FROM_TWO), Specialise(((n, n - shift),)), reason, label, (fact,))

    steps = (
        Step(
            substitute(NTH, {n: 2}, _LINE),
            Derivative(),
            "Base case n = 2: differentiate twice; He_0 = 1 and He_1 = x.",
            "base",
        ),
        cited(hermite.DERIVATIVE, "hermite.derivative", "The derivative of a Hermite polynomial.", "slope"),
        recurrence_step(),
        shifted(hermite.DERIVATIVE, "slope n-2", "slope", 2, "The same for He_{n-2}."),
        shifted(hermite.DERIVATIVE, "slope n-1", "slope", 1, "The same for He_{n-1}."),
        shifted(hermite.RECURRENCE, "recurrence n", "recurrence", 1, "The recurrence for He_n."),
        shifted(hermite.RECURRENCE, "recurrence n-1", "recurrence", 2, "The recurrence for He_{n-1}."),
        Step(
            Implies((now,), then, ((n, integers_from(2)),)),
            Assuming(DifferentiateFact()),
            "Induction step: differentiate the formula for n by the product rule with φ' = -x φ; replace the "
            "derivatives of He_{n-2} and He_{n-1}, then He_n and He_{n-1} by their recurrences: both sides agree.",
            "step",
            ("slope n-2", "slope n-1", "recurrence n", "recurrence n-1"),
        ),
        Step(NTH, Induction(n), "So the formula holds for every n from 2 on.", needs=("base", "step")),
    )
    return Theorem(
        "gelu.derivative.nth",
        "Every derivative of GELU from the second on, by Hermite polynomials",
        (NTH,),
        steps,
        "this project",
        ("He_n are the monic Hermite polynomials (DLMF 18.3): He_0 = 1, He_1 = x, He_{n+1} = x He_n - n He_{n-1}.",),
        perturbations=(
            (
                "domain: from n = 1 on",
                (Equal(NTH.left, NTH.right, ((x, REALS), (n, integers_from(1)))),),
            ),
        ),
    )


def _at_zero() -> Theorem:
    slope = Equal(derivative_at(G(x), x, 0), Rational(1, 2))
    general = Equal(derivative_at(G(x), x, 0, n), (-1) ** n * n * He(n - 2, 0) / sqrt(2 * pi), ((n, integers_from(2)),))
    special = substitute(NTH, {x: 0}, ((n, integers_from(2)),))
    even = Equal(derivative_at(G(x), x, 0, 2 * n + 2), _even_value(), _INDEX)
    odd = Equal(derivative_at(G(x), x, 0, 2 * n + 3), 0, _INDEX)
    steps = (
        Step(slope, Derivative(), "G'(0) = Φ(0).", "slope"),
        cited(NTH, "gelu.derivative.nth", "All higher derivatives are known.", "nth"),
        Step(special, Specialise(((x, 0),)), "At x = 0.", "special", ("nth",)),
        Step(general, Identity(), "φ(0) = 1/sqrt(2 pi).", "general", ("special",)),
        cited(hermite.EVEN_AT_ZERO, "hermite.zero", "Values of He_{2n} at 0.", "even values"),
        cited(hermite.ODD_AT_ZERO, "hermite.zero", "Values of He_{2n+1} at 0.", "odd values"),
        *_from_general(general, even, 2, "even values"),
        *_from_general(general, odd, 3, "odd values"),
    )
    return Theorem(
        "gelu.derivative.zero",
        "All derivatives of GELU at 0: the slope is 1/2, and odd orders from 3 on vanish",
        (slope, even, odd),
        steps,
        "this project",
    )


def _even_value() -> Any:
    """Return the derivative of order 2n + 2 at 0."""
    return (2 * n + 2) * (-1) ** n * factorial(2 * n) / (2**n * factorial(n) * sqrt(2 * pi))


def _from_general(general: Equal, claim: Equal, shift: int, values: str) -> tuple[Step, Step]:
    instance = substitute(general, {n: 2 * n + shift}, _INDEX)
    label = f"order 2n+{shift}"
    return (
        Step(instance, Specialise(((n, 2 * n + shift),)), f"Order 2n + {shift}.", label, ("general",)),
        Step(claim, Identity(), "Put in the value of the Hermite polynomial.", needs=(label, values)),
    )


def _maclaurin() -> Theorem:
    term = (-1) ** m * w ** (2 * m + 2) / (2**m * factorial(m) * (2 * m + 1))
    claim = Equal(G(w), w / 2 + Sum(term, (m, 0, oo)) / sqrt(2 * pi), ((w, COMPLEXES),))
    entire = Smooth(G(w), ((w, COMPLEXES),))
    zero = _at_zero()
    labels = ("slope", "even", "odd")
    known = tuple(
        cited(formula, zero.id, f"The derivatives at 0: {label}.", label)
        for label, formula in zip(labels, zero.statement, strict=True)
    )
    return Theorem(
        "gelu.derivative.maclaurin",
        "GELU is entire, with this Maclaurin series in the whole complex plane",
        (entire, claim),
        (
            Step(entire, ByForm(), "A product of entire functions is entire.", "entire"),
            Step(Equal(G(0), 0), Identity(), "The factor x vanishes at 0.", "value"),
            *known,
            Step(
                claim,
                MaclaurinSeries(),
                "An entire function is the sum of its Maclaurin series everywhere; compare coefficients.",
                needs=("entire", "value", *labels),
            ),
        ),
        "this project; DLMF 7.6.1",
        perturbations=(("ReLU in place of GELU", (Smooth(ReLU(w), ((w, COMPLEXES),)),)),),
    )


def _antiderivative() -> Theorem:
    primitive = ((x**2 - 1) * Phi(x) + x * phi(x)) / 2
    claim = Equal(derivative(primitive, x), G(x), _LINE)
    area = Equal(integral(G(x), x, -oo, 0), -Rational(1, 4))
    return Theorem(
        "gelu.derivative.antiderivative",
        "An antiderivative of GELU; the area under the axis is exactly 1/4",
        (claim, area),
        (
            Step(claim, Derivative(), "Differentiate; the terms with φ cancel."),
            Step(area, Antiderivative(primitive), "The antiderivative vanishes at minus infinity and is -1/4 at 0."),
        ),
        "this project",
    )


def _equation() -> Theorem:
    claim = Equal(x**2 * derivative(G(x), x, 2), (2 - x**2) * (x * derivative(G(x), x) - G(x)), _LINE)
    third = Equal((2 - x**2) * derivative(G(x), x, 3), x * (x**2 - 4) * derivative(G(x), x, 2), _LINE)
    return Theorem(
        "gelu.derivative.equation",
        "GELU solves a linear homogeneous differential equation with polynomial coefficients",
        (claim, third),
        (
            cited(FIRST, "gelu.derivative.first", "The first derivative.", "first"),
            cited(SECOND, "gelu.derivative.second", "The second derivative.", "second"),
            Step(claim, Identity(), "x G' - G = x^2 φ and G'' = (2 - x^2) φ.", needs=("second", "first")),
            Step(third, Identity(), "Differentiate G'' once more."),
        ),
        "this project",
    )


def _vanishing() -> Theorem:
    claims = tuple(Equal(limit(derivative(G(x), x, n), x, end), 0, ((n, integers_from(2)),)) for end in (oo, -oo))
    steps = (
        cited(NTH, "gelu.derivative.nth", "The formula for the derivatives.", "nth"),
        recurrence_step(),
        Step(
            substitute(hermite.RECURRENCE, {n: n + 1}, (*_LINE, *_INDEX)),
            Specialise(((n, n + 1),)),
            "The recurrence, one index on.",
            "next",
            ("recurrence",),
        ),
        *(step for claim, name in zip(claims, ("right", "left"), strict=True) for step in _vanishing_side(claim, name)),
    )
    return Theorem(
        "gelu.derivative.vanishing",
        "Every derivative of GELU from the second on tends to 0 at both ends",
        claims,
        steps,
        "this project",
    )


def _vanishing_side(claim: Equal, name: str) -> tuple[Step, ...]:
    """x^m He_n φ -> 0 for all m, by induction over n; the derivative is a combination of two of these."""
    end = claim.left.args[2]
    powers: Over = ((m, integers_from(0)),)
    product = Equal(limit(x**m * He(n, x) * phi(x), x, end), 0, (*powers, *_INDEX))
    first, second, third = (substitute(product, {n: n + shift}, powers) for shift in range(3))
    bases = tuple(
        Step(
            substitute(product, {n: index}, powers),
            ExactLimit(),
            "φ falls faster than any power grows.",
            f"{name} {index}",
        )
        for index in range(2)
    )
    sign = (-1) ** n
    return (
        *bases,
        Step(
            Implies((first, second), third, _INDEX),
            Assuming(LimitCombination((-(n + 1), 1), ((), ((m, m + 1),)))),
            "Multiply the recurrence by x^m φ: two terms that tend to 0.",
            f"{name} step",
            ("next",),
        ),
        Step(
            product,
            Induction(n, 2),
            "So a polynomial times φ vanishes at the end.",
            f"{name} product",
            (f"{name} 0", f"{name} 1", f"{name} step"),
        ),
        Step(
            claim,
            LimitCombination((sign * n, -sign), (((n, n - 2), (m, 0)), ((n, n - 1), (m, 1)))),
            "The n-th derivative is a combination of He_{n-2} φ and x He_{n-1} φ.",
            needs=(f"{name} product", f"{name} product", "nth"),
        ),
    )


THEOREMS = (
    _density(),
    _first(),
    _second(),
    _nth(),
    _at_zero(),
    _maclaurin(),
    _vanishing(),
    _antiderivative(),
    _equation(),
)
