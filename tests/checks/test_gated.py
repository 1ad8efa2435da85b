"""A gated unit is one function of a times b, whatever the function; nothing else passes because b was 1."""

from collections.abc import Callable

import numpy as np
import pytest

from gelu_verify.catalogue import get_function
from gelu_verify.checks.case import Claim
from gelu_verify.checks.gated import gate_findings
from gelu_verify.checks.runner import run_checks
from gelu_verify.faults import get_fault
from gelu_verify.faults.correct import gelu_by_erfc, gelu_tanh_factored
from gelu_verify.formats import FORMATS
from gelu_verify.targets import InProcess

BINARY32 = FORMATS["binary32"]


def told(unit: Callable, function: str = "gelu", format: str = "binary32") -> list[str]:
    target = InProcess(unit, FORMATS[format], framework="numpy", inputs=2)
    return [finding.message for finding in gate_findings(target, Claim(get_function(function), FORMATS[format]))]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("product_activated.binary32", "computes gelu(a b): the product is activated"),
        ("second_half_ignored.binary32", "computes gelu(a): b is ignored"),
        ("sum_of_the_halves.binary32", "computes gelu(a) + b: a sum for the product"),
        ("one_added_to_the_gate.binary32", "computes silu(a) (b + 1): 1 is added to b"),
        ("one_added_to_the_gate.binary16", "computes silu(a) (b + 1): 1 is added to b"),
    ],
)
def test_what_is_computed_for_the_product_is_said(fault: str, words: str):
    seeded = get_fault(fault)
    (message,) = told(seeded.call, seeded.function, seeded.format)
    assert message.startswith(words)


def test_a_unit_that_no_words_fit_is_found_with_a_pair_that_shows_it():
    (message,) = told(lambda a, b: gelu_by_erfc(a) * b * b)
    assert message == "is no function of a times b; at (a, b) = (3, -3) it gives 26.96355 for -8.987851"
    (message,) = told(lambda a, b: a * gelu_tanh_factored(b))
    assert message.startswith("computes a g(b): the halves are exchanged")


def test_another_function_of_the_right_half_is_a_matter_of_form():
    def unit(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return gelu_tanh_factored(a) * b

    assert told(unit) == []
    target = InProcess(unit, BINARY32, framework="numpy", inputs=2)
    (finding,) = run_checks(target, Claim(get_function("gelu"), BINARY32), gated=True).findings
    assert finding.kind == "wrong-form"


@pytest.mark.parametrize("format", ["binary32", "binary16", "bfloat16", "e5m2"])
def test_a_right_unit_is_a_product_in_every_format(format: str):
    assert told(lambda a, b: gelu_by_erfc(a) * b, format=format) == []
