"""Steps run in order, finished ones are kept, and nothing kept is believed that was damaged or made otherwise."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gelu_verify.reports import pipeline
from gelu_verify.reports.pipeline import Advance, Context, Step, Store, run_steps

OPTIONS = {"timeout": 20.0}


@contextmanager
def watch(step: Step, number: int, count: int) -> Iterator[Advance]:
    assert 1 <= number <= count
    yield lambda done, total: None


def results_of(steps: list[Step], store: Store) -> dict[str, Any]:
    return {name: finished.result for name, finished in run_steps(steps, store, OPTIONS, watch).items()}


class Recorder:
    """Steps that count how often they were run."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def step(self, name: str, fails: bool = False, host: str = "") -> Step:
        def run(context: Context) -> Any:
            self.ran.append(name)
            if fails:
                raise KeyboardInterrupt
            return {"name": name, "before": sorted(context.results)}

        return Step(name, run, host=lambda: host)


def test_steps_see_the_results_of_those_before(tmp_path: Path) -> None:
    recorder = Recorder()
    results = results_of([recorder.step("a"), recorder.step("b")], Store(tmp_path / "p"))
    assert results == {"a": {"name": "a", "before": []}, "b": {"name": "b", "before": ["a"]}}


def test_an_interrupted_run_continues_after_its_finished_steps(tmp_path: Path) -> None:
    store, recorder = Store(tmp_path / "p"), Recorder()
    with pytest.raises(KeyboardInterrupt):
        run_steps([recorder.step("a"), recorder.step("b", fails=True)], store, OPTIONS, watch)
    results = results_of([recorder.step("a"), recorder.step("b")], store)
    assert recorder.ran == ["a", "b", "b"]
    assert results["b"]["before"] == ["a"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[:-5],
        lambda text: "null",
        lambda text: "[]",
        lambda text: "[" * 100_000,
        lambda text: text.replace('"name": "a"', '"name": "z"'),
        lambda text: json.dumps({**json.loads(text), "key": "0"}),
        lambda text: json.dumps({**json.loads(text), "result": None}),
        lambda text: json.dumps({**json.loads(text), "seconds": "soon"}),
    ],
)
def test_a_damaged_file_counts_as_absent(tmp_path: Path, damage: Any) -> None:
    store, recorder = Store(tmp_path / "p"), Recorder()
    step = recorder.step("a")
    run_steps([step], store, OPTIONS, watch)
    kept = tmp_path / "p" / "a.json"
    kept.write_text(damage(kept.read_text()))
    assert results_of([step], store) == {"a": {"name": "a", "before": []}}
    assert recorder.ran == ["a", "a"]


def test_what_was_made_under_other_conditions_counts_as_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, recorder = Store(tmp_path / "p"), Recorder()
    run_steps([recorder.step("a")], store, OPTIONS, watch)
    run_steps([recorder.step("a")], store, {"timeout": 5.0}, watch)
    run_steps([recorder.step("a", host="another machine")], store, {"timeout": 5.0}, watch)
    assert recorder.ran == ["a", "a", "a"]
    monkeypatch.setattr(pipeline, "__version__", "0.0.0")
    run_steps([recorder.step("a", host="another machine")], store, {"timeout": 5.0}, watch)
    monkeypatch.setattr(pipeline, "source_digest", lambda: "other sources")
    run_steps([recorder.step("a", host="another machine")], store, {"timeout": 5.0}, watch)
    assert recorder.ran == ["a"] * 5


def test_a_continued_run_returns_what_an_uninterrupted_one_does(tmp_path: Path) -> None:
    step = Step("a", lambda context: {"pair": (1, 2), 3: "three"})
    fresh = results_of([step], Store(tmp_path / "p"))
    assert fresh == results_of([step], Store(tmp_path / "p")) == {"a": {"pair": [1, 2], "3": "three"}}


def test_the_digest_of_the_sources_covers_code_and_data() -> None:
    fed: list[str] = []

    class Digest:
        def update(self, data: bytes) -> None:
            fed.append(data.split(b"\0")[0].decode())

    from importlib.resources import files

    pipeline._feed(Digest(), files("gelu_verify.reports"))
    assert {"pipeline.py", "ledger.toml", "en.toml", "report.html", "report.css"} <= set(fed)
