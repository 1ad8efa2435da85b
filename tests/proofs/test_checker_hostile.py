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
SIGMOID = "sigma(1 ({} x + 0 x^3))"


def in_place_of(field, text):
    """Put raw text where a field's value stands."""
    return changed(**{field: "here"}).replace('"here"', text)


def with_sign(sign):
    return with_cells([[*cell[:1], sign, *cell[2:]] if len(cell) == 3 else cell for cell in VALID["cells"]])


MALFORMED = {
    "empty": "",
    "not JSON": "hello",
    "an array": "[]",
    "a number": "1",
    "null": "null",
    "a string": '"certificate"',
    "nested arrays": "[" * 100_000,
    "nested objects": '{"a":' * 20_000,
    "nested in a field": in_place_of("left", f"{'[' * 50_000}{']' * 50_000}"),
    "a repeated key": '{"lower": "1", ' + changed()[1:],
    "a repeated key at the end": changed()[:-1] + ', "upper": "1"}',
    "keys in another order": json.dumps(dict(sorted(VALID.items()))),
    "an object for a gate": in_place_of("left", '{"a": 1, "a": 2}'),
    "a float for a bound": changed(lower=0.0139),
    "NaN": in_place_of("lower", "NaN"),
    "Infinity": in_place_of("upper", "Infinity"),
    "an integer for a bound": changed(lower=0),
    "an integer for the derivative": changed(derivative=0),
    "true for the derivative": changed(derivative=True),
    "0.0 for the derivative": changed(derivative="0.0"),
    "00 for the derivative": changed(derivative="00"),
    "a negative derivative": changed(derivative="-1"),
    "a huge derivative": changed(derivative="1000000000"),
    "a fourth derivative": changed(derivative="4"),
    "an integer of a million digits": in_place_of("derivative", LONG),
    "an integer of 5000 digits": in_place_of("derivative", "1" * 5000),
    "a derivative of a million digits": changed(derivative=LONG),
    "a bound of a million digits": changed(lower=f"0.{LONG}"),
    "a bound of 5000 digits": changed(lower="0." + "1" * 5000),
    "an exponent": changed(lower="1e-2"),
    "a huge exponent": changed(lower="1e999999999"),
    "a huge exponent for the slack": changed(slack="1e999999999"),
    "a negative bound": changed(lower="-0.01"),
    "a negative slack": changed(slack="-0.01"),
    "other digits": changed(lower="٠.٠١"),
    "an underscore": changed(lower="0.0_1"),
    "a space": changed(lower=" 0.01"),
    "division by zero": changed(lower="1/0"),
    "two divisions": changed(lower="1/2/3"),
    "a point alone": changed(lower="."),
    "a huge constant": changed(left=SIGMOID.format("9" * 2000)),
    "a constant with an exponent": changed(left=SIGMOID.format("1e9")),
    "a negative constant": changed(left=SIGMOID.format("-1")),
    "a huge end": with_cells([["0.5"], ["1" + "0" * 2000], *VALID["cells"]]),
    "a missing constant": changed(left="sigma(1 (x + 0 x^3))"),
    "text before a gate": changed(left="x" + VALID["left"]),
    "text after a gate": changed(left=VALID["left"] + "\n"),
    "an unknown function": changed(left="gelu(x)"),
    "a gate that is missing": changed(left=""),
    "a gate that is a list": changed(left=[VALID["left"]]),
    "a gate that is a number": changed(right=1),
    "no cells": with_cells([]),
    "cells in a string": with_cells("0123"),
    "cells in an object": with_cells({"0": 1}),
    "an empty cell": with_cells([[]]),
    "a cell of two": with_cells([["1", "+"], *VALID["cells"]]),
    "a cell of four": with_cells([["1", "+", "1", "1"], *VALID["cells"]]),
    "a sign of 1": with_sign("1"),
    "no sign": with_sign(""),
    "two signs": with_sign("++"),
    "a sign as a number": with_sign(1),
    "cores beyond number": with_cells([[f"0.{i}", "+", f"0.{i}"] for i in range(10, 20)]),
    "cells beyond number": with_cells([[f"0.{i}"] for i in range(1000, 1500)]),
    "no core": with_cells([cell[:1] for cell in VALID["cells"]]),
    "another weight": changed(weight="x^2"),
    "another constant free": changed(free="c"),
    "constants free in a list": changed(free=["a"]),
    "another format": changed(format="gelu-verify certificate 1"),
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
    assert code in (1, 2) and "\n" not in reason and reason.isprintable() and len(reason) < 200


def test_all_of_them_at_once_in_200_megabytes(tmp_path):
    paths = []
    for i, content in enumerate(MALFORMED.values()):
        paths.append(tmp_path / f"{i}.json")
        paths[-1].write_bytes(content if isinstance(content, bytes) else content.encode())
    code, lines, seconds = run_checker(*paths)
    assert code == 2 and len(lines) == len(paths) and seconds < 20
    assert all(line.startswith(("refused: ", "not a certificate: ")) for line in lines)


def test_a_file_of_100_megabytes_is_refused_at_once(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.write(b'{"cells": [')
        file.truncate(100 * 2**20)
    code, (line,), seconds = run_checker(path)
    assert code == 2 and "no such file of at most" in line and seconds < 2


@pytest.mark.parametrize("path", ["/nowhere/at/all.json", "/", "", "/dev/zero", "a\nb\x1b[31m.json", "\udcff.json"])
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
        parts = 1 if core else (checker.MAX_CELLS - 1) // (len(large["cells"]) - 1)
        step = (Fraction(end) - begin) / parts
        cells += [[f"{part.numerator}/{part.denominator}"] for part in (begin + i * step for i in range(1, parts))]
        cells.append([end, *core])
        begin = Fraction(end)
    assert checker.MAX_CELLS - 30 < len(cells) <= checker.MAX_CELLS
    path = tmp_path / "large.json"
    certificate.write_certificate(path, large | {"cells": cells})
    code, _, seconds = run_checker(path)
    assert code == 0 and seconds < 30


def test_a_certificate_of_1000_digits_takes_less_than_10_seconds_and_one_of_15_less_than_1(tmp_path):
    for digits, limit in ((15, 1), (1000, 10)):
        path = tmp_path / f"{digits}.json"
        certificate.write_certificate(path, certificate.build_supremum("gelu_tanh", digits=digits))
        code, _, seconds = run_checker(path)
        assert code == 0 and seconds < 3 * limit  # three times the promise, for a machine that is slow
