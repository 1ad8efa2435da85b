"""The right values at arrays of inputs, close enough to judge by; whatever is told of them is certified one by one.

The catalogue's definitions are written without cancellation, so binary64 arithmetic gives them to about 1e-15: enough
to judge formats of up to 32 bits, and a thousand times faster than balls. Everything else goes through Arb.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb

from gelu_verify.catalogue import Expression, Function
from gelu_verify.catalogue.evaluators import NotSmooth
from gelu_verify.enclosures import working_precision
from gelu_verify.formats import Format
from gelu_verify.formats.arrays import to_float64
from gelu_verify.identify.float64 import value_and_slope
from gelu_verify.identify.models import WELL_WRITTEN
from gelu_verify.references.values import derivative_ball

Floats = npt.NDArray[np.float64]

_NARROW = 24  # bits of precision up to which binary64 is an accurate arithmetic
_WORTH_KEEPING = 1024  # values: samples are measured again and again, the few inputs around an edge only once


@dataclass(frozen=True, slots=True)
class Truth:
    """The claim an implementation is measured against: a derivative of a function."""

    function: Function
    derivative: int = 0

    def at(self, format: Format, bits: npt.NDArray[Any]) -> tuple[Floats, Floats]:
        """Return the values at finite inputs as unevaluated sums high + low of two binary64 numbers; NaN where there is
        none (a derivative at a kink).
        """
        if format.precision <= _NARROW and self.derivative <= 1 and self.function.formula in WELL_WRITTEN:
            x = to_float64(format, bits)
            return value_and_slope(self.function.expression, x)[self.derivative], np.zeros(x.size)
        values = _values if bits.size < _WORTH_KEEPING else _kept_values
        return values(self.function.expression, self.derivative, format, bits.tobytes())


def _values(expression: Expression, derivative: int, format: Format, raw: bytes) -> tuple[Floats, Floats]:
    """Return the middles of Arb's balls, to twice the precision of the format and more."""
    bits = np.frombuffer(raw, f"u{format.width // 8}")
    high, low = np.empty(bits.size), np.empty(bits.size)
    with working_precision(130 if format.precision > _NARROW else 75):
        for place, x in enumerate(to_float64(format, bits).tolist()):
            try:
                ball = derivative_ball(expression, arb(x), derivative).mid()
            except (NotSmooth, ZeroDivisionError):
                high[place] = low[place] = np.nan
                continue
            high[place] = float(ball)
            low[place] = float(ball - arb(high[place])) if np.isfinite(high[place]) else 0.0
    return high, low


_kept_values = lru_cache(maxsize=64)(_values)
