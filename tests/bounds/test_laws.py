"""Laws for any expression: no sample exceeds a supremum, every place attains it; and faults sown to break them."""

import random
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
from flint import arb

from gelu_verify.bounds import ends, pieces, search, smooth, stretches
from gelu_verify.bounds.error import Error, SupremumResult
from gelu_verify.bounds.roots import Line
from gelu_verify.bounds.smooth import Smooth
from gelu_verify.bounds.supremum import supremum
from gelu_verify.catalogue import difference, parse
from gelu_verify.catalogue.derivative import derivative
from gelu_verify.catalogue.evaluators import mpmath_value
from gelu_verify.catalogue.expression import Expression
from gelu_verify.errors import InputError
from gelu_verify.records import Verdict

LINES = (Line(None, None), Line(Fraction(-2), Fraction(3)), Line(Fraction(0), None), Line(Fraction(1, 3), Fraction(5)))


def random_formula(numbers: random.Random, depth: int) -> str:
    if depth == 0 or numbers.random() < 0.2:
        return numbers.choice(["x", "x", "x", "2", "0.5", "1/3", "pi", "sqrt(2)"])
    parts = [random_formula(numbers, depth - 1) for _ in range(4)]
    return numbers.choice(
        [
            "({0} + {1})",
            "({0} - {1})",
            "{0}*{1}",
            "({0})/({1})",
            "({0})**2",
            "({0})**3",
            "min({0}, {1})",
            "max({0}, {1})",
            "abs({0})",
            "where({0} < {1}, {2}, {3})",
            "where({0} >= {1}, {2}, {3})",
            "exp({0})",
            "tanh({0})",
            "sigmoid({0})",
            "erf({0})",
            "erfc({0})",
            "log1p(abs({0}))",
            "sqrt(abs({0}))",
        ]
    ).format(*parts)


def samples(line: Line, count: int, numbers: random.Random) -> list[Fraction]:
    lower = Fraction(-30) if line.lower is None else line.lower
    upper = Fraction(30) if line.upper is None else line.upper
    spread = [lower + (upper - lower) * Fraction(k, count) for k in range(1, count)]
    near = [Fraction(round(numbers.gauss(0, 2) * 2**20), 2**20) for _ in range(count)]
    return [x for x in spread + near if lower < x < upper]


def value(f: Expression, x: Fraction) -> mpmath.mpf | None:
    try:
        found = mpmath_value(f, mpmath.mpf(x.numerator) / x.denominator, mpmath.mp)
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    return abs(found) if isinstance(found, mpmath.mpf) and mpmath.isfinite(found) else None


def breaks_the_law(f: Expression, line: Line, result: SupremumResult, count: int = 60) -> str | None:
    """Return how the result contradicts the function's values at sample points, or None."""
    upper = result.upper if result.supremum is None else result.supremum.upper
    with mpmath.workdps(40):
        slack = mpmath.mpf(10) ** -25
        for x in samples(line, count, random.Random(1)):
            found = value(f, x)
            if upper is not None and found is not None:
                limit = mpmath.mpf(upper.numerator) / upper.denominator
                if found > limit * (1 + slack) + slack:
                    return f"|f({x})| = {mpmath.nstr(found, 20)} exceeds {mpmath.nstr(limit, 20)}"
        if result.supremum is not None and result.attained and not result.tied:
            for place in result.at:
                found = value(f, place.midpoint)
                lower = mpmath.mpf(result.supremum.lower.numerator) / result.supremum.lower.denominator
                if found is not None and found < lower * (1 - mpmath.mpf(10) ** -9) - slack and place.exact:
                    return f"|f| at {place.midpoint} is only {mpmath.nstr(found, 20)}"
    return None


@pytest.mark.parametrize("seed", range(60))
def test_no_sample_of_a_random_expression_exceeds_its_supremum(seed):
    numbers = random.Random(seed)
    expression, line = parse(random_formula(numbers, 3)), numbers.choice(LINES)
    order = numbers.choice((0, 0, 1, 2))
    try:
        result = supremum(Error(expression, derivative=order), line, 12, timeout=3)
    except InputError:
        return
    assert breaks_the_law(derivative(expression, order), line, result) is None


@pytest.mark.parametrize("formula", ["gelu_tanh(x)", "gelu_sigmoid(x)", "relu(x)", "mish(x)"])
def test_the_sum_of_two_errors_is_no_greater_than_both_bounds(formula):
    """The triangle inequality, for errors against gelu and against silu."""
    line = Line(Fraction(-5), Fraction(5))
    first = supremum(Error(parse(formula), parse("gelu(x)")), line).supremum
    second = supremum(Error(parse("gelu(x)"), parse("silu(x)")), line).supremum
    both = supremum(Error(parse(formula), parse("silu(x)")), line).supremum
    assert both.lower <= first.upper + second.upper


def test_a_domain_in_two_parts_has_the_greater_of_their_suprema():
    error = Error(parse("gelu_tanh(x)"), parse("gelu(x)"), derivative=1)
    whole = supremum(error, Line(Fraction(-3), Fraction(7, 3))).supremum
    parts = [
        supremum(error, Line(*ends)).supremum
        for ends in ((Fraction(-3), Fraction(1, 7)), (Fraction(1, 7), Fraction(7, 3)))
    ]
    greater = max(parts, key=lambda part: part.lower)
    assert whole.lower <= greater.upper and greater.lower <= whole.upper


# Faults sown into the engine: each must be seen by the law above


T, G = parse("gelu_tanh(x)"), parse("gelu(x)")
REALS = Line(None, None)


def law_for_the_tanh_form(order: int = 0) -> str | None:
    result = supremum(Error(T, G, order), REALS, timeout=20)
    return breaks_the_law(derivative(difference(T, G), order), REALS, result, count=2000)


def test_the_law_holds_without_a_fault():
    assert law_for_the_tanh_form() is None


def test_a_tail_bound_that_is_too_low_is_caught(monkeypatch):
    """The search itself sees values above the supremum that such a bound leads to."""
    monkeypatch.setattr(ends, "bound_near", lambda *question: arb(0))
    with pytest.raises(ArithmeticError, match="above its supremum"):
        law_for_the_tanh_form()


def test_a_taylor_model_without_its_remainder_is_caught(monkeypatch):
    whole = Smooth.model

    def without_remainder(self, lower, upper, least_bits=64):
        model = whole(self, lower, upper, least_bits)
        return model and replace(model, value=model.middle)

    monkeypatch.setattr(Smooth, "model", without_remainder)
    f = parse("exp(-(50*(x - 1.23))**2) + tanh(x)/4")
    result = supremum(Error(f), Line(Fraction(-2), Fraction(3)), timeout=20)
    monkeypatch.undo()
    assert supremum(Error(f), Line(Fraction(-2), Fraction(3))).supremum.lower > 1
    assert result.supremum.upper < 1 or result.verdict is Verdict.UNKNOWN


def test_a_kink_that_is_passed_over_is_caught(monkeypatch):
    monkeypatch.setattr(stretches, "pieces", lambda rules, line, *rest: [pieces.Piece(line, (parse("x"),))])
    f = parse("abs(x)")
    result = supremum(Error(f), Line(Fraction(-2), Fraction(1)))
    monkeypatch.undo()
    assert supremum(Error(f), Line(Fraction(-2), Fraction(1))).supremum.lower == 2
    assert result.at == supremum(Error(f), Line(Fraction(-2), Fraction(1))).at or result.supremum.upper < 2


def test_an_unproven_symmetry_is_caught(monkeypatch):
    monkeypatch.setattr(Error, "parity", property(lambda self: 1))
    f = parse("x*exp(-(x + 1)**2)")
    result = supremum(Error(f), REALS)
    assert "exceeds" in breaks_the_law(f, REALS, result, count=2000)


def test_cells_dropped_against_too_high_a_value_are_caught(monkeypatch):
    offer = search.Search.offer
    monkeypatch.setattr(search.Search, "offer", lambda self, found: offer(self, 2 * found))
    with pytest.raises(ArithmeticError, match="above its supremum"):
        law_for_the_tanh_form()


def test_precision_follows_the_width_of_the_cell():
    assert smooth.bits_for(Fraction(0), Fraction(1)) == 64
    assert smooth.bits_for(Fraction(1), 1 + Fraction(1, 2**40)) >= 64 + 2 * 40
