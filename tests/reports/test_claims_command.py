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


@pytest.mark.parametrize(
    ("printed", "code", "says"),
    [
        ("0.84", 0, "it rounds to 0.84"),
        ("0.8413...", 0, "its expansion begins with 0.8413..."),
        ("0.841344746068542948585232545632036", 1, "it is 0.841344746068542948585232545632038"),
        ("0.50", 1, "printed in this way it is 0.84, not 0.50"),
        ("1e400", 1, "printed in this way it is 0e400, not 1e400"),
        ("-0", 1, "not exactly -0"),
        ("1/2", 1, "not exactly 1/2"),
        ("+-2.7", 2, "'+-2.7' is not a printed number"),
        ("2,7", 2, "write the decimal comma as a point"),
        ("about 0.02", 2, "beside it about = true"),
        ("1e99999", 2, "an exponent beyond the limit"),
        ("0.5%", 2, "'0.5%' is not a printed number"),
        ("", 2, "'' is not a printed number"),
        ("\N{FULLWIDTH DIGIT ONE}", 2, "is not a printed number"),
    ],
)
def test_odd_printed_numbers_get_the_right_verdict_or_one_line(
    printed: str, code: int, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["claims", write(tmp_path, TRUE.replace("0.84", printed))]) == code
    captured = capsys.readouterr()
    assert says in (captured.err if code == 2 else captured.out)
    assert captured.err.count("\n") == (code == 2)


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    assert main(["claims", write(tmp_path, "\ufeff" + TRUE)]) == 0


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
