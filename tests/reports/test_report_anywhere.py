"""A report is the same wherever and however it is made: abroad, in another time zone, killed and continued."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from gelu_verify.reports.build import PROGRESS
from gelu_verify.reports.languages import LANGUAGES

# The command `report` with its own cheap steps and the claims of the example; it logs the steps that it runs, and hangs
# in the last one if it is told to.
SCRIPT = """
import locale, os, sys, time
from dataclasses import replace
from pathlib import Path
from gelu_verify.cli import main
from gelu_verify.reports import steps
from gelu_verify.reports.claims import judge_all, parse_claims
from gelu_verify.reports.claims.output import claim_json
from gelu_verify.reports.ledger import example_text, sources

LOG = Path(os.environ["REPORT_LOG"])

def judge_the_example(context):
    judged = judge_all(parse_claims(example_text().encode(), "example.toml"))
    return {"ledger": [], "folklore": [claim_json(each) for each in judged], "source": sources()}

def logged(step):
    def run(context):
        with LOG.open("a") as log:
            log.write(step.name + "\\n")
        while step.name == "claims" and "REPORT_HANGS" in os.environ:
            time.sleep(1)
        return step.run(context)
    return replace(step, run=run)

if __name__ == "__main__":
    if "LOCPATH" in os.environ:  # Python itself never asks for the decimal mark, but what it is embedded in may
        locale.setlocale(locale.LC_ALL, "")
        assert locale.str(1.5) == "1,5"
    kept = [step for step in steps.STEPS if step.name in ("special_values", "figures")]
    steps.STEPS = [logged(step) for step in (*kept, steps.Step("claims", judge_the_example))]
    sys.exit(main(["report", "--out", sys.argv[1], "--portable", "--lang", sys.argv[2]]))
"""
HERE = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0"}
ABROAD = {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "4711"}
PATIENCE = 300  # seconds to wait for what takes a few, on a machine that is busy


def start(folder: Path, name: str, surrounding: dict[str, str]) -> "subprocess.Popen[str]":
    script = folder / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, **surrounding, "SOURCE_DATE_EPOCH": "1767225599", "REPORT_LOG": str(folder / "log")}
    command = [sys.executable, str(script), str(folder / name), LANGUAGES[-1]]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: "subprocess.Popen[str]") -> None:
    _, complaints = process.communicate(timeout=PATIENCE)
    assert (process.returncode, complaints) == (0, "")


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def ran(folder: Path) -> list[str]:
    log = folder / "log"
    return log.read_text().split() if log.exists() else []


def test_killed_abroad_and_continued_a_report_has_the_bytes_of_one_made_here(tmp_path: Path) -> None:
    finish(start(tmp_path, "here", HERE))
    assert ran(tmp_path) == ["special_values", "figures", "claims"]
    (tmp_path / "log").unlink()

    killed = start(tmp_path, "abroad", {**ABROAD, "REPORT_HANGS": "1"})
    deadline = time.monotonic() + PATIENCE
    while "claims" not in ran(tmp_path):
        assert killed.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=PATIENCE)
    assert killed.returncode == -signal.SIGKILL
    assert [path.name for path in (tmp_path / "abroad").iterdir()] == [PROGRESS]

    finish(start(tmp_path, "abroad", ABROAD))
    assert ran(tmp_path) == ["special_values", "figures", "claims", "claims"]  # what was finished is not done again
    assert content(tmp_path / "abroad") == content(tmp_path / "here")
    assert json.loads((tmp_path / "here" / "report.json").read_text(encoding="utf-8"))["date"] == "2025-12-31"


def test_the_views_of_the_whole_portable_report_are_the_same_abroad(report_folder: Path, tmp_path: Path) -> None:
    source = str(report_folder / "report.json")
    command = [sys.executable, "-m", "gelu_verify", "report", "--from", source, "--out", str(tmp_path)]
    done = subprocess.run(
        command, env={**os.environ, **ABROAD}, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert content(tmp_path) == content(report_folder)


def test_a_report_made_under_a_decimal_comma_has_the_same_bytes(tmp_path: Path, german: dict[str, str]) -> None:
    for name, surrounding in (("here", HERE), ("abroad", ABROAD | german)):
        finish(start(tmp_path, name, surrounding))
    assert content(tmp_path / "abroad") == content(tmp_path / "here")
