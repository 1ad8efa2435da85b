"""The verb `value`."""

import json
import shlex
import subprocess
import sys
from fractions import Fraction

import pytest

from gelu_verify.cli import value as verb


def test_digits_are_printed_and_every_one_is_certain(gelu_verify) -> None:
    assert gelu_verify("value", "1", "--digits", "30").out == "gelu(1) = 0.841344746068542948585232545632...\n"


@pytest.mark.parametrize(
    ("x", "line"),
    [
        ("0x00000001@binary32", "rounds to 1e-45  0x1p-149  0x00000001@binary32"),
        ("0x80000001@binary32", "rounds to -0.0  -0x0p+0  0x80000000@binary32"),
        ("-0", "rounds to -0.0  -0x0p+0  0x80000000@binary32"),
        ("nan", "rounds to nan  nan  0x7fc00000@binary32"),
        ("-1/3", "rounds to -0.123147115  -0x1.f8691cp-4  0xbdfc348e@binary32"),
        ("-0x1p-3", "rounds to -0.05628272  -0x1.cd116cp-5  0xbd6688b6@binary32"),
    ],
)
def test_a_format_gives_the_correctly_rounded_result_with_its_bits(x: str, line: str, gelu_verify) -> None:
    assert gelu_verify("value", x, "--format", "binary32").out == f"gelu({x}) {line}\n"


def test_the_json_document_has_the_keys_of_the_contract(gelu_verify) -> None:
    document = json.loads(gelu_verify("value", "0x3f800000@binary32", "1/3", "--digits", "12", "--json").out)
    assert document["schema_version"] == 1
    assert document["verdict"] == "certified"
    first, second = document["values"]
    assert (first["x"], second["x"], first["digits"]) == ("1", "1/3", 12)
    assert Fraction(first["value"]["lower"]) < Fraction("0.8413447460685429") < Fraction(first["value"]["upper"])
    assert first["confirmed_by_mpmath"] is True


def test_a_float_in_json_has_bits_hex_and_decimal(gelu_verify) -> None:
    document = json.loads(gelu_verify("value", "1", "--format", "bfloat16", "--json").out)
    assert document["values"][0]["value"] == {"bits": "0x3f57", "hex": "0x1.aep-1", "decimal": "0.84"}


def test_derivatives_and_expressions_are_named_in_the_answer(gelu_verify) -> None:
    assert gelu_verify("value", "0", "--derivative", "1").out == "gelu'(0) = 0.5\n"
    outcome = gelu_verify("value", "1", "--function", "x**4", "--derivative", "3")
    assert outcome.out == "(x**4)^(3)(1) = 24\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["foo"], "'foo' is not a number"),
        (["1", "--digits", "-3"], "--digits -3 is out of range; it must be from 1 to 10000"),
        (["1", "--digits", "99999"], "it must be from 1 to 10000"),
        (["1", "--derivative", "-1"], "--derivative -1 is out of range"),
        (["1", "--function", "gelu_tahn"], "unknown function 'gelu_tahn' (did you mean 'gelu_tanh'"),
        (["1", "--function", "__import__('os')"], "character 1: unknown function '__import__'"),
        (["1", "--format", "float31"], "float31"),
        (["1", "--digits", "5", "--format", "binary32"], "not allowed with argument"),
        (["0", "--function", "1/x"], "has no value at x = 0"),
        (["0x1ffffffff@binary32"], "more than the 32 bits"),
        (["1e999999999"], "1000"),
        (["nan"], "ask with --format"),
        (["1", "--function", "1or 2"], "only + - * / **"),
    ],
)
def test_bad_input_is_refused_in_one_line(words: list[str], complaint: str, gelu_verify) -> None:
    outcome = gelu_verify("value", *words)
    assert outcome.code == 2
    assert outcome.out == ""
    assert complaint in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["-inf"], "gelu(-inf) -> 0, from below"),
        (["inf"], "gelu(inf) -> infinity"),
        (["inf", "--derivative", "1"], "gelu'(inf) -> 1, from above"),
        (["inf", "--function", "x/(pi*x + 1)", "--digits", "6"], "(x/(pi*x + 1))(inf) -> 0.318309..., from below"),
    ],
)
def test_at_infinity_the_limit_is_told_with_its_side(words: list[str], line: str, gelu_verify) -> None:
    assert gelu_verify("value", *words).out == line + "\n"


def test_a_value_that_cannot_be_told_from_zero_is_incomplete(gelu_verify) -> None:
    assert gelu_verify("value", "1", "--function", "erf(x) - erf(x)").code == 3


@pytest.mark.parametrize(
    ("words", "end"),
    [
        (["1/3", "--function", "x", "--digits", "40"], "= 0.3333333333333333333333333333333333333333..."),
        (["0.1", "--function", "relu", "--digits", "60"], "= 0.1"),
        (["-inf", "--function", "tanh", "--format", "e4m3fn"], "rounds to -1.0  -0x1p+0  0xb8@e4m3fn"),
        (["inf", "--format", "e4m3fn"], "rounds to nan  nan  0x7f@e4m3fn"),
        (["-0.0", "--function", "x**13", "--format", "binary32"], "rounds to -0.0  -0x0p+0  0x80000000@binary32"),
        (["1", "--function", "((1e100**100)**100)**20", "--format", "binary64"], "0x7ff0000000000000@binary64"),
    ],
)
def test_awkward_questions_are_answered(words: list[str], end: str, gelu_verify) -> None:
    assert gelu_verify("value", *words).out.endswith(end + "\n")


def test_ten_thousand_digits_can_be_had(gelu_verify) -> None:
    outcome = gelu_verify("value", "1", "--digits", "10000")
    assert outcome.out.startswith("gelu(1) = 0.8413447460685429")
    assert len(outcome.out) == len("gelu(1) = 0.") + 10_000 + len("...\n")


@pytest.mark.parametrize(
    ("x", "function"),
    [
        ("0", "x*(1/x)"),
        ("0", "x*(1/tanh(x))"),
        ("-1", "x + 0*sqrt(x)"),
        ("-1", "x + 0*log(x)"),
        ("-1", "where(log(x) < 0, 1, 1)"),
        ("-1", "sqrt(x)**0"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--format", "binary16"]])
def test_where_a_part_is_undefined_there_is_no_value(x: str, function: str, options: list[str], gelu_verify) -> None:
    outcome = gelu_verify("value", x, "--function", function, *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"has no value at x = {x};" in outcome.err


def test_a_derivative_near_the_edge_of_a_domain_is_left_unconfirmed(gelu_verify) -> None:
    function = "x + (x - 1 + 1e-60)**2*log(x - 1 + 1e-60)"
    outcome = gelu_verify("value", "1", "--function", function, "--derivative", "1", "--digits", "5")
    assert outcome.code == 0


@pytest.mark.parametrize("example", verb.EXAMPLES)
def test_the_examples_run(example: str, gelu_verify) -> None:
    assert gelu_verify(*shlex.split(example)[1:]).code == 0


def test_a_value_needs_neither_sympy_nor_numpy() -> None:
    program = (
        "import sys; from gelu_verify.cli import main; main(['value', '1', '-2', '--format', 'binary32']);"
        "main(['value', '1']); print(sorted({'sympy', 'numpy', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
