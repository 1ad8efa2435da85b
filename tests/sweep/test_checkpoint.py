"""Sweeps that are interrupted, killed, damaged and resumed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from gelu_verify.catalogue import get_function
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS
from gelu_verify.forms import FORMS
from gelu_verify.sweep import Interval, Policy, sweep
from gelu_verify.sweep.checkpoint import Progress, _digest, load, save
from gelu_verify.sweep.statistics import Edge, Tally, Worst
from gelu_verify.sweep.statistics import Interval as Region

BINARY16 = FORMATS["binary16"]
GELU_TANH = get_function("gelu_tanh")
PATIENCE = 300  # seconds: a machine may be slow and busy, and a test that fails for that tells nothing
EAGER = """
import signal, sys
from gelu_verify.cli import main
from gelu_verify.sweep import engine

signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs in the background inherits deaf ears
engine._SAVE_EVERY = 0.0  # after every task, however fast or slow the machine is
sys.exit(main())
"""
COMMAND = [sys.executable, "-c", EAGER, "check", "gelu_verify.forms:tanh_naive", "--as", "gelu_tanh", "--json"]
PART = ["--on", "-9", "-1", "--workers", "2"]


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
    yield '{"a":' * 50_000
    yield text.replace("7", "1" * 5000, 1)
    for depth in (300, 900, 2000):
        yield text.replace('"done": [2]', f'"done": {"[" * depth}2{"]" * depth}')
    for length in (1, len(text) // 2, len(text) - 1):
        yield text[:length]
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


def test_a_flipped_bit_anywhere_is_noticed(saved: Path) -> None:
    content, generator = saved.read_bytes(), random.Random(5)
    for place in generator.sample(range(8 * len(content)), 200):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << place % 8
        saved.write_bytes(changed)
        with pytest.raises(InputError, match="damaged or not a checkpoint"):
            load(saved, {"format": "binary32"}, {2: 7})


def forge(saved: Path, body: dict[str, object]) -> None:
    """Write a body with the digest that fits."""
    body.pop("digest", None)
    saved.write_text(json.dumps({"digest": _digest(body), **body}))


@pytest.mark.parametrize(
    "change",
    [
        {"done": [1]},
        {"done": [2, 2]},
        {"done": [99]},
        {"done": [[]]},
        {"done": [True]},
        {"done": [2.0]},
        {"done": {"2": 0}},
        {"tallies": [{}]},
        {"tallies": []},
        {"tallies": {}},
        {"sweep": 3},
    ],
)
def test_a_checkpoint_that_contradicts_itself_is_refused(saved: Path, change: dict[str, object]) -> None:
    """Even with a digest that fits: the inputs counted must be those of the tasks done."""
    forge(saved, json.loads(saved.read_text()) | change)
    with pytest.raises(InputError, match="damaged"):
        load(saved, {"format": "binary32"}, {1: 3, 2: 7})


@pytest.mark.parametrize(
    "change",
    [
        {"inputs": "7"},
        {"inputs": 7.0},
        {"inputs": -7},
        {"counts": {"misrounded": -1}},
        {"counts": {"misrounded": "3"}},
        {"counts": {"misrounded": 2**64}},
        {"counts": {"unheard of": 1}},
        {"counts": []},
        {"histogram": [[0, 1]]},
        {"histogram": [[0, 7, 3, 1, 0, 0, 0, "0"]]},
        {"histogram": 3},
        {"worst": {"ulp": ["1e999999999", 1, 1]}},
        {"worst": {"ulp": ["1/0", 1, 1]}},
        {"worst": {"ulp": ["nan", 1, 1]}},
        {"worst": {"ulp": [1.5, 1, 1]}},
        {"worst": {"ulp": ["1" * 5000, 1, 1]}},
        {"worst": {"ulp": ["1", 1]}},
        {"worst": {"size": ["1", 1, 1]}},
        {"bounds": {"abs": "inf"}},
        {"bounds": {"abs": 1}},
        {"regions": {"nan": [[5, 9]]}},
        {"regions": {"nan": [["5", 9, 2]]}},
        {"edges": [[5, "zero", None]]},
        {"edges": [[5, 0.0, None]]},
        {"edges": [[5, "0x1p+0", 2]]},
        {"edges": [5]},
    ],
)
def test_nothing_in_a_tally_is_taken_on_trust(saved: Path, change: dict[str, object]) -> None:
    body = json.loads(saved.read_text())
    body["tallies"] = [body["tallies"][0] | change]
    forge(saved, body)
    with pytest.raises(InputError, match="damaged"):
        load(saved, {"format": "binary32"}, {2: 7})


def test_a_checkpoint_for_another_number_of_functions_is_refused(saved: Path) -> None:
    with pytest.raises(InputError, match="damaged"):
        load(saved, {"format": "binary32"}, {2: 7}, functions=2)


def test_a_checkpoint_of_another_version_is_told_as_that(saved: Path) -> None:
    forge(saved, json.loads(saved.read_text()) | {"version": 2})
    with pytest.raises(InputError, match="written by another version"):
        load(saved, {"format": "binary32"}, {2: 7})


def test_what_is_no_readable_file_is_told_before_anything_is_read(tmp_path: Path) -> None:
    """A pipe would let us wait for ever, and a gigabyte would fill the memory."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with (tmp_path / "gigabyte").open("wb") as stream:
        stream.truncate(2**30)
    for path, complaint in (
        (tmp_path, "it is not a file"),
        (tmp_path / "pipe", "it is not a file"),
        (Path("/dev/zero"), "it is not a file"),
        (tmp_path / "gigabyte", "damaged or not a checkpoint"),
        (tmp_path / "loop", "too many levels of symbolic links"),
        (tmp_path / "gigabyte" / "inside", "not a directory"),
    ):
        with pytest.raises(InputError, match=complaint) as caught:
            load(path, {}, {})
        assert "\n" not in str(caught.value) and "Errno" not in str(caught.value)


def test_a_link_is_replaced_and_what_it_points_to_is_left_alone(saved: Path, tmp_path: Path) -> None:
    precious, link = tmp_path / "precious.txt", tmp_path / "link.json"
    precious.write_text("precious")
    link.symlink_to(precious)
    with pytest.raises(InputError, match="damaged or not a checkpoint"):
        sweep(FORMS["tanh_naive"], GELU_TANH, FORMATS["e5m2"], workers=1, resume=link)
    save(link, {}, Progress(frozenset(), ()))
    assert precious.read_text() == "precious"
    assert not link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "precious.txt", "sweep.json"]


def test_a_checkpoint_that_cannot_be_written_is_told_before_the_work(tmp_path: Path) -> None:
    def never(x: np.ndarray) -> np.ndarray:
        raise AssertionError("the work has begun")

    with pytest.raises(InputError, match=r"cannot write the checkpoint .*: no such file or directory$"):
        sweep(never, GELU_TANH, BINARY16, workers=1, resume=tmp_path / "none" / "file")


def test_a_folder_that_cannot_be_written_to_is_told_in_one_line() -> None:
    """/proc is read-only even for the administrator, as whom tests may run."""
    with pytest.raises(InputError, match=r"cannot write the checkpoint /proc/sweep\.json: ") as caught:
        save(Path("/proc/sweep.json"), {}, Progress(frozenset(), ()))
    assert "\n" not in str(caught.value)


def test_two_runs_on_one_checkpoint_both_find_what_there_is(tmp_path: Path) -> None:
    """One begins in the middle of the other, goes on from its checkpoint, and takes it away when it has finished."""
    path, form = tmp_path / "sweep.json", FORMS["tanh_naive"]
    inner, calls = [], []

    def interfered_with(x: np.ndarray) -> np.ndarray:
        calls.append(len(x))
        if len(calls) == 20:
            inner.append(sweep(form, GELU_TANH, BINARY16, name="f", workers=1, resume=path))
        return form(x)

    outer = sweep(interfered_with, GELU_TANH, BINARY16, name="f", workers=1, resume=path)
    assert inner == [outer] == [sweep(form, GELU_TANH, BINARY16, name="f", workers=1)]
    assert not path.exists()


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
    deadline = time.monotonic() + PATIENCE
    while any(Path(f"/proc/{pid}").exists() and not zombie(pid) for pid in pids):
        assert time.monotonic() < deadline, f"processes left behind: {pids}"
        time.sleep(0.02)


def zombie(pid: int) -> bool:
    try:
        return ") Z" in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True


def start(*arguments: str) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a sweep and return it with its workers as soon as there are two."""
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while len(workers := children_of(process.pid)) < 2 and process.poll() is None:
        time.sleep(0.02)
    return process, workers


def wait_until_some_is_done(path: Path, process: subprocess.Popen[str]) -> None:
    """Wait until the checkpoint holds a task, whenever that is."""
    with suppress(FileNotFoundError):  # it has finished between the two questions
        while process.poll() is None and not (path.exists() and json.loads(path.read_text())["done"]):
            time.sleep(0.02)


@pytest.fixture(scope="module")
def whole() -> str:
    """Return what a sweep prints that nothing disturbs."""
    return subprocess.run([*COMMAND, *PART], capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("midway", [False, True])
def test_a_killed_sweep_resumes_and_gives_the_same_json(tmp_path: Path, whole: str, midway: bool) -> None:
    """Killed at a random moment while it starts or works, and killed when a task is done."""
    path = tmp_path / "sweep.json"
    process, workers = start(*PART, "--resume", str(path))
    if midway:
        wait_until_some_is_done(path, process)
    else:
        time.sleep(random.Random().uniform(0.0, 1.0))
    process.kill()
    process.communicate()
    wait_until_gone(workers)
    resumed = subprocess.run([*COMMAND, *PART, "--resume", str(path)], capture_output=True, text=True, check=False)
    assert resumed.stdout == whole
    assert json.loads(whole)["inputs"] > 0
    assert not path.exists()


@pytest.mark.parametrize("midway", [False, True])
def test_ctrl_c_ends_a_sweep_with_130_and_leaves_no_process_behind(tmp_path: Path, midway: bool) -> None:
    """While the workers start, and while they work. The whole sweep, every float, would end with 1."""
    path = tmp_path / "sweep.json"
    process, workers = start("--workers", "2", "--resume", str(path))
    if midway:
        wait_until_some_is_done(path, process)
    os.killpg(process.pid, signal.SIGINT)
    _, complaint = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert complaint.strip() == "gelu-verify: interrupted"
    wait_until_gone(workers)


@pytest.mark.parametrize("after", [0.0, 0.1, 0.3, 1.0])  # while it starts, is handed a task, and works
def test_a_worker_that_dies_is_told(after: float) -> None:
    process, workers = start("--workers", "2")
    time.sleep(after)
    os.kill(workers[0], signal.SIGKILL)
    _, complaint = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    assert "died" in complaint and complaint.count("\n") == 1
