"""The command line: one module a verb, loaded only when that verb is asked for."""

import argparse
import os
import re
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn, Protocol, cast

from gelu_verify import __version__
from gelu_verify.cli import endings, streams
from gelu_verify.errors import IncompleteError, InputError, nearest_names, reason

EXIT_HOLDS, EXIT_FAILED, EXIT_USAGE, EXIT_INCOMPLETE, EXIT_INTERRUPTED = 0, 1, 2, 3, 130

# verb -> what it answers, in the order in which a newcomer meets them
VERBS: dict[str, str] = {
    "report": "the whole answer: prove, certify, sweep, and write a page for people and one JSON document",
    "bound": "how far is a formula from GELU at most? The certified supremum, and where it is attained",
    "fit": "which constants of a form come closest to GELU? The best, proven, and the best short ones",
    "check": "is an implementation right? Run it on every float of a format and judge every result, with proof",
    "locate": "where are a function's minima, maxima, zeros and inflections? All of them, certified",
    "claims": "is what a page or a paper says true? Judge the claims of a TOML file to their printed digits",
    "prove": "what is known about GELU, its forms and relatives, as theorems whose every step is checked",
    "recheck": "is this certificate a proof? The integer-only checker proves it again, without any other package",
    "identify": "which function is this implementation, and with which constants?",
    "strength": "which wrong GELUs would a test accept, and are its expected values right?",
    "table": "golden vectors for your own tests: correctly rounded, at inputs that tell implementations apart",
    "value": "reference values, to any number of digits or correctly rounded into a format",
}


class Verb(Protocol):
    """What a verb's module provides."""

    EXAMPLES: Sequence[str]

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Answer the question and return the exit code."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one line, and for which -1/3, -inf and -0x1p-3 are numbers."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.typed: Sequence[str] = ()  # the words that are being parsed
        self._negative_number_matcher = re.compile(r"-(?:[0-9.]|inf|nan)", re.IGNORECASE)

    def print_help(self, file: Any = None) -> None:
        """Print the help like every other answer: argparse's own says nothing of a full disk."""
        print(self.format_help(), end="", file=file)

    def error(self, message: str) -> NoReturn:
        """Raise the complaint as bad input, to be told like every other."""
        dashed = any(re.match(r"-[^-]", word) and not self._negative_number_matcher.match(word) for word in self.typed)
        hint = "; what begins with '-' and is no number goes after --" if dashed else ""
        raise InputError(f"{message}{hint}; '{self.prog} --help' shows what is expected")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; return 0 (all hold), 1 (a check failed), 2 (usage), 3 (incomplete) or 130 (Ctrl-C).

    What another signal ends returns 128 and its number: 141 when the reader has gone, 143 after SIGTERM.

    Arguments:
        argv: the words; by default those that this program was started with, whose standard streams are settled then,
            and which ends in order when it is asked to by a signal.
    """
    if argv is None:
        streams.settle()
        endings.watch()
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _dispatch(words)
        if sys.stdout is not None:
            sys.stdout.flush()  # a full disk is noticed here, not at the interpreter's exit
        return code
    except InputError as error:
        return _complain(str(error), EXIT_USAGE)
    except IncompleteError as error:
        return _complain(str(error), EXIT_INCOMPLETE)
    except KeyboardInterrupt:
        return _complain("interrupted", EXIT_INTERRUPTED)
    except BrokenPipeError:  # the reader (head, less) has gone: end like other tools
        streams.drop(sys.stdout)
        return 128 + 13
    except OSError as error:
        streams.drop(sys.stdout)
        what = "the answer could not be written" if error.filename is None else error.filename
        return _complain(f"{reason(error)}: {what}", EXIT_INCOMPLETE)
    except endings.Ended as ended:
        streams.drop(sys.stdout)  # the terminal may have gone
        return 128 + int(ended.args[0])
    except MemoryError:
        return _complain("there is not enough memory", EXIT_INCOMPLETE)
    except Exception as error:  # noqa: BLE001 (let through, it would end with the exit code of a check that failed)
        return _unexpected(error)


def _unexpected(error: Exception) -> int:
    """Tell a fault of this program in one line, and its way through the program to who asks for it."""
    if os.environ.get("GELU_VERIFY_TRACEBACK"):
        traceback.print_exc()
    told = f"internal error: {type(error).__name__}: {error}; GELU_VERIFY_TRACEBACK=1 shows where"
    return _complain(told, EXIT_INCOMPLETE)


def _complain(message: str, code: int) -> int:
    from gelu_verify.cli.output import printable

    told = message if code == EXIT_INTERRUPTED else f"error: {message}"
    try:
        print("gelu-verify:", printable(" ".join(told.splitlines())), file=sys.stderr, flush=True)
    except OSError:  # nobody can be told; the exit code still says it
        streams.drop(sys.stderr)
    return code


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(_overview())
        return EXIT_HOLDS
    if words[0] == "--version":
        print(f"gelu-verify {__version__}")
        return EXIT_HOLDS
    name = words[0]
    if name not in VERBS:
        raise InputError(f"unknown verb {name!r}{nearest_names(name, VERBS)}; 'gelu-verify --help' lists the verbs")
    verb = cast(Verb, import_module(f"gelu_verify.cli.{name}"))
    examples = "\n".join(f"  {example}" for example in verb.EXAMPLES)
    parser = Parser(
        prog=f"gelu-verify {name}",
        description=_sentence(VERBS[name]),
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verb.add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")
    parser.typed = words[1:]
    try:
        arguments = parser.parse_args(parser.typed)
    except SystemExit:  # after --help: complaints are raised as bad input
        return EXIT_HOLDS
    return verb.run(arguments)


def _sentence(summary: str) -> str:
    """Return a verb's summary as a sentence.

    >>> _sentence("is it right? Run it on every float"), _sentence("which function is this?")
    ('Is it right? Run it on every float.', 'Which function is this?')
    """
    return summary[0].upper() + summary[1:] + ("" if summary.endswith("?") else ".")


def _overview() -> str:
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {name:{width}}  {summary}" for name, summary in VERBS.items())
    return (
        "usage: gelu-verify VERB [ARGUMENT ...]\n\n"
        "Prove, certify and exhaustively check what is true of GELU and of the code that claims to compute it.\n\n"
        f"verbs:\n{verbs}\n\n"
        "'gelu-verify VERB --help' explains a verb and ends with examples that run.\n"
        "Exit codes: 0 all hold, 1 a claim or check failed, 2 usage, 3 incomplete, 130 interrupted.\n\n"
        "examples:\n  gelu-verify value 1 --digits 20\n  gelu-verify value -0.5 --format binary32"
    )
