"""Which formulas the certificates cover: those that are, as functions, a member of a family the checker knows."""

from fractions import Fraction

from gelu_verify.catalogue import Expression, get_function, parse
from gelu_verify.catalogue.forms import Form, Monomial, NoNormalForm
from gelu_verify.catalogue.normal_form import normal_form


def covered_member(expression: Expression) -> tuple[str, dict[str, Fraction]] | None:
    """Return the function and the constants that an expression is, by equal normal forms; None if none is found.

    >>> covered_member(parse("x/2*(1 + tanh(sqrt(2/pi)*(x + 0.05*x**3)))"))
    ('gelu_tanh', {'c': Fraction(1, 20)})
    >>> covered_member(parse("x*sigmoid(1.773*x)")), covered_member(parse("x*sigmoid(x + 1)"))
    (('gelu_sigmoid', {'k': Fraction(1773, 1000)}), None)
    """
    try:
        normal = normal_form(expression)
        for name, constants in [("relu", {}), ("gelu", {}), ("silu", {}), *_candidates(normal)]:
            if normal == normal_form(get_function(name).with_constants(**constants).expression):
                return name, constants
    except NoNormalForm:
        pass
    return None


def _candidates(normal: Form) -> list[tuple[str, dict[str, Fraction]]]:
    """Return the members that the argument a x + b x^3 of the only tanh suggests."""
    found = {generator for monomial in normal.terms for generator, _ in monomial if generator.name == "tanh"}
    if len(found) != 1:
        return []
    coefficients = _by_power_of_x(found.pop().arguments[0])
    if not coefficients.keys() <= {1, 3}:
        return []
    first, third = (coefficients.get(Fraction(power), Form({})) for power in (1, 3))
    candidates: list[tuple[str, dict[str, Fraction]]] = []
    a, b = first.rational, third.rational
    if first == normal_form(parse("sqrt(2/pi)")) and (c := (third / first).rational) is not None:
        candidates.append(("gelu_tanh", {"c": c}))
    if a is not None and b is not None:
        candidates.append(("gelu_tanh2", {"a": a, "b": b}) if b else ("gelu_sigmoid", {"k": 2 * a}))
    return candidates


def _by_power_of_x(form: Form) -> dict[Fraction, Form]:
    terms: dict[Fraction, dict[Monomial, Fraction]] = {}
    for monomial, coefficient in form.terms.items():
        power = sum((exponent for generator, exponent in monomial if generator.name == "x"), Fraction(0))
        rest = tuple(factor for factor in monomial if factor[0].name != "x")
        terms.setdefault(power, {})[rest] = coefficient
    return {power: Form(rest) for power, rest in terms.items()}
