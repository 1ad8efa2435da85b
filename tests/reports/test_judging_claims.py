"""True claims hold, false ones are refuted with the right number, and what cannot be decided says so."""

import time
from typing import Any

import pytest

from gelu_verify.records import Verdict
from gelu_verify.reports.claims import Limits, judge, parse_claims
from gelu_verify.reports.claims.output import claim_json


def judged(body: str, limits: Limits = Limits()) -> dict[str, Any]:  # noqa: B008 (frozen)
    text = f'[[claim]]\nid = "A"\nstatement = "s"\n{body}'
    (claim,) = parse_claims(text.encode(), "f.toml")
    return claim_json(judge(claim, limits))


def value_claim(function: str, at: str, printed: str, more: str = "") -> dict[str, Any]:
    return judged(f'kind = "value"\nfunction = "{function}"\nat = "{at}"\nprinted = "{printed}"\n{more}')


def test_a_true_value_is_certified_with_the_sharp_number() -> None:
    claim = value_claim("gelu", "1", "0.8413")
    assert claim["verdict"] == Verdict.CERTIFIED
    assert claim["value"]["lower"].startswith("0.8413447460685429485")
    assert claim["evidence"][0]["command"] == "gelu-verify value --digits 20 -- 1"
    assert "rounds to 0.8413 and lies above it" in claim["evidence"][0]["text"]


def test_a_wrong_last_digit_is_refuted_with_the_right_one() -> None:
    claim = value_claim("gelu", "1", "0.8414")
    assert claim["verdict"] == Verdict.REFUTED
    assert "it is 0.8413, not 0.8414" in claim["evidence"][0]["text"]


def test_for_small_x_gelu_does_not_behave_like_the_identity() -> None:
    claim = value_claim("gelu", "0", "1", "derivative = 1")
    assert claim["verdict"] == Verdict.REFUTED
    assert claim["value"] == {"lower": "0.5", "upper": "0.5"}


def test_1702_does_not_come_from_the_square_root_of_2_over_pi() -> None:
    claim = judged('kind = "value"\nfunction = "2*sqrt(2/pi)"\nprinted = "1.702"')
    assert claim["verdict"] == Verdict.REFUTED
    assert "it is 1.596, not 1.702" in claim["evidence"][0]["text"]


def test_an_exact_value_is_known_to_be_exact() -> None:
    assert value_claim("gelu", "0", "1/2", "derivative = 1\nexactly = true")["verdict"] == Verdict.CERTIFIED
    assert value_claim("gelu", "1", "0.8413", "exactly = true")["verdict"] == Verdict.REFUTED


TABLE = """
kind = "table"
function = "{function}"
decimals = 4
inputs = ["-3", "-1", "-0.75", "0", "1", "3"]
printed = {printed}
"""
EXACT = '["-0.004", "-0.1587", "-0.17", "0.0", "0.8413", "2.996"]'
TANH = '["-0.0036", "-0.1588", "-0.17", "0.0", "0.8412", "2.9964"]'


@pytest.mark.parametrize(("function", "printed"), [("gelu", EXACT), ("gelu_tanh", TANH)])
def test_a_table_rounded_to_four_places_is_certified_entry_by_entry(function: str, printed: str) -> None:
    claim = judged(TABLE.format(function=function, printed=printed))
    assert claim["verdict"] == Verdict.CERTIFIED
    assert "All 6" in claim["evidence"][0]["text"]


def test_an_entry_of_another_form_is_named_with_that_form() -> None:
    claim = judged(TABLE.format(function="gelu", printed=TANH))
    assert claim["verdict"] == Verdict.REFUTED
    text = claim["evidence"][0]["text"]
    assert "gelu(-3) = -0.0040496940948902835799...; printed in this way it is -0.0040, not -0.0036" in text
    assert text.count("would be right for: gelu_tanh") == 4


def test_decimals_demand_more_than_the_digits_that_are_left() -> None:
    wrong = EXACT.replace('"-0.17"', '"-0.18"')
    assert "is -0.1700, not -0.18" in judged(TABLE.format(function="gelu", printed=wrong))["evidence"][0]["text"]
    loose = judged('kind = "table"\ninputs = ["-0.5"]\nprinted = ["-0.15"]')
    assert loose["verdict"] == Verdict.CERTIFIED
    assert judged('kind = "table"\ndecimals = 4\ninputs = ["-0.5"]\nprinted = ["-0.15"]')["verdict"] == Verdict.REFUTED


def test_a_table_that_mixes_the_forms_is_told_apart_row_by_row() -> None:
    printed = '["4.9998675", "-0.0003058", "2.9963625", "0.841344746"]'
    text = judged(f'kind = "table"\ninputs = ["5", "-4", "3", "1"]\nprinted = {printed}')["evidence"][0]["text"]
    assert "gelu(5) = 4.9999985667421406040...; printed in this way it is 4.9999986, not 4.9998675." in text
    assert "it is -0.0001267, not -0.0003058." in text
    assert "2.9959503, not 2.9963625, which is one unit in its last digit off for: gelu_tanh" in text
    assert "gelu(1)" not in text


def test_a_table_of_the_distribution_function_is_corrected_far_in_the_tail() -> None:
    printed = '["1.1286900046427178e-19", "1.7763568394002505e-33", "3.670966859150123e-51"]'
    text = judged(f'kind = "table"\nfunction = "Phi"\ninputs = ["-9", "-12", "-15"]\nprinted = {printed}')["evidence"][
        0
    ]["text"]
    for right in ("1.1285884059538406e-19", "1.7764821120776790e-33", "3.670966199312751e-51"):
        assert right in text


def test_a_forgotten_factor_is_recognised_as_the_distribution_function() -> None:
    text = judged('kind = "table"\ninputs = ["0"]\nprinted = ["0.5"]')["evidence"][0]["text"]
    assert "would be right for: Phi" in text


@pytest.mark.parametrize(
    ("at", "printed", "verdict"),
    [
        ("0x1p-149", "0x1p-149", Verdict.CERTIFIED),
        ("-0x1p-149", "-0", Verdict.CERTIFIED),
        ("-0x1p-149", "0", Verdict.REFUTED),  # the sign of zero is part of the result
        ("0x3f800000@binary32", "0x3f576260@binary32", Verdict.REFUTED),
        ("nan", "nan", Verdict.CERTIFIED),
    ],
)
def test_correctly_rounded_results_are_compared_bit_by_bit(at: str, printed: str, verdict: Verdict) -> None:
    claim = judged(f'kind = "rounding"\nformat = "binary32"\nat = "{at}"\nprinted = "{printed}"')
    assert claim["verdict"] == verdict
    if verdict == Verdict.REFUTED:
        assert claim["value"]["bits"] in claim["evidence"][0]["text"]


def identity(left: str, right: str, limits: Limits = Limits()) -> dict[str, Any]:  # noqa: B008 (frozen)
    return judged(f'kind = "identity"\nleft = "{left}"\nright = "{right}"', limits)


def test_the_two_spellings_of_the_tanh_argument_are_the_same_function() -> None:
    assert identity("x*0.8*(1 + 0.044715*x**2)", "0.8*(x + 0.044715*x**3)")["verdict"] == Verdict.PROVED
    assert identity("(1 + tanh(x))/2", "sigmoid(2*x)")["verdict"] == Verdict.PROVED


def test_two_forms_are_told_apart_by_a_point() -> None:
    claim = identity("gelu(x)", "gelu_tanh(x)")
    assert claim["verdict"] == Verdict.REFUTED
    assert "At x = 1 the left side gelu(x) is 0.841344" in claim["evidence"][0]["text"]


def test_agreement_at_points_alone_is_only_sampled() -> None:
    assert identity("max(x, 0) + min(x, 0)", "x")["verdict"] == Verdict.SAMPLED


def test_sides_without_a_common_domain_are_not_compared() -> None:
    assert identity("sqrt(-1 - x**2)", "log(-1 - x**2)")["verdict"] == Verdict.UNKNOWN


def test_a_derivation_that_does_not_end_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def expand_for_ever(left: object, right: object) -> bool:
        while True:
            pass

    monkeypatch.setattr("gelu_verify.reports.claims.identities._derived", expand_for_ever)
    start = time.process_time()
    assert identity("x*(1 + x)", "x + x**2", Limits(0.3))["verdict"] == Verdict.UNKNOWN
    assert time.process_time() - start < 5


def test_a_claim_that_rests_on_theorems_is_as_good_as_they_are() -> None:
    claim = judged('kind = "theorem"\ntheorems = ["gelu.derivative.first", "gelu.derivative.second"]')
    assert claim["verdict"] == Verdict.PROVED
    assert claim["evidence"][0]["anchors"] == ["theorem-gelu.derivative.first", "theorem-gelu.derivative.second"]
    given = Limits(theorems={"gelu.derivative.first": Verdict.PROVED, "gelu.derivative.second": Verdict.UNKNOWN})
    claim = judged('kind = "theorem"\ntheorems = ["gelu.derivative.first", "gelu.derivative.second"]', given)
    assert claim["verdict"] == Verdict.UNKNOWN
    assert "Not proved: gelu.derivative.second." in claim["evidence"][0]["text"]


def test_a_published_experiment_is_cited_and_never_counts_as_holding() -> None:
    claim = judged('kind = "experiment"\nfigures = ["1.633", "1.679"]')
    assert claim["verdict"] == Verdict.CITED
    assert not Verdict(claim["verdict"]).holds


def test_a_value_that_does_not_exist_is_unknown_with_the_reason() -> None:
    claim = value_claim("relu", "0", "0.5", "derivative = 1")
    assert claim["verdict"] == Verdict.UNKNOWN
    assert "no value at x = 0" in claim["evidence"][0]["text"]


def test_a_part_that_takes_too_long_is_unknown_and_says_so() -> None:
    start = time.process_time()
    hard = "+".join(["erf(x)-erf(x)"] * 40)
    claim = judged(f'kind = "value"\nfunction = "{hard}"\nat = "1/3"\nprinted = "1"\nexactly = true', Limits(0.5))
    assert claim["verdict"] == Verdict.UNKNOWN
    assert "0.5 s" in claim["evidence"][0]["text"]
    assert time.process_time() - start < 5


def test_a_claim_is_worth_as_much_as_its_weakest_part() -> None:
    right = '[[claim.part]]\nkind = "value"\nat = "1"\nprinted = "0.84"\n'
    wrong, cited = right.replace("0.84", "0.85"), '[[claim.part]]\nkind = "experiment"\n'
    assert judged(right)["verdict"] == Verdict.CERTIFIED
    assert judged(right + cited)["verdict"] == Verdict.CITED
    assert judged(right + cited + wrong)["verdict"] == Verdict.REFUTED
    assert judged(right + cited + "supporting = true")["verdict"] == Verdict.CERTIFIED
    assert judged(right + wrong + "supporting = true")["verdict"] == Verdict.REFUTED
    assert judged(right + "supporting = true")["verdict"] == Verdict.UNKNOWN  # nothing but a confirmation
