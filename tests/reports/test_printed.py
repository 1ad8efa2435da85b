"""A printed number stands for what rounds to it; `about` widens limits to that, and only that."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import InputError
from gelu_verify.reports.claims.printed import DIGITS_TRIED, NumberClaim, Relation, read_printed, settle

rationals = st.fractions(min_value=-1000, max_value=1000, max_denominator=10**9)
printed_forms = st.sampled_from(["0", "1.0", "0.17", "-0.170", "4.1e-4", "1.234e2", "5e3"])


def exact(text: str) -> Enclosure:
    return Enclosure(Fraction(text), Fraction(text))


@given(rationals, printed_forms)
@example(Fraction(1, 8), "0.17")
@example(Fraction(1, 20), "1.234e2")  # a zero, which says less than 0.000
def test_a_number_printed_like_another_is_right_as_printed(number: Fraction, form: str) -> None:
    printed = read_printed(read_printed(form).like(number))
    assert NumberClaim(printed, about=printed.whole).allows(Enclosure(number, number)) is True


@given(rationals, st.sampled_from(["0.17...", "-2.50...", "1.41...e-3"]))
def test_a_cut_number_begins_with_what_was_printed(number: Fraction, form: str) -> None:
    printed = read_printed(read_printed(form).like(number))
    if printed.value != 0 or number >= 0:  # a cut -0.001 prints as 0.00..., which says that it is not negative
        assert NumberClaim(printed).allows(Enclosure(number, number)) is True


@given(rationals, printed_forms, st.sampled_from(Relation), st.booleans())
def test_limits_and_equalities_agree_with_plain_comparison(
    number: Fraction, form: str, relation: Relation, about: bool
) -> None:
    printed = read_printed(form)
    low, high = printed.stands_for if about or not printed.whole else (printed.value, printed.value)
    expected = {
        Relation.EQUALS: low <= number <= high,
        Relation.AT_MOST: number <= (high if about else printed.value),
        Relation.BELOW: number < (high if about else printed.value),
        Relation.AT_LEAST: number >= (low if about else printed.value),
        Relation.ABOVE: number > (low if about else printed.value),
    }[relation]
    assert NumberClaim(printed, relation, about).allows(Enclosure(number, number)) is expected


@given(rationals, rationals, printed_forms, st.sampled_from(Relation), st.booleans())
def test_an_enclosure_is_judged_only_if_all_its_points_agree(
    a: Fraction, b: Fraction, form: str, relation: Relation, about: bool
) -> None:
    claim = NumberClaim(read_printed(form), relation, about)
    answers = {claim.allows(Enclosure(end, end)) for end in (a, b)}
    answer = claim.allows(Enclosure(min(a, b), max(a, b)))
    assert answer is None or answers == {answer}


@pytest.mark.parametrize(
    ("value", "printed", "relation", "about", "expected"),
    [
        ("0.000473", "0.0005", Relation.AT_MOST, True, True),
        ("0.000473", "1e-4", Relation.AT_MOST, True, False),
        ("0.0203", "0.02", Relation.EQUALS, True, True),
        ("0.0203", "0.02", Relation.AT_MOST, False, False),  # without "about" a limit is a limit
        ("0.0203", "0.02", Relation.AT_MOST, True, True),
        ("0.0203", "0.0200", Relation.AT_MOST, True, False),  # more printed digits promise more
        ("0.02", "0.02", Relation.BELOW, False, False),
        ("0.025", "0.02", Relation.AT_MOST, True, True),
        ("0.0251", "0.02", Relation.AT_MOST, True, False),
        ("-0.7518", "-0.75", Relation.EQUALS, False, True),
        ("-0.7518", "-1.5", Relation.EQUALS, True, False),
        ("0.5", "1", Relation.EQUALS, False, False),  # a whole number is exact ...
        ("0.5", "1.", Relation.EQUALS, False, True),
        ("100.4", "100", Relation.EQUALS, False, False),
        ("100.4", "100", Relation.EQUALS, True, True),  # ... unless "about" is said
        ("100.4", "100", Relation.AT_MOST, True, True),
        ("102", "1e2", Relation.EQUALS, False, True),
    ],
)
def test_the_rule_on_examples(value: str, printed: str, relation: Relation, about: bool, expected: bool) -> None:
    assert NumberClaim(read_printed(printed), relation, about).allows(exact(value)) is expected


def test_exactly_asks_for_the_number_itself() -> None:
    half = NumberClaim(read_printed("0.5"), exactly=True)
    assert half.allows(exact("0.5")) is True
    assert half.allows(exact("0.5000001")) is False
    assert NumberClaim(read_printed("1/2")).allows(exact("0.5000001")) is False


def test_the_far_end_of_a_cut_number_is_not_meant() -> None:
    assert NumberClaim(read_printed("1.41...")).allows(exact("1.42")) is False
    assert NumberClaim(read_printed("-1.41...")).allows(exact("-1.42")) is False
    assert NumberClaim(read_printed("1.41...")).allows(exact("1.41")) is True


def test_enclosures_are_narrowed_until_the_printed_number_is_decided() -> None:
    asked = []

    def enclose(digits: int) -> Enclosure:
        asked.append(digits)
        slack = Fraction(1, 10**digits)
        return Enclosure(Fraction(1, 8) - slack, Fraction(1, 8) + slack)

    claim = NumberClaim(read_printed("0.1250000000000000000000000001"), Relation.AT_MOST)
    assert settle(claim, enclose)[0] is True
    assert asked == list(DIGITS_TRIED[:2])


def test_what_no_precision_decides_stays_undecided() -> None:
    claim = NumberClaim(read_printed("0.125"), exactly=True)
    answer, _ = settle(claim, lambda digits: Enclosure(Fraction(1, 8), Fraction(1, 8) + Fraction(1, 10**digits)))
    assert answer is None


def test_a_printed_minus_sign_is_a_minus() -> None:
    assert read_printed("\N{MINUS SIGN}0.17").value == Fraction(-17, 100)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "1,5",
        "0x10",
        "1/0",
        "1e99999999999",
        "9" * 10_000,
        "1e",
        "..",
        "nan",
        "inf",
        "1_000",
        "--1",
        "٣",
        "1 2",
    ],
)
def test_what_is_no_printed_number_gets_one_line(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_printed(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200
