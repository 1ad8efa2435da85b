"""Implementations are known by what they compute, and their constants by what was typed."""

import numpy as np
import pytest

from gelu_verify.catalogue import FUNCTIONS, get_function, parse
from gelu_verify.catalogue.evaluators import arb_taylor
from gelu_verify.checks.probes import probes
from gelu_verify.faults import get_fault
from gelu_verify.formats import FORMATS, get_format
from gelu_verify.formats.arrays import native_dtype, round_float64, to_float64
from gelu_verify.identify import Identification, explain, identify
from gelu_verify.identify.constants import constant_value, name_constant, remark, shortest_decimal
from gelu_verify.identify.fitting import Fit, fit
from gelu_verify.identify.float64 import value_and_slope
from gelu_verify.identify.models import SCALED_GELU, Model, agreement
from gelu_verify.identify.rivals import rivals


def results(function: str, format: str) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs and correctly rounded results."""
    chosen = get_format(format)
    x = to_float64(chosen, probes(chosen))
    exact = value_and_slope(get_function(function).expression, x)[0]
    return x, to_float64(chosen, round_float64(chosen, exact))


def identified(fault: str) -> Identification:
    seeded = get_fault(fault)
    format = get_format(seeded.format)
    bits = probes(format)
    with np.errstate(all="ignore"):
        got = seeded.call(bits.view(native_dtype(format)))
    return identify(format, to_float64(format, bits), got.astype(np.float64), seeded.derivative)


@pytest.mark.parametrize("format", ["binary16", "bfloat16", "binary32", "binary64"])
@pytest.mark.parametrize("function", ["gelu", "gelu_tanh", "gelu_sigmoid", "silu", "relu", "mish", "Phi", "tanh"])
def test_a_correctly_rounded_function_is_recognised_in_every_format(function: str, format: str):
    x, got = results(function, format)
    found = identify(get_format(format), x, got)
    assert found.settled
    assert (found.best[0].model.name, dict(found.best[0].model.constants)) == (function, {})
    assert str(explain(get_format(format), get_function(function), 0, x, got)) == function


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        ("cubic_0_044175.binary32", "gelu_tanh with c = 0.044175"),
        ("cubic_0_047715.binary32", "gelu_tanh with c = 0.047715"),
        ("cubic_0_47715.binary32", "gelu_tanh with c = 0.47715"),
        ("cubic_0_04715.binary32", "gelu_tanh with c = 0.04715"),
        ("cubic_0_0047715.binary32", "gelu_tanh with c = 0.0047715"),
        ("cubic_bracketed.binary32", "gelu_tanh with c = 0.044715**3"),
        ("cubic_by_taylor.binary32", "gelu_tanh with c = (4-pi)/(6*pi)"),
        ("scale_2_over_sqrt_pi.binary32", "gelu_tanh with a = 2/sqrt(pi)"),
        ("six_digit_constants.binary32", "gelu_tanh with a = 0.797885, b = 0.035677"),
        ("sigmoid_1_773.binary32", "gelu_sigmoid with k = 1.773"),
        ("half_missing.binary32", "gelu with factor = 2"),
        ("leaky_relu_slope_0_1.binary32", "leaky_relu with slope = 0.1"),
        ("exact_for_tanh.binary32", "gelu"),
        ("silu_for_gelu.bfloat16", "silu"),
        ("cdf_for_gelu.binary32", "Phi"),
        ("cubic_not_scaled.binary32", "gelu_tanh with b = 0.044715"),
        ("sigmoid_of_u.binary32", "gelu_tanh with a = 1/sqrt(2*pi)"),
        ("constants_in_bfloat16.binary32", "gelu_tanh with a = 0.796875, c = 0.044677734375"),
        ("division_by_sqrt_2_missing.binary32", "gelu with s = sqrt(2)"),
        ("cubic_0_04475.binary16", "gelu_tanh with c = 0.04475"),
        ("cubic_0_04475.bfloat16", "gelu_tanh with c = 0.04475"),
        ("scale_0_8.bfloat16", "gelu_tanh with a = 0.8"),
        ("half_typed_0_05.binary32", "gelu with factor = 0.1"),
        ("gain_1_7015.binary32", "gelu with factor = 1.7015043"),
        ("tanh_gradient_for_exact.binary32", "the derivative of gelu_tanh"),
        ("gradient_with_0_044175.binary32", "the derivative of gelu_tanh with c = 0.044175"),
    ],
)
def test_a_typed_constant_comes_back_as_it_was_typed(fault: str, name: str):
    seeded = get_fault(fault)
    format = get_format(seeded.format)
    bits = probes(format)
    with np.errstate(all="ignore"):
        got = seeded.call(bits.view(native_dtype(format))).astype(np.float64)
    claim = get_function(seeded.function)
    assert str(explain(format, claim, seeded.derivative, to_float64(format, bits), got)) == name


def test_a_fitted_constant_is_within_a_millionth_of_the_typed_one():
    x, _ = results("gelu", "binary32")
    x = x[(abs(x) > 0.02) & (abs(x) < 8)]
    for divisor in (1.41421, 1.4142, 2.0):
        member = SCALED_GELU.with_constants(s=f"{constant_value('sqrt(2)') / divisor:.15f}")
        got = value_and_slope(member.expression, x)[0].astype(np.float32).astype(np.float64)
        found = fit(SCALED_GELU, 0, x, got, abs(x) * 2.0**-24)
        assert found is not None
        assert abs(found.constants["s"] - np.sqrt(2) / divisor) < 1e-8


@pytest.mark.parametrize("family", ["gelu_scaled", "gelu_sigmoid", "gelu_tanh", "gelu_tanh2"])
@pytest.mark.parametrize("end", [5e-324, 1e-310, 1e-150, 5, 1e150, 1.7e308])
def test_a_fit_to_what_is_not_of_the_family_ends_without_an_error_at_any_size(family: str, end: float):
    x = end * np.linspace(-1, 1, 101)
    chosen = SCALED_GELU if family == "gelu_scaled" else get_function(family)
    for got in (x * 0, x / 3, (x > 0) * 1.0, np.cos(np.arange(101)), np.full(101, 1.7e308)):
        for start in (None, *(Fit(dict.fromkeys(chosen.constants, c), {}) for c in (5e-324, 1e300, np.inf, np.nan))):
            for noise in (5e-324, 1e-7, 1e300):
                found = [fit(chosen, derivative, x, got, np.full(101, noise), start) for derivative in (0, 1)]
                assert all(np.all(np.isfinite([*each.constants.values()])) for each in found if each)


def test_what_is_none_of_the_functions_is_called_none_and_the_nearest_is_named():
    found = identified("hard_swish_for_gelu.binary32")
    assert not found.settled
    assert found.best[0].max_abs <= min(agreement.max_abs for agreement in found.best)
    relu_like = identified("constants_exchanged.binary32")
    assert relu_like.best[0].model.name == "relu"


def test_a_right_cancelling_implementation_keeps_its_name():
    for fault in ("one_plus_erf.binary32", "naive_tanh.binary32", "naive_tanh.bfloat16", "one_plus_erf.binary16"):
        seeded = get_fault(fault)
        assert identified(fault).best[0].model.name in (seeded.function, "gelu", "gelu_tanh")
        format = get_format(seeded.format)
        bits = probes(format)
        with np.errstate(all="ignore"):
            got = seeded.call(bits.view(native_dtype(format))).astype(np.float64)
        assert str(explain(format, get_function(seeded.function), 0, to_float64(format, bits), got)) == seeded.function


def test_binary64_evaluation_agrees_with_arb_wherever_formats_of_32_bits_are_judged_by_it():
    x = to_float64(FORMATS["binary32"], probes(FORMATS["binary32"]))[::97]
    for function in FUNCTIONS.values():
        value, slope = value_and_slope(function.expression, x)
        for place, point in enumerate(x.tolist()):
            exact = arb_taylor(function.expression, point, 1)
            for got, ball in zip((value[place], slope[place]), exact, strict=True):
                right = float(ball)
                # Only what is in the range of binary32 has to be close.
                if 2.0**-160 < abs(right) < 2.0**130:
                    assert abs(got - right) <= 2.0**-40 * abs(right), (function.name, point)


def test_constants_are_named_by_expression_or_shortest_decimal():
    assert name_constant(0.7978845, 1e-6, "sqrt(2/pi)") == "sqrt(2/pi)"
    assert name_constant(1e-9, 1e-8, "0.044715") == "0"
    assert name_constant(0.04467773, 1e-8, "0.044715") == "0.044677734375"
    assert shortest_decimal(0.044715001, 1e-8) == "0.044715"
    assert constant_value("2/sqrt(pi)") == pytest.approx(1.1283791670955126)
    assert parse(name_constant(1.2533141373, 1e-9, "sqrt(2/pi)")) == parse("sqrt(pi/2)")


def test_forms_that_few_bits_do_not_tell_apart_are_both_named():
    x, got = results("gelu", "e5m2")
    found = identify(get_format("e5m2"), x, got)
    assert found.settled and found.name.startswith("gelu or gelu_tanh")
    assert len(found.tied) == found.name.count(" or ") + 1
    assert found.best[: len(found.tied)] == found.tied


@pytest.mark.parametrize("function", ["gelu", "gelu_tanh"])
def test_careless_results_in_eight_bits_still_tell_the_form(function: str):
    format, (x, exact) = get_format("bfloat16"), results(function, "bfloat16")
    unit = 2.0**-8 * abs(x) * np.where(np.arange(x.size) % 3, 0.0, np.where(np.arange(x.size) % 2, 1, -1))
    found = identify(format, x, to_float64(format, round_float64(format, exact + unit)))
    assert found.name == function and found.tied[0].careful < 0.98 <= found.tied[0].careless


def test_of_two_explanations_the_better_must_be_right_clearly_more_often():
    format, (x, got) = get_format("bfloat16"), results("gelu", "bfloat16")
    candidates = [agreement(Model(name, get_function(name)), x, got, 2.0**-7, 0.0) for name in ("gelu_tanh", "gelu")]
    keep = np.flatnonzero((abs(x) > 0.5) & (abs(x) < 3))
    differ = keep[round_float64(format, values("gelu_tanh", x[keep])) != round_float64(format, values("gelu", x[keep]))]
    names = [
        [each.model.name for each in rivals(format, candidates, x[some], got[some])]
        for some in (differ[:16], differ[:17])
    ]
    assert names == [["gelu", "gelu_tanh"], ["gelu"]]  # n of n is clear from n > 4 sqrt(n) on


def values(function: str, x: np.ndarray) -> np.ndarray:
    return value_and_slope(get_function(function).expression, x)[0]


def test_a_derivative_by_one_minus_the_square_of_a_rough_tanh_is_known_all_the_same():
    """Two ulps of tanh, which compilers of accelerators allow themselves, times x u' = 15: 3e-6 away in binary32."""
    format = get_format("binary32")
    bits = probes(format)
    x = bits.view(np.float32)
    with np.errstate(all="ignore"):
        u = np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x)
        t = np.tanh(u)
        rough = (t.view(np.int32) + np.where(abs(t) < 1, np.arange(t.size) % 5 - 2, 0).astype(np.int32)).view(
            np.float32
        )
        slope = np.float32(0.7978845608) * (1 + np.float32(3 * 0.044715) * x * x)
        got = np.float32(0.5) * (1 + rough) + np.float32(0.5) * x * (1 - rough * rough) * slope
    results = to_float64(format, bits), got.astype(np.float64)
    assert identify(format, *results, 1).name == "the derivative of gelu_tanh"
    assert str(explain(format, get_function("gelu_tanh"), 1, *results)) == "the derivative of gelu_tanh"


def test_a_factor_is_fitted_and_told_without_a_claim():
    assert identified("gain_1_7015.binary32").name == "gelu with factor = 1.7015043"
    assert identified("half_missing.binary32").name == "gelu with factor = 2"


def test_a_gate_twice_as_steep_is_fitted_through_the_subnormal_results_of_its_tail():
    x, _ = results("gelu", "binary32")
    steep = SCALED_GELU.with_constants(s="2")
    binary32 = get_format("binary32")
    got = to_float64(binary32, round_float64(binary32, value_and_slope(steep.expression, x)[0]))
    assert identify(binary32, x, got).name == "gelu with s = 2"


def test_in_16_bits_a_model_must_be_right_nearly_wherever_the_claim_rounds_otherwise():
    """A claim computed with errors of its own is not taken for another function."""
    format = get_format("bfloat16")
    x = to_float64(format, probes(format))
    claim = get_function("gelu_tanh")
    off = value_and_slope(claim.expression, x)[0] * (1 + 2.0**-8 * np.sin(1e6 * x))
    found = explain(format, claim, 0, x, to_float64(format, round_float64(format, off)))
    assert str(found) == "gelu_tanh"


def test_a_constant_says_where_it_was_stored_and_what_it_should_be():
    assert (
        remark("c", name_constant(0.044677734375, 1e-9, "0.044715"), "0.044715") == "c is 0.044715 rounded to bfloat16"
    )
    kept = float(np.float32(np.sqrt(2 / np.pi)))
    assert remark("a", name_constant(kept, 1e-15, "sqrt(2/pi)"), "sqrt(2/pi)") == "a is sqrt(2/pi) rounded to binary32"
    stored = np.format_float_positional(float(np.float32(np.sqrt(0.5))) * np.sqrt(2))
    assert remark("s", stored, "1") == "under erf, 1/sqrt(2) is rounded to binary32"
    assert remark("b", "0.044715", "0.044715*sqrt(2/pi)").endswith("0.044715*sqrt(2/pi) = 0.0356774081")


def test_code_of_a_format_may_store_its_constants_there_and_nothing_else():
    """x Phi(x) with 1/sqrt(2) rounded to binary16, and the right function otherwise, is what such code is."""
    binary16 = get_format("binary16")
    x = to_float64(binary16, probes(binary16))
    half = float(np.float16(np.sqrt(0.5)))
    stored = SCALED_GELU.with_constants(s=f"{half}*sqrt(2)")
    got = to_float64(binary16, round_float64(binary16, value_and_slope(stored.expression, x)[0]))
    (found,) = identify(binary16, x, got).tied
    assert found.model.name == "gelu" and found.model.is_stored_in(binary16)
    assert found.model.remarks() == "under erf, 1/sqrt(2) is rounded to bfloat16 or binary16"
    for constants in ({"s": "0.999"}, {"s": "1.01"}, {"factor": "2"}, {"c": "0.044175"}):
        assert not Model("gelu", SCALED_GELU, constants).is_stored_in(binary16)
    assert Model("gelu_tanh", FUNCTIONS["gelu_tanh"], {"c": "0.0447083"}).is_stored_in(binary16) is False
    assert Model("gelu_sigmoid", FUNCTIONS["gelu_sigmoid"], {"k": "1.7021484375"}).is_stored_in(binary16)


def test_in_16_bits_constants_are_told_without_a_claim_too():
    for format in ("binary16", "bfloat16"):
        assert identified(f"cubic_0_04475.{format}").name == "gelu_tanh with c = 0.04475"


def test_a_multiple_of_a_function_is_no_nearest_function():
    found = identified("hard_swish_for_gelu.binary32")
    assert not found.settled and all("factor" not in agreement.model.constants for agreement in found.best)
