"""Why the theorems work around SymPy: what it answers in each of these places, and that our step does not.

When one of the first assertions fails, SymPy has been mended and the workaround may go.
"""

import sympy
from sympy import E, LambertW, Rational, erfc, exp, oo, sqrt

from gelu_verify.proofs.falsify import falsify
from gelu_verify.proofs.methods.equality import Derivative, Identity
from gelu_verify.proofs.methods.limits import ExactLimit
from gelu_verify.proofs.notation import NEGATIVE, G, Phi, ReLU, S, alpha, derivative, k, limit, x
from gelu_verify.proofs.printers import mathml
from gelu_verify.proofs.statements import Equal
from gelu_verify.records import Verdict


def test_limit_of_erfc_with_a_negative_parameter() -> None:
    """SymPy issue 13750: mended for arguments without further symbols only."""
    rate = sympy.Symbol("a", negative=True)
    place = sympy.Symbol("y", positive=True)
    assert sympy.limit(2 - erfc(rate * place), place, oo) == 2  # wrong: erfc tends to 2, so this tends to 0
    goal = Equal(limit(G(alpha * x) / alpha, alpha, oo), 0, ((x, NEGATIVE),))
    assert ExactLimit().check(goal, ()).verdict is Verdict.PROVED


def test_one_sided_limit_of_a_piecewise() -> None:
    """SymPy issues 23836 and 27236: the branch is chosen at the point itself."""
    two_slopes = sympy.Piecewise((3 * x, x < 0), (x, True))
    assert sympy.limit(two_slopes / x, x, 0, "-") == 1  # wrong: 3
    assert ExactLimit().check(Equal(limit(two_slopes / x, x, 0, "-"), 3), ()).verdict is Verdict.PROVED
    assert ExactLimit().check(Equal(limit(two_slopes / x, x, 0, "-"), 1), ()).verdict is Verdict.REFUTED


def test_derivative_of_max_at_its_kink() -> None:
    """SymPy issue 20881: the derivative of Max has the value 1/2 where there is none."""
    assert sympy.diff(sympy.Max(x, 0), x).subs(x, 0) == Rational(1, 2)
    at_zero = Equal(derivative(ReLU(x), x), Rational(1, 2), ((x, sympy.FiniteSet(0)),))
    assert Derivative().check(at_zero, ()).verdict is Verdict.UNKNOWN


def test_lambert_w_identity() -> None:
    """SymPy issue 29737: W e^W = a is not known to simplify."""
    place = LambertW(1 / E)
    assert sympy.simplify(exp(place) * place - 1 / E) != 0
    assert Identity().check(Equal(exp(place) * place, 1 / E), ()).verdict is Verdict.PROVED


def test_quotient_of_two_tails_far_to_the_left() -> None:
    """SymPy gives an unsigned infinity for a quotient of positive functions; the theorem squeezes it instead."""
    ratio = (S(x, k) / G(x)).subs({S(x, k): x / (1 + exp(-k * x)), G(x): x * erfc(-x / sqrt(2)) / 2})
    assert sympy.limit(ratio, x, -oo) is sympy.zoo
    assert ExactLimit().check(
        Equal(limit(S(x, k) / G(x), x, -oo), oo, ((k, sympy.Interval.open(0, oo)),)), ()
    ).verdict is (Verdict.UNKNOWN)


def test_normal_distribution_function_far_in_the_tail() -> None:
    """In floating point 1 + erf cancels to nothing; what is evaluated here is erfc, in ball arithmetic."""
    far = Phi(-40)
    naive = (1 + sympy.erf(sympy.Float(-40) / sqrt(2).evalf())) / 2
    assert naive == 0
    assert falsify(Equal(far, Rational(0))).witness is not None


def test_mathml_of_a_function_name() -> None:
    """SymPy's presentation MathML writes function names in lower case (SymPy issue 16036 lists its gaps)."""
    assert "<mi>g</mi>" in sympy.mathml(sympy.Function("G")(x), printer="presentation")
    assert "<mi>G</mi>" in mathml(G(x))
