"""The colours of a report, from its style sheets: legible in both lights, and told apart by everybody."""

import re
from collections.abc import Mapping
from importlib.resources import files
from itertools import combinations, pairwise
from typing import Any

import pytest

from gelu_verify.reports.figures import gallery
from gelu_verify.reports.figures.gallery import STYLES

SHEET = files("gelu_verify.reports").joinpath("templates", "colours.css").read_text(encoding="utf-8")
LIGHT, DARK = (dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})\b", part)) for part in SHEET.split("@media screen", 1))
THEMES = {"light": LIGHT, "dark": DARK}
TEXTS = [
    *(("ink", paper) for paper in ("paper", "soft")),
    *(("muted", paper) for paper in ("paper", "soft")),
    *(("link", paper) for paper in ("paper", "soft")),
    *((word, paper) for word in ("good", "bad", "warn", "cite") for paper in ("paper", f"{word}-soft")),
]


def linear(colour: str) -> tuple[float, ...]:
    """Return linear red, green, blue of #rrggbb (IEC 61966-2-1)."""
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2.2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_has_the_contrast_that_wcag_asks_for(theme: str) -> None:
    colours = THEMES[theme]
    assert set(LIGHT) == set(DARK)
    low = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in TEXTS}
    assert {pair: ratio for pair, ratio in low.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("theme", THEMES)
def test_every_curve_has_the_contrast_that_wcag_asks_of_graphics(theme: str) -> None:
    colours = THEMES[theme]
    assert len([name for name in colours if re.fullmatch(r"c\d", name)]) == len(STYLES)
    for style in STYLES.values():
        assert contrast(colours[f"c{style['colour']}"], colours["paper"]) >= 3, style


@pytest.mark.parametrize("theme", THEMES)
def test_the_classes_of_a_map_rank_without_colour_too(theme: str) -> None:
    steps = [THEMES[theme][f"h{number}"] for number in range(7)]
    away = [contrast(THEMES[theme]["paper"], step) for step in steps]
    assert away == sorted(away)  # the larger the error, the farther from the paper
    assert min(contrast(one, other) for one, other in pairwise(steps)) > 1.15


# Linear RGB as seen without red, green or blue cones (Machado, Oliveira & Fernandes 2009, severity 1).
BLIND: Mapping[str, tuple[tuple[float, float, float], ...]] = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}
TO_LMS = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
TO_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)


def times(matrix: Any, vector: Any) -> tuple[float, ...]:
    return tuple(sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)


def distance(one: str, other: str, eyes: str) -> float:
    """Return the distance of two colours in Oklab (Ottosson 2020) as seen by such eyes; black to white is 1."""
    places = []
    for colour in (one, other):
        seen = [min(max(channel, 0.0), 1.0) for channel in times(BLIND[eyes], linear(colour))]
        places.append(times(TO_LAB, [channel ** (1 / 3) for channel in times(TO_LMS, seen)]))
    return sum((a - b) ** 2 for a, b in zip(*places, strict=True)) ** 0.5


def shown_together() -> list[Any]:
    """Return the pairs of series that share a figure."""
    figures = [gallery.functions(), gallery.derivatives(), gallery.minimum()]
    pairs = [pair for figure in figures for pair in combinations(figure["series"], 2)]
    return [*pairs, *combinations([STYLES[name] for name in ("gelu_tanh", "best", "best of two")], 2)]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("eyes", BLIND)
def test_curves_that_share_a_figure_are_told_apart_by_colour(theme: str, eyes: str) -> None:
    for one, other in shown_together():
        apart = distance(THEMES[theme][f"c{one['colour']}"], THEMES[theme][f"c{other['colour']}"], eyes)
        assert apart > 0.05, (one.get("name"), other.get("name"), apart)  # 0.02 is about the least difference seen


def test_curves_that_share_a_figure_are_told_apart_in_print_without_colour() -> None:
    for figure in (gallery.functions(), gallery.derivatives(), gallery.minimum()):
        dashes = [series.get("dash", 0) for series in figure["series"]]
        assert len(set(dashes)) == len(dashes), figure["id"]


def test_a_function_has_one_colour_in_every_figure() -> None:
    colours: dict[str, set[int]] = {}
    names = {"exact": "GELU", "GELU\N{PRIME}": "GELU", "SiLU\N{PRIME}": "SiLU", "ReLU\N{PRIME}": "ReLU"}
    for figure in (gallery.functions(), gallery.derivatives(), gallery.minimum()):
        for series in figure["series"]:
            colours.setdefault(names.get(series["name"], series["name"]), set()).add(series["colour"])
    assert all(len(found) == 1 for found in colours.values())
    assert len({next(iter(found)) for found in colours.values()}) == len(colours)
