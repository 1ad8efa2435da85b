"""Every method accepts a sound argument and refuses each of its near misses: one condition broken at a time."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
import sympy
from sympy import Abs, Interval, Rational, Sum, cos, exp, factorial, oo, sin

from gelu_verify.proofs.extrema import STATIONARY, UNIQUE
from gelu_verify.proofs.methods.assembly import Cases, Chain, MeanValue
from gelu_verify.proofs.methods.equality import DifferentiateFact, Identity, Specialise
from gelu_verify.proofs.methods.integrals import Antiderivative, IntegralBound, Linearity, MaclaurinSeries, Substitution
from gelu_verify.proofs.methods.limits import ExactLimit, LimitCombination, OneSidedDerivatives, Squeeze, TaylorQuotient
from gelu_verify.proofs.methods.logic import Assuming, Induction
from gelu_verify.proofs.methods.logic import Theorem as ByTheorem
from gelu_verify.proofs.methods.order import (
    BeyondLimit,
    CurvedBySign,
    MonotoneBySign,
    MonotoneComparison,
    Rearrange,
    Sign,
    Weaken,
)
from gelu_verify.proofs.methods.parameters import UnderIntegral
from gelu_verify.proofs.methods.zeros import AtZero, SingleZero
from gelu_verify.proofs.notation import (
    COMPLEXES,
    ELU,
    NEGATIVE,
    NONZERO,
    POSITIVE,
    REALS,
    G,
    Phi,
    alpha,
    derivative,
    derivative_at,
    integers_from,
    integral,
    limit,
    mu,
    n,
    phi,
    t,
    w,
    x,
    y,
    z,
)
from gelu_verify.proofs.statements import Compare, Corner, Curved, Equal, Implies, Monotone, Smooth, UniqueZero
from gelu_verify.records import Verdict

LINE, RIGHT, LEFT = ((x, REALS),), ((x, POSITIVE),), ((x, NEGATIVE),)
PLANE = ((x, REALS), (y, REALS))
SLOPE = derivative(G(x), x)
TAIL = 1 - Phi(x)


@dataclass(frozen=True)
class Argument:
    """A sound argument, and changes to the method, the goal or one of the facts that make it unsound."""

    method: Any
    goal: Any
    facts: tuple[Any, ...]
    wrong_methods: tuple[Any, ...] = ()
    wrong_goals: tuple[Any, ...] = ()
    wrong_facts: tuple[tuple[int, Any], ...] = ()
    spare_facts: tuple[int, ...] = ()  # positions that may be left out (they only widen the argument)


def over(statement: Any, region: Any) -> Any:
    return replace(statement, over=((statement.over[0][0], region), *statement.over[1:]))


_UPPER = Compare(TAIL, "<", phi(x) / x, RIGHT)
_RISES = Monotone(Phi(x), True, LINE)
_SQUARE_UP, _SQUARE_DOWN = (
    Monotone(x**2, up, ((x, side),)) for up, side in ((True, Interval(0, oo)), (False, Interval(-oo, 0)))
)
_ROOT_LINE = Monotone(x**3 + x, True, LINE)
_STEP = Implies((Equal(Sum(1, (t, 1, n)), n),), Equal(Sum(1, (t, 1, n + 1)), n + 1), ((n, integers_from(0)),))
_SINE = Equal(limit(sin(x) / x, x, oo), 0)
_PARTS = (Equal(limit(1 / x, x, oo), 0), Equal(limit(Phi(x), x, oo), 1))
_EXP_AT_ZERO = Equal(derivative_at(exp(x), x, 0, n), 1, ((n, integers_from(0)),))
_EXP_SERIES = Equal(exp(w), Sum(w**n / factorial(n), (n, 0, oo)), ((w, COMPLEXES),))

ARGUMENTS: dict[str, Argument] = {
    "identity": Argument(
        Identity(),
        Equal(2 * SLOPE, 2 * Phi(x) + 2 * x * phi(x), LINE),
        (Equal(SLOPE, Phi(x) + x * phi(x), LINE),),
        wrong_goals=(
            Equal(2 * SLOPE, 2 * Phi(x) + x * phi(x), LINE),
            Compare(2 * SLOPE, "<=", 2 * Phi(x) + 2 * x * phi(x), LINE),
        ),
        wrong_facts=((0, Equal(SLOPE, Phi(x) + x * phi(x), RIGHT)), (0, Compare(SLOPE, ">=", 0, RIGHT))),
        spare_facts=(0,),
    ),
    "differentiate both sides": Argument(
        DifferentiateFact(),
        Equal(derivative(G(x), x, 2), (2 - x**2) * phi(x), LINE),
        (Equal(SLOPE, Phi(x) + x * phi(x), LINE),),
        wrong_goals=(
            Equal(derivative(G(x), x, 2), (2 - x) * phi(x), LINE),
            Equal(derivative(G(x), x, 3), (2 - x**2) * phi(x), LINE),
        ),
        wrong_facts=(
            (0, Equal(SLOPE, Phi(x) + x**2 * phi(x), LINE)),
            (0, Equal(SLOPE, Phi(x) + x * phi(x), RIGHT)),
            (0, Compare(SLOPE, ">", Phi(x), RIGHT)),
        ),
    ),
    "specialise": Argument(
        Specialise(((x, 1),)),
        Compare(exp(1) * y, "<", exp(1) + y**2 + 9, ((y, POSITIVE),)),
        (Compare(exp(x) * y, "<", exp(x) + y**2 + 9, ((x, Interval(0, 1)), (y, POSITIVE))),),
        wrong_methods=(Specialise(((x, 2),)), Specialise(((x, y),)), Specialise(((z, 1),))),
        wrong_goals=(
            Compare(exp(1) * y, "<=", exp(1) + y**2 + 9, ((y, POSITIVE),)),
            Compare(exp(1) * y, "<", exp(1) + y**2 + 8, ((y, POSITIVE),)),
            Compare(exp(1) * y + 1, "<", exp(1) + y**2 + 9, ((y, POSITIVE),)),
            Compare(exp(1) * y, "<", exp(1) + y**2 + 9, ((y, REALS),)),
            Equal(exp(1) * y, exp(1) + y**2 + 9, ((y, POSITIVE),)),
        ),
    ),
    "rearrange": Argument(
        Rearrange(x),
        Compare(x * TAIL, "<", phi(x), RIGHT),
        (_UPPER,),
        wrong_methods=(Rearrange(-x), Rearrange(x**2), Rearrange(x - 1)),
        wrong_goals=(
            Compare(x * TAIL, ">", phi(x), RIGHT),
            Compare(x * TAIL, "<", phi(x), LINE),
            Compare(x * TAIL, "<", phi(x) / 2, RIGHT),
            Equal(x * TAIL, phi(x), RIGHT),
        ),
        wrong_facts=((0, over(_UPPER, Interval(1, oo))), (0, Equal(TAIL, phi(x) / x, RIGHT))),
    ),
    "monotone": Argument(
        MonotoneBySign(),
        Monotone(x**3 + y, True, ((x, Interval(0, oo)), (y, REALS))),
        (Compare(derivative(x**3 + y, x), ">", 0, ((x, POSITIVE), (y, REALS))),),
        wrong_goals=(
            Monotone(x**3 + y, False, ((x, Interval(0, oo)), (y, REALS))),
            Monotone(x**3 + y, True, ((x, Interval(-1, oo)), (y, REALS))),
            Monotone(x**3 + y, True, ((x, NONZERO), (y, REALS))),
            Monotone(x**3 + y, True, ((y, Interval(0, oo)), (x, REALS))),
            Curved(x**3 + y, True, ((x, Interval(0, oo)), (y, REALS))),
        ),
        wrong_facts=(
            (0, Compare(derivative(x**3 + y, x), ">=", 0, ((x, POSITIVE), (y, REALS)))),
            (0, Compare(derivative(x**3 + y, x), "<", 0, ((x, POSITIVE), (y, REALS)))),
            (0, Compare(derivative(x**3 + y, x), ">", 0, ((x, Interval(1, oo)), (y, REALS)))),
            (0, Compare(derivative(x**3 + y, x), ">", 0, ((x, POSITIVE), (y, POSITIVE)))),
            (0, Compare(derivative(x**2 + y, x), ">", 0, ((x, POSITIVE), (y, REALS)))),
        ),
    ),
    "convexity": Argument(
        CurvedBySign(),
        Curved(x**3, True, ((x, Interval(0, oo)),)),
        (Compare(derivative(x**3, x, 2), ">", 0, RIGHT),),
        wrong_goals=(
            Curved(x**3, False, ((x, Interval(0, oo)),)),
            Curved(x**3, True, LINE),
            Monotone(x**3, True, ((x, Interval(0, oo)),)),
        ),
        wrong_facts=((0, Compare(derivative(x**3, x), ">", 0, RIGHT)),),
    ),
    "monotone limit": Argument(
        BeyondLimit(),
        Compare(Phi(x), ">", 0, LINE),
        (_RISES, Equal(limit(Phi(x), x, -oo), 0)),
        wrong_goals=(
            Compare(Phi(x), "<", 0, LINE),
            Compare(Phi(x), ">", 1, LINE),
            Compare(phi(x), ">", 0, LINE),
            Equal(Phi(x), 0, LINE),
        ),
        wrong_facts=(
            (0, replace(_RISES, increasing=False)),
            (0, over(_RISES, POSITIVE)),
            (0, Monotone(x, True, LINE)),
            (0, Monotone(Phi(x), True, PLANE[::-1])),
            (0, Compare(Phi(x), ">", 0, LINE)),
            (1, Equal(limit(Phi(x), x, oo), 1)),
            (1, Equal(limit(Phi(x), x, 0), 0)),
            (1, Equal(limit(x * phi(x), x, -oo), 0)),
            (1, Equal(Phi(-50), 0)),
        ),
    ),
    "monotone limit at a finite end": Argument(
        BeyondLimit(),
        Compare(x**2, ">", 0, RIGHT),
        (_SQUARE_UP, Equal(limit(x**2, x, 0, "+"), 0)),
        wrong_goals=(Compare(x**2, ">", 0, ((x, Interval(0, oo)),)),),
    ),
    "monotone comparison": Argument(
        MonotoneComparison(0),
        Compare(x**2, ">", 0, ((x, NONZERO),)),
        (_SQUARE_UP, _SQUARE_DOWN),
        wrong_methods=(MonotoneComparison(1), MonotoneComparison(-1)),
        wrong_goals=(
            Compare(x**2, "<", 0, ((x, NONZERO),)),
            Compare(x**2, ">", 0, LINE),
            Compare(x**2, ">", Rational(1, 100), ((x, NONZERO),)),
            Compare(x**4, ">", 0, ((x, NONZERO),)),
            Equal(x**2, 0, ((x, NONZERO),)),
        ),
        wrong_facts=(
            (0, replace(_SQUARE_UP, increasing=False)),
            (0, over(_SQUARE_UP, Interval(0, 1))),
            (0, Monotone(x**3, True, _SQUARE_UP.over)),
            (0, Monotone(x**2, True, ((y, Interval(0, oo)), (x, Interval(0, oo))))),
            (0, Monotone(x**2, True, (*_SQUARE_UP.over, (y, REALS)))),
        ),
    ),
    "monotone comparison with a zero": Argument(
        MonotoneComparison(STATIONARY),
        Compare(SLOPE, ">", 0, ((x, Interval.Lopen(STATIONARY, 1)),)),
        (Monotone(SLOPE, True, ((x, Interval(-1, 1)),)), UNIQUE),
        wrong_methods=(MonotoneComparison(Rational(-3, 4)),),
        wrong_goals=(Compare(SLOPE, ">", 0, ((x, Interval(STATIONARY, 1)),)),),
        wrong_facts=(
            (1, UniqueZero(G(x), STATIONARY, LINE)),
            (1, UniqueZero(SLOPE, STATIONARY, (*LINE, (y, REALS)))),
            (1, UniqueZero(SLOPE, STATIONARY, ((y, REALS), *LINE))),
            (1, UniqueZero(SLOPE, -1, LINE)),
        ),
    ),
    "unique zero": Argument(
        SingleZero(exp(x)),
        UniqueZero(exp(x) * (x**3 + x), 0, LINE),
        (_ROOT_LINE,),
        wrong_methods=(SingleZero(x), SingleZero(exp(2 * x)), SingleZero()),
        wrong_goals=(
            UniqueZero(exp(x) * (x**3 + x), 1, LINE),
            UniqueZero(exp(x) * (x**3 + x), 0, ((x, Interval(1, 2)),)),
            UniqueZero(exp(x) * (x**3 - x), 0, LINE),
            Equal(exp(x) * (x**3 + x), 0, LINE),
        ),
        wrong_facts=(
            (0, over(_ROOT_LINE, Interval(-1, 1))),
            (0, Monotone(x**5 + x, True, LINE)),
            (0, Monotone(x**3 + x, True, ((y, REALS), *LINE))),
            (0, Monotone(x**3 + x, True, (*LINE, (y, REALS)))),
        ),
    ),
    "unique zero beside a sign": Argument(
        SingleZero(),
        UniqueZero(x**2 - 1, 1, ((x, Interval(-Rational(1, 2), oo)),)),
        (
            Monotone(x**2 - 1, True, ((x, Interval(0, oo)),)),
            Compare(x**2 - 1, "<", 0, ((x, Interval(-Rational(1, 2), 0)),)),
        ),
        wrong_goals=(UniqueZero(x**2 - 1, 1, ((x, Interval(-2, oo)),)),),
        wrong_facts=(
            (1, Compare(x**2 - 1, "<=", 0, ((x, Interval(-Rational(1, 2), 0)),))),
            (1, Compare(x**2 - 2, "<", 0, ((x, Interval(-Rational(1, 2), 0)),))),
            (1, Compare(x**2 - 1, "<", 0, ((x, Interval(-Rational(1, 4), 0)),))),
            (1, Compare(x**2 - 1, "<", 0, ((x, Interval(-Rational(1, 2), 0)), (y, REALS)))),
        ),
    ),
    "at the zero": Argument(
        AtZero(STATIONARY),
        Equal(G(STATIONARY), -(STATIONARY**2) * phi(STATIONARY)),
        (UNIQUE,),
        wrong_methods=(AtZero(1), AtZero(STATIONARY**2)),
        wrong_goals=(
            Equal(G(STATIONARY), STATIONARY**2 * phi(STATIONARY)),
            Compare(G(STATIONARY), "<=", -(STATIONARY**2) * phi(STATIONARY)),
        ),
        wrong_facts=((0, replace(UNIQUE, over=(*LINE, (y, REALS)))), (0, replace(UNIQUE, expression=G(x)))),
    ),
    "weaken": Argument(
        Weaken(),
        Compare(Phi(x), "<", 2, LINE),
        (Compare(Phi(x), "<=", 1, LINE),),
        wrong_goals=(
            Compare(Phi(x), "<", 1, LINE),
            Compare(Phi(x), ">", 2, LINE),
            Compare(Phi(x), "!=", 2, LINE),
            Compare(phi(x), "<", 2, LINE),
            Compare(Phi(x), "<", 1 + x, LINE),
        ),
        wrong_facts=(
            (0, Compare(Phi(x), "<=", 1, RIGHT)),
            (0, Compare(Phi(x), ">=", 1, LINE)),
            (0, Equal(Phi(x), 1, LINE)),
        ),
    ),
    "cases": Argument(
        Cases(),
        Compare(x**2 + y**2, ">", 0, ((x, NONZERO), (y, REALS))),
        (
            Compare(x**2 + y**2, ">", 0, ((x, POSITIVE), (y, REALS))),
            Compare(x**2 + y**2, ">", 0, ((x, NEGATIVE), (y, REALS))),
        ),
        wrong_goals=(
            Compare(x**2 + y**2, ">", 0, PLANE),
            Compare(x**2 + y**2, "<", 0, ((x, NONZERO), (y, REALS))),
            Compare(x**2 + y**2, ">", 1, ((x, NONZERO), (y, REALS))),
            Compare(x**2 + y, ">", 0, ((x, NONZERO), (y, REALS))),
            Equal(x**2 + y**2, 0, ((x, NONZERO), (y, REALS))),
        ),
        wrong_facts=(
            (0, Compare(x**2 + y**2, ">=", 0, ((x, POSITIVE), (y, REALS)))),
            (0, Compare(x**2 + y**2, ">", 0, ((x, POSITIVE), (y, POSITIVE)))),
            (0, Compare(x**2 + y**2, ">", 0, ((y, POSITIVE), (x, REALS)))),
            (0, Equal(x**2 + y**2, 0, ((x, POSITIVE), (y, REALS)))),
        ),
    ),
    "chain": Argument(
        Chain(),
        Compare(SLOPE, "<", 3, LINE),
        (Equal(SLOPE, Phi(x) + x * phi(x), LINE), Compare(Phi(x) + x * phi(x), "<", 2, LINE), Compare(2, "<=", 3)),
        wrong_goals=(
            Compare(SLOPE, ">", 3, LINE),
            Compare(SLOPE, "<", 4, LINE),
            Compare(G(x), "<", 3, LINE),
            Equal(SLOPE, 3, LINE),
            Monotone(SLOPE, True, LINE),
        ),
        wrong_facts=(
            (0, Equal(SLOPE, Phi(x) + x * phi(x), RIGHT)),
            (0, Compare(SLOPE, ">", Phi(x) + x * phi(x), LINE)),
            (0, Monotone(SLOPE, True, RIGHT)),
            (1, Compare(Phi(x) + x * phi(x), "<", Rational(3, 2), LINE)),
        ),
    ),
    "mean value theorem": Argument(
        MeanValue(sin(x), x),
        Compare(Abs(sin(x) - sin(y)), "<=", Abs(x - y), PLANE),
        (Compare(cos(x), "<=", 1, LINE), Compare(cos(x), ">=", -1, LINE)),
        wrong_methods=(MeanValue(cos(x), x),),
        wrong_goals=(
            Compare(Abs(sin(x) - sin(y)), "<=", Abs(x - y) / 2, PLANE),
            Compare(Abs(sin(x) - sin(y)), "<", Abs(x - y), PLANE),
            Compare(Abs(sin(x) - sin(y)), "<=", Abs(x + y), PLANE),
            Compare(Abs(sin(x) - sin(y)), "<=", Abs(x - y), ((x, NONZERO), (y, NONZERO))),
            Compare(Abs(sin(x) - sin(y)), "<=", Abs(x - y), ((x, REALS), (y, POSITIVE))),
        ),
        wrong_facts=(
            (0, Compare(cos(x), "<=", 1, RIGHT)),
            (0, Compare(cos(x), "<=", 2, LINE)),
            (0, Compare(sin(x), "<=", 1, LINE)),
            (0, Compare(cos(x), ">=", 1, LINE)),
            (1, Compare(cos(x), ">=", 0, LINE)),
            (1, Compare(cos(x), ">=", -1, RIGHT)),
            (1, Compare(cos(x), "<=", -1, LINE)),
        ),
    ),
    "induction": Argument(
        Induction(n),
        Equal(Sum(1, (t, 1, n)), n, ((n, integers_from(0)),)),
        (Equal(Sum(1, (t, 1, 0)), 0), _STEP),
        wrong_methods=(Induction(n, 2), Induction(t)),
        wrong_goals=(
            Equal(Sum(1, (t, 1, n)), n, ((n, integers_from(1)),)),
            Equal(Sum(1, (t, 1, n)), n, ((n, sympy.Range(0, 9)),)),
            Equal(Sum(1, (t, 1, n)), n, ((n, sympy.Range(0, oo, 2)),)),
            Equal(Sum(1, (t, 1, n)), n, ((n, POSITIVE),)),
            Equal(Sum(1, (t, 1, n)), n + 1, ((n, integers_from(0)),)),
        ),
        wrong_facts=(
            (0, Equal(Sum(1, (t, 1, 1)), 1)),
            (1, replace(_STEP, over=((n, integers_from(1)),))),
            (1, replace(_STEP, conclusion=_STEP.hypotheses[0])),
            (1, _STEP.conclusion),
        ),
    ),
    "under the hypothesis": Argument(
        Assuming(Identity()),
        Implies((Equal(G(x), y, RIGHT),), Equal(2 * G(x), 2 * y, RIGHT), ((y, REALS),)),
        (),
        wrong_methods=(Assuming(Sign()),),
        wrong_goals=(
            Implies((Equal(G(x), y, RIGHT),), Equal(2 * G(x), 3 * y, RIGHT), ((y, REALS),)),
            Implies((Equal(G(x), y, RIGHT),), Equal(2 * G(x), 2 * y, LINE), ((y, REALS),)),
            Implies((Equal(G(x), y, RIGHT),), Equal(G(x), y, RIGHT), ((y, REALS),)),
            Equal(2 * G(x), 2 * y, RIGHT),
        ),
    ),
    "theorem": Argument(
        ByTheorem("any"),
        Compare(G(x), ">", 0, RIGHT),
        (Compare(G(x), "<", 0, LEFT), Compare(G(x), ">", 0, RIGHT)),
        wrong_goals=(
            Compare(G(x), ">=", 0, RIGHT),
            Compare(G(x), ">", 0, LINE),
            Compare(G(x), "<", 0, RIGHT),
            Equal(G(x), 0, RIGHT),
        ),
        spare_facts=(0,),
    ),
    "integral": Argument(
        Antiderivative(Phi(t)),
        Equal(integral(phi(t), t, -oo, x), Phi(x), LINE),
        (),
        wrong_methods=(Antiderivative(2 * Phi(t)), Antiderivative(phi(t))),
        wrong_goals=(
            Equal(integral(phi(t), t, -oo, x), Phi(x) + 1, LINE),
            Equal(integral(phi(t), t, 0, x), Phi(x), LINE),
            Equal(integral(2 * phi(t), t, -oo, x), Phi(x), LINE),
            Equal(Phi(x), Phi(x), LINE),
        ),
    ),
    "linearity": Argument(
        Linearity((3, y)),
        Equal(integral((3 + y * t) * phi(t), t, -oo, oo), 3, ((y, REALS),)),
        (Equal(integral(phi(t), t, -oo, oo), 1), Equal(integral(t * phi(t), t, -oo, oo), 0)),
        wrong_methods=(Linearity((3,)), Linearity((3, t)), Linearity((2, y)), Linearity((3, y, 0))),
        wrong_goals=(
            Equal(integral((3 + y * t) * phi(t), t, -oo, oo), 4, ((y, REALS),)),
            Equal(integral((3 + y * t) * phi(t), t, 0, oo), 3, ((y, REALS),)),
            Equal(integral((3 + 2 * y * t) * phi(t), t, -oo, oo), 3, ((y, REALS),)),
        ),
        wrong_facts=(
            (0, Equal(integral(phi(t), t, -oo, 0), 1)),
            (0, Equal(integral(phi(t), t, -oo, oo), 1, LINE)),
            (0, Equal(1, integral(phi(t), t, -oo, oo))),
        ),
    ),
    "substitution": Argument(
        Substitution(2 * t + 1, Rational(1, 2)),
        Equal(integral(phi(2 * t + 1), t, -oo, oo), Rational(1, 2)),
        (Equal(integral(phi(y), y, -oo, oo), 1),),
        wrong_methods=(
            Substitution(2 * t, Rational(1, 2)),
            Substitution(-2 * t - 1, Rational(-1, 2)),
            Substitution(2 * t + 1, 1),
        ),
        wrong_goals=(
            Equal(integral(phi(2 * t + 1), t, -oo, oo), 1),
            Equal(integral(phi(2 * t + 1), t, 0, oo), Rational(1, 2)),
        ),
        wrong_facts=(
            (0, Equal(integral(phi(y), y, 0, oo), 1)),
            (0, Equal(integral(phi(y), y, -oo, oo), 1, LINE)),
            (0, Equal(Phi(0), 1)),
        ),
    ),
    "bound of an integral": Argument(
        IntegralBound(),
        Compare(2 * integral(1 / (1 + t**2), t, 0, 3), "<=", 6),
        (Compare(1 / (1 + t**2), "<=", 1, ((t, REALS),)),),
        wrong_goals=(
            Compare(2 * integral(1 / (1 + t**2), t, 0, 3), "<=", 5),
            Compare(2 * integral(1 / (1 + t**2), t, 0, 3), ">=", 6),
            Compare(-2 * integral(1 / (1 + t**2), t, 0, 3), "<=", -6),
            Compare(2 * integral(1 / (1 + t**2), t, 3, 0), "<=", -6),
            Compare(2 * integral(1 / (1 + t), t, 0, 3), "<=", 6),
        ),
        wrong_facts=(
            (0, Compare(1 / (1 + t**2), "<=", 1, ((t, POSITIVE),))),
            (0, Compare(1 / (1 + t**2), ">=", 1, ((t, REALS),))),
            (0, Compare(1 / (1 + t**2), "<=", 1 + t**2, ((t, REALS),))),
            (0, Equal(1 / (1 + t**2), 1, ((t, REALS),))),
        ),
    ),
    "limit": Argument(
        ExactLimit(x * phi(x) + Phi(x)),
        Equal(limit(SLOPE, x, oo), 1),
        (),
        wrong_methods=(ExactLimit(Phi(x)), ExactLimit(1 + x)),
        wrong_goals=(
            Equal(limit(SLOPE, x, oo), 0),
            Equal(limit(SLOPE, x, -oo), 1),
            Equal(limit(SLOPE, x, oo), oo),
            Equal(SLOPE, 1, LINE),
            Compare(limit(SLOPE, x, oo), "<=", 1),
        ),
    ),
    "Taylor's theorem": Argument(
        TaylorQuotient(2),
        Equal(limit((cos(x * y) - 1) / x**2, x, 0), -(y**2) / 2, ((y, REALS),)),
        (),
        wrong_methods=(TaylorQuotient(1),),
        wrong_goals=(
            Equal(limit((cos(x * y) - 1) / x**2, x, 0), y**2 / 2, ((y, REALS),)),
            Equal(limit((cos(x * y) - 2) / x**2, x, 0), -(y**2) / 2, ((y, REALS),)),
            Equal(limit((cos(x * y) - 1) / x**2, x, 1), -(y**2) / 2, ((y, REALS),)),
            Equal(limit((cos(x * y) - 1 + Abs(x) ** 3) / x**2, x, 0), -(y**2) / 2, ((y, REALS),)),
        ),
    ),
    "squeeze": Argument(
        Squeeze(),
        _SINE,
        (
            Compare(sin(x) / x, "<=", 1 / x, RIGHT),
            Compare(sin(x) / x, ">=", -1 / x, RIGHT),
            Equal(limit(1 / x, x, oo), 0),
            Equal(limit(-1 / x, x, oo), 0),
        ),
        wrong_goals=(
            Equal(limit(sin(x) / x, x, oo), 1),
            Equal(limit(sin(x) / x, x, -oo), 0),
            Equal(limit(sin(x), x, oo), 0),
            Equal(sin(x) / x, 0, LINE),
        ),
        wrong_facts=(
            (0, Compare(sin(x) / x, "<=", 1 / x, ((x, Interval(1, 2)),))),
            (0, Compare(sin(x) / x, ">=", 1 / x, RIGHT)),
            (1, Compare(sin(x) / x, "!=", -1 / x, RIGHT)),
            (1, Compare(sin(x) / x, ">=", -1 / x, (*RIGHT, (y, REALS)))),
            (2, Equal(limit(1 / x, x, oo), 1)),
            (3, Equal(limit(-1 / x, x, -oo), 0)),
        ),
    ),
    "sum of limits": Argument(
        LimitCombination((y, 2)),
        Equal(limit(y / x + 2 * Phi(x), x, oo), 2, ((y, REALS),)),
        _PARTS,
        wrong_methods=(LimitCombination((y, 3)), LimitCombination((x, 2)), LimitCombination((2, y))),
        wrong_goals=(
            Equal(limit(y / x + 2 * Phi(x), x, oo), 3, ((y, REALS),)),
            Equal(limit(y / x + 2 * Phi(x), x, -oo), 2, ((y, REALS),)),
            Equal(limit(y / x + 3 * Phi(x), x, oo), 2, ((y, REALS),)),
            Equal(2 * Phi(x), 2, LINE),
        ),
        wrong_facts=(
            (0, Equal(limit(1 / x, x, -oo), 0)),
            (0, Equal(limit(1 / x, x, oo), 0, ((z, REALS),))),
            (0, Compare(limit(1 / x, x, oo), "<=", 0)),
            (1, Equal(limit(Phi(x), x, oo), oo)),
        ),
    ),
    "one-sided derivatives": Argument(
        OneSidedDerivatives(),
        Corner(ELU(x, alpha), 0, 0, (*LINE, (alpha, Interval.open(1, oo)))),
        (),
        wrong_goals=(
            Corner(ELU(x, alpha), 0, 1, (*LINE, (alpha, Interval.open(1, oo)))),
            Corner(ELU(x, alpha), 0, 0, (*LINE, (alpha, POSITIVE))),
            Corner(ELU(x, alpha), 1, 0, (*LINE, (alpha, Interval.open(1, oo)))),
            Corner(sympy.Piecewise((0, x < 0), (x, x > 0), (1, True)), 0, 0, LINE),
            Smooth(ELU(x, alpha), LINE),
        ),
    ),
    "Maclaurin series": Argument(
        MaclaurinSeries(),
        _EXP_SERIES,
        (Smooth(exp(w), ((w, COMPLEXES),)), _EXP_AT_ZERO),
        wrong_goals=(
            Equal(exp(w), Sum(w**n / factorial(n + 1), (n, 0, oo)), ((w, COMPLEXES),)),
            Equal(exp(w), 1 + Sum(w**n / factorial(n), (n, 0, oo)), ((w, COMPLEXES),)),
            Equal(exp(w), Sum(w**n / factorial(n), (n, 1, oo)), ((w, COMPLEXES),)),
            Equal(exp(w), Sum(w ** (-n) / factorial(n), (n, 0, oo)), ((w, COMPLEXES),)),
            Equal(exp(w), Sum(w ** (n**2) / factorial(n), (n, 0, oo)), ((w, COMPLEXES),)),
            Equal(exp(w), Sum(sin(w) * w**n / factorial(n), (n, 0, oo)), ((w, COMPLEXES),)),
            Equal(exp(w), Sum(w ** (2 * n) / factorial(n), (n, 0, oo)), ((w, COMPLEXES),)),
            Equal(exp(2 * w), Sum(w**n / factorial(n), (n, 0, oo)), ((w, COMPLEXES),)),
        ),
        wrong_facts=(
            (0, Smooth(exp(w), ((w, REALS),))),
            (0, Smooth(exp(2 * w), ((w, COMPLEXES),))),
            (1, Equal(derivative_at(exp(x), x, 0, n), 2, ((n, integers_from(0)),))),
            (1, Equal(derivative_at(exp(x), x, 0, n), 1, ((n, integers_from(1)),))),
            (1, Equal(derivative_at(exp(x), x, 0, n + 1), 1, ((n, integers_from(0)),))),
            (1, Equal(derivative_at(exp(x), x, 0, 2 * n), 1, ((n, integers_from(0)),))),
            (1, Equal(derivative_at(exp(2 * x), x, 0, n), 1, ((n, integers_from(0)),))),
            (1, Equal(derivative_at(exp(x), x, 1, n), 1, ((n, integers_from(0)),))),
        ),
    ),
}

_BOTH = ((z, REALS), (mu, REALS))
_INTEGRAND, _MAJORANT = Phi(mu + z) * phi(z), phi(z)
_NEW = phi(mu / sympy.sqrt(2)) / sympy.sqrt(2)
_VALUE = Phi(mu / sympy.sqrt(2))


def _over_z(integrand: Any) -> Any:
    return integral(integrand, z, -oo, oo)


ARGUMENTS["differentiation under the integral"] = Argument(
    UnderIntegral(mu),
    Equal(_over_z(_INTEGRAND), _VALUE, ((mu, REALS),)),
    (
        Equal(_over_z(phi(mu + z) * phi(z)), _NEW, ((mu, REALS),)),
        Equal(derivative(_VALUE, mu), _NEW, ((mu, REALS),)),
        Equal(limit(_VALUE, mu, -oo), 0),
        Equal(limit(_INTEGRAND, mu, -oo), 0, ((z, REALS),)),
        Compare(_INTEGRAND, "<=", _MAJORANT, _BOTH),
        Compare(_INTEGRAND, ">=", 0, _BOTH),
        Compare(phi(mu + z) * phi(z), "<=", _MAJORANT, _BOTH),
        Compare(phi(mu + z) * phi(z), ">=", 0, _BOTH),
        Equal(_over_z(_MAJORANT), 1),
    ),
    wrong_methods=(UnderIntegral(z),),
    wrong_goals=(
        Equal(_over_z(_INTEGRAND), Phi(mu), ((mu, REALS),)),
        Equal(_over_z(_INTEGRAND), _VALUE, ((mu, Interval(-1, oo)),)),
        Equal(_over_z(_INTEGRAND), _VALUE + 1, ((mu, REALS),)),
    ),
    wrong_facts=(
        (0, Equal(_over_z(phi(mu + z) * phi(z)), _NEW, ((mu, POSITIVE),))),
        (0, Equal(_over_z(2 * phi(mu + z) * phi(z)), _NEW, ((mu, REALS),))),
        (0, Equal(integral(phi(mu + z) * phi(z), z, 0, oo), _NEW, ((mu, REALS),))),
        (1, Equal(derivative(_VALUE, mu), _NEW, ((mu, POSITIVE),))),
        (1, Equal(derivative(_VALUE, mu), 2 * _NEW, ((mu, REALS),))),
        (2, Equal(limit(_VALUE, mu, -oo), 1)),
        (2, Equal(limit(_VALUE, mu, oo), 0)),
        (2, Equal(limit(_NEW, mu, -oo), 0)),
        (3, Equal(limit(_INTEGRAND, mu, -oo), 0, ((z, POSITIVE),))),
        (3, Equal(limit(phi(z) * phi(mu), mu, -oo), 0, ((z, REALS),))),
        (4, Compare(_INTEGRAND, "<=", 2 * _MAJORANT, _BOTH)),
        (4, Compare(_INTEGRAND, "<=", _MAJORANT, ((z, REALS), (mu, POSITIVE)))),
        (4, Compare(_INTEGRAND, ">=", _MAJORANT, _BOTH)),
        (4, Compare(phi(z) / 2, "<=", _MAJORANT, _BOTH)),
        (5, Compare(_INTEGRAND, ">=", -1, _BOTH)),
        (5, Compare(_INTEGRAND, "<=", 0, _BOTH)),
        (5, Compare(phi(z), ">=", 0, _BOTH)),
        (5, Compare(_INTEGRAND, ">=", 0, ((z, POSITIVE), (mu, REALS)))),
        (6, Compare(_INTEGRAND, "<=", _MAJORANT, _BOTH)),
        (7, Compare(_INTEGRAND, ">=", 0, _BOTH)),
        (8, Equal(_over_z(_MAJORANT * mu), mu, ((mu, REALS),))),
        (8, Compare(_over_z(_MAJORANT), "<=", 1)),
    ),
)


def _near_misses() -> dict[str, tuple[Any, Any, tuple[Any, ...]]]:
    found = {}
    for name, argument in ARGUMENTS.items():
        for number, method in enumerate(argument.wrong_methods):
            found[f"{name}: method {number}"] = (method, argument.goal, argument.facts)
        for number, goal in enumerate(argument.wrong_goals):
            found[f"{name}: goal {number}"] = (argument.method, goal, argument.facts)
        for number, (place, fact) in enumerate(argument.wrong_facts):
            facts = (*argument.facts[:place], fact, *argument.facts[place + 1 :])
            found[f"{name}: fact {number}"] = (argument.method, argument.goal, facts)
        for place in range(len(argument.facts)):
            if place not in argument.spare_facts:
                facts = (*argument.facts[:place], *argument.facts[place + 1 :])
                found[f"{name}: without fact {place}"] = (argument.method, argument.goal, facts)
    return found


NEAR_MISSES = _near_misses()


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_sound_argument_is_accepted(name: str) -> None:
    argument = ARGUMENTS[name]
    outcome = argument.method.check(argument.goal, argument.facts)
    assert outcome.verdict is Verdict.PROVED, outcome.evidence


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_a_near_miss_is_refused(name: str) -> None:
    method, goal, facts = NEAR_MISSES[name]
    assert method.check(goal, facts).verdict is not Verdict.PROVED


_SAMPLES: tuple[Any, ...] = (
    Equal(SLOPE, Phi(x), LINE),
    Equal(limit(x, x, 0), 1),
    Equal(integral(phi(t), t, 0, 1), 1),
    Compare(Phi(x), ">", 1, LINE),
    Monotone(-Phi(x), True, LINE),
    UniqueZero(Phi(x), 0, LINE),
    Curved(-(x**2), True, LINE),
    Smooth(Abs(x), LINE),
    Corner(G(x), 0, 0, LINE),
    Implies((), Equal(SLOPE, phi(x), LINE)),
    Compare(1, ">", 2),
)
_METHODS = {type(argument.method).__name__: argument.method for argument in ARGUMENTS.values()}


@pytest.mark.parametrize("name", _METHODS)
def test_a_method_refuses_false_statements_of_every_kind_without_and_with_unrelated_facts(name: str) -> None:
    for goal in _SAMPLES:
        for facts in ((), _SAMPLES[:1], _SAMPLES[1:3], _SAMPLES):
            if goal in facts:
                continue  # whoever takes a false fact may conclude it
            assert _METHODS[name].check(goal, facts).verdict is not Verdict.PROVED, (goal, facts)
