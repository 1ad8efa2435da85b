"""Every seeded fault is found and named by its kind; no right variant is blamed."""

import pytest

from gelu_verify.catalogue import function_or_expression
from gelu_verify.checks.case import Claim
from gelu_verify.checks.runner import Report, run_checks
from gelu_verify.faults import FAULTS, VARIANTS, Fault, Variant
from gelu_verify.formats import get_format
from gelu_verify.targets import InProcess


def checked(seeded: Fault | Variant, **allowed) -> Report:
    format = get_format(seeded.format)
    inputs = 2 if seeded.gated else 1
    target = InProcess(seeded.call, format, gradient=seeded.gradient, framework="numpy", inputs=inputs)
    claim = Claim(function_or_expression(seeded.function), format, seeded.derivative, **allowed)
    return run_checks(target, claim, gradient=seeded.gradient is not None, gated=seeded.gated)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=lambda fault: fault.id)
def test_a_seeded_fault_is_found_and_named(fault: Fault):
    findings = checked(fault).findings
    kinds = [finding.kind for finding in findings]
    assert fault.kind in kinds
    # Almost every naive formula also gives NaN at -inf, and is told so: the special values are compared one by one.
    assert set(kinds) <= {fault.kind, *fault.also, "special-value"}
    assert len(kinds) == len(set(kinds))
    for finding in findings:
        assert finding.message and finding.cause and "\n" not in finding.message + finding.cause
        assert finding.x is not None


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.id)
def test_a_right_variant_is_not_blamed(variant: Variant):
    allowed = {
        "max_ulp": variant.max_ulp,
        "flush_inputs": variant.flush_subnormals,
        "flush_outputs": variant.flush_subnormals,
    }
    assert checked(variant, **allowed).findings == []


def test_a_check_of_nothing_but_the_gradient_runs_all_of_it():
    seeded = FAULTS["clean_forward_nan_backward.binary32"]
    format = get_format(seeded.format)
    target = InProcess(seeded.call, format, gradient=seeded.gradient, framework="numpy")
    claim = Claim(function_or_expression(seeded.function), format)
    report = run_checks(target, claim, gradient=True, parts=["gradient"])
    assert report.forward is None and report.backward is not None
    assert "overflow" in [finding.kind for finding in report.findings]
