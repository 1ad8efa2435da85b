"""Claims about suprema, extrema, zeros and monotony: true ones hold, false ones get the right number."""

from fractions import Fraction
from typing import Any

import pytest

from gelu_verify.bounds.error import SupremumResult
from gelu_verify.errors import InputError
from gelu_verify.records import Verdict
from gelu_verify.reports.claims import Limits, judge, parse_claims
from gelu_verify.reports.claims.output import claim_json


def judged(body: str) -> dict[str, Any]:
    (claim,) = parse_claims(f'[[claim]]\nid = "A"\nstatement = "s"\n{body}'.encode(), "f.toml")
    return claim_json(judge(claim, Limits()))


def text(claim: dict[str, Any]) -> str:
    found = claim["evidence"][0]["text"]
    assert isinstance(found, str)
    return found


def bound(function: str, printed: str, more: str = "") -> dict[str, Any]:
    return judged(f'kind = "bound"\nfunction = "{function}"\nprinted = "{printed}"\n{more}')


AT_MOST = 'relation = "at most"'


@pytest.mark.parametrize("printed", ["1e-4", "4.1e-4", "0.000473"])
def test_too_small_a_bound_on_the_tanh_form_is_refuted_with_the_sharp_one_and_its_places(printed: str) -> None:
    claim = bound("gelu_tanh", printed, AT_MOST)
    assert claim["verdict"] == Verdict.REFUTED
    assert claim["value"]["lower"].startswith("0.000473235520687284")
    assert "attained at x = -2.69894138637..., 2.69894138637... and nowhere else" in text(claim)


def test_about_covers_what_rounds_to_the_printed_bound_and_the_sharp_side_is_told() -> None:
    assert bound("gelu_tanh", "0.0005", AT_MOST + "\nabout = true")["verdict"] == Verdict.CERTIFIED
    sigmoid = bound("gelu_sigmoid", "0.02", "about = true")
    assert sigmoid["verdict"] == Verdict.CERTIFIED
    assert "0.020334872209239230...; it rounds to 0.02 and lies above it" in text(sigmoid)
    assert bound("gelu_sigmoid", "0.02", AT_MOST)["verdict"] == Verdict.REFUTED
    assert "“about” covers it" in text(bound("gelu_sigmoid", "0.02", AT_MOST + "\nabout = true"))


def test_the_documented_constant_and_the_coded_one_have_different_bounds() -> None:
    on = AT_MOST + '\non = ["-6", "6"]'
    assert bound("x*sigmoid(1.773*x)", "0.015", on)["verdict"] == Verdict.CERTIFIED
    wrong = bound("x*sigmoid(1.702*x)", "0.015", on)
    assert wrong["verdict"] == Verdict.REFUTED
    assert wrong["evidence"][0]["command"] == "gelu-verify bound 'x*sigmoid(1.702*x)' --on -6 6"


def test_an_infinite_supremum_is_a_claim_of_its_own() -> None:
    relative = "relative = true"
    assert bound("gelu_sigmoid", "infinity", relative)["verdict"] == Verdict.CERTIFIED
    assert bound("gelu_sigmoid", "1000", relative + "\n" + AT_MOST)["verdict"] == Verdict.REFUTED
    finite = bound("gelu_tanh", "infinity", relative)
    assert finite["verdict"] == Verdict.REFUTED
    assert "= 1, which is finite" in text(finite)


def test_a_supremum_that_is_not_reached_says_how_it_is_approached() -> None:
    claim = bound("gelu_tanh", "1", "relative = true\nexactly = true")
    assert claim["verdict"] == Verdict.CERTIFIED
    assert "approached, never reached, as x → -inf" in text(claim)


def test_a_bound_on_the_function_itself_and_on_a_derivative() -> None:
    assert bound("gelu", "1.13", 'against = "0"\nderivative = 1')["verdict"] == Verdict.CERTIFIED
    claim = bound("gelu", "1.14", 'against = "0"\nderivative = 1')
    assert "sup |gelu'| = 1.12890414518515" in text(claim)
    assert "it is 1.13, not 1.14" in text(claim)


@pytest.mark.parametrize(
    ("upper", "printed", "relation", "verdict"),
    [
        ("0.3", "0.5", "at most", Verdict.CERTIFIED),  # the best bounds so far are enough
        ("0.3", "0.1", "at most", Verdict.REFUTED),
        ("0.3", "0.25", "at most", Verdict.UNKNOWN),
        (None, "0.1", "at most", Verdict.REFUTED),
        (None, "0.5", "at most", Verdict.UNKNOWN),
        (None, "0.1", "at least", Verdict.CERTIFIED),
        ("0.3", "infinity", "equals", Verdict.UNKNOWN),
    ],
)
def test_bounds_cut_short_by_time_still_decide_what_they_can(
    upper: str | None, printed: str, relation: str, verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    best = SupremumResult(
        Verdict.UNKNOWN, lower=Fraction(1, 5), upper=Fraction(upper) if upper else None, reason="time is over"
    )
    monkeypatch.setattr("gelu_verify.reports.claims.bounds.supremum", lambda *arguments: best)
    claim = bound("gelu_tanh", printed, f'relation = "{relation}"')
    assert claim["verdict"] == verdict
    assert "time is over" in text(claim)
    assert ("0.3" in text(claim)) is (upper is not None)


def test_the_minimum_of_gelu_is_where_and_what_the_page_says() -> None:
    claim = judged('kind = "minimum"\nabout = true\nat = "-0.75"\nprinted = "-0.17"')
    assert claim["verdict"] == Verdict.CERTIFIED
    assert claim["value"]["lower"].startswith("-0.1699712074799036616")
    assert "arg min gelu = -0.75179152469356445...; it rounds to -0.75" in text(claim)


def test_a_minimum_in_the_wrong_place_is_refuted_with_the_right_one() -> None:
    claim = judged('kind = "minimum"\nat = "-1.5"')
    assert claim["verdict"] == Verdict.REFUTED
    assert "-0.75179152469356445..." in text(claim)


@pytest.mark.parametrize(
    ("function", "on", "what", "printed", "at"),
    [
        ("silu", "", "minimum", "-0.28", "-1.28"),
        ("gelu", '["0.5", "2"]', "minimum", "0.34573", "0.5"),  # at an end of the domain
        ("gelu", '["-3", "-1"]', "maximum", "-0.00405", "-3"),
        ("5 - x**2", "", "maximum", "5", "0"),
        ("x**2 + 1000", "", "minimum", "1000", "0"),
        ("abs(x - 2) - 7", "", "minimum", "-7", "2"),
    ],
)
def test_extrema_are_global_on_their_domain(function: str, on: str, what: str, printed: str, at: str) -> None:
    domain = f"on = {on}\n" if on else ""
    claim = judged(f'kind = "{what}"\nfunction = "{function}"\n{domain}printed = "{printed}"\nat = "{at}"')
    assert claim["verdict"] == Verdict.CERTIFIED, text(claim)


def test_a_local_minimum_is_not_the_minimum() -> None:
    quartic = "(x**2 - 1)**2 + x/4"  # its lower minimum is the left one
    assert judged(f'kind = "minimum"\nfunction = "{quartic}"\nat = "0.97"')["verdict"] == Verdict.REFUTED
    assert judged(f'kind = "minimum"\nfunction = "{quartic}"\nat = "-1.03"')["verdict"] == Verdict.CERTIFIED


def test_a_minimum_taken_twice_has_no_single_place() -> None:
    claim = judged('kind = "minimum"\nfunction = "(x**2 - 1)**2"\nat = "1"\nprinted = "0"')
    assert claim["verdict"] == Verdict.REFUTED
    assert "taken at 2 places: -1, 1" in text(claim)


def test_an_unbounded_function_has_no_maximum() -> None:
    claim = judged('kind = "maximum"\nprinted = "3"')
    assert claim["verdict"] == Verdict.REFUTED
    assert "max gelu does not exist" in text(claim)


def test_an_infimum_that_is_never_reached_is_no_minimum() -> None:
    claim = judged('kind = "minimum"\nfunction = "sigmoid(x)"\nprinted = "0"')
    assert claim["verdict"] == Verdict.REFUTED
    assert "approached" in text(claim)


def test_points_are_counted_and_placed_completely() -> None:
    two = 'kind = "points"\nwhat = "inflections"\nfunction = "gelu"\n'
    assert judged(two + "count = 2")["verdict"] == Verdict.CERTIFIED
    assert judged(two + "count = 3")["verdict"] == Verdict.REFUTED
    assert judged(two + 'at = ["-1.41", "1.41"]')["verdict"] == Verdict.CERTIFIED
    assert judged(two + 'at = ["-1.42", "1.41"]')["verdict"] == Verdict.REFUTED
    none = judged('kind = "points"\nwhat = "roots"\nfunction = "Phi"\ncount = 0')
    assert none["verdict"] == Verdict.CERTIFIED
    flat = judged('kind = "points"\nwhat = "roots"\nfunction = "relu"\ncount = 1')
    assert flat["verdict"] == Verdict.REFUTED


def test_gelu_is_not_monotone_by_a_pair_anyone_can_check() -> None:
    claim = judged('kind = "monotone"')
    assert claim["verdict"] == Verdict.REFUTED
    assert "-0.1586552539... at -1 and -0.1699712074... at -0.7518" in text(claim)
    assert judged('kind = "monotone"\ndirection = "decreasing"')["verdict"] == Verdict.REFUTED


@pytest.mark.parametrize(
    ("function", "on", "direction", "verdict"),
    [
        ("relu", "", "increasing", Verdict.CERTIFIED),
        ("Phi", "", "increasing", Verdict.CERTIFIED),
        ("Phi", "", "decreasing", Verdict.REFUTED),
        ("gelu", '["-inf", "-1"]', "decreasing", Verdict.CERTIFIED),
        ("gelu", '["-0.75", "inf"]', "increasing", Verdict.CERTIFIED),
        ("gelu", '["-0.76", "inf"]', "increasing", Verdict.REFUTED),
        ("x**3", "", "increasing", Verdict.CERTIFIED),
        ("phi", "", "increasing", Verdict.REFUTED),
        ("max(x - 1000, 0)", "", "decreasing", Verdict.REFUTED),  # constant but for one end
        ("max(-x - 1, 0) + max(x - 1, 0)", "", "increasing", Verdict.REFUTED),  # a plateau as a minimum
        ("where(x < 0, x + 5, x)", "", "increasing", Verdict.REFUTED),  # a jump down
        ("where(x < 0, x, x + 5)", "", "increasing", Verdict.UNKNOWN),  # a jump up: true, but not shown
        ("where(x < 1/3, x + 1/7, where(x > 1/3, x, x + 1/9))", "", "increasing", Verdict.UNKNOWN),  # a hidden jump
        ("-1/x", '["1", "inf"]', "increasing", Verdict.CERTIFIED),
        ("3", "", "increasing", Verdict.UNKNOWN),
    ],
)
def test_monotony_on_a_domain(function: str, on: str, direction: str, verdict: Verdict) -> None:
    domain = f"on = {on}\n" if on else ""
    claim = judged(f'kind = "monotone"\nfunction = "{function}"\n{domain}direction = "{direction}"')
    assert claim["verdict"] == verdict, text(claim)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('kind = "minimum"', "its value (printed), its place (at), or both"),
        ('kind = "bound"\nfunction = "gelu_tanh"', "printed is missing"),
        ('kind = "bound"\nfunction = "gelu_tanh"\nprinted = "1"\non = ["2", "1"]', "write the lower end first"),
        ('kind = "bound"\nfunction = "gelu_tanh"\nprinted = "1"\non = ["inf", "1"]', "finite number"),
        ('kind = "bound"\nfunction = "gelu_tanh"\nprinted = "1"\non = ["0"]', "two ends"),
        ('kind = "bound"\nfunction = "gelu_tanh"\nprinted = "1"\nderivative = 9', "from 0 to 4"),
        ('kind = "points"\nwhat = "holes"\ncount = 1', "one of: minimum, maximum, roots, inflections"),
        ('kind = "points"\nwhat = "roots"', "count is missing"),
        ('kind = "points"\nwhat = "roots"\ncount = 2\nat = ["1"]', "lists 1 places"),
        ('kind = "monotone"\ndirection = "up"', "increasing, decreasing"),
    ],
)
def test_bad_fields_get_one_line(body: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_claims(f'[[claim]]\nid = "A"\nstatement = "s"\n{body}'.encode(), "f.toml")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
