"""One assertion for somebody's own tests: this callable computes that function, to so many ulp, on these inputs."""

import os
from fractions import Fraction
from reprlib import repr as shown
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gelu_verify.assertions.demands import Call, Demand, demand
from gelu_verify.assertions.message import message
from gelu_verify.assertions.places import place_of
from gelu_verify.checks.case import Claim
from gelu_verify.checks.exhaustive import add_exhaustive_findings
from gelu_verify.checks.runner import PARTS, Report, run_checks
from gelu_verify.errors import InputError
from gelu_verify.formats.arrays import native_dtype, storage_dtype
from gelu_verify.targets import InProcess, IsolatedTarget, Target, parse_target
from gelu_verify.targets.direct import DirectTarget
from gelu_verify.targets.loading import load_callable
from gelu_verify.targets.process import FORWARD, GRADIENT

if TYPE_CHECKING:
    from gelu_verify.sweep import SweepResult

Interval = tuple[float, float]


def assert_gelu_accurate(
    fn: Call,
    function: str = "gelu",
    format: str = "binary32",
    max_ulp: float = 2,
    on: Interval | None = None,
    gradient: Call | str | None = None,
    exhaustive: bool = False,
) -> None:
    """Check a NumPy, torch, JAX or scalar callable, and raise an AssertionError that says what is wrong with it.

    Arguments:
        function: a catalogue name or a formula in x that `fn` claims to compute.
        format: the format of its inputs and results.
        max_ulp: the largest error allowed, in units in the last place of the exact result.
        on: the interval of inputs; by default every number, the special values and all code paths.
        gradient: its backward pass: a callable, or "auto" for automatic differentiation of torch and JAX.
        exhaustive: run every input of the format and not a sample (binary32 and narrower), in both passes.

    Raises:
        AssertionError: something is wrong; the message names it and shows an input.
        InputError: the question makes no sense.
    """
    __tracebackhide__ = not os.environ.get("GELU_VERIFY_TRACEBACK")  # the test's own line is what pytest is to show
    try:
        if not callable(fn):
            raise InputError(f"fn is {shown(fn)}, which cannot be called; give the function itself")
        asked = demand(function, format, max_ulp, on, gradient, exhaustive)
        target = InProcess(fn, asked.format, gradient=gradient if callable(gradient) else None)
        report, results = _examined(target, asked, fn)
    except InputError as error:
        raise InputError(str(error)) from None
    if report.findings:
        backward = place_of(gradient) if callable(gradient) else gradient
        command = None if gradient is not None and backward is None else place_of(fn)
        name = getattr(fn, "__qualname__", None) or type(fn).__qualname__
        raise AssertionError(message(name, report, results, command, backward))


def assert_target_accurate(text: str, function: str, format: str, max_ulp: float) -> float:
    """Check a target of the command line on a sample; return its largest error in ulp, or raise what is wrong with it.

    Python callables are called in this process, any other target in a process of its own.

    Raises:
        AssertionError: something is wrong; the message names it and shows an input.
        InputError: there is no such target, or the question makes no sense.
    """
    __tracebackhide__ = not os.environ.get("GELU_VERIFY_TRACEBACK")
    try:
        asked, target = demand(function, format, max_ulp), parse_target(text)
        callable_here = target.kind in ("module", "file")
        opened: Target = (
            InProcess(load_callable(target), asked.format) if callable_here else IsolatedTarget(target, asked.format)
        )
        try:
            report, _ = _examined(opened, asked)
        finally:
            opened.close()
    except InputError as error:
        raise InputError(str(error)) from None
    if report.findings:
        raise AssertionError(message(text, report, [], text, None))
    return 0.0 if report.forward is None else float(np.nanmax(report.forward.claimed.error, initial=0.0))


def _examined(target: Target, asked: Demand, fn: Call | None = None) -> "tuple[Report, list[SweepResult]]":
    """Return the findings, and what the exhaustive runs of the passes counted."""
    first, last = asked.ends()
    claim = Claim(asked.function, asked.format, 0, asked.max_ulp, first=first, last=last)
    parts = PARTS if asked.on is None else ("accuracy", "gradient")
    report = run_checks(target, claim, gradient=asked.gradient is not None, parts=parts)
    if asked.on is not None and not asked.exhaustive and not report.inputs and not report.findings:
        raise InputError(f"none of the sampled inputs lies in {asked.on}; give a wider interval or exhaustive=True")
    results: list[SweepResult] = []
    if asked.exhaustive and report.has_results:
        for operation in (FORWARD,) if asked.gradient is None else (FORWARD, GRADIENT):
            results.append(_swept(target, claim, asked, operation, _direct(fn, asked, operation)))
            add_exhaustive_findings(target, report, results[-1].errors, operation)
    return report, results


def _swept(target: Target, claim: Claim, asked: Demand, operation: str, direct: DirectTarget | None) -> "SweepResult":
    """Run one pass on every input: by `direct` on every processor, or else in this process."""
    from gelu_verify.sweep import Interval, Policy, sweep

    interval = asked.interval()

    def call(inputs: npt.NDArray[Any]) -> npt.NDArray[Any]:
        bits = target.evaluate(inputs.view(storage_dtype(claim.format)), operation=operation)
        return bits.view(native_dtype(claim.format))

    try:
        return sweep(
            call if direct is None else direct,
            claim.function,
            claim.format,
            name=target.name,
            derivative=1 if operation == GRADIENT else 0,
            on=None if interval is None else Interval(*interval),
            policy=Policy(Fraction(claim.max_ulp)),
            workers=1 if direct is None else None,
        )
    finally:
        if direct is not None:
            direct.close()


def _direct(fn: Call | None, asked: Demand, operation: str) -> DirectTarget | None:
    """Return one pass as a target that worker processes can load; None for what they cannot, such as a closure."""
    own = operation == GRADIENT and callable(asked.gradient)
    place = place_of(asked.gradient if own else fn)
    if place is None:
        return None
    direct = DirectTarget(parse_target(place), asked.format, operation=FORWARD if own else operation)
    try:
        direct(np.zeros(1, native_dtype(asked.format)))
    except InputError:  # its module can be imported here, under pytest, and not there
        return None
    finally:
        direct.close()
    return direct
