"""Every example in a docstring of the installed package runs and prints what it says."""

import doctest
import importlib
import pkgutil

import pytest

import gelu_verify

MODULES = ["gelu_verify"] + [
    module.name
    for module in pkgutil.walk_packages(gelu_verify.__path__, "gelu_verify.")
    if not module.name.endswith(".__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0, f"{result.failed} of {result.attempted} examples failed in {name}; see the output above"


def test_examples_of_every_room_are_found() -> None:
    """Guards the collection itself: a package that cannot be walked would pass with nothing run."""
    assert {"gelu_verify.errors", "gelu_verify.formats.format", "gelu_verify.formats.arrays"} <= set(MODULES)
