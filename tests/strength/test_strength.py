"""Which wrong implementations a test accepts, and which expected values are wrong."""

import json
from pathlib import Path

import numpy as np
import pytest

from gelu_verify.cli import main
from gelu_verify.errors import InputError
from gelu_verify.faults import get_fault
from gelu_verify.formats import FORMATS
from gelu_verify.oracles import judge_table
from gelu_verify.strength import PRESETS, Tolerance, _errors, seeded_faults, smallest_test, strength

BINARY32 = FORMATS["binary32"]


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


@pytest.mark.parametrize("function", ["gelu", "gelu_tanh", "silu"])
def test_the_smallest_test_refuses_all_faults_that_values_can_show_and_no_input_can_go(function: str):
    remedy = smallest_test(function, "binary32")
    bits = np.array(remedy.inputs, np.uint32)
    beyond = {fault.id for fault in remedy.beyond}
    assert all(fault.kind == "path-dependence" for fault in remedy.beyond)
    shows = []
    for id, fault in seeded_faults(function, "binary32").items():
        if id not in beyond:
            shows.append(_errors(function, BINARY32, fault.call, bits) > remedy.max_ulp)
    assert np.all(np.any(shows, axis=1))
    for place in range(bits.size):
        assert not np.all(np.any(np.delete(np.array(shows), place, axis=1), axis=1))


def test_a_pytest_test_is_judged_by_running_it_on_every_fault(tmp_path: Path, capsys):
    test = tmp_path / "test_mine.py"
    test.write_text(
        "import math\nimport numpy as np\n\n"
        "def test_gelu(gelu_implementation):\n"
        "    x = np.linspace(-3, 3, 101, dtype=np.float32)\n"
        "    want = [0.5 * t * math.erfc(-t / math.sqrt(2)) for t in x.tolist()]\n"
        "    np.testing.assert_allclose(gelu_implementation(x), want, rtol=1e-3, atol=1e-3)\n"
    )
    assert main(["strength", "--test", f"{test}::test_gelu", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    names = {entry["fault"] for entry in document["accepted"]}
    assert {"tanh_for_exact.binary32", "one_plus_erf.binary32"} <= names
    assert "cdf_for_gelu.binary32" not in names and "half_missing.binary32" not in names
    assert document["smallest_test"]["inputs"]


@pytest.mark.parametrize(
    "words",
    [
        ["--preset", "torch-default"],
        ["--inputs", "1", "--rtol", "-1"],
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
