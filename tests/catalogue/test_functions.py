"""The catalogue: one definition a function, families with their constants, names that can be looked up."""

from fractions import Fraction

import pytest

from gelu_verify.catalogue import FUNCTIONS, function_or_expression, get_function, parse, text
from gelu_verify.errors import InputError


def test_the_catalogue_holds_gelu_its_forms_its_relatives_and_their_parts() -> None:
    forms = {"gelu", "gelu_tanh", "gelu_sigmoid", "gelu_tanh2"}
    relatives = {"silu", "relu", "leaky_relu", "elu", "mish"}
    parts = {"phi", "Phi", "erf", "erfc", "tanh", "exp", "sigmoid"}
    assert set(FUNCTIONS) == forms | relatives | parts


def test_a_familys_constant_stands_in_one_place() -> None:
    assert get_function("gelu_tanh").constants == {"c": "0.044715"}
    assert "0.044715" not in get_function("gelu_tanh").formula
    assert get_function("gelu_sigmoid").constants == {"k": "1.702"}


@pytest.mark.parametrize("constant", ["0.05", Fraction(1, 20), parse("0.05")])
def test_a_member_of_a_family_is_named_by_its_constants(constant: object) -> None:
    member = get_function("gelu_tanh").with_constants(c=constant)
    assert text(member.expression) == "x*sigmoid(2*sqrt(2/pi)*(x + 0.05*x**3))"
    assert member.expression == parse("gelu_tanh(x, c=0.05)")


def test_the_family_with_two_constants_contains_the_tanh_form() -> None:
    import sympy

    difference = get_function("gelu_tanh2").definition - get_function("gelu_tanh").definition
    assert sympy.simplify(difference) == 0


@pytest.mark.parametrize(("alias", "name"), [("quick_gelu", "gelu_sigmoid"), ("swish", "silu"), ("ndtr", "Phi")])
def test_an_alias_finds_its_function(alias: str, name: str) -> None:
    assert get_function(alias).name == name


def test_no_alias_stands_for_two_functions() -> None:
    names = [*FUNCTIONS, *(alias for function in FUNCTIONS.values() for alias in function.aliases)]
    assert len(names) == len(set(names))


def test_an_unknown_function_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(InputError, match=r"unknown function 'gelu_tahn' \(did you mean 'gelu_tanh'"):
        get_function("gelu_tahn")


def test_an_unknown_constant_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match="gelu_sigmoid has no constant 'c'; it has: k"):
        get_function("gelu_sigmoid").with_constants(c=1)
    with pytest.raises(InputError, match="gelu has no constant 'c'; it has: none"):
        get_function("gelu").with_constants(c=1)


def test_a_name_is_looked_up_and_anything_else_is_read_as_an_expression() -> None:
    assert function_or_expression("silu").name == "silu"
    assert function_or_expression("x*sigmoid(x)").expression == get_function("silu").expression
    assert function_or_expression("x").expression == parse("x")
    with pytest.raises(InputError, match="unknown function 'gellu'"):
        function_or_expression("gellu")
