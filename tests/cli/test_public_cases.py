"""Faults and false claims seen in public, put to the command line as a person would put them."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from flint import arb, ctx

from gelu_verify.catalogue import get_function
from gelu_verify.enclosures import working_precision
from gelu_verify.references import derivative_ball

Run = Callable[..., Any]

FAULTS = "gelu_verify.faults."


def kinds(gelu_verify: Run, target: str, claim: str, *words: str) -> dict[str, dict[str, Any]]:
    outcome = gelu_verify("check", f"{FAULTS}{target}", "--as", claim, "--sampled", "--json", *words)
    assert outcome.code == 1
    return {finding["kind"]: finding for finding in json.loads(outcome.out)["findings"]}


def identified(gelu_verify: Run, target: str) -> tuple[int, str, dict[str, str]]:
    outcome = gelu_verify("identify", f"{FAULTS}{target}", "--json")
    best = json.loads(outcome.out)["best"][0]
    return outcome.code, best["function"], best["constants"]


def test_a_swallowed_nan_is_found(gelu_verify: Run) -> None:
    found = kinds(gelu_verify, "special_values:nan_swallowed", "gelu", "--only", "special-values")
    assert found["special-value"]["x"]["decimal"] == "nan"
    assert "nan_to_num" in found["special-value"]["cause"]


def test_a_polynomial_that_does_not_vanish_at_zero_is_coarse_around_it(gelu_verify: Run) -> None:
    found = kinds(gelu_verify, "approximations:polynomial_of_degree_15", "gelu")
    message = found["special-value"]["message"]
    assert "f(0.0) is 2.98e-05 and should be 0.0" in message and "f(-0.0) is 2.98e-05 and should be -0.0" in message
    coarse = found["coarse-approximation"]
    assert coarse["message"].startswith("returns the constant 2.97999995e-05, for -")
    assert any(
        float(region["first"]["decimal"]) < -1e-11 and float(region["last"]["decimal"]) > 1e-11
        for region in coarse["region"]
    )


@pytest.mark.parametrize(
    ("target", "constants"),
    [
        ("cubic_0_044175", {"c": "0.044175"}),
        ("cubic_0_47715", {"c": "0.47715"}),
        ("cubic_0_04715", {"c": "0.04715"}),
        ("cubic_0_0047715", {"c": "0.0047715"}),
        ("cubic_0_047715", {"c": "0.047715"}),
        ("scale_2_over_sqrt_pi", {"a": "2/sqrt(pi)"}),
        ("cubic_bracketed", {"c": "0.044715**3"}),
    ],
)
def test_a_constant_typed_wrongly_comes_back_as_it_was_typed(
    target: str, constants: dict[str, str], gelu_verify: Run
) -> None:
    assert identified(gelu_verify, f"constants:{target}") == (0, "gelu_tanh", constants)
    (name, value), *_ = constants.items()
    found = kinds(gelu_verify, f"constants:{target}", "gelu_tanh", "--only", "accuracy")["wrong-constant"]
    assert f"computes gelu_tanh with {name} = {value}" in found["message"]


def test_exchanged_constants_make_something_closer_to_relu(gelu_verify: Run) -> None:
    code, nearest, _ = identified(gelu_verify, "constants:constants_exchanged")
    assert (code, nearest) == (0, "relu")  # for |x| > 1e-4 it is nothing else


def test_the_two_sigmoid_constants_are_told_apart_and_only_one_keeps_its_promise(gelu_verify: Run) -> None:
    assert identified(gelu_verify, "constants:sigmoid_1_773") == (0, "gelu_sigmoid", {"k": "1.773"})
    found = kinds(gelu_verify, "constants:sigmoid_1_702", "x*sigmoid(1.773*x)", "--only", "accuracy")
    assert set(found) == {"wrong-constant"}
    for constant, below in (("1.773", True), ("1.702", False)):
        outcome = gelu_verify("bound", f"x*sigmoid({constant}*x)", "--on", "-6", "6", "--json")
        supremum = json.loads(outcome.out)["supremum"]
        assert (float(supremum["upper"]) < 0.015, float(supremum["lower"]) < 0.015) == (below, below)


CLAIMS = """
[[claim]]
id = "within-1e-4"
statement = "The tanh form matches GELU within 1e-4."
kind = "bound"
function = "gelu_tanh"
against = "gelu"
relation = "at most"
printed = "1e-4"

[[claim]]
id = "at-most-4.1e-4"
statement = "The tanh form is off by at most 4.1e-4."
kind = "bound"
function = "gelu_tanh"
against = "gelu"
relation = "at most"
printed = "4.1e-4"

[[claim]]
id = "1.702-from-the-tanh-form"
statement = "1.702 comes from sqrt(2/pi): it is 2 sqrt(2/pi)."
kind = "identity"
left = "2*sqrt(2/pi)"
right = "1.702"

[[claim]]
id = "where-1.702-comes-from"
statement = "It is the best constant for the gate: sigmoid(k x) is nearest to Phi(x) for k = 1.70174492533..."
kind = "best-constant"
family = "gelu_sigmoid"
against = "Phi"
printed = "1.70174492533..."

[[claim]]
id = "identity-near-0"
statement = "For small x GELU behaves like the identity."
kind = "value"
function = "gelu"
derivative = 1
at = "0"
printed = "1"

[[claim]]
id = "monotone"
statement = "GELU is monotone."
kind = "monotone"
function = "gelu"

[[claim]]
id = "lowest-at-1.5"
statement = "The minimum lies near -1.5."
kind = "minimum"
function = "gelu"
at = "-1.5"
"""


def test_false_claims_about_gelu_are_refuted_with_the_right_numbers(gelu_verify: Run, tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    file.write_text(CLAIMS)
    outcome = gelu_verify("claims", str(file), "--json")
    claims = {claim["id"]: claim for claim in json.loads(outcome.out)["claims"]}
    assert outcome.code == 1
    judged = claims.pop("where-1.702-comes-from")
    assert {claim["verdict"] for claim in claims.values()} == {"refuted"}
    assert judged["verdict"] == "certified"
    for id, number in (
        ("within-1e-4", "0.000473235520687"),
        ("at-most-4.1e-4", "0.000473235520687"),
        ("identity-near-0", "0.5"),
        ("lowest-at-1.5", "-0.751791524693564"),
    ):
        assert number in json.dumps(claims[id]), id


SOURCE = """
#include <stddef.h>
void f(const float *x, float *y, size_t n) {
  for (size_t i = 0; i < n; i++) {
    float third = 1.0f / 3.0f, t = x[i] * third;
    y[i] = (t + 1.0e8f) - 1.0e8f;
  }
}
"""


def test_a_fast_build_and_a_safe_build_of_one_source_differ_in_inputs_that_can_be_listed(
    gelu_verify: Run, tmp_path: Path
) -> None:
    compiler = shutil.which("cc")
    assert compiler is not None, "a C compiler is needed"
    (tmp_path / "f.c").write_text(SOURCE)
    results = {}
    from gelu_verify.formats import get_format
    from gelu_verify.targets import IsolatedTarget, parse_target

    x = np.linspace(-8, 8, 4097, dtype=np.float32).view(np.uint32)
    for name, options in (
        ("safe", ["-O2"]),
        ("fast", ["-O2", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]),
    ):
        subprocess.run([compiler, *options, "-fPIC", "-c", "-o", tmp_path / f"{name}.o", tmp_path / "f.c"], check=True)
        subprocess.run([compiler, "-shared", "-o", tmp_path / f"{name}.so", tmp_path / f"{name}.o"], check=True)
        target = IsolatedTarget(parse_target(f"{tmp_path / name}.so:f"), get_format("binary32"))
        try:
            results[name] = target.evaluate(x)
        finally:
            target.close()
    different = np.flatnonzero(results["safe"] != results["fast"])
    assert different.size > 4000
    # Where they differ, the check of the safe build against the formula finds its fault and that of the fast one none.
    for name, code in (("safe", 1), ("fast", 0)):
        words = ("--as", "x/3", "--only", "accuracy", "--sampled", "--on", "1", "8", "--json")
        assert gelu_verify("check", f"{tmp_path / name}.so:f", *words).code == code


def test_an_interval_exponential_that_is_no_enclosure_is_not_what_enclosures_rest_on() -> None:
    x = mpmath.mpf(3893924827815215) / 2**50
    with mpmath.workprec(200):
        right = mpmath.exp(x)
    with working_precision(53):
        ball = derivative_ball(get_function("exp").expression, arb(3893924827815215) * arb(2) ** -50, 0)
    before = ctx.prec
    try:
        ctx.prec = 200
        assert ball.contains(arb(mpmath.nstr(right, 50)))
    finally:
        ctx.prec = before


def test_more_digits_do_not_help_a_form_that_cancels_and_are_not_what_values_rest_on(gelu_verify: Run) -> None:
    with mpmath.workdps(30):
        cancelling = (1 + mpmath.erf(mpmath.mpf(-9) / mpmath.sqrt(2))) / 2
    with mpmath.workdps(60):
        right = mpmath.erfc(mpmath.mpf(9) / mpmath.sqrt(2)) / 2
        assert abs(cancelling / right - 1) > mpmath.mpf("1e-14")
    for x, digits in (("-9", "1.12858840595384064"), ("-40", "3.6558935409150297e-350")):
        printed = gelu_verify("value", x, "--function", "Phi", "--digits", "19").out
        assert f"Phi({x}) = {digits.partition('e')[0]}" in printed and "0.e" not in printed


@pytest.mark.parametrize("point", ["-30", "-40"])
def test_the_default_digits_of_sympy_are_no_value_of_the_far_tail(gelu_verify: Run, tmp_path: Path, point: str) -> None:
    x = sympy.Symbol("x")
    by_default = ((1 + sympy.erf(x / sympy.sqrt(2))) / 2).subs(x, int(point)).evalf()
    assert str(by_default) == "0.e-125"  # which has not one digit
    with mpmath.workdps(40):
        right = mpmath.nstr(mpmath.erfc(-int(point) / mpmath.sqrt(2)) / 2, 25)
    mantissa, _, exponent = right.partition("e")
    printed = gelu_verify("value", point, "--function", "Phi", "--digits", "20").out
    assert printed == f"Phi({point}) = {mantissa[:21]}...e{exponent}\n"
    (tmp_path / "table.csv").write_text(f"{point},{right}\n{point},0.0\n{point},-{right}\n")
    rows = json.loads(gelu_verify("strength", "--table", str(tmp_path / "table.csv"), "--as", "Phi", "--json").out)[
        "rows"
    ]
    assert [row["holds"] for row in rows] == [True, True, False]
    assert rows[1]["value"]["lower"].startswith(mantissa[:21])
