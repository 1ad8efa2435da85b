"""Facts known from elsewhere come out of sweeps, on every machine."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from mpmath import mp

from gelu_verify.bounds.thresholds import rounding_set
from gelu_verify.catalogue import Function, get_function
from gelu_verify.formats import FORMATS, Format
from gelu_verify.forms import FORMS
from gelu_verify.references import rounded
from gelu_verify.sweep import Interval, Policy, Statistics, sweep

BINARY32 = FORMATS["binary32"]
NAIVE, GELU, GELU_TANH = FORMS["tanh_naive"], get_function("gelu"), get_function("gelu_tanh")
THRESHOLDS = [  # the number from which on GELU rounds to its input, and the last one before it rounds to zero
    ("binary32", 0x40AB1ED9, 0xC165B274),
    ("binary16", 0x42E5, 0xC5B9),
    ("bfloat16", 0x4032, 0xC158),
]
BEYOND = 64  # encodings on either side of a threshold


def errors_of(call: Any, format: Format, ends: list[int], function: Function = GELU, **options: Any) -> Statistics:
    low, high = sorted(format.exact(bits) for bits in ends)
    return sweep(call, function, format, on=Interval(low, high), workers=1, **options).errors


@pytest.mark.parametrize(("name", "identity", "last"), THRESHOLDS)
def test_gelu_rounds_to_its_input_from_the_known_number_on(name: str, identity: int, last: int) -> None:
    format = FORMATS[name]
    ends = [identity - BEYOND, identity + BEYOND]
    found = errors_of(lambda x: x + 0, format, ends, policy=Policy(Fraction(1, 2)))
    assert max(region.last for region in found.regions["over_limit"]) == identity - 1
    assert identity in [run.first for run in rounding_set(format, "x").runs]


@pytest.mark.parametrize(("name", "identity", "last"), THRESHOLDS)
def test_gelu_rounds_to_zero_beyond_the_known_number(name: str, identity: int, last: int) -> None:
    format = FORMATS[name]
    found = errors_of(lambda x: x * 0, format, [last - BEYOND, last + BEYOND])
    (region,) = found.regions["zero_instead_of_nonzero"]
    assert (region.first, region.last) == (last - BEYOND, last)
    assert last + 1 in [run.first for run in rounding_set(format, "0").runs]


def test_the_tanh_form_is_representable_down_to_the_known_number() -> None:
    """The last number of binary32 before |T| falls below half the least one is -10.77086734771728515625."""

    def excess(x: Any) -> Any:
        power = mp.exp(-2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3))
        return mp.log(-x / (1 + power)) + 150 * mp.log(2)

    with mp.workdps(40):
        edge = Fraction(mp.nstr(mp.findroot(excess, (-11, -10.5), solver="anderson"), 30))
    last = BINARY32.round(edge)
    last -= BINARY32.exact(last) < edge
    assert f"{float(BINARY32.exact(last)):.20f}" == "-10.77086734771728515625"
    found = errors_of(lambda x: x * 0, BINARY32, [last - BEYOND, last + BEYOND], GELU_TANH)
    (region,) = found.regions["zero_instead_of_nonzero"]
    assert region.last == last
    assert [rounded(GELU_TANH, bits, BINARY32) for bits in (last, last + 1)] == [0x80000001, 0x80000000]


class WithTanh:
    """NumPy's arithmetic around a tanh that is 1 from `saturation` on and is not looked at before."""

    def __init__(self, saturation: float) -> None:
        self.saturation = saturation

    def tanh(self, u: np.ndarray) -> np.ndarray:
        return np.where(u <= -self.saturation, np.float32(-1), np.float32(-0.5))


def onset(saturation: float) -> int:
    """Return the first negative number at which the naive form gives zero if its tanh is 1 from `saturation` on.

    Sums and products are the same on every machine.
    """
    bits = np.arange(BINARY32.round(-5), BINARY32.round(-6), dtype=np.uint32)
    values = NAIVE.evaluate(bits.view(np.float32), WithTanh(saturation))  # type: ignore[arg-type]
    return int(bits[np.argmax(values == 0)])


def test_where_the_naive_form_becomes_zero_is_where_its_tanh_becomes_one() -> None:
    """A tanh with an error below an ulp may be 1 from 8.66434 on; NumPy's vector code is from 10 on."""
    assert BINARY32.decimal(onset(10.0)) == "-5.418708"
    earliest = float(mp.atanh(1 - mp.mpf(2) ** -24))
    assert -5.07 < float(BINARY32.exact(onset(earliest))) < -5.06
    u = np.arange(BINARY32.round(8), BINARY32.round(12), dtype=np.uint32).view(np.float32)
    below_one = np.flatnonzero(np.tanh(u) != 1)
    here = onset(float(u[below_one[-1] + 1]))
    (region,) = errors_of(NAIVE, BINARY32, [here - BEYOND, here + BEYOND], GELU_TANH).regions["zero_instead_of_nonzero"]
    assert region.first == here >= onset(earliest)
