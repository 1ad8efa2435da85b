"""Hostile files: each is refused at once with one line, in bounded memory, and never with a traceback."""

import json
import os
import resource
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from gelu_verify.proofs import certificate, checker

SOURCE = Path(checker.__file__)
VALID = json.loads((SOURCE.parent / "certificates" / "gelu_sigmoid_best.json").read_text())
MEMORY = 200 * 2**20


def run_checker(*paths):
    """Run the script in a process of its own that may use 200 MB; return exit code, lines and seconds of computing.

    What is counted is the processor's time: it does not depend on what else the machine is doing.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        [sys.executable, "-I", "-S", str(SOURCE), *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    assert "Traceback" not in run.stderr and run.stderr.count("\n") <= 1
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return run.returncode, run.stdout.splitlines(), seconds


def changed(**fields):
    return json.dumps(VALID | fields)


def with_cells(cells):
    return changed(cells=cells)


LONG = "1" * 10**6
MALFORMED = {
    "empty": "",
    "not JSON": "hello",
    "an array": "[]",
    "a number": "1",
    "null": "null",
    "a string": '"certificate"',
    "nested arrays": "[" * 100_000,
    "nested objects": '{"a":' * 20_000,
    "nested in a field": changed(left=0).replace('"left": 0', f'"left": {"[" * 50_000}{"]" * 50_000}'),
    "a repeated key": '{"lower": "1", ' + changed()[1:],
    "a repeated key further in": changed(left=0).replace('"left": 0', '"left": {"a": 1, "a": 2}'),
    "a float for a bound": changed(lower=0.0139),
    "NaN": changed(lower=0).replace('"lower": 0', '"lower": NaN'),
    "Infinity": changed(upper=0).replace('"upper": 0', '"upper": Infinity'),
    "an integer for a bound": changed(lower=0),
    "true for the derivative": changed(derivative=True),
    "0.0 for the derivative": changed(derivative=0.0),
    "a negative derivative": changed(derivative=-1),
    "a huge derivative": changed(derivative=10**9),
    "a fourth derivative": changed(derivative=4),
    "an integer of a million digits": changed(derivative=0).replace('"derivative": 0', f'"derivative": {LONG}'),
    "an integer of 5000 digits": changed(derivative=0).replace('"derivative": 0', f'"derivative": {"1" * 5000}'),
    "a bound of a million digits": changed(lower=f"0.{LONG}"),
    "a bound of 5000 digits": changed(lower="0." + "1" * 5000),
    "an exponent": changed(lower="1e-2"),
    "a huge exponent": changed(lower="1e999999999"),
    "a negative bound": changed(lower="-0.01"),
    "other digits": changed(lower="٠.٠١"),
    "an underscore": changed(lower="0.0_1"),
    "a space": changed(lower=" 0.01"),
    "division by zero": changed(lower="1/0"),
    "a huge constant": changed(left=["gelu_sigmoid", "9" * 2000]),
    "a huge end": with_cells([["0.5"], ["1" + "0" * 2000], *VALID["cells"]]),
    "a missing constant": changed(left=["gelu_sigmoid"]),
    "a constant too many": changed(right=["gelu", "1"]),
    "an unknown function": changed(left=["gelu_cubic", "1"]),
    "a function without a name": changed(left=[]),
    "a function that is an object": changed(left={"name": "gelu"}),
    "a list for a name": changed(left=[["gelu"]]),
    "a constant that is a list": changed(left=["gelu_sigmoid", ["1"]]),
    "no cells": with_cells([]),
    "cells in a string": with_cells("0123"),
    "cells in an object": with_cells({"0": 1}),
    "an empty cell": with_cells([[]]),
    "a cell of two": with_cells([["1", "1"], *VALID["cells"]]),
    "a cell of four": with_cells([["1", "1", "1", "1"], *VALID["cells"]]),
    "a sign of 2": with_cells([[*cell[:1], "2", *cell[2:]] if len(cell) == 3 else cell for cell in VALID["cells"]]),
    "a sign of 0": with_cells([[*cell[:1], "0", *cell[2:]] if len(cell) == 3 else cell for cell in VALID["cells"]]),
    "a sign as a number": with_cells(
        [[*cell[:1], 1, *cell[2:]] if len(cell) == 3 else cell for cell in VALID["cells"]]
    ),
    "cores beyond number": with_cells([[f"0.{i}", "1", f"0.{i}"] for i in range(10, 20)]),
    "cells beyond number": with_cells([[f"0.{i}"] for i in range(1000, 1500)]),
    "no core": with_cells([cell[:1] for cell in VALID["cells"]]),
    "another weight": changed(weight="x^2"),
    "another format": changed(format="gelu-verify certificate 2"),
    "an unknown key": changed(extra="0"),
    "a missing key": json.dumps({key: value for key, value in VALID.items() if key != "upper"}),
    "not UTF-8": b"\xff\xfe\xfa\x00",
    "half a character": json.dumps(VALID).replace("1.7", "\\ud800"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_not_a_certificate_is_told_in_one_line(name, tmp_path):
    path = tmp_path / "hostile.json"
    content = MALFORMED[name]
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    code, reason = checker.check(str(path))
    assert code == 2 and "\n" not in reason and len(reason) < 200


def test_all_of_them_at_once_in_200_megabytes(tmp_path):
    paths = []
    for i, content in enumerate(MALFORMED.values()):
        paths.append(tmp_path / f"{i}.json")
        paths[-1].write_bytes(content if isinstance(content, bytes) else content.encode())
    code, lines, seconds = run_checker(*paths)
    assert code == 2 and len(lines) == len(paths) and seconds < 20
    assert all(line.startswith("not a certificate: ") for line in lines)


def test_a_file_of_100_megabytes_is_refused_at_once(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.write(b'{"cells": [')
        file.truncate(100 * 2**20)
    code, (line,), seconds = run_checker(path)
    assert code == 2 and "larger than" in line and seconds < 2


@pytest.mark.parametrize("path", ["/nowhere/at/all.json", "/", "", "a\nb\x1b[31m.json", "\udcff.json"])
def test_what_cannot_be_read_is_told_in_one_line(path, tmp_path):
    code, lines, _ = run_checker(path)
    assert code == 2 and len(lines) == 1 and lines[0].isascii() and "\x1b" not in lines[0]


def test_no_file_at_all_is_not_success():
    assert run_checker()[0] == 2


def test_the_limit_on_integer_strings_may_be_lowered(tmp_path, monkeypatch):
    """Python's limit on the digits of an integer is a setting; a low one makes a refusal, not a traceback."""
    path = tmp_path / "digits.json"
    path.write_text(changed(lower="0." + "1" * 1500))
    environment = os.environ | {"PYTHONINTMAXSTRDIGITS": "640"}
    command = [sys.executable, str(SOURCE), str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 2 and run.stderr == "" and run.stdout.count("\n") == 1


def test_a_valid_certificate_as_large_as_they_may_be_ends_soon(tmp_path):
    """2000 digits and 400 cells: more work than a hostile certificate can ask for before it is found out."""
    large = certificate.build_supremum("gelu_tanh", digits=2000)
    cells, begin = [], Fraction(0)
    for end, *core in large["cells"]:
        parts = 1 if core else 30
        step = (Fraction(end) - begin) / parts
        cells += [[f"{part.numerator}/{part.denominator}"] for part in (begin + i * step for i in range(1, parts))]
        cells.append([end, *core])
        begin = Fraction(end)
    assert checker.MAX_CELLS - 30 < len(cells) <= checker.MAX_CELLS
    path = tmp_path / "large.json"
    certificate.write_certificate(path, large | {"cells": cells})
    code, _, seconds = run_checker(path)
    assert code == 0 and seconds < 30


def test_a_statement_that_is_not_what_is_proved_is_refused(tmp_path):
    path = tmp_path / "statement.json"
    path.write_text(changed(statement=VALID["statement"].replace("1.77", "1.78")))
    code, reason = checker.check(str(path))
    assert code == 1 and "something else" in reason
    path.write_text(changed())
    assert checker.check(str(path))[0] == 0


def test_a_certificate_of_1000_digits_takes_less_than_10_seconds_and_one_of_15_less_than_1(tmp_path):
    for digits, limit in ((15, 1), (1000, 10)):
        path = tmp_path / f"{digits}.json"
        certificate.write_certificate(path, certificate.build_supremum("gelu_tanh", digits=digits))
        code, _, seconds = run_checker(path)
        assert code == 0 and seconds < 3 * limit  # three times the promise, for a machine that is slow
