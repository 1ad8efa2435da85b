"""The shape of GELU: reflection, limits, sign, the lines and tails that bound it, curvature."""

from sympy import Interval, Rational, erf, oo, sqrt

from gelu_verify.proofs.methods.assembly import Cases
from gelu_verify.proofs.methods.equality import Identity
from gelu_verify.proofs.methods.limits import ExactLimit
from gelu_verify.proofs.methods.order import CurvedBySign, MonotoneBySign, Rearrange, Sign
from gelu_verify.proofs.methods.zeros import SingleZero
from gelu_verify.proofs.notation import (
    NEGATIVE,
    NONZERO,
    POSITIVE,
    REALS,
    G,
    Phi,
    derivative,
    derivative_at,
    limit,
    phi,
    x,
    y,
)
from gelu_verify.proofs.statements import Compare, Curved, Equal, Monotone, Over, Statement, UniqueZero
from gelu_verify.proofs.theorem import Step, Theorem, cited

LINE: Over = ((x, REALS),)
SLOPE = derivative(G(x), x)
BEND = derivative(G(x), x, 2)
LEFT, MIDDLE, RIGHT = Interval(-oo, -sqrt(2)), Interval(-sqrt(2), sqrt(2)), Interval(sqrt(2), oo)
NAMES = ("left", "middle", "right")

REFLECTION = Equal(G(x) - G(-x), x, LINE)
SLOPE_REFLECTION = Equal(SLOPE + derivative_at(G(y), y, -x), 1, LINE)
_BENDS = (
    Compare(BEND, "<", 0, ((x, LEFT.interior),)),
    Compare(BEND, ">", 0, ((x, MIDDLE.interior),)),
    Compare(BEND, "<", 0, ((x, RIGHT.interior),)),
)
SLOPE_MONOTONE = (
    Monotone(SLOPE, False, ((x, LEFT),)),
    Monotone(SLOPE, True, ((x, MIDDLE),)),
    Monotone(SLOPE, False, ((x, RIGHT),)),
)


def _reflection() -> Theorem:
    return Theorem(
        "gelu.shape.reflection",
        "GELU minus its mirror image is the identity, and the slopes at x and -x add up to 1",
        (REFLECTION, SLOPE_REFLECTION),
        (
            Step(REFLECTION, Identity(), "x Φ(x) + x Φ(-x) = x, since Φ(x) + Φ(-x) = 1."),
            Step(SLOPE_REFLECTION, Identity(), "Differentiate both sides."),
        ),
        "this project; DLMF 7.4.2",
        remark="So G(x) = x/2 plus an even function.",
    )


def _limits() -> Theorem:
    claims = (
        Equal(limit(G(x), x, -oo), 0),
        Equal(limit(G(x), x, oo), oo),
        Equal(limit(G(x) - x, x, -oo), oo),
        Equal(limit(G(x) - x, x, oo), 0),
        Equal(limit(G(x) / x, x, -oo), 0),
        Equal(limit(G(x) / x, x, oo), 1),
    )
    return Theorem(
        "gelu.shape.limits",
        "Far to the left GELU vanishes, far to the right it is the identity",
        claims,
        tuple(Step(claim, ExactLimit(), "Φ tends to 0 and 1 faster than any power of 1/x.") for claim in claims),
        "this project",
    )


def _slope_limits() -> Theorem:
    claims = (
        Equal(limit(SLOPE, x, -oo), 0),
        Equal(limit(SLOPE, x, oo), 1),
        Equal(limit(BEND, x, -oo), 0),
        Equal(limit(BEND, x, oo), 0),
    )
    return Theorem(
        "gelu.shape.slope_limits",
        "The slope of GELU tends to 0 and to 1, its curvature to 0",
        claims,
        tuple(Step(claim, ExactLimit(), "φ falls faster than any power of x grows.") for claim in claims),
        "this project",
    )


def _sign() -> Theorem:
    below, above = Compare(G(x), "<", 0, ((x, NEGATIVE),)), Compare(G(x), ">", 0, ((x, POSITIVE),))
    steps = tuple(Step(claim, Sign((x, Phi(x))), "Φ is positive.") for claim in (below, above))
    return Theorem(
        "gelu.shape.sign",
        "GELU has the sign of its argument",
        (below, above),
        steps,
        "this project",
        perturbations=(("domain: the whole line", (Compare(G(x), ">", 0, LINE),)),),
    )


def _lines() -> Theorem:
    steepest = Compare(G(x), "<", x, ((x, POSITIVE),))
    half = Compare(G(x), ">", x / 2, ((x, NONZERO),))
    sides = tuple(
        Compare(Phi(x) - Rational(1, 2), relation, 0, ((x, region),))
        for relation, region in ((">", POSITIVE), ("<", NEGATIVE))
    )
    halves = tuple(Compare(G(x), ">", x / 2, ((x, region),)) for region in (POSITIVE, NEGATIVE))
    return Theorem(
        "gelu.shape.lines",
        "GELU lies above the line x/2, which it touches at 0 only, and below ReLU",
        (half, steepest, Compare(G(x), "<", 0, ((x, NEGATIVE),))),
        (
            Step(steepest, Sign((-x, Phi(-x))), "G(x) - x = -x Φ(-x)."),
            cited(Compare(G(x), "<", 0, ((x, NEGATIVE),)), "gelu.shape.sign", "Known."),
            *(
                Step(side, Sign((erf(x / sqrt(2)) / 2,)), "Φ(x) - 1/2 = erf(x/√2)/2 has the sign of x.", name)
                for side, name in zip(sides, ("right", "left"), strict=True)
            ),
            *(
                Step(claim, Rearrange(x), "G(x) - x/2 = x (Φ(x) - 1/2).", f"half {name}", (name,))
                for claim, name in zip(halves, ("right", "left"), strict=True)
            ),
            Step(half, Cases(), "Both sides together.", needs=("half right", "half left")),
        ),
        "this project",
        perturbations=(("domain: the whole line", (Compare(G(x), "<", x, LINE),)),),
    )


def _curvature() -> Theorem:
    pieces = ((LEFT, False), (MIDDLE, True), (RIGHT, False))
    claims = tuple(Curved(G(x), convex, ((x, region),)) for region, convex in pieces)
    return Theorem(
        "gelu.shape.curvature",
        "GELU is convex exactly between its inflections at -√2 and √2, and concave outside",
        claims,
        (
            *_bend_steps(),
            *(
                Step(claim, CurvedBySign(), f"The second derivative keeps its sign on the {name} piece.", needs=(name,))
                for claim, name in zip(claims, NAMES, strict=True)
            ),
        ),
        "this project",
        perturbations=(("domain: convex on [-2, 2]", (Curved(G(x), True, ((x, Interval(-2, 2)),)),)),),
    )


def _bend_steps() -> tuple[Step, ...]:
    return tuple(
        Step(bend, Sign((2 - x**2, phi(x))), "G'' = (2 - x^2) φ, and φ is positive.", name)
        for bend, name in zip(_BENDS, NAMES, strict=True)
    )


def _inflections() -> Theorem:
    claims = tuple(
        UniqueZero(BEND, place, ((x, region),)) for place, region in ((-sqrt(2), NEGATIVE), (sqrt(2), POSITIVE))
    )
    factor = tuple(Monotone(2 - x**2, region == NEGATIVE, ((x, region),)) for region in (NEGATIVE, POSITIVE))
    return Theorem(
        "gelu.shape.inflections",
        "The second derivative of GELU vanishes exactly at -√2 and √2",
        claims,
        (
            *(
                Step(
                    Compare(derivative(2 - x**2, x), ">" if claim.increasing else "<", 0, claim.over),
                    Sign((-2 * x,)),
                    "The derivative is -2 x.",
                    f"slope {index}",
                )
                for index, claim in enumerate(factor)
            ),
            *(
                Step(
                    claim,
                    MonotoneBySign(),
                    "2 - x^2 is monotone on each side of 0.",
                    f"factor {index}",
                    (f"slope {index}",),
                )
                for index, claim in enumerate(factor)
            ),
            *(
                Step(claim, SingleZero(phi(x)), "φ has no zero, so only 2 - x^2 matters.", needs=(f"factor {index}",))
                for index, claim in enumerate(claims)
            ),
        ),
        "this project",
        perturbations=(("domain: the whole line", (UniqueZero(BEND, sqrt(2), LINE),)),),
    )


def _slope_monotone() -> Theorem:
    return Theorem(
        "gelu.shape.slope_monotone",
        "The slope of GELU falls up to -√2, rises up to √2 and falls again",
        SLOPE_MONOTONE,
        (
            *_bend_steps(),
            *(
                Step(claim, MonotoneBySign(), f"By the sign of G'' on the {name} piece.", needs=(name,))
                for claim, name in zip(SLOPE_MONOTONE, NAMES, strict=True)
            ),
        ),
        "this project",
        perturbations=(("domain: [-3, 3]", (Monotone(SLOPE, True, ((x, Interval(-3, 3)),)),)),),
    )


def _not_convex() -> Theorem:
    claims: tuple[Statement, ...] = (
        Compare(G(-4) + G(-2), "<", 2 * G(-3)),
        Compare(G(-1) + G(1), ">", 2 * G(0)),
    )
    return Theorem(
        "gelu.shape.not_convex",
        "GELU is neither convex nor concave: its chords lie below it from -4 to -2, above it from -1 to 1",
        claims,
        tuple(Step(claim, Sign(), "Enclosures of the three values.") for claim in claims),
        "Hendrycks & Gimpel, arXiv:1606.08415, section 4",
    )


def _tail() -> Theorem:
    """Mills' bounds, carried over to GELU."""
    upper = Compare(Phi(-x), "<", phi(x) / x, ((x, POSITIVE),))
    lower = Compare(Phi(-x), ">", x * phi(x) / (1 + x**2), ((x, POSITIVE),))
    near = Compare(x - G(x), "<", phi(x), ((x, POSITIVE),))
    far = Compare(x - G(x), ">", x**2 * phi(x) / (1 + x**2), ((x, POSITIVE),))
    return Theorem(
        "gelu.shape.tail",
        "For x > 0, GELU falls short of x by less than φ(x), and by more than x^2/(1 + x^2) of that",
        (near, far),
        (
            cited(upper, "normal.mills", "Mills' upper bound.", "upper"),
            cited(lower, "normal.mills", "Mills' lower bound.", "lower"),
            Step(near, Rearrange(x), "x - G(x) = x Φ(-x).", needs=("upper",)),
            Step(far, Rearrange(x), "x - G(x) = x Φ(-x).", needs=("lower",)),
        ),
        "DLMF 7.8; Gordon, Ann. Math. Statist. 12 (1941)",
        remark="By reflection, -φ(x) < G(x) < -x^2 φ(x)/(1 + x^2) for x < 0.",
    )


THEOREMS = (
    _reflection(),
    _limits(),
    _slope_limits(),
    _sign(),
    _lines(),
    _tail(),
    _curvature(),
    _inflections(),
    _slope_monotone(),
    _not_convex(),
)
