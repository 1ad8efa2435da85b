"""The parser reads what people write, exactly, and refuses everything else in one line."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.catalogue import FUNCTIONS, Number, Operation, Variable, Where, get_function, parse, text
from gelu_verify.catalogue.evaluators import exact_value
from gelu_verify.catalogue.expression import FUNCTION_OPERATORS, RELATIONS, Expression, NamedConstant
from gelu_verify.catalogue.parser import MAX_DEPTH, MAX_LENGTH, MAX_POWER
from gelu_verify.errors import InputError

literals = st.decimals(min_value=0, max_value=10**6, places=4).map(lambda d: Number(Fraction(d)))
leaves = st.one_of(literals, st.just(Variable()), st.sampled_from(["pi", "e"]).map(NamedConstant))


def grow(children: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    unary = [name for name, count in FUNCTION_OPERATORS.items() if count == 1]
    binary = ["+", "-", "*", "/", *(name for name, count in FUNCTION_OPERATORS.items() if count == 2)]
    powers = st.integers(-MAX_POWER, MAX_POWER).map(lambda n: Number(Fraction(n)))
    return st.one_of(
        st.builds(lambda op, a: Operation(op, (a,)), st.sampled_from(["neg", *unary]), children),
        st.builds(lambda op, a, b: Operation(op, (a, b)), st.sampled_from(binary), children, children),
        st.builds(lambda base, power: Operation("**", (base, power)), children, powers),
        st.builds(Where, st.sampled_from(RELATIONS), children, children, children, children),
    )


expressions = st.recursive(leaves, grow, max_leaves=12)


@given(expressions)
def test_what_is_written_reads_back_as_the_same_expression(expression: Expression) -> None:
    assert parse(text(expression)) == expression


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_one_line(written: str) -> None:
    try:
        parse(written)
    except InputError as error:
        assert "\n" not in str(error)


@given(st.text(alphabet="x()+-*/.,<>=0123456789e_[]{}'\"#\\ ifforlambda:@", max_size=80))
def test_text_that_looks_like_python_is_read_or_refused_in_one_line(written: str) -> None:
    try:
        parse(written)
    except InputError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("written", "x", "expected"),
    [
        ("0.1 + 0.2", 0, Fraction(3, 10)),
        ("1e-3*x", 1, Fraction(1, 1000)),
        ("-x**2", 3, Fraction(-9)),
        ("(-x)**2", 3, Fraction(9)),
        ("2 - 3 - 4", 0, Fraction(-5)),
        ("12/3/2", 0, Fraction(2)),
        ("x**-2", 2, Fraction(1, 4)),
        ("x**+2", 3, Fraction(9)),
        ("where(x < 0, 1, 2)", 0, Fraction(2)),
        ("where(x <= 0, 1, 2)", 0, Fraction(1)),
        ("where(x > 0, 1, 2)", 0, Fraction(2)),
        ("where(x >= 0, 1, 2)", 0, Fraction(1)),
        ("  x*min(max(x + 3, 0), 6)/6  ", -1, Fraction(-1, 3)),
        ("leaky_relu(x, slope=1/3)", -1, Fraction(-1, 3)),
        (".5*x", 1, Fraction(1, 2)),
        ("5.*x", 1, Fraction(5)),
    ],
)
def test_arithmetic_is_exact_and_binds_as_in_python(written: str, x: int, expected: Fraction) -> None:
    assert exact_value(parse(written), Fraction(x)) == expected


@pytest.mark.parametrize(
    ("written", "character", "words"),
    [
        ("__import__('os')", 1, "unknown function '__import__'"),
        ("x + __import__", 5, "unknown name '__import__'"),
        ("x.real", 1, "only + - * / **"),
        ("x*[1]", 3, "only + - * / **"),
        ("x^2", 2, "write ** for a power"),
        ("(x + 1) ^ 2", 9, "write ** for a power"),
        ("x**0.5", 4, "integers up to 100; use sqrt"),
        ("x**x", 4, "powers are written with an integer"),
        ("x**101", 4, "integers up to 100"),
        ("tanh", 1, "tanh is a function; write tanh(x)"),
        ("gelu", 1, "gelu is a function; write gelu(x)"),
        ("tanh(x, 1)", 1, "tanh takes 1 argument, not 2"),
        ("min(x)", 1, "min takes 2 arguments, not 1"),
        ("tanh(x=1)", 6, "takes no named arguments"),
        ("min(*x)", 5, "'*' does not spread"),
        ("gelu_tanh(x, d=1)", 14, "no constant 'd'; it has: c"),
        ("gelu_tanh(x, **x)", 14, "no constant None"),
        ("gelu_tanh(x, c=x)", 14, "must not depend on x"),
        ("gelu_tanh(x, 0.04)", 1, "its constants are named"),
        ("sigmoidd(x)", 1, "did you mean 'sigmoid'"),
        ("where(x, 1, 2)", 7, "one comparison"),
        ("where(0 < x < 1, 1, 2)", 7, "one comparison"),
        ("where(x == 0, 1, 2)", 7, "compare with <"),
        ("x < 1", 1, "belongs into where"),
        ("0x10", 1, "not a number"),
        ("1_000*x", 1, "not a number"),
        ("2j", 1, "not a number"),
        ("True", 1, "not a number"),
        ("'x'", 1, "not a number"),
        ("1e1001", 1, "beyond the limit of 1000"),
        ("1e999999999999", 1, "beyond the limit of 1000"),
        ("x \u2212 1", 3, "plain ASCII"),
        ("x\n+1", 2, "plain ASCII"),
        ("x +", 4, "does not read as an expression"),
        ("(lambda: x)()", 2, "only named functions can be called"),
        ("x if x else 1", 1, "only + - * / **"),
        ("   y", 4, "unknown name 'y'"),
    ],
)
def test_bad_text_is_refused_at_the_character(written: str, character: int, words: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse(written)
    message = str(refusal.value)
    assert f"character {character}:" in message
    assert words in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "written",
    [
        "",
        "   ",
        "x" * (MAX_LENGTH + 1),
        "(" * 500 + "x" + ")" * 500,
        "-" * (MAX_LENGTH - 1) + "x",
        "tanh(" * 150 + "x" + ")" * 150,
        "+".join(["x"] * (MAX_DEPTH + 2)),
        "gelu(" * 40 + "x" + ")" * 40,
        "mish(" * 60 + "x" + ")" * 60,
        "Phi(" * 30 + "x" + ")" * 30,
        "x\x00",
    ],
)
def test_text_beyond_the_limits_is_refused_at_once(written: str) -> None:
    with pytest.raises(InputError):
        parse(written)


def test_the_limits_leave_room_for_a_polynomial_of_degree_thirty() -> None:
    parse(" + ".join(f"{n}.5*x**{n}" for n in range(31)))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_catalogue_function_is_written_in_the_grammar(name: str) -> None:
    expression = get_function(name).expression
    assert parse(text(expression)) == expression
    assert parse(f"{name}(x)") == expression
