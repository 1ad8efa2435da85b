"""A small SVG writer: elements with escaped text and coordinates that print the same everywhere."""

from collections.abc import Iterable, Sequence
from html import escape

Point = tuple[float, float]


def number(value: float) -> str:
    """Write a coordinate to a tenth of a unit, without locale, exponent or trailing zeros.

    >>> number(12.04), number(-0.04), number(3.25)
    ('12', '0', '3.2')
    """
    tenths = round(value * 10)
    whole, part = divmod(abs(tenths), 10)
    return ("-" if tenths < 0 else "") + str(whole) + (f".{part}" if part else "")


def element(name: str, content: str | Iterable[str] = "", **attributes: str | float | int) -> str:
    """Return one element. Attribute names may end in `_` (class_) and use `_` for `-`; content is markup already.

    >>> element("circle", cx=3, cy=0.25, class_="dot")
    '<circle cx="3" cy="0.2" class="dot"/>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"' for key, value in attributes.items()
    )
    body = content if isinstance(content, str) else "".join(content)
    return f"<{name}{written}>{body}</{name}>" if body else f"<{name}{written}/>"


def text(content: str, x: float, y: float, **attributes: str | float | int) -> str:
    """Return a text element; the content is escaped."""
    return element("text", escape(content, quote=False), x=x, y=y, **attributes)


def polyline(pieces: Sequence[Sequence[Point]]) -> str:
    """Return the data of a path through the points of each piece.

    >>> polyline([[(0, 0), (1, 2)], [(3, 3), (4, 4)]])
    'M0 0L1 2M3 3L4 4'
    """
    return "".join("M" + "L".join(f"{number(x)} {number(y)}" for x, y in piece) for piece in pieces if piece)


def _attribute(value: str | float | int) -> str:
    return escape(value) if isinstance(value, str) else number(value)
