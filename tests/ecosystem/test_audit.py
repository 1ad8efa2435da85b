"""The audit of the ecosystem, run for torch on every bfloat16 number; skipped where torch is not installed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

AUDIT = Path(__file__).with_name("audit.py")


def audited(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, AUDIT, *arguments], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, str], dict]:
    done = audited("--only", "torch", "--format", "bfloat16", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    return {(row["name"], row["operation"]): row for row in document["rows"]}


def test_every_bfloat16_number_goes_through_both_forms_and_both_passes(rows):
    assert set(rows) == {
        (name, operation)
        for name in ("functional.gelu", "functional.gelu, tanh")
        for operation in ("forward", "gradient")
    }
    for row in rows.values():
        assert (row["verdict"], row["inputs"], row["problem"]) == ("exhaustive", 65536, "")
        assert row["as_documented"]


def test_the_two_forms_are_told_apart_forward_even_in_eight_bits(rows):
    assert rows["functional.gelu", "forward"]["identified"][0] == "gelu"
    assert rows["functional.gelu, tanh", "forward"]["identified"] == ["gelu_tanh"]


@pytest.mark.parametrize(("name", "lost"), [("functional.gelu", (-5.7, -5.0)), ("functional.gelu, tanh", (-5.5, -4.9))])
def test_the_first_zero_lies_where_one_plus_erf_and_one_plus_tanh_cancel(rows, name: str, lost: tuple[float, float]):
    row = rows[name, "forward"]
    assert lost[0] < float(row["first_wrong_zero"]) < lost[1]
    # As wrong as a zero can be: all eight bits of the significand, and never the wrong sign.
    assert 250 < float(row["max_ulp"]) <= 256
    assert "wrong_sign" not in row["counts"] and row["counts"]["zero_instead_of_nonzero"] > 100


def test_what_is_not_installed_or_known_is_refused():
    assert audited("--only", "tensorflow").returncode == 2
    done = audited("--only", "torch", "--name", "no such name")
    assert done.returncode == 3 and "0 rows" in done.stderr
