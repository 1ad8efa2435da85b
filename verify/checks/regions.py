"""Where a fault begins and ends: from runs among the sampled inputs to edges that are exact to the float."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.formats import Format
from gelu_verify.formats.arrays import from_ordinals, ordinals
from gelu_verify.records import Region

Bits = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]
Predicate = Callable[[Bits], Mask]
"""Tells for encodings in ascending order of value at which of them the fault shows."""

_SECTIONS = 16
_RAGGED = 48  # inputs beyond an edge that are looked at in case the edge is not clean
_MOST_PIECES = 16


def ascending(format: Format, stretches: Iterable[tuple[int, int]]) -> tuple[Region, ...]:
    """Return stretches of encodings, each with one sign, as regions in ascending order of value.

    With the sign bit set the encodings run the other way, except for NaNs, which have no order.

    >>> from gelu_verify.formats import FORMATS
    >>> ascending(FORMATS["binary16"], [(1, 2), (0x8003, 0x8005)])
    (Region(first=32773, last=32771), Region(first=1, last=2))
    """

    def place(region: Region) -> int:
        return int(ordinals(format, [region.first])[0])

    turned = [
        (last, first) if format.sign(first) and not format.is_nan(last) else (first, last) for first, last in stretches
    ]
    return tuple(sorted((Region(first, last) for first, last in turned), key=place))


def runs(mask: Mask, gap: int = 0) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of the maximal stretches of True, joined over at most `gap` False in between.

    >>> list(runs(np.array([0, 1, 1, 0, 1, 0, 0, 1], bool), gap=1))
    [(1, 5), (7, 8)]
    """
    places = np.flatnonzero(mask)
    if places.size == 0:
        return
    breaks = np.flatnonzero(np.diff(places) > gap + 1)
    starts = places[np.concatenate([[0], breaks + 1])]
    stops = places[np.concatenate([breaks, [places.size - 1]])] + 1
    yield from zip(starts.tolist(), stops.tolist(), strict=True)


def coarse_regions(bits: Bits, mask: Mask, most: int = 8) -> tuple[Region, ...]:
    """Return regions between sampled inputs, joined over larger and larger gaps until there are at most `most`."""
    gap = 2
    while len(found := list(runs(mask, gap))) > most:
        gap *= 2
    return tuple(Region(int(bits[start]), int(bits[stop - 1])) for start, stop in found)


def exact_regions(format: Format, bits: Bits, mask: Mask, predicate: Predicate, most: int = 8) -> tuple[Region, ...]:
    """Return regions whose ends are sharpened between the last sampled input without the fault and the first with it.

    Only the `most` longest runs are sharpened and returned.
    """
    found = sorted(runs(mask), key=lambda run: run[0] - run[1])[:most]
    regions = []
    for start, stop in sorted(found):
        first, last = int(bits[start]), int(bits[stop - 1])
        if start > 0:
            first = sharpen(format, predicate, int(bits[start - 1]), first)
        if stop < bits.size:
            last = sharpen(format, predicate, int(bits[stop]), last)
        regions.append(Region(first, last))
    return tuple(regions)


def sharpen(format: Format, predicate: Predicate, outside: int, inside: int) -> int:
    """Return the outermost input of a fault that shows at `inside` and not at `outside`.

    A single clean edge between the two is found exactly; of a ragged one, the outermost piece within a few dozen
    inputs of where it was first met. What lies beyond `outside` belongs to other pieces.
    """
    out, within = format.ordinal(outside), format.ordinal(inside)
    end = out
    direction = 1 if out > within else -1
    while abs(out - within) > 1:
        steps = np.unique(np.linspace(1, abs(out - within) - 1, _SECTIONS).astype(np.int64))
        places, shows = _look(format, predicate, within + direction * steps)
        if places.size == 0:
            break
        reached = places[shows]
        within = int(reached[-1]) if reached.size else within
        beyond = places[(places - within) * direction > 0]
        out = int(beyond[0]) if beyond.size else out
    for _ in range(_MOST_PIECES):
        reach = min(_RAGGED, abs(end - within) - 1)
        places, shows = _look(format, predicate, within + direction * np.arange(1, reach + 1))
        if not shows.any():
            break
        within = int(places[shows][-1])
    return format.from_ordinal(within)


def _look(
    format: Format, predicate: Predicate, places: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return those of the ordinals that are finite nonzero numbers, in the order given, and where the fault shows."""
    size = np.where(places < 0, -1 - places, places)
    places = places[(size > 0) & (size <= format.max_finite)]
    if places.size == 0:
        return places, np.zeros(0, np.bool_)
    ascending = places if places[0] <= places[-1] else places[::-1]
    shows = predicate(from_ordinals(format, ascending))
    return places, shows if ascending is places else shows[::-1]
