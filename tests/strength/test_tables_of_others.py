"""Expected values as people write them: read in any notation, judged to their last digit, and no line is lost."""

import json
from pathlib import Path

import mpmath
import pytest

from gelu_verify.cli import main
from gelu_verify.errors import InputError
from gelu_verify.strength.oracles import JudgedRow, judge_table

NAMES = ("gelu", "gelu_tanh", "gelu_sigmoid", "silu", "relu", "Phi", "erf", "tanh")


def judged(folder: Path, text: str, claim: str = "gelu") -> tuple[JudgedRow, ...]:
    file = folder / "table.txt"
    file.write_bytes(text.encode())
    return judge_table(file, claim).rows


@pytest.mark.parametrize(
    "line",
    [
        "-5.5,-1.04442593562382e-07",
        "-5.5;-1.04442593562382E-7",
        "\t-5.5\t-104.442593562382e-9\tnote\r",
        "  -5.5   -1.04442593562382e-07   ",
        "-5.5 -> -1.04442593562382e-07  # a comment, 1",
        "-5.5 = -.000000104442593562382 // 7",
        "| -5.5 | -1.04442593562382e-07 | 12 |",
        "(-5.50, -1.04442593562382e-07),",
        "{-5.5f, -1.04442593562382e-07F},",
        "(-5.5_f32, -1.04442593562382e-07f64),",
        "gelu(-5.5) = -1.04442593562382e-07",
        "-11/2: -1.04442593562382e-07",
        '"-0x1.6p+2","-0x1.c093d8972fbbe4p-24"',
        "0xc0b00000@binary32, -0x1.c093d8p-24",
        "\ufeff-5.5, -0x1.cp-24",
    ],
)
def test_a_right_value_is_right_in_every_notation(tmp_path: Path, line: str):
    (row,) = judged(tmp_path, f"{line}\n")
    assert row.right_for == ("gelu",)


def test_hexadecimal_digits_count_and_a_rounded_float_may_end_inside_one(tmp_path: Path):
    # gelu(1) = 0x1.aec4bd120d...p-1: binary32 rounds it to 0x1.aec4bep-1, for its last bit ends no hexadecimal digit.
    lines = "1,0x1.aec4bep-1\n1,0x1.aec4bdp-1\n1,0x1.aec4bcp-1\n1,0x1.aec4bd1p-1\n1,0x1.aec4bd2p-1\n1,0x1.aep-1\n"
    with mpmath.workdps(40):
        assert int(mpmath.erfc(-1 / mpmath.sqrt(2)) * 16**10) == 0x1AEC4BD120D
    assert [row.holds("gelu") for row in judged(tmp_path, lines)] == [True, True, False, True, False, True]


def test_infinities_and_nan_have_their_limits(tmp_path: Path):
    rows = judged(tmp_path, "inf,inf\n-inf,-0.0\n-inf,-inf\nNaN,nan\n+Infinity,1\n-inf,-1\n1,nan\n1,inf\nnan,0\n")
    forms = ("gelu", "gelu_tanh", "gelu_sigmoid", "silu", "relu")
    assert [row.right_for for row in rows] == [
        *(forms, (*forms, "Phi"), (), NAMES),
        *(("Phi", "erf", "tanh"), ("erf", "tanh"), (), (), ()),
    ]
    assert [row.right if isinstance(row.right, str) else row.right.decimal(9) for row in rows] == [
        *("inf", "0", "0", "nan", "inf", "0"),
        *("0.841344746...", "0.841344746...", "nan"),
    ]


def test_literals_are_judged_to_their_last_digit_however_many_they_have(tmp_path: Path):
    with mpmath.workdps(330):
        exact = mpmath.erfc(-1 / mpmath.sqrt(2)) / 2
        texts = [mpmath.nstr(exact, digits) for digits in (3, 45, 150, 300)]
    off = [text[:-1] + str((int(text[-1]) + 5) % 10) for text in texts]
    rows = judged(tmp_path, "".join(f"1,{text}\n" for text in [*texts, *off]))
    assert [row.holds("gelu") for row in rows] == [True] * 4 + [False] * 4
    assert [row.holds("gelu") for row in judged(tmp_path, "1,0.84\n1,0.840\n1,1\n1,8e-1\n1,0.9\n")] == [
        *(True, False, True, True, False)
    ]


def test_values_too_small_to_be_written_out_are_judged_all_the_same(tmp_path: Path):
    rows = judged(tmp_path, "-1e30,0\n-1e400,-0.0\n-1e30,-1e-300\n-40,-1.46e-348\n1e400,1e400\n")
    assert [row.holds("gelu") for row in rows] == [True, True, False, True, True]


def test_a_value_that_is_too_large_to_be_written_out_is_refused_with_its_line(tmp_path: Path):
    with pytest.raises(InputError, match=r"^line 2: the value is too large to be written out.*; leave the row out$"):
        judged(tmp_path, "0,1\n1e30,1\n", "exp")


def test_a_function_that_is_no_candidate_is_judged_as_well(tmp_path: Path):
    assert [row.holds("mish") for row in judged(tmp_path, "1,0.8651\n1,0.8652\n", "mish")] == [True, False]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1,0.8413447\n2;1,9545\n", "line 2: '2;1,9545' is no input and value"),
        ("1,0.8413447 about\n", "line 1: "),
        ("1,0.8413447...\n", "line 1: "),
        ("1_0,10\n", "line 1: "),
        ("−1,−0.1586553\n", "line 1: "),
        ("1,0.84\n3\n", "line 2: '3' is no input and value"),
        ("[[1, 0.84], [2]]\n", "line 1: '2' is no input"),
        ("\n1e1001,1\n", "line 2: the exponent of '1e1001' is too large"),
        ("x,y\n", "no line with an input and a value"),
    ],
)
def test_a_line_that_begins_like_a_row_and_is_none_is_refused(tmp_path: Path, text: str, complaint: str):
    with pytest.raises(InputError) as refusal:
        judged(tmp_path, text)
    assert complaint in str(refusal.value) and "\n" not in str(refusal.value)


def test_other_lines_are_told_and_comments_and_empty_lines_are_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "table.h"
    file.write_text("// 1, 2\nstatic const float t[] = {\n\n  /* 3 */ \n  {1, 0.8413447}, {2, 1.9545977},\n};\n")
    assert main(["strength", "--table", str(file)]) == 1
    out = capsys.readouterr().out
    assert "passed over line 2: no number first\n1 of 2 values are gelu to their printed digits" in out
    assert main(["strength", "--table", str(file), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["passed_over"] == [2]
    assert [(row["line"], row["right_for"]) for row in document["rows"]] == [(5, ["gelu", "Phi"]), (5, ["gelu_tanh"])]
