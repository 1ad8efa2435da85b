"""What happens at the input where a result breaks down: which intermediate quantity leaves the format's range there."""

import math
from collections.abc import Iterator

from gelu_verify.formats import Format

_TOLERANCE = 6.0  # in units of the format: a quantity is rounded a few times before it overflows
_SCALE, _CUBIC, _SIGMOID = math.sqrt(2 / math.pi), 0.044715, 1.702

_POWERS = (  # name, factor, power
    ("2x", 2.0, 1),
    ("x^2", 1.0, 2),
    ("3x^2", 3.0, 2),
    ("0.134145 x^2", 3 * _CUBIC, 2),
    ("0.107 x^2", 3 * _CUBIC * _SCALE, 2),
    ("x^3", 1.0, 3),
    ("0.044715 x^3", _CUBIC, 3),
    ("0.0357 x^3", _CUBIC * _SCALE, 3),
    ("x^4", 1.0, 4),
)


def overflow_cause(format: Format, x: float) -> str:
    """Return which quantity of the usual formulas overflows at x, as a phrase, or an empty string.

    >>> from gelu_verify.formats import FORMATS
    >>> overflow_cause(FORMATS["binary32"], 10.0609646)
    'e^(2u) overflows, u = sqrt(2/pi)(x + 0.044715 x^3)'
    """
    largest = float(format.exact(format.max_finite))
    tolerance = _TOLERANCE * 2.0 ** (1 - format.precision)
    for name, argument in _exponents(abs(x)):
        if abs(argument / math.log(largest) - 1) <= tolerance:
            suffix = ", u = sqrt(2/pi)(x + 0.044715 x^3)" if "u" in name else ""
            return f"e^({name}) overflows{suffix}"
    for name, argument in _hyperbolics(abs(x)):
        if abs(argument / math.log(largest) - 1) <= tolerance:
            return f"{name} overflows" + (", u = sqrt(2/pi)(x + 0.044715 x^3)" if "u" in name else "")
    for name, factor, power in _POWERS:
        # Through logarithms, since the power itself may lie beyond binary64; its relative error is the sum's absolute.
        if x and abs(math.log(factor) + power * math.log(abs(x)) - math.log(largest)) <= tolerance:
            return f"{name} overflows"
    return ""


def overflow_cure(quantity: str) -> str:
    """Return what to do about a quantity that overflows, given in the words of `overflow_cause`.

    >>> overflow_cure("2x overflows")
    'multiply by 1/2 before the other factor, not after it'
    """
    if quantity.startswith("2x "):
        return "multiply by 1/2 before the other factor, not after it"
    if is_power(quantity):
        return "clamp x before its powers are taken: where they overflow the gate is 0 or 1, and its slope 0"
    return "use the exponential of the negative magnitude, or clamp its argument"


def is_power(quantity: str) -> bool:
    """Tell whether a quantity, in the words of `overflow_cause`, is a power of x and no exponential."""
    return any(quantity.startswith(f"{name} ") for name, *_ in _POWERS)


def _exponents(x: float) -> Iterator[tuple[str, float]]:
    u = _SCALE * x * (1 + _CUBIC * x * x)
    yield "2u", 2 * u
    yield "u", u
    yield "4u", 4 * u
    yield "x", x
    yield "2x", 2 * x
    yield "1.702x", _SIGMOID * x
    yield "x^2/2", x * x / 2
    yield "x^2", x * x


def _hyperbolics(x: float) -> Iterator[tuple[str, float]]:
    """Yield hyperbolic functions with their logarithms, which are the exponents less log 2 each."""
    u = _SCALE * x * (1 + _CUBIC * x * x)
    yield "cosh(u)", u - math.log(2)
    yield "cosh(u)^2", 2 * u - 2 * math.log(2)
    yield "cosh(x/2)^2", x - 2 * math.log(2)
