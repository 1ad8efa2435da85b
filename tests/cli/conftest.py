"""Running the command line in this process, as a user would see it."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from gelu_verify.cli import main


@dataclass(frozen=True)
class Outcome:
    """What a command line left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def gelu_verify(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run `gelu-verify WORDS...` and return its exit code and output."""

    def run(*words: str) -> Outcome:
        code = main(words)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run
