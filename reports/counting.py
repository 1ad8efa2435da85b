"""Counting the errors of the written forms with correctly rounded elementary functions, and the record of binary32.

The counts are the same on every machine. Those of the 16-bit formats take seconds and are made with every report. Those
of binary32 take minutes; so they are recorded in `counts/binary32.json`, which is made, and made again to compare, by
`python -m gelu_verify.reports.recount`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from gelu_verify.catalogue import get_function
from gelu_verify.formats import Format, get_format
from gelu_verify.forms import FORMS, MachineIndependent, WrittenForm
from gelu_verify.processes import spread
from gelu_verify.reports.sections.sweeps import CORRECT, size_text, sweep_document
from gelu_verify.sweep import BinadeRow, Interval, SweepResult, sweep
from gelu_verify.sweep.statistics import LIMITS

RECORD = "counts/binary32.json"  # within the package gelu_verify.reports
Advance = Callable[[int, int], object]


def record() -> dict[str, dict[str, Any]]:
    """Return the recorded counts of binary32, by the name of the form."""
    text = files("gelu_verify.reports").joinpath(*RECORD.split("/")).read_text(encoding="utf-8")
    return {document["form"]: document for document in json.loads(text)["forms"]}


def count(form: WrittenForm, format: Format, workers: int | None = 1, progress: Advance | None = None) -> SweepResult:
    """Run a form on every number of a format; forms of other functions are judged against GELU as well."""
    second = None if form.function == "gelu" else get_function("gelu")
    return sweep(
        MachineIndependent(form),
        get_function(form.function),
        format,
        name=form.name,
        second=second,
        derivative=form.derivative,
        workers=workers,
        progress=progress,
    )


def count_narrow(format_and_form: tuple[str, str]) -> dict[str, Any]:
    """Return the document of one form in one of the 16-bit formats."""
    format, form = format_and_form
    return sweep_document(FORMS[form], CORRECT, count(FORMS[form], get_format(format)))


def count_binary32(form: WrittenForm, progress: Advance | None = None) -> dict[str, Any]:
    """Return the document of one form in binary32, with the largest error of every binade, on all processors."""
    format = get_format("binary32")
    found = count(form, format, None, progress)
    document = sweep_document(form, CORRECT, found)
    wrong = [row for row in found.errors.histogram if any(row.over)]
    peaks = spread(_peak, [(form.name, row) for row in wrong])
    for row, peak in zip(document["errors"]["binades"], peaks, strict=True):
        row["max_ulp"] = peak
    return document


def _peak(form_and_row: tuple[str, BinadeRow]) -> str:
    """Return the largest error in ulps in one binade of binary32, rounded up."""
    name, row = form_and_row
    form, format = FORMS[name], get_format("binary32")
    found = sweep(
        MachineIndependent(form),
        get_function(form.function),
        format,
        derivative=form.derivative,
        on=binade_of(row.first, format),
        workers=1,
    ).errors
    # A binade of which not every input could be looked at has the limits that none of its errors exceeds.
    bounds = [limit for limit, over in zip(LIMITS, row.over, strict=True) if not over]
    if found.max_ulp is not None and found.max_ulp.at_most is not None:
        bounds.append(found.max_ulp.at_most)
    return size_text(min(bounds))


def binade_of(first: int, format: Format) -> Interval:
    """Return the interval of a binade, of which the encoding least in magnitude is given.

    >>> binade_of(0xC0800000, get_format("binary32"))
    Interval(lower=Fraction(-16777215, 2097152), upper=Fraction(-4, 1))
    """
    ends = (format.exact(first), format.exact(first | format.min_normal - 1))
    return Interval(min(ends), max(ends))


def to_text(documents: Mapping[str, dict[str, Any]]) -> str:
    """Write the record in the one way that is always the same, forms in the order of `FORMS`."""
    forms = [documents[name] for name in FORMS if name in documents]
    lines = [json.dumps(document, ensure_ascii=False) for document in forms]
    head = '{"made_by": "python -m gelu_verify.reports.recount", "format": "binary32", "forms": [\n'
    return head + ",\n".join(lines) + "\n]}\n"


def differences(found: Any, recorded: Any, place: str = "") -> Iterator[str]:
    """Yield a line for every value that differs between two documents.

    >>> list(differences({"a": [1, 2], "b": 3}, {"a": [1, 4], "b": 3}))
    ['a.1 is 2, recorded is 4']
    """
    if isinstance(found, Mapping) and isinstance(recorded, Mapping):
        for key in sorted({*found, *recorded}):
            yield from differences(found.get(key), recorded.get(key), f"{place}.{key}" if place else str(key))
    elif isinstance(found, Sequence) and isinstance(recorded, Sequence) and not isinstance(found, str):
        if len(found) != len(recorded):
            yield f"{place} has {len(found)} entries, recorded are {len(recorded)}"
        for number, (one, other) in enumerate(zip(found, recorded, strict=False)):
            yield from differences(one, other, f"{place}.{number}")
    elif found != recorded:
        yield f"{place} is {found!r}, recorded is {recorded!r}"
