"""The table's questions: named once each, answered, and right where a second route is short."""

from fractions import Fraction

import mpmath
import pytest

from gelu_verify.bounds.catalogue_table import (
    ErrorQuestion,
    PlaceQuestion,
    distances,
    errors,
    places,
    questions,
    thresholds,
)
from gelu_verify.records import Verdict


def test_ids_are_unique_and_the_table_is_complete():
    ids = [question.id for question in questions()]
    assert len(set(ids)) == len(ids)
    assert len(list(errors())) == 2 * 5 * 4 and len(list(distances())) == 10 and len(list(thresholds())) == 18


@pytest.mark.parametrize("question", [*distances(), *errors()][::3], ids=lambda question: question.id)
def test_an_error_is_certified_and_reached_by_mpmath_near_its_place(question):
    result = question.answer()
    assert result.verdict is Verdict.CERTIFIED
    if result.infinite or not result.at:
        return
    with mpmath.workdps(40):
        value = abs(_error(question, mpmath.mpf(result.at[-1].midpoint.numerator) / result.at[-1].midpoint.denominator))
        middle = result.supremum.midpoint
        assert abs(value - mpmath.mpf(middle.numerator) / middle.denominator) < mpmath.mpf(10) ** -13


def _error(question: ErrorQuestion, x: mpmath.mpf) -> mpmath.mpf:
    f, g = FORMULAS[question.function], FORMULAS[question.against]
    if question.derivative:
        return mpmath.diff(lambda t: f(t) - g(t), x, question.derivative)
    return (f(x) - g(x)) / (g(x) if question.relative else 1)


FORMULAS = {
    "gelu": lambda x: x * mpmath.ncdf(x),
    "gelu_tanh": lambda x: x / (1 + mpmath.exp(-2 * mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3))),
    "gelu_sigmoid": lambda x: x / (1 + mpmath.exp(-mpmath.mpf("1.702") * x)),
    "silu": lambda x: x / (1 + mpmath.exp(-x)),
    "relu": lambda x: max(x, 0),
    "elu": lambda x: x if x > 0 else mpmath.expm1(x),
    "mish": lambda x: x * mpmath.tanh(mpmath.log1p(mpmath.exp(x))),
}


@pytest.mark.parametrize("question", list(places()), ids=lambda question: question.id)
def test_places_are_certified_complete(question):
    result = question.answer()
    assert result.complete
    for place in result.points:
        assert place.x.certain_digits() >= 15 and place.value.width < Fraction(1, 10**14)


def test_the_minimum_of_silu_is_the_lambert_w_closed_form():
    (place,) = PlaceQuestion("minimum", "silu").answer(digits=40).points
    with mpmath.workdps(50):
        w = mpmath.lambertw(mpmath.exp(-1)).real
        for enclosure, closed in ((place.x, -(1 + w)), (place.value, -w)):
            assert abs(Fraction(mpmath.nstr(closed, 45)) - enclosure.midpoint) < Fraction(1, 10**39)
