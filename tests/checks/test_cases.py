"""Faults that people shipped, reduced to their numbers: each is found, named, and its onset is right to the float."""

import math
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from gelu_verify.catalogue import get_function
from gelu_verify.checks.case import Claim
from gelu_verify.checks.differences import difference_finding
from gelu_verify.checks.findings import findings_of
from gelu_verify.checks.runner import Report, run_checks
from gelu_verify.faults import FAULTS, get_fault
from gelu_verify.faults.correct import gelu_by_erfc
from gelu_verify.faults.elementary import elementwise
from gelu_verify.formats import get_format
from gelu_verify.formats.arrays import all_bits, native_dtype, to_float64
from gelu_verify.records import Finding
from gelu_verify.sweep import Interval
from gelu_verify.sweep.differences import compare
from gelu_verify.targets import InProcess, IsolatedTarget, parse_target


def report(fault: str, **allowed) -> Report:
    seeded = get_fault(fault)
    format = get_format(seeded.format)
    target = InProcess(seeded.call, format, gradient=seeded.gradient, framework="numpy", inputs=1 + seeded.gated)
    from gelu_verify.catalogue import function_or_expression

    claim = Claim(function_or_expression(seeded.function), format, seeded.derivative, **allowed)
    return run_checks(target, claim, gradient=seeded.gradient is not None, gated=seeded.gated)


def finding(fault: str, kind: str) -> Finding:
    return next(found for found in report(fault).findings if found.kind == kind)


def value(fault: str, bits: int | None) -> float:
    assert bits is not None
    format = get_format(get_fault(fault).format)
    return float(to_float64(format, [bits])[0])


def applied(fault: str, *x: float) -> list[float]:
    seeded = get_fault(fault)
    with np.errstate(all="ignore"):
        return seeded.call(np.array(x).astype(native_dtype(get_format(seeded.format)))).astype(float).tolist()


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("one_plus_erf.binary32", "cancellation"),
        ("one_plus_erf.binary64", "cancellation"),
        ("naive_tanh.binary32", "cancellation"),
        ("naive_tanh.bfloat16", "cancellation"),
        ("tanh_by_doubled_exponential.binary32", "overflow"),
        ("tanh_by_two_exponentials.binary32", "overflow"),
        ("tanh_clamped_wrongly.binary32", "overflow"),
        ("infinity_lost_in_vectors.binary32", "special-value"),
        ("infinity_lost_in_vectors.binary32", "path-dependence"),
        ("erfc_form_at_minus_infinity.binary32", "special-value"),
        ("nan_swallowed.binary32", "special-value"),
        ("identity_at_one_input.bfloat16", "coarse-approximation"),
        ("polynomial_of_degree_15.binary32", "coarse-approximation"),
        ("polynomial_of_degree_15.binary32", "special-value"),
        ("six_segments.binary32", "property-violation"),
        ("six_segments.binary32", "special-value"),
        ("half_precision_table.binary32", "low-precision-intermediate"),
        ("tanh_above_one.binary16", "property-violation"),
        ("outputs_flushed.bfloat16", "subnormal-flush"),
        ("divisor_1_41421.binary32", "wrong-constant"),
        ("six_digit_constants.binary32", "wrong-constant"),
        ("integer_polynomial_erf.binary32", "coarse-approximation"),
        ("abramowitz_stegun_7_1_26.binary32", "coarse-approximation"),
        ("odd_continuation.binary32", "property-violation"),
        ("erf_above_one.binary32", "property-violation"),
        ("square_overflows.binary16", "overflow"),
        ("infinity_times_zero.binary32", "overflow"),
        ("gradient_by_rounded_parts.bfloat16", "cancellation"),
        ("gradient_saturated.binary32", "coarse-approximation"),
        ("sigmoid_forward_tanh_backward.binary32", "forward-backward-mismatch"),
        ("sech_for_sech_squared.binary32", "wrong-derivative"),
        ("cubic_outside_the_bracket.binary32", "wrong-derivative"),
        ("gradient_by_division.binary32", "special-value"),
        ("silu_gradient_flushed.binary64", "subnormal-flush"),
        ("clean_forward_nan_backward.binary32", "overflow"),
        ("exact_for_tanh.binary32", "wrong-form"),
        ("scalar_for_short_or_strided.binary32", "path-dependence"),
        ("remainder_by_other_routine.binary32", "path-dependence"),
        ("swiglu_halves_exchanged.binary32", "gated-order"),
    ],
)
def test_a_shipped_fault_is_found_under_its_kind(fault: str, kind: str):
    assert finding(fault, kind).message


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("tanh_by_doubled_exponential.binary32", "overflow"),
        ("tanh_by_two_exponentials.binary32", "overflow"),
        ("sigmoid_form_by_growing_exponential.binary32", "overflow"),
        ("silu_by_growing_exponential.binary16", "overflow"),
        ("square_overflows.binary16", "overflow"),
        ("infinity_times_zero.binary32", "overflow"),
    ],
)
def test_the_onset_of_nan_is_right_to_the_float(fault: str, kind: str):
    seeded, found = get_fault(fault), finding(fault, kind)
    format = get_format(seeded.format)
    for region in found.regions:
        inner = min(region.first, region.last, key=lambda bits: abs(value(fault, bits)))
        outside = inner - 1  # the next magnitude towards zero, on either side
        with np.errstate(all="ignore"):
            results = seeded.call(np.array([inner, outside], f"u{format.width // 8}").view(native_dtype(format)))
        assert np.isnan(float(results[0])) and np.isfinite(float(results[1]))


def test_the_onset_of_zero_is_right_to_the_float():
    for fault in ("one_plus_erf.binary32", "naive_tanh.binary32", "one_plus_saturating_erf.binary32"):
        x = value(fault, finding(fault, "cancellation").x)
        here, beside = applied(fault, x, np.nextafter(np.float32(x), np.float32(0)))
        assert here == 0 and beside != 0
    assert value("one_plus_saturating_erf.binary32", finding("one_plus_saturating_erf.binary32", "cancellation").x) == (
        pytest.approx(-5.49, abs=0.01)
    )
    assert -5.42 < value("naive_tanh.binary32", finding("naive_tanh.binary32", "cancellation").x) < -5.06


def test_known_onsets_of_overflow():
    assert value(
        "tanh_by_doubled_exponential.binary32", finding("tanh_by_doubled_exponential.binary32", "overflow").x
    ) == (pytest.approx(10.0609646, abs=3e-6))
    assert abs(
        value("tanh_by_two_exponentials.binary32", finding("tanh_by_two_exponentials.binary32", "overflow").x)
    ) == (pytest.approx(12.998, abs=1e-3))
    assert abs(value("square_overflows.binary16", finding("square_overflows.binary16", "overflow").x)) == 147.875
    assert abs(value("infinity_times_zero.binary32", finding("infinity_times_zero.binary32", "overflow").x)) == (
        pytest.approx(1.8446744e19, rel=1e-6)
    )


def test_flushed_subnormals_are_listed_exactly_and_pass_under_the_declared_policy():
    fault = get_fault("outputs_flushed.bfloat16")
    format = get_format("bfloat16")
    bits = all_bits(format)
    with np.errstate(all="ignore"):
        got = fault.call(bits.view(native_dtype(format))).astype(float)

        right = gelu_by_erfc(bits.view(native_dtype(format))).astype(float)
    lost = {int(b) for b in bits[(got == 0) & (right != 0)]}
    listed = set()
    for region in finding("outputs_flushed.bfloat16", "subnormal-flush").regions:
        low, high = format.ordinal(region.first), format.ordinal(region.last)
        listed |= {format.from_ordinal(place) for place in range(low, high + 1)}
    assert lost == listed and {0x00FE, 0x80FE} <= lost
    assert "subnormal-flush" not in [f.kind for f in report("outputs_flushed.bfloat16", flush_outputs=True).findings]


def test_one_wrong_input_among_65536_is_found_with_its_error():
    found = finding("identity_at_one_input.bfloat16", "coarse-approximation")
    assert (found.x, round(found.ulp or 0)) == (0xB4AB, 171)


def test_the_erfc_form_passes_the_tail_that_the_sum_fails():
    assert [f.kind for f in report("erfc_form_at_minus_infinity.binary32").findings] == ["special-value"]


def test_zero_beside_an_overflow_is_found_too():
    assert applied("tanh_clamped_wrongly.binary32", 10.03) == [0.0]
    kinds = [d.kind for d in report("tanh_clamped_wrongly.binary32").forward.found]
    assert kinds.count("overflow") >= 1


def test_the_names_of_the_forms_say_nothing_and_probing_says_all():
    assert report("exact_for_tanh.binary32").forward.model.name == "gelu"
    assert report("tanh_for_exact.binary32").forward.model.name == "gelu_tanh"
    assert report("sigmoid_for_exact.binary32").forward.model.name == "gelu_sigmoid"
    for x, exact in ((-1.0, -0.1586552539), (2.0, 1.9544997)):
        assert applied("exact_for_tanh.binary32", x)[0] == pytest.approx(exact, rel=1e-7)
    assert applied("tanh_for_exact.binary32", 2.0)[0] == pytest.approx(1.9545977, rel=1e-7)


def test_two_ways_to_write_the_argument_are_no_two_functions():
    from gelu_verify.faults import VARIANTS

    variant = VARIANTS["factor_outside.binary32"]
    target = InProcess(variant.call, get_format("binary32"))
    assert run_checks(target, Claim(get_function("gelu_tanh"), get_format("binary32"))).findings == []


def test_a_length_one_array_and_a_vector_differ_at_the_public_witness():
    found = finding("scalar_for_short_or_strided.binary32", "path-dependence")
    assert value("scalar_for_short_or_strided.binary32", found.x) == np.float32(-5.533906936645508)
    assert {found.got, found.x} & {np.float32(-1.649232785894128e-7).view(np.uint32)}
    assert value("scalar_for_short_or_strided.binary32", found.want) == pytest.approx(
        -8.665411620074724534e-8, rel=1e-7
    )


def test_exchanged_halves_are_shown_on_a_pair():
    found = finding("swiglu_halves_exchanged.binary32", "gated-order")
    assert "halves are exchanged" in found.message
    with np.errstate(all="ignore"):
        pair = np.array([1.0], np.float32), np.array([2.0], np.float32)
        wrong = get_fault("swiglu_halves_exchanged.binary32").call(*pair)[0]
    assert wrong == pytest.approx(1.7615941559557648881, rel=1e-6)


SOURCE = """
#include <math.h>
#include <stddef.h>
void gelu(const float *x, float *y, size_t n) {
  for (size_t i = 0; i < n; i++) {
    float u = 0.7978845608f * (x[i] + 0.044715f * x[i] * x[i] * x[i]);
    y[i] = 0.5f * x[i] * (1.0f + tanhf(u));
  }
}
"""


def built(folder: Path, name: str, *options: str) -> IsolatedTarget:
    compiler = shutil.which("cc")
    assert compiler is not None, "a C compiler is needed"
    (folder / "gelu.c").write_text(SOURCE)
    # Objects first, then a plain link: the start-up code of -ffast-math would switch the process to flush-to-zero.
    compiled, library = folder / f"{name}.o", folder / f"{name}.so"
    subprocess.run([compiler, *options, "-fPIC", "-c", "-o", compiled, folder / "gelu.c"], check=True)
    subprocess.run([compiler, "-shared", "-o", library, compiled, "-lm"], check=True)
    return IsolatedTarget(parse_target(f"{library}:gelu"), get_format("binary32"))


def test_where_a_fast_math_build_and_a_safe_build_differ_is_listed(tmp_path: Path):
    """Both have the fault of their source, and beyond that they are told apart input by input."""
    safe, fast = built(tmp_path, "safe", "-O2"), built(tmp_path, "fast", "-O3", "-ffast-math", "-march=native")
    claim = Claim(get_function("gelu_tanh"), get_format("binary32"))

    def call(target: IsolatedTarget):
        return lambda x: target.evaluate(x.view(np.uint32)).view(np.float32)

    try:
        for target in (safe, fast):
            assert "cancellation" in [f.kind for f in run_checks(target, claim).findings]
        on = Interval(Fraction(-6), Fraction(-1))
        found = compare(call(safe), call(fast), claim.format, on=on, workers=1)
        x = np.arange(np.float32(-1).view(np.uint32), np.float32(-6).view(np.uint32) + 1, dtype=np.uint32)
        differ = safe.evaluate(x) != fast.evaluate(x)
    finally:
        safe.close()
        fast.close()
    assert found.counts["different"] == np.count_nonzero(differ) > 0
    assert sum(region.count for region in found.regions) == np.count_nonzero(differ)
    assert {x[differ][0], x[differ][-1]} == {found.regions[0].first, found.regions[-1].last}
    told = difference_finding(claim, "fast.so:gelu", found)
    assert told is not None and f"at {found.counts['different']} of {x.size} inputs" in told.message


def test_monotony_is_no_property_of_gelu():
    gelu = elementwise(lambda x: 0.5 * x * math.erfc(-x / math.sqrt(2)))
    left, right = gelu(np.array([-1.0, -0.7518])).tolist()
    assert left > right


def test_every_library_fault_is_registered_once():
    assert len({fault.id for fault in FAULTS.values()}) == len(FAULTS)
    assert findings_of(report("one_plus_erf.binary32").forward)


@pytest.mark.parametrize("form", ["erfc", "erf"])
def test_only_a_sum_is_said_to_cancel(form: str):
    """x erfc(-x/sqrt 2)/2 in binary64 errs as its rounded argument is amplified; 1 + erf loses every digit."""
    format = get_format("binary64")
    first, last = (int(np.array(end).view(np.uint64)) for end in (-30.0, 30.0))
    claim = Claim(get_function("gelu"), format, first=first, last=last)
    call = {"erfc": gelu_by_erfc, "erf": get_fault("one_plus_erf.binary64").call}[form]
    (found,) = run_checks(InProcess(call, format), claim, parts=["accuracy"]).findings
    assert found.kind == {"erfc": "accuracy", "erf": "cancellation"}[form]
    assert ("an argument is rounded" in found.cause) == (form == "erfc")
    assert ("1 + erf(x/sqrt 2) cancels" in found.cause) == (form == "erf")
