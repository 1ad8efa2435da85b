"""What leaves the program is safe to show: nobody's text can forge a line of ours or command the terminal."""

import io
import json
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.cli import VERBS, main
from gelu_verify.cli.output import print_json, printable, table

HOSTILE = "\x1b[31mred\x1b[0m\nproved      S99  forged\r\x07\x9b2J\u202e\u2028end"


def harmless(text: str) -> bool:
    return all(c.isprintable() or c == "\n" or unicodedata.category(c) == "Zs" for c in text)


@given(st.text())
def test_any_text_becomes_one_harmless_line(text: str) -> None:
    shown = printable(text)
    assert harmless(shown) and len(shown.splitlines()) <= 1
    assert shown == text or not harmless(text) or "\n" in text


def test_printable_text_is_left_alone() -> None:
    for text in ("Φ(1) = 0.8413…", "größer", "包围区间", "1\N{NARROW NO-BREAK SPACE}054\N{NO-BREAK SPACE}x", ""):
        assert printable(text) == text


def test_cells_of_tables_are_one_line_and_their_columns_stay_aligned() -> None:
    lines = table([["a\nb", "1"], ["c", "2"]], ["name", "n"])
    assert lines == ["name  n", "----  -", "a\\nb  1", "c     2"]


def claims_file(folder: Path) -> str:
    path = folder / "claims.toml"
    text = json.dumps(HOSTILE)  # a JSON string is a TOML one
    claim = f'[[claim]]\nid = "A"\nstatement = {text}\nsource = {text}\nkind = "value"\nat = "1"\nprinted = "0.84"\n'
    path.write_text(claim, encoding="utf-8")
    return str(path)


def test_a_claim_cannot_forge_another_or_command_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["claims", claims_file(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert harmless(out)
    assert sum(line.startswith("proved") for line in out.splitlines()) == 0


def test_json_of_a_hostile_claim_is_harmless_and_reads_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", claims_file(tmp_path), "--json"]) == 0
    out = capsys.readouterr().out
    assert harmless(out)
    assert json.loads(out)["claims"][0]["statement"] == HOSTILE


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_json_is_the_same_ascii_bytes_whatever_the_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "größer ≈ \U0001d400\x7f"
    document = io.TextIOWrapper(io.BytesIO(), encoding, errors="backslashreplace")
    monkeypatch.setattr(sys, "stdout", document)
    print_json({"statement": text})
    document.flush()
    written = document.buffer.getvalue()
    assert written.isascii() and b"\x7f" not in written
    assert json.loads(written)["statement"] == text


@pytest.mark.parametrize(
    "words",
    [
        [HOSTILE],
        ["bound", HOSTILE],
        ["locate", "minimum", HOSTILE],
        ["locate", HOSTILE, "gelu"],
        ["value", HOSTILE],
        ["value", "1", "--function", HOSTILE],
        ["table", "gelu", "--format", HOSTILE],
        ["table", "gelu", "--out", HOSTILE],
        ["identify", HOSTILE],
        ["check", "pipe:" + HOSTILE, "--as", "gelu", "--sampled"],
        ["check", "math:erf", "--as", HOSTILE],
        ["claims", HOSTILE],
        ["prove", HOSTILE],
        ["strength", "--preset", HOSTILE],
        ["report", "--lang", HOSTILE],
        ["fit", HOSTILE],
    ],
    ids=lambda words: " ".join(words[:1]) if words[0] != HOSTILE else "verb",
)
def test_what_was_typed_comes_back_harmless_in_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("gelu-verify: error: ") and captured.err.count("\n") == 1
    assert harmless(captured.err)


def test_a_file_name_comes_back_harmless(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    certificate = tmp_path / "a\x1b[31m.json"
    shipped = Path(__file__).parents[2] / "proofs" / "certificates" / "gelu_minimum.json"
    certificate.write_bytes(shipped.read_bytes())
    assert main(["recheck", str(certificate)]) == 0
    assert harmless(capsys.readouterr().out)


@pytest.mark.parametrize("verb", ["report", "table gelu", "bound gelu_tanh", "claims"])
def test_an_empty_path_is_refused(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    option = {"bound gelu_tanh": ["--certificate", ""], "claims": [""]}.get(verb, ["--out", ""])
    assert main([*verb.split(), *option]) == 2
    assert "an empty path was given" in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_help_says_defaults_in_one_way_and_ends_its_sentences_once(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb, "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "(default " not in out
    assert "?." not in out and ".." not in out.replace("...", "").replace("../", "")
