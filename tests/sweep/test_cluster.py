"""Sweeps on a Dask cluster of two worker processes: the same results as here, whatever happens to a worker."""

import json
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from gelu_verify.catalogue import get_function
from gelu_verify.cli import main
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import FORMATS
from gelu_verify.sweep import Policy, SweepResult, sweep
from gelu_verify.sweep.cluster import run_on_cluster
from gelu_verify.sweep.tasks import Task, plan_tasks
from gelu_verify.sweep.workers import Job
from tests.sweep.implementations import (
    FORM,
    KillsItsFirstWorker,
    divides_by_zero,
    kills_every_worker,
    threads_told,
)

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

GELU_TANH, BINARY16 = get_function("gelu_tanh"), FORMATS["binary16"]
NOBODY_THERE = "tcp://127.0.0.1:1"  # a port that nothing listens at


def swept(call: object, **options: object) -> SweepResult:
    return sweep(call, GELU_TANH, BINARY16, name="f", **options)  # type: ignore[arg-type]


def a_cluster(workers: int) -> Any:
    """Start a cluster on ports that are free; a task may end one worker, not two."""
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}):
        return distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            worker_dashboard_address=":0",
        )


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Return the address of a cluster whose workers come back when they die."""
    with a_cluster(2) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def alone() -> SweepResult:
    return swept(FORM, workers=1)


def test_a_cluster_finds_what_one_process_finds(address: str, alone: SweepResult) -> None:
    assert swept(FORM, dask=address) == alone


def test_a_worker_killed_in_the_middle_of_a_task_changes_nothing(
    address: str, alone: SweepResult, tmp_path: Path
) -> None:
    marker = tmp_path / "killed"
    assert swept(KillsItsFirstWorker(marker), dask=address) == alone
    assert marker.exists()


def test_an_implementation_that_kills_every_worker_is_told(address: str) -> None:
    with pytest.raises(IncompleteError, match="a task ended every worker that ran it"):
        swept(kills_every_worker, dask=address)


def test_what_was_interrupted_on_a_cluster_is_finished_without_it(
    address: str, alone: SweepResult, tmp_path: Path
) -> None:
    path, half = tmp_path / "sweep.json", 1 << 15

    def interrupt(done: int, total: int) -> None:
        if done > half:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        swept(FORM, dask=address, resume=path, progress=interrupt)
    assert sum(tally["inputs"] for tally in json.loads(path.read_text())["tallies"]) > half
    assert swept(FORM, workers=1, resume=path) == alone


def test_the_command_line_prints_the_same_document(address: str, capfd: pytest.CaptureFixture[str]) -> None:
    words = [
        "check",
        "gelu_verify.forms:tanh_naive",
        "--as",
        "gelu_tanh",
        "--format",
        "e5m2",
        "--on",
        "-8",
        "8",
        "--same-as",
        "gelu_verify.forms:tanh_factored",
        "--json",
    ]
    documents = []
    for more in (["--workers", "1"], ["--dask", address]):
        assert main([*words, *more]) == 1
        out, err = capfd.readouterr()
        assert err == ""
        documents.append(json.loads(out))
    assert documents[0] == documents[1]
    assert documents[1]["inputs"] == documents[1]["same_as"]["inputs"] == 2 * (FORMATS["e5m2"].round(8) + 1)


def test_an_implementation_that_fails_on_a_worker_is_told_in_its_own_words(address: str) -> None:
    with pytest.raises(InputError, match="ZeroDivisionError") as caught:
        swept(divides_by_zero, dask=address)
    assert "\n" not in str(caught.value)


def test_numerical_libraries_on_the_workers_are_told_to_use_one_thread(address: str) -> None:
    with pytest.raises(InputError, match=r"ValueError: 1 1$"):
        swept(threads_told, dask=address)


def test_what_the_workers_cannot_import_is_told_and_leaves_them_alive(
    address: str, alone: SweepResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "only_known_here.py"
    source.write_text("def f(x):\n    return x\n")
    specification = spec_from_file_location(source.stem, source)
    assert specification is not None and specification.loader is not None
    module = module_from_spec(specification)
    monkeypatch.setitem(sys.modules, source.stem, module)
    specification.loader.exec_module(module)
    with pytest.raises(InputError, match="the workers cannot load the implementation \\(ModuleNotFoundError: "):
        swept(module.f, dask=address)
    assert swept(FORM, dask=address) == alone


def test_what_cannot_be_sent_is_told(address: str) -> None:
    lock = Lock()
    with pytest.raises(InputError, match="cannot be sent to a cluster") as caught:
        swept(lambda x: lock, dask=address)
    assert "\n" not in str(caught.value)


def test_only_two_tasks_for_each_thread_are_under_way(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    submit, submitted = distributed.Client.submit, []

    def counted(client: Any, work: Any, packed: bytes, task: Task, **options: Any) -> Any:
        submitted.append(task.number)
        return submit(client, work, packed, task, **options)

    monkeypatch.setattr(distributed.Client, "submit", counted)
    tasks, seen = plan_tasks(BINARY16), []
    for task, _ in run_on_cluster(Job(FORM, (GELU_TANH,), BINARY16, 0, Policy()), tasks, address):
        seen.append(task.number)
        assert len(submitted) < len(seen) + 4  # this one has come back, and no other has been sent for it yet
    assert submitted == [task.number for task in tasks]
    assert sorted(seen) == sorted(submitted)


def test_workers_of_another_version_are_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gelu_verify.sweep.cluster.__version__", "99.0")
    with pytest.raises(InputError, match=r"has gelu-verify .*; install 99\.0 there"):
        swept(FORM, dask=address)


def test_a_cluster_without_workers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gelu_verify.sweep.cluster._FIRST", 0.5)
    with a_cluster(0) as cluster, pytest.raises(IncompleteError, match="has no workers"):
        swept(FORM, dask=cluster.scheduler_address)


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gelu_verify.sweep.cluster._ANSWER", 0.5)
    with pytest.raises(IncompleteError, match=f"no scheduler answers at {NOBODY_THERE}"):
        swept(FORM, dask=NOBODY_THERE)


@pytest.mark.parametrize("address", ["nowhere", "http://127.0.0.1:1", "", "tcp://"])
def test_what_is_no_address_is_told(address: str) -> None:
    with pytest.raises(InputError, match="is no address of a scheduler"):
        swept(FORM, dask=address)


def test_a_number_of_workers_and_a_cluster_exclude_each_other() -> None:
    with pytest.raises(InputError, match="not both"):
        swept(FORM, dask=NOBODY_THERE, workers=2)


def test_without_the_package_the_way_to_get_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match="pip install 'gelu-verify\\[distributed\\]'"):
        swept(FORM, dask=NOBODY_THERE)
