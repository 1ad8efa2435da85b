"""The verb `report`: what it writes, what it refuses, what it does when it is interrupted."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gelu_verify.cli import main
from gelu_verify.reports import build, steps
from gelu_verify.reports.build import PROGRESS
from gelu_verify.reports.languages import LANGUAGES
from gelu_verify.reports.pipeline import Context, Step
from gelu_verify.reports.schema import schema_text


def complaint(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["report", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("gelu-verify: error: ")
    assert captured.err.count("\n") == 1
    return captured.err


def test_a_report_is_its_files_and_leaves_nothing_else(report_folder: Path) -> None:
    assert sorted(path.name for path in report_folder.iterdir()) == [
        "figures",
        "report.html",
        "report.json",
        "report.md",
    ]


def test_the_markdown_shows_every_figure_and_no_other(report_folder: Path, document: Any) -> None:
    linked = set(re.findall(r"\]\((figures/[^)]+)\)", (report_folder / "report.md").read_text(encoding="utf-8")))
    there = {path.relative_to(report_folder).as_posix() for path in (report_folder / "figures").iterdir()}
    assert linked == there == {f"figures/{figure['id']}.svg" for figure in document["figures"]}


def test_the_document_is_what_the_schema_says(document: Any) -> None:
    schema = json.loads(schema_text())
    Draft202012Validator.check_schema(schema)
    assert [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(document)] == []


def test_the_schema_notices_what_is_wrong(document: Any) -> None:
    validator = Draft202012Validator(json.loads(schema_text()))
    for damage in (
        {"schema_version": 2},
        {"claims": {**document["claims"], "ledger": [{**document["claims"]["ledger"][0], "verdict": "true"}]}},
        {"unexpected": 1},
        {"figures": None},
    ):
        assert not validator.is_valid({**document, **damage})


def test_every_claim_of_the_page_has_the_verdict_it_should(document: Any) -> None:
    verdicts = {claim["id"]: claim["verdict"] for claim in document["claims"]["ledger"]}
    proved, certified, cited = (
        ["S01", "S02", "S04", "S05", "S06", "S15", "S17"],
        ["S03", "S07", "S08", "S09", "S10", "S12", "S13", "S16"],
        ["S14", "S18", "S19"],
    )
    assert {name: verdicts[name] for name in proved} == dict.fromkeys(proved, "proved")
    assert {name: verdicts[name] for name in certified} == dict.fromkeys(certified, "certified")
    assert {name: verdicts[name] for name in cited} == dict.fromkeys(cited, "cited")
    assert verdicts["S11"] == "unknown"  # it depends on what is installed
    assert len(verdicts) == 19


def test_what_is_often_said_and_false_is_refuted_with_the_right_number(document: Any) -> None:
    evidence = {claim["id"]: claim["evidence"][0]["text"] for claim in document["claims"]["folklore"]}
    assert {claim["verdict"] for claim in document["claims"]["folklore"]} == {"refuted"}
    assert "0.00047323552068728487" in evidence["C01"]
    assert "1.5957691216" in evidence["C02"]
    assert "gelu'(0) = 0.5" in evidence["C03"]
    assert "-0.1586552539... at -1 and -0.1699712074... at -0.7518" in evidence["C04"]
    assert "-0.75179152469356445" in evidence["C05"]


def test_headline_numbers_are_right_and_agree_with_their_certificates(document: Any) -> None:
    answers = {answer["id"]: answer for answer in document["summary"]["answers"]}
    certificates = {each["id"]: each for each in document["certificates"]}
    assert answers["tanh"]["value"]["lower"].startswith("0.00047323552068728487")
    assert answers["sigmoid"]["value"]["lower"].startswith("0.020334872209239")
    assert answers["minimum"]["value"]["upper"].startswith("-0.169971207479903")
    assert answers["minimum"]["places"][0]["lower"].startswith("-0.751791524693564")
    for name, certificate in (("tanh", "gelu_tanh_error"), ("sigmoid", "gelu_sigmoid_error")):
        assert answers[name]["value"]["lower"][:25] == certificates[certificate]["value"]["lower"][:25]


def test_the_summary_says_what_the_rows_say(document: Any) -> None:
    assert document["summary"]["failed"] == document["summary"]["undecided"] == []
    lines = {line["key"]: line["values"] for line in document["summary"]["holds"]}
    held = {"proved", "certified", "exhaustive"}
    assert lines["claims"]["count"] == sum(claim["verdict"] in held for claim in document["claims"]["ledger"])
    left = {line["key"]: line["values"] for line in document["summary"]["open"]}
    assert left["cited"]["count"] == sum(claim["verdict"] == "cited" for claim in document["claims"]["ledger"])
    assert lines["theorems"]["count"] == len(document["theorems"])


def test_the_commands_beside_thresholds_and_special_values_give_their_numbers(
    document: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def again(row: Any) -> Any:
        assert main([*shlex.split(row["command"])[1:], "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    for row in document["bounds"]["thresholds"]:
        runs = [run for run in again(row)["thresholds"] if run["outcome"] == row["outcome"]]
        assert sum(run["count"] for run in runs) == row["count"]
        assert [run["first"] for run in runs] == [run["first"] for run in row["runs"]]
    for row in document["special_values"]:
        (found,) = again(row)["values"]
        assert found["value"] == row["values"]["gelu"], row["command"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_report_is_written_again_in_another_language_with_the_same_document(
    report_folder: Path, tmp_path: Path, language: str
) -> None:
    source = str(report_folder / "report.json")
    assert main(["report", "--from", source, "--lang", language, "--out", str(tmp_path)]) == 0
    assert (tmp_path / "report.json").read_bytes() == (report_folder / "report.json").read_bytes()
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f'<html lang="{language}">' in html
    assert (html == (report_folder / "report.html").read_text(encoding="utf-8")) is (language == "en")


def test_views_are_pure(report_folder: Path, document: Any) -> None:
    assert {name for name in build.views(document, "en") if "/" not in name} <= set(build.FILES)
    for name, content in build.views(document, "en").items():
        assert (report_folder / name).read_bytes() == content.encode()


def test_unwritable_folders_get_one_line_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("mine")
    assert "cannot write to" in complaint(["--out", str(occupied)], capsys)
    assert "cannot write to" in complaint(["--out", str(occupied / "below")], capsys)
    assert "cannot write to" in complaint(["--out", "/proc/report"], capsys)
    assert "file name too long" in complaint(["--out", str(tmp_path / ("n" * 300))], capsys)
    assert occupied.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("name", "wanted"), [*((name, "file") for name in build.FILES), (build.FIGURES, "folder"), (PROGRESS, "folder")]
)
def test_what_stands_where_the_report_will_be_is_noticed_before_any_work(
    name: str, wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log: list[str] = []
    monkeypatch.setattr(steps, "STEPS", quick_steps(log))
    place = tmp_path / name
    place.mkdir() if wanted == "file" else place.touch()
    assert f"{place} is not a {wanted}; move it away" in complaint(["--out", str(tmp_path)], capsys)
    assert log == []
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_closing_words_are_in_the_language_of_the_report(
    report_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = str(report_folder / "report.json")
    told = {}
    for language in LANGUAGES:
        assert main(["report", "--from", source, "--lang", language, "--out", str(tmp_path)]) == 0
        told[language] = capsys.readouterr().out
    assert "What holds" in told["en"] and "(certified)" in told["en"]
    assert "Was gilt" in told["de"] and "(zertifiziert)" in told["de"]
    assert "哪些成立" in told["zh"] and "已认证" in told["zh"]
    assert not re.search("[a-z]{3,} [a-z]{3,} [a-z]{3,}", told["zh"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--lang", "fr"], "no language 'fr'"),
        (["--lang", "enn"], "did you mean 'en'"),
        (["--skip", "claims"], "not a step that can be left out"),
        (["--skip", "bound"], "did you mean 'bounds'"),
        (["--timeout", "-1"], "--timeout -1"),
        (["--timeout", "inf"], "--timeout inf"),
        (["--from", "absent.json"], "cannot read absent.json"),
        (["--from", "absent.json", "--portable"], "leave out --portable"),
        (["--digits", "3"], "unrecognized arguments"),
    ],
)
def test_bad_choices_get_one_line_and_nothing_is_written(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert says in complaint([*arguments, "--out", str(out)], capsys)
    assert not out.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"generator": {"name": "gelu-verify", "version": "0.0.0"}}',
        b'{"generator": {"name": "gelu-verify", "version": "0.1.0"}}',
        b'{"generator": {"name": "gelu-verify", "version": "0.1.0"}, "claims": 3, "figures": [], "summary": {}}',
    ],
)
def test_what_is_no_report_is_not_written_again(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "source.json", tmp_path / "out"
    source.write_bytes(content)
    assert str(source) in complaint(["--from", str(source), "--out", str(out)], capsys)
    assert not out.exists()


@pytest.mark.parametrize("epoch", ["tomorrow", "-1", "1e9", "9" * 30])
def test_a_wrong_source_date_is_refused(
    epoch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    assert "SOURCE_DATE_EPOCH" in complaint(["--out", str(tmp_path / "out")], capsys)
    assert not (tmp_path / "out").exists()


def quick_steps(log: list[str], interrupt: bool = False) -> list[Step]:
    """Return steps of the right names that are done at once; the second may be interrupted."""
    claims = {"ledger": [], "folklore": [], "source": {"ledger": "l", "folklore": "f"}}

    def step(name: str, result: Any) -> Step:
        def run(context: Context) -> Any:
            log.append(name)
            if interrupt and name == "figures":
                raise KeyboardInterrupt
            return result

        return Step(name, run)

    return [step("claims", claims), step("figures", [])]


def test_an_interrupted_report_ends_with_130_leaves_the_old_one_and_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log: list[str] = []
    (tmp_path / "report.html").write_text("the old report")
    monkeypatch.setattr(steps, "STEPS", quick_steps(log, interrupt=True))
    assert main(["report", "--out", str(tmp_path)]) == 130
    assert (tmp_path / "report.html").read_text() == "the old report"
    assert not (tmp_path / "report.json").exists()
    assert (tmp_path / PROGRESS).is_dir()
    monkeypatch.setattr(steps, "STEPS", quick_steps(log))
    assert main(["report", "--out", str(tmp_path)]) == 0
    assert log == ["claims", "figures", "figures"]
    assert "the old report" not in (tmp_path / "report.html").read_text()
    assert not (tmp_path / PROGRESS).exists()
    assert capsys.readouterr().err == "gelu-verify: interrupted\n"  # nothing else where there is no terminal


def test_a_fresh_report_forgets_what_an_interrupted_one_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log: list[str] = []
    monkeypatch.setattr(steps, "STEPS", quick_steps(log, interrupt=True))
    assert main(["report", "--out", str(tmp_path)]) == 130
    monkeypatch.setattr(steps, "STEPS", quick_steps(log))
    assert main(["report", "--out", str(tmp_path), "--fresh"]) == 0
    assert log == ["claims", "figures", "claims", "figures"]


def test_a_view_that_fails_leaves_the_old_report_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "STEPS", quick_steps([]))
    assert main(["report", "--out", str(tmp_path)]) == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}

    def fail(*arguments: Any, **options: Any) -> str:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "write_text", fail)
    assert main(["report", "--out", str(tmp_path)]) == 2
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == [PROGRESS, "figures"]


def test_without_jinja2_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gelu_verify.reports.views.find_spec", lambda name: None)
    assert "pip install 'gelu-verify[report]'" in complaint(["--out", str(tmp_path / "out")], capsys)
    assert not (tmp_path / "out").exists()


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out)["$schema"].startswith("https://json-schema.org/")
