"""Making a report: run the steps, assemble the document, write its views, all or nothing."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gelu_verify import __version__
from gelu_verify.cli.output import SCHEMA_VERSION
from gelu_verify.errors import InputError, reason
from gelu_verify.reports.options import Options, source_date
from gelu_verify.reports.pipeline import Finished, Store, Watch, run_steps
from gelu_verify.reports.sections.written_forms import require_bfloat16
from gelu_verify.reports.steps import PORTABLE, steps_for
from gelu_verify.reports.summary import summary
from gelu_verify.reports.views import check_renderer, figure_files, render

FILES = ("report.html", "report.md", "report.json", "machine.json")  # what is written into the output folder
FIGURES = "figures"  # folder inside the output folder, for the Markdown view
PROGRESS = ".progress"  # folder inside the output folder, there only while a report is unfinished
MAX_BYTES = 50_000_000  # of a document that is read again
_GENERATOR = {"name": "gelu-verify", "version": __version__}


def build(out: Path, options: Options, language: str, watch: Watch, fresh: bool = False) -> dict[str, Any]:
    """Make the report into the folder `out` and return its document.

    Arguments:
        fresh: forget what an interrupted report has left.

    Raises:
        InputError: the folder cannot be written to (nothing has been written then), or Jinja2 or ml_dtypes is missing.
    """
    date = source_date()
    check_renderer()
    if "written_forms" not in options.skip:
        require_bfloat16()
    prepare(out)
    store = Store(out / PROGRESS)
    if fresh:
        store.clear()
    finished = run_steps(steps_for(options), store, options.key(), watch)
    document = assemble(finished, options, date)
    publish(out, document, language)
    store.clear()
    return document


def rewrite(source: Path, out: Path, language: str) -> dict[str, Any]:
    """Write the views of an existing document again, in another language or after a change of the templates.

    Raises:
        InputError: the file cannot be read or is not a report of this version, or `out` cannot be written to.
    """
    check_renderer()
    document = _read(source)
    try:
        views(document, language)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise InputError(f"{source} is not a whole report of gelu-verify {__version__}; make it again") from None
    prepare(out)
    publish(out, document, language)
    return document


def _read(source: Path) -> dict[str, Any]:
    try:
        with source.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot read {source}: {reason(error)}") from None
    if len(data) > MAX_BYTES:
        raise InputError(f"{source} is larger than {MAX_BYTES} bytes, which is more than is read")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError(f"{source} is not JSON; give a report.json that 'gelu-verify report' has written") from None
    if not isinstance(document, dict) or document.get("generator") != _GENERATOR:
        raise InputError(f"{source} is not a report of gelu-verify {__version__}; make it again with this version")
    return document


def assemble(finished: Mapping[str, Finished], options: Options, date: str | None) -> dict[str, Any]:
    """Return the report's document from the results of its steps."""
    portable = {name: each.result for name, each in finished.items() if name in PORTABLE}
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "generator": _GENERATOR,
        "date": date,
        "skipped": sorted(options.skip),
        "summary": summary(portable),
        **portable,
    }
    machine = {name: each.result for name, each in finished.items() if name not in PORTABLE}
    if machine:
        machine["seconds"] = {name: each.seconds for name, each in finished.items()}
        document["machine"] = machine
    return document


def prepare(out: Path) -> None:
    """Make sure that the output folder exists, can be written to, and has nothing else where the report will be.

    Raises:
        InputError: it cannot, or has.
    """
    try:
        for name, wanted in (*((name, "file") for name in FILES), (FIGURES, "folder"), (PROGRESS, "folder")):
            place = out / name
            if place.exists() and place.is_dir() is not (wanted == "folder"):
                raise InputError(f"{place} is not a {wanted}; move it away, or choose another folder with --out")
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise InputError(
            f"cannot write to {out}: {reason(error)}; choose a folder you may write to with --out"
        ) from None


def publish(out: Path, document: Mapping[str, Any], language: str) -> None:
    """Write the document and its views beside their places, then move each over what was there.

    Raises:
        InputError: there is no room, or the folder is no longer writable; what was there is untouched then.
    """
    contents = views(document, language)
    try:
        fresh = Path(tempfile.mkdtemp(prefix=".report-", dir=out))
        try:
            for folder in (fresh, out):
                (folder / FIGURES).mkdir(exist_ok=True)
            for name, content in contents.items():
                (fresh / name).write_text(content, encoding="utf-8", newline="\n")
            for name in contents:
                (fresh / name).replace(out / name)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
        for left in (out / "machine.json", *(out / FIGURES).glob("*.svg")):  # by an earlier report that had more
            if left.relative_to(out).as_posix() not in contents:
                left.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to {out}: {reason(error)}") from None


def views(document: Mapping[str, Any], language: str) -> dict[str, str]:
    """Return the files of a report: the document, its two views, the figures, and the machine's block by itself."""
    found = {
        "report.html": render(document, "html", language),
        "report.md": render(document, "md", language),
        "report.json": to_json(document),
    }
    found |= {f"{FIGURES}/{name}": content for name, content in figure_files(document, language).items()}
    if "machine" in document:
        found["machine.json"] = to_json(document["machine"])
    return found


def to_json(document: Mapping[str, Any]) -> str:
    """Write a document in the one way that is always the same."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
