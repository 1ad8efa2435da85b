"""The pictures of a report: which curves, over which range, with which marks. Data only; `plot` draws it.

Marks are placed at certified points, which the caller passes in; where there are none, there are no marks.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from gelu_verify.catalogue import get_function, parse
from gelu_verify.catalogue.functions import Function
from gelu_verify.reports.figures.curves import Points, curve, grid

_COUNT = 240  # points of a curve
MINUS = "\N{MINUS SIGN}"
Marks = Sequence[Mapping[str, Any]]

# Each function has one colour in every figure, and one dash where curves meet: ink and a whole line are the exact GELU.
STYLES: Mapping[str, Mapping[str, int]] = {
    "gelu": {"colour": 1},
    "gelu_tanh": {"colour": 2, "dash": 1},
    "gelu_sigmoid": {"colour": 3, "dash": 3},
    "silu": {"colour": 4, "dash": 1},
    "relu": {"colour": 5, "dash": 2},
    "elu": {"colour": 6, "dash": 3},
    "best": {"colour": 7, "dash": 1},
    "best of two": {"colour": 8, "dash": 3},
}


def _series(names: Mapping[str, str], xs: Sequence[Fraction], derivative: int = 0) -> list[dict[str, Any]]:
    """Return curves of functions of the catalogue, by what the legend calls them."""
    return [
        {"name": name, **STYLES[function], "points": curve(get_function(function).expression, xs, derivative)}
        for name, function in names.items()
    ]


def functions(marks: Marks = ()) -> dict[str, Any]:
    """Return GELU and its relatives."""
    names = {"GELU": "gelu", "SiLU": "silu", "ELU": "elu", "ReLU": "relu"}
    return {
        "id": "functions",
        "x": {"low": -5, "high": 3, "label": "x"},
        "y": {"low": -1.2, "high": 3, "label": "f(x)"},
        "series": _series(names, grid(-5, 3, _COUNT)),
        "marks": list(marks),
    }


def derivatives(marks: Marks = ()) -> dict[str, Any]:
    """Return the derivatives of GELU and its relatives."""
    names = {"GELU\N{PRIME}": "gelu", "SiLU\N{PRIME}": "silu", "ReLU\N{PRIME}": "relu"}
    return {
        "id": "derivatives",
        "x": {"low": -5, "high": 5, "label": "x"},
        "y": {"low": -0.3, "high": 1.35, "label": "f\N{PRIME}(x)"},
        "series": _series(names, grid(-5, 5, _COUNT), 1),
        "marks": list(marks),
    }


def error(
    identifier: str, members: Sequence[tuple[str, str, Function]], limit: float, power: int, marks: Marks = ()
) -> dict[str, Any]:
    """Return the errors of members of the families against GELU, with the axis in units of 10^power.

    Arguments:
        members: what the legend calls each, the name of its style, and the function; the first is drawn as a whole
            line.
    """
    xs = grid(-6, 6, 2 * _COUNT)
    series = [{"name": name, **STYLES[style], "points": difference(function, xs)} for name, style, function in members]
    series[0].pop("dash", None)
    unit = f"10{str(power).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
    return {
        "id": identifier,
        "x": {"low": -6, "high": 6, "label": "x"},
        "y": {"low": -limit, "high": limit, "power": power, "label": f"f(x) {MINUS} GELU(x), in {unit}"},
        "series": series,
        "marks": [{**mark, "colour": series[0]["colour"]} for mark in marks],
    }


def difference(function: Function, xs: Sequence[Fraction]) -> Points:
    """Return the function minus GELU."""
    from gelu_verify.catalogue.expression import Operation

    return curve(Operation("-", (function.expression, parse("gelu(x)"))), xs)


def minimum(marks: Marks = ()) -> dict[str, Any]:
    """Return the surroundings of GELU's minimum."""
    names = {"exact": "gelu", "tanh": "gelu_tanh", "sigmoid": "gelu_sigmoid"}
    return {
        "id": "minimum",
        "x": {"low": -1.3, "high": -0.3, "label": "x"},
        "y": {"low": -0.18, "high": -0.11, "label": "GELU(x)"},
        "series": _series(names, grid(Fraction(-13, 10), Fraction(-3, 10), _COUNT // 2)),
        "marks": list(marks),
    }
