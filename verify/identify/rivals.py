"""Telling explanations apart that are all good enough: in few bits, several forms explain the same results."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gelu_verify.formats import Format
from gelu_verify.formats.arrays import round_float64, to_float64
from gelu_verify.identify.models import Agreement, Model

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_CLEARLY = 4.0  # standard deviations


def rivals(format: Format, candidates: Sequence[Agreement], x: Floats, got: Floats) -> tuple[Agreement, ...]:
    """Return those of the candidates that results do not tell from the best of them, the best first.

    Two are compared where only one of them, correctly rounded, is the result. If they were equally good, either would
    be right at half of these n inputs, give or take sqrt(n)/2 (McNemar's test, Psychometrika 12, 1947).
    """
    right = {place: hits(format, each.model, x, got) for place, each in enumerate(candidates)}
    order = sorted(right, key=lambda place: -int(right[place].sum()))
    left = [place for place in order if not better(right[order[0]], right[place])]
    return tuple(candidates[place] for place in left)


def hits(format: Format, model: Model, x: Floats, got: Floats) -> Mask:
    """Tell where the result is the correctly rounded value of a model."""
    with np.errstate(all="ignore"):
        result: Mask = to_float64(format, round_float64(format, model.values(x))) == got
    return result


def better(one: Mask, other: Mask) -> bool:
    """Tell whether hits of one model and of another cannot be chance if both were equally good."""
    only_one, only_other = int(np.sum(one & ~other)), int(np.sum(other & ~one))
    return bool(only_one - only_other > _CLEARLY * math.sqrt(only_one + only_other))
