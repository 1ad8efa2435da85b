"""The verb `fit`: the contract's JSON, the text, and bad input."""

import json

import pytest

from gelu_verify.cli import main


def test_fit_answers_with_the_contracts_keys(capsys):
    assert main(["fit", "gelu_sigmoid", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "certified" and document["family"] == "gelu_sigmoid"
    assert document["constants"]["k"]["lower"].startswith("1.77293396561675")
    assert document["supremum"]["upper"].startswith("0.013922245472758")
    assert document["default_supremum"]["lower"].startswith("0.0203348722092392")
    assert len(document["alternation"]) == 2 and document["gain"]["lower"].startswith("1.4606")
    assert [choice["grid"] for choice in document["representable"]][:2] == ["binary32", "bfloat16"]
    assert document["representable"][0]["constants"]["k"]["hex"].startswith("0x1.")


def test_fit_in_words_says_what_is_gained(capsys):
    assert main(["fit", "gelu_sigmoid", "--against", "Phi"]) == 0
    out = capsys.readouterr().out
    assert "1.702" in out and "certified" in out and "no other constants" in out


@pytest.mark.parametrize(
    "words", ["fit relu", "fit gelu_tanh --against silu", "fit gelu_tanh --digits 0", "fit gelu_tanh --timeout -1"]
)
def test_bad_input_is_one_line(words, capsys):
    assert main(words.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1


def test_out_of_time_is_undecided(capsys):
    assert main(["fit", "gelu_tanh2", "--timeout", "0.0001", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["verdict"] == "unknown"
