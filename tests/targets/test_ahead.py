"""A sweep's small calls become large ones, and nobody sees a difference but the clock."""

import numpy as np
import pytest

from gelu_verify.faults.correct import gelu_by_erfc
from gelu_verify.formats import FORMATS
from gelu_verify.targets import Misbehaved, Misdeed, parse_target
from gelu_verify.targets.ahead import ReadAhead
from gelu_verify.targets.direct import DirectTarget

BINARY32, BFLOAT16 = FORMATS["binary32"], FORMATS["bfloat16"]
CHUNK, BLOCK = 1 << 8, 1 << 12


class Recorded:
    """A function that notes what it is asked for, and may refuse one encoding."""

    def __init__(self, refused: int = -1) -> None:
        self.calls: list[tuple[int, int]] = []
        self.refused = refused

    def __call__(self, bits: np.ndarray) -> np.ndarray:
        self.calls.append((int(bits[0]), bits.size))
        if self.refused in bits:
            raise Misbehaved(Misdeed.CRASH, "refused")
        return bits ^ bits.dtype.type(0x55)


def swept(function: Recorded, first: int, count: int, timeout: float = 1e9, format=BINARY32) -> None:
    """Call chunk by chunk, as a sweep does, and compare."""
    ahead = ReadAhead(function, format, BLOCK, timeout)
    for start in range(first, first + count, CHUNK):
        bits = np.arange(start, start + CHUNK).astype(f"u{format.width // 8}")
        assert ahead(bits).tolist() == (bits ^ 0x55).tolist()


def test_results_are_those_asked_for_and_come_in_blocks():
    function = Recorded()
    swept(function, 0x3F800000, 4 * BLOCK)
    # The first chunk is called twice, to time it; the rest of its block one by one.
    assert [size for _, size in function.calls] == [CHUNK] * (2 + BLOCK // CHUNK - 1) + [BLOCK] * 3
    assert [first for first, size in function.calls if size == BLOCK] == [0x3F800000 + n * BLOCK for n in (1, 2, 3)]


def test_the_last_encodings_of_the_format_are_reached():
    swept(Recorded(), (1 << 32) - 2 * BLOCK, 2 * BLOCK)


def test_a_format_of_few_bits_is_not_read_beyond_what_is_asked():
    function = Recorded()
    swept(function, 0, 1 << 16, format=BFLOAT16)
    assert {size for _, size in function.calls} == {CHUNK}


def test_a_slow_function_is_asked_for_no_more_than_is_needed():
    function = Recorded()
    swept(function, 0, 2 * BLOCK, timeout=0.0)
    assert {size for _, size in function.calls} == {CHUNK}


def test_a_failure_at_an_input_that_nobody_asked_for_is_not_told():
    function = Recorded(refused=0x2000 + 5 * CHUNK)
    swept(function, 0x1000, BLOCK + 5 * CHUNK)
    with pytest.raises(Misbehaved):
        swept(function, 0x1000, BLOCK + 6 * CHUNK)


def test_inputs_out_of_order_are_answered_too():
    ahead = ReadAhead(Recorded(), BINARY32, BLOCK, 1e9)
    generator = np.random.default_rng(5)
    for start in [0, 0, *(generator.integers(0, 1 << 20, 200) * CHUNK % (1 << 30)).tolist()]:
        bits = np.arange(start, start + CHUNK, dtype=np.uint32)
        assert ahead(bits).tolist() == (bits ^ 0x55).tolist()


def test_scattered_inputs_of_a_sampled_run_get_results_of_their_own():
    target = DirectTarget(parse_target("gelu_verify.faults.correct:gelu_by_erfc"), FORMATS["binary64"])
    try:
        for one in (0x3FF0000000000000, 0x4000000000000000):  # both begin a block
            bits = np.concatenate([np.arange(start, start + CHUNK, dtype=np.uint64) for start in (one, one + BLOCK)])
            for _ in range(2):
                assert target(bits.view(np.float64)).tolist() == gelu_by_erfc(bits.view(np.float64)).tolist()
    finally:
        target.close()
