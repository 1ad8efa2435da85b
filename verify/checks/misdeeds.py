"""A target that crashes, hangs or returns nothing usable: find the input that makes it."""

import re
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.checks.case import Claim
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.paths import path_inputs
from gelu_verify.checks.probes import probes
from gelu_verify.checks.special_values import special_inputs
from gelu_verify.formats.arrays import storage_dtype
from gelu_verify.records import Finding, Region
from gelu_verify.targets import Misbehaved, Misdeed, Target

Bits = npt.NDArray[Any]

_WANTS_MORE = re.compile(r"^TypeError: .* missing \d+ required ")
_SECONDS = 20.0  # for the search; a hang costs the time limit at every step
_CAUSES = {
    Misdeed.CRASH: "memory is read or written out of bounds, or the process is ended on purpose",
    Misdeed.HANG: "a loop does not end for this input",
    Misdeed.OVERRUN: "the loop goes past the end of the output",
    Misdeed.EXCEPTION: "this input is not expected: an elementwise function takes every float",
    Misdeed.WRONG_SHAPE: "the result must have the shape of the input",
    Misdeed.WRONG_DTYPE: "the result must have the type of the input",
}


def misdeed_finding(target: Target, claim: Claim, operation: str, fault: Misbehaved) -> Finding:
    """Return the finding for a target that gave no result, with the input that provokes it if there is a single one."""
    bits = _provoking(target, claim, operation, fault.misdeed)
    single = int(bits[0]) if bits.size == 1 else None
    message = f"gives no result: {fault.detail}"
    if single is not None:
        message += f"; the input {claim.format.decimal(single)} alone is enough"
    regions = () if single is None else (Region(single, single),)
    cause = _CAUSES[fault.misdeed]
    if fault.misdeed is Misdeed.EXCEPTION and _WANTS_MORE.search(fault.detail):
        cause = "it is called with the inputs alone: give it the rest by functools.partial, or by --arg NAME=VALUE"
    return Finding(Kind(fault.misdeed), message, cause, single, regions=regions)


def _provoking(target: Target, claim: Claim, operation: str, misdeed: Misdeed) -> Bits:
    """Return the smallest array of inputs that was found to provoke the misdeed again."""
    special = np.array(special_inputs(claim.format), storage_dtype(claim.format))
    deadline = time.monotonic() + _SECONDS
    for bits in (special, path_inputs(claim), probes(claim.format)):
        if _provokes(target, bits, operation, misdeed):
            return _halved(target, bits, operation, misdeed, deadline)
        if time.monotonic() > deadline:
            break
    return special[:0]


def _halved(target: Target, bits: Bits, operation: str, misdeed: Misdeed, deadline: float) -> Bits:
    while bits.size > 1 and time.monotonic() < deadline:
        middle = bits.size // 2
        halves = (bits[:middle], bits[middle:])
        bits_now = next((half for half in halves if _provokes(target, half, operation, misdeed)), None)
        if bits_now is None:
            break  # it takes several inputs together
        bits = bits_now
    return bits


def _provokes(target: Target, bits: Bits, operation: str, misdeed: Misdeed) -> bool:
    try:
        target.evaluate(bits, operation=operation)
    except Misbehaved as fault:
        return fault.misdeed is misdeed
    return False
