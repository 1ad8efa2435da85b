"""Rows name evidence that is there, and numbers are set so that they can be read and copied."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.cli import main
from gelu_verify.reports.evidence import anchors, evidence
from gelu_verify.reports.typesetting import formula, grouped, read_decimal


def test_every_certificate_of_a_row_is_found_and_holds_the_number_of_its_row(document: Any) -> None:
    values = {f"certificate-{each['id']}": each["value"] for each in document["certificates"]}
    rows = [*document["bounds"]["errors"], *document["bounds"]["points"], *document["constants"]]
    shown: set[str] = set()
    for row in rows:
        for name in evidence(row):
            if name in values:
                shown.add(name)
                number = row.get("supremum") or row["points"][0]["value"]
                assert values[name]["lower"][:18] == number["lower"].removeprefix("-")[:18], (row["id"], name)
    assert shown == set(values)


def test_evidence_leads_to_anchors_that_exist_or_are_left_out(document: Any) -> None:
    known = set(anchors(document))
    assert {"threshold-rounds_to.x.binary32", "formal-gelu_minimum", "points-minimum.gelu"} <= known
    assert evidence({"id": "", "function": "silu", "what": "roots", "derivative": 0}) == []


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_grouping_loses_nothing(number: Any) -> None:
    text = f"{number:f}"
    assert re.sub("<[^>]*>", "", grouped(text)) == text


def test_grouping_escapes_what_is_no_number() -> None:
    assert grouped("<b>1.2345678</b>") == '&lt;b&gt;1.234<span class="g">567</span><span class="g">8</span>&lt;/b&gt;'


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<math><script>alert(1)</script></math>",
        '<math onclick="alert(1)"><mi>x</mi></math>',
        "<math><mi>x</mi></math><img src=x onerror=alert(1)>",
        '<math><mtext><a href="javascript:alert(1)">x</a></mtext></math>',
        "<math><mi>x</mi",
        "x",
        "",
    ],
)
def test_only_mathml_goes_into_the_page_unescaped(text: str) -> None:
    with pytest.raises(ValueError, match="not presentation MathML"):
        formula(text)


@pytest.mark.parametrize("text", ["1e999999999", "9" * 1000, "nan", "inf", "1/3", "0x1p3", "", "1e", "\u0661"])
def test_what_is_no_decimal_of_a_report_is_refused_before_it_is_computed(text: str) -> None:
    with pytest.raises(ValueError, match="not a decimal"):
        read_decimal(text)


def test_a_strangers_report_cannot_bring_a_script_along(
    document: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theorem = {**document["theorems"][0], "mathml": ["<math></math><script>alert(1)</script>"]}
    (tmp_path / "strange.json").write_text(json.dumps({**document, "theorems": [theorem]}))
    assert main(["report", "--from", str(tmp_path / "strange.json"), "--out", str(tmp_path / "out")]) == 2
    assert "is not a whole report" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
