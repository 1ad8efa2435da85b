"""A headless Chromium for the tests of this room, or the plain statement that there is none.

The tests look at the report that the tests of the reports made. They need Chromium and its driver (Debian: chromium,
chromium-driver). Where these are missing, each test asserts just that, and says so in the test run's summary; with
GELU_VERIFY_BROWSER=required (as in CI) their absence fails.
"""

import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REQUIRED = os.environ.get("GELU_VERIFY_BROWSER") == "required"


def missing() -> str:
    """Return what is missing for looking at a page, or an empty string."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium"
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            return program
    return ""


@pytest.fixture(scope="session")
def artefacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder for screenshots: GELU_VERIFY_ARTEFACTS, or one of pytest's own."""
    named = os.environ.get("GELU_VERIFY_ARTEFACTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a driver of a browser started once for all tests; None where there is no browser."""
    absent = missing()
    if absent:
        assert not REQUIRED, f"{absent} is not installed, and GELU_VERIFY_BROWSER=required"
        warnings.warn(f"no report was looked at in a browser: {absent} is not installed", stacklevel=1)
        yield None
        return
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for word in (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    yield browser
    browser.quit()
