"""The verb `report`: the main job, from proofs to a page people can read."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gelu_verify.cli import EXIT_FAILED, EXIT_HOLDS, EXIT_INCOMPLETE
from gelu_verify.cli.output import print_json, print_lines
from gelu_verify.cli.paths import path
from gelu_verify.cli.progress import Progress
from gelu_verify.cli.ranges import check_seconds
from gelu_verify.errors import InputError, nearest_names

if TYPE_CHECKING:
    from gelu_verify.reports.pipeline import Step

EXAMPLES = [
    "gelu-verify report --out report",
    "gelu-verify report --out report --lang de",
    "gelu-verify report --from report/report.json --lang zh --out report-zh",
    "gelu-verify report --schema",
]
MAX_SECONDS = 3600


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument(
        "--out", type=path, default=Path("report"), metavar="DIR", help="folder to write (default: report)"
    )
    parser.add_argument(
        "--lang", default="en", metavar="LANG", help="language of the sentences: en, de or zh (default: en)"
    )
    parser.add_argument("--skip", action="append", default=[], metavar="STEP", help="leave out a step; may be repeated")
    parser.add_argument("--portable", action="store_true", help="leave out everything that depends on this machine")
    parser.add_argument("--formal", action="store_true", help="compile the formal proof as well (needs Coq)")
    parser.add_argument("--fresh", action="store_true", help="do not continue an interrupted report")
    parser.add_argument("--from", dest="source", type=path, metavar="FILE", help="write an existing report.json again")
    parser.add_argument(
        "--timeout", type=float, default=20.0, metavar="SECONDS", help="for each claim and bound (default: 20)"
    )
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema of report.json")


def run(arguments: argparse.Namespace) -> int:
    """Make the report; 1 when something that should hold is refuted, 3 when something was not decided, else 0."""
    from gelu_verify.reports import build, languages, schema

    if arguments.schema:
        print(schema.schema_text(), end="")
        return EXIT_HOLDS
    languages.get_language(arguments.lang)
    if arguments.source is not None:
        if arguments.portable or arguments.skip or arguments.formal or arguments.fresh:
            raise InputError("--from writes what the file holds; leave out --portable, --skip, --formal and --fresh")
        document = build.rewrite(arguments.source, arguments.out, arguments.lang)
    else:
        document = build.build(arguments.out, _options(arguments), arguments.lang, _watch, fresh=arguments.fresh)
    if arguments.json:
        print_json(document)
    else:
        print_lines(_closing(document, arguments.out, arguments.lang))
    if document["summary"]["failed"]:
        return EXIT_FAILED
    return EXIT_INCOMPLETE if document["summary"]["undecided"] else EXIT_HOLDS


def _options(arguments: argparse.Namespace) -> Any:
    from gelu_verify.reports.options import Options
    from gelu_verify.reports.steps import REQUIRED, STEPS

    known = [step.name for step in STEPS if step.name not in REQUIRED]
    for name in arguments.skip:
        if name not in known:
            hint = nearest_names(name, known) or f"; there are: {', '.join(known)}"
            raise InputError(f"--skip {name!r} is not a step that can be left out{hint}")
    check_seconds(arguments.timeout, MAX_SECONDS)
    return Options(frozenset(arguments.skip), arguments.portable, arguments.formal, arguments.timeout)


@contextmanager
def _watch(step: "Step", number: int, count: int) -> Iterator[Callable[[int, int], None]]:
    """Show one step's progress, and leave a line behind when it is finished."""
    with Progress(f"{number}/{count} {step.name}", step.unit) as progress:
        yield progress
    if sys.stderr.isatty():
        print(f"{number}/{count} {step.name}: done", file=sys.stderr)


def _closing(document: dict[str, Any], out: Path, language: str) -> list[str]:
    """Return the first screen as lines of text, in the report's language."""
    from gelu_verify.reports.languages import get_language
    from gelu_verify.reports.views import View

    view = View(document, get_language(language))
    summary, lines = document["summary"], []
    for answer in summary["answers"]:
        key, places = f"answer.{answer['id']}", view.places({"at": answer["places"], "approached": []}, 8)
        lines.append(f"{view.say(key + '.asks')}: {view.number(answer['value'], 12)}")
        lines.append(f"  {view.say(key + '.says', x=places)} ({view.say('verdict.' + answer['verdict'])})")
    for group in ("holds", "open", "fails"):
        lines.append(view.say(f"summary.{group}"))
        lines += [f"  {view.say(group + '.' + line['key'], **line['values'])}" for line in summary[group]]
    lines += [view.say(f"closing.{word}", name=name) for word in ("failed", "undecided") for name in summary[word]]
    return [*lines, "", view.say("closing.written", page=out / "report.html", folder=out)]
