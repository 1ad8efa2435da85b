"""Counts from the double-double reference are those of judging every input alone, exactly."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from gelu_verify.catalogue import function_or_expression
from gelu_verify.formats import FORMATS
from gelu_verify.references import rounded
from gelu_verify.references.spans import Span
from gelu_verify.sweep import Policy
from gelu_verify.sweep.exact import Judge
from gelu_verify.sweep.measure import Comparison
from gelu_verify.sweep.results import Results
from gelu_verify.sweep.statistics import COUNTS, Tally
from gelu_verify.sweep.worst import float_below
from gelu_verify.windows.meter import WindowMeter

BINARY64 = FORMATS["binary64"]
SIZE = 64
SIGN = np.uint64(BINARY64.sign_mask)


def window_at(x: float) -> Span:
    bits = int(np.array([x]).view(np.uint64)[0])
    return Span(BINARY64, bits // SIZE * SIZE, SIZE)


def right(written: str, derivative: int, window: Span) -> np.ndarray:
    function = function_or_expression(written)
    return np.array([rounded(function, window.first + k, BINARY64, derivative) for k in range(SIZE)], np.uint64)


def nudged(bits: np.ndarray) -> np.ndarray:
    return bits + np.random.default_rng(3).choice([0, 0, 1, 2, 3, 5, 17, 1030], len(bits)).astype(np.uint64)


def broken(bits: np.ndarray) -> np.ndarray:
    other = bits.copy()
    other[::7] = 0
    other[1::7] = SIGN
    other[2::7] ^= SIGN
    other[3::7] = BINARY64.nan
    other[4::7] = BINARY64.infinity
    return other


def alone(written: str, derivative: int, policy: Policy, window: Span, bits: np.ndarray) -> Tally:
    comparison = Comparison(Judge(function_or_expression(written).expression, derivative, BINARY64), policy)
    comparison.count_inputs(window.first, SIZE)
    for place, got in enumerate(bits.tolist()):
        comparison.alone(window.first + place, got)
    return comparison.tally


def hull(tally: Tally, name: str) -> tuple[int, int, int]:
    """Regions of many pieces in a window are told as their hull."""
    regions = tally.joined_regions(name)
    return regions[0].first, regions[-1].last, sum(region.count for region in regions)


PLACES = [
    ("gelu", 0, 1.0),
    ("gelu", 0, -0.75),
    ("gelu", 0, -38.485),  # the last results but zero are subnormal
    ("gelu", 0, -38.46),
    ("gelu", 0, -37.519379),  # results begin to be subnormal
    ("gelu", 0, 5e-324),  # zero, and ties between subnormal numbers
    ("gelu", 0, -5e-324),
    ("gelu", 0, 20.0),
    ("gelu", 0, -1e300),
    ("gelu", 1, -0.7517915246935645),  # a zero
    ("gelu", 1, 40.0),  # rounds to 1 from above
    ("tanh", 0, 25.0),  # rounds to 1 from below
    ("gelu_tanh", 2, 2.2),
    ("exp", 0, 709.782712893384),  # overflow sets in
    ("exp", 0, 1e4),
    ("abs(x - 0.3)", 0, 0.3),  # a kink
]


@pytest.mark.parametrize("spoil", [lambda bits: bits, nudged, broken], ids=["right", "nudged", "broken"])
@pytest.mark.parametrize(("written", "derivative", "x"), PLACES)
def test_counts_are_those_of_exact_judgement(
    written: str, derivative: int, x: float, spoil: Callable[[np.ndarray], np.ndarray]
) -> None:
    window, policy = window_at(x), Policy(Fraction(5, 3))
    bits = spoil(right(written, derivative, window))
    meter = WindowMeter(function_or_expression(written), derivative, BINARY64, policy, monotony=False)
    found = meter.measure(window, Results(window.first, bits, bits.view(np.float64)))
    exact = alone(written, derivative, policy, window, bits)
    assert {name: found.tally.counts.get(name, 0) for name in COUNTS} == {
        name: exact.counts.get(name, 0) for name in COUNTS
    }
    assert (found.tally.inputs, found.tally.histogram) == (exact.inputs, exact.histogram)
    for name in exact.regions:
        assert hull(found.tally, name) == hull(exact, name)
    for kind, worst in exact.worst.items():
        known = found.tally.worst.get(kind)
        tops = [proposal.top for proposal in found.proposals.get(kind, ())] + (
            [float_below(known.size)] if known else []
        )
        assert worst.size < 2**-100 or max(tops) >= float_below(worst.size) * (1 - 2.0**-50)


@pytest.mark.parametrize(
    "policy",
    [Policy(flush_outputs=True), Policy(flush_inputs=True), Policy(None, True, True)],
    ids=["out", "in", "both"],
)
@pytest.mark.parametrize(
    ("written", "x"),
    [*(("gelu", x) for x in (-37.519379, -38.46, 5e-324, 1e-310, 2.3e-308)), ("x/3", 3 * 2.0**-1022 * (1 - 2.0**-51))],
)
def test_flushed_results_are_counted_as_by_exact_judgement(written: str, x: float, policy: Policy) -> None:
    window = window_at(x)
    bits = right(written, 0, window)
    bits[::3] &= SIGN
    meter = WindowMeter(function_or_expression(written), 0, BINARY64, policy, monotony=False)
    found = meter.measure(window, Results(window.first, bits, bits.view(np.float64)))
    assert found.tally.counts == alone(written, 0, policy, window, bits).counts


def test_a_step_against_the_function_is_counted_where_it_is() -> None:
    for x in (1.0, -3.0, -0.5, -0.7517915246935645):
        window = window_at(x)
        bits = right("gelu", 0, window)
        meter = WindowMeter(function_or_expression("gelu"), 0, BINARY64, Policy(), monotony=True)
        assert (
            "not_monotone" not in meter.measure(window, Results(window.first, bits, bits.view(np.float64))).tally.counts
        )
        bits[31] += np.uint64(1000)
        tally = meter.measure(window, Results(window.first, bits, bits.view(np.float64))).tally
        assert tally.counts["not_monotone"] == 1
        assert tally.regions["not_monotone"][0].first in (window.first + 31, window.first + 32)
