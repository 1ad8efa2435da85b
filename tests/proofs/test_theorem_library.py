"""The whole library: every theorem is proved, and every false variant of every theorem is refuted."""

from collections import defaultdict

import pytest
from gelu_verify.proofs.library import Falsification, falsify_all, prove, theorems
from gelu_verify.proofs.theorem import TheoremResult
from gelu_verify.records import Verdict

IDS = tuple(theorems())


@pytest.fixture(scope="module")
def results() -> dict[str, TheoremResult]:
    return {result.id: result for result in prove()}


@pytest.fixture(scope="module")
def falsifications() -> dict[str, list[Falsification]]:
    rows: dict[str, list[Falsification]] = defaultdict(list)
    for row in falsify_all():
        rows[row.id].append(row)
    return rows


@pytest.mark.parametrize("name", IDS)
def test_theorem_is_proved(name: str, results: dict[str, TheoremResult]) -> None:
    assert (results[name].verdict, results[name].reason) == (Verdict.PROVED, "")


@pytest.mark.parametrize("name", IDS)
def test_every_false_variant_is_refuted(name: str, falsifications: dict[str, list[Falsification]]) -> None:
    rows = falsifications[name]
    assert rows, "a theorem needs at least one false variant"
    assert [(row.change, row.verdict) for row in rows if row.verdict is not Verdict.REFUTED] == []


def test_results_come_in_the_order_asked_for() -> None:
    wanted = ["gelu.derivative.second", "gelu.derivative.first"]
    assert [result.id for result in prove(wanted, workers=1)] == wanted
