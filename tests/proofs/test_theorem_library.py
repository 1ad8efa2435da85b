"""The whole library: every theorem is proved, and every false variant of every theorem is refuted."""

import pytest

from gelu_verify.proofs.library import Examination, examine, prove, theorems
from gelu_verify.records import Verdict

IDS = tuple(theorems())


@pytest.fixture(scope="module")
def examinations() -> dict[str, Examination]:
    return {each.result.id: each for each in examine()}


@pytest.mark.parametrize("name", IDS)
def test_theorem_is_proved(name: str, examinations: dict[str, Examination]) -> None:
    result = examinations[name].result
    assert (result.verdict, result.reason) == (Verdict.PROVED, "")


@pytest.mark.parametrize("name", IDS)
def test_every_false_variant_is_refuted(name: str, examinations: dict[str, Examination]) -> None:
    variants = examinations[name].variants
    assert variants, "a theorem needs at least one false variant"
    assert [variant for variant in variants if variant.verdict is not Verdict.REFUTED] == []


def test_results_come_in_the_order_asked_for() -> None:
    wanted = ["gelu.derivative.second", "gelu.derivative.first"]
    assert [result.id for result in prove(wanted, workers=1)] == wanted
