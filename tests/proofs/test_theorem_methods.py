"""Each method refuses what does not follow: false or unsupported conclusions, missing conditions, wrong sets."""

from typing import Any

import pytest
import sympy
from sympy import Interval, Rational, exp, oo, pi, sqrt

from gelu_verify.proofs.extrema import STATIONARY
from gelu_verify.proofs.methods.assembly import Cases, Chain, MeanValue
from gelu_verify.proofs.methods.equality import Derivative, DifferentiateFact, Identity, Specialise
from gelu_verify.proofs.methods.integrals import Antiderivative, IntegralBound, Linearity, MaclaurinSeries, Substitution
from gelu_verify.proofs.methods.limits import (
    ByForm,
    ExactLimit,
    LimitCombination,
    OneSidedDerivatives,
    Squeeze,
    TaylorQuotient,
)
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
    ReLU,
    Root,
    SiLU,
    derivative,
    integers_from,
    integral,
    limit,
    n,
    phi,
    t,
    w,
    x,
    y,
)
from gelu_verify.proofs.statements import (
    Compare,
    Corner,
    Curved,
    Equal,
    Implies,
    Monotone,
    Smooth,
    UniqueZero,
)
from gelu_verify.records import Verdict

LINE = ((x, REALS),)
RIGHT, LEFT = ((x, POSITIVE),), ((x, NEGATIVE),)
SLOPE = derivative(G(x), x)
SQUARE_RISES = Monotone(x**2, True, ((x, Interval(0, oo)),))
SQUARE_FALLS = Monotone(x**2, False, ((x, Interval(-oo, 0)),))

# (what must not pass, method, goal, facts)
REFUSED: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "an identity that is none": (Identity(), Equal(Phi(x), Phi(x) ** 2, LINE), ()),
    "an identity by a fact on a smaller set": (
        Identity(),
        Equal(sympy.Abs(x), x, LINE),
        (Equal(sympy.Abs(x), x, RIGHT),),
    ),
    "a rule used under a derivative at a single point": (
        Identity(),
        Equal(derivative(x**2, x), derivative(x**3, x), ((x, sympy.FiniteSet(0)),)),
        (Equal(x**2, x**3, ((x, sympy.FiniteSet(0)),)),),
    ),
    "a rule used on a variable of integration": (
        Identity(),
        Equal(integral(sympy.sin(x), x, 0, 1), 1, RIGHT),
        (Equal(sympy.sin(x), 2 * x, RIGHT),),
    ),
    "a wrong derivative": (Derivative(), Equal(SLOPE, Phi(x), LINE), ()),
    "a derivative at a kink": (Derivative(), Equal(derivative(ReLU(x), x), 1, ((x, Interval(0, oo)),)), ()),
    "a derivative across a kink": (Derivative(), Equal(derivative(ReLU(x), x), (1 + sympy.sign(x)) / 2, LINE), ()),
    "differentiating an equality known on half a line": (
        DifferentiateFact(),
        Equal(derivative(sympy.Abs(x), x), 1, RIGHT),
        (Equal(sympy.Abs(x), x, RIGHT),),
    ),
    "a special value outside the set": (
        Specialise(((x, -1),)),
        Equal(sympy.Abs(-1) + y, -1 + y, ((y, REALS),)),
        (Equal(sympy.Abs(x) + y, x + y, ((x, POSITIVE), (y, REALS))),),
    ),
    "a special value captured by an integral": (
        Specialise(((y, t),)),
        Equal(integral(t, t, 0, 1), t, ((t, REALS),)),
        (Equal(integral(y, t, 0, 1), y, ((y, REALS),)),),
    ),
    "an integral with a wrong antiderivative": (
        Antiderivative(Phi(t) + t),
        Equal(integral(phi(t), t, -oo, oo), 1),
        (),
    ),
    "an integral with a wrong value": (Antiderivative(Phi(t)), Equal(integral(phi(t), t, -oo, oo), 2), ()),
    "an integral that diverges": (Antiderivative(t**2 / 2), Equal(integral(t, t, 0, oo), 0), ()),
    "an integral across a pole": (Antiderivative(-1 / t), Equal(integral(1 / t**2, t, -1, 1), -2), ()),
    "a combination of integrals with a wrong coefficient": (
        Linearity((2,)),
        Equal(integral(3 * phi(t), t, -oo, oo), 3),
        (Equal(integral(phi(t), t, -oo, oo), 1),),
    ),
    "a substitution that turns the line around": (
        Substitution(-t, 1),
        Equal(integral(-phi(t), t, -oo, oo), 1),
        (Equal(integral(phi(y), y, -oo, oo), 1),),
    ),
    "a bound of an integral the wrong way": (
        IntegralBound(),
        Compare(integral(exp(t), t, 0, 1), "<=", 1),
        (Compare(exp(t), ">=", 1, ((t, REALS),)),),
    ),
    "a limit with a wrong value": (ExactLimit(), Equal(limit(G(x) / x, x, oo), 2), ()),
    "a limit of another function": (ExactLimit(1 / x), Equal(limit(Phi(x), x, oo), 0), ()),
    "a limit of the wrong order": (TaylorQuotient(2), Equal(limit((G(x) - x / 2) / x**3, x, 0), 0), ()),
    "a Taylor quotient with a wrong value": (TaylorQuotient(1), Equal(limit(G(x) / x, x, 0), 1), ()),
    "a squeeze with one bound": (
        Squeeze(),
        Equal(limit(sympy.sin(x) / x, x, oo), 0),
        (Compare(sympy.sin(x) / x, "<=", 1 / x, RIGHT), Equal(limit(1 / x, x, oo), 0)),
    ),
    "a squeeze by a bound that ends early": (
        Squeeze(),
        Equal(limit(x, x, oo), oo),
        (Compare(x**2, "<", x, ((x, Interval.open(0, 1)),)), Equal(limit(x**2, x, oo), oo)),
    ),
    "a sum of limits with a wrong coefficient": (
        LimitCombination((2,)),
        Equal(limit(3 * Phi(x), x, oo), 3),
        (Equal(limit(Phi(x), x, oo), 1),),
    ),
    "a sum with an infinite limit": (
        LimitCombination((1,)),
        Equal(limit(x, x, oo), oo),
        (Equal(limit(x, x, oo), oo),),
    ),
    "smoothness of ReLU": (ByForm(), Smooth(ReLU(x), LINE), ()),
    "smoothness across a pole": (ByForm(), Smooth(1 / x, LINE), ()),
    "an entire function with poles": (ByForm(), Smooth(SiLU(w), ((w, COMPLEXES),)), ()),
    "a corner of too high a degree": (OneSidedDerivatives(), Corner(ELU(x, sympy.Integer(1)), 0, 2, LINE), ()),
    "a corner of too low a degree": (OneSidedDerivatives(), Corner(ELU(x, sympy.Integer(1)), 0, 0, LINE), ()),
    "a corner where there is none": (OneSidedDerivatives(), Corner(G(x), 0, 0, LINE), ()),
    "a sign that changes": (Sign(), Compare(x**2 - 1, ">", 0, ((x, Interval(0, 2)),)), ()),
    "a strict sign at a zero": (Sign(), Compare(x**2, ">", 0, LINE), ()),
    "a sign by factors of another product": (Sign((exp(x), x)), Compare(x**2 * exp(x), ">", 0, RIGHT), ()),
    "rearranging by a factor of unknown sign": (
        Rearrange(x),
        Compare(x * Phi(x), ">", 0, LINE),
        (Compare(Phi(x), ">", 0, LINE),),
    ),
    "rearranging by a negative factor": (
        Rearrange(-1),
        Compare(-Phi(x), ">", 0, LINE),
        (Compare(Phi(x), ">", 0, LINE),),
    ),
    "weakening in the wrong direction": (
        Weaken(),
        Compare(Phi(x), "<", Rational(1, 2), LINE),
        (Compare(Phi(x), "<", 1, LINE),),
    ),
    "monotony on a larger set than the sign": (
        MonotoneBySign(),
        Monotone(x**2, True, LINE),
        (Compare(derivative(x**2, x), ">", 0, RIGHT),),
    ),
    "monotony across a gap": (
        MonotoneBySign(),
        Monotone(-1 / x, True, ((x, NONZERO),)),
        (Compare(derivative(-1 / x, x), ">", 0, ((x, NONZERO),)),),
    ),
    "convexity from the first derivative": (
        CurvedBySign(),
        Curved(x**3, True, RIGHT),
        (Compare(derivative(x**3, x), ">", 0, RIGHT),),
    ),
    "a limit bound at the wrong end": (
        BeyondLimit(),
        Compare(Phi(x), ">", 1, LINE),
        (Monotone(Phi(x), True, LINE), Equal(limit(Phi(x), x, oo), 1)),
    ),
    "a comparison on a piece that is not covered": (
        MonotoneComparison(0),
        Compare(x**2, ">", 0, ((x, NONZERO),)),
        (SQUARE_RISES,),
    ),
    "a comparison with the anchor outside": (
        MonotoneComparison(-1),
        Compare(x**2, ">", 1, ((x, Interval(2, 3)),)),
        (SQUARE_RISES,),
    ),
    "a unique zero where another is": (
        SingleZero(),
        UniqueZero(x**2 - 1, 1, LINE),
        (Monotone(x**2 - 1, True, ((x, Interval(0, oo)),)),),
    ),
    "a unique zero that is none": (
        SingleZero(),
        UniqueZero(x - 1, 2, LINE),
        (Monotone(x - 1, True, LINE),),
    ),
    "a root without a change of sign": (
        SingleZero(),
        UniqueZero(exp(x), Root("eta", exp(x), x, -1, 1), LINE),
        (Monotone(exp(x), True, LINE),),
    ),
    "a root of another function": (
        SingleZero(),
        UniqueZero(x + 1, STATIONARY, LINE),
        (Monotone(x + 1, True, LINE),),
    ),
    "a multiple of nothing": (
        AtZero(1 / SLOPE.subs(x, STATIONARY)),
        Equal(1 + G(STATIONARY), G(STATIONARY)),
        (UniqueZero(SLOPE, STATIONARY, LINE),),
    ),
    "cases with a gap": (
        Cases(),
        Compare(x**2, ">", 0, ((x, Interval(-1, 1)),)),
        (Compare(x**2, ">", 0, RIGHT), Compare(x**2, ">", 0, LEFT)),
    ),
    "a chain that points both ways": (
        Chain(),
        Compare(Phi(x), "<", phi(x), LINE),
        (Compare(Phi(x), "<", 1, LINE), Compare(1, ">", phi(x), LINE)),
    ),
    "a chain that does not join": (
        Chain(),
        Compare(Phi(x), "<", 2, LINE),
        (Compare(Phi(x), "<", 1, LINE), Compare(Rational(1, 2), "<", 2, LINE)),
    ),
    "a Lipschitz constant from one bound": (
        MeanValue(x, x),
        Compare(sympy.Abs(x - y), "<=", sympy.Abs(x - y) * Rational(1, 2), ((x, REALS), (y, REALS))),
        (Compare(derivative(x, x), "<=", Rational(1, 2), LINE), Compare(derivative(x, x), ">=", -1, LINE)),
    ),
    "an induction without its base": (
        Induction(n),
        Equal(n + 1, n, ((n, integers_from(0)),)),
        (Equal(2, 1), Implies((Equal(n + 1, n),), Equal(n + 2, n + 1), ((n, integers_from(0)),))),
    ),
    "an induction whose step starts later": (
        Induction(n),
        Equal(n**2, n, ((n, integers_from(0)),)),
        (Equal(0, 0), Implies((Equal(n**2, n),), Equal((n + 1) ** 2, n + 1), ((n, integers_from(1)),))),
    ),
    "an implication that assumes its conclusion": (
        Assuming(Identity()),
        Implies((Equal(x, 1, LINE),), Equal(x, 1, LINE)),
        (),
    ),
    "a citation of something else": (ByTheorem("any"), Equal(SLOPE, Phi(x), LINE), (Equal(SLOPE, phi(x), LINE),)),
    "a citation on a larger set": (ByTheorem("any"), Compare(G(x), ">", 0, LINE), (Compare(G(x), ">", 0, RIGHT),)),
    "a unique zero cited on a set without it": (
        ByTheorem("any"),
        UniqueZero(x, 0, RIGHT),
        (UniqueZero(x, 0, LINE),),
    ),
    "a power series with a wrong coefficient": (
        MaclaurinSeries(),
        Equal(exp(w), 1 + sympy.Sum(w ** (n + 1) / sympy.factorial(n), (n, 0, oo)), ((w, COMPLEXES),)),
        (Smooth(exp(w), ((w, COMPLEXES),)),),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_method_refuses(name: str) -> None:
    method, goal, facts = REFUSED[name]
    assert method.check(goal, facts).verdict is not Verdict.PROVED


ACCEPTED: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "a sign by enclosures": (Sign(), Compare(SLOPE, "<", 0, ((x, Interval(-3, -1)),)), ()),
    "a sign by exact roots": (Sign(), Compare(x**2 - 2, "<", 0, ((x, Interval.open(-sqrt(2), sqrt(2))),)), ()),
    "a weak sign at a closed end": (Sign(), Compare(x**2 - 2, "<=", 0, ((x, Interval(-sqrt(2), sqrt(2))),)), ()),
    "a comparison from two pieces": (
        MonotoneComparison(0),
        Compare(x**2, ">", 0, ((x, NONZERO),)),
        (SQUARE_RISES, SQUARE_FALLS),
    ),
    "a chain": (
        Chain(),
        Compare(Phi(x), "<", 2, LINE),
        (Compare(Phi(x), "<=", 1, LINE), Compare(1, "<", 2, LINE)),
    ),
    "a limit of a branch": (ExactLimit(), Equal(limit(ELU(x, sympy.Integer(2)) / x, x, 0, "-"), 2), ()),
    "a sum of numbers": (Sign(), Compare(pi, ">", Rational(22, 7) - Rational(1, 100)), ()),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_method_accepts(name: str) -> None:
    method, goal, facts = ACCEPTED[name]
    outcome = method.check(goal, facts)
    assert outcome.verdict is Verdict.PROVED, outcome.evidence


def test_a_sign_step_shows_its_interval_and_enclosure() -> None:
    evidence = Sign().check(Compare(SLOPE, "<", 0, ((x, Interval(-3, -1)),)), ()).evidence
    assert "[-3, -1]" in evidence
    assert "enclosure [-" in evidence
    assert "pieces" in evidence
