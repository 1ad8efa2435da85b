"""Targets as people type them."""

import pytest

from gelu_verify.errors import InputError
from gelu_verify.targets import parse_target


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("numpy:tanh", ("module", "numpy", "tanh")),
        ("torch.nn:functional.gelu", ("module", "torch.nn", "functional.gelu")),
        (f"{__file__}:parts", ("file", __file__, "parts")),
        ("pipe:./gelu --fast 'a b'", ("pipe", "./gelu --fast 'a b'", "")),
    ],
)
def test_each_form_of_target_is_read(text: str, parts: tuple[str, str, str]):
    target = parse_target(text)
    assert (target.kind, target.place, target.symbol) == parts


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gelu",
        ":",
        "a:",
        ":b",
        "numpy:tan h",
        "nu mpy:tanh",
        "missing.py:f",
        "missing.onnx",
        "missing.so:f",
        "pipe:",
    ],
)
def test_anything_else_is_refused_in_one_line(text: str):
    with pytest.raises(InputError) as caught:
        parse_target(text)
    assert "\n" not in str(caught.value)


def test_keywords_are_literals_or_words_and_fit_only_python_callables():
    assert parse_target("a:b", ["n=3", "approximate=tanh", "flag=None"]).keywords == {
        "n": 3,
        "approximate": "tanh",
        "flag": None,
    }
    for target, keyword in (("a:b", "3"), ("a:b", "=3"), ("pipe:cat", "n=3")):
        with pytest.raises(InputError):
            parse_target(target, [keyword])


def test_a_device_fits_only_python_callables():
    assert parse_target("a:b", device="cuda").device == "cuda"
    with pytest.raises(InputError, match="a device fits only a callable of torch or JAX"):
        parse_target("pipe:cat", device="cuda")
