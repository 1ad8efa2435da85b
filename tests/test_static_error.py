"""The static bound covers every error that is measured, and is made of the roundings that the code really does."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from gelu_verify import static_error
from gelu_verify.catalogue import get_function, text
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import FORMATS
from gelu_verify.forms import FORMS, Elementary, MachineIndependent, WrittenForm, correctly_rounded_elementary
from gelu_verify.static_error import recorded, static_bound
from gelu_verify.sweep import Interval, sweep

UP_TO_6 = Interval(Fraction(0), Fraction(6))


def largest_error(form: WrittenForm, format: str, on: Interval, call: Callable[[Any], Any] | None = None) -> Fraction:
    """Return the largest error that is met, zero left out, with correctly rounded elementary functions."""
    function, least = get_function(form.function), FORMATS[format].exact(FORMATS[format].min_subnormal)
    domain = Interval(on.lower or least, on.upper or -least)
    call = call or MachineIndependent(form)
    worst = sweep(call, function, FORMATS[format], derivative=form.derivative, on=domain, workers=1).errors.max_ulp
    assert worst is not None and worst.at_most is not None
    return worst.at_most


@pytest.mark.parametrize("format", ["binary16", "bfloat16"])
@pytest.mark.parametrize("name", FORMS)
def test_no_error_up_to_6_exceeds_the_bound(name: str, format: str) -> None:
    bound = static_bound(FORMS[name], FORMATS[format], UP_TO_6)
    measured = largest_error(FORMS[name], format, UP_TO_6)
    assert measured <= bound.ulp
    if FORMS[name].derivative == 0:
        assert bound.ulp <= 2 * measured


def test_the_tanh_form_in_binary32_stays_below_the_bound_where_that_is_reached() -> None:
    bound = static_bound(FORMS["tanh_naive"], FORMATS["binary32"], UP_TO_6)
    assert bound.at.lower > 0.66 and bound.at.upper < 0.67
    measured = largest_error(FORMS["tanh_naive"], "binary32", Interval(Fraction(66, 100), Fraction(67, 100)))
    assert measured <= bound.ulp <= 2 * measured


@pytest.mark.parametrize("format", ["binary16", "bfloat16", "binary32", "binary64"])
def test_in_every_format_the_bound_is_about_the_same(format: str) -> None:
    assert 2 < static_bound(FORMS["tanh_naive"], FORMATS[format], UP_TO_6).ulp < Fraction(5, 2)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("tanh_naive", -3, -1), ("erf", -2, 0), ("tanh_factored", -3, -1), ("sigmoid", 2, 6), ("erfc", -4, 4)],
)
def test_other_domains_are_covered_too(name: str, low: int, high: int) -> None:
    on = Interval(Fraction(low), Fraction(high))
    bound = static_bound(FORMS[name], FORMATS["binary16"], on)
    zero = Fraction(0)
    parts = [(on.lower, min(on.upper, zero)), (max(on.lower, zero), on.upper)]
    for part in [Interval(*ends) for ends in parts if ends[0] < ends[1]]:
        assert largest_error(FORMS[name], "binary16", part) <= bound.ulp


def test_subnormal_results_are_covered() -> None:
    tiny = Interval(Fraction(0), Fraction(1, 2**13))
    for name in ("tanh_naive", "tanh_factored", "erf"):
        measured = largest_error(FORMS[name], "binary16", tiny)
        assert Fraction(1, 2) <= measured <= static_bound(FORMS[name], FORMATS["binary16"], tiny).ulp


def test_a_product_by_a_power_of_two_is_not_exact_among_subnormal_numbers() -> None:
    form = replace(FORMS["tanh_naive"], evaluate=lambda x, f: x * x.dtype.type(0.25) * x.dtype.type(2))
    tiny = Interval(Fraction(0), Fraction(1, 2**20))
    assert largest_error(form, "binary16", tiny) >= 1
    assert static_bound(form, FORMATS["binary16"], tiny).ulp >= largest_error(form, "binary16", tiny)


def with_two_more_roundings(x: Any, f: Elementary) -> Any:
    return FORMS["tanh_naive"].evaluate(x, f) * x.dtype.type(3) / x.dtype.type(3)


def with_a_shorter_constant(x: Any, f: Elementary) -> Any:
    half, one, scale, c = (x.dtype.type(value) for value in (0.5, 1, 0.7978845608028654, 0.0437))
    return half * x * (one + f.tanh(scale * (x + c * x * x * x)))


@pytest.mark.parametrize("evaluate", [with_two_more_roundings, with_a_shorter_constant])
def test_a_form_made_worse_has_a_larger_bound_that_holds(evaluate: Callable[[Any, Elementary], Any]) -> None:
    worse = replace(FORMS["tanh_naive"], evaluate=evaluate)
    bound = static_bound(worse, FORMATS["binary16"], UP_TO_6)
    assert bound.ulp > static_bound(FORMS["tanh_naive"], FORMATS["binary16"], UP_TO_6).ulp + Fraction(1, 4)
    measured = largest_error(worse, "binary16", UP_TO_6)
    assert measured <= bound.ulp <= 3 * measured


def test_the_error_granted_to_elementary_functions_is_used_up_by_worse_ones() -> None:
    exact = correctly_rounded_elementary(FORMATS["binary16"])

    def tanh(v: Any) -> Any:
        return (exact.tanh(v).view(np.uint16) - np.uint16(6)).view(np.float16)

    def call(x: Any) -> Any:
        return FORMS["tanh_naive"].evaluate(x, replace(exact, tanh=tanh))

    on = Interval(Fraction(1, 16), Fraction(6))
    measured = largest_error(FORMS["tanh_naive"], "binary16", on, call)
    correct, granted = (
        static_bound(FORMS["tanh_naive"], FORMATS["binary16"], on, ulps).ulp
        for ulps in (Fraction(1, 2), Fraction(13, 2))
    )
    assert correct < measured <= granted


@pytest.mark.parametrize("name", ["tanh_naive", "erfc"])
def test_a_smaller_rounding_term_would_be_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = largest_error(FORMS[name], "binary16", UP_TO_6)
    own = static_error._Rounded._rounded

    def halved(self: Any, exact: Any, error: Any, ulps: Any = None) -> Any:
        return own(self, exact, error, (static_error.arb(0.5) if ulps is None else ulps) / 2)

    monkeypatch.setattr(static_error._Rounded, "_rounded", halved)
    assert static_bound(FORMS[name], FORMATS["binary16"], UP_TO_6).ulp < measured


def test_the_code_itself_is_recorded_with_the_constants_of_the_format() -> None:
    assert text(recorded(FORMS["tanh_naive"], FORMATS["binary16"])) == (
        "0.5*x*(1 + tanh(0.7978515625*(x + 0.044708251953125*x*x*x)))"
    )
    doubled = replace(FORMS["erf"], evaluate=lambda x, f: 2 * x - x / 3 + (1 - 1 / f.erf(-x + 1)))
    assert text(recorded(doubled, FORMATS["bfloat16"])) == "2*x - x/3 + (1 - 1/erf(-x + 1))"


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("tanh_naive", 100, 300), ("sigmoid", -20, -10)],  # x^3 and e^(1.702 |x|) exceed 65504
)
def test_where_an_operation_may_overflow_there_is_no_bound(name: str, low: int, high: int) -> None:
    with pytest.raises(IncompleteError, match="may overflow"):
        static_bound(FORMS[name], FORMATS["binary16"], Interval(Fraction(low), Fraction(high)))


def test_a_product_by_a_power_of_two_may_overflow_too() -> None:
    form = replace(FORMS["erf"], evaluate=lambda x, f: x * x.dtype.type(2) * x.dtype.type(0.5))
    half = Interval(Fraction(30000), Fraction(32700))  # the largest number is 65504
    assert static_bound(form, FORMATS["binary16"], half).ulp < Fraction(1, 1000)
    with pytest.raises(IncompleteError, match="may overflow"):
        static_bound(form, FORMATS["binary16"], Interval(Fraction(30000), Fraction(32768)))


def test_less_than_correct_rounding_is_refused() -> None:
    with pytest.raises(InputError, match="less than 1/2"):
        static_bound(FORMS["erf"], FORMATS["binary16"], UP_TO_6, Fraction(1, 4))
