"""The verb `claims`: judge the claims of a TOML file."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gelu_verify.cli import EXIT_FAILED, EXIT_HOLDS, EXIT_INCOMPLETE
from gelu_verify.cli.output import colour, print_json, printable
from gelu_verify.cli.paths import path
from gelu_verify.cli.progress import Progress
from gelu_verify.cli.ranges import check_seconds
from gelu_verify.records import Verdict

if TYPE_CHECKING:
    from gelu_verify.reports.claims import Claim

EXAMPLES = [
    "gelu-verify claims",
    "gelu-verify claims --example > mine.toml",
    "gelu-verify claims mine.toml",
    "gelu-verify claims mine.toml --json",
]
MAX_SECONDS = 3600


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument(
        "file", nargs="?", type=path, metavar="FILE", help="TOML file of claims (default: the built-in ledger)"
    )
    parser.add_argument("--example", action="store_true", help="print a commented file of claims to start from")
    parser.add_argument(
        "--timeout", type=float, default=20.0, metavar="SECONDS", help="for each part of a claim (default: 20)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print what came of each claim; 1 when one is refuted, 3 when one is undecided or only sampled."""
    from gelu_verify.reports.claims import Limits, judge_all
    from gelu_verify.reports.claims.output import claim_json
    from gelu_verify.reports.ledger import example_text, ledger

    if arguments.example:
        print(example_text(), end="")
        return EXIT_HOLDS
    check_seconds(arguments.timeout, MAX_SECONDS)
    claims = ledger() if arguments.file is None else _read(arguments.file)
    with Progress("claims", "claims") as progress:
        judged = judge_all(claims, Limits(arguments.timeout, probing=True), progress)
    documents = [claim_json(each) for each in judged]
    if arguments.json:
        print_json({"claims": documents})
    else:
        print("\n\n".join(map(_text, documents)))
        print(f"\n{_summary([each.verdict for each in judged])}")
    return exit_code([each.verdict for each in judged])


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """Return 1 if something is refuted, 3 if something is undecided or only sampled, else 0.

    What is cited has been reported, not checked: it neither holds nor fails.
    """
    if Verdict.REFUTED in verdicts:
        return EXIT_FAILED
    return EXIT_INCOMPLETE if {Verdict.UNKNOWN, Verdict.SAMPLED} & set(verdicts) else EXIT_HOLDS


def _text(claim: dict[str, Any]) -> str:
    lines = [f"{_coloured(claim['verdict'])}  {printable(claim['id'] + '  ' + ' '.join(claim['statement'].split()))}"]
    for evidence in claim["evidence"]:
        mark = " (confirms)" if evidence["supporting"] else ""
        lines.append(printable(f"    {evidence['verdict']}{mark}: {evidence['text']}"))
        if evidence["command"]:
            lines.append(printable(f"      {evidence['command']}"))
    return "\n".join(lines)


def _coloured(verdict: str) -> str:
    code = "32" if Verdict(verdict).holds else "31" if verdict == Verdict.REFUTED else "33"
    return colour(f"{verdict:10}", code)


def _summary(verdicts: Sequence[Verdict]) -> str:
    counts = [f"{verdicts.count(verdict)} {verdict}" for verdict in Verdict if verdict in verdicts]
    return f"{len(verdicts)} claim{'' if len(verdicts) == 1 else 's'}: {', '.join(counts)}"


def _read(file: Path) -> "tuple[Claim, ...]":
    from gelu_verify.reports.claims import read_claims

    return read_claims(file)
