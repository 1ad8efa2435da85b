"""The verb `check`, as a user sees it."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from gelu_verify.catalogue import get_function
from gelu_verify.checks.case import Claim
from gelu_verify.cli.check_static import static_bound_json, static_bound_line
from gelu_verify.formats import FORMATS
from gelu_verify.sweep import Interval

Run = Callable[..., Any]

NAIVE = "gelu_verify.forms:tanh_naive"
BUT_AT_0 = "at no number but 0 does the error"


def test_a_right_implementation_passes(gelu_verify: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import numpy as np\n\ndef relu(x):\n    return np.where(np.isnan(x), x, np.maximum(x, x.dtype.type(0)))\n"
    )
    outcome = gelu_verify("check", f"{file}:relu", "--as", "relu", "--format", "binary16", "--json", "--max-ulp", "0.5")
    answer = json.loads(outcome.out)
    assert (outcome.code, answer["verdict"], answer["inputs"], answer["findings"]) == (0, "exhaustive", 65536, [])
    assert answer["counts"]["misrounded"] == 0
    assert answer["max_ulp"]["ulp"] == "0"


def test_a_cancelling_form_is_refuted_with_its_worst_input_and_its_regions(gelu_verify: Run) -> None:
    outcome = gelu_verify("check", NAIVE, "--as", "gelu_tanh", "--format", "binary16", "--json", "--against", "gelu")
    answer = json.loads(outcome.out)
    assert (outcome.code, answer["verdict"], answer["target"], answer["format"]) == (1, "refuted", NAIVE, "binary16")
    assert answer["max_ulp"]["x"]["bits"] == "0xc3c4"
    assert answer["max_ulp"]["want"]["hex"] == "-0x1.fd4p-14"
    kinds = [finding["kind"] for finding in answer["findings"]]
    assert kinds == ["special-value", "cancellation"]
    special, cancellation = answer["findings"]
    assert special["x"]["decimal"] == "-inf"
    assert "x*sigmoid(2u)" in cancellation["cause"]
    assert cancellation["command"].startswith(f"gelu-verify check {NAIVE} --as gelu_tanh --format binary16 --on ")
    assert sum(region["count"] for region in answer["regions"]["over_limit"]) == answer["counts"]["over_limit"]
    assert answer["counts"]["over_limit"] == answer["counts"]["over_4_ulp"]
    assert answer["against"]["counts"]["misrounded"] > answer["counts"]["misrounded"]


def test_the_text_names_the_worst_inputs_and_the_counts(gelu_verify: Run) -> None:
    outcome = gelu_verify("check", NAIVE, "--as", "gelu_tanh", "--format", "e5m2")
    assert outcome.code == 1
    assert "max_ulp" in outcome.out and "misrounded" in outcome.out and outcome.out.rstrip().endswith("refuted")


def test_an_own_limit_between_the_standard_ones_is_counted(gelu_verify: Run) -> None:
    words = ("check", NAIVE, "--as", "gelu_tanh", "--format", "bfloat16", "--on", "-1", "1", "--json")
    counts = {limit: json.loads(gelu_verify(*words, "--max-ulp", limit).out)["counts"] for limit in ("1", "3/2", "2")}
    assert counts["1"]["over_limit"] == counts["1"]["over_1_ulp"]
    assert counts["2"]["over_limit"] == counts["2"]["over_2_ulp"]
    assert counts["1"]["over_limit"] > counts["3/2"]["over_limit"] > counts["2"]["over_limit"]
    assert counts["3/2"]["over_1_ulp"] == counts["1"]["over_1_ulp"]


def test_flushed_subnormals_pass_only_under_the_declared_policy(gelu_verify: Run, tmp_path: Path) -> None:
    file = tmp_path / "flushing.py"
    file.write_text(
        "import numpy as np\nfrom gelu_verify.catalogue import get_function\nfrom gelu_verify.formats import FORMATS\n"
        "from gelu_verify.references import rounded\n\ndef gelu(x):\n"
        "    want = [rounded(get_function('gelu'), int(b), FORMATS['e5m2']) for b in x.view(np.uint8)]\n"
        "    y = np.array(want, np.uint8).view(x.dtype)\n"
        "    return np.where(np.abs(y.astype(float)) < 2.0**-14, x.dtype.type(0), y)\n"
    )
    words = ("check", f"{file}:gelu", "--as", "gelu", "--format", "e5m2", "--max-ulp", "0.5", "--json")
    strict = json.loads(gelu_verify(*words).out)
    assert strict["verdict"] == "refuted"
    flushed = strict["counts"]["subnormal_flush"]
    assert flushed == strict["counts"]["misrounded"] > 0
    for policy in (["--flush-subnormals"], ["--flush-subnormals", "outputs"]):
        outcome = gelu_verify(*words, *policy)
        allowed = json.loads(outcome.out)["counts"]
        assert (outcome.code, allowed["flushed"], allowed["misrounded"]) == (0, flushed, 0)
    assert gelu_verify(*words, "--flush-subnormals", "inputs").code == 1
    sampled = json.loads(gelu_verify(*words, "--sampled", "--flush-subnormals", "outputs").out)
    assert (sampled["counts"]["flushed"], sampled["counts"]["misrounded"]) == (flushed, 0)
    assert float(sampled["max_ulp"]["ulp"]) <= 0.5


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere:gelu", "--as", "gelu"], "importing nowhere failed"),
        ([NAIVE, "--as", "gelu_than"], "did you mean 'gelu_tanh'"),
        ([NAIVE, "--as", "gelu", "--format", "binary8"], "unknown format"),
        ([NAIVE, "--as", "gelu", "--max-ulp", "0.3"], "below 1/2"),
        ([NAIVE, "--as", "gelu", "--max-ulp", "inf"], "not a finite number"),
        ([NAIVE, "--as", "gelu", "--on", "2", "1"], "lower end first"),
        ([NAIVE, "--as", "gelu", "--derivative", "-1"], "from 0 to 8"),
        ([NAIVE, "--as", "gelu", "--derivative", "2", "--sampled"], "leave out --sampled"),
        ([NAIVE, "--as", "gelu", "--derivative", "2", "--only", "accuracy"], "leave out --sampled, --only"),
        ([NAIVE, "--as", "gelu", "--derivative", "2", "--gated"], "and --gated"),
        ([NAIVE, "--as", "gelu", "--workers", "0"], "at least 1"),
        ([NAIVE, "--as", "gelu", "--flush-subnormals", "never"], "invalid choice"),
        ([NAIVE, "--as", "gelu", "--seed", "1"], "binary32 is run whole"),
        ([NAIVE, "--as", "gelu", "--format", "binary64", "--resume", "file"], "leave out --resume"),
        ([NAIVE], "--as"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(gelu_verify: Run, words: list[str], complaint: str) -> None:
    outcome = gelu_verify("check", *words)
    assert outcome.code == 2
    assert complaint in outcome.err
    assert outcome.err.count("\n") == 1 and not outcome.out


def test_a_damaged_checkpoint_is_refused(gelu_verify: Run, tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    path.write_text("{}")
    outcome = gelu_verify("check", NAIVE, "--as", "gelu_tanh", "--format", "e5m2", "--resume", str(path))
    assert outcome.code == 2
    assert "damaged" in outcome.err and path.read_text() == "{}"


@pytest.mark.parametrize(("body", "kind"), [("sys.exit(0)", "exception"), ("os._exit(0)", "crash")])
def test_an_implementation_that_ends_the_program_is_never_a_success(
    body: str, kind: str, gelu_verify: Run, tmp_path: Path
) -> None:
    file = tmp_path / "ending.py"
    file.write_text(f"import os, sys\n\n\ndef ends(x):\n    {body}\n")
    outcome = gelu_verify("check", f"{file}:ends", "--as", "gelu", "--format", "binary16", "--json")
    assert (outcome.code, [found["kind"] for found in json.loads(outcome.out)["findings"]]) == (1, [kind])
    outcome = gelu_verify("identify", f"{file}:ends")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "gives no result: " in outcome.err and outcome.err.count(kind) <= 1


def test_both_passes_are_run_on_every_input(gelu_verify: Run, tmp_path: Path) -> None:
    file = tmp_path / "identity.py"
    file.write_text(
        "import numpy as np\n\n\ndef f(x):\n    return x + 0\n\n\ndef d(x):\n    return np.ones_like(x)\n\n\n"
        "def once(x):\n    return np.where(x == np.float16(1.2412), 2, 1).astype(x.dtype)\n"
    )
    words = ("check", f"{file}:f", "--as", "x*1", "--format", "binary16", "--json", "--on", "1", "2")
    one = json.loads(gelu_verify(*words).out)
    both = json.loads(gelu_verify(*words, "--gradient", f"{file}:d").out)
    assert [answer["verdict"] for answer in (one, both)] == ["exhaustive", "exhaustive"]
    assert "backward" not in one and both["backward"]["inputs"] == both["inputs"] == 1025
    assert both["backward"]["counts"]["misrounded"] == 0
    wrong = json.loads(gelu_verify(*words, "--gradient", f"{file}:once").out)
    (finding,) = wrong["findings"]
    assert (finding["backward"], finding["x"]["decimal"], finding["got"]["decimal"]) == (True, "1.241", "2.0")
    assert wrong["counts"]["over_limit"] == 0 and wrong["backward"]["counts"]["over_limit"] == 1
    sampled = json.loads(gelu_verify(*words, "--gradient", f"{file}:d", "--sampled").out)
    assert sampled["verdict"] == "sampled"


def test_binary64_is_sampled_by_windows_and_the_seed_repeats_it(gelu_verify: Run, tmp_path: Path) -> None:
    file = tmp_path / "doubling.py"
    file.write_text("def double(x):\n    return x + x\n")
    words = (
        "check",
        f"{file}:double",
        "--as",
        "2*x",
        "--format",
        "binary64",
        "--on",
        "1",
        "1.5",
        "--json",
        "--seed",
        "7",
    )
    first, again = gelu_verify(*words, "--workers", "1"), gelu_verify(*words, "--workers", "2")
    answer = json.loads(first.out)
    assert (first.code, answer["verdict"], answer["findings"]) == (0, "sampled", [])
    assert again.out == first.out
    assert answer["sampling"]["seed"] == 7 and answer["sampling"]["windows"] > 1000
    assert sum(row["inputs"] for row in answer["histogram"]) == answer["inputs"] > 4_000_000
    assert answer["counts"]["misrounded"] == 0


def test_a_fault_that_only_windows_meet_is_told_with_its_witness(gelu_verify: Run, tmp_path: Path) -> None:
    file = tmp_path / "gap.py"
    file.write_text(
        "import numpy as np\n\ndef double(x):\n    return np.where((x > 1.2) & (x < 1.203), x + x * 1.0000001, x + x)\n"
    )
    words = ("check", f"{file}:double", "--as", "2*x", "--derivative", "0", "--format", "binary64", "--on", "1", "1.5")
    outcome = gelu_verify(*words, "--json")
    answer = json.loads(outcome.out)
    assert (outcome.code, answer["verdict"]) == (1, "refuted")
    assert 1.2 < float(answer["max_ulp"]["x"]["decimal"]) < 1.203
    assert answer["findings"]
    text = gelu_verify(*words, "--seed", "3")
    assert "windows drawn with seed 3" in text.out.splitlines()[0] and "--seed 3" in text.out


def test_an_error_of_more_ulps_than_a_float_holds_is_told(gelu_verify: Run, tmp_path: Path) -> None:
    file = tmp_path / "ones.py"
    file.write_text("def one(x):\n    return x * 0 + 1\n")
    words = ("--as", "x", "--derivative", "2", "--format", "binary64", "--on", "0.5", "0.500000000000001")
    outcome = gelu_verify("check", f"{file}:one", *words, "--json")
    answer = json.loads(outcome.out)
    assert (outcome.code, [found["kind"] for found in answer["findings"]]) == (1, ["accuracy"])
    assert answer["findings"][0]["ulp"] == "inf"


def test_an_overflow_that_is_right_has_no_distance(gelu_verify: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def double(x):\n    return x + x\n")
    words = ("--as", "x*2", "--format", "binary16", "--sampled", "--only", "accuracy", "--json")
    outcome = gelu_verify("check", f"{tmp_path / 'mine.py'}:double", *words)
    answer = json.loads(outcome.out)
    assert (outcome.code, answer["verdict"], answer["counts"]["misrounded"]) == (0, "sampled", 0)
    assert (answer["max_ulp"]["ulp"], answer["max_abs"]["abs"]) == ("0", "0")


def test_the_bound_proved_from_the_code_stands_beside_the_largest_error(gelu_verify: Run) -> None:
    words = ("--as", "gelu_tanh", "--format", "bfloat16", "--on")
    naive = ("check", "gelu_verify.forms:correct.tanh_naive", *words)
    answer = json.loads(gelu_verify(*naive, "0", "6", "--json").out)
    bound = answer["static_bound"]
    assert (answer["verdict"], bound["verdict"]) == ("exhaustive", "certified")
    assert 1 < float(answer["max_ulp"]["ulp"]) < float(bound["ulp"]) < 2.5
    assert 0.66 < float(bound["at"]["lower"]) < float(bound["at"]["upper"]) < 0.67
    assert static_bound_line(bound) == ["", f"certified from the code: {BUT_AT_0} exceed {bound['ulp']} ulp"]


@pytest.mark.parametrize(
    ("target", "function", "ends"),
    [
        (NAIVE, "gelu_tanh", (0, 6)),  # NumPy's own functions are bounded by nobody
        ("gelu_verify.forms:correct.tanh_naive", "gelu", (0, 6)),  # it is not written for this function
        ("gelu_verify.forms:correct.tanh_naive", "gelu_tanh", (10**15, 10**16)),  # x^3 overflows
        ("gelu_verify.forms:correct.tanh_naive", "gelu_tanh", None),
    ],
)
def test_where_the_code_proves_nothing_no_bound_is_told(
    target: str, function: str, ends: tuple[int, int] | None
) -> None:
    on = None if ends is None else Interval(Fraction(ends[0]), Fraction(ends[1]))
    assert static_bound_json(target, Claim(get_function(function), FORMATS["bfloat16"]), on) is None
    assert static_bound_line(None) == []


def test_a_second_derivative_that_crashes_is_a_finding(gelu_verify: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import os\n\ndef f(x):\n    os._exit(3)\n")
    outcome = gelu_verify(
        "check", f"{tmp_path / 'mine.py'}:f", "--as", "gelu", "--derivative", "2", "--format", "binary16", "--json"
    )
    answer = json.loads(outcome.out)
    assert (outcome.code, [found["kind"] for found in answer["findings"]]) == (1, ["crash"])
