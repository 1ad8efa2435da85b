"""The numbers that a sampled run may use, by binades, and windows cut to them."""

from collections.abc import Sequence

from gelu_verify.formats import Format
from gelu_verify.references.spans import Span
from gelu_verify.sweep.tasks import Stretch


class Domain:
    """The numbers of some stretches, no two of which lie in one binade."""

    def __init__(self, format: Format, stretches: Sequence[Stretch]) -> None:
        self.format = format
        self._stretches = {stretch.span.first // format.min_normal: stretch for stretch in stretches}

    def clipped(self, window: Span) -> Stretch | None:
        """Return the part of a window that belongs to the domain, or None."""
        stretch = self._stretches.get(window.first // self.format.min_normal)
        if stretch is None:
            return None
        start, stop = max(window.first, stretch.start), min(window.first + window.count, stretch.stop)
        return Stretch(window, start, stop) if start < stop else None

    def window(self, bits: int, size: int) -> Stretch | None:
        """Return the part in the domain of the window of that size (a power of two) that holds an encoding."""
        return self.clipped(Span(self.format, bits // size * size, size))
