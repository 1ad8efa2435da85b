"""GELU's relatives: ReLU, leaky ReLU and ELU with their corners, and how SiLU compares with GELU."""

from typing import Any

from sympy import FiniteSet, Integer, Interval, Max, Rational, exp, oo, tanh

from gelu_verify.proofs.methods.assembly import Cases
from gelu_verify.proofs.methods.equality import Derivative, Identity, Specialise
from gelu_verify.proofs.methods.limits import ByForm, ExactLimit, OneSidedDerivatives
from gelu_verify.proofs.methods.order import BeyondLimit, MonotoneBySign, MonotoneComparison, Rearrange, Sign
from gelu_verify.proofs.methods.zeros import SingleZero
from gelu_verify.proofs.notation import (
    ELU,
    NEGATIVE,
    NONZERO,
    POSITIVE,
    REALS,
    G,
    LeakyReLU,
    Mish,
    Phi,
    ReLU,
    Root,
    SiLU,
    alpha,
    derivative,
    limit,
    phi,
    s,
    sigma,
    x,
)
from gelu_verify.proofs.statements import Compare, Corner, Equal, Monotone, Over, Smooth, Statement, UniqueZero
from gelu_verify.proofs.theorem import Step, Theorem, cited

_LINE: Over = ((x, REALS),)
_BELOW: Over = ((x, NEGATIVE),)
_ABOVE: Over = ((x, POSITIVE),)
_NOT_ONE = POSITIVE - FiniteSet(1)


def _quotients(function: Any, left: Any, right: Any, over: Over) -> tuple[Equal, Equal]:
    """The two one-sided derivatives at 0, as limits of difference quotients."""
    quotient = function / x
    return Equal(limit(quotient, x, 0, "-"), left, over), Equal(limit(quotient, x, 0, "+"), right, over)


def _relu_corner() -> Theorem:
    claims: tuple[Statement, ...] = (*_quotients(ReLU(x), 0, 1, ()), Corner(ReLU(x), 0, 0, _LINE))
    return Theorem(
        "relu.corner",
        "ReLU is continuous, and has the one-sided derivatives 0 and 1 at 0: a corner",
        claims,
        (
            *(Step(claim, ExactLimit(), "The difference quotient is constant on each side.") for claim in claims[:2]),
            Step(claims[2], OneSidedDerivatives(), "Values agree at 0, slopes do not."),
        ),
        "Nair & Hinton, ICML 2010",
    )


def _relu_gradient() -> Theorem:
    claims = (Equal(derivative(ReLU(x), x), 0, _BELOW), Equal(derivative(ReLU(x), x), 1, _ABOVE))
    split = Equal(ReLU(x), (x + Max(x, -x)) / 2, _LINE)
    halves = tuple(Equal(split.left, split.right, ((x, region),)) for region in (Interval(-oo, 0), Interval(0, oo)))
    return Theorem(
        "relu.gradient",
        "ReLU passes no gradient on the whole negative half-line; it is (x + |x|)/2",
        (*claims, split),
        (
            *(Step(claim, Derivative(), "The branch is linear.") for claim in claims),
            *(
                Step(claim, Identity(), "On one side of 0.", name)
                for claim, name in zip(halves, ("left", "right"), strict=True)
            ),
            Step(split, Cases(), "Both sides.", needs=("left", "right")),
        ),
        "Nair & Hinton, ICML 2010",
        perturbations=(("domain: the whole line", (Equal(derivative(ReLU(x), x), 0, _LINE),)),),
    )


def _leaky_corner() -> Theorem:
    over: Over = ((s, _NOT_ONE),)
    claims = _quotients(LeakyReLU(x, s), s, 1, ((s, POSITIVE),))
    corner = Corner(LeakyReLU(x, s), 0, 0, (*_LINE, *over))
    return Theorem(
        "leaky_relu.corner",
        "Leaky ReLU has the one-sided derivatives s and 1 at 0: a corner unless its slope s is 1",
        (*claims, corner),
        (
            *(Step(claim, ExactLimit(), "The difference quotient is constant on each side.") for claim in claims),
            Step(corner, OneSidedDerivatives(), "The slopes differ by s - 1."),
        ),
        "Maas, Hannun & Ng, ICML 2013",
    )


def _leaky_slope() -> Theorem:
    over: Over = ((s, POSITIVE),)
    claims: tuple[Statement, ...] = (
        Equal(limit(LeakyReLU(x, s), x, -oo), -oo, over),
        Equal(limit(derivative(LeakyReLU(x, s), x), x, -oo), s, over),
        Equal(limit(G(x), x, -oo), 0),
    )
    return Theorem(
        "leaky_relu.slope",
        "Leaky ReLU falls without bound and keeps its slope, where GELU's curve returns to zero",
        claims,
        (
            Step(claims[0], ExactLimit(s * x), "s x."),
            Step(claims[1], ExactLimit(s), "The slope is s on the whole half-line."),
            cited(claims[2], "gelu.shape.limits", "GELU tends to 0."),
        ),
        "Maas, Hannun & Ng, ICML 2013",
    )


def _elu_corner() -> Theorem:
    over: Over = ((alpha, POSITIVE),)
    claims = _quotients(ELU(x, alpha), alpha, 1, over)
    smooth = Corner(ELU(x, Integer(1)), 0, 1, _LINE)
    corner = Corner(ELU(x, alpha), 0, 0, (*_LINE, (alpha, _NOT_ONE)))
    return Theorem(
        "elu.corner",
        "ELU is once continuously differentiable for α = 1 (not twice), and only continuous for any other α",
        (*claims, smooth, corner),
        (
            *(Step(claim, ExactLimit(), "α (e^x - 1)/x tends to α from the left; x/x = 1.") for claim in claims),
            Step(smooth, OneSidedDerivatives(), "First derivatives agree, second ones are 1 and 0."),
            Step(corner, OneSidedDerivatives(), "The slopes differ by α - 1."),
        ),
        "Clevert, Unterthiner & Hochreiter, arXiv:1511.07289",
    )


def _elu_saturation() -> Theorem:
    over: Over = ((alpha, POSITIVE),)
    floor = Compare(ELU(x, alpha), ">", -alpha, (*_LINE, *over))
    halves = tuple(Compare(floor.left, ">", -alpha, ((x, region), *over)) for region in (NEGATIVE, Interval(0, oo)))
    bottom = Equal(limit(ELU(x, alpha), x, -oo), -alpha, over)
    return Theorem(
        "elu.saturation",
        "ELU stays above -α, its limit on the left, which it does not attain: it has no minimum",
        (floor, bottom),
        (
            Step(bottom, ExactLimit(alpha * (exp(x) - 1)), "α (e^x - 1) tends to -α.", "bottom"),
            Step(halves[0], Sign((alpha, exp(x))), "α (e^x - 1) + α = α e^x.", "left"),
            Step(halves[1], Sign((x + alpha,)), "x + α > 0.", "right"),
            Step(floor, Cases(), "Both sides.", needs=("left", "right")),
        ),
        "Clevert, Unterthiner & Hochreiter, arXiv:1511.07289",
        perturbations=(("constant: a minimum at -1/2", (Compare(ELU(x, Integer(1)), ">=", -Rational(1, 2), _LINE),)),),
    )


def _smooth_relatives() -> Theorem:
    claims = tuple(Smooth(function(x), _LINE) for function in (G, SiLU, Mish))
    return Theorem(
        "relatives.smooth",
        "GELU, SiLU and Mish are infinitely differentiable on the whole line, where ReLU, leaky ReLU and ELU are not",
        claims,
        tuple(Step(claim, ByForm(), "A composition of smooth functions.") for claim in claims),
        "this project",
        perturbations=tuple(
            (f"{name} in place of a smooth function", (Smooth(function, _LINE),))
            for name, function in (
                ("ReLU", ReLU(x)),
                ("ELU", ELU(x, Integer(1))),
                ("leaky ReLU", LeakyReLU(x, Integer(2))),
            )
        ),
    )


_GAP = sigma(x) - Phi(x)
_QUOTIENT = sigma(x) * sigma(-x) / phi(x) - 1
_TURN = Root("eta", _QUOTIENT, x, -2, -1)  # where σ - Φ turns from rising to falling
_EARLY, _LATE = ((x, Interval.open(-oo, _TURN)),), ((x, Interval.Lopen(_TURN, 0)),)


def _quotient_steps() -> tuple[Step, ...]:
    """σ(x) σ(-x)/φ(x) falls for x < 0 and passes 1 once, because its logarithmic derivative is x - tanh(x/2) < 0."""
    inner = x - tanh(x / 2)
    half: Over = ((x, Interval(-oo, 0)),)
    slope = Compare(derivative(inner, x), ">", 0, _BELOW)
    logarithmic = "The logarithmic derivative of σ(x) σ(-x)/φ(x) is x - tanh(x/2),"
    compare = MonotoneComparison(_TURN)
    return (
        Step(slope, Sign(((1 + tanh(x / 2) ** 2) / 2,)), "The derivative of x - tanh(x/2) is positive,", "inner slope"),
        Step(Monotone(inner, True, half), MonotoneBySign(), "so it rises to 0:", "inner rises", ("inner slope",)),
        Step(Compare(inner, "<", 0, _BELOW), MonotoneComparison(0), "negative before.", "inner", ("inner rises",)),
        Step(
            Compare(derivative(_QUOTIENT, x), "<", 0, _BELOW), Rearrange(_QUOTIENT + 1), logarithmic, "down", ("inner",)
        ),
        Step(Monotone(_QUOTIENT, False, half), MonotoneBySign(), "so it falls", "falls", ("down",)),
        Step(UniqueZero(_QUOTIENT, _TURN, half), SingleZero(), "through 1, once:", "turn", ("falls",)),
        Step(Compare(_QUOTIENT, ">", 0, _EARLY), compare, "more than 1 before,", "more", ("falls", "turn")),
        Step(Compare(_QUOTIENT, "<", 0, _LATE), compare, "less after.", "less", ("falls", "turn")),
    )


def _gap_steps() -> tuple[Step, ...]:
    """σ - Φ rises from 0, then falls back to 0: its derivative is φ times the quotient less 1."""
    left, right = ((x, Interval(-oo, _TURN)),), ((x, Interval(_TURN, 0)),)
    beside_zero = ((x, Interval.Ropen(_TURN, 0)),)
    slope = derivative(_GAP, x)
    turned = MonotoneComparison(0)
    return (
        Step(Compare(slope, ">", 0, _EARLY), Rearrange(phi(x)), "(σ - Φ)' = σ(x) σ(-x) - φ(x)", "gap up", ("more",)),
        Step(Compare(slope, "<", 0, _LATE), Rearrange(phi(x)), "changes its sign once:", "gap down", ("less",)),
        Step(Monotone(_GAP, True, left), MonotoneBySign(), "σ - Φ rises", "rises", ("gap up",)),
        Step(Monotone(_GAP, False, right), MonotoneBySign(), "and falls,", "sinks", ("gap down",)),
        Step(Equal(limit(_GAP, x, -oo), 0), ExactLimit(), "from 0 at minus infinity", "start"),
        Step(Compare(_GAP, ">", 0, left), BeyondLimit(), "(so it is positive)", "a", ("rises", "start")),
        Step(Compare(_GAP, ">", 0, beside_zero), turned, "to 0 at 0.", "b", ("sinks",)),
        Step(Compare(_GAP, ">", 0, _BELOW), Cases(), "Hence σ > Φ for x < 0.", "gap", ("a", "b")),
    )


def _silu_below_gelu() -> Theorem:
    claim = Compare(SiLU(x), "<", G(x), ((x, NONZERO),))
    below, above = Compare(SiLU(x), "<", G(x), _BELOW), Compare(SiLU(x), "<", G(x), _ABOVE)
    mirrored = Compare(SiLU(-x), "<", G(-x), _ABOVE)
    return Theorem(
        "relatives.silu_below_gelu",
        "SiLU lies below GELU everywhere except at 0, where they meet",
        (claim,),
        (
            *_quotient_steps(),
            *_gap_steps(),
            Step(below, Rearrange(x), "Multiply by x < 0.", "below", ("gap",)),
            Step(mirrored, Specialise(((x, -x),)), "At -x:", "mirror", ("below",)),
            Step(above, Rearrange(), "SiLU(x) - G(x) is even.", "above", ("mirror",)),
            Step(claim, Cases(), "Both sides.", needs=("below", "above")),
        ),
        "this project",
        perturbations=(("domain: with 0", (Compare(SiLU(x), "<", G(x), ((x, Interval(0, 1)),)),)),),
    )


THEOREMS = (
    _relu_corner(),
    _relu_gradient(),
    _leaky_corner(),
    _leaky_slope(),
    _elu_corner(),
    _elu_saturation(),
    _smooth_relatives(),
    _silu_below_gelu(),
)
