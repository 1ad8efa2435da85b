"""SiLU and Mish, GELU's smooth relatives: derivatives, limits, and the single minimum, in closed form for SiLU."""

from sympy import Interval, LambertW, Rational, cosh, exp, oo, tanh

from gelu_verify.proofs.methods.assembly import Chain
from gelu_verify.proofs.methods.equality import Derivative, Identity, Specialise
from gelu_verify.proofs.methods.limits import ExactLimit
from gelu_verify.proofs.methods.order import MonotoneBySign, MonotoneComparison, Rearrange, Sign
from gelu_verify.proofs.methods.outcome import Method
from gelu_verify.proofs.methods.zeros import SingleZero
from gelu_verify.proofs.minima import minimum_claims, minimum_steps
from gelu_verify.proofs.notation import (
    NEGATIVE,
    POSITIVE,
    REALS,
    Mish,
    Root,
    S,
    SiLU,
    default_constant,
    derivative,
    derivative_at,
    k,
    limit,
    sigma,
    x,
)
from gelu_verify.proofs.statements import Compare, Equal, Monotone, Over, UniqueZero
from gelu_verify.proofs.theorem import Step, Theorem, cited

_LINE: Over = ((x, REALS),)
_BELOW: Over = ((x, NEGATIVE),)
_ABOVE: Over = ((x, POSITIVE),)
_W = LambertW(exp(-1))  # 0.2784645...
SILU_MINIMUM = -(1 + _W)
_SILU_MONOTONE = (
    Monotone(SiLU(x), False, ((x, Interval(-oo, SILU_MINIMUM)),)),
    Monotone(SiLU(x), True, ((x, Interval(SILU_MINIMUM, oo)),)),
)


def _derivatives() -> Theorem:
    first = Equal(derivative(SiLU(x), x), sigma(x) * (1 + x * sigma(-x)), _LINE)
    second = Equal(derivative(SiLU(x), x, 2), sigma(x) * sigma(-x) * (2 - x * tanh(x / 2)), _LINE)
    return Theorem(
        "silu.derivatives",
        "The first two derivatives of SiLU",
        (first, second),
        tuple(Step(claim, Derivative(), "The product rule and σ' = σ(x) σ(-x).") for claim in (first, second)),
        "Elfwing, Uchibe & Doya, Neural Networks 107 (2018)",
    )


def _reflection() -> Theorem:
    claims = (
        Equal(SiLU(x) - SiLU(-x), x, _LINE),
        Equal(limit(SiLU(x), x, -oo), 0),
        Equal(limit(SiLU(x) - x, x, oo), 0),
        Equal(derivative_at(SiLU(x), x, 0), Rational(1, 2)),
    )
    methods: tuple[Method, ...] = (Identity(), ExactLimit(), ExactLimit(), Derivative())
    return Theorem(
        "silu.reflection",
        "SiLU shares GELU's reflection, limits, and slope 1/2 at 0",
        claims,
        tuple(
            Step(claim, method, "As for GELU, with σ in place of Φ.")
            for claim, method in zip(claims, methods, strict=True)
        ),
        "Elfwing, Uchibe & Doya, Neural Networks 107 (2018)",
    )


def _silu_start() -> tuple[Step, ...]:
    rising = exp(x) + 1 + x
    return (
        Step(
            Compare(derivative(rising, x), ">", 0, _LINE), Sign((exp(x) + 1,)), "h = e^x + 1 + x has h' > 0,", "slope"
        ),
        Step(Monotone(rising, True, ((x, Interval(-oo, 0)),)), MonotoneBySign(), "so it rises.", "rising", ("slope",)),
        Step(Compare(rising, ">", 0, ((x, Interval(0, oo)),)), Sign(), "From 0 on it is positive.", "beyond"),
    )


def _silu_minimum() -> Theorem:
    value = Equal(SiLU(SILU_MINIMUM), -_W)
    return Theorem(
        "silu.minimum",
        "SiLU has one stationary point, its global minimum: -W(1/e) at -(1 + W(1/e)), W being Lambert's function",
        (*minimum_claims(SiLU(x), SILU_MINIMUM), *_SILU_MONOTONE, value),
        (
            *minimum_steps(SiLU(x), sigma(x) * sigma(-x), exp(x) + 1 + x, SILU_MINIMUM, _silu_start()),
            Step(value, Identity(), "e^{-W(1/e)} = e W(1/e), by definition of W (DLMF 4.13.1)."),
        ),
        "this project; DLMF 4.13",
        remark="SiLU dips deeper than GELU.",
        values=(SILU_MINIMUM, -_W),
    )


def _sigmoid_minimum() -> Theorem:
    place = SILU_MINIMUM / k
    over: Over = ((k, POSITIVE),)
    both: Over = ((x, REALS), (k, POSITIVE))
    value = Equal(S(place, k), -_W / k, over)
    stationary = Equal(derivative_at(S(x, k), x, place), 0, over)
    silu_least = Compare(SiLU(x), ">=", SiLU(SILU_MINIMUM), _LINE)
    scaled = Compare(SiLU(k * x), ">=", SiLU(SILU_MINIMUM), both)
    least = Compare(S(x, k), ">=", S(place, k), both)
    return Theorem(
        "form.sigmoid.minimum",
        "The sigmoid form is least at -(1 + W(1/e))/k, where it is -W(1/e)/k",
        (least, value, stationary),
        (
            *(
                cited(claim, "silu.minimum", "SiLU falls, then rises.", name)
                for claim, name in zip(_SILU_MONOTONE, ("left", "right"), strict=True)
            ),
            Step(
                silu_least, MonotoneComparison(SILU_MINIMUM), "So this is SiLU's minimum.", "least", ("left", "right")
            ),
            Step(scaled, Specialise(((x, k * x),)), "At k x.", "scaled", ("least",)),
            Step(least, Rearrange(1 / k), "S_k(x) = SiLU(k x)/k.", needs=("scaled",)),
            Step(value, Identity(), "e^{-W(1/e)} = e W(1/e)."),
            Step(stationary, Derivative(), "The slope there is 0."),
        ),
        "this project; DLMF 4.13",
        remark="The values are for the usual k.",
        values=tuple(number / default_constant("gelu_sigmoid", "k") for number in (SILU_MINIMUM, -_W)),
    )


def _inflections() -> Theorem:
    """SiLU'' is a positive factor times 2 - x tanh(x/2), which is even and falls for x > 0."""
    factor, falling = sigma(x) * sigma(-x), 2 - x * tanh(x / 2)
    bend = derivative(SiLU(x), x, 2)
    zero = Root("zeta", falling, x, 2, 3)
    even = Equal(bend, derivative_at(SiLU(x), x, -x, 2), _LINE)
    unique = UniqueZero(bend, zero, ((x, Interval(0, oo)),))
    inside, outside = ((x, Interval.Ropen(0, zero)),), ((x, Interval.open(zero, oo)),)
    monotone = Monotone(falling, False, ((x, Interval(0, oo)),))
    slope = Compare(derivative(falling, x), "<", 0, _ABOVE)
    steps = (
        Step(even, Identity(), "All parts of SiLU'' are even."),
        Step(slope, Sign((-1, tanh(x / 2) + x / (2 * cosh(x / 2) ** 2))), "x tanh(x/2) rises for x > 0,", "slope"),
        Step(monotone, MonotoneBySign(), "so 2 - x tanh(x/2) falls,", "falls", ("slope",)),
        Step(UniqueZero(falling, zero, unique.over), SingleZero(), "through 0 once.", "root", ("falls",)),
        Step(unique, SingleZero(factor), "SiLU'' has the same zero.", needs=("falls",)),
        Step(
            Compare(falling, ">", 0, inside),
            MonotoneComparison(zero),
            "Before it the factor is positive,",
            "plus",
            ("falls", "root"),
        ),
        Step(
            Compare(falling, "<", 0, outside),
            MonotoneComparison(zero),
            "after it negative;",
            "minus",
            ("falls", "root"),
        ),
        Step(Compare(bend, ">", 0, inside), Rearrange(factor), "and so is SiLU'',", needs=("plus",)),
        Step(Compare(bend, "<", 0, outside), Rearrange(factor), "on both sides.", needs=("minus",)),
    )
    return Theorem(
        "silu.inflections",
        "SiLU has two inflections, at -ζ and ζ: convex between and concave outside, the same shape as GELU",
        (even, unique, Compare(bend, ">", 0, inside), Compare(bend, "<", 0, outside)),
        steps,
        "this project",
        remark="ζ solves x tanh(x/2) = 2; for GELU it is √2.",
        values=(zero,),
        perturbations=(("domain: the whole line", (UniqueZero(bend, zero, _LINE),)),),
    )


_DELTA = exp(2 * x) + 2 * exp(x) + 2
_OMEGA = 4 * (1 + x) + 4 * exp(2 * x) + exp(3 * x) + exp(x) * (4 * x + 6)


def _mish_form() -> Theorem:
    form = Equal(Mish(x), x * (exp(2 * x) + 2 * exp(x)) / _DELTA, _LINE)
    slope = Equal(derivative(Mish(x), x), exp(x) * _OMEGA / _DELTA**2, _LINE)
    return Theorem(
        "mish.derivative",
        "Mish and its derivative as quotients of exponentials",
        (form, slope),
        (
            Step(form, Identity(), "tanh(log(1 + e^x)) = ((1 + e^x)^2 - 1)/((1 + e^x)^2 + 1)."),
            Step(slope, Derivative(), "The quotient rule."),
        ),
        "Misra, arXiv:1908.08681",
    )


def _mish_limits() -> Theorem:
    claims = (Equal(limit(Mish(x), x, -oo), 0), Equal(limit(Mish(x) - x, x, oo), 0))
    form = x * (exp(2 * x) + 2 * exp(x)) / _DELTA
    return Theorem(
        "mish.limits",
        "Mish vanishes on the left and tends to x on the right",
        claims,
        (
            Step(claims[0], ExactLimit(form), "In exponentials."),
            Step(claims[1], ExactLimit(form - x), "In exponentials."),
        ),
        "Misra, arXiv:1908.08681",
    )


def _bounded_product_steps() -> tuple[Step, ...]:
    """x e^x falls up to -1 and rises after it, so it is at least -1/e."""
    product = x * exp(x)
    halves = (
        ("<", Interval.open(-oo, -1), Monotone(product, False, ((x, Interval(-oo, -1)),)), "down"),
        (">", Interval.open(-1, oo), Monotone(product, True, ((x, Interval(-1, oo)),)), "up"),
    )
    steps: list[Step] = []
    for relation, inside, monotone, name in halves:
        slope = Compare(derivative(product, x), relation, 0, ((x, inside),))
        steps += [
            Step(slope, Sign((exp(x), 1 + x)), "(x e^x)' = (1 + x) e^x.", f"slope {name}"),
            Step(monotone, MonotoneBySign(), "So x e^x falls, then rises:", name, (f"slope {name}",)),
        ]
    least = Compare(product, ">=", -exp(-1), _LINE)
    return (*steps, Step(least, MonotoneComparison(-1), "its least value is -1/e.", "least", ("down", "up")))


def _mish_start() -> tuple[Step, ...]:
    """ω rises for x < 0: the only negative term of ω', 4 x e^x, is at least -4/e."""
    rest = 4 + 8 * exp(2 * x) + 3 * exp(3 * x) + 10 * exp(x)
    whole, floor = rest + 4 * x * exp(x), rest - 4 * exp(-1)
    rising = Monotone(_OMEGA, True, ((x, Interval(-oo, 0)),))
    return (
        *_bounded_product_steps(),
        Step(Compare(whole, ">=", floor, _LINE), Rearrange(4), "Add the positive terms.", "bound", ("least",)),
        Step(Compare(floor, ">", 0, _LINE), Sign(), "4 - 4/e is positive.", "floor"),
        Step(Compare(whole, ">", 0, _LINE), Chain(), "Together,", "whole", ("bound", "floor")),
        Step(Compare(derivative(_OMEGA, x), ">", 0, _LINE), Rearrange(), "which is ω' > 0,", "omega", ("whole",)),
        Step(rising, MonotoneBySign(), "so ω rises.", "rising", ("omega",)),
        Step(Compare(_OMEGA, ">", 0, ((x, Interval(0, oo)),)), Sign(), "From 0 on it is positive.", "beyond"),
    )


def _mish_minimum() -> Theorem:
    zero = Root("eta", _OMEGA, x, -2, -1)
    depth = (Compare(Mish(zero), ">", Rational(-309, 1000)), Compare(Mish(zero), "<", Rational(-308, 1000)))
    return Theorem(
        "mish.minimum",
        "Mish has one stationary point, its global minimum, between -0.309 and -0.308",
        (*minimum_claims(Mish(x), zero), *depth),
        (
            *minimum_steps(Mish(x), exp(x) / _DELTA**2, _OMEGA, zero, _mish_start()),
            *(Step(claim, Sign(), "Evaluated in a tight enclosure of the zero.") for claim in depth),
        ),
        "this project",
        values=(zero, Mish(zero)),
    )


THEOREMS = (
    _derivatives(),
    _reflection(),
    _silu_minimum(),
    _inflections(),
    _sigmoid_minimum(),
    _mish_form(),
    _mish_limits(),
    _mish_minimum(),
)
