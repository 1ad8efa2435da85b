"""One assertion for somebody's own tests: this callable computes that function, to so many ulp, on these inputs."""

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gelu_verify.assertion_message import message
from gelu_verify.catalogue import function_or_expression
from gelu_verify.checks.case import Claim
from gelu_verify.checks.exhaustive import add_exhaustive_findings
from gelu_verify.checks.runner import PARTS, Report, run_checks
from gelu_verify.errors import InputError
from gelu_verify.formats import Format, get_format
from gelu_verify.formats.arrays import native_dtype, storage_dtype
from gelu_verify.formats.intervals import BEYOND, finite_ends
from gelu_verify.targets import InProcess, Misdeed, parse_target
from gelu_verify.targets.direct import DirectTarget
from gelu_verify.targets.process import FORWARD, GRADIENT

if TYPE_CHECKING:
    from gelu_verify.sweep import SweepResult

Call = Callable[..., Any]
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured of an implementation.

    Attributes:
        max_ulp: the largest error in ulp over the inputs run; infinite where a result is not finite and should be.
        report: the findings.
    """

    max_ulp: float
    report: Report


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
        report, results = _examined(fn, function, format, max_ulp, on, gradient, exhaustive)
    except InputError as error:
        raise InputError(str(error)) from None
    if report.findings:
        backward = _place(gradient) if callable(gradient) else gradient
        raise AssertionError(message(fn, report, results, _place(fn), backward))


def measure_accuracy(fn: Call, function: str, format: str, max_ulp: float = 4) -> Measurement:
    """Return the largest error of a callable on the sampled inputs, with what was found.

    Raises:
        InputError: the question makes no sense.
    """
    report, _ = _examined(fn, function, format, max_ulp, None, None, exhaustive=False)
    case = report.forward
    errors = case.claimed.error if case is not None else np.array([np.inf])
    return Measurement(float(np.nanmax(errors, initial=0.0)), report)


def _examined(
    fn: Call,
    function: str,
    format_name: str,
    max_ulp: float,
    on: Interval | None,
    gradient: Call | str | None,
    exhaustive: bool,
) -> "tuple[Report, list[SweepResult]]":
    """Return the findings, and what the exhaustive runs of the passes counted."""
    format = get_format(format_name)
    if not 0.5 <= max_ulp < np.inf:
        raise InputError(f"max_ulp is {max_ulp}; it must be a number of at least 1/2, which correct rounding reaches")
    if gradient is not None and not callable(gradient) and gradient != "auto":
        raise InputError(f"gradient is {gradient!r}; it must be a callable, 'auto' or None")
    if exhaustive and format.width > 32:
        raise InputError(f"{format.name} has too many numbers to run them all; leave exhaustive out")
    ends = (None, None) if on is None else finite_ends(format, *_real_interval(on))
    claim = Claim(function_or_expression(function), format, 0, float(max_ulp), first=ends[0], last=ends[1])
    target = InProcess(fn, format, gradient=gradient if callable(gradient) else None)
    parts = PARTS if on is None else ("accuracy", "gradient")
    report = run_checks(target, claim, gradient=gradient is not None, parts=parts)
    if on is not None and not exhaustive and not report.inputs and not report.findings:
        raise InputError(f"none of the sampled inputs lies in {on}; give a wider interval or exhaustive=True")
    results: list[SweepResult] = []
    if exhaustive and not any(finding.kind in tuple(Misdeed) for finding in report.findings):
        for operation in (FORWARD,) if gradient is None else (FORWARD, GRADIENT):
            results.append(_swept(target, claim, on, operation, _direct(fn, gradient, format, operation)))
            add_exhaustive_findings(target, report, results[-1].errors, operation)
    return report, results


def _real_interval(on: Interval) -> tuple[Fraction, Fraction]:
    """Return the ends of an interval, with a number past every format's for infinity.

    Raises:
        InputError: an end is NaN, or the ends are the wrong way round.
    """
    low, high = map(float, on)
    if not low <= high:
        raise InputError(f"on is {on}; give two numbers, the lower first")
    lower, upper = (Fraction(end) if np.isfinite(end) else BEYOND * int(np.sign(end)) for end in (low, high))
    return lower, upper


def _swept(
    target: InProcess, claim: Claim, on: Interval | None, operation: str, direct: DirectTarget | None
) -> "SweepResult":
    """Run one pass on every input: by `direct` on every processor, or else in this process."""
    from gelu_verify.sweep import Interval, Policy, sweep

    interval = None if on is None else Interval(*_real_interval(on))

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
            on=interval,
            policy=Policy(Fraction(claim.max_ulp)),
            workers=1 if direct is None else None,
        )
    finally:
        if direct is not None:
            direct.close()


def _direct(fn: Call, gradient: Call | str | None, format: Format, operation: str) -> DirectTarget | None:
    """Return one pass as a target that worker processes can load; None for a closure."""
    if operation == GRADIENT and callable(gradient):
        place = _place(gradient)
        return None if place is None else DirectTarget(parse_target(place), format)
    place = _place(fn)
    return None if place is None else DirectTarget(parse_target(place), format, operation=operation)


def _place(fn: Call) -> str | None:
    """Return what names a function on the command line and in worker processes; None for a closure or a method."""
    name = getattr(fn, "__qualname__", "")
    if not inspect.isfunction(fn) or not name.isidentifier() or getattr(inspect.getmodule(fn), name, None) is not fn:
        return None
    file = inspect.getsourcefile(fn)
    if file is None:
        return None
    specification = find_spec(fn.__module__) if "." in fn.__module__ and fn.__module__.isascii() else None
    if specification is not None and specification.origin == file:
        return f"{fn.__module__}:{name}"
    path = Path(file)
    return f"{path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}:{name}"
