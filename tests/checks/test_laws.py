"""Laws between results: the reflection of a gate, and the direction on each piece where the function is monotone."""

from collections.abc import Callable

import numpy as np
import pytest

from gelu_verify.catalogue import function_or_expression
from gelu_verify.checks.case import Case, Claim, open_case
from gelu_verify.checks.findings import findings_of
from gelu_verify.checks.laws import explain_laws
from gelu_verify.checks.runner import run_checks
from gelu_verify.faults import get_fault
from gelu_verify.faults.correct import gelu_by_erfc, gelu_gradient, gelu_tanh_factored
from gelu_verify.formats import get_format
from gelu_verify.records import Finding
from gelu_verify.targets import InProcess

BINARY32 = get_format("binary32")


def case(call: Callable, function: str = "gelu", derivative: int = 0, format: str = "binary32", **limits) -> Case:
    chosen = get_format(format)
    return open_case(InProcess(call, chosen), Claim(function_or_expression(function), chosen, derivative, **limits))


def broken(call: Callable, function: str = "gelu", derivative: int = 0, **limits) -> list[str]:
    """Return what the laws alone say."""
    opened = case(call, function, derivative, **limits)
    explain_laws(opened)
    return [diagnosis.message for diagnosis in opened.found]


def violation(call: Callable, derivative: int = 0) -> Finding:
    claim = Claim(function_or_expression("gelu"), BINARY32, derivative)
    found = run_checks(InProcess(call, BINARY32), claim, parts=["accuracy"]).findings
    return next(finding for finding in found if finding.kind == "property-violation")


def bits(value: float) -> int:
    return int(np.float32(value).view(np.uint32))


def halves(x: np.ndarray) -> np.ndarray:
    return np.where(x < 0, gelu_by_erfc(x), gelu_tanh_factored(x))


def test_two_forms_on_two_halves_break_the_reflection():
    found = violation(halves)
    assert "f(x) - f(-x) = x is broken by 0.00047" in found.message
    assert found.cause.startswith("the half x > 0 is at fault") and found.follows
    mirrored = violation(lambda x: np.where(x > 0, gelu_by_erfc(x), gelu_tanh_factored(x)))
    assert mirrored.cause.startswith("the half x < 0 is at fault")


def test_the_reflection_of_the_derivative_is_broken_from_the_threshold_on_to_the_float():
    found = violation(get_fault("gradient_saturated.binary32").call, derivative=1)
    assert "f'(x) + f'(-x) = 1 is broken" in found.message
    assert found.regions[0].first == bits(3.1719)


def test_a_table_that_steps_back_is_found_between_two_neighbouring_floats():
    def stepping(x: np.ndarray) -> np.ndarray:
        right = gelu_by_erfc(x)
        return np.where((x >= 1.25) & (x < 1.75), right - np.float32(0.125), right).astype(x.dtype)

    (told,) = [message for message in broken(stepping) if "where" in message]
    assert told.startswith("falls from f(1.2499999) = 1.11793768 to f(1.25) = 0.992937803 ")
    assert told.endswith("where the function rises")


def test_a_slope_of_the_wrong_sign_is_told_from_end_to_end():
    def turning(x: np.ndarray) -> np.ndarray:
        return np.where(abs(x + 2) < 0.5, -gelu_by_erfc(x) - np.float32(0.1), gelu_by_erfc(x)).astype(x.dtype)

    (told,) = [message for message in broken(turning) if "where" in message]
    assert told.startswith("rises from f(-2.") and " to f(-1.5" in told and "where the function falls" in told


@pytest.mark.parametrize("format", ["binary32", "bfloat16", "binary16"])
@pytest.mark.parametrize(
    ("call", "function", "derivative"),
    [(gelu_by_erfc, "gelu", 0), (gelu_gradient, "gelu", 1), (gelu_tanh_factored, "gelu_tanh", 0)],
)
def test_a_right_implementation_keeps_every_law(call: Callable, function: str, derivative: int, format: str):
    opened = case(call, function, derivative, format)
    opened.over[:] = True  # even if it is looked at
    explain_laws(opened)
    assert opened.found == []


def test_a_cancelling_form_breaks_no_law_beyond_the_rounding_of_its_sum():
    for fault in ("one_plus_erf.binary32", "one_plus_erf.bfloat16", "reflected.binary32"):
        seeded = get_fault(fault)
        assert broken(seeded.call, seeded.function, format=seeded.format) == []


def test_an_error_within_the_budget_breaks_no_law():
    def off(x: np.ndarray) -> np.ndarray:
        return np.where((x > 1.25) & (x < 1.3), np.nextafter(gelu_by_erfc(x), np.float32(0)), gelu_by_erfc(x))

    assert broken(off) == []
    assert broken(halves, max_ulp=1e6) == []


def test_other_functions_have_laws_of_their_own():
    def tilted(x: np.ndarray) -> np.ndarray:
        return np.where(x > 2, np.tanh(x) * np.float32(0.875), np.tanh(x)).astype(x.dtype)

    assert any("f(-x) = -f(x) is broken" in message for message in broken(tilted, "tanh"))
    assert not any("is broken" in message for message in broken(lambda x: np.exp(2 * x), "exp"))


def test_a_law_says_nothing_new_of_another_function():
    seeded = get_fault("half_missing.binary32")
    claim = Claim(function_or_expression("gelu"), BINARY32)
    found = run_checks(InProcess(seeded.call, BINARY32), claim, parts=["accuracy"]).findings
    assert "property-violation" not in [finding.kind for finding in found]
    assert findings_of(case(gelu_by_erfc)) == []
