"""Zeros, infinities, NaN and the ends of the format, alone and among others."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.checks.case import Claim
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import Format
from gelu_verify.formats.arrays import storage_dtype
from gelu_verify.records import Finding, Region
from gelu_verify.references.correct_rounding import rounded
from gelu_verify.targets import Layout, Target, Unsupported
from gelu_verify.targets.process import FORWARD

Bits = npt.NDArray[Any]

_REPEATS = 8  # copies, so that the special inputs also go through vector code


def special_inputs(format: Format) -> list[int]:
    """Return the encodings of +-0, +-infinity (where there is one) and quiet NaNs of both signs.

    >>> from gelu_verify.formats import FORMATS
    >>> [FORMATS["binary16"].hex(bits) for bits in special_inputs(FORMATS["binary16"])]
    ['0x0p+0', '-0x0p+0', 'inf', '-inf', 'nan', 'nan']
    """
    sign = format.sign_mask
    infinities = [format.infinity, format.infinity | sign] if format.has_infinity else []
    return [0, sign, *infinities, format.nan, format.nan | sign]


def special_value_findings(target: Target, claim: Claim, operation: str = FORWARD) -> Iterator[Finding]:
    """Yield at most one finding: every special input whose result is wrong in some layout.

    Wanted are the limit at an infinity (a zero of either sign where the limit is zero), NaN for NaN, and at +-0 the
    correctly rounded value, with its sign where the function is not zero beside it.

    Raises:
        Misbehaved: the target gives no result.
    """
    inputs = special_inputs(claim.format)
    wanted = {x: want for x in inputs if (want := _wanted(claim, x)) is not None}
    wrong: dict[int, int] = {}
    for results in _in_layouts(target, np.array(inputs, storage_dtype(claim.format)), operation):
        for x, got in zip(inputs, results, strict=True):
            if x in wanted and x not in wrong and not _right(claim, x, got, wanted[x]):
                wrong[x] = got
    if wrong:
        yield _finding(claim, wrong, wanted)


def _in_layouts(target: Target, inputs: Bits, operation: str) -> Iterator[list[int]]:
    """Yield the results at the special inputs: in a short array, in a long one, strided, and one by one."""
    count = inputs.size
    yield target.evaluate(inputs, operation=operation).tolist()
    yield target.evaluate(np.tile(inputs, _REPEATS), operation=operation)[-count:].tolist()
    for layout in (Layout.STRIDED, Layout.OFFSET):
        try:
            yield target.evaluate(inputs, layout=layout, operation=operation).tolist()
        except Unsupported:
            continue
    yield [int(target.evaluate(inputs[place : place + 1], operation=operation)[0]) for place in range(count)]


def _wanted(claim: Claim, x: int) -> int | None:
    """Return the right result, or None where there is none to be had (no limit, a kink at zero)."""
    try:
        return rounded(claim.function, x, claim.format, claim.derivative)
    except (InputError, IncompleteError):
        return None


def _right(claim: Claim, x: int, got: int, want: int) -> bool:
    format = claim.format
    if format.is_nan(want) or format.is_nan(got):
        return format.is_nan(want) and format.is_nan(got)
    if want & ~format.sign_mask == 0:
        return got & ~format.sign_mask == 0 and (got == want or not _sign_matters(claim, x))
    if format.is_infinite(want) or not format.is_finite(got):
        return got == want
    exact = format.exact(want)
    return abs(format.exact(got) - exact) <= claim.max_ulp * format.ulp(exact)


def _sign_matters(claim: Claim, x: int) -> bool:
    """Tell whether a zero result at a zero input has a definite sign: the function has one just beside it."""
    format = claim.format
    if not format.is_finite(x) or claim.derivative or claim.flush_inputs or claim.flush_outputs:
        return False
    beside = rounded(claim.function, x | format.min_normal, format)
    return beside & ~format.sign_mask != 0


def _finding(claim: Claim, wrong: dict[int, int], wanted: dict[int, int]) -> Finding:
    format = claim.format
    name = f"f{chr(39) * claim.derivative}"
    shown = {
        format.hex(
            x
        ): f"{name}({_word(format, x)}) is {_word(format, wrong[x])} and should be {_word(format, wanted[x])}"
        for x in wrong
    }
    first = next(iter(wrong))
    return Finding(
        kind="special-value",
        message="; ".join(shown.values()),
        cause=_cause(format, wrong, wanted),
        x=first,
        got=wrong[first],
        want=wanted[first],
        ulp=None,
        regions=tuple(Region(x, x) for x in sorted(wrong, key=lambda x: _place(format, x))),
    )


def _place(format: Format, x: int) -> int:
    if format.is_nan(x):
        return 1 << format.width
    return format.ordinal(x)


def _word(format: Format, bits: int) -> str:
    return "nan" if format.is_nan(bits) else format.decimal(bits)


def _cause(format: Format, wrong: dict[int, int], wanted: dict[int, int]) -> str:
    """Return the likely cause of the first wrong result."""
    x, got = next(iter(wrong.items()))
    if format.is_nan(x):
        return "NaN is swallowed by a comparison, a clamp or nan_to_num: let it through"
    if format.is_nan(got) and format.is_infinite(x):
        return "infinity times zero: put the limit in at the infinities"
    if format.is_nan(got):
        return "zero divided by zero: do not divide by x"
    if format.is_infinite(x):
        return "the limit at infinity is not reached: a clamp or a smallest factor stands in the way"
    if wanted[x] & ~format.sign_mask:
        return "the value at zero is not the function's: a branch for x = 0, or a term there, is wrong"
    if got & ~format.sign_mask == 0:
        return "the sign of zero is lost in an addition or a maximum"
    return "a constant is left at zero: the approximation does not vanish there"
