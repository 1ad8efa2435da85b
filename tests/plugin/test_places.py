"""Where the plugin looks for its files and writes them, whatever folder pytest is run in or told to call its root."""

import subprocess
import sys
from pathlib import Path

import pytest

BUDGETS = '[[budget]]\ntarget = "numpy:abs"\nfunction = "abs(x)"\nformat = "binary16"\nmax_ulp = 1\n'


def run_pytest(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("root", [".", "..", "elsewhere"])
def test_the_budget_file_lies_where_the_settings_say_whatever_the_root(tmp_path: Path, root: str) -> None:
    folder = tmp_path / "project"
    (folder / "elsewhere").mkdir(parents=True)
    (folder / "pytest.ini").write_text("[pytest]\ngelu_budgets = budgets.toml\n", encoding="utf-8")
    (folder / "budgets.toml").write_text(BUDGETS, encoding="utf-8")
    test = folder / "test_it.py"
    test.write_text("def test_it(gelu_budget): gelu_budget.check()\n", encoding="utf-8")
    done = run_pytest(folder / "elsewhere", f"--rootdir={folder / root}", test)
    assert done.returncode == 0, done.stdout


def test_outcomes_that_cannot_be_written_are_told_in_one_line(tmp_path: Path) -> None:
    test = tmp_path / "test_it.py"
    test.write_text("def test_it(gelu_implementation): pass\n", encoding="utf-8")
    done = run_pytest(tmp_path, test, "--gelu-faults-to", tmp_path / "missing" / "outcomes.json")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "Traceback" not in done.stdout + done.stderr
    assert "outcomes.json: no such file or directory" in done.stdout + done.stderr
