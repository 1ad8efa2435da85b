"""Which wrong implementations a test accepts, and which expected values are wrong."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gelu_verify.catalogue import FUNCTIONS
from gelu_verify.cli import main
from gelu_verify.errors import InputError
from gelu_verify.faults import FAULTS, get_fault
from gelu_verify.formats import FORMATS, Format
from gelu_verify.formats.arrays import storage_dtype
from gelu_verify.strength import (
    PRESETS,
    Tolerance,
    errors_in_ulp,
    expected_values,
    right_variants,
    seeded_faults,
    seeded_implementations,
    sort_out,
    strength,
)
from gelu_verify.strength.oracles import judge_table
from gelu_verify.strength.smallest_test import smallest_test

BINARY32 = FORMATS["binary32"]


def errors_of(function: str, format: Format, call: Callable[..., Any], bits: np.ndarray) -> np.ndarray:
    """Return the errors of results in ulp."""
    return errors_in_ulp(format, call, bits, expected_values(function, format, bits))


def accepted(preset: str, function: str, format: str = "binary32") -> list[str]:
    chosen = PRESETS[preset]
    found = strength(function, format, chosen.inputs(), chosen.tolerance(format))
    return [entry.fault.id for entry in found.accepted]


def test_atol_1e_3_on_linspace_cannot_tell_the_forms_apart():
    assert "tanh_for_exact.binary32" in accepted("atol-1e-3", "gelu")
    assert "exact_for_tanh.binary32" in accepted("atol-1e-3", "gelu_tanh")


def test_the_defaults_of_assert_close_accept_what_was_shipped():
    exact = accepted("torch-defaults", "gelu")
    for fault in ("one_plus_erf", "divisor_1_41421", "outputs_flushed"):
        assert f"{fault}.binary32" in exact
    tanh = accepted("torch-defaults", "gelu_tanh")
    for fault in ("naive_tanh", "tanh_by_doubled_exponential", "six_digit_constants"):
        assert f"{fault}.binary32" in tanh
    assert "identity_at_one_input.bfloat16" in accepted("torch-defaults", "gelu", "bfloat16")


def test_the_onnx_node_test_accepts_the_tanh_form_as_the_exact_one():
    assert "tanh_for_exact.binary32" in accepted("onnx-node", "gelu")


def test_the_strongest_fault_comes_first_and_right_variants_are_not_refused():
    found = strength("gelu", "binary32", np.linspace(-3, 3, 7), Tolerance(1e-3, 1e-3))
    sizes = [entry.max_abs for entry in found.accepted]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == np.inf
    assert found.blamed == ()
    assert len(found.accepted) + len(found.refused) == len(seeded_faults("gelu", "binary32"))


SEEDED = sorted(
    {(fault.function, fault.format) for fault in FAULTS.values() if fault.function in FUNCTIONS and not fault.gated}
)


@pytest.mark.parametrize(("function", "format"), SEEDED)
def test_the_smallest_test_refuses_all_faults_that_values_can_show_and_no_input_can_go(function: str, format: str):
    try:
        faults = seeded_faults(function, format)
    except InputError:
        return  # of gradients alone
    remedy = smallest_test(function, format)
    bits = np.array(remedy.inputs, storage_dtype(FORMATS[format]))
    beyond = {fault.id for fault in remedy.beyond}
    shows = [
        errors_of(function, FORMATS[format], fault.call, bits) > remedy.max_ulp
        for id, fault in faults.items()
        if id not in beyond
    ]
    assert shows or not remedy.inputs
    assert all(np.any(row) for row in shows)
    for place in range(bits.size):
        assert not np.all(np.any(np.delete(np.array(shows), place, axis=1), axis=1))
    for variant in right_variants(function, FORMATS[format]):
        assert np.all(errors_of(function, FORMATS[format], variant.call, bits) <= remedy.max_ulp), variant.id


def test_what_no_plain_array_shows_depends_on_paths_or_on_nothing_seen(capsys: pytest.CaptureFixture[str]):
    for function in ("gelu", "gelu_tanh", "silu"):
        assert all(fault.kind == "path-dependence" for fault in smallest_test(function, "binary32").beyond)
    assert smallest_test("tanh", "binary32").inputs == ()  # an ulp above 1 is within every tolerance
    main(["strength", "--preset", "onnx-node", "--as", "tanh"])
    assert "no input of a plain array refuses them\n" in capsys.readouterr().out


@pytest.mark.parametrize("format", ["binary16", "binary32", "binary64"])
def test_right_variants_are_right_at_zeros_and_infinities_down_to_the_sign(format: str):
    chosen = FORMATS[format]
    bits = np.array([0, chosen.sign_mask, chosen.infinity, chosen.nan], storage_dtype(chosen))
    for function in ("gelu", "gelu_tanh", "silu"):
        for variant in right_variants(function, chosen):
            assert errors_of(function, chosen, variant.call, bits).tolist() == [0] * 4, variant.id
    at_minus_infinity = bits[2:3] | bits[1:2]
    assert errors_of("tanh", chosen, np.tanh, at_minus_infinity).tolist() == [0]  # -1, and not 0


def test_inputs_are_rounded_once_and_keep_the_sign_of_zero(capsys: pytest.CaptureFixture[str]):
    words = ["strength", "--as", "gelu", "--rtol", "1e-6", "--json", "--inputs"]
    assert main([*words, "-0", "1e400", "-1e-400", "1/3"]) == 1  # 1e400 rounds to infinity
    found = json.loads(capsys.readouterr().out)
    main([*words, "0x80000000@binary32", "inf", "0x80000000@binary32", "0x3eaaaaab@binary32"])
    same = json.loads(capsys.readouterr().out)
    assert [each["fault"] for each in found["accepted"]] == [each["fault"] for each in same["accepted"]]


def test_a_test_that_refuses_right_variants_too_is_no_success():
    every = seeded_implementations("gelu", "binary16")
    nothing = sort_out("gelu", FORMATS["binary16"], dict.fromkeys(every, False))
    assert nothing.accepted == () and nothing.meaningless
    variants = [variant.id for variant in right_variants("gelu", FORMATS["binary16"])]
    useful = sort_out("gelu", FORMATS["binary16"], {id: id in variants[:1] for id in every})
    assert not useful.meaningless and [variant.id for variant in useful.blamed] == variants[1:]


OWN_TEST = """
import math
import numpy as np
import pytest

@pytest.fixture
def mine(gelu_implementation):
    return gelu_implementation

class TestGelu:
    @pytest.mark.parametrize("end", [1, 3])
    def test_values(self, end, mine):
        x = np.linspace(-end, end, 101, dtype=np.float32)
        want = [0.5 * t * math.erfc(-t / math.sqrt(2)) for t in x.tolist()]
        np.testing.assert_allclose(mine(x), want, rtol=1e-3, atol=1e-3)

def test_of_another(): pass
def test_that_is_skipped(mine): pytest.skip("for a reason")
"""


def test_a_pytest_test_is_judged_by_running_it_on_every_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    test = tmp_path / "test_mine.py"
    test.write_text(OWN_TEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -x -vv --tb=long\n")  # which is to change nothing
    assert main(["strength", "--test", f"{test}::TestGelu::test_values", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    passed = set()
    for id, call in seeded_implementations("gelu", "binary32").items():
        close = []
        for end in (1, 3):
            x = np.linspace(-end, end, 101, dtype=np.float32)
            want = np.array([0.5 * t * math.erfc(-t / math.sqrt(2)) for t in x.tolist()])
            with np.errstate(all="ignore"):
                close.append(np.allclose(call(x), want, rtol=1e-3, atol=1e-3))
        passed |= {id} if all(close) else set()
    faults = set(seeded_faults("gelu", "binary32"))
    assert {entry["fault"] for entry in document["accepted"]} == passed & faults
    assert document["right_variants_refused"] == [] and passed > {"tanh_for_exact.binary32", "one_plus_erf.binary32"}


@pytest.mark.parametrize("name", ["test_of_another", "test_that_is_skipped"])
def test_a_test_that_runs_no_fault_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str):
    (tmp_path / "test_mine.py").write_text(OWN_TEST)
    assert main(["strength", "--test", f"{tmp_path / 'test_mine.py'}::{name}", "--as", "relu"]) == 2
    assert "; it is to take gelu_implementation\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["--preset", "torch-default"],
        ["--inputs", "1", "--rtol", "-1"],
        ["--inputs", "1", "--rtol", "nan"],
        ["--inputs", "1", "--atol", "inf"],
        ["--preset", "onnx-node", "--rtol", "1"],
        ["--table", "table.csv", "--atol", "0"],
        ["--inputs", "one"],
        ["--test", "no_such.py::test"],
        ["--table", "no_such.csv"],
        ["--preset", "onnx-node", "--as", "phi"],
        [],
    ],
)
def test_bad_questions_are_refused_in_one_line(words: list[str], capsys):
    assert main(["strength", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_wrong_rows_of_a_table_of_phi_are_found(tmp_path: Path):
    file = tmp_path / "phi.csv"
    file.write_text("x,Phi\n-9,1.1286900046427178e-19\n-12,1.7763568394002505e-33\n-15,3.670966859150123e-51\n0,0.5\n")
    rows = judge_table(file, "Phi").rows
    assert [row.holds("Phi") for row in rows] == [False, False, False, True]
    assert [row.line for row in rows] == [2, 3, 4, 5]
    assert rows[1].right.decimal(12) == "1.77648211207...e-33"


def test_a_table_that_mixes_the_forms_is_told_apart_literal_by_literal(tmp_path: Path):
    file = tmp_path / "mixed.txt"
    file.write_text("5 -> 4.9998675\n-4 -> -0.0003058\n3 -> 2.996363\n1 -> 0.841344746\n1 -> 0.8411920\n")
    names = [row.right_for for row in judge_table(file).rows]
    assert names == [(), (), ("gelu_tanh",), ("gelu", "Phi"), ("gelu_tanh",)]


def test_a_forgotten_factor_is_seen_in_the_value_at_zero(tmp_path: Path):
    file = tmp_path / "zero.csv"
    file.write_text("0,0.5\n-4,-1.26719e-4\n")
    first, second = judge_table(file).rows
    assert not first.holds("gelu") and "Phi" in first.right_for
    assert second.right_for == ()  # a framework's own tail error, copied into a test


def test_a_file_without_rows_is_refused(tmp_path: Path):
    file = tmp_path / "empty.csv"
    file.write_text("x,y\n# nothing\n")
    with pytest.raises(InputError, match="no line with an input and a value"):
        judge_table(file)


def test_an_exact_forward_pass_is_no_fault_of_forward_tests():
    assert "exact_forward_tanh_backward.binary32" not in seeded_faults("gelu", "binary32")
    assert get_fault("exact_forward_tanh_backward.binary32").gradient is not None


def test_a_table_without_an_end_is_not_read_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gelu_verify.strength.oracles._LONGEST", 1000)
    with pytest.raises(InputError, match="/dev/zero is longer than 1000 characters"):
        judge_table(Path("/dev/zero"))
