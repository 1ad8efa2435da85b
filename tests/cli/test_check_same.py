"""`check --same-as`: the bits of another implementation are demanded, and where they differ is listed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

TWINS = """
import numpy as np


def gelu(x):
    return np.where(np.isnan(x), x, np.maximum(x, x.dtype.type(0)))


def other(x):
    y = gelu(x)
    y[x == x.dtype.type(1.5)] = np.nextafter(x.dtype.type(1.5), x.dtype.type(2))
    return y


def crash(x):
    raise RuntimeError("no kernel")
"""


@pytest.fixture
def twins(tmp_path: Path) -> str:
    file = tmp_path / "twins.py"
    file.write_text(TWINS)
    return str(file)


@pytest.mark.parametrize("how", ["binary16", "binary16 --sampled", "binary64 --on 1.4999999999 1.5000000001"])
def test_one_differing_input_is_listed_and_refutes(gelu_verify: Run, twins: str, how: str) -> None:
    """1.5 is among the inputs that a sample contains, as the middle of a binade."""
    words = ["--format", *how.split()]
    outcome = gelu_verify("check", f"{twins}:gelu", "--as", "relu", "--same-as", f"{twins}:other", *words, "--json")
    document = json.loads(outcome.out)
    assert (outcome.code, document["verdict"]) == (1, "refuted")
    (finding,) = document["findings"]
    assert finding["kind"] == "difference" and finding["x"]["decimal"] == "1.5" == finding["want"]["decimal"]
    assert "at 1 of " in finding["message"] and "--same-as" in finding["command"]
    same = document["same_as"]
    assert same["target"] == f"{twins}:other" and same["counts"]["different"] == 1
    assert same["widest"]["apart"] == 1 and same["widest"]["other"]["decimal"].startswith("1.50")
    assert [(region["first"]["decimal"], region["count"]) for region in same["regions"]] == [("1.5", 1)]
    assert [row["different"] for row in same["histogram"]] == [1]


def test_equal_bits_are_said_to_be_equal(gelu_verify: Run, twins: str) -> None:
    words = ["check", f"{twins}:gelu", "--as", "relu", "--same-as", f"{twins}:gelu", "--format", "bfloat16"]
    outcome = gelu_verify(*words)
    assert outcome.code == 0
    assert f"the same bits as {twins}:gelu at all 65536 inputs" in outcome.out


def test_the_text_lists_counts_and_places_in_ascending_order(gelu_verify: Run) -> None:
    forms = "gelu_verify.forms"
    words = ["--as", "gelu_tanh", "--format", "binary16", "--same-as", f"{forms}:tanh_factored"]
    lines = gelu_verify("check", f"{forms}:tanh_naive", *words).out.splitlines()
    start = lines.index(f"beside {forms}:tanh_factored")
    assert lines[start + 1].startswith("  different ")
    places = [float(line.split()[2]) for line in lines[lines.index("  where") + 1 :] if line.startswith("    ")]
    assert len(places) > 1 and places == sorted(places)


@pytest.mark.parametrize("how", [[], ["--sampled"]])
def test_another_implementation_without_results_is_told_in_one_line(
    gelu_verify: Run, twins: str, how: list[str]
) -> None:
    words = ["check", f"{twins}:gelu", "--as", "relu", "--format", "binary16", "--same-as"]
    for other in ("crash", "absent"):
        outcome = gelu_verify(*words, f"{twins}:{other}", *how)
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
        assert other in outcome.err


def test_of_a_target_without_results_only_that_is_told(gelu_verify: Run, twins: str) -> None:
    words = ["check", f"{twins}:crash", "--as", "relu", "--format", "binary16", "--same-as", f"{twins}:gelu", "--json"]
    document = json.loads(gelu_verify(*words).out)
    assert [finding["kind"] for finding in document["findings"]] == ["exception"] and document["same_as"] is None


def test_two_inputs_are_not_compared(gelu_verify: Run, twins: str) -> None:
    outcome = gelu_verify("check", f"{twins}:gelu", "--as", "gelu", "--gated", "--same-as", f"{twins}:gelu")
    assert outcome.code == 2 and "leave out --gated" in outcome.err
