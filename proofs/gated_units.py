"""Gated linear units: GEGLU and its siblings, their Jacobians, the order of the halves, and what a gate costs.

A gated unit multiplies an activation of one half, a, by the other half, b (Dauphin et al. 2017, Shazeer 2020).
"""

from typing import Any

from sympy import IndexedBase, Rational, Sum, Symbol, oo, symbols

from gelu_verify.proofs.methods.equality import Derivative, Identity
from gelu_verify.proofs.methods.limits import ExactLimit
from gelu_verify.proofs.methods.order import MonotoneBySign, Sign
from gelu_verify.proofs.methods.zeros import SingleZero
from gelu_verify.proofs.notation import (
    GEGLU,
    NEGATIVE,
    POSITIVE,
    REALS,
    Bilinear,
    G,
    Phi,
    ReGLU,
    SwiGLU,
    alpha,
    derivative,
    derivative_at,
    integers_from,
    limit,
    phi,
    sigma,
    t,
)
from gelu_verify.proofs.statements import Compare, Equal, Monotone, Over, UniqueZero
from gelu_verify.proofs.theorem import Step, Theorem

_A, _B = symbols("a b", real=True)
_PAIR: Over = ((_A, REALS), (_B, REALS))
_SHAZEER = "Shazeer, GLU Variants Improve Transformer, arXiv:2002.05202"


def _jacobian(name: str, title: str, unit: Any, slopes: tuple[Any, Any], over: Over = _PAIR) -> Theorem:
    claims = tuple(
        Equal(derivative(unit(_A, _B), variable), slope, over) for variable, slope in zip((_A, _B), slopes, strict=True)
    )
    steps = tuple(Step(claim, Derivative(), "The product rule.") for claim in claims)
    return Theorem(name, title, claims, steps, _SHAZEER)


def _geglu() -> Theorem:
    return _jacobian(
        "geglu.jacobian",
        "The gradients of GEGLU(a, b) = G(a) b",
        GEGLU,
        ((Phi(_A) + _A * phi(_A)) * _B, _A * Phi(_A)),
    )


def _swiglu() -> Theorem:
    return _jacobian(
        "swiglu.jacobian",
        "The gradients of SwiGLU(a, b) = SiLU(a) b",
        SwiGLU,
        (sigma(_A) * (1 + _A * sigma(-_A)) * _B, _A * sigma(_A)),
    )


def _bilinear() -> Theorem:
    return _jacobian(
        "bilinear.jacobian", "The gradients of the bilinear unit a b, which has no gate", Bilinear, (_B, _A)
    )


def _reglu() -> Theorem:
    """On either side of a = 0; there it has a corner for b != 0."""
    claims = (
        Equal(derivative(ReGLU(_A, _B), _A), _B, ((_A, POSITIVE), (_B, REALS))),
        Equal(derivative(ReGLU(_A, _B), _A), 0, ((_A, NEGATIVE), (_B, REALS))),
        Equal(derivative(ReGLU(_A, _B), _B), 0, ((_A, NEGATIVE), (_B, REALS))),
    )
    return Theorem(
        "reglu.jacobian",
        "ReGLU passes no gradient to either half while its gate is closed",
        claims,
        tuple(Step(claim, Derivative(), "The branch is a b, or 0.") for claim in claims),
        _SHAZEER,
    )


def _half_order() -> Theorem:
    difference = Equal(GEGLU(_A, _B) - GEGLU(_B, _A), _A * _B * (Phi(_A) - Phi(_B)), _PAIR)
    unequal = Compare(GEGLU(1, 2), "!=", GEGLU(2, 1))
    return Theorem(
        "geglu.half_order",
        "Which half is gated matters: swapping the halves of GEGLU changes it by a b (Φ(a) - Φ(b))",
        (difference, unequal),
        (
            Step(difference, Identity(), "a Φ(a) b - b Φ(b) a."),
            Step(unequal, Sign(), "Enclosures of both values."),
        ),
        "this project",
        remark="Since Φ is strictly increasing, both orders agree only if a = b or a b = 0.",
    )


def _small() -> Theorem:
    """For small halves the gate stands half open, for large ones it is ReLU's."""
    scaled = GEGLU(alpha * _A, alpha * _B) / alpha**2
    small = Equal(limit(scaled, alpha, 0, "+"), Bilinear(_A, _B) / 2, _PAIR)
    opened = Equal(limit(scaled, alpha, oo), _A * _B, ((_A, POSITIVE), (_B, REALS)))
    closed = Equal(limit(scaled, alpha, oo), 0, ((_A, NEGATIVE), (_B, REALS)))
    return Theorem(
        "geglu.scaling",
        "For small inputs GEGLU is half the bilinear unit, for large ones it is ReGLU",
        (small, opened, closed),
        (
            Step(small, ExactLimit(), "Φ(αa) tends to 1/2."),
            Step(opened, ExactLimit(), "Φ(αa) tends to 1 for a > 0"),
            Step(closed, ExactLimit(), "and to 0 for a < 0."),
        ),
        "this project",
    )


def _homogeneous() -> Theorem:
    over: Over = ((_A, POSITIVE), (_B, REALS), (alpha, POSITIVE))
    mirrored: Over = ((_A, NEGATIVE), (_B, REALS), (alpha, POSITIVE))
    claims = tuple(
        Equal(ReGLU(alpha * _A, alpha * _B) - alpha**2 * ReGLU(_A, _B), 0, region) for region in (over, mirrored)
    )
    broken = Compare(GEGLU(2, 2), "!=", 4 * GEGLU(1, 1))
    return Theorem(
        "reglu.homogeneous",
        "ReGLU is homogeneous of degree 2, GEGLU is not: its gate has a scale",
        (*claims, broken),
        (
            *(Step(claim, Identity(), "ReLU(αa) = α ReLU(a).") for claim in claims),
            Step(broken, Sign(), "Enclosures of both values."),
        ),
        "this project",
    )


def _two_thirds() -> Theorem:
    width, hidden, gated = Symbol("d", positive=True), Symbol("h", positive=True), Symbol("k", positive=True)
    excess = 3 * width * gated - 2 * width * hidden
    over: Over = ((gated, POSITIVE), (width, POSITIVE), (hidden, POSITIVE))
    unique = UniqueZero(excess, Rational(2, 3) * hidden, over)
    rising = Monotone(excess, True, over)
    return Theorem(
        "gated_unit.two_thirds",
        "Three matrices of width k cost what two of width h do, exactly if k is two thirds of h",
        (unique,),
        (
            Step(
                Compare(derivative(excess, gated), ">", 0, over),
                Sign((3, width)),
                "The difference rises with k,",
                "slope",
            ),
            Step(rising, MonotoneBySign(), "strictly,", "rising", ("slope",)),
            Step(unique, SingleZero(), "and vanishes at 2h/3.", needs=("rising",)),
        ),
        _SHAZEER,
        ("d is the model width, h the hidden width without a gate, k the one with a gate; biases are left out.",),
    )


def _block_gradient() -> Theorem:
    """One output of the block is y = Σ_j G(p_j) q_j u_j with p = x W, q = x V and a column u of the last matrix."""
    p, q, u, eta = (IndexedBase(name, real=True) for name in ("p", "q", "u", "eta"))
    j, size = Symbol("j", integer=True), Symbol("h", integer=True, positive=True)
    over: Over = (*((base, REALS) for base in (p, q, u, eta)), (size, integers_from(1)))

    def total(term: Any) -> Any:
        return Sum(term, (j, 1, size))

    moved = (
        G(p[j] + t * eta[j]) * q[j] * u[j],
        G(p[j]) * (q[j] + t * eta[j]) * u[j],
        G(p[j]) * q[j] * (u[j] + t * eta[j]),
    )
    slopes = (
        (Phi(p[j]) + p[j] * phi(p[j])) * eta[j] * q[j] * u[j],
        G(p[j]) * eta[j] * u[j],
        G(p[j]) * q[j] * eta[j],
    )
    claims = tuple(
        Equal(derivative_at(total(term), t, 0), total(slope), over) for term, slope in zip(moved, slopes, strict=True)
    )
    return Theorem(
        "geglu.block_gradient",
        "The gradients of a whole GEGLU feed-forward block in its three matrices",
        claims,
        tuple(Step(claim, Derivative(), "Differentiate the finite sum term by term.") for claim in claims),
        _SHAZEER,
        (
            "y = Σ_j G(p_j) q_j u_j with p = x W, q = x V, and u a column of the last matrix; h hidden units.",
            "Moving W in a direction H moves p_j at the rate η_j = (x H)_j; likewise q with V; u moves at the rate η.",
        ),
        remark="By entries: ∂y/∂W_ij = x_i G'(p_j) q_j u_j, ∂y/∂V_ij = x_i G(p_j) u_j, ∂y/∂u_j = G(p_j) q_j.",
    )


THEOREMS = (
    _geglu(),
    _swiglu(),
    _reglu(),
    _bilinear(),
    _half_order(),
    _small(),
    _homogeneous(),
    _two_thirds(),
    _block_gradient(),
)
