"""The same input must give the same bits: in any length, place, layout and company, and every time."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.checks.case import Claim
from gelu_verify.checks.special_values import special_inputs
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats.arrays import round_float64, storage_dtype, to_float64
from gelu_verify.records import Finding, Region
from gelu_verify.references.correct_rounding import rounded
from gelu_verify.targets import Layout, Misbehaved, Target, Unsupported
from gelu_verify.targets.process import FORWARD

Bits = npt.NDArray[Any]

LENGTHS = tuple(range(1, 68))  # past the fourth multiple of the widest vector of floats
_FEW_LENGTHS = (1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 67)
_SLOW = 4e-3  # seconds for one short array, from which on only a few paths are tried
_REPEATS = 3
_LARGE = (1 << 16) + 3
_SIZE = 96


def path_inputs(claim: Claim) -> Bits:
    """Return 96 inputs at which code paths like to differ: special values, the negative tail, the transition.

    The first is x = -5.5339069, at which a scalar and a vector erf were seen to differ.
    """
    format = claim.format
    tail = [-5.533906936645508, *np.linspace(-13, -3, 31), *np.linspace(-3, 3, 33), *np.linspace(3.1, 13, 12)]
    small = [1e-3, -1e-3, 1e-6, -1e-6, 0.044715, -0.75]
    values = round_float64(format, np.array([*tail, *small]))
    special = np.array(special_inputs(format), storage_dtype(format))
    spread = np.concatenate([values[:1], special, values[1:]])
    return np.resize(spread, _SIZE)


def path_findings(target: Target, claim: Claim, operation: str = FORWARD) -> Iterator[Finding]:
    """Yield at most one finding: an input with two different results, and the two ways in which they came about.

    Raises:
        Misbehaved: the target gives no result.
    """
    inputs = path_inputs(claim)
    target.evaluate(inputs[:8], operation=operation)  # the first call may compile or load
    start = time.perf_counter()
    base = target.evaluate(inputs, operation=operation)
    slow = target.framework == "pipe" or time.perf_counter() - start > _SLOW
    differing: list[tuple[str, int, int, int]] = []
    for path, bits, results, expected in _paths(target, inputs, base, operation, slow):
        different = np.flatnonzero(_differ(claim, results, expected))
        if different.size:
            place = int(different[0])
            differing.append((path, int(bits[place]), int(expected[place]), int(results[place])))
    if differing:
        yield _finding(claim, differing)


def _paths(
    target: Target, inputs: Bits, base: Bits, operation: str, slow: bool
) -> Iterator[tuple[str, Bits, Bits, Bits]]:
    """Yield (how, inputs, results, the results in the base run) for every path."""

    def run(bits: Bits, layout: Layout = Layout.CONTIGUOUS) -> Bits:
        return target.evaluate(bits, layout=layout, operation=operation)

    for _ in range(_REPEATS - 1):
        yield "the same array again", inputs, run(inputs), base
    for length in _FEW_LENGTHS if slow else LENGTHS:
        yield f"an array of length {length}", inputs[:length], run(inputs[:length]), base[:length]
        if not slow:
            rolled, expected = np.roll(inputs, length), np.roll(base, length)
            yield f"another place in the array (moved by {length})", rolled, run(rolled), expected
    if not slow:
        for place in range(inputs.size):
            yield (
                "an array of length 1",
                inputs[place : place + 1],
                run(inputs[place : place + 1]),
                base[place : place + 1],
            )
    for layout in Layout:
        part = slice(0, 1) if layout is Layout.SCALAR else slice(0, inputs.size)
        try:
            yield f"an array {layout}", inputs[part], run(inputs[part], layout), base[part]
        except (Unsupported, Misbehaved):
            continue  # a refusal of unusual memory is no wrong number
    yield "the reversed order", inputs[::-1], run(inputs[::-1].copy()), base[::-1]
    if slow:
        return
    copies = -(-_LARGE // inputs.size)
    large = np.tile(inputs, copies)[:_LARGE]
    yield f"an array of length {_LARGE}", large, run(large), np.tile(base, copies)[:_LARGE]
    calm = inputs[np.abs(np.nan_to_num(to_float64(target.format, inputs), posinf=1e9, neginf=1e9)) < 10]
    calm_base = base[np.abs(np.nan_to_num(to_float64(target.format, inputs), posinf=1e9, neginf=1e9)) < 10]
    yield "other neighbours", calm, run(calm), calm_base


def _differ(claim: Claim, left: Bits, right: Bits) -> npt.NDArray[np.bool_]:
    """Tell where two results differ; one NaN is as good as another."""
    both_nan = np.isnan(to_float64(claim.format, left)) & np.isnan(to_float64(claim.format, right))
    result: npt.NDArray[np.bool_] = (left != right) & ~both_nan
    return result


def _finding(claim: Claim, differing: list[tuple[str, int, int, int]]) -> Finding:
    format = claim.format
    path, x, usual, other = differing[0]
    paths = list(dict.fromkeys(how for how, *_ in differing))
    more = f" (and {len(paths) - 1} more such ways)" if len(paths) > 1 else ""
    try:
        want: int | None = rounded(claim.function, x, format, claim.derivative)
    except (InputError, IncompleteError):
        want = None
    return Finding(
        kind="path-dependence",
        message=f"gives {format.decimal(usual)} ({format.bits_text(usual)}) in an array of {_SIZE}, and "
        f"{format.decimal(other)} ({format.bits_text(other)}) in {path}{more}",
        cause=_cause(paths),
        x=x,
        got=other,
        want=want,
        ulp=None,
        regions=(Region(x, x),),
    )


def _cause(paths: list[str]) -> str:
    if "the same array again" in paths:
        return "the result depends on state or on chance: an elementwise function has neither"
    return (
        "vector, scalar and remainder code compute differently, or an element gets what belongs to another place: use "
        "one formula and one index in all of them"
    )
