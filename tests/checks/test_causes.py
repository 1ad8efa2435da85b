"""What a finding gives as the cause is true of the code: thresholds, sums, clamps and curves are told apart."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gelu_verify.catalogue import function_or_expression
from gelu_verify.checks.case import Claim
from gelu_verify.checks.onsets import overflow_cause
from gelu_verify.checks.runner import run_checks
from gelu_verify.faults import get_fault
from gelu_verify.faults.correct import gelu_by_erfc, gelu_gradient
from gelu_verify.faults.elementary import SQRT_HALF, constants, erf, erfc, exp
from gelu_verify.formats import get_format
from gelu_verify.records import Finding
from gelu_verify.targets import InProcess

Array = np.ndarray[Any, Any]


def findings(
    call: Callable[[Array], Array], function: str = "gelu", format: str = "binary32", derivative: int = 0, **limits: Any
) -> dict[str, Finding]:
    chosen = get_format(format)
    claim = Claim(function_or_expression(function), chosen, derivative, **limits)
    found = run_checks(InProcess(call, chosen, framework="numpy"), claim, parts=["accuracy"]).findings
    return {finding.kind: finding for finding in found}


def of_fault(fault: str) -> dict[str, Finding]:
    seeded = get_fault(fault)
    return findings(seeded.call, seeded.function, seeded.format, seeded.derivative)


@pytest.mark.parametrize(
    ("fault", "edge"),
    [
        ("zero_from_minus_8.binary32", "-8.000001"),
        ("zero_from_minus_5_in_half.binary16", "-5.0"),
        ("saturated_at_4.binary64", "-4.0"),
    ],
)
def test_zeros_beside_right_results_are_a_threshold_however_small_the_right_values(fault: str, edge: str):
    found = of_fault(fault)
    assert set(found) == {"coarse-approximation"}
    assert found["coarse-approximation"].message.startswith("returns zero, for ")
    assert f"<= x <= {edge}" in found["coarse-approximation"].message


@pytest.mark.parametrize(
    "fault", ["one_plus_erf.binary32", "elu_by_exp.binary32", "elu_by_tanh.binary32", "elu_by_tanh.binary64"]
)
def test_zeros_of_a_sum_are_no_threshold(fault: str):
    found = of_fault(fault)
    assert set(found) == {"cancellation"}
    assert "cancel" in found["cancellation"].cause


@pytest.mark.parametrize("format", ["binary32", "bfloat16"])
def test_a_clamped_gate_is_told_by_the_multiple_of_x_that_it_leaves(format: str):
    found = of_fault(f"exponential_clamped_at_20.{format}")["coarse-approximation"]
    assert found.message.startswith("stays at 2.061") and " times x, for x <= -20." in found.message
    assert found.cause == "the argument of the gate is clamped too close to zero"
    if format == "binary32":
        assert found.message.endswith("-20.000002")  # the first float whose exponential is clamped


def test_a_zero_tail_beside_a_coarse_fit_is_a_region_of_its_own():
    pieces = of_fault("polynomial_of_degree_15.binary32")["coarse-approximation"].message.split("; ")
    assert any(piece.startswith("returns zero, for -14.") and piece.endswith("<= x <= -5.5") for piece in pieces)


def test_in_16_bits_a_curve_is_told_from_the_rounding_of_an_argument():
    """Both err by dozens of ulp in the tail; only one of them errs without a pattern."""

    def rounded(x: Array) -> Array:
        half, scale = constants(x, 0.5, SQRT_HALF)
        return half * x * erfc(-x * scale)

    assert "coarse-approximation" in of_fault("erf_by_winitzki.binary16")
    assert "an argument is rounded" in findings(rounded, format="binary16")["accuracy"].cause
    assert set(of_fault("factor_2_for_3.bfloat16")) == {"wrong-derivative"}


@pytest.mark.parametrize(
    ("function", "wide"),
    [
        ("gelu", lambda x: x / 2 * (1 + erf(x / np.sqrt(2)))),
        ("gelu_tanh", lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
        ("silu", lambda x: x * (1 - 1 / (1 + np.exp(np.clip(x, -700, 700))))),
    ],
)
def test_a_sum_in_binary64_cancels_too_although_its_results_are_rounded_to_binary32(
    function: str, wide: Callable[[Array], Array]
):
    found = findings(lambda x: wide(x.astype(float)).astype(x.dtype), function)
    assert set(found) == {"cancellation"} and "cancels for negative x" in found["cancellation"].cause
    assert "the result is zero from x = -" in found["cancellation"].message


def test_an_argument_rounded_far_out_is_not_said_to_cancel():
    def by_float_arguments(x: Array) -> Array:
        return np.float32(0.5) * x * erfc((-x * np.float32(SQRT_HALF)).astype(float)).astype(x.dtype)

    assert set(findings(by_float_arguments)) == {"accuracy"}


def test_a_callable_that_wants_more_than_its_inputs_is_told_how_to_give_it():
    def wants_more(x: Array, *, approximate: str) -> Array:
        return x

    found = findings(wants_more)["exception"]
    assert "functools.partial" in found.cause and "missing 1 required keyword-only argument" in found.message


def test_in_16_bits_a_sum_is_told_from_a_curve_by_its_quanta():
    for format in ("binary16", "bfloat16"):
        assert set(of_fault(f"one_plus_erf.{format}")) == {"cancellation"}


def test_a_smooth_error_of_binary64_is_no_noise_of_a_lower_precision():
    found = of_fault("x_before_the_density_missing.binary64")
    assert "wrong-derivative" in found and "low-precision-intermediate" not in found


def test_a_gate_cut_off_with_its_exponential_is_not_said_to_cancel():
    def cut_off(x: Array) -> Array:
        return np.where((x < 0) & (x * x > 2 * 709.782712893384), np.asarray(-0.0, x.dtype), gelu_by_erfc(x))

    format = get_format("binary64")
    for domain in ({}, {"first": format.round(-38), "last": format.round(-10)}):
        (found,) = findings(cut_off, format="binary64", max_ulp=3000, **domain).values()
        assert found.kind == "overflow" and found.message.startswith("gives zero")
        assert "or its reciprocal is cut off to zero" in found.cause
        assert found.regions[-1].last == format.round(-37.677120720495196)
    assert found.regions[0].first == format.round(-38)  # the domain's own end


def test_a_factor_that_underflows_is_no_flush_of_results():
    def early(x: Array) -> Array:
        gate = exp(np.minimum(x, 0)) / (1 + exp(-abs(x)))
        return x * np.where(x < 0, gate, 1 / (1 + exp(-abs(x)))).astype(x.dtype)

    (found,) = findings(early, "silu", "bfloat16").values()
    assert found.kind == "subnormal-flush" and "a factor such as e^x becomes zero" in found.cause
    assert "flush-to-zero mode" in of_fault("outputs_flushed.bfloat16")["subnormal-flush"].cause


def test_subnormal_results_of_binary64_are_flushed_from_the_first_float_on():
    def flushed(x: Array) -> Array:
        right = gelu_by_erfc(x)
        return np.where(abs(right) < 2.0**-1022, np.copysign(np.asarray(0, x.dtype), x), right)

    (found,) = findings(flushed, format="binary64", max_ulp=3000).values()
    assert found.kind == "subnormal-flush"
    edge = get_format("binary64").exact(found.regions[0].last)
    right = gelu_by_erfc(np.array([float(edge), np.nextafter(float(edge), 0)]))
    assert abs(right[0]) < 2.0**-1022 <= abs(right[1])


def test_small_inputs_lost_in_a_square_are_no_threshold_of_the_tail():
    def squared(x: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.where(abs(x) < 1e-15, x * x * np.float32(0.5) / x, gelu_by_erfc(x))

    assert "small inputs are lost" in findings(squared)["coarse-approximation"].cause


def test_a_half_that_is_nowhere_near_is_another_function():
    def odd_gate(x: Array) -> Array:
        wide = x.astype(np.float64)
        return np.where(x < 0, wide * np.tanh(wide), gelu_by_erfc(wide)).astype(x.dtype)

    assert findings(odd_gate)["wrong-form"].message.startswith("is another function than gelu, and none of the")


def test_the_square_of_a_hyperbolic_cosine_overflows_later_than_its_exponential():
    binary32 = get_format("binary32")
    assert overflow_cause(binary32, 10.1202307).startswith("cosh(u)^2 overflows, u = ")
    assert overflow_cause(binary32, 10.0609646).startswith("e^(2u) overflows, u = ")


def test_a_plateau_around_a_maximum_is_no_clamp_of_a_wrong_derivative():
    def clamped(x: Array) -> Array:
        return np.clip(gelu_gradient(x), *constants(x, -0.0625, 1))

    assert set(of_fault("x_before_the_density_missing.binary16")) == {"wrong-derivative"}
    assert "returns the constant" in findings(clamped, format="binary16", derivative=1)["coarse-approximation"].message


def test_a_smooth_erf_is_judged_by_its_curve_beside_other_faults():
    """A second fault hides nothing: what is left is still no sum that cancels."""

    def broken(x: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.where(x > 1e30, np.float32(np.inf), get_fault("abramowitz_stegun_7_1_28.binary32").call(x))

    assert set(findings(broken)) >= {"overflow", "coarse-approximation"}
    assert "cancellation" not in findings(broken)
    assert "cancellation" in findings(lambda x: x * (0.5 + 0.5 * erf(x * SQRT_HALF)))


def test_a_threshold_to_zero_reaches_as_far_as_zero_is_wrong():
    """Not as far as it is grossly wrong: the outer edge is the last float at which zero is over the budget."""
    binary32 = get_format("binary32")
    (region,) = of_fault("zero_from_minus_8.binary32")["coarse-approximation"].regions
    x = np.array([region.first, region.first + 1], np.uint32).view(np.float32).astype(np.float64)
    errors = abs(0.5 * x * erfc(-x * SQRT_HALF)) / 2.0 ** (binary32.emin - binary32.fraction_bits)
    assert errors[0] > 4 >= errors[1]


def test_powers_beyond_binary64_are_compared_by_their_logarithms():
    binary64 = get_format("binary64")
    assert overflow_cause(binary64, 1.3407807929942596e154) == "x^2 overflows"
    assert overflow_cause(binary64, 5.6e102) == overflow_cause(binary64, 1e200) == ""
    assert overflow_cause(binary64, 1.157920892373162e77) == "x^4 overflows"


def test_what_to_do_about_an_overflow_depends_on_what_overflows():
    """An exponential of the negative magnitude does not help where a product or a power of x overflows."""

    def doubled(x: Array) -> Array:
        with np.errstate(over="ignore"):
            return x * (1 + erf(x * SQRT_HALF)) * np.float32(0.5)

    assert findings(doubled)["overflow"].cause == "2x overflows: multiply by 1/2 before the other factor, not after it"
    powers = of_fault("infinity_times_zero.binary32")["overflow"].cause
    assert powers.startswith("x^2 overflows: clamp x before its powers are taken")
    assert "exponential of the negative magnitude" in of_fault("tanh_by_doubled_exponential.binary32")["overflow"].cause


def test_zeros_of_a_whole_side_are_no_small_inputs_that_are_lost():
    def relu6(x: Array) -> Array:
        return np.minimum(np.maximum(x, 0), 6).astype(x.dtype)

    found = findings(relu6)["coarse-approximation"]
    assert found.message.startswith("returns zero, for -14.") and "a threshold to zero" in found.cause


def test_a_function_of_no_name_is_not_said_to_overflow():
    found = of_fault("selu_for_gelu.binary32")
    assert found["wrong-form"].message.startswith("is another function than gelu, and none of the catalogue")
    assert all(region.first >= get_format("binary32").round(3.2e38) for region in found["overflow"].regions)
