"""The single stationary point of GELU, its minimum, its steepest slopes, and its distance from ReLU."""

from dataclasses import replace
from typing import Any

from sympy import Abs, Interval, Rational, Union, erf, exp, oo, pi, sqrt

from gelu_verify.proofs.methods.assembly import Cases, MeanValue
from gelu_verify.proofs.methods.equality import Derivative, Identity, Specialise
from gelu_verify.proofs.methods.order import BeyondLimit, MonotoneBySign, MonotoneComparison, Rearrange, Sign, Weaken
from gelu_verify.proofs.methods.zeros import AtZero, SingleZero
from gelu_verify.proofs.notation import REALS, G, Phi, ReLU, Root, derivative_at, limit, phi, x, y
from gelu_verify.proofs.printers import plain
from gelu_verify.proofs.shape import LEFT, LINE, NAMES, RIGHT, SLOPE, SLOPE_MONOTONE, SLOPE_REFLECTION
from gelu_verify.proofs.statements import Compare, Equal, Monotone, Statement, UniqueZero
from gelu_verify.proofs.theorem import Step, Theorem, cited

STATIONARY = Root("xi", SLOPE, x, -1, Rational(-1, 2))
_BEFORE, _AFTER = Interval.open(-oo, STATIONARY), Interval.open(STATIONARY, oo)
UNIQUE = UniqueZero(SLOPE, STATIONARY, LINE)
MINIMUM = Compare(G(x), ">", G(STATIONARY), ((x, Union(_BEFORE, _AFTER)),))
LARGEST_SLOPE = Rational(1, 2) + erf(1) / 2 + exp(-1) / sqrt(pi)

_SLOPE_SIGNS = (Compare(SLOPE, "<", 0, ((x, _BEFORE),)), Compare(SLOPE, ">", 0, ((x, _AFTER),)))


def _slope_steps() -> tuple[Step, ...]:
    return tuple(
        cited(claim, "gelu.shape.slope_monotone", f"The slope on the {name} piece.", name)
        for claim, name in zip(SLOPE_MONOTONE, NAMES, strict=True)
    )


def _stationary() -> Theorem:
    far = Compare(SLOPE, "<", 0, ((x, LEFT),))
    right = Compare(SLOPE, ">", 0, ((x, Interval(0, oo)),))
    return Theorem(
        "gelu.shape.stationary",
        "GELU has exactly one stationary point ξ, and it lies between -1 and -1/2",
        (UNIQUE, *_SLOPE_SIGNS),
        (
            *_slope_steps(),
            cited(Equal(limit(SLOPE, x, -oo), 0), "gelu.shape.slope_limits", "G' -> 0 on the left.", "limit"),
            Step(far, BeyondLimit(), "G' falls from 0, so it is negative.", "far", ("left", "limit")),
            Step(right, Sign((Phi(x) + x * phi(x),)), "No term of Φ + x φ is negative, and Φ is positive.", "positive"),
            Step(
                UNIQUE,
                SingleZero(),
                "G' rises between -√2 and √2 and changes sign.",
                "zero",
                ("middle", "far", "positive"),
            ),
            *_slope_sign_steps(),
        ),
        "this project",
    )


def _slope_sign_steps() -> tuple[Step, ...]:
    """From the unique zero to the sign of G' on either side of it."""
    near = Compare(SLOPE, "<", 0, ((x, Interval.Ropen(-sqrt(2), STATIONARY)),))
    beyond = Compare(SLOPE, ">", 0, ((x, Interval.Lopen(STATIONARY, sqrt(2))),))
    compare = MonotoneComparison(STATIONARY)
    return (
        Step(near, compare, "Left of its zero the rising G' is negative,", "near", ("middle", "zero")),
        Step(beyond, compare, "right of it positive.", "beyond", ("middle", "zero")),
        Step(_SLOPE_SIGNS[0], Cases(), "Together with the far left.", needs=("near", "far")),
        Step(_SLOPE_SIGNS[1], Cases(), "Together with the positive half-line.", needs=("beyond", "positive")),
    )


def _monotone_claims() -> tuple[Monotone, Monotone]:
    falling = Monotone(G(x), False, ((x, Interval(-oo, STATIONARY)),))
    return falling, Monotone(G(x), True, ((x, Interval(STATIONARY, oo)),))


def _monotone_steps() -> tuple[Step, ...]:
    signs = tuple(
        cited(claim, "gelu.shape.stationary", "The sign of the slope.", name)
        for claim, name in zip(_SLOPE_SIGNS, ("negative", "positive"), strict=True)
    )
    claims = zip(_monotone_claims(), ("negative", "positive"), ("falling", "rising"), strict=True)
    return (
        *signs,
        *(Step(claim, MonotoneBySign(), "By the sign of G'.", name, (sign,)) for claim, sign, name in claims),
    )


def _monotone() -> Theorem:
    return Theorem(
        "gelu.shape.monotone",
        "GELU falls strictly up to ξ and rises strictly after it",
        _monotone_claims(),
        _monotone_steps(),
        "this project",
        perturbations=(("domain: from -2 on", (Monotone(G(x), True, ((x, Interval(-2, oo)),)),)),),
    )


def _minimum() -> Theorem:
    depth = (Compare(G(STATIONARY), ">", Rational(-17, 100)), Compare(G(STATIONARY), "<", Rational(-1699, 10000)))
    value = Equal(G(STATIONARY), -(STATIONARY**2) * phi(STATIONARY))
    steps = (
        *_monotone_steps(),
        Step(
            MINIMUM,
            MonotoneComparison(STATIONARY),
            "G falls up to ξ and rises after it.",
            needs=("falling", "rising"),
        ),
        cited(UNIQUE, "gelu.shape.stationary", "ξ is the zero of G'.", "zero"),
        Step(value, AtZero(STATIONARY), "At ξ, Φ = -x φ.", needs=("zero",)),
        *(Step(claim, Sign(), "Evaluated in a tight enclosure of ξ.") for claim in depth),
    )
    return Theorem(
        "gelu.shape.minimum",
        "GELU has a unique global minimum, at its stationary point ξ, of about -0.17",
        (MINIMUM, value, *depth),
        steps,
        "this project",
        values=(STATIONARY, G(STATIONARY)),
    )


_UPPER_SLOPE = Compare(SLOPE, "<=", LARGEST_SLOPE, LINE)
_LOWER_SLOPE = Compare(SLOPE, ">=", 1 - LARGEST_SLOPE, LINE)


def _bound_steps(
    bound: Compare, anchor: Any, near: Any, pieces: tuple[str, str], far: Any, far_fact: str
) -> tuple[Step, ...]:
    """G' against its value at an inflection: on the two pieces beside it by monotony, on the third by its limit."""
    return (
        Step(
            replace(bound, over=((x, near),)),
            MonotoneComparison(anchor),
            f"On the pieces beside {plain(anchor)} G' is monotone towards it.",
            f"near {plain(anchor)}",
            pieces,
        ),
        Step(replace(bound, over=((x, far),)), Weaken(), "On the third piece.", f"far {plain(anchor)}", (far_fact,)),
        Step(bound, Cases(), "All pieces together.", needs=(f"near {plain(anchor)}", f"far {plain(anchor)}")),
    )


def _slope_range() -> Theorem:
    places = (sqrt(2), -sqrt(2))
    values = (
        Equal(derivative_at(G(x), x, sqrt(2)), LARGEST_SLOPE),
        Equal(derivative_at(G(x), x, -sqrt(2)), 1 - LARGEST_SLOPE),
    )
    far_left, far_right = Compare(SLOPE, "<", 0, ((x, LEFT),)), Compare(SLOPE, ">", 1, ((x, RIGHT),))
    return Theorem(
        "gelu.shape.slope_range",
        "The slope of GELU is largest at √2 and smallest at -√2; the two values add up to 1",
        (_UPPER_SLOPE, _LOWER_SLOPE, *values),
        (
            *_slope_steps(),
            *(Step(value, Derivative(), "Φ + x φ there.") for value in values),
            cited(Equal(limit(SLOPE, x, -oo), 0), "gelu.shape.slope_limits", "On the left G' tends to 0,", "to 0"),
            cited(Equal(limit(SLOPE, x, oo), 1), "gelu.shape.slope_limits", "on the right to 1.", "to 1"),
            Step(far_left, BeyondLimit(), "G' falls from 0.", "below 0", ("left", "to 0")),
            Step(far_right, BeyondLimit(), "G' falls towards 1.", "above 1", ("right", "to 1")),
            *_bound_steps(_UPPER_SLOPE, places[0], Interval(-sqrt(2), oo), ("middle", "right"), LEFT, "below 0"),
            *_bound_steps(_LOWER_SLOPE, places[1], Interval(-oo, sqrt(2)), ("left", "middle"), RIGHT, "above 1"),
        ),
        "this project",
        values=(LARGEST_SLOPE, 1 - LARGEST_SLOPE),
    )


def _lipschitz() -> Theorem:
    claim = Compare(Abs(G(x) - G(y)), "<=", LARGEST_SLOPE * Abs(x - y), ((x, REALS), (y, REALS)))
    attained = Equal(derivative_at(G(x), x, sqrt(2)), LARGEST_SLOPE)
    weaker = Compare(SLOPE, ">=", -LARGEST_SLOPE, LINE)
    return Theorem(
        "gelu.shape.lipschitz",
        "GELU is Lipschitz with constant 1/2 + erf(1)/2 + 1/(e √π), and with no smaller one",
        (claim, attained),
        (
            cited(_UPPER_SLOPE, "gelu.shape.slope_range", "The largest slope.", "upper"),
            cited(_LOWER_SLOPE, "gelu.shape.slope_range", "The smallest slope.", "lower"),
            Step(weaker, Weaken(), "1 - L > -L.", "weaker", ("lower",)),
            Step(claim, MeanValue(G(x), x), "The mean value theorem.", needs=("upper", "weaker")),
            cited(
                attained,
                "gelu.shape.slope_range",
                "The slope L is attained, so no smaller constant will do.",
            ),
        ),
        "this project",
        perturbations=(
            ("constant: 1", (Compare(Abs(G(x) - G(y)), "<=", Abs(x - y), ((x, Interval(1, 2)), (y, Interval(1, 2)))),)),
        ),
    )


def _overshoot() -> Theorem:
    above = Compare(SLOPE, ">", 1, ((x, Interval.open(-STATIONARY, oo)),))
    below = Compare(SLOPE, "<", 1, ((x, Interval.open(-oo, -STATIONARY)),))
    mirrored = derivative_at(G(y), y, -x)
    signs = (
        Compare(mirrored, "<", 0, above.over),
        Compare(mirrored, ">", 0, below.over),
    )
    return Theorem(
        "gelu.shape.overshoot",
        "The slope of GELU exceeds 1 exactly to the right of -ξ: it amplifies there, ReLU never does",
        (above, below),
        (
            *(
                cited(claim, "gelu.shape.stationary", "The sign of the slope.", name)
                for claim, name in zip(_SLOPE_SIGNS, ("negative", "positive"), strict=True)
            ),
            cited(SLOPE_REFLECTION, "gelu.shape.reflection", "Slopes at x and -x add up to 1.", "sum"),
            *(
                Step(claim, Specialise(((x, -x),)), "At -x.", f"mirror {name}", (name,))
                for claim, name in zip(signs, ("negative", "positive"), strict=True)
            ),
            *(
                Step(claim, Rearrange(-1), "G'(x) - 1 = -G'(-x).", needs=(f"mirror {name}", "sum"))
                for claim, name in zip((above, below), ("negative", "positive"), strict=True)
            ),
        ),
        "this project",
        perturbations=(("domain: x > 0", (Compare(SLOPE, ">", 1, ((x, Interval.open(0, oo)),)),)),),
    )


def _not_monotone() -> Theorem:
    claims: tuple[Statement, ...] = (Compare(G(-2), ">", G(-1)), Compare(G(-1), "<", G(0)))
    return Theorem(
        "gelu.shape.not_monotone",
        "GELU is not monotone: it falls from -2 to -1 and rises from -1 to 0",
        claims,
        tuple(Step(claim, Sign(), "Enclosures of both values.") for claim in claims),
        "Hendrycks & Gimpel, arXiv:1606.08415, section 4",
    )


def _relu_distance() -> Theorem:
    mirror = Equal(ReLU(x) - G(x), -G(-Abs(x)), LINE)
    bound = Compare(ReLU(x) - G(x), "<=", -G(STATIONARY), LINE)
    attained = tuple(Equal(ReLU(place) - G(place), -G(STATIONARY)) for place in (STATIONARY, -STATIONARY))
    halves = tuple(replace(mirror, over=((x, region),)) for region in (Interval(-oo, 0), Interval(0, oo)))
    least = Compare(G(x), ">=", G(STATIONARY), LINE)
    inner = Compare(G(-Abs(x)), ">=", G(STATIONARY), LINE)
    steps = (
        *(
            Step(half, Identity(), "G(x) - G(-x) = x on each half-line.", name)
            for half, name in zip(halves, ("a", "b"), strict=True)
        ),
        Step(mirror, Cases(), "Both half-lines.", "mirror", ("a", "b")),
        *_monotone_steps(),
        Step(least, MonotoneComparison(STATIONARY), "ξ is the global minimum.", "least", ("falling", "rising")),
        Step(inner, Specialise(((x, -Abs(x)),)), "At -|x|.", "inner", ("least",)),
        Step(bound, Rearrange(-1), "Change signs.", needs=("inner", "mirror")),
        Step(attained[0], Identity(), "ReLU vanishes at ξ."),
        Step(attained[1], Identity(), "ReLU(-ξ) = -ξ, and G(-ξ) = G(ξ) - ξ."),
    )
    return Theorem(
        "gelu.shape.relu_distance",
        "GELU differs from ReLU by at most |G(ξ)|, the depth of its minimum, attained at ξ and -ξ",
        (mirror, bound, *attained),
        steps,
        "this project",
        values=(-G(STATIONARY),),
    )


THEOREMS = (
    _stationary(),
    _monotone(),
    _not_monotone(),
    _minimum(),
    _slope_range(),
    _lipschitz(),
    _overshoot(),
    _relu_distance(),
)
