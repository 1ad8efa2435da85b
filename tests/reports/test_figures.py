"""Figures: the drawing is a function of its description, well formed, inside its frame, and explained in words."""

import math
import xml.etree.ElementTree as ET
from fractions import Fraction
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.catalogue import get_function, parse
from gelu_verify.reports.figures import gallery
from gelu_verify.reports.figures.axes import Axis
from gelu_verify.reports.figures.curves import curve, grid
from gelu_verify.reports.figures.plot import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, draw
from gelu_verify.reports.figures.svg import element, number, text

SVG = "{http://www.w3.org/2000/svg}"
FIGURE: dict[str, Any] = {
    "id": "test",
    "x": {"low": 0, "high": 4, "label": "x <&> y"},
    "y": {"low": -1, "high": 1, "label": "y"},
    "series": [{"name": "a", "points": [[0, 0], [1, 0.5], [2, 3], [3, 0.5], None, [3.5, 0], [4, -0.5]]}],
    "marks": [{"x": 1, "y": 0.5, "text": "here"}],
    "bands": [{"low": 2, "high": 9, "key": "lost"}],
}


def numbers(path: str) -> list[float]:
    return [float(part) for part in path.replace("M", " ").replace("L", " ").split()]


def test_a_drawing_is_well_formed_and_has_alternative_text() -> None:
    root = ET.fromstring(draw(FIGURE, 'A "title" & more', "What <is> seen"))
    assert root.attrib["role"] == "img"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None and description is not None
    assert (title.text, description.text) == ('A "title" & more', "What <is> seen")
    assert root.attrib["aria-labelledby"].split() == [title.attrib["id"], description.attrib["id"]]


def test_curves_are_cut_at_the_frame_and_broken_at_gaps() -> None:
    root = ET.fromstring(draw(FIGURE, "t", "d"))
    path = next(each for each in root.iter(f"{SVG}path")).attrib["d"]
    assert path.count("M") == 3  # up to the frame, down from it, and after the gap
    xs, ys = numbers(path)[::2], numbers(path)[1::2]
    assert min(xs) >= LEFT and max(xs) <= WIDTH - RIGHT
    assert min(ys) >= TOP and max(ys) <= HEIGHT - BOTTOM
    assert ys.count(TOP) == 2  # it leaves and enters exactly at the frame


def test_bands_are_named_and_stay_in_the_frame() -> None:
    root = ET.fromstring(draw(FIGURE, "t", "d", {"lost": "lost here"}))
    band = next(each for each in root.iter(f"{SVG}rect"))
    assert float(band.attrib["x"]) + float(band.attrib["width"]) <= WIDTH - RIGHT
    assert any(each.text == "lost here" for each in root.iter(f"{SVG}text"))


def test_a_series_is_drawn_and_explained_in_its_colour_and_dash() -> None:
    series = [{"name": "a", "colour": 7, "dash": 2, "points": [[0, 0], [4, 1]]}, {"points": [[0, 1], [4, 0]]}]
    root = ET.fromstring(draw({**FIGURE, "series": series, "marks": []}, "t", "d"))
    assert [each.attrib["class"] for each in root.iter(f"{SVG}path")] == ["series s7 d2", "series s2"]
    explained = [each.attrib["class"] for each in root.iter(f"{SVG}line") if "series" in each.attrib["class"]]
    assert explained == ["series s7 d2"]


def test_every_class_that_is_drawn_has_a_style() -> None:
    sheet = files("gelu_verify.reports").joinpath("templates", "figure.css").read_text(encoding="utf-8")
    for style in gallery.STYLES.values():
        assert f"svg .s{style['colour']} {{ stroke: var(--c{style['colour']});" in sheet
        assert "dash" not in style or f"svg .d{style['dash']} {{ stroke-dasharray:" in sheet


def test_a_label_kept_clear_of_the_curves_is_led_to_its_mark() -> None:
    mark = {"x": 1, "y": 0.5, "text": "here", "side": "clear", "anchor": "end"}
    root = ET.fromstring(draw({**FIGURE, "marks": [mark]}, "t", "d"))
    (leader,) = (each for each in root.iter(f"{SVG}line") if each.attrib["class"] == "leader")
    (label,) = (each for each in root.iter(f"{SVG}text") if each.text == "here")
    (circle,) = root.iter(f"{SVG}circle")
    assert leader.attrib["x1"] == leader.attrib["x2"] == circle.attrib["cx"]
    assert float(leader.attrib["y2"]) < float(label.attrib["y"]) < float(circle.attrib["cy"]) - 25


@given(st.floats(-1e6, 1e6))
def test_coordinates_print_to_a_tenth_and_read_back(value: float) -> None:
    assert abs(float(number(value)) - value) <= 0.05 + 1e-9 * abs(value)
    assert number(value) != "-0"


@given(st.text())
def test_any_text_becomes_well_formed_markup(content: str) -> None:
    clean = "".join(c for c in content if c.isprintable())
    assert ET.fromstring(text(clean, 0, 0, title=clean)).text == (clean or None)
    assert ET.fromstring(element("g", class_=clean)).attrib["class"] == clean


@given(st.floats(-100, 100), st.floats(0.001, 1000), st.integers(4, 12))
def test_ticks_are_round_numbers_inside_the_axis(low: float, width: float, about: int) -> None:
    axis = Axis(low, low + width, 0, 100)
    ticks = axis.ticks(about)
    assert 1 <= len(ticks) <= about + 1 or width < 1e-3 * abs(low)
    assert all(axis.low <= value <= axis.high for value, _ in ticks)
    steps = {round((b - a) / width, 6) for (a, _), (b, _) in pairwise(ticks)}
    assert len(steps) <= 1 or max(steps) - min(steps) < 1e-5


def test_logarithmic_axes_have_ticks_at_powers_of_ten() -> None:
    axis = Axis(0.5, 1e7, 0, 100, logarithmic=True)
    assert [label for _, label in axis.ticks()] == ["1", "10", "100", "1000", "10⁴", "10⁵", "10⁶", "10⁷"]
    assert axis.place(0) < 0  # zero lies beyond the lower end, not at minus infinity
    assert math.isclose(axis.place(1e7), 100)


def test_labels_are_in_the_unit_of_the_axis() -> None:
    axis = Axis(-6e-4, 6e-4, 0, 100, power=-4)
    assert ("−4" in [label for _, label in axis.ticks()]) and ("4" in [label for _, label in axis.ticks()])


def test_points_of_curves_are_the_function_to_six_digits() -> None:
    for point in curve(get_function("gelu").expression, grid(-3, 3, 12)):
        assert point is not None
        x, y = point
        assert math.isclose(y, x * math.erfc(-x / math.sqrt(2)) / 2, rel_tol=5e-6, abs_tol=1e-12)


def test_curves_are_interrupted_at_kinks_and_where_nothing_is_defined() -> None:
    assert curve(parse("max(x, 0)"), [Fraction(-1), Fraction(0), Fraction(1)], 1) == [[-1.0, 0.0], None, [1.0, 1.0]]
    assert curve(parse("log(x)"), [Fraction(-1), Fraction(1)]) == [None, [1.0, 0.0]]


@pytest.mark.parametrize("make", [gallery.functions, gallery.derivatives, gallery.minimum])
def test_the_same_description_gives_the_same_bytes(make: Any) -> None:
    assert make() == make()
    assert draw(make(), "t", "d") == draw(make(), "t", "d")
