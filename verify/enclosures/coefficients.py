"""Exact Taylor coefficients of the elementary functions at an exact number, by the recurrences of their equations."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from gelu_verify.catalogue.expression import Expression, NamedConstant, Number, Operation, Variable
from gelu_verify.catalogue.forms import Form, number
from gelu_verify.catalogue.normal_form import exponential, normal_form

RECIPROCAL = Operation("**", (Variable(), Number(Fraction(-1))))
_GAUSSIAN_FACTOR = normal_form(Operation("/", (Number(Fraction(2)), Operation("sqrt", (NamedConstant("pi"),)))))


@lru_cache(maxsize=512)
def taylor_coefficients(f: Expression, centre: Form, length: int) -> list[Form]:
    """Return f^(k)(centre)/k! for k < length, as exact numbers.

    Arguments:
        f: `RECIPROCAL`, or an operator of one argument applied to x.

    Raises:
        NoNormalForm: f is not defined at the centre.

    >>> [form.rational for form in taylor_coefficients(Operation("log1p", (Variable(),)), number(0), 4)]
    [Fraction(0, 1), Fraction(1, 1), Fraction(-1, 2), Fraction(1, 3)]
    """
    first = normal_form(f, centre)
    if not isinstance(f, Operation):
        raise TypeError(f"no recurrence for {f}")
    return _RECURRENCES[f.operator](centre, first, length)


def _power(exponent: Fraction) -> Callable[[Form, Form, int], list[Form]]:
    """Return the recurrence of x^exponent: c_(k+1) = c_k (exponent - k)/((k + 1) centre)."""

    def coefficients(centre: Form, first: Form, length: int) -> list[Form]:
        inverse, result = centre.power(-1), [first]
        for k in range(length - 1):
            result.append((result[k] * inverse).scaled((exponent - k) / (k + 1)))
        return result

    return coefficients


def _exp(centre: Form, first: Form, length: int) -> list[Form]:
    value, result = exponential(centre), [first]
    for k in range(1, length):
        value = value.scaled(Fraction(1, k))
        result.append(value)
    return result


def _log(centre: Form, first: Form, length: int) -> list[Form]:
    inverse, power, result = centre.power(-1), number(-1), [first]
    for k in range(1, length):
        power = power * -inverse
        result.append(power.scaled(Fraction(1, k)))
    return result


def _tanh(centre: Form, first: Form, length: int) -> list[Form]:
    """y' = 1 - y^2."""
    result = [first]
    for k in range(length - 1):
        slope = number(int(k == 0)) - _square(result, k)
        result.append(slope.scaled(Fraction(1, k + 1)))
    return result


def _sigmoid(centre: Form, first: Form, length: int) -> list[Form]:
    """y' = y - y^2."""
    result = [first]
    for k in range(length - 1):
        result.append((result[k] - _square(result, k)).scaled(Fraction(1, k + 1)))
    return result


def _square(coefficients: list[Form], k: int) -> Form:
    total = number(0)
    for i in range(k + 1):
        total = total + coefficients[i] * coefficients[k - i]
    return total


def _erf(centre: Form, first: Form, length: int) -> list[Form]:
    """y' = 2/sqrt(pi) g with g = e^(-x^2), g' = -2 x g (DLMF 7.2.1)."""
    gaussian = [_GAUSSIAN_FACTOR * exponential(-(centre * centre))]
    for k in range(length - 1):
        before = gaussian[k - 1] if k else number(0)
        gaussian.append((centre * gaussian[k] + before).scaled(Fraction(-2, k + 1)))
    return [first, *(gaussian[k - 1].scaled(Fraction(1, k)) for k in range(1, length))]


def _erfc(centre: Form, first: Form, length: int) -> list[Form]:
    return [first, *(-coefficient for coefficient in _erf(centre, first, length)[1:])]


_RECURRENCES: dict[str, Callable[[Form, Form, int], list[Form]]] = {
    "**": _power(Fraction(-1)),
    "erf": _erf,
    "erfc": _erfc,
    "exp": _exp,
    "expm1": _exp,
    "log": _log,
    "log1p": lambda centre, first, length: _log(number(1) + centre, first, length),
    "sigmoid": _sigmoid,
    "sqrt": _power(Fraction(1, 2)),
    "tanh": _tanh,
}
