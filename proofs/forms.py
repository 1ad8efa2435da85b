"""The tanh form T_c and the sigmoid form S_k: gradients, symmetry, and how closely they follow GELU near 0."""

from typing import Any

from sympy import Rational, oo, pi, sqrt, tanh

from gelu_verify.proofs.methods.equality import Derivative, Identity
from gelu_verify.proofs.methods.limits import ExactLimit, TaylorQuotient
from gelu_verify.proofs.methods.order import MonotoneBySign, Sign
from gelu_verify.proofs.methods.zeros import SingleZero
from gelu_verify.proofs.notation import (
    NEGATIVE,
    POSITIVE,
    REALS,
    G,
    S,
    SiLU,
    T,
    U,
    c,
    default_constant,
    derivative,
    k,
    limit,
    sigma,
    x,
    y,
)
from gelu_verify.proofs.statements import Compare, Equal, Monotone, Over, Statement, UniqueZero
from gelu_verify.proofs.theorem import Step, Theorem

_LINE: Over = ((x, REALS),)
_TANH: Over = ((x, REALS), (c, POSITIVE))
_SIGMOID: Over = ((x, REALS), (k, POSITIVE))
_C: Over = ((c, POSITIVE),)
_K: Over = ((k, POSITIVE),)
_PAPER = "Hendrycks & Gimpel, arXiv:1606.08415"

MATCHING_C = (4 - pi) / (6 * pi)
MATCHING_K = 2 * sqrt(2 / pi)
_SIXTH = sqrt(2) * (40 * pi - 3 * pi**2 - 96) / (240 * pi ** Rational(5, 2))
_SLOPE_OF_U = sqrt(2 / pi) * (1 + 3 * c * x**2)


def _tanh_is_sigmoid() -> Theorem:
    half = Equal((1 + tanh(y)) / 2, sigma(2 * y), ((y, REALS),))
    form = Equal(T(x, c), x / 2 * (1 + tanh(U(x, c))), _TANH)
    return Theorem(
        "form.tanh.sigmoid",
        "The tanh form is x σ(2u): the way to compute it without cancellation",
        (half, form),
        (
            Step(half, Identity(), "Both are e^{2y}/(1 + e^{2y})."),
            Step(form, Identity(), "With y = u."),
        ),
        f"{_PAPER}; DLMF 4.28",
        remark="1 + tanh(u) loses all digits for u < -20; σ(2u) loses none.",
    )


def _complement() -> Theorem:
    claim = Equal(1 - sigma(y), sigma(-y), ((y, REALS),))
    slope = Equal(derivative(sigma(y), y), sigma(y) * sigma(-y), ((y, REALS),))
    return Theorem(
        "sigmoid.derivative",
        "1 - σ(y) = σ(-y), and σ' = σ(y) σ(-y)",
        (claim, slope),
        (Step(claim, Identity(), "1/(1 + e^{-y}) + 1/(1 + e^y) = 1."), Step(slope, Derivative(), "The quotient rule.")),
        "Verhulst 1845",
    )


def _tanh_derivative() -> Theorem:
    inner = Equal(derivative(U(x, c), x), _SLOPE_OF_U, _TANH)
    gate, mirror = sigma(2 * U(x, c)), sigma(-2 * U(x, c))
    claim = Equal(derivative(T(x, c), x), gate + 2 * x * _SLOPE_OF_U * gate * mirror, _TANH)
    return Theorem(
        "form.tanh.derivative",
        "The gradient of the tanh form, as a sum without cancellation",
        (inner, claim),
        (
            Step(inner, Derivative(), "A polynomial."),
            Step(claim, Derivative(), "The product rule and σ' = σ(v) σ(-v)."),
        ),
        "this project",
    )


def _sigmoid_derivative() -> Theorem:
    claim = Equal(derivative(S(x, k), x), sigma(k * x) + k * x * sigma(k * x) * sigma(-k * x), _SIGMOID)
    return Theorem(
        "form.sigmoid.derivative",
        "The gradient of the sigmoid form, as a sum without cancellation",
        (claim,),
        (Step(claim, Derivative(), "The product rule and σ' = σ(v) σ(-v)."),),
        "this project",
    )


def _reflections() -> Theorem:
    claims = (Equal(T(x, c) - T(-x, c), x, _TANH), Equal(S(x, k) - S(-x, k), x, _SIGMOID))
    return Theorem(
        "form.reflection",
        "Both forms share GELU's reflection: form(x) - form(-x) = x",
        claims,
        tuple(Step(claim, Identity(), "σ(v) + σ(-v) = 1, and u is odd.") for claim in claims),
        "this project",
    )


def _even_error() -> Theorem:
    tanh_error = Equal(T(x, c) - G(x), T(-x, c) - G(-x), _TANH)
    sigmoid_error = Equal(S(x, k) - G(x), S(-x, k) - G(-x), _SIGMOID)
    odd = Equal(T(x, c) / x - Rational(1, 2), -(T(-x, c) / (-x) - Rational(1, 2)), ((x, POSITIVE), (c, POSITIVE)))
    return Theorem(
        "form.even_error",
        "The errors of both forms are even functions, so half the line suffices to bound them",
        (tanh_error, sigmoid_error, odd),
        (
            Step(tanh_error, Identity(), "T(x) - T(-x) = x = G(x) - G(-x)."),
            Step(sigmoid_error, Identity(), "S(x) - S(-x) = x = G(x) - G(-x)."),
            Step(odd, Identity(), "T(x)/x - 1/2 = tanh(u)/2, and u is odd."),
        ),
        "this project",
    )


def _tanh_contact() -> Theorem:
    fourth = sqrt(2 / pi) / 2 * (c - MATCHING_C)
    claim = Equal(limit((T(x, c) - G(x)) / x**4, x, 0), fourth, _C)
    return Theorem(
        "form.tanh.contact",
        "Near 0 the tanh form differs from GELU by order x^4",
        (claim,),
        (Step(claim, TaylorQuotient(4), "The expansions agree through x^3; the coefficient of x^4 is linear in c."),),
        "this project",
    )


def _sigmoid_contact() -> Theorem:
    claim = Equal(limit((S(x, k) - G(x)) / x**2, x, 0), (k - MATCHING_K) / 4, _K)
    return Theorem(
        "form.sigmoid.contact",
        "Near 0 the sigmoid form differs from GELU by order x^2",
        (claim,),
        (Step(claim, TaylorQuotient(2), "S = x/2 + k x^2/4 + ..., and G = x/2 + x^2/√(2π) + ...."),),
        "this project",
    )


def _matching(name: str, title: str, coefficient: Any, symbol: Any, place: Any, default: Any, remark: str) -> Theorem:
    """The one constant at which a coefficient that is linear in it vanishes, and where the usual constant lies."""
    over: Over = ((symbol, POSITIVE),)
    unique = UniqueZero(coefficient, place, over)
    slope = coefficient.diff(symbol)
    rising = Monotone(coefficient, True, over)
    relation = "<" if name == "form.tanh.matching" else ">"
    compare = Compare(default, relation, place)
    return Theorem(
        name,
        title,
        (unique, compare),
        (
            Step(
                Compare(derivative(coefficient, symbol), ">", 0, over),
                Sign((slope,)),
                "It is linear and rises.",
                "slope",
            ),
            Step(rising, MonotoneBySign(), "So it is monotone,", "rising", ("slope",)),
            Step(unique, SingleZero(), "and has one zero.", needs=("rising",)),
            Step(compare, Sign(), "By evaluation: the usual constant is another one."),
        ),
        "this project",
        remark=remark,
        values=(place,),
    )


def _tanh_matching() -> Theorem:
    return _matching(
        "form.tanh.matching",
        "Exactly c = (4 - π)/(6π) matches GELU's x^4 coefficient; 0.044715 is smaller",
        sqrt(2 / pi) / 2 * (c - MATCHING_C),
        c,
        MATCHING_C,
        default_constant("gelu_tanh", "c"),
        "0.044715 was fitted over an interval, not at 0.",
    )


def _sigmoid_matching() -> Theorem:
    return _matching(
        "form.sigmoid.matching",
        "Exactly k = 2 √(2/π) matches GELU's curvature at 0; 1.702 is larger",
        (k - MATCHING_K) / 4,
        k,
        MATCHING_K,
        default_constant("gelu_sigmoid", "k"),
        "1.702 was fitted over an interval, not at 0.",
    )


def _sixth_order() -> Theorem:
    claim = Equal(limit((T(x, MATCHING_C) - G(x)) / x**6, x, 0), _SIXTH)
    nonzero = Compare(_SIXTH, "!=", 0)
    return Theorem(
        "form.tanh.sixth_order",
        "With c = (4 - π)/(6π) the tanh form follows GELU through x^5: the difference is of order x^6",
        (claim, nonzero),
        (
            Step(claim, TaylorQuotient(6), "The expansion of the difference, to one order more."),
            Step(nonzero, Sign(), "By evaluation."),
        ),
        "this project",
    )


def _limits() -> Theorem:
    claims = (
        Equal(limit(T(x, c), x, -oo), 0, _C),
        Equal(limit(T(x, c) - x, x, oo), 0, _C),
        Equal(limit(S(x, k), x, -oo), 0, _K),
        Equal(limit(S(x, k) - x, x, oo), 0, _K),
    )
    return Theorem(
        "form.limits",
        "Both forms vanish on the left and tend to x on the right, as GELU does",
        claims,
        tuple(Step(claim, ExactLimit(), "σ tends to 0 and 1 exponentially.") for claim in claims),
        "this project",
    )


def _slope_limits() -> Theorem:
    claims = tuple(
        Equal(limit(derivative(form, x), x, end), value, over)
        for form, over in ((T(x, c), _C), (S(x, k), _K))
        for end, value in ((-oo, 0), (oo, 1))
    )
    return Theorem(
        "form.slope_limits",
        "The slopes of both forms tend to 0 and to 1",
        claims,
        tuple(Step(claim, ExactLimit(), "The exponential wins over every power of x.") for claim in claims),
        "this project",
    )


def _family_ends() -> Theorem:
    claims = (
        Equal(limit(S(x, k), k, oo), x, ((x, POSITIVE),)),
        Equal(limit(S(x, k), k, oo), 0, ((x, NEGATIVE),)),
        Equal(limit(S(x, k), k, 0, "+"), x / 2, _LINE),
    )
    return Theorem(
        "form.sigmoid.family",
        "The sigmoid family runs from the line x/2 (k -> 0) to ReLU (k -> ∞)",
        claims,
        tuple(Step(claim, ExactLimit(), "σ(kx) tends to a step, and to 1/2.") for claim in claims),
        "Ramachandran, Zoph & Le, arXiv:1710.05941, section 5",
    )


def _silu_rescaled() -> Theorem:
    claims: tuple[Statement, ...] = (
        Equal(k * S(x, k), SiLU(k * x), _SIGMOID),
        Equal(derivative(S(x, k), x, 2), k * derivative(SiLU(y), y, 2).subs(y, k * x), _SIGMOID),
    )
    return Theorem(
        "form.sigmoid.silu",
        "The sigmoid form is SiLU rescaled: k S_k(x) = SiLU(k x), and its curvature is k times SiLU's",
        claims,
        tuple(Step(claim, Identity(), "x σ(kx), and the chain rule.") for claim in claims),
        "Ramachandran, Zoph & Le, arXiv:1710.05941",
    )


THEOREMS = (
    _tanh_is_sigmoid(),
    _complement(),
    _tanh_derivative(),
    _sigmoid_derivative(),
    _reflections(),
    _even_error(),
    _tanh_contact(),
    _sigmoid_contact(),
    _tanh_matching(),
    _sigmoid_matching(),
    _sixth_order(),
    _limits(),
    _slope_limits(),
    _family_ends(),
    _silu_rescaled(),
)
