"""MathML of catalogue expressions: well formed, with brackets where they are needed and nowhere else."""

import xml.etree.ElementTree as ET

import pytest
from gelu_verify.catalogue import FUNCTIONS, parse
from gelu_verify.reports.mathml import equation, mathml


def shown(expression: str) -> str:
    """Return the characters that a reader sees, in order."""
    return (
        "".join(ET.fromstring(mathml(parse(expression))).itertext())
        .replace("\N{INVISIBLE TIMES}", "·")
        .replace("\N{FUNCTION APPLICATION}", "")
    )


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_every_function_of_the_catalogue_has_a_formula(name: str) -> None:
    root = ET.fromstring(equation(name, FUNCTIONS[name].expression))
    assert root.tag == "math"
    assert "".join(root.itertext()).startswith(f"{name}(x)=")


@pytest.mark.parametrize(
    ("expression", "reads"),
    [
        ("x*(1 + x)", "x·(1+x)"),
        ("x*x + 1", "x·x+1"),
        ("x - (1 - x)", "x−(1−x)"),
        ("x - 1 - x", "x−1−x"),
        ("-(x + 1)", "−(x+1)"),
        ("(-x)**2", "(−x)2"),
        ("(x*2)**3", "(x·2)3"),
        ("2*(-x)", "2·(−x)"),
        ("sigmoid(2*x)", "σ(2·x)"),
        ("max(x, 0)", "max(x,0)"),
        ("abs(x)", "|x|"),
        ("0.044715*x", "0.044715·x"),
        ("x*(1/3)", "x·13"),
        ("where(x < 0, 1, x)", "{1x<0xelse"),
    ],
)
def test_formulas_read_as_they_should(expression: str, reads: str) -> None:
    assert shown(expression) == reads
