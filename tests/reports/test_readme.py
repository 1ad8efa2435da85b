"""What the README shows is what happens: every command in it runs and prints what stands below it."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gelu_verify.cli import VERBS, main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def examples() -> Iterator[tuple[str, str]]:
    """Yield each command shown in a console, with the output shown below it."""
    for block in re.findall(r"```console\n(.*?)```", README, re.S):
        for shown in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = shown.partition("\n")
            yield command, output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what a checkout has, in which commands may write."""
    folder = tmp_path_factory.mktemp("readme")
    for name in ("proofs", "reports", "verify"):
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.mark.parametrize(("command", "output"), list(examples()), ids=[command for command, _ in examples()])
def test_the_command_prints_what_is_shown(command: str, output: str, folder: Path) -> None:
    here = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    assert done.stderr == ""
    if output:
        pattern = ".*".join(map(re.escape, re.split(r"^\.\.\.$", output, flags=re.M)))
        assert re.fullmatch(pattern, done.stdout, re.S), done.stdout


def test_the_readme_names_every_verb_with_its_own_summary() -> None:
    table = README.split("<!-- verbs -->")[0].rpartition("|---|---|\n")[2]
    rows = {f"| `{verb}` | {summary} |" for verb, summary in VERBS.items()}
    assert set(table.strip().splitlines()) == rows


def inline() -> list[str]:
    """Return the commands shown within sentences, but for those with a placeholder in capitals."""
    return [each for each in re.findall(r"`(gelu-verify [^`]+)`", README) if not re.search(r"\b[A-Z]{2,}\b", each)]


@pytest.mark.parametrize("command", inline())
def test_a_command_within_a_sentence_runs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().err == ""


def test_every_command_of_the_program_is_run_by_a_test_or_by_the_continuous_checks() -> None:
    run = {command for command, _ in examples()}
    inline = re.findall(r"`(gelu-verify [^`]+)`", README)
    for command in inline:
        words = shlex.split(command)
        assert words[1] in VERBS or words[1] == "VERB", command
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "<!-- test command -->" in ci and "<!-- main job -->" in README
    assert any(command.startswith("gelu-verify") for command in run)


def test_links_lead_to_files() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", README):
        path = "".join(target)
        if not path.startswith("https://"):
            assert (ROOT / path).exists(), path
