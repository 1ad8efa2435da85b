"""Hill climbing: from the worst input known to a worse one, until no neighbour at any distance is worse.

Stratified windows see a share of about 2^-40 of the numbers. An error that grows towards some place is followed there:
around the worst input so far, windows at the distances 2^8, 2^10, ... 2^54 encodings on both sides are run, and the
search goes on from the worst of them. All scales are tried in every round, so that a hill of any width is climbed in a
number of rounds that is logarithmic in the distance to its top.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gelu_verify.references.spans import Span
from gelu_verify.sweep.tasks import Stretch
from gelu_verify.windows.domain import Domain

if TYPE_CHECKING:
    from gelu_verify.windows.runner import Sample

STEP = 1 << 8  # encodings of a window
_DISTANCES = tuple(1 << k for k in range(8, 55, 2))  # encodings
_ROUNDS = 64


class Climber:
    """Climbs in a domain; `run` judges windows."""

    def __init__(self, domain: Domain, run: Callable[[Sequence[Stretch]], list["Sample"]]) -> None:
        self._domain, self._run = domain, run
        self._seen: dict[Span, Sample] = {}

    def climb(self, start: int) -> list["Sample"]:
        """Return what was found in every window on the way from an encoding."""
        best = max((sample.peak for sample in self._look([start])), default=(0.0, start))
        for _ in range(_ROUNDS):
            neighbours = self._neighbours(best[1])
            found = max((sample.peak for sample in self._look(neighbours)), default=best)
            if found[0] <= best[0]:
                break
            best = found
        return list(self._seen.values())

    def _neighbours(self, bits: int) -> list[int]:
        """Return the encodings at all distances on both sides, along the order of the numbers."""
        format = self._domain.format
        place = format.ordinal(bits)
        around = [place + sign * distance for distance in _DISTANCES for sign in (1, -1)]
        end = format.max_finite
        return [format.from_ordinal(other) for other in around if -1 - end <= other <= end]

    def _look(self, places: Sequence[int]) -> list["Sample"]:
        """Judge the windows of these encodings that were not seen before."""
        windows: dict[Span, Stretch] = {}
        for bits in places:
            part = self._domain.window(bits, STEP)
            if part is not None and part.span not in self._seen:
                windows[part.span] = part
        samples = self._run(list(windows.values())) if windows else []
        self._seen.update((sample.window, sample) for sample in samples)
        return samples
