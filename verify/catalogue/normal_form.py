"""Exact normal forms: what interval arithmetic cannot see, that two expressions are the same.

One writing is chosen for each function: sigmoid(u) = 1/2 + tanh(u/2)/2, erfc(u) = 1 - erf(u), tanh(-u) = -tanh(u),
erf(-u) = -erf(u), exp(u + v) = exp(u) exp(v), max(u, v) = (u + v + |u - v|)/2. Equal normal forms are equal functions
wherever both are defined; unequal ones prove nothing.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from flint import fmpz

from gelu_verify.catalogue.expression import Expression, Operation, Variable, evaluate, substitute
from gelu_verify.catalogue.forms import (
    Form,
    Generator,
    Monomial,
    NoNormalForm,
    collect,
    generated,
    number,
    reduced,
    variable,
)

_HALF, _ONE = Fraction(1, 2), Fraction(1)
_TRIAL_PRIMES = 1000  # factors beyond are left together: a long decimal must not start a factorisation


def _factors(value: int) -> list[tuple[int, int]]:
    return [(int(factor), int(exponent)) for factor, exponent in fmpz(value).factor(trial_limit=_TRIAL_PRIMES)]


@lru_cache(maxsize=256)
def _root_of_integer(value: int) -> Form:
    """Return sqrt(value) for value > 0, over its prime factors (a large one stands as it is)."""
    result = number(1)
    for factor, exponent in _factors(value):
        result = result * Form({((Generator(str(factor)), _HALF),): _ONE}).power(exponent)
    return result


def square_root(form: Form) -> Form:
    """Return sqrt(form), for a form that is not negative."""
    if not form.terms:
        return form
    content = form.leading_coefficient() if len(form.terms) > 1 else next(iter(form.terms.values()))
    if content < 0:
        return Form({((Generator("root", form), _HALF),): _ONE})
    outside = _root_of_integer(content.numerator) * _root_of_integer(content.denominator).power(-1)
    inside = form.scaled(1 / content)
    if len(form.terms) > 1:
        return outside * Form({((Generator("root", inside), _HALF),): _ONE})
    ((monomial, _),) = form.terms.items()
    roots = {generator: exponent / 2 for generator, exponent in monomial if generator.positive}
    rest = Form({tuple(factor for factor in monomial if not factor[0].positive): _ONE})
    if rest.rational is None:
        roots[Generator("root", rest)] = _HALF
    return outside * collect(reduced(roots, _ONE))


def exponential(form: Form) -> Form:
    """Return exp(form) as a product over the form's terms; exp(n log u) is u^n."""
    exponents: dict[Generator, Fraction] = {}
    powers = number(1)
    for monomial, coefficient in form.terms.items():
        names = [(generator.name, exponent) for generator, exponent in monomial]
        if names == [("log", _ONE)] and coefficient.denominator == 1:
            powers = powers * monomial[0][0].arguments[0].power(int(coefficient))
            continue
        generator = Generator("exp", Form({monomial: _ONE})) if monomial else Generator("e")
        exponents[generator] = coefficient
    return powers * collect(reduced(exponents, _ONE))


def logarithm(form: Form) -> Form:
    """Return log(form), for a positive form; the logarithm of a product of positive generators is a sum."""
    single = len(form.terms) == 1
    monomial, coefficient = next(iter(form.terms.items()), ((), Fraction(0)))
    if not single or coefficient <= 0 or not all(generator.positive for generator, _ in monomial):
        return generated("log", form)
    result = number(0)
    for sign, integer in ((1, coefficient.numerator), (-1, coefficient.denominator)):
        for factor, exponent in _factors(integer):
            result = result + generated("log", number(factor)).scaled(Fraction(sign * exponent))
    for generator, rational_power in monomial:
        result = result + _log_of(generator).scaled(rational_power)
    return result


def _log_of(generator: Generator) -> Form:
    match generator.name:
        case "e":
            return number(1)
        case "exp" | "root":
            return generator.arguments[0] if generator.name == "exp" else generated("log", generator.arguments[0])
        case _:
            return generated("log", Form({((generator, _ONE),): _ONE}))


def _odd(name: str, form: Form) -> Form:
    """Return tanh or erf, with the sign of the argument's leading term moved outside."""
    if not form.terms:
        return form
    sign = -_ONE if form.leading_coefficient() < 0 else _ONE
    return generated(name, form.scaled(sign)).scaled(sign)


def absolute(form: Form) -> Form:
    """Return |form|."""
    if not form.terms:
        return form
    content = abs(form.leading_coefficient())
    inside = form.scaled(1 / content)
    if len(form.terms) > 1:
        return generated("abs", inside if form.leading_coefficient() > 0 else -inside).scaled(content)
    result = number(content)
    for generator, exponent in next(iter(form.terms)):
        even = exponent.denominator == 1 and exponent.numerator % 2 == 0
        factor = Form({((generator, exponent),): _ONE})
        result = result * (factor if generator.positive or even else generated("abs", factor))
    return result


class _Normalising:
    """The algebra of normal forms; `x` may be any form, so that forms can be put into one another."""

    def __init__(self, x: Form) -> None:
        self._x = x

    def number(self, value: Fraction) -> Form:
        return number(value)

    def constant(self, name: str) -> Form:
        return generated(name)

    def variable(self) -> Form:
        return self._x

    def power(self, base: Form, exponent: int) -> Form:
        return base.power(exponent)

    def apply(self, operator: str, *arguments: Form) -> Form:
        return _OPERATORS[operator](*arguments)

    def where(
        self, relation: str, left: Form, right: Form, then: Callable[[], Form], otherwise: Callable[[], Form]
    ) -> Form:
        switch = left - right if relation in ("<", "<=") else right - left
        yes, no = then(), otherwise()
        return yes if yes == no else generated("where<=" if relation in ("<=", ">=") else "where<", switch, yes, no)


_OPERATORS: dict[str, Callable[..., Form]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
    "abs": absolute,
    "erf": lambda a: _odd("erf", a),
    "erfc": lambda a: number(1) - _odd("erf", a),
    "exp": exponential,
    "expm1": lambda a: exponential(a) - number(1),
    "log": logarithm,
    "log1p": lambda a: logarithm(number(1) + a),
    "max": lambda a, b: (a + b + absolute(a - b)).scaled(_HALF),
    "min": lambda a, b: (a + b - absolute(a - b)).scaled(_HALF),
    "sigmoid": lambda a: (number(1) + _odd("tanh", a.scaled(_HALF))).scaled(_HALF),
    "sqrt": square_root,
    "tanh": lambda a: _odd("tanh", a),
}


def normal_form(expression: Expression, x: Form | None = None) -> Form:
    """Return the expression's normal form, with the form `x` in the variable's place.

    Raises:
        NoNormalForm: it would be too large, or divides by zero.

    >>> from gelu_verify.catalogue import parse
    >>> normal_form(parse("gelu(x) - x*(1 + erf(x/sqrt(2)))/2")).rational
    Fraction(0, 1)
    """
    return evaluate(expression, _Normalising(variable() if x is None else x))


def parity(expression: Expression) -> int | None:
    """Return 1 for a function proven even, -1 for one proven odd, None where neither is shown.

    >>> from gelu_verify.catalogue import parse
    >>> parity(parse("gelu_tanh(x) - gelu(x)")), parity(parse("tanh(x**3)")), parity(parse("exp(x)"))
    (1, -1, None)
    """
    mirrored = substitute(expression, Operation("neg", (Variable(),)))
    try:
        here, there = (evaluate(form, _NormalisingSwitches(variable())) for form in (expression, mirrored))
    except NoNormalForm:
        return None
    if here == there:
        return 1
    return -1 if here == -there else None


class _NormalisingSwitches(_Normalising):
    """Normal forms in which where(s < 0, a, b) is (a + b)/2 - (a - b)/2 sign(s), when s is a multiple of x^odd.

    That is right except at x = 0, which is its own mirror image.
    """

    def where(
        self, relation: str, left: Form, right: Form, then: Callable[[], Form], otherwise: Callable[[], Form]
    ) -> Form:
        switch = left - right
        yes, no = (then(), otherwise()) if relation in ("<", "<=") else (otherwise(), then())
        if list(map(_odd_power_of_x, switch.terms)) != [True]:
            return super().where(relation, left, right, then, otherwise)
        coefficient = next(iter(switch.terms.values()))
        half = (yes - no).scaled(_HALF if coefficient < 0 else -_HALF)
        return (yes + no).scaled(_HALF) + half * generated("sign", variable())


def _odd_power_of_x(monomial: Monomial) -> bool:
    powers = [exponent for generator, exponent in monomial if not generator.positive]
    names = [generator.name for generator, _ in monomial if not generator.positive]
    return names == ["x"] and powers[0].denominator == 1 and powers[0].numerator % 2 == 1
