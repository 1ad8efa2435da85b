"""One real report for the tests that look at reports, made once: all but what depends on the machine."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gelu_verify.cli import main
from gelu_verify.reports.steps import SLOW


@pytest.fixture(scope="session")
def report_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the folder of a finished report."""
    out = tmp_path_factory.mktemp("report") / "out"
    skipped = [word for name in SLOW for word in ("--skip", name)]
    assert main(["report", "--out", str(out), "--portable", *skipped]) == 0
    yield out


@pytest.fixture(scope="session")
def document(report_folder: Path) -> Any:
    """Return the report's document."""
    return json.loads((report_folder / "report.json").read_text(encoding="utf-8"))
