"""Best constants: by a second route, against a scan, and with the proof's conditions broken on purpose."""

from fractions import Fraction
from functools import lru_cache

import mpmath
import numpy as np
import pytest
from scipy.special import expit, ndtr

from gelu_verify.bounds.error import Error
from gelu_verify.bounds.family import FAMILIES, Family
from gelu_verify.bounds.minimax import FitResult, fit
from gelu_verify.bounds.representable import Grid, best_on_grid
from gelu_verify.bounds.roots import Line, Unresolved
from gelu_verify.bounds.supremum import supremum
from gelu_verify.catalogue import parse
from gelu_verify.deadlines import Deadline
from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import InputError

REALS = Line(None, None)


@lru_cache
def best(family: str, target: str = "gelu") -> FitResult:
    return fit(family, target, digits=25)


def gate(family: str, x: mpmath.mpf, constants: list[mpmath.mpf]) -> mpmath.mpf:
    """The argument of the sigmoid, written once more by hand."""
    s = mpmath.sqrt(2 / mpmath.pi)
    if family == "gelu_sigmoid":
        return constants[0] * x
    if family == "gelu_tanh":
        return 2 * s * (x + constants[0] * x**3)
    return 2 * (constants[0] * x + constants[1] * x**3)


@pytest.mark.parametrize("target", ["gelu", "Phi"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_equioscillating_member_by_mpmath_lies_in_the_enclosures(family, target):
    """Solve e(x_i) = +-E, e'(x_i) = 0 with mpmath's multidimensional Newton method, from the rounded answer."""
    found = best(family, target)
    count = len(found.constants)

    def error(x, constants):
        weight = x if target == "gelu" else 1
        return weight * (1 / (1 + mpmath.exp(-gate(family, x, constants))) - mpmath.ncdf(x))

    def equations(*unknown):
        constants, level, places = unknown[:count], unknown[count], unknown[count + 1 :]
        values = [error(x, constants) - (-1) ** i * level for i, x in enumerate(places)]
        slopes = [mpmath.diff(lambda t: error(t, constants), x) for x in places]
        return values + slopes

    with mpmath.workdps(40):
        start = [float(value.midpoint) for value in found.constants.values()]
        start += [found.sign * float(found.supremum.midpoint)]
        start += [float(place.midpoint) for place in found.alternation]
        solution = list(mpmath.findroot(equations, [mpmath.mpf(round(value, 6)) for value in start], tol=1e-50))
        enclosures = [*found.constants.values(), abs(found.supremum), *found.alternation]
        for value, enclosure in zip(solution, enclosures, strict=True):
            exact, slack = abs(Fraction(mpmath.nstr(value, 35))), Fraction(1, 10**24)
            assert enclosure.lower - slack <= exact <= enclosure.upper + slack


@pytest.mark.parametrize("family", ["gelu_sigmoid", "gelu_tanh"])
def test_no_constant_of_a_scan_does_better(family):
    (centre,) = (float(value.midpoint) for value in best(family).constants.values())
    x = np.linspace(0, 8, 4001)
    for constant in centre * (1 + np.linspace(-0.2, 0.2, 81)):
        v = constant * x if family == "gelu_sigmoid" else 2 * np.sqrt(2 / np.pi) * (x + constant * x**3)
        greatest = np.max(np.abs(x * expit(v) - x * ndtr(x)))
        assert greatest >= float(best(family).supremum.lower) - 1e-7


def test_the_supremum_of_the_family_is_between_what_members_reach_and_one_member():
    for family in FAMILIES:
        found = best(family)
        near = tuple(Fraction(round(value.midpoint * 10**8), 10**8) for value in found.constants.values())
        member = supremum(Error(Family(family).member(near), parse("gelu(x)")), REALS)
        assert found.supremum.lower <= member.supremum.upper
        assert float(member.supremum.lower - found.supremum.upper) < 1e-6
        assert found.gain.lower > 1


def test_the_usual_constants_are_the_best_for_the_distribution_function_to_their_digits():
    assert best_on_grid(best("gelu_sigmoid", "Phi"), Grid("4 digits")).constants == {"k": Fraction("1.702")}
    assert best_on_grid(best("gelu_tanh", "Phi"), Grid("5 digits")).constants == {"c": Fraction("0.044715")}


@pytest.mark.parametrize("grid", ["bfloat16", "3 digits"])
def test_no_pair_around_the_best_representable_pair_does_better(grid):
    choice = best_on_grid(best("gelu_tanh2"), Grid(grid))
    a, b = choice.constants.values()
    numbers = Grid(grid)
    x = np.linspace(0, 8, 2001)
    for first in numbers.between(a * Fraction(98, 100), a * Fraction(102, 100)):
        for second in numbers.between(b * Fraction(95, 100), b * Fraction(105, 100)):
            greatest = np.max(np.abs(x * expit(2 * (float(first) * x + float(second) * x**3)) - x * ndtr(x)))
            assert greatest > float(choice.supremum.lower) - 2e-7


def test_grids_step_through_their_numbers():
    assert [float(v) for v in Grid("3 digits").between(Fraction("0.998"), Fraction("1.02"))] == [
        0.998,
        0.999,
        1.0,
        1.01,
        1.02,
    ]
    bfloat16 = Grid("bfloat16")
    assert bfloat16.below(Fraction("1.7")) == Fraction(217, 128) and bfloat16.above(Fraction("1.7")) == Fraction(
        109, 64
    )
    assert bfloat16.below(Fraction(1)) == bfloat16.above(Fraction(1)) == 1
    assert len(list(bfloat16.between(Fraction(1, 2), Fraction(2)))) == 257


def test_a_family_whose_members_cross_too_often_is_not_called_optimal(monkeypatch):
    crossing = (parse("x - x**3"),)
    monkeypatch.setattr(Family, "basis", property(lambda self: crossing))
    assert not Family("gelu_sigmoid").separates(Deadline())
    with pytest.raises(Unresolved, match="differ in sign too often"):
        fit("gelu_sigmoid")


def test_points_that_do_not_alternate_prove_nothing(monkeypatch):
    from gelu_verify.bounds import minimax

    found = best("gelu_tanh2")
    near = tuple(value.midpoint for value in found.constants.values())
    places = tuple(place.midpoint for place in found.alternation)
    proven = minimax._proven(Family("gelu_tanh2"), near, places, 10, Deadline())
    assert isinstance(proven.supremum, Enclosure)
    with pytest.raises(Unresolved, match="do not alternate"):
        minimax._proven(
            Family("gelu_tanh2"), near, (places[0], places[0] * Fraction(101, 100), places[2]), 10, Deadline()
        )


def test_what_is_no_family_is_refused():
    with pytest.raises(InputError, match="not a family"):
        fit("silu")
    with pytest.raises(InputError, match="choose gelu or Phi"):
        fit("gelu_tanh", "silu")
