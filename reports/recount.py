"""Count the errors of the written forms in binary32 over all 2^32 inputs, and write the record or compare with it.

python -m gelu_verify.reports.recount                   count all forms and write the record
python -m gelu_verify.reports.recount --check erf erfc  count two forms and compare with the record
"""

import argparse
import sys
from importlib.resources import as_file, files
from pathlib import Path

from gelu_verify.cli.progress import Progress
from gelu_verify.errors import InputError
from gelu_verify.files import write_atomically
from gelu_verify.forms import FORMS, get_form
from gelu_verify.reports.counting import RECORD, count_binary32, differences, record, to_text

HOLDS, DIFFERS, USAGE, INTERRUPTED = 0, 1, 2, 130


def main(words: list[str] | None = None) -> int:
    """Count; return 0, or 1 if something differs from the record, or 2 for a wrong use."""
    parser = argparse.ArgumentParser(prog="python -m gelu_verify.reports.recount", description=main.__doc__)
    parser.add_argument("form", nargs="*", help="the forms to count; by default all of them")
    parser.add_argument("--check", action="store_true", help="compare with the record and write nothing")
    arguments = parser.parse_args(words)
    try:
        names = [get_form(name).name for name in arguments.form] or list(FORMS)
        return _check(names) if arguments.check else _write(names)
    except InputError as error:
        print(f"recount: error: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("recount: interrupted", file=sys.stderr)
        return INTERRUPTED


def _check(names: list[str]) -> int:
    recorded, code = record(), HOLDS
    for name in names:
        found = _count(name)
        wrong = list(differences(found, recorded.get(name)))
        print(f"{name}: {found['inputs']} inputs, {'as recorded' if not wrong else 'NOT as recorded'}", flush=True)
        for line in wrong:
            print(f"  {line}")
        code = DIFFERS if wrong else code
    return code


def _write(names: list[str]) -> int:
    with as_file(files("gelu_verify.reports")) as folder:
        path = Path(folder, RECORD)
    documents = record() if path.exists() else {}
    for name in names:
        documents[name] = _count(name)
        write_atomically(path, to_text(documents))
        print(f"{name}: recorded", flush=True)
    return HOLDS


def _count(name: str) -> dict[str, object]:
    with Progress(name, "inputs") as progress:
        return count_binary32(FORMS[name], progress)


if __name__ == "__main__":
    sys.exit(main())
