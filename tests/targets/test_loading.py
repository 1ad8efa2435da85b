"""Finding out what a callable is fed, and what is told when a framework is missing, broken or refuses."""

import sys
from pathlib import Path

import numpy as np
import pytest

from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS
from gelu_verify.targets import Misbehaved, Misdeed
from gelu_verify.targets.loading import adapt

BINARY32 = FORMATS["binary32"]


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a torch and a jax on the path that cannot be imported, each in a way of its own."""
    (tmp_path / "torch.py").write_text("import no_such_part_of_torch")
    (tmp_path / "jax.py").write_text("raise ImportError('libcudart.so.13: cannot open shared object file')")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("torch", "jax"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.parametrize(
    ("framework", "message"),
    [
        ("torch", "importing torch failed: No module named 'no_such_part_of_torch'"),
        ("jax", "importing jax failed: libcudart.so.13: cannot open shared object file"),
    ],
)
def test_a_broken_framework_is_not_taken_for_a_missing_one(broken: None, framework: str, message: str):
    with pytest.raises(InputError) as caught:
        adapt(np.tanh, BINARY32, framework)
    assert str(caught.value) == message


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_a_missing_framework_is_told_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch, framework: str):
    monkeypatch.setitem(sys.modules, framework, None)
    with pytest.raises(InputError) as caught:
        adapt(np.tanh, BINARY32, framework)
    assert str(caught.value).startswith(f"the package {framework} is not installed: pip install")


@pytest.mark.parametrize("framework", ["numpy", "scalar"])
def test_a_device_is_refused_where_there_is_none_to_choose(framework: str):
    with pytest.raises(InputError, match=f"a {framework} callable computes where it likes"):
        adapt(np.tanh, BINARY32, framework, device="cuda")


def test_the_framework_whose_array_was_taken_tells_the_fault():
    def only_one_number(x):
        if isinstance(x, np.ndarray):
            raise TypeError("a number was expected")
        return (x,)

    adapter = adapt(only_one_number, BINARY32)
    assert adapter.framework == "scalar"
    with pytest.raises(Misbehaved) as caught:
        adapter.forward(np.array([1.0], np.float32))
    assert caught.value.misdeed is Misdeed.WRONG_DTYPE and "builtins.tuple" in caught.value.detail


def test_an_exception_that_is_no_refusal_of_the_array_is_told_in_its_own_words():
    def unfinished(x):
        if not isinstance(x, np.ndarray):
            raise TypeError("an array was expected")
        raise NotImplementedError("the tail is not written yet")

    adapter = adapt(unfinished, BINARY32)
    assert adapter.framework == "numpy"
    with pytest.raises(NotImplementedError, match="the tail"):
        adapter.forward(np.array([1.0], np.float32))
