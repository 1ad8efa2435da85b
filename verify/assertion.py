"""One assertion for somebody's own tests: this callable computes that function, to so many ulp, on these inputs."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gelu_verify.catalogue import function_or_expression
from gelu_verify.checks.case import Claim
from gelu_verify.checks.exhaustive import add_exhaustive_findings
from gelu_verify.checks.runner import Report, run_checks
from gelu_verify.errors import InputError
from gelu_verify.formats import Format, get_format
from gelu_verify.formats.arrays import native_dtype, storage_dtype
from gelu_verify.records import Finding
from gelu_verify.targets import InProcess, parse_target
from gelu_verify.targets.direct import DirectTarget

if TYPE_CHECKING:
    from gelu_verify.sweep import SweepResult

_MOST_FINDINGS = 6  # that a message tells in full


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
    fn: Callable[..., Any],
    function: str = "gelu",
    format: str = "binary32",
    max_ulp: float = 2,
    on: tuple[float, float] | None = None,
    gradient: Callable[..., Any] | str | None = None,
    exhaustive: bool = False,
) -> None:
    """Check a NumPy, torch, JAX or scalar callable, and raise an AssertionError that says what is wrong with it.

    Arguments:
        function: a catalogue name or a formula in x that `fn` claims to compute.
        format: the format of its inputs and results.
        max_ulp: the largest error allowed, in units in the last place of the exact result.
        on: the interval of inputs; by default every number, the special values and all code paths.
        gradient: its backward pass: a callable, or "auto" for automatic differentiation of torch and JAX.
        exhaustive: run every input of the format and not a sample (binary32 and narrower).

    Raises:
        AssertionError: something is wrong; the message names it and shows an input.
        InputError: the question makes no sense.
    """
    report, result = _examined(fn, function, format, max_ulp, on, gradient, exhaustive)
    if report.findings:
        raise AssertionError(_message(fn, report, result))


def measure_accuracy(fn: Callable[..., Any], function: str, format: str, max_ulp: float = 4) -> Measurement:
    """Return the largest error of a callable on the sampled inputs, with what was found.

    Raises:
        InputError: the question makes no sense.
    """
    report, _ = _examined(fn, function, format, max_ulp, None, None, exhaustive=False)
    case = report.forward
    errors = case.claimed.error if case is not None else np.array([np.inf])
    return Measurement(float(np.nanmax(errors, initial=0.0)), report)


def _examined(
    fn: Callable[..., Any],
    function: str,
    format_name: str,
    max_ulp: float,
    on: tuple[float, float] | None,
    gradient: Callable[..., Any] | str | None,
    exhaustive: bool,
) -> "tuple[Report, SweepResult | None]":
    format = get_format(format_name)
    if not max_ulp >= 0.5:
        raise InputError(f"max_ulp is {max_ulp}; it must be at least 1/2, which even correct rounding reaches")
    if gradient is not None and not callable(gradient) and gradient != "auto":
        raise InputError(f"gradient is {gradient!r}; it must be a callable, 'auto' or None")
    ends = (None, None) if on is None else _ends(format, on)
    claim = Claim(function_or_expression(function), format, 0, float(max_ulp), False, *ends)
    own = gradient if callable(gradient) else None
    target = InProcess(fn, format, gradient=own)
    parts = ("accuracy", "gradient") if on is not None else ("special-values", "paths", "accuracy", "gradient")
    report = run_checks(target, claim, gradient=gradient is not None, parts=parts)
    result = None
    if exhaustive and not any(finding.kind == "exception" for finding in report.findings):
        result = _swept(fn, target, claim, on)
        add_exhaustive_findings(target, report, result.errors)
    return report, result


def _ends(format: Format, on: tuple[float, float]) -> tuple[int, int]:
    from gelu_verify.formats.numbers import parse_number

    low, high = (parse_number(repr(float(end))).to_bits(format) for end in on)
    return low, high


def _swept(fn: Callable[..., Any], target: InProcess, claim: Claim, on: tuple[float, float] | None) -> "SweepResult":
    from fractions import Fraction

    from gelu_verify.sweep import Interval, Policy, sweep

    interval = None
    if on is not None:
        beyond = Fraction(2) ** 2000
        interval = Interval(*(Fraction(end) if np.isfinite(end) else beyond * int(np.sign(end)) for end in on))
    direct = _importable(fn, claim.format)

    def call(inputs: npt.NDArray[Any]) -> npt.NDArray[Any]:
        bits = target.evaluate(inputs.view(storage_dtype(claim.format)))
        return bits.view(native_dtype(claim.format))

    return sweep(
        call if direct is None else direct,
        claim.function,
        claim.format,
        name=target.name,
        on=interval,
        policy=Policy(Fraction(claim.max_ulp)),
        workers=1 if direct is None else None,
    )


def _importable(fn: Callable[..., Any], format: Format) -> DirectTarget | None:
    """Return the function as a target that worker processes can load from its file; None for a closure."""
    name = getattr(fn, "__qualname__", "")
    if not inspect.isfunction(fn) or not name.isidentifier() or getattr(inspect.getmodule(fn), name, None) is not fn:
        return None
    file = inspect.getsourcefile(fn)
    if file is None:
        return None
    specification = find_spec(fn.__module__) if "." in fn.__module__ and fn.__module__.isascii() else None
    place = fn.__module__ if specification is not None and specification.origin == file else file
    return DirectTarget(parse_target(f"{place}:{name}"), format)


def _message(fn: Callable[..., Any], report: Report, result: "SweepResult | None") -> str:
    """Return a message in the order of torch.testing: how many, how far, where; then what it is and how to mend it."""
    claim, case = report.claim, report.forward
    name = getattr(fn, "__qualname__", repr(fn))
    lines = [f"{name} is not an accurate {claim.function.name} in {claim.format.name}!", ""]
    if result is not None:
        lines.append(f"Mismatched inputs: {result.errors.counts['over_limit']} / {result.inputs}")
    elif case is not None:
        over, size = int(case.over.sum()), case.over.size
        lines.append(f"Mismatched inputs: {over} / {size} ({over / max(size, 1):.1%} of a sample)")
    if case is not None and case.over.any():
        lines += _greatest(report)
    for finding in report.findings[:_MOST_FINDINGS]:
        lines += ["", *_told(claim, finding)]
    return "\n".join(lines)


def _greatest(report: Report) -> list[str]:
    case, format = report.forward, report.claim.format
    if case is None:
        return []
    sample = case.claimed
    sizes = np.where(case.over, np.nan_to_num(abs(sample.distance), nan=-1.0, posinf=-1.0), -1.0)
    errors = np.where(case.over, np.nan_to_num(sample.error, nan=-1.0, posinf=np.finfo(float).max), -1.0)
    places = [int(np.argmax(sizes)), int(np.argmax(errors))]
    where = [f"at x = {format.decimal(int(sample.bits[p]))} ({format.bits_text(int(sample.bits[p]))})" for p in places]
    worst = "not a number" if np.isinf(sample.error[places[1]]) else f"{sample.error[places[1]]:.6g} ulp"
    return [
        f"Greatest absolute difference: {sizes[places[0]]:.6g} {where[0]}",
        f"Greatest error: {worst} {where[1]} (up to {report.claim.max_ulp:g} ulp allowed)",
    ]


def _told(claim: Claim, finding: Finding) -> list[str]:
    format = claim.format
    lines = [f"{finding.kind}: {finding.message}"]
    for label, bits in (("input", finding.x), ("got", finding.got), ("expected", finding.want)):
        if bits is not None:
            lines.append(f"  {label:8} {format.decimal(bits)}  {format.hex(bits)}  {format.bits_text(bits)}")
    if finding.ulp is not None and np.isfinite(finding.ulp):
        lines.append(f"  error    {finding.ulp:.6g} ulp")
    return [*lines, f"  cause    {finding.cause}"]
