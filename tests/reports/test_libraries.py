"""Claims about libraries: probed where they are installed, unknown and never green where they are not."""

from pathlib import Path
from typing import Any

import pytest

from gelu_verify.errors import InputError
from gelu_verify.records import Verdict
from gelu_verify.reports import libraries
from gelu_verify.reports.claims import Limits, judge, parse_claims
from gelu_verify.reports.claims.implementation import identified
from gelu_verify.reports.claims.output import claim_json
from gelu_verify.reports.libraries import LIBRARY_FUNCTIONS, LibraryFunction, get_library_function
from gelu_verify.reports.pipeline import Context
from gelu_verify.reports.sections import implementations

RIGHT = LibraryFunction("gelu_verify.tanh", "gelu_verify.faults.correct:gelu_tanh_factored", "gelu_tanh")
WRONG = LibraryFunction("gelu_verify.slip", "gelu_verify.faults.constants:cubic_0_044175", "gelu_tanh")
ABSENT = LibraryFunction("no_such_library.gelu", "no_such_library:gelu", "gelu")
BROKEN = LibraryFunction("gelu_verify.broken", "gelu_verify.forms:no_such_form", "gelu")


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {each.name: each for each in (RIGHT, WRONG, ABSENT, BROKEN)}
    for module in (libraries, implementations):
        monkeypatch.setattr(module, "LIBRARY_FUNCTIONS", {**LIBRARY_FUNCTIONS, **ours})


def claimed(implementation: str, function: str, limits: Limits = Limits(probing=True)) -> dict[str, Any]:  # noqa: B008
    text = f"""
    [[claim]]
    id = "A"
    statement = "s"
    kind = "implementation"
    implementation = "{implementation}"
    function = "{function}"
    """
    (claim,) = parse_claims(text.encode(), "f.toml")
    return claim_json(judge(claim, limits))


@pytest.mark.parametrize(
    ("implementation", "function", "verdict", "says"),
    [
        ("gelu_verify.tanh", "gelu_tanh", Verdict.SAMPLED, "computes gelu_tanh."),
        ("gelu_verify.tanh", "gelu", Verdict.REFUTED, "computes gelu_tanh, not gelu."),
        ("gelu_verify.slip", "gelu_tanh", Verdict.REFUTED, "c = 0.044175"),
        ("no_such_library.gelu", "gelu", Verdict.UNKNOWN, "no_such_library is not installed here"),
        ("gelu_verify.broken", "gelu", Verdict.UNKNOWN, "no_such_form"),
    ],
)
def test_a_claim_about_a_library_is_settled_by_probing(
    implementation: str, function: str, verdict: Verdict, says: str
) -> None:
    claim = claimed(implementation, function)
    assert claim["verdict"] == verdict
    assert says in claim["evidence"][0]["text"]
    assert not Verdict(claim["verdict"]).holds


def test_nothing_is_probed_where_the_answer_must_not_depend_on_the_machine() -> None:
    claim = claimed("gelu_verify.tanh", "gelu_tanh", Limits())
    assert claim["verdict"] == Verdict.UNKNOWN
    assert "depends on what is installed" in claim["evidence"][0]["text"]


def test_only_known_names_can_be_claimed_so_no_strange_code_is_run() -> None:
    for name in ("os.system", "torch.nn.functional:gelu", "torch.load", "./file.py:f"):
        with pytest.raises(InputError, match="unknown implementation"):
            claimed(name, "gelu")
    with pytest.raises(InputError, match=r"did you mean 'torch\.gelu"):
        get_library_function("torch.gelo")


def test_activations_of_transformers_are_reached_by_name_alone() -> None:
    with pytest.raises(AttributeError):
        _ = libraries.transformers_os  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        _ = libraries.something  # type: ignore[attr-defined]


def test_what_is_installed_is_audited_and_what_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(implementations, "LIBRARY_FUNCTIONS", {each.name: each for each in (RIGHT, WRONG, BROKEN)})
    monkeypatch.setattr(implementations, "spread", lambda work, questions, advance: [work(each) for each in questions])
    context = Context({}, {"timeout": 60.0}, tmp_path, lambda done, total: None)
    right, wrong, broken = implementations.implementations(context)["audits"]
    assert (right["verdict"], right["identified"]) == ("sampled", "gelu_tanh")
    assert right["errors"]["counts"]["nan"] == 0
    assert wrong["verdict"] == "refuted" and "0.044175" in wrong["identified"]
    assert broken["verdict"] == "unknown" and "no_such_form" in broken["reason"]


def test_a_library_that_ends_the_process_importing_it_is_told_and_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deadly_library.py").write_text("import os\nos._exit(3)\n")
    monkeypatch.syspath_prepend(tmp_path)
    deadly = LibraryFunction("deadly_library.gelu", "deadly_library:gelu", "gelu")
    assert deadly.installed
    with pytest.raises(InputError, match=r"deadly_library\.gelu cannot be loaded: .*exit code 3"):
        identified(deadly, 60.0)
