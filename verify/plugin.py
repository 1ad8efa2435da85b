"""The pytest plugin: reference values, golden vectors and ulp budgets for somebody's own tests.

pytest imports this module in every run of every project that has gelu-verify installed, so it imports nothing itself.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gelu_verify.budgets import Budget
    from gelu_verify.vectors import Vectors

FAULT_OPTION = "--gelu-faults"
MARKER = "gelu_accuracy"
_OPTIONS = ("function", "format", "max_ulp", "on", "gradient", "exhaustive")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options and the name of the budget file."""
    group = parser.getgroup("gelu-verify")
    group.addoption(
        "--gelu-update",
        action="store_true",
        help="lower the budgets of the budget file to what is measured, never raise",
    )
    group.addoption(
        FAULT_OPTION,
        default=None,
        metavar="FUNCTION:FORMAT",
        help="run gelu_implementation tests on every seeded fault",
    )
    parser.addini("gelu_budgets", "TOML file of ulp budgets: [[budget]] with target, function, format, max_ulp")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, so that --strict-markers knows it."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(function='gelu', format='binary32', max_ulp=2, on=None, gradient=None, exhaustive=False): "
        "what the test's fixture gelu_check demands of an implementation; one run of the test for each such marker",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `gelu_check` once for each marker, one that asks for `gelu_budget` once for each budget,
    and under --gelu-faults one that asks for `gelu_implementation` once for each fault.
    """
    _generate_demands(metafunc)
    if "gelu_budget" in metafunc.fixturenames:
        from gelu_verify.budgets import read_budgets

        file = metafunc.config.getini("gelu_budgets")
        if not file:
            raise pytest.UsageError("a test asks for gelu_budget; name the budget file in the ini option gelu_budgets")
        budgets = read_budgets(Path(metafunc.config.rootpath, str(file)))
        metafunc.parametrize("gelu_budget", budgets, ids=[budget.id for budget in budgets], indirect=True)
    chosen = metafunc.config.getoption(FAULT_OPTION)
    if chosen and "gelu_implementation" in metafunc.fixturenames:
        from gelu_verify.strength import seeded_implementations

        seeded = seeded_implementations(*chosen.split(":"))
        metafunc.parametrize("gelu_implementation", [*seeded.values()], ids=[*seeded], indirect=True)


def _generate_demands(metafunc: pytest.Metafunc) -> None:
    """Parametrise by the test's own markers; without one, by the closest of its class or module."""
    node = metafunc.definition
    marks = [mark for mark in node.own_markers if mark.name == MARKER]
    closest = node.get_closest_marker(MARKER)
    marks = marks or ([] if closest is None else [closest])
    if "gelu_check" in metafunc.fixturenames:
        demands = [_demand(node.nodeid, mark) for mark in reversed(marks)] or [{}]
        ids = ["-".join(_words(demand)) or "gelu" for demand in demands]
        metafunc.parametrize("gelu_check", demands, ids=ids, indirect=True)
    elif any(mark.name == MARKER for mark in node.own_markers):
        raise pytest.UsageError(f"{node.nodeid} is marked {MARKER}; let it take the fixture gelu_check and call it")


def _demand(test: str, mark: pytest.Mark) -> dict[str, Any]:
    """Return the options of a marker."""
    names = [*_OPTIONS[: len(mark.args)], *mark.kwargs]
    if len(mark.args) > len(_OPTIONS) or len(set(names)) < len(names) or not set(names) <= set(_OPTIONS):
        raise pytest.UsageError(f"the marker {MARKER} of {test} takes {', '.join(_OPTIONS)}, each once")
    return dict(zip(names, (*mark.args, *mark.kwargs.values()), strict=True))


def _words(demand: dict[str, Any]) -> Iterator[str]:
    """Yield what tells the runs of a test apart."""
    yield from (str(demand[name]) for name in ("function", "format") if name in demand)
    yield from ("exhaustive" for _ in range(bool(demand.get("exhaustive"))))


@pytest.fixture
def gelu_check(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`assert_gelu_accurate` with the options of the test's marker gelu_accuracy; those of the call go before them."""
    demand: dict[str, Any] = getattr(request, "param", {})

    def check(fn: Callable[..., Any], **options: Any) -> None:
        __tracebackhide__ = not os.environ.get("GELU_VERIFY_TRACEBACK")
        assert_gelu_accurate(fn, **(demand | options))

    return check


@pytest.fixture
def gelu_budget(request: pytest.FixtureRequest) -> "Budget":
    """One entry of the budget file; `gelu_budget.check()` measures it, and lowers it under --gelu-update."""
    budget: Budget = request.param
    budget.update = bool(request.config.getoption("--gelu-update"))
    return budget


@pytest.fixture
def gelu_implementation(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """The implementation under test: a right GELU, or under --gelu-faults a seeded wrong one after the other."""
    if hasattr(request, "param"):
        seeded: Callable[..., Any] = request.param
        return seeded
    from gelu_verify.faults.correct import gelu_by_erfc

    return gelu_by_erfc


@pytest.fixture(scope="session")
def gelu_reference() -> Callable[..., Any]:
    """A function (x, function="gelu", derivative=0): the exact values, correctly rounded to the type of x."""
    from gelu_verify.budgets import reference_array

    return reference_array


@pytest.fixture(scope="session")
def gelu_vectors() -> "Callable[..., Vectors]":
    """A function (function="gelu", format="binary32", derivative=0) that returns golden vectors."""
    from gelu_verify.catalogue import function_or_expression
    from gelu_verify.formats import get_format
    from gelu_verify.vectors import golden_vectors

    def vectors(function: str = "gelu", format: str = "binary32", derivative: int = 0) -> "Vectors":
        return golden_vectors(function_or_expression(function), get_format(format), derivative)

    return vectors


def assert_gelu_accurate(*arguments: Any, **options: Any) -> None:
    """Check a callable; see `gelu_verify.assertion.assert_gelu_accurate`, which this loads when it is called."""
    __tracebackhide__ = not os.environ.get("GELU_VERIFY_TRACEBACK")
    from gelu_verify.assertion import assert_gelu_accurate as check

    check(*arguments, **options)
