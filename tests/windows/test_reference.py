"""The double-double reference agrees with Arb within a budget far below an ulp; a broken one is caught."""

import numpy as np
import pytest
from flint import arb

from gelu_verify.catalogue import function_or_expression
from gelu_verify.enclosures import working_precision
from gelu_verify.formats import FORMATS
from gelu_verify.formats.arrays import ordinals
from gelu_verify.references import derivative_ball
from gelu_verify.references.spans import Span
from gelu_verify.windows import reference
from gelu_verify.windows.reference import Oracle, Reference

BINARY64 = FORMATS["binary64"]


def window_at(x: float, size: int = 1 << 12) -> Span:
    bits = int(np.array([x]).view(np.uint64)[0])
    return Span(BINARY64, bits // size * size, size)


def references(written: str, derivative: int, window: Span) -> list[Reference]:
    found = list(Oracle(function_or_expression(written).expression, derivative, BINARY64).references(window))
    assert all(isinstance(each, Reference) for each in found)
    return [each for each in found if isinstance(each, Reference)]


def assert_within_bound(written: str, derivative: int, known: Reference, indices: list[int]) -> None:
    expression = function_or_expression(written).expression
    with working_precision(200):
        for index in indices:
            true = derivative_ball(expression, known.span.point(index), derivative) * arb((1, -known.exponent))
            distance = true - arb(float(known.high[index])) - arb(float(known.low[index]))
            assert abs(distance.mid()) <= arb(known.bound) + distance.rad()
            assert known.sign is None or true * known.sign > 0


CASES = [
    ("gelu", 0, -3.3, 2.0**-40),
    ("gelu", 0, 0.7, 2.0**-40),
    ("gelu", 0, -37.5, 2.0**-40),
    ("gelu", 0, -1e-9, 2.0**-40),
    ("gelu", 0, -38.4, 2.0**-40),  # results are subnormal
    ("gelu", 0, 12.0, 2.0**-40),  # anchored: rounds to x
    ("gelu", 0, 5e-324, 2.0**-40),  # ties
    ("gelu", 2, -2.1, 2.0**-40),
    ("gelu_tanh", 0, -21.3, 2.0**-40),
    ("gelu_tanh", 0, 1e200, 2.0**-40),
    ("gelu_tanh", 1, 1.4, 2.0**-40),
    ("silu", 0, -700.0, 2.0**-40),
    ("tanh", 0, 18.9, 2.0**-40),
    ("exp", 0, 709.7827128, 2.0**-40),  # overflow sets in
    ("x*exp(-x**2)/(1 + x**2)", 1, -5.0, 2.0**-40),
    ("exp(10000000*(x - 1))", 0, 1.00001, 2.0**-20),  # so steep that the remainder is the largest part
]


@pytest.mark.parametrize(("written", "derivative", "x", "budget"), CASES)
def test_values_lie_within_a_budget_far_below_an_ulp(written: str, derivative: int, x: float, budget: float) -> None:
    generator = np.random.default_rng(5)
    for known in references(written, derivative, window_at(x)):
        ulp = max(1.0, 2.0 ** (BINARY64.emin - BINARY64.fraction_bits - known.exponent))
        assert known.bound <= budget * ulp
        start = 1 if known.span.starts_at_zero else 0
        assert_within_bound(
            written, derivative, known, [start, known.span.count - 1, *generator.integers(1, 4096, 40).tolist()]
        )


def test_values_on_both_sides_of_a_zero_lie_within_the_bound() -> None:
    (known,) = references("gelu", 1, window_at(-0.7517915246935645))
    assert known.high.min() < 0 < known.high.max()
    nearest = int(np.abs(known.high).argmin())
    assert_within_bound("gelu", 1, known, [0, 4095, nearest, nearest - 1, nearest + 1])


@pytest.mark.parametrize(("x", "direction"), [(1.0, 1), (-0.5, -1), (-3.0, 1), (-0.7517915246935645, 0)])
def test_the_direction_is_that_of_the_encodings(x: float, direction: int) -> None:
    (known,) = references("gelu", 0, window_at(x))
    assert known.direction == direction
    assert x < 0 or np.all(np.diff(ordinals(BINARY64, known.high.view(np.uint64))) >= 0)


@pytest.mark.parametrize(
    ("coefficients", "direction"),
    [
        ([1, 0, 0, 0.45 * 2.0**-12], 1),
        ([-1, 0, 0, 0.45 * 2.0**-12], -1),
        ([1, 0, 0, 0.75 * 2.0**-12], 0),  # from -8 + 0.75 at the first place to -7 - 0.44 at the second
        ([1, 0.03, 0, 0.2 * 2.0**-12], 1),
        ([1, 0.07, 0, 0.01 * 2.0**-12], 0),  # the parabola turns at place -7.1
        ([1, 0, -0.006, 0.01 * 2.0**-12], 0),
    ],
)
def test_a_direction_needs_a_slope_above_all_that_could_turn_it(coefficients: list[float], direction: int) -> None:
    steep, bend, third, fourth = coefficients
    window = window_at(1.5, 16)  # places -8 ... 7
    balls = [arb(2) ** 52, arb(steep), arb(bend), arb(third), arb(0, fourth)]
    known = reference._evaluated(window, balls, 0, 1)
    assert known is not None and known.direction == direction


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("_STEEP_BITS", 53),  # the product with the place is rounded
        ("two_sum", lambda left, right: (left + right, np.zeros(len(left)))),  # what rounding takes is lost
        ("UNIT", 0.0),
    ],
)
def test_broken_arithmetic_is_caught(name: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "UNIT":
        monkeypatch.setattr(reference, "gamma", lambda _: 0.0)
        monkeypatch.setattr(reference, "UNDERFLOW", 0.0)
    monkeypatch.setattr(reference, name, value)
    with pytest.raises(ArithmeticError, match="off by more than its bound"):
        for x in np.linspace(-6, -1, 40):
            references("gelu", 0, window_at(float(x)))


def test_what_the_coefficients_lose_is_part_of_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "gamma", lambda _: 0.0)
    monkeypatch.setattr(reference, "UNIT", 0.0)
    monkeypatch.setattr(reference, "UNDERFLOW", 0.0)
    monkeypatch.setattr(Oracle, "_verify", lambda self, known: None)
    (known,) = references("x/3", 0, window_at(1.1))
    assert_within_bound("x/3", 0, known, [known.span.count // 2])
    assert known.bound > 0


def test_around_a_kink_inputs_are_left_to_be_judged_one_by_one() -> None:
    window = window_at(0.3)
    known = list(Oracle(function_or_expression("abs(x - 0.3)").expression, 0, BINARY64).references(window))
    alone = [each for each in known if isinstance(each, Span)]
    assert [each.count for each in alone] == [16]
    assert sum(each.count if isinstance(each, Span) else each.span.count for each in known) == window.count
