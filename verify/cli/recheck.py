"""`gelu-verify recheck`: prove certificates again with the integer-only checker, which needs no other package."""

import argparse
import textwrap

from gelu_verify.cli.output import print_json, print_lines
from gelu_verify.errors import InputError
from gelu_verify.proofs import checker
from gelu_verify.records import Verdict

EXAMPLES = [
    "gelu-verify recheck proofs/certificates/gelu_tanh_error.json",
    "gelu-verify recheck --json proofs/certificates/*.json",
]
_VERDICTS = (Verdict.CERTIFIED, Verdict.REFUTED, Verdict.UNKNOWN)  # by the checker's code
_REFUSED, _UNREADABLE = 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="a certificate, as `bound --certificate FILE` writes it"
    )


def run(arguments: argparse.Namespace) -> int:
    """Check every file and say what each proves; 0 if all are valid, 1 if one is refused.

    Raises:
        InputError: a file is not a certificate; the others are checked and told all the same.
    """
    results = [(file, *checker.check(file)) for file in arguments.files]
    if arguments.json:
        print_json({"certificates": [_as_json(*result) for result in results]})
    else:
        for result in results:
            if result[1] != _UNREADABLE:
                print_lines(_as_text(*result))
    unreadable = [f"{file} is not a certificate: {reason}" for file, code, reason in results if code == _UNREADABLE]
    if unreadable:
        raise InputError("; ".join(unreadable))
    return 1 if any(code == _REFUSED for _, code, _ in results) else 0


def _as_json(file: str, code: int, sentence: str) -> dict[str, str]:
    return {"file": file, "verdict": _VERDICTS[code].value, "reason" if code else "statement": sentence}


def _as_text(file: str, code: int, sentence: str) -> list[str]:
    told = textwrap.wrap(sentence, 118, initial_indent="  ", subsequent_indent="  ", break_long_words=False)
    return [f"{_VERDICTS[code].value}  {file}", *told]
