"""The verb `claims`: what it prints, and the code it ends with."""

import json
from pathlib import Path

import pytest
from gelu_verify.cli import main
from gelu_verify.reports.ledger import example_text

TRUE = '[[claim]]\nid = "A"\nstatement = "s"\nkind = "value"\nat = "1"\nprinted = "0.84"\n'


def write(folder: Path, text: str) -> str:
    path = folder / "claims.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (TRUE, 0),
        (TRUE.replace("0.84", "0.85"), 1),
        (TRUE + '[[claim]]\nid = "B"\nstatement = "s"\nkind = "experiment"', 0),  # cited: not checked, not failed
        (TRUE.replace('"1"', '"0"') + 'function = "relu"\nderivative = 1', 3),
    ],
)
def test_the_exit_code_tells_whether_all_holds(tmp_path: Path, text: str, code: int) -> None:
    assert main(["claims", write(tmp_path, text)]) == code


def test_json_has_the_keys_tools_rely_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["claims", write(tmp_path, TRUE), "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["schema_version"] == 1
    (claim,) = document["claims"]
    assert {"id", "statement", "verdict", "evidence", "value", "source"} <= set(claim)
    assert claim["value"]["lower"] < claim["value"]["upper"]


def test_text_shows_verdict_number_and_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["claims", write(tmp_path, TRUE.replace("0.84", "0.85"))])
    out = capsys.readouterr().out
    assert out.startswith("refuted     A  s")
    assert "it is 0.84, not 0.85" in out
    assert "gelu-verify value --digits 20 -- 1" in out
    assert out.endswith("1 claim: 1 refuted\n")


def test_the_example_is_a_file_that_can_be_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", "--example"]) == 0
    assert capsys.readouterr().out == example_text()
    main(["claims", write(tmp_path, example_text()), "--json"])
    verdicts = {claim["id"]: claim["verdict"] for claim in json.loads(capsys.readouterr().out)["claims"]}
    assert {name for name, verdict in verdicts.items() if verdict == "unknown"} <= {"torch"}


@pytest.mark.parametrize("arguments", [["absent.toml"], ["--timeout", "0"], ["--timeout", "nan"], ["--timeout", "x"]])
def test_bad_input_gets_one_line_and_exit_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("gelu-verify: error: ")
    assert captured.err.count("\n") == 1
