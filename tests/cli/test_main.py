"""The front door: verbs, help, exit codes and one-line complaints."""

import importlib
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gelu_verify import __version__
from gelu_verify.cli import VERBS, main


def test_the_version_is_printed(gelu_verify) -> None:
    assert gelu_verify("--version").out == f"gelu-verify {__version__}\n"


def test_without_a_verb_the_overview_names_every_verb(gelu_verify) -> None:
    outcome = gelu_verify()
    assert outcome.code == 0
    assert all(f"\n  {verb} " in outcome.out for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself_and_ends_with_its_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    examples = importlib.import_module(f"gelu_verify.cli.{verb}").EXAMPLES
    assert capsys.readouterr().out.rstrip().endswith(examples[-1])


@pytest.mark.parametrize("verb", VERBS)
def test_every_verbs_examples_start_with_its_name(verb: str) -> None:
    for example in importlib.import_module(f"gelu_verify.cli.{verb}").EXAMPLES:
        assert shlex.split(example)[:2] == ["gelu-verify", verb]


@pytest.mark.parametrize("words", [["vlaue"], ["value"], ["value", "1", "--nonsense"], ["--nonsense"]])
def test_bad_usage_is_told_in_one_line_with_exit_code_two(words: list[str], gelu_verify) -> None:
    outcome = gelu_verify(*words)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("gelu-verify: error: ")
    assert outcome.err.count("\n") == 1


def test_an_unknown_verb_is_answered_with_the_nearest(gelu_verify) -> None:
    assert "did you mean 'value'" in gelu_verify("vlaue").err


NO_SPACE = "gelu-verify: error: no space left on device: the answer could not be written\n"
NO_FILE = "gelu-verify: error: bad file descriptor: the answer could not be written\n"
ONE = "gelu(1) = 0.84134474606854294858...\n"
UNKNOWN = "gelu-verify: error: unknown verb"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("words", "code", "out", "err"),
    [
        ("value 1 >/dev/full", 3, "", NO_SPACE),
        ("value --help >/dev/full", 3, "", NO_SPACE),
        ("value 1 >&-", 3, "", NO_FILE),
        ("value --help >&-", 3, "", NO_FILE),
        ("value 1 2>&-", 0, ONE, ""),
        ("value 1 <&- 2>&-", 0, ONE, ""),
        ("value 1 2>/dev/full", 0, ONE, ""),
        ("vlaue 1 >&-", 2, "", UNKNOWN),
        ("vlaue 1 2>&-", 2, "", ""),
        ("vlaue 1 2>/dev/full", 2, "", ""),
        ("value 1 >&- 2>&-", 3, "", ""),
        ("table gelu --format binary16 | head -c 1", 141, "#", ""),
        ("check numpy:tanh --as tanh --format binary16 <&- 2>&-", 0, "numpy:tanh", ""),
        ("report --out '' 2>&-", 2, "", ""),
    ],
)
def test_streams_that_are_full_closed_or_left_are_told_in_one_line_and_the_exit_code_stays(
    words: str, code: int, out: str, err: str, unbuffered: str
) -> None:
    command = f"set -o pipefail; {shlex.quote(sys.executable)} -m gelu_verify {words}"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == code
    assert done.stdout.startswith(out) and done.stderr.startswith(err)
    assert done.stderr.count("\n") == bool(err)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (RuntimeError("a\nb"), "internal error: RuntimeError: a b; GELU_VERIFY_TRACEBACK=1 shows where"),
        (MemoryError(), "there is not enough memory"),
        (OSError(30, "Read-only file system", "/there"), "read-only file system: /there"),
    ],
)
def test_what_goes_wrong_within_is_one_line_and_no_refutation(
    error: Exception, says: str, gelu_verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(arguments: object) -> int:
        raise error

    monkeypatch.delenv("GELU_VERIFY_TRACEBACK", raising=False)
    monkeypatch.setattr("gelu_verify.cli.value.run", fail)
    outcome = gelu_verify("value", "1")
    assert (outcome.code, outcome.out, outcome.err) == (3, "", f"gelu-verify: error: {says}\n")


def test_a_caller_without_standard_output_gets_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["value", "1"]) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_who_is_asked_to_end_takes_along_what_it_has_started(number: signal.Signals, tmp_path: Path) -> None:
    told, command = tmp_path / "told", tmp_path / "command"
    os.mkfifo(told)
    command.write_text(f"#!/bin/sh\necho $$ > {shlex.quote(str(told))}\nexec sleep 3600\n", encoding="utf-8")
    command.chmod(0o755)
    words = [sys.executable, "-m", "gelu_verify", "check", f"pipe:{command}", "--as", "gelu", "--timeout", "3600"]
    run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    started = int(told.read_text(encoding="utf-8"))
    run.send_signal(number)
    assert run.communicate(timeout=300) == (b"", b"")
    assert run.returncode == 128 + number
    deadline = time.monotonic() + 300
    while alive(started) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(started)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_end_in_order_leaves_the_interpreter_nothing_to_complain_of(number: signal.Signals) -> None:
    script = f"""
import os, sys, threading
from gelu_verify import cli, processes
def answer(arguments):
    pool = processes._team(2)  # it has semaphores
    os.kill(os.getpid(), {int(number)})
    threading.Event().wait()
from gelu_verify.cli import value
value.run = answer
sys.argv[1:] = ["value", "1"]
sys.exit(cli.main())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "")


def alive(process: int) -> bool:
    """Tell whether a process is left that has not ended: the one that waits for it may be slow."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_an_expression_that_begins_with_a_minus_sign_is_sent_behind_two_dashes(gelu_verify) -> None:
    assert "goes after --" in gelu_verify("bound", "-x").err
    assert "goes after --" not in gelu_verify("bound").err


def test_a_terminal_that_knows_only_ascii_is_no_error() -> None:
    environment = {**os.environ, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "POSIX"}
    environment.pop("PYTHONIOENCODING", None)
    command = [sys.executable, "-m", "gelu_verify", "prove", "--show", "gelu.definition.integral"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0
    assert "\\u03a6" in done.stdout


def test_the_interpreter_can_run_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gelu_verify", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"gelu-verify {__version__}\n"


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = f"{shlex.quote(sys.executable)} -m gelu_verify value $(seq 1 400) --digits 300 | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("gelu(1) = ")
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["bound", "gelu_tanh", "--derivative", "9"], "--derivative 9 is out of range; it must be from 0 to 4"),
        (["locate", "minimum", "gelu", "--derivative", "-1"], "--derivative -1 is out of range"),
        (["check", "math:erf", "--as", "gelu", "--derivative", "12"], "--derivative 12 is out of range"),
        (["identify", "math:erf", "--derivative", "2"], "--derivative 2 is out of range; it must be from 0 to 1"),
        (["table", "gelu", "--derivative", "999"], "--derivative 999 is out of range"),
        (["value", "1", "--derivative", "999"], "--derivative 999 is out of range"),
        (["fit", "gelu_tanh", "--digits", "0"], "--digits 0 is out of range; it must be from 1 to 10000"),
        (["value", "1", "--digits", "10001"], "--digits 10001 is out of range"),
        (["bound", "gelu_tanh", "--timeout", "nan"], "--timeout nan must be a number of seconds above 0"),
        (["identify", "math:erf", "--timeout", "0"], "--timeout 0 must be a number of seconds above 0"),
        (["claims", "--timeout", "inf"], "--timeout inf must be a number of seconds above 0, at most 3600"),
        (["check", "math:erf", "--as", "gelu", "--workers", "0"], "--workers 0 is no number of processes"),
        (["prove", "--workers", "-1"], "--workers -1 is no number of processes; give at least 1"),
        (["strength", "--table", "nowhere.txt"], "cannot read nowhere.txt: no such file or directory"),
    ],
)
def test_what_is_out_of_range_is_refused_in_the_same_words_by_every_verb(gelu_verify, words, says) -> None:
    outcome = gelu_verify(*words)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"gelu-verify: error: {says}")
