"""What all tests share: how Hypothesis looks for examples, and one real report, made once.

The report has everything but what depends on the machine.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from gelu_verify.cli import main

# The same examples in every run, and no clock: a test that fails must fail because of the code, not of a busy machine.
settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def plain_output() -> Iterator[None]:
    """Take out the variables that make the pytest of a test's own project write in colour, or write more."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("BUILD_NUMBER", "CI", "FORCE_COLOR", "PYTEST_ADDOPTS", "PY_COLORS"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def report_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the folder of a finished report."""
    out = tmp_path_factory.mktemp("report") / "out"
    assert main(["report", "--out", str(out), "--portable"]) == 0
    yield out


@pytest.fixture(scope="session")
def document(report_folder: Path) -> Any:
    """Return the report's document."""
    return json.loads((report_folder / "report.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def german(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the variables of a German surrounding, with a locale made for the tests: it writes 1,5 for 1.5."""
    folder = tmp_path_factory.mktemp("locales")
    if shutil.which("localedef") is None:
        pytest.skip("there is no localedef to make a German locale with")
    words = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")]
    made = subprocess.run(words, capture_output=True, text=True, check=False)
    if not (folder / "de_DE.UTF-8").is_dir():
        pytest.skip(f"localedef cannot make a German locale: {made.stderr.strip()[:100]}")
    return {"LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
