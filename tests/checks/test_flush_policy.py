"""Inputs taken for zeros and zeros returned are two policies, and the sample judges by them as the sweep does."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gelu_verify.catalogue import function_or_expression
from gelu_verify.checks.case import Claim
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.runner import run_checks
from gelu_verify.faults.correct import gelu_by_erfc
from gelu_verify.formats import FORMATS
from gelu_verify.records import Finding
from gelu_verify.sweep import Policy, sweep
from gelu_verify.targets import InProcess

Array = np.ndarray[Any, Any]

BFLOAT16 = FORMATS["bfloat16"]
LEAST = 2.0**BFLOAT16.emin
POLICIES = {"": (False, False), "inputs": (True, False), "outputs": (False, True), "both": (True, True)}


def flushed(x: Array) -> Array:
    return np.where(abs(x.astype(float)) < LEAST, np.copysign(x.dtype.type(0), x), x)


def scaled(x: Array) -> Array:
    """2^60 x: subnormal inputs have normal results."""
    with np.errstate(all="ignore"):
        return (x.astype(float) * 2.0**60).astype(x.dtype)


def exp_but_zero(x: Array) -> Array:
    """e^x, and 0 at zero and at subnormal inputs, where no policy allows it: a zero would give 1."""
    with np.errstate(all="ignore"):
        return np.where(flushed(x) == 0, x.dtype.type(0), np.exp(x.astype(float)).astype(x.dtype))


CASES: dict[str, tuple[str, Callable[[Array], Array], set[str]]] = {  # claim, implementation, policies that allow it
    "gelu with inputs flushed": ("gelu", lambda x: gelu_by_erfc(flushed(x)), {"inputs", "outputs", "both"}),
    "gelu with results flushed": ("gelu", lambda x: flushed(gelu_by_erfc(x)), {"outputs", "both"}),
    "gelu with both flushed": ("gelu", lambda x: flushed(gelu_by_erfc(flushed(x))), {"outputs", "both"}),
    "a scaling with inputs flushed": ("x*2**60", lambda x: scaled(flushed(x)), {"inputs", "both"}),
    "zero where one is near": ("exp(x)", exp_but_zero, set()),
}


def findings(case: str, policy: str) -> list[Finding]:
    claim, call, _ = CASES[case]
    target = InProcess(call, BFLOAT16, framework="numpy")
    question = Claim(function_or_expression(claim), BFLOAT16, 0, 4.0, *POLICIES[policy])
    return run_checks(target, question, parts=["accuracy"]).findings


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("case", CASES)
def test_the_sample_and_the_sweep_agree_on_every_policy(case: str, policy: str) -> None:
    """GELU halves small inputs: there, both policies allow the same zeros, and in the far tail only one does."""
    claim, call, allowed = CASES[case]
    swept = sweep(call, function_or_expression(claim), BFLOAT16, workers=1, policy=Policy(4, *POLICIES[policy]))
    assert (swept.errors.counts["over_limit"] == 0) is (policy in allowed)
    assert (findings(case, policy) == []) is (policy in allowed)


@pytest.mark.parametrize(
    ("case", "policy", "message", "advice"),
    [
        ("gelu with inputs flushed", "", "takes subnormal inputs for zeros", "inputs"),
        ("gelu with results flushed", "", "gives zero for a nonzero subnormal result", "outputs"),
        ("gelu with results flushed", "inputs", "gives zero for a nonzero subnormal result", "both"),
        ("a scaling with inputs flushed", "", "takes subnormal inputs for zeros", "inputs"),
        ("a scaling with inputs flushed", "outputs", "takes subnormal inputs for zeros", "both"),
    ],
)
def test_a_flush_is_named_with_the_policy_that_would_allow_it(
    case: str, policy: str, message: str, advice: str
) -> None:
    (found,) = findings(case, policy)
    assert found.kind is Kind.SUBNORMAL_FLUSH
    assert found.message.startswith(message)
    assert found.cause.endswith(f"declare it with --flush-subnormals {advice}")


def test_a_region_holds_what_the_policy_does_not_allow_and_nothing_else() -> None:
    (found,) = findings("gelu with results flushed", "inputs")
    places = [(BFLOAT16.exact(region.first), BFLOAT16.exact(region.last)) for region in found.regions]
    assert all(abs(end) >= LEAST for ends in places for end in ends)
    assert any(low < -13 for low, _ in places) and any(LEAST <= high < 2 * LEAST for _, high in places)
