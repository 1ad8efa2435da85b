"""Where GELU rounds to x, x/2 or zero: every number of the small formats, and the edges in the large ones."""

import random
from fractions import Fraction

import pytest

from gelu_verify.bounds.thresholds import OUTCOMES, RoundingSet, rounding_set
from gelu_verify.catalogue import get_function
from gelu_verify.formats import FORMATS, Format
from gelu_verify.references import rounded

GELU = get_function("gelu")


def holds(format: Format, bits: int, outcome: str) -> bool:
    x, value = format.exact(bits), format.exact(rounded(GELU, bits, format))
    return value == {"x": x, "x/2": x / 2, "0": Fraction(0)}[outcome]


def contains(found: RoundingSet, bits: int) -> bool:
    return any(run.first <= bits <= run.last and (bits - run.first) % run.step == 0 for run in found.runs)


@pytest.mark.parametrize("name", ["e4m3fn", "e5m2"])
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_number_of_an_8_bit_format_is_in_the_set_exactly_when_it_rounds_so(name, outcome):
    format, found = FORMATS[name], rounding_set(FORMATS[name], outcome)
    finite = [bits for bits in range(256) if format.is_finite(bits)]
    assert [bits for bits in finite if contains(found, bits)] == [
        bits for bits in finite if holds(format, bits, outcome)
    ]
    assert found.count == sum(contains(found, bits) for bits in finite)


@pytest.mark.parametrize(("name", "every"), [("binary16", 1), ("bfloat16", 5)])
def test_numbers_of_a_16_bit_format_are_in_its_sets_exactly_when_they_round_so(name, every):
    """All of binary16, a fifth of bfloat16."""
    format = FORMATS[name]
    sets = {outcome: rounding_set(format, outcome) for outcome in OUTCOMES}
    for bits in range(0, 1 << 16, every):
        if format.is_finite(bits):
            x, value = format.exact(bits), format.exact(rounded(GELU, bits, format))
            for outcome, goal in (("x", x), ("x/2", x / 2), ("0", 0)):
                assert contains(sets[outcome], bits) == (value == goal), (hex(bits), outcome)


@pytest.mark.parametrize("name", ["binary32", "binary64"])
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_edges_and_random_numbers_of_the_large_formats(name, outcome):
    format, found = FORMATS[name], rounding_set(FORMATS[name], outcome)
    numbers = random.Random(20260103)
    tried = [numbers.randrange(1 << format.width) for _ in range(500)]
    tried += [numbers.randrange(format.sign_mask >> 3) << 1 | 1 for _ in range(100)]
    for run in found.runs:
        for bits in (run.first, run.last):
            tried += [bits ^ change for change in range(4)] + [max(bits - 1, 0), bits + 1]
    for bits in tried:
        if bits < 1 << format.width and format.is_finite(bits):
            assert contains(found, bits) == holds(format, bits, outcome), hex(bits)


def test_the_sets_are_not_just_intervals():
    binary32 = FORMATS["binary32"]
    halves = rounding_set(binary32, "x/2")
    assert any(run.step == 2 for run in halves.runs)  # odd multiples of 2^-149 have no half in the format
    power = binary32.round(Fraction(-1, 2**24))  # its neighbour towards zero is nearer
    assert not contains(halves, power) and contains(halves, power + 1) and contains(halves, power ^ binary32.sign_mask)
    assert contains(rounding_set(binary32, "x"), 1) and contains(rounding_set(binary32, "0"), 0x80000001)


def test_an_unknown_outcome_is_refused():
    with pytest.raises(ValueError, match="no outcome"):
        rounding_set(FORMATS["binary32"], "y")
