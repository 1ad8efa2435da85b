"""The pytest plugin: reference values, golden vectors and ulp budgets for somebody's own tests.

pytest imports this module in every run of every project that has gelu-verify installed, so it imports nothing itself.
"""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gelu_verify.assertions.budgets import Budget
    from gelu_verify.vectors import Vectors

FAULT_OPTION = "--gelu-faults"
OUTCOMES_OPTION = "--gelu-faults-to"
MARKER = "gelu_accuracy"
_SEEDED = "gelu_implementation"  # the property of a report that holds the fault's id
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
        help="run gelu_implementation tests on every seeded fault and every right variant",
    )
    group.addoption(OUTCOMES_OPTION, default=None, metavar="FILE", help="write what became of each of them, as JSON")
    parser.addini("gelu_budgets", "TOML file of ulp budgets: [[budget]] with target, function, format, max_ulp")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, so that --strict-markers knows it."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(function='gelu', format='binary32', max_ulp=2, on=None, gradient=None, exhaustive=False): "
        "what the test's fixture gelu_check demands of an implementation; one run of the test for each such marker",
    )

    file = config.getoption(OUTCOMES_OPTION)
    if file and not hasattr(config, "workerinput"):  # pytest-xdist's workers report to the process that started them
        config.pluginmanager.register(_Outcomes(Path(file)), "gelu-verify-outcomes")


class _Outcomes:
    """What became of the tests of each seeded implementation, written when all have run."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._seen: dict[str, set[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember an outcome: `failed` is the test's own, `error` that of what was to be there before or after it."""
        outcome = "error" if report.failed and report.when != "call" else str(report.outcome)
        for name, value in report.user_properties:
            if name == _SEEDED and (report.when == "call" or outcome != "passed"):
                self._seen.setdefault(str(value), set()).add(outcome)

    def pytest_sessionfinish(self) -> None:
        """Write the worst outcome of each."""
        ranks = ("failed", "error", "passed", "skipped")
        worst = {id: next(rank for rank in ranks if rank in seen) for id, seen in self._seen.items()}
        try:
            self._file.write_text(json.dumps(worst), encoding="utf-8")
        except OSError as error:
            from gelu_verify.errors import reason

            pytest.exit(f"cannot write {self._file}: {reason(error)}", pytest.ExitCode.USAGE_ERROR)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `gelu_check` once for each marker, one that asks for `gelu_budget` once for each budget,
    and under --gelu-faults one that asks for `gelu_implementation` once for each fault.
    """
    from gelu_verify.errors import InputError

    try:
        _generate_demands(metafunc)
        _generate_budgets(metafunc)
        _generate_faults(metafunc)
    except InputError as error:  # told in one line, and not with the way through pytest that led here
        raise pytest.Collector.CollectError(str(error)) from None


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
        raise pytest.Collector.CollectError(
            f"{node.nodeid} is marked {MARKER}; let it take the fixture gelu_check and call it"
        )


def _generate_budgets(metafunc: pytest.Metafunc) -> None:
    if "gelu_budget" not in metafunc.fixturenames:
        return
    from gelu_verify.assertions.budgets import read_budgets

    file = metafunc.config.getini("gelu_budgets")
    if not file:
        raise pytest.Collector.CollectError(
            "a test asks for gelu_budget; name the budget file in pytest's setting gelu_budgets"
        )
    settings = metafunc.config.inipath  # a path in a file of settings starts where that is, whatever --rootdir says
    folder = metafunc.config.rootpath if settings is None else settings.parent
    budgets = read_budgets(Path(folder, str(file)))
    metafunc.parametrize("gelu_budget", budgets, ids=[budget.id for budget in budgets], indirect=True)


def _generate_faults(metafunc: pytest.Metafunc) -> None:
    chosen = metafunc.config.getoption(FAULT_OPTION)
    if chosen and "gelu_implementation" in metafunc.fixturenames:
        from gelu_verify.strength import seeded_implementations

        function, _, format = str(chosen).partition(":")
        seeded = seeded_implementations(function, format or "binary32")
        metafunc.parametrize("gelu_implementation", [*seeded.items()], ids=[*seeded], indirect=True)


def _demand(test: str, mark: pytest.Mark) -> dict[str, Any]:
    """Return the options of a marker that makes sense."""
    from gelu_verify.assertions.demands import demand
    from gelu_verify.errors import InputError

    names = [*_OPTIONS[: len(mark.args)], *mark.kwargs]
    if len(mark.args) > len(_OPTIONS) or len(set(names)) < len(names) or not set(names) <= set(_OPTIONS):
        raise InputError(f"the marker {MARKER} of {test} takes {', '.join(_OPTIONS)}, each once")
    options = dict(zip(names, (*mark.args, *mark.kwargs.values()), strict=True))
    try:
        demand(**options)
    except InputError as error:
        raise InputError(f"the marker {MARKER} of {test}: {error}") from None
    return options


def _words(demand: dict[str, Any]) -> Iterator[str]:
    """Yield what tells the runs of a test apart."""
    yield from (str(demand[name]) for name in ("function", "format") if name in demand)
    yield from ("exhaustive" for _ in range(bool(demand.get("exhaustive"))))


class _Check:
    """What the fixture gelu_check gives: the assertion with its options, which remembers whether it was called."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self.called = False

    def __call__(self, fn: Callable[..., Any], **options: Any) -> None:
        __tracebackhide__ = not os.environ.get("GELU_VERIFY_TRACEBACK")
        self.called = True
        assert_gelu_accurate(fn, **(self._options | options))


@pytest.fixture
def gelu_check(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`assert_gelu_accurate` with the options of the test's marker gelu_accuracy. A marker that only this run has, by
    `pytest.param` or a hook, goes before them, and the options of the call before both.
    """
    options: dict[str, Any] = dict(getattr(request, "param", {}))
    of_every_run = getattr(request.function, "pytestmark", [])
    for mark in reversed(request.node.own_markers):
        if mark.name == MARKER and mark not in of_every_run:
            options |= _demand(request.node.nodeid, mark)
    return _Check(options)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Fail a test that passed without calling the `gelu_check` that it asked for: nothing was checked."""
    result = yield
    check = pyfuncitem.funcargs.get("gelu_check")
    if isinstance(check, _Check) and not check.called:
        pytest.fail("gelu_check was never called, so nothing was checked; call it with an implementation", False)
    return result


@pytest.fixture
def gelu_budget(request: pytest.FixtureRequest) -> "Budget":
    """One entry of the budget file; `gelu_budget.check()` measures it, and lowers it under --gelu-update."""
    from dataclasses import replace

    budget: Budget = request.param
    return replace(budget, update=bool(request.config.getoption("--gelu-update")))


@pytest.fixture
def gelu_implementation(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """The implementation under test: a right GELU, or under --gelu-faults the seeded ones, wrong and right, in turn."""
    if hasattr(request, "param"):
        id, seeded = request.param
        request.node.user_properties.append((_SEEDED, id))
        call: Callable[..., Any] = seeded
        return call
    from gelu_verify.faults.correct import gelu_by_erfc

    return gelu_by_erfc


@pytest.fixture(scope="session")
def gelu_reference() -> Callable[..., Any]:
    """A function (x, function="gelu", derivative=0): the exact values, correctly rounded to the type of x."""
    from gelu_verify.assertions.reference import reference_array

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
    """Check a callable: `gelu_verify.assert_gelu_accurate`, which this loads when it is called."""
    __tracebackhide__ = not os.environ.get("GELU_VERIFY_TRACEBACK")
    from gelu_verify.assertions.accuracy import assert_gelu_accurate as check

    check(*arguments, **options)
