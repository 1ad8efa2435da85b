"""What a finding says of real libraries' ways to err: not more than is true, and with a witness that shows it."""

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import erf

from gelu_verify.catalogue import function_or_expression, get_function
from gelu_verify.checks.case import Claim
from gelu_verify.checks.exhaustive import add_exhaustive_findings
from gelu_verify.checks.runner import run_checks
from gelu_verify.faults import FAULTS, get_fault
from gelu_verify.faults.correct import gelu_by_erfc as exact_gelu_by_erfc
from gelu_verify.faults.correct import gelu_gradient
from gelu_verify.formats import FORMATS, get_format
from gelu_verify.records import Finding
from gelu_verify.sweep import Policy, sweep
from gelu_verify.targets import InProcess

BINARY32 = FORMATS["binary32"]
Floats = npt.NDArray[np.float32]


def exact_gelu(x: Floats) -> Floats:
    wide = x.astype(np.float64)
    return np.asarray(0.5 * wide * (1 + erf(wide * np.sqrt(0.5))), np.float32)


def erf_of_a_hastings_formula(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Formula 7.1.26 of Abramowitz and Stegun: within 1.5e-7 of erf, in vector code to this day."""
    t = 1 / (1 + 0.3275911 * abs(x))
    tail = t * np.polyval([1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592], t) * np.exp(-x * x)
    return np.asarray(np.sign(x) * (1 - tail))


def gradient_by_a_coarse_erf(x: Floats) -> Floats:
    wide = x.astype(np.float64)
    density = np.exp(-0.5 * wide * wide) / np.sqrt(2 * np.pi)
    return np.asarray(0.5 * (1 + erf_of_a_hastings_formula(wide * np.sqrt(0.5))) + wide * density, np.float32)


def gradient_without_half_its_density(x: Floats) -> Floats:
    wide = x.astype(np.float64)
    density = np.exp(-0.5 * wide * wide) / np.sqrt(2 * np.pi)
    return np.asarray(0.5 * (1 + erf(wide * np.sqrt(0.5))) + 0.5 * wide * density, np.float32)


def overflows_in_vectors_only(x: Floats) -> Floats:
    result = exact_gelu(x)
    whole = len(x) - len(x) % 16
    result[:whole][x[:whole] >= 2.0**127] = np.inf
    return result


def found(call, gradient=None, function: str = "gelu", derivative: int = 0, **limits) -> dict[str, Finding]:
    target = InProcess(call, BINARY32, gradient=gradient, framework="numpy")
    report = run_checks(
        target, Claim(function_or_expression(function), BINARY32, derivative, **limits), gradient=gradient is not None
    )
    return {finding.kind: finding for finding in report.findings}


def test_a_gradient_by_a_coarse_erf_is_no_wrong_derivative_and_one_that_lacks_a_factor_is() -> None:
    coarse = found(exact_gelu, gradient_by_a_coarse_erf)
    assert "wrong-derivative" not in coarse
    assert coarse["coarse-approximation"].backward
    assert "wrong-derivative" in found(exact_gelu, gradient_without_half_its_density)


def test_the_witness_of_a_fault_of_vector_code_shows_the_fault() -> None:
    finding = found(overflows_in_vectors_only)["overflow"]
    assert finding.x == BINARY32.round(2**127)
    assert finding.got == BINARY32.infinity


def test_each_piece_is_told_with_its_own_regions() -> None:
    """Zero on one side and the input on the other are two truths: neither holds in the region of the other."""
    message = found(get_fault("saturated_at_4.binary32").call)["coarse-approximation"].message
    zero, identity = message.split("; ")
    assert zero.startswith("returns zero, for -14.") and zero.endswith(" <= x <= -4.0")
    assert identity.startswith("returns its input, for 4.0 <= x <= 4.9")


def test_a_threshold_is_found_to_the_float_however_wide_the_budget() -> None:
    def clamped(x: Floats) -> Floats:
        return np.where(x < -8, np.float32(-0.0), exact_gelu_by_erfc(x))

    finding = found(clamped, max_ulp=3000)["coarse-approximation"]
    assert finding.message.startswith("returns zero") and finding.message.endswith("<= x <= -8.000001")


def test_a_wrong_value_of_the_derivative_at_zero_is_no_lost_sign() -> None:
    for value in (0.0, 1.0):
        told = found(lambda x, value=value: np.where(x == 0, np.float32(value), gelu_gradient(x)), derivative=1)
        assert told["special-value"].cause.startswith("the value at zero is not the function's")


def test_a_factor_in_a_backward_pass_is_a_wrong_derivative() -> None:
    told = found(lambda x: gelu_gradient(x) * np.float32(0.5), derivative=1)
    assert told["wrong-derivative"].message.startswith("is the derivative of gelu times 0.5")


def test_a_rounded_log2_e_is_a_wrong_constant_of_silu() -> None:
    finding = found(get_fault("log2_e_1_44.binary32").call, function="silu")["wrong-constant"]
    assert finding.message.startswith("computes silu with k = 0.998132") and finding.cause.endswith("should be 1")


@pytest.mark.parametrize("fault", ["last_element_left_out", "odd_places_by_other_routine", "neighbours_mixed"])
def test_what_depends_on_the_place_alone_is_no_fault_of_the_formula(fault: str) -> None:
    """Neither on sampled inputs nor on every one: each input is right somewhere in an array."""
    (seeded,) = [seeded for seeded in FAULTS.values() if seeded.call.__name__ == fault]
    format = get_format(seeded.format)
    target = InProcess(seeded.call, format, framework="numpy")
    report = run_checks(target, Claim(get_function("gelu"), format))
    kinds = {finding.kind for finding in report.findings}
    assert "path-dependence" in kinds <= {"path-dependence", "special-value"}
    if format.width == 16:
        swept = sweep(seeded.call, get_function("gelu"), format, workers=1, policy=Policy(4))
        assert swept.errors.counts["over_limit"]
        add_exhaustive_findings(target, report, swept.errors)
        assert {finding.kind for finding in report.findings} == kinds


def test_a_fault_of_the_formula_is_told_beside_one_of_the_place() -> None:
    def both(x: Floats) -> Floats:
        right = np.where(x < -3, np.float32(-0.0), exact_gelu_by_erfc(x))
        return np.where(np.arange(x.size).reshape(x.shape) % 2 == 1, right * np.float32(1.01), right)

    assert {"coarse-approximation", "path-dependence"} <= set(found(both))
