"""The verbs `bound` and `locate`: the contract's JSON, exit codes, and one line for bad input."""

import json

import pytest

from gelu_verify.cli import main


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_bound_agrees_to_the_digits_asked_for(capsys):
    code, document = run_json(capsys, "bound", "gelu_tanh", "--digits", "30")
    supremum = document["supremum"]
    assert code == 0 and document["verdict"] == "certified" and document["attained"] is True
    digits = "0.00047323552068728487711398229549"
    assert supremum["lower"].startswith(digits) and supremum["upper"].startswith(digits)
    assert [place["lower"][:18] for place in document["at"]] == ["-2.698941386377270", "2.6989413863772703"]
    assert document["domain"] == ["-inf", "inf"] and document["symmetry"] == "even"


def test_an_unbounded_error_is_infinity(capsys):
    code, document = run_json(capsys, "bound", "gelu_sigmoid", "--relative")
    assert code == 0 and document["supremum"] == "infinity" and document["attained"] is False


def test_a_family_member_is_written_as_a_call(capsys):
    code, document = run_json(capsys, "bound", "gelu_tanh(x, c=0.0447)", "--against", "gelu_tanh", "--on", "-3", "1/2")
    assert code == 0 and document["domain"] == ["-3", "1/2"] and document["verdict"] == "certified"


def test_what_is_not_decided_in_time_exits_with_3(capsys):
    code, document = run_json(capsys, "bound", "gelu_tanh", "--derivative", "4", "--timeout", "0.001")
    assert code == 3 and document["verdict"] == "unknown" and document["supremum"] is None and document["reason"]


def test_the_minimum_of_gelu_is_located(capsys):
    code, document = run_json(capsys, "locate", "minimum", "gelu")
    (place,) = document["points"]
    assert code == 0 and document["complete"] is True
    assert place["x"]["lower"].startswith("-0.751791524693564")
    assert place["value"]["upper"].startswith("-0.169971207479903")


def test_text_answers_name_the_domain_and_the_verdict(capsys):
    assert main(["bound", "relu", "--derivative", "1", "--on", "-inf", "1"]) == 0
    out = capsys.readouterr().out
    assert "over x <= 1" in out and "certified" in out and "not attained" in out


@pytest.mark.parametrize(
    "words",
    [
        "bound gelu_than",
        "bound gelu_tanh --digits -3",
        "bound gelu_tanh --digits 1000000",
        "bound gelu_tanh --derivative 5",
        "bound gelu_tanh --derivative -1",
        "bound gelu_tanh --on inf -inf",
        "bound gelu_tanh --on -inf -inf",
        "bound gelu_tanh --on 3 3",
        "bound gelu_tanh --on 3 -3",
        "bound gelu_tanh --on nan 3",
        "bound gelu_tanh --on 0 three",
        "bound gelu_tanh --timeout 0",
        "bound gelu_tanh --timeout nan",
        "bound __import__('os')",
        "bound log(x)",
        "bound 1/(x-x)",
        "bound x --against relu --relative",
        "bound mish --certificate out.json",
        "bound gelu_tanh --relative --certificate out.json",
        "locate minimum gelu_than",
        "locate centre gelu",
        "locate roots sqrt(x)",
    ],
)
def test_bad_input_is_one_line_and_exit_2(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("gelu-verify: error: ") and captured.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("formula", ["gelu_tanh", "gelu_tanh(x, c=0.0447)", "gelu_sigmoid(x,k = 17/10)"])
def test_a_certificate_is_written_and_holds(formula, capsys, tmp_path):
    from gelu_verify.proofs import checker

    path = tmp_path / "bound.json"
    assert main(["bound", formula, "--certificate", str(path)]) == 0
    assert checker.main([str(path)]) == 0


def test_an_unwritable_certificate_is_told_before_anything_is_printed(capsys, tmp_path):
    assert main(["bound", "gelu_tanh", "--certificate", str(tmp_path / "missing" / "c.json")]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1 and captured.out == ""
