"""Where two implementations differ: the counts are those of a loop over all encodings, however the work is cut."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.catalogue import get_function
from gelu_verify.checks.case import Claim
from gelu_verify.checks.differences import difference_finding
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS, Format
from gelu_verify.formats.arrays import all_bits, native_dtype, storage_dtype
from gelu_verify.forms import correct, sigmoid, tanh_factored, tanh_naive
from gelu_verify.sweep import Interval
from gelu_verify.sweep.differences import APART, Differences, compare, compare_samples

BINARY16, BINARY32, BINARY64 = (FORMATS[name] for name in ("binary16", "binary32", "binary64"))


def by_loop(format: Format, inputs: list[int], first: list[int], second: list[int]) -> dict[str, int]:
    counts = dict.fromkeys(["different", "zero_sign", "zero_in_one", "nan_in_one", *APART], 0)
    for _, one, other in zip(inputs, first, second, strict=True):
        nans = format.is_nan(one) + format.is_nan(other)
        if one == other or nans == 2:
            continue
        counts["different"] += 1
        if nans == 1:
            counts["nan_in_one"] += 1
            continue
        zeros = [bits & ~format.sign_mask == 0 for bits in (one, other)]
        counts["zero_sign"] += all(zeros)
        counts["zero_in_one"] += sum(zeros) == 1
        apart = abs(format.ordinal(one) - format.ordinal(other))
        for name, limit in APART.items():
            counts[name] += apart > limit
    return counts


def results(form, format: Format) -> list[int]:
    with np.errstate(all="ignore"):
        return form(all_bits(format).view(native_dtype(format))).view(storage_dtype(format)).tolist()


@pytest.mark.parametrize("name", ["binary16", "bfloat16", "e4m3fn", "e5m2"])
def test_every_count_is_that_of_a_loop_over_all_encodings(name: str):
    format = FORMATS[name]
    found = compare(tanh_naive, correct.tanh_factored, format, workers=1)
    inputs = all_bits(format).tolist()
    ours, theirs = results(tanh_naive, format), results(correct.tanh_factored, format)
    assert found.inputs == 1 << format.width
    assert found.counts == by_loop(format, inputs, ours, theirs)
    assert sum(found.binades.values()) == found.counts["different"] == sum(region.count for region in found.regions)


def test_the_witness_is_the_pair_farthest_apart_and_of_equal_ones_the_one_with_the_smaller_bits():
    found = compare(sigmoid, correct.sigmoid, BINARY32, on=Interval(Fraction(1), Fraction(2)), workers=1)
    x = np.arange(0x3F800000, 0x40000001, dtype=np.uint32)
    ours, theirs = (form(x.view(np.float32)).view(np.uint32).astype(np.int64) for form in (sigmoid, correct.sigmoid))
    apart = abs(ours - theirs)
    place = int(apart.argmax())
    assert found.widest is not None
    assert (found.widest.bits, found.widest.apart) == (int(x[place]), int(apart[place]))
    assert (found.widest.first, found.widest.second) == (int(ours[place]), int(theirs[place]))


def test_two_processes_find_what_one_finds():
    on = Interval(Fraction(-6), Fraction(-3))
    assert compare(tanh_naive, tanh_factored, BINARY32, on=on, workers=2) == compare(
        tanh_naive, tanh_factored, BINARY32, on=on, workers=1
    )


@pytest.mark.parametrize("place", [0, 1, 0x3C00, 0x7BFF, 0x7C00, 0x8000, 0xBC00, 0xFBFF])
def test_a_single_differing_bit_among_65536_results_is_found(place: int):
    def twin(x: np.ndarray) -> np.ndarray:
        bits = tanh_factored(x).view(np.uint16).copy()
        bits[x.view(np.uint16) == place] ^= 1
        return bits.view(np.float16)

    found = compare(tanh_factored, twin, BINARY16, workers=1)
    assert found.counts["different"] == 1 and found.widest is not None and found.widest.bits == place
    assert [(region.first, region.last, region.count) for region in found.regions] == [(place, place, 1)]


def test_one_nan_is_as_good_as_another_and_a_nan_in_one_result_outweighs_every_distance():
    x = np.array([1, 2, 3, 4], np.uint16)
    ours = np.array([0x7E00, 0x7C00, 0x0000, 0x3C00], np.uint16)
    theirs = np.array([0xFE01, 0xFC00, 0x8000, 0x7D00], np.uint16)
    found = compare_samples(BINARY16, x, ours, theirs)
    assert (found.counts["different"], found.counts["nan_in_one"], found.counts["zero_sign"]) == (3, 1, 1)
    assert found.widest is not None and (found.widest.bits, found.widest.apart) == (4, None)


def test_a_nan_in_one_result_outweighs_every_distance_found_elsewhere_too():
    far, nan = (np.array([bits], np.uint16) for bits in (0xFBFF, 0x7E00))
    parts = [compare_samples(BINARY16, x, x, y) for x, y in ((far, far ^ 0x8000), (far - 1, nan))]
    for order in (parts, parts[::-1]):
        total = Differences()
        for part in order:
            total.merge(part)
        assert total.widest is not None and (total.widest.bits, total.widest.apart) == (0xFBFE, None)


def test_the_distance_of_two_doubles_may_need_64_bits():
    x, ours, theirs = (np.array([bits], np.uint64) for bits in (1, 0x7FF0000000000000, 0xFFF0000000000000))
    found = compare_samples(BINARY64, x, ours, theirs)
    assert found.widest is not None and found.widest.apart == 2 * 0x7FF0000000000000 + 1


@given(st.lists(st.tuples(*[st.integers(0, 0xFFFF)] * 3), max_size=60), st.integers(0, 60))
def test_parts_add_up_to_the_whole_in_any_order(rows: list[tuple[int, int, int]], cut: int):
    x, ours, theirs = np.array(rows, np.uint16).reshape(-1, 3).T
    whole = compare_samples(BINARY16, x, ours, theirs)
    assert whole.counts == by_loop(BINARY16, x.tolist(), ours.tolist(), theirs.tolist())
    pieces = [
        compare_samples(BINARY16, *(column[part] for column in (x, ours, theirs)))
        for part in (slice(cut), slice(cut, None))
    ]
    for order in (pieces, pieces[::-1]):
        total = Differences()
        for piece in order:
            total.merge(piece)
        total = total.settled(BINARY16)
        assert (total.inputs, total.counts, total.widest, total.binades) == (
            whole.inputs,
            whole.counts,
            whole.widest,
            whole.binades,
        )


def test_what_is_told_names_the_number_the_distance_and_the_other_result():
    on = Interval(Fraction(-6), Fraction(-5))
    found = compare(tanh_naive, tanh_factored, BINARY32, on=on, workers=1)
    told = difference_finding(Claim(get_function("gelu_tanh"), BINARY32), "other", found)
    assert told is not None and found.widest is not None
    assert told.message.startswith(
        f"gives other bits than other at {found.counts['different']} of {found.inputs} inputs, at most"
    )
    assert told.message.endswith(f"other gives {BINARY32.decimal(found.widest.second)} ({found.widest.second:#010x})")
    assert (told.x, told.got) == (found.widest.bits, found.widest.first)
    for second, words in (
        ([0x7E00, 0x3C00], "1 of them NaN in only one of the two"),
        ([0x3C00, 0x8000], "sign of zero"),
    ):
        x = np.array([0x3C00, 0x0000], np.uint16)
        few = compare_samples(BINARY16, x, x, np.array(second, np.uint16))
        told = difference_finding(Claim(get_function("relu"), BINARY16), "other", few)
        assert told is not None and words in told.message
    same = compare(tanh_naive, tanh_naive, BINARY32, on=on, workers=1)
    assert same.counts["different"] == 0
    assert difference_finding(Claim(get_function("gelu_tanh"), BINARY32), "other", same) is None


def test_results_in_the_memory_of_the_inputs_or_far_apart_in_memory_are_compared_as_they_were_returned():
    def scattered(x: np.ndarray) -> np.ndarray:
        spread = np.zeros(2 * x.size, x.dtype)
        spread[::2] = x
        return spread[::2]

    def twice(x: np.ndarray) -> np.ndarray:
        return x + x

    for one, other in ((lambda x: x, scattered), (scattered, lambda x: x), (lambda x: x, lambda x: x)):
        assert compare(one, other, BINARY16, workers=1).counts["different"] == 0
    # Doubled: every number but the zeros and the infinities, and NaN stays NaN.
    assert compare(lambda x: x, twice, BINARY16, workers=1).counts["different"] == 2 * (0x7C00 - 1)


def test_a_result_of_another_shape_is_refused():
    with pytest.raises(InputError, match="must return an array of float16 and shape"):
        compare(tanh_naive, lambda x: x[:1], BINARY16, workers=1)
