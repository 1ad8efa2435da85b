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


def functions(marks: Marks = ()) -> dict[str, Any]:
    """Return GELU and its relatives."""
    xs = grid(-5, 3, _COUNT)
    names = {"GELU": "gelu", "SiLU": "silu", "ELU": "elu", "ReLU": "relu"}
    series = [
        {"name": name, "colour": colour, "points": curve(get_function(function).expression, xs)}
        for colour, (name, function) in enumerate(names.items(), 1)
    ]
    return {
        "id": "functions",
        "x": {"low": -5, "high": 3, "label": "x"},
        "y": {"low": -1.2, "high": 3, "label": "f(x)"},
        "series": series[::-1],  # GELU is drawn last, over the others
        "marks": list(marks),
    }


def derivatives(marks: Marks = ()) -> dict[str, Any]:
    """Return the derivatives of GELU and its relatives."""
    xs = grid(-5, 5, _COUNT)
    names = {"GELU\N{PRIME}": "gelu", "SiLU\N{PRIME}": "silu", "ReLU\N{PRIME}": "relu"}
    series = [
        {"name": name, "colour": colour, "points": curve(get_function(function).expression, xs, 1)}
        for colour, (name, function) in zip((1, 2, 4), names.items(), strict=True)
    ]
    return {
        "id": "derivatives",
        "x": {"low": -5, "high": 5, "label": "x"},
        "y": {"low": -0.2, "high": 1.2, "label": "f\N{PRIME}(x)"},
        "series": series[::-1],
        "marks": list(marks),
    }


def error(
    identifier: str, members: Mapping[str, Function], limit: float, power: int, marks: Marks = ()
) -> dict[str, Any]:
    """Return the errors of members of the families against GELU, with the axis in units of 10^power."""
    xs = grid(-6, 6, 2 * _COUNT)
    series = [
        {"name": name, "colour": colour, "points": difference(function, xs)}
        for colour, (name, function) in enumerate(members.items(), 1)
    ]
    unit = f"10{str(power).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
    return {
        "id": identifier,
        "x": {"low": -6, "high": 6, "label": "x"},
        "y": {"low": -limit, "high": limit, "power": power, "label": f"f(x) {MINUS} GELU(x), in {unit}"},
        "series": series,
        "marks": list(marks),
    }


def difference(function: Function, xs: Sequence[Fraction]) -> Points:
    """Return the function minus GELU."""
    from gelu_verify.catalogue.expression import Operation

    return curve(Operation("-", (function.expression, parse("gelu(x)"))), xs)


def minimum(marks: Marks = ()) -> dict[str, Any]:
    """Return the surroundings of GELU's minimum."""
    xs = grid(Fraction(-13, 10), Fraction(-3, 10), _COUNT // 2)
    forms = {"exact": "gelu", "tanh": "gelu_tanh", "sigmoid": "gelu_sigmoid"}
    series = [
        {"name": name, "colour": colour, "points": curve(get_function(function).expression, xs)}
        for colour, (name, function) in zip((1, 3, 2), forms.items(), strict=True)
    ]
    return {
        "id": "minimum",
        "x": {"low": -1.3, "high": -0.3, "label": "x"},
        "y": {"low": -0.18, "high": -0.11, "label": "GELU(x)"},
        "series": series[::-1],
        "marks": list(marks),
    }
