"""The partition covers every encoding once, and puts the borders where they are known to be."""

from fractions import Fraction

import numpy as np
import pytest

from gelu_verify.catalogue import function_or_expression, get_function
from gelu_verify.errors import IncompleteError
from gelu_verify.formats import FORMATS, get_format
from gelu_verify.references import rounded
from gelu_verify.references.partition import Anchored, Piece, Planner, Single, Smooth
from gelu_verify.references.spans import Span, binades, require_tiling
from gelu_verify.sweep.anchored import expected_bits
from gelu_verify.sweep.tasks import plan_tasks

BINARY32 = FORMATS["binary32"]


def pieces_of(written: str, derivative: int = 0, name: str = "binary32", exponents: range | None = None) -> list[Piece]:
    format = get_format(name)
    planner = Planner(function_or_expression(written).expression, derivative, format)
    fields = range(1 << format.width) if exponents is None else exponents
    spans = [span for span in binades(format) if (span.first & ~format.sign_mask) // format.min_normal in fields]
    return [piece for span in spans for piece in planner.plan(span)]


@pytest.mark.parametrize("name", [name for name, format in FORMATS.items() if format.width <= 32])
def test_binades_tile_the_finite_encodings_of_every_format(name: str) -> None:
    format = FORMATS[name]
    for sign in (0, format.sign_mask):
        spans = [(span.first, span.count) for span in binades(format) if span.first & format.sign_mask == sign]
        require_tiling(spans, sign, format.max_finite + 1)


@pytest.mark.parametrize("name", [name for name, format in FORMATS.items() if format.width <= 32])
def test_tasks_sum_to_every_encoding(name: str) -> None:
    tasks = plan_tasks(FORMATS[name])
    require_tiling([piece for task in tasks for piece in task.ranges], 0, 1 << FORMATS[name].width)
    assert sum(task.inputs for task in tasks) == 1 << FORMATS[name].width


@pytest.mark.parametrize("pieces", [[(0, 4), (3, 5)], [(0, 4), (5, 3)], [(0, 4), (4, 3)], [(0, 4), (4, 0), (4, 4)]])
def test_overlaps_gaps_and_missing_ends_are_refused(pieces: list[tuple[int, int]]) -> None:
    with pytest.raises(ArithmeticError):
        require_tiling(pieces, 0, 8)


@pytest.mark.parametrize("written", ["gelu", "gelu_tanh", "gelu_sigmoid", "silu", "relu", "elu", "mish", "exp"])
def test_pieces_tile_every_binade(written: str) -> None:
    pieces = pieces_of(written, name="binary16")
    for sign in (0, 0x8000):
        require_tiling([(p.span.first, p.span.count) for p in pieces if p.span.first & 0x8000 == sign], sign, 0x7C00)


def test_gelu_rounds_to_x_exactly_from_the_known_threshold_on() -> None:
    """0x40AB1ED9 is the least input whose GELU rounds to itself; just below, an anchored piece would be wrong."""
    anchored = [
        p for p in pieces_of("gelu", exponents=range(129, 131)) if isinstance(p, Anchored) and p.scale == (0, 1)
    ]
    first = min(p.span.first for p in anchored)
    assert 0x40AB1ED9 <= first <= 0x40C00000  # a polynomial reaches as far as it can
    gelu = get_function("gelu")
    assert [rounded(gelu, bits, BINARY32) == bits for bits in (0x40AB1ED8, 0x40AB1ED9)] == [False, True]


def test_half_way_subnormals_are_anchored_with_a_rest_of_known_sign() -> None:
    """x/2 lies half-way between two numbers for 8,388,608 positive inputs below 2^-125."""
    below = [p for p in pieces_of("gelu", exponents=range(2)) if p.span.first < 0x80000000]
    assert all(isinstance(p, Anchored) and p.scale == (-1, 1) and p.gap_sign == 1 for p in below)
    assert sum(p.span.count for p in below) // 2 == 8_388_608


@pytest.mark.parametrize("written", ["gelu", "gelu_tanh", "silu", "tanh", "elu", "relu", "exp", "x**3", "sigmoid"])
@pytest.mark.parametrize("derivative", [0, 1])
def test_anchored_pieces_expect_the_correctly_rounded_result(written: str, derivative: int) -> None:
    function = function_or_expression(written)
    generator = np.random.default_rng(5)
    for piece in pieces_of(written, derivative, exponents=range(0, 255, 6)):
        if not isinstance(piece, Anchored):
            continue
        inner = generator.integers(0, piece.span.count, 1).tolist()
        for index in {1, piece.span.count - 1, *inner}:
            bits = piece.span.first + index
            expected = int(expected_bits(piece, bits, 1)[0])
            want = rounded(function.expression, bits, BINARY32, derivative)
            assert expected == want or (piece.gap_sign is None and (expected | want) & 0x7FFFFFFF == 0), hex(bits)


def test_a_kink_inside_a_binade_leaves_single_inputs_only_around_it() -> None:
    pieces = pieces_of("where(x < 1.3, x*exp(x), 2*exp(-x))", exponents=range(127, 128))
    singles = [p for p in pieces if isinstance(p, Single) and not p.span.negative]
    assert 0 < sum(p.span.count for p in singles) <= 64
    kink = BINARY32.round(Fraction(13, 10))
    assert any(p.span.first <= kink <= p.span.last for p in singles)


def test_zeros_of_a_function_do_not_stop_the_partition() -> None:
    pieces = pieces_of("gelu", derivative=1, exponents=range(126, 127))
    assert all(isinstance(p, Smooth) for p in pieces)


def test_a_function_too_wild_for_models_is_refused() -> None:
    planner = Planner(function_or_expression("exp(exp(x))*tanh(exp(-exp(x)))").expression, 0, BINARY32)
    with pytest.raises(IncompleteError, match="too wild"):
        planner.plan(Span(BINARY32, 0x7E000000, 1 << 23))
