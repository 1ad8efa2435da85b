"""Results at infinities and NaN: a NaN must stay one, an infinity must give the limit."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.sweep.exact import Judge
from gelu_verify.sweep.results import intervals_of
from gelu_verify.sweep.statistics import Interval, Tally


def judge_special(judge: Judge, tally: Tally, first: int, bits: npt.NDArray[Any], nan: npt.NDArray[np.bool_]) -> None:
    """Count the results for the encodings from `first` on, which are infinities and NaN.

    Arguments:
        bits: the results as encodings.
        nan: which of them are NaN.
    """
    tally.inputs += len(bits)
    start = 0
    if judge.format.is_infinite(first):
        _judge_infinity(judge, tally, first, int(bits[0]))
        start = 1
    swallowed = ~nan[start:]
    number = int(np.count_nonzero(swallowed))
    if number:
        tally.add("nan_swallowed", number)
        tally.add_region("nan_swallowed", intervals_of(swallowed, first + start))


def _judge_infinity(judge: Judge, tally: Tally, bits: int, got: int) -> None:
    format = judge.format
    try:
        want = judge.want(bits)
    except (InputError, IncompleteError):  # there is no limit, or none was found
        tally.add("undecided", 1)
        return
    if want == got or (format.is_nan(want) and format.is_nan(got)):
        return
    if (want | got) & ~format.sign_mask == 0:
        tally.add("zero_sign", 1)
        return
    tally.add("special_values", 1)
    tally.add_region("special_values", [Interval(bits, bits, 1)])
