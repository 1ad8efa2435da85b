"""The verb `check`: run an implementation on every float of a format, judge every result, and name what is wrong."""

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from gelu_verify.cli import EXIT_FAILED, EXIT_HOLDS
from gelu_verify.cli.output import print_json, print_lines
from gelu_verify.cli.paths import path
from gelu_verify.cli.progress import Progress
from gelu_verify.cli.ranges import check_range, check_workers
from gelu_verify.cli.target_options import add_target, open_target
from gelu_verify.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from gelu_verify.checks.case import Claim
    from gelu_verify.checks.runner import Report
    from gelu_verify.formats import Format
    from gelu_verify.sweep import Interval, Policy, SweepResult
    from gelu_verify.targets import IsolatedTarget

EXAMPLES = [
    "gelu-verify check gelu_verify.forms:tanh_factored --as gelu_tanh",
    "gelu-verify check gelu_verify.forms:tanh_naive --as gelu_tanh --format binary16 --max-ulp 8",
    "gelu-verify check gelu_verify.forms:sigmoid --as gelu_sigmoid --against gelu --on -4 4 --json",
    "gelu-verify check gelu_verify.forms:correct.tanh_naive --as gelu_tanh --format bfloat16 --on 0 6",
    "gelu-verify check gelu_verify.forms:erfc --as gelu --format binary64 --on -6 -5 --seed 1",
    "gelu-verify check gelu_verify.forms:sigmoid --as gelu_sigmoid --on 1 2 "
    "--same-as gelu_verify.forms:correct.sigmoid",
    "gelu-verify check gelu_verify.faults.constants:cubic_0_044175 --as gelu_tanh --sampled",
    "gelu-verify check gelu_verify.faults.gated:geglu_halves_exchanged --as gelu --gated",
]
PARTS = ("special-values", "paths", "accuracy", "gradient")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    add_target(parser)
    parser.add_argument("--as", dest="claim", required=True, metavar="F", help="the function that it claims to compute")
    parser.add_argument("--against", metavar="F", help="a second function to measure the same results against")
    parser.add_argument(
        "--derivative", type=int, default=0, metavar="N", help="it computes this derivative (default: 0)"
    )
    parser.add_argument(
        "--gradient",
        nargs="?",
        const="auto",
        metavar="TARGET",
        help="check its backward pass too: a target of its own, or automatic differentiation of torch and JAX",
    )
    parser.add_argument("--gated", action="store_true", help="it takes (a, b) and claims F(a)*b, as SwiGLU does")
    parser.add_argument(
        "--same-as",
        metavar="TARGET",
        help="demand the bits of another implementation, for example another build, and list where they differ",
    )
    parser.add_argument("--max-ulp", default="4", metavar="U", help="the error allowed, in ulp (default: 4)")
    parser.add_argument("--on", nargs=2, metavar=("LO", "HI"), help="only inputs in this interval (default: every bit)")
    parser.add_argument(
        "--flush-subnormals",
        nargs="?",
        const="both",
        choices=("inputs", "outputs", "both"),
        help="allow subnormal numbers to be taken for zeros",
    )
    parser.add_argument("--only", choices=PARTS, help="run one part of the checks, on sampled inputs")
    parser.add_argument("--sampled", action="store_true", help="some 50,000 chosen inputs, which proves nothing")
    parser.add_argument("--workers", type=int, metavar="N", help="processes (default: one for each processor)")
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="run every input on this Dask cluster, for example tcp://host:8786; Dask exchanges pickles, which can run "
        "any code: give only the address of a cluster that you trust",
    )
    parser.add_argument("--resume", type=path, metavar="FILE", help="go on from this checkpoint, or start one there")
    parser.add_argument(
        "--seed", type=int, metavar="S", help="of the draw of inputs in binary64, which is only sampled (default: 0)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Judge the implementation; 1 when anything is wrong with it."""
    from gelu_verify.catalogue import function_or_expression
    from gelu_verify.cli.check_document import document_of, lines_of
    from gelu_verify.cli.check_same import add_difference, same_as_json
    from gelu_verify.cli.check_static import static_bound_json
    from gelu_verify.formats import get_format

    check_workers(arguments.workers)
    _require_work_for_a_cluster(arguments)
    check_range("--derivative", arguments.derivative, 0, 8)
    if arguments.derivative and (arguments.gradient is not None or arguments.only == "gradient"):
        raise InputError("--gradient checks the backward pass of the function itself; leave --derivative out")
    if arguments.derivative > 1 and (arguments.sampled or arguments.only or arguments.gated):
        raise InputError(
            f"derivative {arguments.derivative} is judged by the run of the format alone; "
            "leave out --sampled, --only and --gated"
        )
    format = get_format(arguments.format)
    _require_sense_for_windows(arguments, format)
    if arguments.same_as is not None and arguments.gated:
        raise InputError("--same-as compares functions of one input; leave out --gated")
    policy, on = _policy(arguments), _interval(arguments.on)
    claim = _claim(arguments, format, policy, on)
    if arguments.against is not None:
        function_or_expression(arguments.against)
    own = None if arguments.gradient in (None, "auto") else arguments.gradient
    target = open_target(arguments, inputs=2 if arguments.gated else 1, gradient=own)
    try:
        report = _sampled(arguments, target, claim)
        _require_inputs(arguments, report)
        results = [
            _run_format(arguments, claim, policy, on, operation)
            for operation in (_passes(arguments) if _runs_all(arguments, report) else ())
        ]
        for operation, result in zip(_passes(arguments), results, strict=False):
            _reconcile(target, report, result, operation)
        same = add_difference(arguments, target, report, on, whole=_runs_all(arguments, report))
    finally:
        target.close()
    document = document_of(arguments, report, results)
    document["same_as"] = None if same is None else same_as_json(arguments.same_as, same, format)
    document["static_bound"] = static_bound_json(arguments.target, claim, on)
    print_json(document) if arguments.json else print_lines(lines_of(document))
    return EXIT_FAILED if document["findings"] else EXIT_HOLDS


def _require_work_for_a_cluster(arguments: argparse.Namespace) -> None:
    if arguments.dask is None:
        return
    if arguments.workers is not None:
        raise InputError("--workers counts processes on this machine; leave it out beside --dask")
    if arguments.sampled or arguments.only or arguments.gated:
        raise InputError("--dask spreads the run over every input; --sampled, --only and --gated have none")


def _claim(arguments: argparse.Namespace, format: "Format", policy: "Policy", on: "Interval | None") -> "Claim":
    from gelu_verify.catalogue import function_or_expression
    from gelu_verify.checks.case import Claim

    return Claim(
        function_or_expression(arguments.claim),
        format,
        arguments.derivative,
        float(policy.limit or 4),
        policy.flush_inputs,
        policy.flush_outputs,
        *_ends(format, on),
    )


def _ends(format: "Format", on: "Interval | None") -> tuple[int | None, int | None]:
    """Return the ends of the domain as encodings.

    Raises:
        InputError: the format has no number there.
    """
    from gelu_verify.formats.intervals import finite_ends

    return (None, None) if on is None else finite_ends(format, on.lower, on.upper)


def _sampled(arguments: argparse.Namespace, target: "IsolatedTarget", claim: "Claim") -> "Report":
    """Run the checks on sampled inputs. On a part of the format only the accuracy there is in question."""
    from gelu_verify.checks.runner import run_checks

    parts = [arguments.only] if arguments.only else PARTS if arguments.on is None else ("accuracy", "gradient")
    if arguments.derivative > 1:  # which no model explains
        parts = [part for part in parts if part in ("special-values", "paths")]
    gradient = arguments.gradient is not None or arguments.only == "gradient"
    return run_checks(target, claim, gradient=gradient, gated=arguments.gated, parts=parts)


def _require_inputs(arguments: argparse.Namespace, report: "Report") -> None:
    """Refuse a sample of nothing, which would find nothing."""
    if arguments.on is not None and not report.inputs and not report.findings and not _runs_all(arguments, report):
        raise InputError(
            f"none of the sampled inputs lies from {arguments.on[0]} to {arguments.on[1]}; "
            "choose a wider interval, or leave out --sampled and --only"
        )


def _runs_all(arguments: argparse.Namespace, report: "Report") -> bool:
    """Tell whether the format is to be run: not if something else was asked for, or the target gives no result."""
    if arguments.sampled or arguments.only or arguments.gated:
        return False
    return report.has_results


def _passes(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the passes that are checked: the forward pass, and with --gradient the backward pass."""
    from gelu_verify.targets.process import FORWARD, GRADIENT

    return (FORWARD,) if arguments.gradient is None else (FORWARD, GRADIENT)


def _run_format(
    arguments: argparse.Namespace, claim: "Claim", policy: "Policy", on: "Interval | None", operation: str
) -> "SweepResult":
    """Run one pass on every input of the format; of binary64, which has too many, on windows of neighbours."""
    from gelu_verify.catalogue import function_or_expression
    from gelu_verify.sweep import SweepResult, sweep
    from gelu_verify.targets import parse_target
    from gelu_verify.targets.direct import DirectTarget
    from gelu_verify.targets.process import FORWARD
    from gelu_verify.windows import sample_windows

    how = (arguments.framework, arguments.device)
    forward, own = operation == FORWARD, arguments.gradient not in (None, "auto")
    specification = parse_target(arguments.target, arguments.arg, *how)
    gradient = parse_target(arguments.gradient, [], *how) if own else None
    if arguments.dask is not None:
        specification = specification.absolute()
        gradient = None if gradient is None else gradient.absolute()
    options = {"timeout": arguments.timeout, "batch": arguments.batch}
    target = DirectTarget(specification, claim.format, gradient=gradient, operation=operation, **options)
    second = arguments.against if forward else None
    windowed = claim.format.width > 32
    try:
        with Progress(
            "check" if forward else "check the backward pass", "windows" if windowed else "inputs"
        ) as progress:
            run: Callable[..., SweepResult] = (
                partial(sample_windows, seed=arguments.seed or 0)
                if windowed
                else partial(sweep, resume=_checkpoint(arguments.resume, forward), dask=arguments.dask)
            )
            return run(
                target,
                claim.function,
                claim.format,
                name=arguments.target,
                second=None if second is None else function_or_expression(second),
                derivative=claim.derivative if forward else 1,
                on=on,
                policy=policy,
                workers=arguments.workers,
                progress=progress,
            )
    finally:
        target.close()


def _checkpoint(file: "Path | None", forward: bool) -> "Path | None":
    """Return the checkpoint of a pass: the backward pass has one of its own beside that of the forward pass."""
    return file if forward or file is None else file.with_name(f"{file.name}.backward")


def _require_sense_for_windows(arguments: argparse.Namespace, format: "Format") -> None:
    if format.width <= 32 and arguments.seed is not None:
        raise InputError(f"--seed is for binary64, whose inputs are drawn; {format.name} is run whole: leave it out")
    if format.width > 32 and (arguments.resume is not None or arguments.dask is not None):
        raise InputError("binary64 is only sampled, which takes seconds: leave out --resume and --dask")


def _reconcile(target: "IsolatedTarget", report: "Report", result: "SweepResult", operation: str) -> None:
    """Name what only the run of the format has seen: diagnose again with the inputs around what it found."""
    from gelu_verify.checks.exhaustive import add_exhaustive_findings

    add_exhaustive_findings(target, report, result.errors, operation)


def _policy(arguments: argparse.Namespace) -> "Policy":
    from gelu_verify.formats.numbers import parse_number
    from gelu_verify.sweep import Policy

    limit = parse_number(arguments.max_ulp).value
    if limit is None:
        raise InputError(f"--max-ulp {arguments.max_ulp} is not a finite number; write for example --max-ulp 4")
    flush = arguments.flush_subnormals
    return Policy(limit, flush in ("inputs", "both"), flush in ("outputs", "both"))


def _interval(ends: list[str] | None) -> "Interval | None":
    from gelu_verify.formats.intervals import BEYOND
    from gelu_verify.formats.numbers import parse_number
    from gelu_verify.sweep import Interval

    if ends is None:
        return None
    lower, upper = (parse_number(end) for end in ends)
    if lower.is_nan or upper.is_nan:
        raise InputError("an interval cannot end at nan; write for example --on -6 6")
    low, high = (end.value if end.value is not None else -BEYOND if end.negative else BEYOND for end in (lower, upper))
    return Interval(low, high)
