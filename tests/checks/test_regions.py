"""Regions begin and end at the float at which the fault begins and ends."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.checks.regions import coarse_regions, exact_regions, runs, sharpen
from gelu_verify.formats import FORMATS
from gelu_verify.formats.arrays import to_float64
from gelu_verify.records import Region

BINARY32 = FORMATS["binary32"]
FINITE = st.integers(1, BINARY32.max_finite)


@given(FINITE, FINITE)
def test_a_clean_edge_is_found_exactly(a: int, b: int):
    low, high = sorted((a, b))
    if low == high:
        return
    # The encodings of negative numbers are larger than all of these.
    assert sharpen(BINARY32, lambda bits: (bits >= high) & (bits < 1 << 31), 1, BINARY32.max_finite) == high


@given(FINITE, st.integers(1, 40))
def test_a_piece_beyond_a_small_gap_belongs_to_a_ragged_edge(edge: int, gap: int):
    place = min(max(edge, 200), BINARY32.max_finite - 200)

    def shows(bits: np.ndarray) -> np.ndarray:
        return ((bits >= place) & (bits < 1 << 31)) | (bits == place - gap)

    assert sharpen(BINARY32, shows, 1, BINARY32.max_finite) <= place
    assert sharpen(BINARY32, shows, place - gap - 1, place) == place - gap


def test_edges_on_the_negative_side_and_across_zero_are_found_in_order_of_value():
    def shows(bits: np.ndarray) -> np.ndarray:
        value = to_float64(BINARY32, bits)
        return (value > -1.5) & (value < 2.25)

    sample = np.array([-8.0, -1.0, 1.0, 8.0], np.float32).view(np.uint32)
    (region,) = exact_regions(BINARY32, sample, shows(sample), shows)
    ends = to_float64(BINARY32, np.array([region.first, region.last], np.uint32))
    assert ends.tolist() == [
        np.nextafter(np.float32(-1.5), np.float32(0)),
        np.nextafter(np.float32(2.25), np.float32(0)),
    ]


def test_runs_are_joined_until_there_are_few_enough():
    mask = np.zeros(100, bool)
    mask[::10] = True
    assert len(list(runs(mask))) == 10
    bits = np.arange(1, 101, dtype=np.uint32)
    assert coarse_regions(bits, mask, most=1) == (Region(1, 91),)
    assert coarse_regions(bits, ~mask & mask) == ()
