"""What `check` prints: one document for tools, and the same as text for people."""

import argparse
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gelu_verify.cli.check_same import same_as_lines
from gelu_verify.cli.check_static import static_bound_line
from gelu_verify.cli.output import float_json, table
from gelu_verify.cli.target_options import DEFAULT_TIMEOUT
from gelu_verify.enclosures import Enclosure

if TYPE_CHECKING:
    from gelu_verify.checks.case import Case
    from gelu_verify.checks.runner import Report
    from gelu_verify.checks.sample import Sample
    from gelu_verify.formats import Format
    from gelu_verify.records import Finding
    from gelu_verify.sweep import Region as SweepRegion
    from gelu_verify.sweep import Statistics, SweepResult, WorstInput

_DIGITS = 12
_LIMITS = {"over_1_ulp": 1, "over_2_ulp": 2, "over_4_ulp": 4, "over_16_ulp": 16, "over_1024_ulp": 1024}


def document_of(arguments: argparse.Namespace, report: "Report", results: "Sequence[SweepResult]") -> dict[str, Any]:
    """Return everything that was found, in the keys of the contract.

    Arguments:
        results: of the exhaustive runs: none, or the forward pass, or that and the backward pass.
    """
    from gelu_verify.checks.findings import with_command
    from gelu_verify.windows import WindowedResult

    format = report.claim.format
    options = _options(arguments)
    typed = [] if arguments.on is None else ["--on", *arguments.on]
    findings = [with_command(finding, arguments.target, report.claim, options, typed) for finding in report.findings]
    forward, backward = [*results, None, None][:2]
    whole = len(results) == (1 if arguments.gradient is None else 2)
    verdict = str(forward.verdict) if forward is not None and whole else str(report.verdict)
    document = {
        "verdict": "refuted" if findings else verdict,
        "target": arguments.target,
        "function": report.claim.function.name,
        "format": format.name,
        "derivative": report.claim.derivative,
        "max_ulp_allowed": arguments.max_ulp,
        "inputs": report.inputs if forward is None else forward.inputs,
        **(_errors(forward.errors, format) if forward is not None else _sampled_errors(report.forward)),
        "computes": None if report.forward is None or report.forward.model is None else str(report.forward.model),
        "findings": [_finding(finding, format) for finding in findings],
    }
    if isinstance(forward, WindowedResult):
        document["sampling"] = {"windows": forward.windows, "climbs": forward.climbs, "seed": forward.seed}
    if forward is not None and forward.second is not None:
        document["against"] = {"function": forward.second.function, **_errors(forward.second, format)}
    if backward is not None:
        document["backward"] = {"inputs": backward.inputs, **_errors(backward.errors, format)}
    elif report.backward is not None:
        document["backward"] = {"inputs": report.backward.claimed.bits.size, **_sampled_errors(report.backward)}
    return document


def _options(arguments: argparse.Namespace) -> list[str]:
    """Return the options that decide what is run and what is a fault, as they were typed."""
    words = [] if arguments.max_ulp == "4" else ["--max-ulp", arguments.max_ulp]
    words += ["--derivative", str(arguments.derivative)] if arguments.derivative else []
    words += [] if arguments.flush_subnormals is None else ["--flush-subnormals", arguments.flush_subnormals]
    words += [] if arguments.gradient is None else ["--gradient", *_unless("auto", arguments.gradient)]
    words += [] if arguments.same_as is None else ["--same-as", arguments.same_as]
    words += ["--gated"] if arguments.gated else []
    words += [] if arguments.seed is None else ["--seed", str(arguments.seed)]
    words += [word for pair in arguments.arg for word in ("--arg", pair)]
    words += [] if arguments.framework == "auto" else ["--framework", arguments.framework]
    words += ["--device", arguments.device] if arguments.device else []
    words += [] if arguments.timeout == DEFAULT_TIMEOUT else ["--timeout", f"{arguments.timeout:g}"]
    words += ["--only", arguments.only] if arguments.only else []
    return words + (["--sampled"] if arguments.sampled else [])


def _unless(default: str, word: str) -> list[str]:
    return [] if word == default else [word]


def _errors(errors: "Statistics", format: "Format") -> dict[str, Any]:
    return {
        "max_ulp": _worst(errors.max_ulp, "ulp", format),
        "max_abs": _worst(errors.max_abs, "abs", format),
        "max_rel": _worst(errors.max_rel, "rel", format),
        "symmetry": _worst(errors.symmetry, "abs", format),
        "counts": dict(errors.counts),
        "regions": {name: [_region(region, format) for region in found] for name, found in errors.regions.items()},
        "histogram": [
            {"first": format.bits_text(row.first), "inputs": row.inputs, "over": list(row.over)}
            for row in errors.histogram
        ],
    }


def _worst(worst: "WorstInput | None", measure: str, format: "Format") -> dict[str, Any] | None:
    if worst is None:
        return None
    document: dict[str, Any] = {measure: _decimal(worst.size)}
    if worst.at_most != worst.size:
        document["at_most"] = None if worst.at_most is None else _decimal(worst.at_most)
    for name, bits in (("x", worst.bits), ("got", worst.got), ("want", worst.want)):
        document[name] = float_json(format, bits)
    return document


def _decimal(size: Fraction) -> str:
    """Return the digits of an error, rounded up."""
    return Enclosure(size, size).upper_decimal(_DIGITS)


def _region(region: "SweepRegion", format: "Format") -> dict[str, Any]:
    ends = {"first": float_json(format, region.first), "last": float_json(format, region.last)}
    return {**ends, "count": region.count}


def _sampled_errors(case: "Case | None") -> dict[str, Any]:
    """Return the contract's numbers as far as the sample shows them."""
    import numpy as np

    from gelu_verify.checks.case import allowed_flushes

    if case is None:
        return {"max_ulp": None, "max_abs": None, "max_rel": None, "counts": {}}
    allowed = allowed_flushes(case.claim, case.claimed)
    sample = case.claimed.take(~allowed)
    format = sample.format
    finite = np.isfinite(sample.error) & np.isfinite(sample.distance)  # an overflow that is right has no distance
    with np.errstate(all="ignore"):
        sizes = {
            "ulp": np.where(finite, sample.error, -1),
            "abs": np.where(finite, abs(sample.distance), -1),
            "rel": np.where(finite & (abs(sample.want) >= 2.0**format.emin), abs(sample.distance / sample.want), -1),
        }
    counts = _counts(sample) | {"flushed": int(allowed.sum())}
    return {f"max_{name}": _largest(sample, name, size) for name, size in sizes.items()} | {"counts": counts}


def _largest(sample: "Sample", name: str, size: Any) -> dict[str, Any] | None:
    import numpy as np

    from gelu_verify.formats.arrays import round_float64

    if not size.size or size.max() < 0:
        return None
    place = int(np.argmax(size))
    want = int(round_float64(sample.format, sample.want[place : place + 1])[0])
    bits = {"x": int(sample.bits[place]), "got": int(sample.got_bits[place]), "want": want}
    largest = Fraction(float(size[place]))
    return {name: _decimal(largest), **{key: float_json(sample.format, value) for key, value in bits.items()}}


def _counts(sample: "Sample") -> dict[str, int]:
    import numpy as np

    from gelu_verify.formats.arrays import round_float64, to_float64

    rounded = to_float64(sample.format, round_float64(sample.format, sample.want))
    counts = {
        "misrounded": int(np.sum(rounded != sample.got)),
        "nan": int(np.isnan(sample.got).sum()),
        "zero_instead_of_nonzero": int(np.sum((sample.got == 0) & (rounded != 0))),
        "wrong_sign": int(np.sum(np.sign(sample.got) * np.sign(rounded) < 0)),
    }
    return counts | {name: int(np.sum(sample.error > limit)) for name, limit in _LIMITS.items()}


def _finding(finding: "Finding", format: "Format") -> dict[str, Any]:
    def datum(bits: int | None) -> dict[str, str] | None:
        return None if bits is None else float_json(format, bits)

    return {
        "kind": str(finding.kind),
        "backward": finding.backward,
        "x": datum(finding.x),
        "got": datum(finding.got),
        "want": datum(finding.want),
        "ulp": None if finding.ulp is None else f"{finding.ulp:.9g}",
        "region": [{"first": datum(region.first), "last": datum(region.last)} for region in finding.regions],
        "message": finding.message,
        "cause": finding.cause,
        "command": finding.command,
    }


def lines_of(document: dict[str, Any]) -> list[str]:
    """Return the document as lines of text, findings first."""
    prime = "" if not document["derivative"] else f", derivative {document['derivative']}"
    lines = [
        f"{document['target']} as {document['function']}{prime} in {document['format']}: {document['inputs']} inputs"
        + _drawn(document.get("sampling"))
    ]
    for finding in document["findings"]:
        lines += ["", *_finding_lines(finding)]
    for title in ("", "against", "backward"):
        part = document.get(title) if title else document
        if part is not None:
            lines += ["", *_numbers(part, f"against {part['function']}" if title != "backward" else "backward pass")]
    lines += [*same_as_lines(document.get("same_as")), *static_bound_line(document.get("static_bound"))]
    return [*lines, "", document["verdict"]]


def _drawn(sampling: dict[str, int] | None) -> str:
    """Say where the inputs come from, if they were drawn."""
    if sampling is None:
        return ""
    return f", in {sampling['windows']} windows drawn with seed {sampling['seed']} or on {sampling['climbs']} climbs"


def _finding_lines(finding: dict[str, Any]) -> list[str]:
    where = " of the backward pass" if finding["backward"] else ""
    lines = [f"{finding['kind']}{where}: {finding['message']}"]
    if finding["x"] is not None:
        lines.append(f"  at x   {_datum(finding['x'])}")
    if finding["got"] is not None:
        lines.append(f"  got    {_datum(finding['got'])}")
    if finding["want"] is not None:
        off = "" if finding["ulp"] in (None, "inf") else f", {finding['ulp']} ulp away"
        lines.append(f"  want   {_datum(finding['want'])}{off}")
    return [*lines, f"  cause  {finding['cause']}", f"  again  {finding['command']}"]


def _datum(number: dict[str, str]) -> str:
    return f"{number['decimal']}  {number['hex']}  {number['bits']}"


def _numbers(part: dict[str, Any], title: str) -> list[str]:
    rows = [
        [name, worst[measure], worst["x"]["decimal"], worst["x"]["bits"], worst["got"]["hex"], worst["want"]["hex"]]
        for name, measure in (("max_ulp", "ulp"), ("max_abs", "abs"), ("max_rel", "rel"), ("symmetry", "abs"))
        if (worst := part.get(name)) is not None
    ]
    if not rows:
        return []
    header = [title, "error", "x", "bits", "got", "want"]
    return [*table(rows, header), *(f"  {name} {number}" for name, number in part["counts"].items() if number)]
