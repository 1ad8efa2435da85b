"""The theorems against Arb by other routes: Taylor series for the derivatives, rigorous integration for the means."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import flint
import pytest
import sympy

from gelu_verify.catalogue import get_function
from gelu_verify.catalogue.evaluators import arb_taylor
from gelu_verify.enclosures import working_precision
from gelu_verify.proofs.derivatives import NTH
from gelu_verify.proofs.extrema import STATIONARY
from gelu_verify.proofs.falsify import points
from gelu_verify.proofs.gaussian_gate import EXPECTATION, SLOPE, SQUARE
from gelu_verify.proofs.library import get_theorem, theorems
from gelu_verify.proofs.notation import POSITIVE, REALS, G, OwenT, integers_from, mu, n, s, x
from gelu_verify.proofs.numerics import approximate, enclose, root_bracket
from gelu_verify.proofs.preparation import prepare
from gelu_verify.proofs.printing import digits
from gelu_verify.proofs.statements import Equal

BITS = 400
FIFTY_DIGITS = flint.arb(10) ** -50


@pytest.mark.parametrize("place", [Fraction(-37, 10), Fraction(-3, 4), Fraction(0), Fraction(1, 3), Fraction(5, 2)])
def test_the_general_derivative_agrees_with_the_taylor_series_of_gelu(place: Fraction) -> None:
    with working_precision(BITS):
        centre = flint.arb(flint.fmpq(place.numerator, place.denominator))
        series = arb_taylor(get_function("gelu").expression, centre, 40)
        for order in range(2, 41):
            formula = prepare(NTH.right, {n: order})
            ball = enclose(formula, {x: sympy.Rational(place.numerator, place.denominator)}, BITS)
            derivative = series[order] * flint.arb(order).fac()
            difference = ball - derivative
            assert difference.contains(0)
            assert abs(difference) < FIFTY_DIGITS * (1 + abs(derivative)), order


def _phi(z: Any) -> Any:
    return (-z * z / 2).exp() / (2 * flint.acb.pi()).sqrt()


def _Phi(z: Any) -> Any:
    return (-z / flint.acb(2).sqrt()).erfc() / 2


MEANS: dict[str, tuple[Equal, Callable[[Any], Any]]] = {
    "mean": (EXPECTATION, lambda v: v * _Phi(v)),
    "slope": (SLOPE, lambda v: _Phi(v) + v * _phi(v)),
    "square": (SQUARE, lambda v: (v * _Phi(v)) ** 2),
}


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("parameters", [(0, 1), (Fraction(1, 2), 2), (-2, Fraction(3, 4)), (3, Fraction(1, 10))])
def test_gaussian_expectations_agree_with_rigorous_integration(mean: str, parameters: tuple[Any, Any]) -> None:
    """Integrated over |z| <= 16; beyond that the integrand is below z^4 φ(z) times a constant, in all below 1e-50."""
    claim, function = MEANS[mean]
    values = {mu: sympy.Rational(parameters[0]), s: sympy.Rational(parameters[1])}
    with working_precision(192):
        place, width = (flint.acb(flint.fmpq(int(value.p), int(value.q))) for value in values.values())
        whole = flint.acb.integral(lambda z, _: function(place + width * z) * _phi(z), -16, 16)
        assert whole.imag.contains(0)
        assert _enclosed(claim.right, values).overlaps(whole.real + flint.arb(0, 1e-45))
        assert whole.real.rad() < 1e-40


def _enclosed(expression: Any, values: dict[Any, Any]) -> Any:
    """Enclose an expression that may hold Owen's T, by rigorous integration of its kernel."""
    prepared = expression
    for function in expression.atoms(OwenT):
        height, slope = (enclose(prepare(argument), values, 192) for argument in function.args)

        def kernel(t: Any, _: Any, height: Any = height) -> Any:
            return (-height * height * (1 + t * t) / 2).exp() / (1 + t * t)

        known = flint.acb.integral(kernel, 0, slope).real / (2 * flint.arb.pi())
        stand_in = sympy.Dummy("T")
        prepared = prepared.subs(function, stand_in)
        return _with_ball(prepared, values, stand_in, known)
    return enclose(prepare(prepared), values, 192)


def _with_ball(expression: Any, values: dict[Any, Any], symbol: Any, ball: Any) -> Any:
    """Evaluate an expression that is affine in `symbol` at a ball for it."""
    slope = sympy.diff(expression, symbol)
    rest = expression.subs(symbol, 0)
    return enclose(prepare(rest), values, 192) + enclose(prepare(slope), values, 192) * ball


def test_the_stationary_point_and_the_depth_of_the_minimum() -> None:
    low, high = root_bracket(STATIONARY, 100)
    assert high - low <= sympy.Rational(1, 2**100)
    assert sympy.Rational("-0.7517915246935645") < low < high < sympy.Rational("-0.7517915246935644")
    assert enclose(prepare(G(STATIONARY))).str(16, radius=False) == "-0.1699712074799037"


def test_a_theorem_prints_only_certain_digits_of_its_numbers() -> None:
    (line,) = digits(get_theorem("gelu.shape.relu_distance"))
    assert line == "-G(ξ) = 0.16997120747990366169..."
    for theorem in theorems().values():
        assert all(" = " in written for written in digits(theorem))


def test_mpmath_and_arb_agree_on_every_function_of_the_walk() -> None:
    expressions = [
        sympy.Abs(x), sympy.LambertW(x + 1), sympy.Max(x, 1), sympy.Min(x, 1), sympy.asin(x / 9), sympy.atan(x),
        sympy.cosh(x), sympy.erf(x), sympy.erfc(x), sympy.exp(x), sympy.factorial(x), sympy.log(x), sympy.sinh(x),
        sympy.tanh(x), sympy.sqrt(x), x ** sympy.Rational(1, 3), x**x, sympy.Piecewise((x, x < 2), (-x, True)),
        sympy.Sum(x**n, (n, 0, 5)), sympy.pi + sympy.E,
    ]  # fmt: skip
    for expression in expressions:
        for value in (sympy.Rational(1, 3), sympy.Rational(7, 2)):
            ball, number = enclose(expression, {x: value}), approximate(expression, {x: value})
            with working_precision(BITS):
                assert abs(ball - flint.arb(str(number))) < FIFTY_DIGITS * (1 + abs(ball)), expression


def test_points_are_seeded_and_lie_in_their_sets() -> None:
    over = ((x, REALS), (s, POSITIVE), (n, integers_from(2)))
    first, again = (list(points(over, 1, 6)) for _ in range(2))
    assert first == again
    assert first != list(points(over, 2, 6))
    for point in first:
        assert point[s] > 0 and point[n] >= 2 and point[x].is_Rational
