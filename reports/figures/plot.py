"""Drawing a figure from its description: the view of the `figures` in a report's JSON.

A description holds axes, series of points, marks, bands and cells, all as plain numbers; it knows nothing of paper.
Colours are CSS variables, so that light, dark and print are the style sheet's business. The same description always
gives the same bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from gelu_verify.reports.figures.axes import Axis
from gelu_verify.reports.figures.svg import Point, element, number, polyline, text

WIDTH, HEIGHT = 560, 360
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 44, 46
_CHARACTER = 8.2  # width of a character in the legend, roughly: only for spacing
_SWATCH = 30  # length of a line in the legend: as long as a dash needs to be known again
_DROP = {"above": -11, "below": 20, "beside": 5, "clear": -36}  # from a mark down to its label

Figure = Mapping[str, Any]


def draw(figure: Figure, title: str, description: str, bands: Mapping[str, str] | None = None, style: str = "") -> str:
    """Return the figure as an SVG element.

    Arguments:
        title, description: alternative text.
        bands: what to write over each band, by the band's key.
        style: a style sheet to bring along, for a figure that stands alone; it then paints its own background.
    """
    x = Axis.of(figure["x"], LEFT, WIDTH - RIGHT)
    y = Axis.of(figure["y"], HEIGHT - BOTTOM, TOP)
    identifier = f"fig-{figure['id']}"
    alone = [element("style", style), element("rect", width=WIDTH, height=HEIGHT, class_="paper")] if style else []
    parts = [
        *alone,
        element("title", escape(title, quote=False), id=f"{identifier}-title"),
        element("desc", escape(description, quote=False), id=f"{identifier}-desc"),
        *_bands(figure, x, bands or {}),
        *_grid(figure, x, y),
        *_cells(figure, x, y),
        *_series(figure, x, y),
        *_marks(figure, x, y),
        *_legend(figure),
        *_classes(figure),
    ]
    return element(
        "svg",
        parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_labelledby=f"{identifier}-title {identifier}-desc",
        class_="figure",
    )


def _grid(figure: Figure, x: Axis, y: Axis) -> Iterator[str]:
    for value, label in x.ticks(8):
        place = x.place(value)
        yield element("line", x1=place, y1=TOP, x2=place, y2=HEIGHT - BOTTOM, class_="grid")
        yield text(label, place, HEIGHT - BOTTOM + 18, class_="tick", text_anchor="middle")
    for value, label in y.ticks(6):
        place = y.place(value)
        yield element("line", x1=LEFT, y1=place, x2=WIDTH - RIGHT, y2=place, class_="grid")
        yield text(label, LEFT - 7, place + 4.5, class_="tick", text_anchor="end")
    if not y.logarithmic and y.holds(0):
        yield element("line", x1=LEFT, y1=y.place(0), x2=WIDTH - RIGHT, y2=y.place(0), class_="axis")
    if not x.logarithmic and x.low < 0 < x.high:
        yield element("line", x1=x.place(0), y1=TOP, x2=x.place(0), y2=HEIGHT - BOTTOM, class_="axis")
    yield text(figure["x"]["label"], (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, class_="label", text_anchor="middle")
    yield text(figure["y"]["label"], 4, TOP - 12, class_="label")


def _series(figure: Figure, x: Axis, y: Axis) -> Iterator[str]:
    for index, series in enumerate(figure.get("series", ())):
        pieces = [[(x.place(px), y.place(py)) for px, py in piece] for piece in _visible(series["points"], x, y)]
        yield element("path", d=polyline(pieces), class_=_class(series, index))


def _class(series: Mapping[str, Any], index: int) -> str:
    """Return the style classes of a series: its colour (its number, if it has none) and its dash."""
    dash = f" d{series['dash']}" if series.get("dash") else ""
    return f"series s{series.get('colour', index + 1)}{dash}"


def _visible(points: Sequence[Sequence[float] | None], x: Axis, y: Axis) -> list[list[Point]]:
    """Split a series at its gaps and where it leaves the frame, cutting it at the frame."""
    pieces: list[list[Point]] = [[]]
    previous: Point | None = None
    for point in points:
        if point is None:
            previous = None
            pieces.append([])
            continue
        here = (point[0], point[1])
        inside = y.holds(here[1]) and x.holds(here[0])
        if previous is not None and inside != y.holds(previous[1]):
            edge = _crossing(previous, here, y)
            pieces[-1].append(edge)
        if inside:
            pieces[-1].append(here)
        elif pieces[-1]:
            pieces.append([])
        previous = here
    return [piece for piece in pieces if piece]


def _crossing(a: Point, b: Point, y: Axis) -> Point:
    limit = y.high if max(a[1], b[1]) > y.high else y.low
    share = (limit - a[1]) / (b[1] - a[1])
    return a[0] + share * (b[0] - a[0]), limit


def _cells(figure: Figure, x: Axis, y: Axis) -> Iterator[str]:
    """Draw coloured cells, one path for each class: [class, left, right, bottom, top]."""
    paths: dict[int, list[str]] = {}
    for kind, left, right, bottom, top in figure.get("cells", ()):
        x0, x1, y0, y1 = x.place(left), x.place(right), y.place(bottom), y.place(top)
        paths.setdefault(kind, []).append(f"M{number(x0)} {number(y0)}H{number(x1)}V{number(y1)}H{number(x0)}Z")
    for kind, pieces in sorted(paths.items()):
        yield element("path", d="".join(pieces), class_=f"cell h{kind}")


def _classes(figure: Figure) -> Iterator[str]:
    """Explain the colours of the cells."""
    names = figure.get("classes", ())
    place = WIDTH - RIGHT - sum(24 + _CHARACTER * len(name) for name in names)
    for kind, name in enumerate(names):
        yield element("rect", x=place, y=9, width=13, height=13, class_=f"cell h{kind}")
        yield text(name, place + 17, 21, class_="legend")
        place += 24 + _CHARACTER * len(name)


def _marks(figure: Figure, x: Axis, y: Axis) -> Iterator[str]:
    for mark in figure.get("marks", ()):
        px, py = x.place(mark["x"]), y.place(mark["y"])
        yield element("circle", cx=px, cy=py, r=4.5, class_=f"mark s{mark.get('colour', 1)}")
        if "text" in mark:
            anchor = mark.get("anchor", "middle")
            shift = {"middle": 0, "start": 9, "end": -9}[anchor]
            side = mark.get("side", "above")
            if side == "clear":  # beyond the curves around the mark: a line leads there
                yield element("line", x1=px, y1=py - 5, x2=px, y2=py + _DROP[side] - 10, class_="leader")
            yield text(mark["text"], px + shift, py + _DROP[side], class_="note", text_anchor=anchor)


def _bands(figure: Figure, x: Axis, names: Mapping[str, str]) -> Iterator[str]:
    for band in figure.get("bands", ()):
        left, right = sorted(min(max(x.place(end), x.start), x.end) for end in (band["low"], band["high"]))
        yield element("rect", x=left, y=TOP, width=right - left, height=HEIGHT - BOTTOM - TOP, class_="band")
        if band["key"] in names:
            yield text(names[band["key"]], (left + right) / 2, TOP + 18, class_="note", text_anchor="middle")


def _legend(figure: Figure) -> Iterator[str]:
    named = [series for series in figure.get("series", ()) if series.get("name")]
    widths = [_SWATCH + 14 + _CHARACTER * len(series["name"]) for series in named]
    place = WIDTH - RIGHT - sum(widths)
    for index, (series, width) in enumerate(zip(named, widths, strict=True)):
        yield element("line", x1=place, y1=16, x2=place + _SWATCH, y2=16, class_=_class(series, index))
        yield text(series["name"], place + _SWATCH + 5, 21, class_="legend")
        place += width
