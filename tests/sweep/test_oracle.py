"""The block oracle agrees with Arb within its bound, and a wrong coefficient is caught."""

from dataclasses import replace

import numpy as np
import pytest

from gelu_verify.catalogue import function_or_expression, get_function
from gelu_verify.enclosures import working_precision
from gelu_verify.formats import FORMATS
from gelu_verify.references import derivative_ball
from gelu_verify.references.models import Model, cut, expand, upper, verify_model
from gelu_verify.references.partition import Planner, Smooth
from gelu_verify.references.spans import Span
from gelu_verify.sweep import oracle
from gelu_verify.sweep.oracle import Kernel

BINARY32 = FORMATS["binary32"]


def smooth_pieces(written: str, derivative: int, first: int) -> list[Smooth]:
    planner = Planner(function_or_expression(written).expression, derivative, BINARY32)
    return [piece for piece in planner.plan(Span(BINARY32, first, 1 << 23)) if isinstance(piece, Smooth)]


@pytest.mark.parametrize(
    ("written", "derivative", "first"),
    [
        ("gelu", 0, 0x3F800000),
        ("gelu", 0, 0xC0800000),  # the tail, which falls to 2^-60
        ("gelu", 1, 0xBF000000),  # a zero of the derivative lies here
        ("gelu", 2, 0x3F800000),
        ("gelu_tanh", 0, 0xC1000000),  # results become subnormal
        ("gelu_tanh", 1, 0x40000000),
        ("gelu_sigmoid", 2, 0xC0000000),
        ("mish", 0, 0x3E800000),
        ("erf", 0, 0x00000000),  # inputs are subnormal
        ("x*exp(-x**2)/(1 + x**2)", 1, 0x40000000),
    ],
)
def test_values_lie_within_the_bound_of_arb(written: str, derivative: int, first: int) -> None:
    expression = function_or_expression(written).expression
    kernel, generator = Kernel(), np.random.default_rng(11)
    for piece in smooth_pieces(written, derivative, first):
        part = int(generator.integers(0, len(piece.pieces.bound)))
        values = kernel.values(piece, part)
        bound, low, high = (float(known[part]) for known in (piece.pieces.bound, piece.pieces.low, piece.pieces.high))
        for index in [1, piece.part - 1, *generator.integers(1, piece.part, 6).tolist()]:
            with working_precision(160):
                exact = derivative_ball(expression, piece.span.point(part * piece.part + index), derivative)
                assert upper(exact - float(values[index])) <= bound
                assert low <= upper(exact) and abs(exact) <= high


@pytest.mark.parametrize("term", [0, 1, 2, 5])
def test_a_shifted_coefficient_is_caught(term: int) -> None:
    expression = get_function("gelu").expression
    model = expand(expression, 0, Span(BINARY32, 0x40000000, 1 << 21))
    assert model is not None
    verify_model(expression, 0, model)
    shifted = model.coefficients.copy()
    shifted[term] += 2.0**-42
    with pytest.raises(ArithmeticError, match="further from Arb's value than its bound"):
        verify_model(expression, 0, replace(model, coefficients=shifted))


def test_a_model_for_another_span_is_caught() -> None:
    expression = get_function("gelu").expression
    model = expand(expression, 0, Span(BINARY32, 0x40000000, 1 << 21))
    assert model is not None
    moved = replace(model, span=Span(BINARY32, 0x40200000, 1 << 21))
    with pytest.raises(ArithmeticError):
        verify_model(expression, 0, moved)


def test_a_widened_bound_puts_a_model_over_budget() -> None:
    """More uncertainty must never pass for less: such a model is not used for that span."""
    from gelu_verify.references.models import within_budget

    model = expand(get_function("gelu").expression, 0, Span(BINARY32, 0x40000000, 1 << 21))
    assert model is not None
    assert within_budget(model, cut(model, 32))
    for wider in (replace(model, remainder=2.0**-38), replace(model, coefficient_error=2.0**-38)):
        assert not within_budget(wider, cut(wider, 32))


def test_a_matrix_product_of_lower_precision_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    piece = smooth_pieces("gelu", 0, 0x3F800000)[0]
    kernel = Kernel()
    exact = np.matmul

    def rounded(left: object, right: object, out: np.ndarray) -> None:
        exact(left, right, out=out)
        out[:] = out.astype(np.float32)

    monkeypatch.setattr(np, "matmul", rounded)
    with pytest.raises(ArithmeticError, match="BLAS cannot be trusted"):
        kernel.values(piece, 0)


def test_a_wrong_matrix_product_of_integers_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = np.einsum
    monkeypatch.setattr(np, "einsum", lambda *arguments: real(*arguments) + 1)
    oracle._require_exact_products.cache_clear()
    with pytest.raises(ArithmeticError, match="not exact"):
        Kernel()


@pytest.mark.parametrize("chunks", [1, 4, 128])
def test_cutting_a_model_keeps_its_values(chunks: int) -> None:
    model = Model(Span(BINARY32, 0x3F800000, 1 << 23), np.array([1.5, -0.25, 0.125, 2.0**-9]), 0.0, 0.0)
    pieces = cut(model, chunks)
    for chunk in range(chunks):
        for t in (-1.0, 0.25, 1.0):
            place = (2 * chunk + 1 - chunks + t) / chunks
            value = np.polynomial.polynomial.polyval(t, pieces.coefficients[chunk])
            assert abs(value - model.at(place)[0]) <= pieces.bound[chunk]
