"""The activations of transformers by what they compute: their names say little; skipped where it is not installed."""

import numpy as np
import pytest

from gelu_verify.catalogue import function_or_expression
from gelu_verify.checks.case import Claim
from gelu_verify.checks.probes import probes
from gelu_verify.checks.runner import run_checks
from gelu_verify.formats import get_format
from gelu_verify.formats.arrays import storage_dtype, to_float64
from gelu_verify.identify import Identification, identify
from gelu_verify.targets import InProcess
from tests.ecosystem.implementations import CLIPPED, IMPLEMENTATIONS

pytest.importorskip("torch")
pytest.importorskip("ml_dtypes")
activations = pytest.importorskip("transformers.activations")

DOCUMENTED = {
    each.target.rpartition(":")[2]: each.documented for each in IMPLEMENTATIONS if each.package == "transformers"
}
# By their names one would take the first for something new, the second for a rough one and the third for the exact one.
MISLEADING = ("gelu_new", "gelu_fast", "gelu_accurate")


def identified(name: str, format: str) -> Identification:
    chosen = get_format(format)
    bits = probes(chosen)
    got = InProcess(activations.ACT2FN[name], chosen).evaluate(bits)
    return identify(chosen, to_float64(chosen, bits), to_float64(chosen, got))


def test_every_gelu_of_transformers_is_documented_here():
    known = {name for name in activations.ACT2FN if "gelu" in name}
    assert known == set(DOCUMENTED)


@pytest.mark.parametrize("name", [name for name, form in DOCUMENTED.items() if form != CLIPPED])
def test_each_name_computes_the_form_that_is_documented(name: str):
    assert DOCUMENTED[name] in {str(each.model) for each in identified(name, "bfloat16").tied}
    settled = identified(name, "binary32").tied
    assert [str(each.model) for each in settled] == [DOCUMENTED[name]]


@pytest.mark.parametrize("name", MISLEADING)
def test_new_fast_and_accurate_are_names_of_the_tanh_form(name: str):
    assert DOCUMENTED[name] == "gelu_tanh"
    wrong = run_checks(
        InProcess(activations.ACT2FN[name], get_format("binary32")),
        Claim(function_or_expression("gelu"), get_format("binary32")),
        parts=["accuracy"],
    )
    assert wrong.findings[0].message.startswith("is not gelu: it computes gelu_tanh, ")


def test_gelu_10_is_gelu_until_it_is_clipped_and_the_clipping_is_named():
    assert str(identified("gelu_10", "bfloat16").best[0].model) == "gelu"
    format = get_format("bfloat16")
    target = InProcess(activations.ACT2FN["gelu_10"], format)
    told = run_checks(target, Claim(function_or_expression("gelu"), format), parts=["accuracy"])
    clipped = told.findings[0]
    assert clipped.message == "returns the constant 10, for x >= 10.3" and "clamped" in clipped.cause
    assert format.decimal(clipped.regions[-1].first) == "10.3"
    bits = np.array([0x4120, 0x4121, 0x4125, 0xC170], storage_dtype(format))  # 10, the next number, 10.3, -15
    assert to_float64(format, target.evaluate(bits)).tolist()[:3] == [10, 10, 10]
    as_documented = run_checks(target, Claim(function_or_expression(CLIPPED), format), parts=["accuracy"])
    assert not any("constant 10" in finding.message for finding in as_documented.findings)
