"""The bulk oracle gives what correct rounding one by one gives."""

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_verify.catalogue import function_or_expression, get_function
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS, arrays
from gelu_verify.references import bulk, rounded
from gelu_verify.references.bulk import CorrectlyRounded, references
from gelu_verify.references.models import Model
from gelu_verify.references.partition import Anchored, Planner
from gelu_verify.references.spans import Span
from gelu_verify.sweep import sweep

BINARY32 = FORMATS["binary32"]
SEVEN = ("gelu", "gelu_tanh", "gelu_sigmoid", "silu", "tanh", "exp", "erf")


def assert_agrees(written: str, bits: Iterable[int], derivative: int = 0, name: str = "binary32") -> None:
    function, format = function_or_expression(written), FORMATS[name]
    encodings = np.array(sorted(set(bits)), arrays.storage_dtype(format))
    found = references(function, format, encodings, derivative)
    for encoding, got in zip(encodings.tolist(), found.tolist(), strict=True):
        want = rounded(function, encoding, format, derivative)
        assert got == want, f"{format.bits_text(encoding)}: {format.bits_text(got)} for {format.bits_text(want)}"


def beside_binade_edges(width: int = 2) -> list[int]:
    edges = [sign | field << 23 for sign in (0, 0x80000000) for field in range(255)]
    return [
        edge + step
        for edge in edges
        for step in range(-width, width + 1)
        if 0 <= (edge + step) & 0x7FFFFFFF < 0x7F800000
    ]


@pytest.mark.parametrize("written", SEVEN)
def test_random_inputs_round_correctly(written: str) -> None:
    """Half of them among those between 2^-26 and 2^7, where most functions are neither a line nor a constant."""
    generator = np.random.default_rng(7)
    anywhere = generator.integers(0, 2**32, 600, dtype=np.uint32)
    between = generator.integers(101 << 23, 134 << 23, 900, dtype=np.uint32)
    signs = generator.integers(0, 2, 900, dtype=np.uint32) << 31
    finite = [bits for bits in [*anywhere.tolist(), *(between | signs).tolist()] if not BINARY32.is_nan(bits)]
    assert_agrees(written, finite)


@pytest.mark.parametrize("written", ["gelu", "exp"])
def test_inputs_beside_binade_edges_round_correctly(written: str) -> None:
    assert_agrees(written, beside_binade_edges(1))


@pytest.mark.parametrize(
    ("written", "thresholds"),
    [
        ("gelu", [0x40AB1ED9, 0xC165B274]),  # from here on x; from here on -0
        ("gelu_tanh", [BINARY32.round(-10.770867347717285)]),
        ("exp", [0x42B17218, 0xC2CFF1B5]),  # overflow; underflow to zero
        ("tanh", [0x41102CB4]),  # 1 from here on
    ],
)
def test_inputs_around_thresholds_round_correctly(written: str, thresholds: list[int]) -> None:
    assert_agrees(written, [place + step for place in thresholds for step in range(-40, 41)])


def test_half_way_subnormals_round_correctly() -> None:
    generator = np.random.default_rng(3)
    odd = (generator.integers(0, 2**23, 300) * 2 + 1).tolist()
    smallest = list(range(1, 60))
    assert_agrees("gelu", [sign | bits for sign in (0, 0x80000000) for bits in [*odd, *smallest]])


@pytest.mark.parametrize(
    ("derivative", "zeros"), [(1, [-0.7517915246935645]), (2, [-1.4142135623730951, 1.4142135623730951])]
)
def test_inputs_around_zeros_of_derivatives_round_correctly(derivative: int, zeros: list[float]) -> None:
    around = [int(np.float32(zero).view(np.uint32)) + step for zero in zeros for step in range(-60, 61)]
    assert_agrees("gelu", around, derivative)


@pytest.mark.parametrize("name", ["binary16", "bfloat16", "e4m3fn", "e5m2"])
@pytest.mark.parametrize(("written", "derivative"), [("gelu", 0), ("gelu_tanh", 1), ("mish", 0), ("elu", 0)])
def test_narrow_formats_round_correctly(name: str, written: str, derivative: int) -> None:
    format = FORMATS[name]
    step = 1 if format.width == 8 else 83
    assert_agrees(written, range(0, 1 << format.width, step), derivative, name)


@given(st.lists(st.integers(0, 2**32 - 1), max_size=8), st.sampled_from(["gelu", "mish", "x*exp(-x**2)", "leaky_relu"]))
@settings(max_examples=60, deadline=None)
def test_any_inputs_round_correctly(bits: list[int], written: str) -> None:
    assert_agrees(written, [encoding for encoding in bits if not BINARY32.is_infinite(encoding)])


def test_shapes_are_kept_and_arrays_of_any_integers_are_read() -> None:
    gelu = get_function("gelu")
    assert references(gelu, BINARY32, [[0x3F800000, 0], [0x7FC00000, 0x80000000]]).tolist() == [
        [0x3F57625F, 0],
        [0x7FC00000, 0x80000000],
    ]
    assert references(gelu, BINARY32, np.zeros((0, 3), np.uint32)).shape == (0, 3)


@pytest.mark.parametrize("written", SEVEN)
def test_a_sweep_finds_no_fault_in_the_bulk_oracle(written: str) -> None:
    """tests/benchmarks/bulk_oracle.py does this for all 2^32; here for one binade beside 1 and one below -4."""
    from fractions import Fraction

    from gelu_verify.sweep import Interval

    function = get_function(written)
    for lower, upper in ((Fraction(63, 64), Fraction(5, 4)), (Fraction(-13, 2), Fraction(-6))):
        result = sweep(CorrectlyRounded(function, BINARY32), function, BINARY32, on=Interval(lower, upper), workers=1)
        assert not any(result.errors.counts.values())


def test_a_polynomial_with_a_wrong_coefficient_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Planner.smooth

    def wrong(self: Planner, span: Span) -> object:
        found = real(self, span)
        if found is None:
            return None
        coefficients = found.model.coefficients * (1 + 2.0**-40)
        model = Model(found.model.span, coefficients, found.model.remainder, found.model.coefficient_error)
        return type(found)(found.span, model, found.pieces)

    monkeypatch.setattr(Planner, "smooth", wrong)
    bulk._table.cache_clear()
    with pytest.raises(ArithmeticError):
        references(get_function("silu"), BINARY32, [0x3F800000])
    bulk._table.cache_clear()


def test_a_rest_of_the_wrong_sign_gives_wrong_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above on half-way cases can fail: it does when the sign of the rest is turned around."""
    real = Planner.plan

    def turned(self: Planner, span: Span) -> list[object]:
        return [
            type(p)(p.span, p.scale, p.constant, p.gap, -(p.gap_sign or 0)) if isinstance(p, Anchored) else p
            for p in real(self, span)
        ]

    monkeypatch.setattr(Planner, "plan", turned)
    bulk._table.cache_clear()
    with pytest.raises(AssertionError):
        assert_agrees("gelu", [3, 5, 7, 0x80000003])
    bulk._table.cache_clear()


def test_wide_formats_and_other_types_are_refused() -> None:
    with pytest.raises(InputError, match="too wide"):
        references(get_function("gelu"), FORMATS["binary64"], [0])
    with pytest.raises(InputError, match="float32 is needed"):
        CorrectlyRounded(get_function("gelu"), BINARY32)(np.zeros(2))


def test_whole_arrays_of_infinities_take_one_limit_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """An argument that overflows early gives billions of them, which are not to be judged one by one."""
    asked: list[int] = []

    def counted(expression: object, bits: int, *rest: object) -> int:
        asked.append(bits)
        return rounded(expression, bits, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(bulk, "rounded", counted)
    encodings = np.tile(np.array([0x7F800000, 0xFF800000, 0x7FC00001, 0x3F800000], np.uint32), 1000)
    found = references(function_or_expression("exp(-2*x)"), BINARY32, encodings)
    assert found[:4].tolist() == [0, 0x7F800000, BINARY32.nan, 0x3E0A9555]
    assert (found.reshape(-1, 4) == found[:4]).all()
    assert sorted(bits for bits in asked if bits & 0x7FFFFFFF == 0x7F800000) == [0x7F800000, 0xFF800000]


def test_a_constant_is_looked_up_on_whichever_side_of_it_the_values_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between 2^-25 and 2^-24 erfc passes from above a number to below it, and always rounds to it."""
    encodings = np.arange(0x33000000, 0x33800000, 997, dtype=np.uint32)
    want = [rounded(get_function("erfc"), int(bits), BINARY32) for bits in encodings[::400]]
    references(get_function("erfc"), BINARY32, encodings[:1])

    def forbidden(*_: object) -> None:
        raise AssertionError("judged one by one")

    monkeypatch.setattr(bulk, "rounded", forbidden)
    found = references(get_function("erfc"), BINARY32, encodings)
    assert found[::400].tolist() == want
    assert set(found.tolist()) == {0x3F7FFFFF}
