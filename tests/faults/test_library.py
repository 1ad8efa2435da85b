"""The seeded implementations are what their records say."""

import json
import subprocess
import sys

import numpy as np
import pytest

from gelu_verify.errors import InputError
from gelu_verify.faults import FAULTS, VARIANTS, Fault, Variant, get_fault
from gelu_verify.formats import get_format
from gelu_verify.formats.arrays import native_dtype

KINDS_OF_VALUES = {
    "cancellation",
    "coarse-approximation",
    "forward-backward-mismatch",
    "gated-order",
    "low-precision-intermediate",
    "overflow",
    "path-dependence",
    "property-violation",
    "special-value",
    "subnormal-flush",
    "wrong-constant",
    "wrong-derivative",
    "wrong-form",
}
EVERY = [*FAULTS.values(), *VARIANTS.values()]


def test_there_are_at_least_a_hundred_faults_and_twenty_five_right_variants():
    assert len({fault.call for fault in FAULTS.values()}) >= 100
    assert len({variant.call for variant in VARIANTS.values()}) >= 25


def test_every_kind_of_fault_is_seeded_and_every_fault_has_a_source_and_a_summary():
    assert {fault.kind for fault in FAULTS.values()} == KINDS_OF_VALUES
    assert all(fault.source and fault.summary for fault in FAULTS.values())
    assert all(
        {fault.kind, *fault.also} <= KINDS_OF_VALUES and fault.kind not in fault.also for fault in FAULTS.values()
    )


@pytest.mark.parametrize("seeded", EVERY, ids=lambda seeded: seeded.id)
def test_a_seeded_implementation_keeps_shape_and_type(seeded: Fault | Variant):
    dtype = native_dtype(get_format(seeded.format))
    x = np.array([[-6.0, -0.0, 0.0], [1.5, np.inf, np.nan]]).astype(dtype)
    for call in filter(None, (seeded.call, seeded.gradient)):
        with np.errstate(all="ignore"):
            y = call(x, x) if seeded.gated else call(x)
            empty = call(x[:, :0], x[:, :0]) if seeded.gated else call(x[:, :0])
        assert y.shape == x.shape and y.dtype == dtype
        assert empty.shape == (2, 0)


def test_an_unknown_fault_is_refused_with_the_nearest_names():
    with pytest.raises(InputError, match=r"one_plus_erf\.binary32"):
        get_fault("one_plus_erf.binary23")


def test_public_witnesses_of_the_faults_come_out():
    def at(fault: str, x: float) -> float:
        seeded = get_fault(fault)
        with np.errstate(all="ignore"):
            return float(seeded.call(np.array([x]).astype(native_dtype(get_format(seeded.format))))[0])

    assert at("one_plus_saturating_erf.binary32", -5.5) == 0.0
    assert at("one_plus_erf.binary64", -10) == 0.0
    assert np.isnan(at("tanh_by_doubled_exponential.binary32", 10.0610))
    assert at("tanh_clamped_wrongly.binary32", 10.03) == 0.0
    assert at("tanh_above_one.binary16", -100) == pytest.approx(2.2, abs=0.01)
    assert at("scale_2_over_sqrt_pi.binary32", 1) == pytest.approx(0.9135418956017321792, rel=1e-7)
    assert at("cubic_bracketed.binary32", 1) == pytest.approx(0.8314462256635703640, rel=1e-7)
    assert at("cubic_0_047715.binary32", 1) == pytest.approx(0.8418304734353482671, rel=1e-7)
    assert at("six_segments.binary32", 0) == pytest.approx(-1.0443e-4, rel=1e-6)
    assert at("sech_for_sech_squared.binary32", 1) == pytest.approx(1.17193632190240718599, rel=1e-7)
    assert at("cubic_outside_the_bracket.binary32", -3) == pytest.approx(-1.4495, abs=1e-4)
    assert at("silu_gradient_flushed.binary64", -709) == 0.0
    assert at("gradient_by_rounded_parts.bfloat16", -3.7) > 0
    scalar_or_vector = get_fault("scalar_for_short_or_strided.binary32")
    x = np.full(8, -5.533906936645508, np.float32)
    assert scalar_or_vector.call(x[:1])[0] == np.float32(-1.649232785894128e-7)
    assert scalar_or_vector.call(x)[0] == 0.0


def test_summaries_are_the_same_where_python_drops_docstrings():
    script = (
        "import json; from gelu_verify.faults import FAULTS, VARIANTS; "
        "print(json.dumps({id: each.summary for id, each in (FAULTS | VARIANTS).items()}))"
    )
    done = subprocess.run([sys.executable, "-OO", "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {id: each.summary for id, each in (FAULTS | VARIANTS).items()}
