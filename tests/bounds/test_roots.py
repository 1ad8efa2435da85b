"""Zeros with completeness: simple, multiple, at ends, on infinite lines, and what is not decided."""

from fractions import Fraction

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_verify.bounds.domains import defined_parts, least_sign
from gelu_verify.bounds.pieces import pieces, rule_at_zero
from gelu_verify.bounds.roots import Line, Unresolved, simplest_between, zeros
from gelu_verify.bounds.smooth import Smooth
from gelu_verify.catalogue import parse, text
from gelu_verify.deadlines import Deadline, OutOfTime
from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import InputError

REALS = Line(None, None)


def found(formula: str, order: int = 0, line: Line = REALS) -> list[tuple[float, int]]:
    return [
        (float(root.enclosure(60).midpoint), root.multiplicity)
        for root in zeros(Smooth(parse(formula), order), line, Deadline(20))
    ]


@pytest.mark.parametrize(
    ("formula", "order", "expected"),
    [
        ("gelu(x)", 0, [(0, 1)]),
        ("gelu(x)", 1, [(-0.7517915246935645, 1)]),
        ("gelu(x)", 2, [(-(2**0.5), 1), (2**0.5, 1)]),
        ("gelu_tanh(x) - gelu(x)", 0, [(-1.884569569820874, 1), (0, 4), (1.884569569820874, 1)]),
        ("gelu_sigmoid(x) - gelu(x)", 0, [(-1.2116781407168763, 1), (0, 2), (1.2116781407168763, 1)]),
        ("x**2 - 2", 0, [(-(2**0.5), 1), (2**0.5, 1)]),
        ("(x - 1)**2*(x + 2)", 0, [(-2, 1), (1, 2)]),
        ("(3*x - 1)**5", 0, [(1 / 3, 5)]),
        ("x**2*(10*x - 1)", 0, [(0, 2), (0.1, 1)]),
        ("x**3*(x - 1/7)**2*(x + 1/9)", 0, [(-1 / 9, 1), (0, 3), (1 / 7, 2)]),
        ("1 + x**2", 0, []),
        ("exp(-x**2)", 0, []),
        ("tanh(x) - x/2", 0, [(-1.9150080481545375, 1), (0, 1), (1.9150080481545375, 1)]),
        ("x*exp(-x)", 0, [(0, 1)]),
        ("x - 1e-9", 0, [(1e-9, 1)]),
        ("x - 123456789", 0, [(123456789, 1)]),
    ],
)
def test_all_zeros_on_the_real_line(formula, order, expected):
    assert found(formula, order) == [(pytest.approx(x, rel=1e-12, abs=1e-15), m) for x, m in expected]


def test_zeros_at_ends_are_not_inside():
    line = Line(Fraction(0), Fraction(2))
    assert found("x*(x - 1)*(x - 2)", line=line) == [(1, 1)]
    assert found("x**2*(x - 2)**3", line=line) == []


def test_a_rational_zero_is_known_exactly_and_an_irrational_one_to_any_digits():
    roots = zeros(Smooth(parse("(3*x - 1)*(x**2 - 2)")), Line(Fraction(0), None), Deadline())
    assert [root.exact for root in roots] == [Fraction(1, 3), None]
    with flint.ctx.workprec(3500):
        assert roots[1].ball(3300).overlaps(flint.arb(2).sqrt())
        assert roots[1].ball(3300).rel_accuracy_bits() >= 3300


def test_a_multiple_irrational_zero_is_not_guessed():
    with pytest.raises(Unresolved, match="not separated"):
        zeros(Smooth(parse("(x**2 - 2)**2")), Line(Fraction(1), Fraction(2)), Deadline(20))
    (cluster,) = zeros(Smooth(parse("(x**2 - 2)**2")), Line(Fraction(1), Fraction(2)), Deadline(20), strict=False)
    assert cluster.multiplicity == 0 and cluster.ball(60).overlaps(flint.arb(2).sqrt())


def test_a_zero_function_and_a_past_deadline_are_told():
    with pytest.raises(Unresolved, match="zero everywhere"):
        zeros(Smooth(parse("x - x")), REALS, Deadline())
    with pytest.raises(OutOfTime):
        zeros(Smooth(parse("gelu_tanh(x) - gelu(x)")), REALS, Deadline(0))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.fractions(min_value=-9, max_value=9, max_denominator=9), min_size=1, max_size=4, unique=True))
def test_a_polynomial_has_exactly_the_zeros_it_was_made_of(expected):
    formula = "*".join(f"(x - ({q.numerator}/{q.denominator}))" for q in expected)
    roots = zeros(Smooth(parse(formula)), REALS, Deadline(20))
    assert [root.exact for root in roots] == sorted(expected)


@given(st.fractions(min_value=-50, max_value=50), st.fractions(min_value=0, max_value=1, max_denominator=10**6))
def test_the_simplest_number_of_an_interval(lower, width):
    simplest = simplest_between(Enclosure(lower, lower + width))
    assert lower <= simplest <= lower + width
    for denominator in range(1, min(simplest.denominator, 200)):
        numerator = -((-lower.numerator * denominator) // lower.denominator)
        assert Fraction(numerator, denominator) > lower + width


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("abs(x)", [("-inf", "0", "-x"), ("0", "inf", "x")]),
        ("max(x, 0)", [("-inf", "0", "0"), ("0", "inf", "x")]),
        ("min(max(x + 3, 0), 6)", [("-inf", "-3", "0"), ("-3", "3", "x + 3"), ("3", "inf", "6")]),
        ("where(x < 1, 2, x)", [("-inf", "1", "2"), ("1", "inf", "x")]),
        ("abs(x**2)", [("-inf", "inf", "x**2")]),
        ("max(x, x)", [("-inf", "inf", "x")]),
        ("where(x <= 0, abs(x + 1), 1)", [("-inf", "-1", "-(x + 1)"), ("-1", "0", "x + 1"), ("0", "inf", "1")]),
    ],
)
def test_pieces_carry_the_branch_that_holds_there(formula, expected):
    def end(value):
        return {None: "inf"}.get(value, str(value))

    cut = pieces((parse(formula),), REALS, 80, Deadline(20))
    assert [(end(p.line.lower).replace("inf", "-inf"), end(p.line.upper), text(p.rules[0])) for p in cut] == expected


def at(lower, upper=None) -> Enclosure:
    return Enclosure(Fraction(lower), Fraction(lower if upper is None else upper))


def test_the_rule_at_a_switching_point_follows_the_relation():
    assert text(rule_at_zero(parse("where(x < 1, 2, x)"), at(1))) == "x"
    assert text(rule_at_zero(parse("where(x <= 1, 2, x)"), at(1))) == "2"
    assert rule_at_zero(parse("max(log(x), 1)"), at(0)) is None


def test_the_rule_at_an_irrational_switching_point_is_known_if_one_switch_passes_zero_there():
    near = at("1.414213562", "1.414213563")
    assert text(rule_at_zero(parse("where(x**2 <= 2, 2, x)"), near)) == "2"
    assert text(rule_at_zero(parse("where(x**2 < 2, 2, where(4 - 2*x**2 >= 0, 3, 4))"), near)) == "3"
    with pytest.raises(Unresolved, match="which branch"):
        rule_at_zero(parse("where(x**2 < 2, 2, where(x**3 < 2.8284271247, 3, 4))"), near)
    with pytest.raises(Unresolved, match="which branch"):
        rule_at_zero(parse("where((x**2 - 2)**2 <= 0, 2, x)"), near)


def test_the_line_is_cut_where_a_denominator_vanishes():
    parts = defined_parts(parse("1/(x*(x - 2)**2)"), REALS, 80, Deadline(20))
    assert parts == [Line(None, Fraction(0)), Line(Fraction(0), Fraction(2)), Line(Fraction(2), None)]


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("log(x)", "logarithm of negative numbers: x is negative at x = -1"),
        ("sqrt(x - 1)", "square root of negative numbers"),
        ("log1p(x)", "logarithm of negative numbers"),
        ("1/(x - x)", "zero everywhere"),
        ("1/0", "zero everywhere"),
        ("log(1 - 2)", "logarithm of negative numbers"),
        ("1/(sqrt(x)*x)", "square root of negative numbers"),
    ],
)
def test_what_is_not_defined_on_an_interval_is_refused(formula, message):
    with pytest.raises(InputError, match=message):
        defined_parts(parse(formula), REALS, 80, Deadline(20))


def test_signs_by_form_are_not_claimed_too_much():
    assert [least_sign(parse(f)) for f in ("exp(x)", "x**2", "sqrt(x)", "x**3", "1 - x**2", "-1")] == [
        1,
        0,
        0,
        None,
        None,
        None,
    ]
    assert [least_sign(parse(f)) for f in ("1 + abs(x)", "abs(x)/(2 + x**4)", "sigmoid(x)*x")] == [1, 0, None]
