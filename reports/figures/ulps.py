"""Errors in ulp as pictures: by binade for every form in binary32, and input by input in bfloat16."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from math import log2, log10
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import get_function
from gelu_verify.formats import Format, get_format
from gelu_verify.formats.arrays import native_dtype
from gelu_verify.forms import FORMS, MachineIndependent
from gelu_verify.references.bulk import references
from gelu_verify.reports.figures.axes import superscript
from gelu_verify.sweep.exact import Judge
from gelu_verify.sweep.statistics import LIMITS

MINUS = "\N{MINUS SIGN}"
_LEAST, _GREATEST = -8, 6  # sizes of inputs from 2^_LEAST to 2^_GREATEST are drawn
_FLOOR = 0.5  # ulps: what a correctly rounded result may be off by
_MAP = (-10, 5)  # binades of the map: from 2^-10 up to below 2^5
_TICKS = (-6, -3, 0, 2, 4, 6)  # exponents of the sizes that are written at the axis
_STYLES: tuple[dict[str, int], ...] = (  # the form that collapses and the one to write instead have one colour
    {"colour": 2},
    {"colour": 2, "dash": 1},
    {"colour": 3, "dash": 3},
    {"colour": 1},
    {"colour": 1, "dash": 1},
)
CLASSES = ("\N{LESS-THAN OR EQUAL TO} ½", "1", "2", "4", "16", "1024", "∞")  # ulps, the upper ends of the classes


def by_binade(identifier: str, documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the largest error of each form in every binade, with the wrong zeros of the first form as a band.

    Arguments:
        documents: recorded counts of forms in binary32.
    """
    format = get_format("binary32")
    series = [
        {"name": each["form"].removesuffix("_gradient"), **style, "points": _steps(each, format)}
        for style, each in zip(_STYLES, documents, strict=False)
    ]
    highest = max(y for each in series for _, y in each["points"])
    return {
        "id": identifier,
        "x": {"low": -_place(_GREATEST), "high": _place(_GREATEST), "label": "x", "ticks": _ticks()},
        "y": {"low": _FLOOR, "high": 10.0 ** int(log10(highest) + 1), "scale": "log", "label": "ulp"},
        "series": series,
        "bands": _collapse(documents[0], format),
    }


def _place(exponent: float) -> float:
    """Return where 2^exponent lies: one unit for each binade from the smallest that is drawn."""
    return exponent - _LEAST


def _position(x: float) -> float:
    return round((-1 if x < 0 else 1) * _place(log2(abs(x))), 3)


def _steps(document: Mapping[str, Any], format: Format) -> list[list[float]]:
    """Return the steps of a staircase, from the left; binades without a wrong result are at the floor."""
    peaks = {int(row["first"]["bits"], 16): float(row["max_ulp"]) for row in document["errors"]["binades"]}
    points = []
    for sign in (-1, 1):
        for exponent in sorted(range(_LEAST, _GREATEST), key=lambda each: sign * each):
            first = format.round(sign * Fraction(2) ** exponent)
            ends = sorted(sign * float(_place(end)) for end in (exponent, exponent + 1))
            points += [[end, max(peaks.get(first, _FLOOR), _FLOOR)] for end in ends]
    return points


def _ticks() -> list[list[Any]]:
    places: list[list[Any]] = []
    for exponent in _TICKS:
        size = str(2**exponent) if exponent >= 0 else f"2{superscript(exponent)}"
        places += [[-_place(exponent), MINUS + size], [_place(exponent), size]]
    return sorted(places)


def _collapse(document: Mapping[str, Any], format: Format) -> list[dict[str, Any]]:
    regions = document["errors"]["regions"].get("zero_instead_of_nonzero", ())
    if not regions:
        return []
    widest = max(regions, key=lambda region: region["count"])
    ends = [float(format.exact(int(widest[end]["bits"], 16))) for end in ("first", "last")]
    return [{"low": _position(min(ends)), "high": _position(max(ends)), "key": "collapse"}]


def bfloat16_map(identifier: str, form: str) -> dict[str, Any]:
    """Return the errors of a form on all bfloat16 numbers of the binades around 1: a row a binade, a column a fraction.

    Everything beyond is right, but for some subnormal numbers and their neighbours, half of which is not representable.
    """
    format = get_format("bfloat16")
    columns = format.min_normal
    low, high = _MAP
    height = high - low
    cells = [[0, 0, columns, -height, height]]
    for negative in (False, True):
        for exponent in range(low, high):
            first = (exponent - format.emin + 1) * columns | (format.sign_mask if negative else 0)
            bottom = low - exponent - 1 if negative else exponent - low
            runs = _runs(error_classes(form, format, np.arange(first, first + columns)))
            cells += [[kind, left, right, bottom, bottom + 1] for kind, left, right in runs if kind]
    return {
        "id": identifier,
        "x": {"low": 0, "high": columns, "label": "f", "ticks": [[place, str(place)] for place in range(0, 129, 16)]},
        "y": {
            "low": -height,
            "high": height,
            "label": "x = ±2ᵉ(1 + f/128)",
            "ticks": [
                [sign * (exponent - low + 0.5), f"{MINUS if sign < 0 else ''}2{superscript(exponent)}"]
                for sign in (-1, 1)
                for exponent in range(low + 1, high, 3)
            ],
        },
        "cells": cells,
        "classes": list(CLASSES),
    }


def error_classes(form: str, format: Format, encodings: npt.NDArray[Any]) -> list[int]:
    """Return for each finite input how many of the limits 1/2, 1, 2, 4, 16, 1024 ulp its error exceeds, exactly."""
    written = FORMS[form]
    function = get_function(written.function)
    bits = encodings.astype(f"uint{format.width}")
    with np.errstate(all="ignore"):
        got = MachineIndependent(written)(bits.view(native_dtype(format))).view(bits.dtype)
    want = references(function, format, bits, written.derivative)
    judge = Judge(function.expression, written.derivative, format)
    return [
        0 if one == other else _class(judge, format, here, one)
        for here, one, other in zip(bits.tolist(), got.tolist(), want.tolist(), strict=True)
    ]


def _class(judge: Judge, format: Format, bits: int, got: int) -> int:
    if not judge.is_misrounded(bits, got):  # a zero of the other sign
        return 0
    if not format.is_finite(got):
        return len(LIMITS)
    return sum(judge.exceeds(bits, got, limit) is True for limit in LIMITS[1:]) + 1


def _runs(kinds: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return (kind, start, stop) for each run of the same kind."""
    runs, start = [], 0
    for kind, group in groupby(kinds):
        stop = start + len(list(group))
        runs.append((kind, start, stop))
        start = stop
    return runs
