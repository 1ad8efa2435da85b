"""The counts of the written forms: recorded ones are whole and right, and what is said of them follows from them."""

import copy
import json
import sys
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from gelu_verify.catalogue import get_function
from gelu_verify.formats import FORMATS
from gelu_verify.forms import FORMS, MachineIndependent
from gelu_verify.reports import counting, recount
from gelu_verify.reports.figures import ulps
from gelu_verify.reports.sections.sweeps import runnable_forms, size_text
from gelu_verify.reports.sections.written_forms import choices
from gelu_verify.sweep import sweep
from gelu_verify.sweep.statistics import LIMITS, OVER

BINARY32, BFLOAT16 = FORMATS["binary32"], FORMATS["bfloat16"]
COLLAPSE = 0xC0800000  # the binade from -8 to -4, in which the forms that add 1 lose their last digits
RECORD = counting.record()


def test_the_record_has_every_form_as_the_command_writes_it() -> None:
    assert list(RECORD) == list(FORMS)
    text = files("gelu_verify.reports").joinpath(*counting.RECORD.split("/")).read_text(encoding="utf-8")
    assert counting.to_text(RECORD) == text


@pytest.mark.parametrize("form", FORMS)
def test_a_record_adds_up(form: str) -> None:
    document = RECORD[form]
    errors, binades = document["errors"], document["errors"]["binades"]
    assert (document["inputs"], document["verdict"]) == (2**32, "exhaustive")
    assert document["code"] == FORMS[form].code
    for place, name in enumerate(OVER):
        assert sum(row["over"][place] for row in binades) == errors["counts"][name], name
    assert max(Fraction(row["max_ulp"]) for row in binades) == Fraction(errors["max_ulp"]["at_most"])
    for row in binades:
        exceeded = [limit for limit, over in zip(LIMITS, row["over"], strict=True) if over]
        assert Fraction(row["max_ulp"]) > exceeded[-1] or row["max_ulp"] == "0.5"


@pytest.mark.parametrize("form", FORMS)
def test_the_record_is_right_in_the_binade_of_the_collapse(form: str) -> None:
    written = FORMS[form]
    found = sweep(
        MachineIndependent(written),
        get_function(written.function),
        BINARY32,
        derivative=written.derivative,
        on=counting.binade_of(COLLAPSE, BINARY32),
        workers=1,
    ).errors
    row = next(row for row in RECORD[form]["errors"]["binades"] if int(row["first"]["bits"], 16) == COLLAPSE)
    assert found.max_ulp is not None and found.max_ulp.at_most is not None
    assert (found.inputs, list(found.histogram[0].over)) == (row["inputs"], row["over"])
    assert size_text(found.max_ulp.at_most) == row["max_ulp"]


def mp_value(function: str, derivative: int, x: Any) -> Any:
    """Return the value from formulas written out here once more, in mpmath's arithmetic."""
    gaussian = mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mpmath.pi)
    if function == "gelu":
        gate, slope = mpmath.erfc(-x / mpmath.sqrt(2)) / 2, gaussian
    else:
        c = mpmath.mpf("0.044715")
        tanh = function == "gelu_tanh"
        v = 2 * mpmath.sqrt(2 / mpmath.pi) * (x + c * x**3) if tanh else mpmath.mpf("1.702") * x
        inner = 2 * mpmath.sqrt(2 / mpmath.pi) * (1 + 3 * c * x**2) if tanh else mpmath.mpf("1.702")
        gate = 1 / (1 + mpmath.exp(-v))
        slope = inner * gate / (1 + mpmath.exp(v))
    return gate + x * slope if derivative else x * gate


@pytest.mark.parametrize("form", FORMS)
def test_the_worst_input_is_as_bad_as_recorded_by_mpmath(form: str) -> None:
    written, worst = FORMS[form], RECORD[form]["errors"]["max_ulp"]
    bits = int(worst["x"]["bits"], 16)
    x = np.array([bits], np.uint32).view(np.float32)
    assert MachineIndependent(written)(x).view(np.uint32)[0] == int(worst["got"]["bits"], 16)
    with mpmath.workdps(60):
        exact = BINARY32.exact(bits)
        value = mp_value(written.function, written.derivative, mpmath.mpf(exact.numerator) / exact.denominator)
        got = BINARY32.exact(int(worst["got"]["bits"], 16))
        distance = abs(mpmath.mpf(got.numerator) / got.denominator - value)
        ulp = mpmath.mpf(2) ** (max(int(mpmath.floor(mpmath.log(abs(value), 2))), BINARY32.emin) - 23)
        recorded = mpmath.mpf(worst["error"])
        assert distance / ulp <= recorded <= distance / ulp * (1 + mpmath.mpf("1.1e-5"))


def test_the_better_form_is_chosen_and_the_reason_is_what_was_counted() -> None:
    chosen = {(choice["function"], choice["derivative"]): choice for choice in choices(list(RECORD.values()))}
    assert {key: choice["best"]["form"] for key, choice in chosen.items()} == {
        ("gelu_tanh", 0): "tanh_factored",
        ("gelu_sigmoid", 0): "sigmoid",
        ("gelu", 0): "erfc",
        ("gelu_tanh", 1): "tanh_factored_gradient",
        ("gelu_sigmoid", 1): "sigmoid_gradient",
        ("gelu", 1): "erfc_gradient",
    }
    assert chosen["gelu", 1]["others"][0]["why"]["key"] == "ulp"  # one more wrong zero than the better form
    (other,) = chosen["gelu_tanh", 0]["others"]
    assert other["why"]["key"] == "zero"
    assert other["why"]["values"]["count"] == RECORD["tanh_naive"]["errors"]["counts"]["zero_instead_of_nonzero"]
    assert (other["why"]["values"]["first"], other["why"]["values"]["last"]) == ("-5.157855", "-10.770867")


def test_the_choice_follows_the_counts() -> None:
    swapped = copy.deepcopy(list(RECORD.values()))
    by_form = {document["form"]: document for document in swapped}
    by_form["erf"]["errors"], by_form["erfc"]["errors"] = by_form["erfc"]["errors"], by_form["erf"]["errors"]
    by_form["tanh_factored"]["errors"]["counts"]["nan"] = 1
    best = {choice["best"]["form"] for choice in choices(swapped)}
    assert {"erf", "tanh_naive"} <= best
    why = {other["form"]: other["why"]["key"] for choice in choices(swapped) for other in choice["others"]}
    assert (why["erfc"], why["tanh_factored"]) == ("zero", "nan")


@pytest.mark.parametrize("form", ["tanh_naive", "erfc"])
def test_the_classes_of_the_map_are_what_a_sweep_counts(form: str) -> None:
    written = FORMS[form]
    finite = np.array([bits for bits in range(1 << 16) if BFLOAT16.is_finite(bits)])
    kinds = np.array(ulps.error_classes(form, BFLOAT16, finite))
    counts = counting.count(written, BFLOAT16).errors.counts
    for place, name in enumerate(OVER):
        assert np.count_nonzero(kinds > place) == counts[name], name
    beyond = [bits for bits, kind in zip(finite.tolist(), kinds.tolist(), strict=True) if kind and not drawn(bits)]
    assert beyond and all(abs(BFLOAT16.exact(bits)) < Fraction(2) ** (BFLOAT16.emin + 1) for bits in beyond)


def drawn(bits: int) -> bool:
    """Tell whether the map has a cell for a number."""
    return Fraction(2) ** -10 <= abs(BFLOAT16.exact(bits)) < 32


def test_the_map_has_a_row_for_every_binade_with_its_largest_inputs_outermost() -> None:
    figure = ulps.bfloat16_map("map", "tanh_naive")
    background, *cells = figure["cells"]
    assert background == [0, 0, 128, -15, 15]
    worst = [cell for cell in cells if cell[0] >= 5]
    assert worst and all(top <= -11 for *_, top in worst)  # below -2: negative numbers are below the middle
    assert [0, 0, 128, -13, -12] not in cells
    assert [5, 0, 128, -13, -12] in cells  # every number from -8 to -4, with more than 16 ulp


def test_steps_rise_where_errors_do_and_the_band_is_where_zeros_are() -> None:
    figure = ulps.by_binade("ulp-forms", [RECORD[name] for name in FORMS if not FORMS[name].derivative])
    naive = dict(
        zip([x for x, _ in figure["series"][0]["points"][::2]], figure["series"][0]["points"][::2], strict=True)
    )
    row = next(row for row in RECORD["tanh_naive"]["errors"]["binades"] if int(row["first"]["bits"], 16) == COLLAPSE)
    assert naive[-11.0][1] == float(row["max_ulp"])  # from -8 to -4, drawn from -(3 + 8) to -(2 + 8)
    assert naive[-14.0][1] == 0.5  # from -64 to -32 nothing is wrong
    (band,) = figure["bands"]
    assert -12 < band["low"] < -11 < -10.5 < band["high"] < -10
    heights = {each["name"]: dict(each["points"][::2]) for each in figure["series"]}
    highest = {name: max(steps.values()) for name, steps in heights.items()}
    assert {name for name, size in highest.items() if size > 1.6e7} == set(highest) - {"erfc"}  # as is said below it
    assert {name for name, steps in heights.items() if steps[-11.0] > 1.6e7} == {"tanh_naive", "erf"}


def test_gradients_have_their_peak_at_the_zero_of_the_derivative() -> None:
    figure = ulps.by_binade("ulp-gradients", [RECORD[name] for name in FORMS if FORMS[name].derivative])
    for each in figure["series"]:
        steps = dict(each["points"][::2])
        assert steps[-8.0] > 1e4 > 1e3 > steps[-7.0], each["name"]  # from -1 to -1/2, and from there to -1/4


def test_recounting_compares_every_value_with_the_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def counted(form: Any, progress: object = None) -> Any:
        found = copy.deepcopy(RECORD[form.name])
        if form.name == "erf":
            found["errors"]["counts"]["over_4_ulp"] += 1
        return found

    monkeypatch.setattr(recount, "count_binary32", counted)
    assert recount.main(["--check", "erfc"]) == 0
    assert "as recorded" in capsys.readouterr().out
    assert recount.main(["--check", "erf", "erfc"]) == 1
    printed = capsys.readouterr().out
    assert "erf: 4294967296 inputs, NOT as recorded" in printed
    assert f"errors.counts.over_4_ulp is {RECORD['erf']['errors']['counts']['over_4_ulp'] + 1}, recorded is" in printed
    assert recount.main(["--check", "erfd"]) == 2
    assert "did you mean" in capsys.readouterr().err


def test_the_report_shows_every_form_in_every_format(document: Any) -> None:
    counts = document["written_forms"]["counts"]
    assert {(each["form"], each["format"]) for each in counts} == {
        (form, format) for form in FORMS for format in ("binary32", "binary16", "bfloat16")
    }
    assert {each["verdict"] for each in counts} == {"exhaustive"}
    assert json.loads(json.dumps(RECORD["erf"])) == next(each for each in counts if each["id"] == "erf.binary32")
    lines = {line["key"]: line["values"] for line in document["summary"]["holds"]}
    assert lines["write_gelu"]["code"] == "0.5*x*erfc(-x*sqrt(1/2))"
    assert lines["write_gelu_tanh"]["code"] == "x*sigmoid(2*u)"
    zeros = {line["values"]["code"]: line["values"] for line in document["summary"]["fails"] if line["key"] == "zeros"}
    region = max(RECORD["erf"]["errors"]["regions"]["zero_instead_of_nonzero"], key=lambda each: each["count"])
    assert zeros["0.5*x*(1 + erf(x*sqrt(1/2)))"]["count"] == region["count"]


@pytest.mark.parametrize("error", ["ImportError", "RuntimeError", "ValueError"])
def test_a_scipy_that_does_not_load_costs_its_forms_and_not_the_report(
    error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scipy.py").write_text(f"raise {error}('numpy.dtype size changed')\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.split(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    assert [form.name for form in runnable_forms()] == ["tanh_naive", "tanh_factored", "sigmoid"]
