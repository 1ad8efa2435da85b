"""The pytest plugin in a project of its own."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import find, given, settings

from gelu_verify.assertions.accuracy import assert_gelu_accurate
from gelu_verify.errors import InputError
from gelu_verify.faults import get_fault
from gelu_verify.faults.correct import gelu_by_erfc, gelu_gradient, gelu_tanh_factored
from gelu_verify.formats import FORMATS
from gelu_verify.strategies import encodings, floats
from gelu_verify.vectors import hard_inputs


def run_pytest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def project(folder: Path, body: str, ini: str = "") -> Path:
    (folder / "pytest.ini").write_text(f"[pytest]\naddopts = --strict-markers\n{ini}\n")
    (folder / "mine.py").write_text(
        "import math\nimport numpy as np\n\n"
        "erfc = np.vectorize(math.erfc, otypes=[float])\n\n"
        "def wrong(x):\n    u = np.float32(0.7978846) * (x + np.float32(0.044715) * x**3)\n"
        "    return np.float32(0.5) * x * (1 + np.tanh(u))\n\n"
        "def right(x):\n    w = x.astype(float)\n"
        "    return np.where(x == -np.inf, np.float32(-0.0), (0.5 * w * erfc(-w / math.sqrt(2))).astype(x.dtype))\n"
    )
    (folder / "test_mine.py").write_text(body)
    return folder


def test_the_plugin_imports_nothing_heavy():
    code = (
        "import sys, gelu_verify.plugin; "
        "sys.exit(any(m in sys.modules for m in ('numpy', 'sympy', 'flint', 'mpmath', 'scipy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_fresh_project_fails_with_a_message_that_names_fault_input_and_cure(tmp_path: Path):
    folder = project(
        tmp_path,
        "from gelu_verify.plugin import assert_gelu_accurate\nfrom mine import right, wrong\n\n"
        "def test_wrong():\n    assert_gelu_accurate(wrong, function='gelu_tanh')\n\n"
        "def test_right():\n    assert_gelu_accurate(right)\n",
        "pythonpath = .",
    )
    outcome = run_pytest(folder)
    assert "1 failed, 1 passed" in outcome.stdout
    for words in (
        "Mismatched inputs:",
        "Greatest absolute difference:",
        "ulp allowed",
        "cancellation:",
        "x*sigmoid(2u)",
    ):
        assert words in outcome.stdout
    assert "0xff800000" in outcome.stdout  # -inf, which gives NaN


def test_fixtures_give_reference_values_and_vectors(tmp_path: Path):
    folder = project(
        tmp_path,
        "import numpy as np\n\n"
        "def test_reference(gelu_reference, gelu_vectors, gelu_implementation):\n"
        "    x = np.array([-3, 0, 1.5], np.float32)\n"
        "    assert np.array_equal(gelu_reference(x), gelu_implementation(x))\n"
        "    assert gelu_reference(x, derivative=1)[1] == 0.5\n"
        "    assert len(gelu_vectors(format='binary16').inputs) == 65536\n",
    )
    assert "1 passed" in run_pytest(folder).stdout


def test_budgets_parametrise_tests_and_only_ever_get_stricter(tmp_path: Path):
    folder = project(
        tmp_path,
        "def test_budget(gelu_budget):\n    gelu_budget.check()\n",
        "gelu_budgets = budgets.toml\npythonpath = .",
    )
    budgets = folder / "budgets.toml"
    entry = '# kept\n[[budget]]\ntarget = "mine:{}"\nfunction = "gelu"\nformat = "binary32"\nmax_ulp = {}  # kept\n'
    budgets.write_text(entry.format("right", 3))
    assert "1 passed" in run_pytest(folder).stdout
    assert budgets.read_text() == entry.format("right", 3)
    assert "1 passed" in run_pytest(folder, "--gelu-update").stdout
    assert budgets.read_text() == entry.format("right", 1)
    budgets.write_text(entry.format("wrong", 3))
    outcome = run_pytest(folder, "--gelu-update")
    assert "1 failed" in outcome.stdout
    assert budgets.read_text() == entry.format("wrong", 3)
    budgets.write_text("[[budget]]\ntarget = 3\n")
    refused = run_pytest(folder).stdout
    assert "no usable 'target'" in refused and "plugin.py" not in refused


def test_the_assertion_accepts_right_and_refuses_wrong_implementations():
    assert_gelu_accurate(gelu_by_erfc, gradient=gelu_gradient)
    assert_gelu_accurate(gelu_by_erfc, format="bfloat16", exhaustive=True, max_ulp=1)
    assert_gelu_accurate(get_fault("identity_from_4.binary32").call, on=(-4.0, 4.0))
    with pytest.raises(AssertionError, match=r"computes gelu_tanh"):
        assert_gelu_accurate(gelu_tanh_factored)
    with pytest.raises(AssertionError, match=r"(?s)Mismatched inputs: 1 / 65536.*returns its input.*0xb4ab"):
        assert_gelu_accurate(get_fault("identity_at_one_input.bfloat16").call, format="bfloat16", exhaustive=True)
    with pytest.raises(AssertionError, match=r"exception: .*ZeroDivisionError"):
        assert_gelu_accurate(lambda x: x / (1 // 0))


@pytest.mark.parametrize(
    "options", [{"max_ulp": 0.1}, {"format": "binary23"}, {"function": "gelly"}, {"gradient": "yes"}]
)
def test_questions_without_sense_are_refused(options: dict):
    with pytest.raises(InputError):
        assert_gelu_accurate(gelu_by_erfc, **options)


@given(encodings("binary16", special=False))
def test_strategies_stay_inside_the_format(bits: int):
    assert FORMATS["binary16"].is_finite(bits)


@pytest.mark.parametrize("format", FORMATS)
def test_in_every_format_one_example_in_three_is_a_hard_input(format: str):
    hard, seen = set(hard_inputs(FORMATS[format])), []

    @settings(max_examples=200)
    @given(encodings(format))
    def look(bits: int) -> None:
        seen.append(bits in hard)

    look()
    # On average; which examples are drawn differs between versions of Hypothesis. 40 of 200 is four deviations less.
    assert sum(seen) > len(seen) / 5
    assert len(hard) < 1000 and all(0 <= bits < 1 << FORMATS[format].width for bits in hard)


@pytest.mark.parametrize("format", ["binary33", None, np.float32])
def test_a_strategy_of_no_format_is_refused(format: object):
    for strategy in (encodings, floats):
        with pytest.raises(InputError, match=r"unknown format .*; the formats are binary16"):
            strategy(format)  # type: ignore[arg-type]


def test_strategies_aim_at_hard_inputs():
    assert find(floats("binary32"), np.isnan) != 0
    assert find(encodings("binary32"), lambda bits: bits == 0x80000001) == 0x80000001


MARKED = """
import pytest
from mine import right, wrong

@pytest.mark.gelu_accuracy(max_ulp=1)
@pytest.mark.gelu_accuracy("gelu_tanh", max_ulp=2)
def test_two_demands(gelu_check):
    gelu_check(right)

@pytest.mark.gelu_accuracy("gelu_tanh", "binary32")
class TestMarked:
    def test_of_the_class(self, gelu_check):
        gelu_check(wrong)

    @pytest.mark.gelu_accuracy(on=(-1.0, 1.0), max_ulp=1)
    def test_its_own(self, gelu_check):
        gelu_check(right)

def test_unmarked(gelu_check):
    gelu_check(right, max_ulp=1)
"""


def test_a_marker_demands_an_accuracy_and_two_of_them_run_the_test_twice(tmp_path: Path):
    outcome = run_pytest(project(tmp_path, MARKED, "pythonpath = ."), "-rA")
    assert "2 failed, 3 passed" in outcome.stdout
    for line in (
        "FAILED test_mine.py::test_two_demands[gelu_tanh]",
        "PASSED test_mine.py::test_two_demands[gelu]",
        "FAILED test_mine.py::TestMarked::test_of_the_class[gelu_tanh-binary32]",
        "PASSED test_mine.py::TestMarked::test_its_own[gelu]",
        "PASSED test_mine.py::test_unmarked[gelu]",
    ):
        assert line in outcome.stdout
    assert "is not gelu_tanh: it computes gelu, " in outcome.stdout
    # A stranger sees the line of the test and the message, and nothing of how it came about.
    assert "assertion.py" not in outcome.stdout and "def assert_gelu_accurate" not in outcome.stdout
    assert "again    gelu-verify check mine.py:wrong --as gelu_tanh --format binary32 --max-ulp 2" in outcome.stdout


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("@pytest.mark.gelu_accuracy(max_ulps=1)\ndef test_it(gelu_check): pass\n", "takes function, format, max_ulp"),
        ("@pytest.mark.gelu_accuracy('gelu', function='silu')\ndef test_it(gelu_check): pass\n", "each once"),
        ("@pytest.mark.gelu_accuracy()\ndef test_it(): pass\n", "let it take the fixture gelu_check"),
        (
            "@pytest.mark.gelu_accuracy(max_ulp='2')\ndef test_it(gelu_check): pass\n",
            "of test_mine.py::test_it: max_ulp",
        ),
        ("def test_it(gelu_budget): pass\n", "name the budget file in pytest's setting gelu_budgets"),
    ],
)
def test_a_marker_without_sense_is_refused_before_anything_runs(tmp_path: Path, body: str, complaint: str):
    outcome = run_pytest(project(tmp_path, f"import pytest\n\n{body}"))
    assert outcome.returncode == pytest.ExitCode.INTERRUPTED
    assert complaint in outcome.stdout
    assert "plugin.py" not in outcome.stdout  # and nothing of the way through pytest that led there


SINGLED_OUT = """
import pytest
from mine import right

TANH = pytest.mark.gelu_accuracy("gelu_tanh")

@pytest.mark.gelu_accuracy(max_ulp=1)
@pytest.mark.parametrize("f", [pytest.param(right, marks=TANH, id="marked"), pytest.param(right, id="plain")])
def test_each(f, gelu_check):
    gelu_check(f)

@pytest.mark.gelu_accuracy("gelu_tanh")
@pytest.mark.usefixtures("gelu_check")
def test_that_forgets():
    pass

def test_that_is_skipped(gelu_check):
    pytest.skip("for a reason")
"""


def test_a_marker_of_one_parameter_counts_and_a_check_that_is_never_called_fails(tmp_path: Path):
    outcome = run_pytest(project(tmp_path, SINGLED_OUT, "pythonpath = ."), "-rA")
    assert "2 failed, 1 passed, 1 skipped" in outcome.stdout
    assert "FAILED test_mine.py::test_each[gelu-marked]" in outcome.stdout
    assert "PASSED test_mine.py::test_each[gelu-plain]" in outcome.stdout
    assert "gelu_check was never called, so nothing was checked" in outcome.stdout


def test_a_closure_is_shown_again_by_its_test_and_a_backward_pass_by_its_name(tmp_path: Path):
    body = (
        "import numpy as np\nfrom gelu_verify.plugin import assert_gelu_accurate\nfrom mine import right\n\n"
        "def ones(x):\n    return np.ones_like(x)\n\n"
        "def test_closure():\n    assert_gelu_accurate(lambda x: x, 'x*1', on=(1, 2), gradient=lambda x: 0 * x)\n\n"
        "def test_backward():\n    assert_gelu_accurate(right, on=(1.5, 2), gradient=ones)\n\n"
        "def test_question():\n    assert_gelu_accurate(right, on=(2, 1))\n"
    )
    outcome = run_pytest(project(tmp_path, body, "pythonpath = ."))
    assert "Mismatched inputs of the backward pass: " in outcome.stdout
    assert "again    pytest test_mine.py::test_closure" in outcome.stdout
    assert "--gradient test_mine.py:ones --sampled" in outcome.stdout
    assert "on is (2, 1); give two numbers, the lower first" in outcome.stdout
    assert "_examined" not in outcome.stdout


def test_a_sample_of_nothing_is_no_success():
    with pytest.raises(InputError, match=r"none of the sampled inputs lies in \(400.0, 400.00001\)"):
        assert_gelu_accurate(gelu_by_erfc, format="binary64", on=(400.0, 400.00001))
    with pytest.raises(InputError, match="no finite number"):
        assert_gelu_accurate(gelu_by_erfc, format="binary16", on=(1e5, 2e5))


def test_both_passes_are_run_on_every_input():
    def once(x: np.ndarray) -> np.ndarray:
        return np.where(x == np.float16(1.2412), 2, 1).astype(x.dtype)

    options = {"function": "x*1", "format": "binary16", "on": (1.0, 2.0), "exhaustive": True}
    assert_gelu_accurate(lambda x: x, gradient=np.ones_like, **options)
    with pytest.raises(AssertionError, match=r"(?s)inputs: 0 / 1025.*of the backward pass: 1 / 1025.*1\.241"):
        assert_gelu_accurate(lambda x: x, gradient=once, **options)
    with pytest.raises(InputError, match="too many numbers"):
        assert_gelu_accurate(gelu_by_erfc, format="binary64", exhaustive=True)


def test_the_example_of_the_readme_runs_as_it_is_printed(tmp_path: Path):
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    example = readme.split("<!-- pytest -->")[1].split("```python\n")[1].split("```")[0]
    (tmp_path / "mylib.py").write_text(
        "import numpy as np\nfrom gelu_verify.faults import correct\n\n"
        "def gelu(x):\n    return np.where(x == -np.inf, np.asarray(-0.0, x.dtype), correct.gelu_by_erfc(x))\n\n"
        "def gelu_gradient(x):\n    return correct.gelu_gradient(x)\n"
    )
    outcome = run_pytest(project(tmp_path, example, "pythonpath = ."))
    assert "2 passed" in outcome.stdout, outcome.stdout
