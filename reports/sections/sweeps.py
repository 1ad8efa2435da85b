"""The written forms on every binary32 number: counts that never change, and those of this machine's NumPy."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from gelu_verify.catalogue import get_function
from gelu_verify.cli.output import float_json
from gelu_verify.enclosures import Enclosure
from gelu_verify.formats import Format, get_format
from gelu_verify.forms import FORMS, WrittenForm
from gelu_verify.reports.pipeline import Context
from gelu_verify.sweep import Region, Statistics, SweepResult, WorstInput, sweep

ERROR_DIGITS = 6
MOST_REGIONS = 8  # of one kind; the largest are kept
NUMPY, CORRECT = "NumPy", "correctly rounded"  # whose elementary functions a form calls
FORWARD = ("tanh_naive", "tanh_factored", "sigmoid", "erf", "erfc")


def sweep_document(form: WrittenForm, elementary: str, found: SweepResult) -> dict[str, Any]:
    """Return what a sweep found as a document.

    Arguments:
        elementary: whose elementary functions the form called: NUMPY or CORRECT.
    """
    target = f"gelu_verify.forms:{'correct.' if elementary == CORRECT else ''}{form.name}"
    words = [f"gelu-verify check {target} --as {form.function} --format {found.format.name}"]
    words += [f"--derivative {form.derivative}"] if form.derivative else []
    words += [f"--against {found.second.function}"] if found.second is not None else []
    return {
        "id": f"{form.name}.{found.format.name}",
        "form": form.name,
        "code": form.code,
        "elementary": elementary,
        "function": form.function,
        "format": found.format.name,
        "derivative": found.derivative,
        "verdict": str(found.verdict),
        "inputs": found.inputs,
        "errors": statistics_document(found.errors, found.format),
        "total": None if found.second is None else statistics_document(found.second, found.format),
        "command": " ".join(words),
    }


def statistics_document(found: Statistics, format: Format) -> dict[str, Any]:
    """Return errors against one function; of the binades, those in which something is misrounded."""
    return {
        "function": found.function,
        "counts": dict(found.counts),
        "max_ulp": _worst(found.max_ulp, format),
        "max_abs": _worst(found.max_abs, format),
        "max_rel": _worst(found.max_rel, format),
        "binades": [
            {"first": float_json(format, row.first), "inputs": row.inputs, "over": list(row.over)}
            for row in found.histogram
            if any(row.over)
        ],
        "regions": {kind: _regions(regions, format) for kind, regions in found.regions.items()},
    }


def _worst(worst: WorstInput | None, format: Format) -> dict[str, Any] | None:
    if worst is None:
        return None
    return {
        "error": size_text(worst.size),
        "at_most": None if worst.at_most is None else size_text(worst.at_most),
        "x": float_json(format, worst.bits),
        "got": float_json(format, worst.got),
        "want": float_json(format, worst.want),
    }


def size_text(size: Fraction) -> str:
    """Return the size of an error, rounded up to a few digits or to a whole number.

    >>> size_text(Fraction(2, 3)), size_text(Fraction(1, 2)), size_text(Fraction(507745367, 3))
    ('0.666667', '0.5', '169248456')
    """
    return Enclosure(size, size).upper_decimal(max(ERROR_DIGITS, len(str(int(size)))))


def _regions(regions: Sequence[Region], format: Format) -> list[dict[str, Any]]:
    """Return the largest regions, in the order of the encodings."""
    kept = sorted(regions, key=lambda each: (-each.count, each.first))[:MOST_REGIONS]
    return [
        {"first": float_json(format, each.first), "last": float_json(format, each.last), "count": each.count}
        for each in sorted(kept)
    ]


def numpy_sweeps(context: Context) -> list[dict[str, Any]]:
    """Run the written forms with this machine's elementary functions on every binary32 number."""
    forms = runnable_forms()
    binary32, gelu = get_format("binary32"), get_function("gelu")
    documents: list[dict[str, Any]] = []
    for form in forms:

        def advance(done: int, total: int, before: int = len(documents)) -> None:
            context.advance(before * total + done, len(forms) * total)

        function = get_function(form.function)
        second = None if form.function == "gelu" else gelu
        checkpoint = context.scratch / f"{form.name}.checkpoint"
        found = sweep(form, function, binary32, name=form.name, second=second, progress=advance, resume=checkpoint)
        documents.append(sweep_document(form, NUMPY, found))
    return documents


def runnable_forms() -> list[WrittenForm]:
    """Return the forward forms that run here: those that call erf or erfc only where SciPy works.

    It may be installed and fail to load, for example when it was built for another NumPy.
    """
    try:
        import scipy.special  # noqa: F401 (whether it loads is the question)
    except Exception:  # noqa: BLE001 (a broken package raises whatever it likes)
        return [FORMS[name] for name in FORWARD if not needs_scipy(name)]
    return [FORMS[name] for name in FORWARD]


def needs_scipy(form: str) -> bool:
    """Tell whether a form calls an error function, which NumPy lacks."""
    return form.startswith("erf")
