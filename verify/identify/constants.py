"""Naming a fitted constant: the catalogue's own value, a known expression, or the shortest decimal it can be."""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from gelu_verify.catalogue import parse
from gelu_verify.formats import FORMATS, Format
from gelu_verify.formats.arrays import round_float64, to_float64
from gelu_verify.identify.float64 import value_and_slope

# Expressions that people type for one another: (text in the grammar of `parse`, value).
_KNOWN = (
    ("sqrt(2/pi)", math.sqrt(2 / math.pi)),
    ("2/sqrt(pi)", 2 / math.sqrt(math.pi)),
    ("sqrt(pi/2)", math.sqrt(math.pi / 2)),
    ("sqrt(8/pi)", math.sqrt(8 / math.pi)),
    ("sqrt(2)", math.sqrt(2)),
    ("1/sqrt(2)", math.sqrt(0.5)),
    ("1/sqrt(pi)", 1 / math.sqrt(math.pi)),
    ("2/pi", 2 / math.pi),
    ("1/pi", 1 / math.pi),
    ("1/sqrt(2*pi)", 1 / math.sqrt(2 * math.pi)),
    ("sqrt(2)/pi", math.sqrt(2) / math.pi),
    ("sqrt(pi)", math.sqrt(math.pi)),
    ("pi/2", math.pi / 2),
    ("1/3", 1 / 3),
    ("(4-pi)/(6*pi)", (4 - math.pi) / (6 * math.pi)),
    ("0.044715**3", 0.044715**3),
    ("sqrt(2/3.14)", math.sqrt(2 / 3.14)),
)
_ROLES = {
    "a": "the factor in tanh(a(x + c x^3))",
    "b": "the factor of x^3 in tanh(a x + b x^3)",
    "c": "the factor of x^3 in tanh(a(x + c x^3))",
    "k": "the factor in sigmoid(k x)",
}
USUAL = {"a": "sqrt(2/pi)", "c": "0.044715", "b": "0.044715*sqrt(2/pi)", "k": "1.702", "s": "1"}
USUAL |= {"slope": "0.01", "alpha": "1"}
"""What the constants of the families usually are, by their names in all of them."""

_AS_FAR_AS_SEEN = 0.25  # share of a constant's rounding error by which a fitted one may be off
_BRIEF = 2  # digits that nobody would call a coincidence


def name_constant(value: float, tolerance: float, default: str) -> str:
    """Return the text that a constant was most likely typed as, in the grammar of `parse`.

    Arguments:
        value, tolerance: the fitted value and how far the truth may be from it.
        default: what the catalogue has in this place.

    >>> name_constant(0.0441750001, 1e-9, "0.044715")
    '0.044175'
    >>> name_constant(1.12837917, 1e-7, "sqrt(2/pi)")
    '2/sqrt(pi)'
    """
    if abs(value - constant_value(default)) <= tolerance:
        return default
    if abs(value) <= tolerance:
        return "0"
    for kept in _low_precision(constant_value(default)):
        if abs(value - kept) <= tolerance:
            return np.format_float_positional(kept, trim="-")
    decimal = shortest_decimal(value, tolerance)
    if len(decimal.replace("-", "").replace(".", "").lstrip("0")) <= _BRIEF:
        return decimal
    for written, known in _KNOWN:
        if abs(value - known) <= tolerance:
            return written
    return decimal


def constant_value(written: str) -> float:
    """Return the value of an expression without x, to binary64.

    >>> constant_value("sqrt(2/pi)")
    0.7978845608028654
    """
    return float(value_and_slope(parse(written), np.zeros(1))[0][0])


def shortest_decimal(value: float, tolerance: float) -> str:
    """Return the decimal of fewest digits within `tolerance` of `value`.

    >>> shortest_decimal(1.7729999, 1e-6)
    '1.773'
    """
    for digits in range(1, 18):
        written = f"{value:.{digits}g}"
        if abs(float(written) - value) <= tolerance:
            return np.format_float_positional(float(written), trim="-")
    return repr(value)


_STORED_IN = ("bfloat16", "binary16", "binary32")


def _low_precision(value: float) -> list[float]:
    """Return the value rounded to each of the formats in which constants are stored by mistake."""
    formats = [FORMATS[name] for name in _STORED_IN]
    return [float(to_float64(format, round_float64(format, [value]))[0]) for format in formats]


def is_decimal(written: str) -> bool:
    """Tell whether a constant is written in digits and not as an expression."""
    return set(written) <= set("-.0123456789")


def is_stored(written: str, default: str) -> bool:
    """Tell whether a constant is the usual one, whole or as a narrower format stores it."""
    return written == default or constant_value(written) in _low_precision(constant_value(default))


def is_rounded_to(format: Format, name: str, written: str, default: str) -> bool:
    """Tell whether a constant is the usual one as a format stores it.

    Under erf it is 1/sqrt(2) that is stored, or the divisor sqrt(2), and not the s in erf(s x/sqrt(2)).

    >>> is_rounded_to(FORMATS["binary16"], "k", "1.7021484375", "1.702")
    True
    """
    return any(format.name in formats for _, formats in _stored(name, written, default, [format.name]))


def _stored(name: str, written: str, default: str, formats: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield what may have been stored, and the formats which, storing it, make the constant what it is."""
    value, right = constant_value(written), constant_value(default)
    ways = [(default, value, right, 0.0)]
    if name == "s":  # fitted, and not typed: known only so far
        ways = [("1/sqrt(2)", value / math.sqrt(2), math.sqrt(0.5), _AS_FAR_AS_SEEN)]
        ways += [("sqrt(2)", math.sqrt(2) / value, math.sqrt(2), _AS_FAR_AS_SEEN)]
    for what, found, usual, share in ways:
        kept = {each: float(to_float64(FORMATS[each], round_float64(FORMATS[each], [usual]))[0]) for each in formats}
        off = {format: abs(stored - usual) for format, stored in kept.items()}
        yield what, [each for each in kept if off[each] > 0 and abs(found - kept[each]) <= share * off[each]]


def remark(name: str, written: str, default: str) -> str:
    """Return what a person would want to know of a constant beside its value; empty when there is nothing to say."""
    for what, formats in _stored(name, written, default, _STORED_IN):
        if formats:
            stored = f"under erf, {what} is" if name == "s" else f"{name} is {what}"
            return f"{stored} rounded to {' or '.join(formats)}"
    value, right = constant_value(written), constant_value(default)
    if name == "s":
        divisor = shortest_decimal(math.sqrt(2) / value, 1e-7)
        return f"under erf, x is divided by {divisor}, not by sqrt(2) = 1.41421356"
    role = f" ({_ROLES[name]})" if name in _ROLES else ""
    return f"{name}{role} should be {default}" + ("" if default == f"{right:.9g}" else f" = {right:.9g}")
