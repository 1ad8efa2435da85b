"""Sweeps that are interrupted, killed, damaged and resumed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from gelu_verify.catalogue import get_function
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS
from gelu_verify.forms import FORMS
from gelu_verify.sweep import Interval, Policy, sweep
from gelu_verify.sweep.checkpoint import Progress, load, save
from gelu_verify.sweep.statistics import Edge, Tally, Worst
from gelu_verify.sweep.statistics import Interval as Region

BINARY16 = FORMATS["binary16"]
GELU_TANH = get_function("gelu_tanh")
COMMAND = [sys.executable, "-m", "gelu_verify", "check", "gelu_verify.forms:tanh_naive", "--as", "gelu_tanh", "--json"]


def a_tally() -> Tally:
    tally = Tally(inputs=7, counts={"misrounded": 3}, histogram={0x3F800000: [7, 3, 1, 0, 0, 0, 0]})
    tally.worst["ulp"] = Worst(Fraction(5, 3), 0x3F800001, 0x3F000001)
    tally.bounds = {"ulp": Fraction(1, 2), "abs": None}
    tally.regions = {"nan": [Region(5, 9, 2)]}
    tally.edges = {5: Edge(5, float("-inf"), None), 6: Edge(6, 0.1, -1)}
    return tally


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "sweep.json"
    save(path, {"format": "binary32"}, Progress(frozenset({2}), (a_tally(),)))
    return path


def test_what_was_saved_is_read_back(saved: Path) -> None:
    assert load(saved, {"format": "binary32"}, {1: 3, 2: 7}) == Progress(frozenset({2}), (a_tally(),))


def test_there_need_not_be_a_checkpoint(tmp_path: Path) -> None:
    assert load(tmp_path / "none", {}, {}) is None


def test_a_checkpoint_of_another_sweep_is_refused(saved: Path) -> None:
    with pytest.raises(InputError, match="belongs to another sweep \\(its format differs\\)"):
        load(saved, {"format": "binary16"}, {2: 7})


def mutations(text: str) -> Iterator[str]:
    generator = random.Random(3)
    yield ""
    yield "[]"
    yield "{}"
    yield "[" * 100_000
    yield text[: len(text) // 2]
    for _ in range(60):
        place = generator.randrange(len(text))
        yield text[:place] + generator.choice('0123456789[]{}",-x') + text[place + 1 :]


def test_a_damaged_checkpoint_is_refused_in_one_line(saved: Path) -> None:
    text = saved.read_text()
    for mutated in mutations(text):
        if mutated == text:
            continue
        saved.write_text(mutated)
        with pytest.raises(InputError) as caught:
            load(saved, {"format": "binary32"}, {2: 7})
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("change", [{"done": [1]}, {"done": [2, 2]}, {"done": [99]}, {"tallies": [{}]}, {"done": [[]]}])
def test_a_checkpoint_that_contradicts_itself_is_refused(saved: Path, change: dict[str, object]) -> None:
    """Even with a digest that fits: the inputs counted must be those of the tasks done."""
    from gelu_verify.sweep.checkpoint import _digest

    body = json.loads(saved.read_text()) | change
    del body["digest"]
    saved.write_text(json.dumps({"digest": _digest(body), **body}))
    with pytest.raises(InputError, match="damaged"):
        load(saved, {"format": "binary32"}, {1: 3, 2: 7})


def test_a_checkpoint_that_cannot_be_written_is_told_before_the_work(tmp_path: Path) -> None:
    def never(x: np.ndarray) -> np.ndarray:
        raise AssertionError("the work has begun")

    with pytest.raises(InputError, match="cannot write the checkpoint"):
        sweep(never, GELU_TANH, BINARY16, workers=1, resume=tmp_path / "none" / "file")


def test_an_interrupted_sweep_goes_on_where_it_was(tmp_path: Path) -> None:
    path, calls = tmp_path / "sweep.json", []

    def interrupted(x: np.ndarray) -> np.ndarray:
        calls.append(len(x))
        if len(calls) == 40:
            raise KeyboardInterrupt
        return FORMS["tanh_naive"](x)

    with pytest.raises(KeyboardInterrupt):
        sweep(interrupted, GELU_TANH, BINARY16, name="f", workers=1, resume=path)
    before = len(calls)
    resumed = sweep(interrupted, GELU_TANH, BINARY16, name="f", workers=1, resume=path)
    whole = sweep(FORMS["tanh_naive"], GELU_TANH, BINARY16, name="f", workers=1)
    assert resumed == whole
    assert sum(calls[before:]) < sum(calls[:before]) * 2  # it did not start afresh
    assert not path.exists()


def test_a_policy_is_part_of_what_a_checkpoint_belongs_to(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"

    def interrupted(x: np.ndarray) -> np.ndarray:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(interrupted, GELU_TANH, BINARY16, workers=1, resume=path)
    with pytest.raises(InputError, match="its policy differs"):
        sweep(interrupted, GELU_TANH, BINARY16, workers=1, resume=path, policy=Policy(flush_inputs=True))
    with pytest.raises(InputError, match="its interval differs"):
        sweep(interrupted, GELU_TANH, BINARY16, workers=1, resume=path, on=Interval(Fraction(0), Fraction(1)))


def children_of(pid: int) -> list[int]:
    """Return the worker processes (Python's own resource tracker is a child as well)."""
    listed = subprocess.run(
        ["ps", "-ww", "--ppid", str(pid), "-o", "pid=,args="], capture_output=True, text=True, check=False
    )
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "spawn_main" in line]


def wait_until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() and not zombie(pid) for pid in pids):
        assert time.monotonic() < deadline, f"processes left behind: {pids}"
        time.sleep(0.02)


def zombie(pid: int) -> bool:
    try:
        return ") Z" in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True


def start(*arguments: str) -> tuple[subprocess.Popen[str], list[int]]:
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while len(workers := children_of(process.pid)) < 2 and process.poll() is None:
        time.sleep(0.02)
    return process, workers


def test_a_killed_sweep_resumes_and_gives_the_same_json(tmp_path: Path) -> None:
    options = ["--on", "-9", "-1", "--workers", "2"]
    whole = subprocess.run([*COMMAND, *options], capture_output=True, text=True, check=False).stdout
    path = tmp_path / "sweep.json"
    generator = random.Random()
    for _ in range(2):
        process, workers = start(*options, "--resume", str(path))
        time.sleep(generator.uniform(0.0, 1.5))
        process.kill()
        process.communicate()
        wait_until_gone(workers)
    resumed = subprocess.run([*COMMAND, *options, "--resume", str(path)], capture_output=True, text=True, check=False)
    assert resumed.stdout == whole
    assert json.loads(whole)["inputs"] > 0


def test_ctrl_c_ends_a_sweep_at_once_with_130_and_leaves_no_process_behind() -> None:
    process, workers = start("--workers", "2")
    time.sleep(1.0)
    began = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, complaint = process.communicate(timeout=10)
    assert time.monotonic() - began < 3
    assert process.returncode == 130
    assert complaint.strip() == "gelu-verify: interrupted"
    wait_until_gone(workers)


@pytest.mark.parametrize("after", [0.0, 0.1, 0.3, 1.0])  # while it starts, is handed a task, and works
def test_a_worker_that_dies_is_told(after: float) -> None:
    process, workers = start("--workers", "2")
    time.sleep(after)
    os.kill(workers[0], signal.SIGKILL)
    _, complaint = process.communicate(timeout=30)
    assert process.returncode == 3
    assert "died" in complaint and complaint.count("\n") == 1
