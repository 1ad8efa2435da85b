"""The verbs identify and table."""

import json
import subprocess
import zipfile
from pathlib import Path

import mpmath
import numpy as np
import pytest

from gelu_verify.catalogue import function_or_expression, get_function
from gelu_verify.cli import main
from gelu_verify.formats import FORMATS
from gelu_verify.references import rounded
from gelu_verify.vectors import discriminating_inputs, golden_vectors


def document(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("target", "function", "constants"),
    [
        ("constants:cubic_0_044175", "gelu_tanh", {"c": "0.044175"}),
        ("constants:scale_2_over_sqrt_pi", "gelu_tanh", {"a": "2/sqrt(pi)"}),
        ("constants:sigmoid_1_773", "gelu_sigmoid", {"k": "1.773"}),
        ("correct:silu_factored", "silu", {}),
    ],
)
def test_identify_names_function_and_constants(capsys, target: str, function: str, constants: dict[str, str]):
    code, found = document(capsys, "identify", f"gelu_verify.faults.{target}")
    assert code == 0
    assert (found["best"][0]["function"], found["best"][0]["constants"]) == (function, constants)
    assert set(found["best"][0]["max_abs"]) == {"bits", "hex", "decimal"}


def test_identify_says_when_it_is_none_of_these(capsys):
    code, found = document(capsys, "identify", "gelu_verify.faults.approximations:hard_swish_for_gelu")
    assert (code, found["verdict"], found["identified"]) == (1, "unknown", False)
    assert main(["identify", "gelu_verify.faults.approximations:hard_swish_for_gelu"]) == 1
    assert capsys.readouterr().out.startswith("none of these; nearest is ")


@pytest.mark.parametrize(
    "words",
    [
        ["identify", "nonsense"],
        ["identify", "math:erf", "--derivative", "2"],
        ["identify", "math:erf", "--timeout", "0"],
        ["table", "gelu", "--out", "x.txt"],
        ["table", "no_such"],
        ["table", "gelu", "--out", "/no/such/folder/x.csv"],
    ],
)
def test_bad_input_is_one_line_and_code_2(capsys, words: list[str]):
    assert main(words) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_vectors_are_correctly_rounded_and_hold_the_hard_inputs():
    binary32, gelu = FORMATS["binary32"], get_function("gelu")
    vectors = golden_vectors(gelu, binary32)
    pairs = dict(zip(vectors.inputs, vectors.results, strict=True))
    assert pairs[0x00000001] == 0x00000001 and pairs[0x80000001] == 0x80000000
    assert pairs[binary32.infinity | binary32.sign_mask] == binary32.sign_mask
    for x in vectors.inputs[::29]:
        assert pairs[x] == rounded(gelu, x, binary32)


def test_the_three_files_hold_the_same_data_and_are_stable(tmp_path: Path):
    for name in ("t.csv", "t.npz", "t.h", "again.npz"):
        assert main(["table", "gelu_tanh", "--derivative", "1", "--out", str(tmp_path / name)]) == 0
    assert (tmp_path / "t.npz").read_bytes() == (tmp_path / "again.npz").read_bytes()
    assert {info.date_time[0] for info in zipfile.ZipFile(tmp_path / "t.npz").infolist()} == {1980}
    arrays = np.load(tmp_path / "t.npz")
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert lines[0].startswith("# gelu_tanh, derivative 1, correctly rounded to binary32")
    data = [tuple(int(cell, 16) for cell in line.split(",")) for line in lines[4:]]
    assert data == list(zip(arrays["inputs"].tolist(), arrays["results"].tolist(), strict=True))
    program = (
        f'#include "{tmp_path / "t.h"}"\n#include <stdio.h>\n'
        "int main(void) { for (unsigned i = 0; i < sizeof gelu_tanh_binary32_d1_inputs / 4; i++)"
        ' printf("%u,%u\\n", gelu_tanh_binary32_d1_inputs[i], gelu_tanh_binary32_d1_results[i]); return 0; }\n'
    )
    (tmp_path / "t.c").write_text(program)
    subprocess.run(["cc", "-o", tmp_path / "t", tmp_path / "t.c"], check=True)
    printed = subprocess.run([tmp_path / "t"], capture_output=True, text=True, check=True).stdout
    assert [tuple(map(int, line.split(","))) for line in printed.splitlines()] == data


@pytest.mark.parametrize(("compiler", "standard", "ending"), [("cc", "c99", ".c"), ("c++", "c++17", ".cpp")])
def test_headers_of_names_and_formulas_are_included_together(tmp_path: Path, compiler: str, standard: str, ending: str):
    functions = ("gelu", "2*x", "x*2", "x+2", "x*sigmoid(1.702*x)**2/(1 + x*x)")
    for number, function in enumerate(functions):
        assert main(["table", function, "--format", "e4m3fn", "--out", str(tmp_path / f"t{number}.h")]) == 0
    includes = "".join(f'#include "t{number}.h"\n' for number in range(len(functions)))
    (tmp_path / f"all{ending}").write_text(f"{includes}int main(void) {{ return gelu_e4m3fn_results[0]; }}\n")
    strict = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unused"]
    words = [compiler, f"-std={standard}", *strict, "-c", f"all{ending}"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    names = {
        line for number in range(5) for line in (tmp_path / f"t{number}.h").read_text().splitlines() if "[" in line
    }
    assert len(names) == 10  # two arrays of each, and no name twice


def test_inputs_that_are_left_out_are_told_with_the_reason(capsys):
    assert main(["table", "relu", "--derivative", "1", "--format", "e5m2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "# left out, since there is no value: 0x00 0x80" in lines[:5]
    assert len(lines) == 5 + 254
    code, found = document(capsys, "table", "phi", "--derivative", "2", "--format", "e5m2")
    assert (code, found["without_value"], found["undecided"]) == (0, [], ["0x3c", "0xbc"])  # exactly 0 at +-1
    vectors = golden_vectors(function_or_expression("sqrt(x)"), FORMATS["binary32"])
    assert vectors.left_out()[0].endswith(f" and {len(vectors.without_value) - 12} more")
    assert golden_vectors(get_function("gelu"), FORMATS["e5m2"]).left_out() == []


def _exact(function: str, x: mpmath.mpf) -> mpmath.mpf:
    root = mpmath.sqrt(2 / mpmath.pi)
    gate = {
        "gelu": lambda: mpmath.erfc(-x / mpmath.sqrt(2)) / 2,
        "gelu_tanh": lambda: 1 / (1 + mpmath.exp(-2 * root * (x + mpmath.mpf("0.044715") * x**3))),
        "gelu_sigmoid": lambda: 1 / (1 + mpmath.exp(-mpmath.mpf("1.702") * x)),
    }
    return x * gate[function]()


@pytest.mark.parametrize("function", ["gelu", "gelu_tanh", "gelu_sigmoid"])
@pytest.mark.parametrize("format", ["binary16", "bfloat16", "binary32", "binary64", "e4m3fn"])
def test_entries_are_the_nearest_numbers_by_two_hundred_digits_of_mpmath(function: str, format: str):
    chosen = FORMATS[format]
    inputs = [bits for bits in discriminating_inputs(chosen) if chosen.is_finite(bits)]
    vectors = golden_vectors(get_function(function), chosen, inputs=inputs[:: max(1, len(inputs) // 60)])
    with mpmath.workdps(200):
        for x, result in zip(vectors.inputs, vectors.results, strict=True):
            exact = _exact(function, mpmath.mpf(chosen.exact(x).numerator) / chosen.exact(x).denominator)
            near = [chosen.exact(y) for y in (result - 1, result, result + 1) if y >= 0 and chosen.is_finite(y)]
            far = [abs(mpmath.mpf(y.numerator) / y.denominator - exact) for y in near]
            assert min(far) == abs(
                mpmath.mpf(chosen.exact(result).numerator) / chosen.exact(result).denominator - exact
            )


def test_thresholds_are_those_that_a_look_at_every_number_finds(gelu_verify) -> None:  # type: ignore[no-untyped-def]
    from gelu_verify.catalogue import get_function
    from gelu_verify.formats import get_format
    from gelu_verify.references import rounded

    document = json.loads(gelu_verify("table", "gelu", "--format", "e5m2", "--thresholds", "--json").out)
    format, gelu = get_format("e5m2"), get_function("gelu")
    found: dict[str, set[int]] = {"x": set(), "x/2": set(), "0": set()}
    for bits in range(256):
        if format.is_finite(bits):
            x, y = format.exact(bits), format.exact(rounded(gelu, bits, format))
            for outcome, wanted in (("x", x), ("x/2", x / 2), ("0", 0)):
                found[outcome] |= {bits} if y == wanted else set()
    told: dict[str, set[int]] = {"x": set(), "x/2": set(), "0": set()}
    for run in document["thresholds"]:
        ends = (int(run["first"]["bits"], 16), int(run["last"]["bits"], 16) + 1)
        told[run["outcome"]] |= set(range(*ends, run["step"]))
    assert told == found
    assert document["verdict"] == "certified"


def test_thresholds_as_text_count_every_set(gelu_verify) -> None:  # type: ignore[no-untyped-def]
    outcome = gelu_verify("table", "gelu", "--format", "e5m2", "--thresholds")
    assert outcome.out.endswith("certified: in e5m2, gelu rounds 65 numbers to x, 87 numbers to x/2, 58 numbers to 0\n")


@pytest.mark.parametrize("words", [("silu",), ("gelu", "--derivative", "1")])
def test_thresholds_of_anything_else_are_refused(gelu_verify, words) -> None:  # type: ignore[no-untyped-def]
    outcome = gelu_verify("table", *words, "--thresholds")
    assert (outcome.code, outcome.out) == (2, "")
    assert "gelu alone" in outcome.err


def test_thresholds_are_written_to_no_file(gelu_verify) -> None:  # type: ignore[no-untyped-def]
    outcome = gelu_verify("table", "gelu", "--thresholds", "--out", "t.csv")
    assert (outcome.code, outcome.out) == (2, "") and "leave out --out" in outcome.err
