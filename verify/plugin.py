"""The pytest plugin: reference values, golden vectors and ulp budgets for somebody's own tests.

pytest imports this module in every run of every project that has gelu-verify installed, so it imports nothing itself.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gelu_verify.budgets import Budget
    from gelu_verify.vectors import Vectors

FAULT_OPTION = "--gelu-faults"


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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `gelu_budget` once for each budget, and under --gelu-faults once for each fault."""
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
