"""The largest |f(x) - f(-x) - x| of a window and its mirror: zero for x times a gate that is symmetric about 1/2."""

import numpy as np

from gelu_verify.formats import Format, arrays
from gelu_verify.sweep.results import Results
from gelu_verify.sweep.statistics import Tally, Worst
from gelu_verify.windows.double_double import two_sum

_NEAR = 1 - 2.0**-40  # residuals are computed to some 2^-50
_LOOKED_AT = 4


def offer_residual(format: Format, tally: Tally, plus: Results, minus: Results) -> None:
    """Offer the tally the largest residual, exactly. Of many that are nearly equal the first few are looked at.

    Arguments:
        plus, minus: results for x > 0 and for the same encodings with the sign bit set.
    """
    places = np.arange(plus.first, plus.first + len(plus.bits), dtype=np.uint64)
    x = arrays.to_float64(format, places)
    gap, lost = two_sum(plus.values, -minus.values)
    residual, lost_again = two_sum(gap, -x)
    sizes = np.abs(residual + (lost + lost_again))
    sizes[~np.isfinite(sizes)] = -1.0
    largest = float(sizes.max())
    if largest < 0:
        return
    exact = format.exact
    for place in np.flatnonzero(sizes >= largest * _NEAR)[:_LOOKED_AT].tolist():
        bits, got = plus.first + place, int(plus.bits[place])
        tally.offer("symmetry", Worst(abs(exact(got) - exact(int(minus.bits[place])) - exact(bits)), bits, got))
