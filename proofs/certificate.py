"""Certificates: the data from which the integer-only `checker.py`, alone, re-proves a statement.

Arb says where the maxima are and how large; this module cuts [0, L] into cells, asks the checker's own arithmetic
whether each cell will do, and lets the checker prove the whole before anything is returned. So a certificate that
leaves this module is valid, and the statement in it is the checker's own.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from flint import arb

from gelu_verify.catalogue import get_function
from gelu_verify.enclosures import Enclosure, enclosure_of, working_precision
from gelu_verify.errors import InputError
from gelu_verify.files import write_atomically
from gelu_verify.proofs import checker
from gelu_verify.proofs.certificate_cells import (
    FARTHEST,
    OUT_OF_REACH,
    Peak,
    cut,
    scaled,
    tail_stays_below,
    write_number,
    write_scaled,
)
from gelu_verify.proofs.certificate_points import FREE, GATES, Error, Form, best_constants, maxima, polish, to_ball

MAX_DIGITS = 2000
MAX_CONSTANT = 10**4
_FEWEST_DIGITS = 8  # with fewer, |F| exceeds the claim's lower end where it no longer bends as on a core
Certificate = dict[str, Any]
Constants = Mapping[str, Fraction | str]
# where the search for the best constants starts: about those that match GELU's Taylor series at 0
_NEAR_TAYLOR = {"gelu_sigmoid": ("8/5",), "gelu_tanh": ("1/22",), "gelu_tanh2": ("4/5", "1/28")}
_NEAR_TIE = Fraction(1, 2**30)  # maxima whose sizes differ by less than this, relatively, are compared to all digits


def build_supremum(
    function: str,
    constants: Constants | None = None,
    derivative: int = 0,
    digits: int = 30,
    against: str = "gelu",
    weight: str = "x",
) -> Certificate:
    """Certify sup |(f - g)^(derivative)| over all reals.

    Arguments:
        function: f: relu, gelu, silu, gelu_sigmoid, gelu_tanh or gelu_tanh2.
        constants: f's constants, rational and not negative; left out, the catalogue's.
        derivative: 0, 1 or 2.
        digits: significant decimal digits of the supremum and of the places where it is attained, at most 2000
            (and at least 8 are given).
        against: g, with the catalogue's constants.
        weight: "x", or "1" for (f(x) - g(x))/x: how well an approximation of GELU approximates Phi.

    Raises:
        InputError: not covered: another function, irrational constants, an infinite supremum.
    """
    error = Error(_form(function, constants), _form(against), weight, derivative)
    digits = _validate(error, digits)
    points, _ = _candidates(error)
    return _certify(error, _largest(error, points), digits)


def build_minimum(function: str, constants: Constants | None = None, digits: int = 30) -> Certificate:
    """Certify the global minimum over all reals of gelu, silu, gelu_sigmoid, gelu_tanh or gelu_tanh2, and its place.

    It is sup |relu - f|, found at the mirrored point: the checker's docstring has the argument. Raises InputError
    like `build_supremum`.
    """
    error = Error(("relu",), _form(function, constants))
    digits = _validate(error, digits)
    points, _ = _candidates(error)
    return _certify(error, _largest(error, points), digits)


def build_optimality(family: str, digits: int = 30, weight: str = "x") -> Certificate:
    """Certify the constants of gelu_sigmoid, gelu_tanh or gelu_tanh2 whose error against gelu has the least supremum.

    Arguments:
        digits: significant digits of the least supremum; the constants come out to about as many.
        weight: "x", or "1" to approximate Phi instead of GELU.

    Raises:
        InputError: not a family with constants.
    """
    if family not in _NEAR_TAYLOR:
        raise InputError(f"{family} has no constants to choose; families are {', '.join(_NEAR_TAYLOR)}")
    error = Error((family, *map(Fraction, _NEAR_TAYLOR[family])), ("gelu",), weight)
    digits = _validate(error, digits)
    _, end = _candidates(error)
    bits = digits * 10 // 3 + 64
    error, points = best_constants(error, end, bits)
    places = digits + 2
    error = error.with_left([Fraction(round(constant * 10**places), 10**places) for constant in error.left[1:]])
    return _certify(error, points, digits, optimum=True)


def certificate_for_bound(
    function: str, constants: Constants | None = None, derivative: int = 0, digits: int = 30
) -> Certificate | None:
    """Return a certificate for sup |(f - gelu)^(derivative)|, or None where the checker does not cover f.

    Raises:
        InputError: f is covered, these constants are not.
    """
    if function not in GATES or derivative > (0 if function == "relu" else 2):
        return None
    return build_supremum(function, constants, derivative, digits)


def encode(certificate: Certificate) -> bytes:
    """Return the bytes of a certificate's file: one cell a line, always the same."""
    cells = ",\n  ".join(json.dumps(cell) for cell in certificate["cells"])
    fields = {key: json.dumps(value) for key, value in certificate.items()} | {"cells": f"[\n  {cells}\n ]"}
    return ("{\n " + ",\n ".join(f'"{key}": {fields[key]}' for key in checker.KEYS) + "\n}\n").encode()


def write_certificate(path: Path, certificate: Certificate) -> None:
    """Write a certificate's file, whole or not at all.

    Raises:
        InputError: the place cannot be written.
    """
    write_atomically(path, encode(certificate))


def _form(name: str, constants: Constants | None = None) -> Form:
    """Return a function's name and constants; the constants as given, or else the catalogue's."""
    function = get_function(name)
    if function.name not in GATES:
        raise InputError(f"certificates do not cover {function.name}; they cover {', '.join(GATES)}")
    unknown = [key for key in constants or {} if key not in function.constants]
    if unknown:
        raise InputError(f"{function.name} has no constant {unknown[0]!r}")
    try:
        values = [Fraction(value) for value in (dict(function.constants) | dict(constants or {})).values()]
    except (ValueError, ZeroDivisionError):
        raise InputError(f"a certificate needs {function.name}'s constants as numbers, like 0.0357 or 1/28") from None
    if any(value < 0 or value > MAX_CONSTANT for value in values):
        raise InputError(f"certificates cover constants from 0 to {MAX_CONSTANT}; those of {function.name} are not")
    return (function.name, *values)


def _validate(error: Error, digits: int) -> int:
    """Return how many digits to certify."""
    if not 1 <= digits <= MAX_DIGITS:
        raise InputError(f"a certificate has from 1 to {MAX_DIGITS} digits, not {digits}")
    if error.derivative not in (0, 1, 2) or error.weight not in ("x", "1"):
        raise InputError('certificates cover derivatives 0, 1 and 2, and the weights "x" and "1"')
    if "relu" in (error.left[0], error.right[0]) and (error.derivative or error.weight == "1"):
        raise InputError("relu has a kink: certificates cover its values, not its derivatives")
    if error.left == error.right:
        raise InputError("a function does not differ from itself: there is nothing to certify")
    return max(digits, _FEWEST_DIGITS)


def _candidates(error: Error) -> tuple[list[Fraction], Fraction]:
    """Return all local maxima of |F^(d)| that matter and a point beyond which it stays below the largest of them."""
    draft, end = _draft(error), Fraction(8)
    while end <= FARTHEST:
        points = maxima(error, end)
        with working_precision(64):
            largest = max((abs(error.taylor(to_ball(t), 0)[0]).lower() for t in points), default=arb(0))
            if tail_stays_below(draft, scaled(end), scaled(enclosure_of(largest).lower)):
                return points, end
        end *= 2
    raise InputError(OUT_OF_REACH)


def _draft(error: Error) -> Certificate:
    """Return a certificate with what it is about, without claim and cells."""
    left, right = (GATES[form[0]].format(*map(write_number, form[1:])) for form in (error.left, error.right))
    draft = dict.fromkeys(checker.KEYS, "")
    return draft | {
        "format": checker.FORMAT,
        "left": left,
        "right": right,
        "weight": error.weight,
        "derivative": str(error.derivative),
        "slack": "0",
    }


def _certify(error: Error, candidates: list[Fraction], digits: int, optimum: bool = False) -> Certificate:
    """Write the certificate down and let the checker prove it."""
    bits = digits * 10 // 3 + 64
    points = [polish(error, t, bits) for t in candidates]
    with working_precision(bits + 32):
        values = [enclosure_of(error.taylor(to_ball(t), 0)[0]) for t in points]
    certificate = _draft(error)
    certificate["lower"], certificate["upper"] = _claim([abs(value) for value in values], digits, optimum)
    lower = Fraction(certificate["lower"])
    reached = [(t, value) for t, value in zip(points, values, strict=True) if abs(value).lower >= lower]
    if not 1 <= len(reached) <= checker.MAX_CORES:
        raise InputError(OUT_OF_REACH)
    places = digits + 2
    peaks = [Peak(t, 1 if value.lower > 0 else -1, write_scaled(round(t * 10**places), places)) for t, value in reached]
    certificate["cells"] = cut(certificate, peaks)
    try:
        certificate["radius"] = _radius(error, certificate, places, bits)
        if optimum:
            certificate |= {"free": FREE[error.left[0]], "slack": _slack(error, certificate, points, bits)}
        checker.prove(certificate)
    except checker.CertificateError as refusal:
        raise InputError(f"no certificate: {refusal}; ask for other constants or fewer digits") from None
    return certificate


def _largest(error: Error, candidates: list[Fraction]) -> list[Fraction]:
    """Return those maxima that may be the largest once they are known to many digits."""
    with working_precision(64):
        sizes = [abs(error.taylor(to_ball(t), 0)[0]).mid() for t in candidates]
        least = max(sizes, default=arb(0)) * to_ball(1 - _NEAR_TIE)
    return [t for t, size in zip(candidates, sizes, strict=True) if size > least]


def _claim(enclosures: list[Enclosure], digits: int, optimum: bool) -> tuple[str, str]:
    """Round the claim outward to the digits, with room for the checker's own rounding."""
    low = (min if optimum else max)(enclosure.lower for enclosure in enclosures)
    high = max(enclosure.upper for enclosure in enclosures)
    places = digits
    while high * 10 ** (places - digits + 1) < 1:
        places += 1
    room = Fraction(1, 2**40)
    below, above = low * 10**places - room, high * 10**places + room
    return write_scaled(int(below), places), write_scaled(-int(-above // 1), places)


def _radius(error: Error, certificate: Certificate, finest: int, bits: int) -> str:
    """Return a power of ten, 10^-finest or more, within which the checker locates every maximum."""
    order, begin, farthest = error.derivative, Fraction(0), Fraction(0)
    for text, *core in certificate["cells"]:
        end = Fraction(text)
        if core:
            cell = checker.Interval(scaled(begin), scaled(end), checker.BITS)
            bend = checker.values(certificate, cell, order + 2) * checker.SIGNS[core[0]]
            with working_precision(bits + 32):
                slope = enclosure_of(abs(error.taylor(to_ball(Fraction(core[1])), 1)[1])).upper
            farthest = max(farthest, slope / Fraction(-bend.hi, 1 << checker.BITS))
        begin = end
    places = 0
    while Fraction(1, 10 ** (places + 1)) > 2 * farthest and places < finest:
        places += 1
    return write_scaled(1, places)


def _slack(error: Error, certificate: Certificate, points: list[Fraction], bits: int) -> str:
    """Return a little more than how far the constant a must move to bring |F| above the claim at every core."""
    with working_precision(bits + 32):
        rates = [error.lever(to_ball(t)) for t in points]
        least = enclosure_of(min(rate.lower() for rate in rates)).lower
    width = Fraction(certificate["upper"]) - Fraction(certificate["lower"])
    places = 1
    while width / least * 10**places < 5:
        places += 1
    return write_scaled(int(2 * width / least * 10**places) + 1, places)


FOLDER = Path(__file__).parent / "certificates"
HEADLINE_DIGITS = 50
_ERRORS = {
    f"{name}_error{f'_derivative_{order}' if order else ''}": partial(
        build_supremum, name, None, order, HEADLINE_DIGITS
    )
    for name in ("gelu_tanh", "gelu_sigmoid")
    for order in (0, 1, 2)
}
_MINIMA = {
    f"{name}_minimum": partial(build_minimum, name, None, HEADLINE_DIGITS)
    for name in ("gelu", "gelu_tanh", "gelu_sigmoid", "silu")
}
_OPTIMA = {
    f"{name}_best{suffix}": partial(build_optimality, name, HEADLINE_DIGITS, weight)
    for name in _NEAR_TAYLOR
    for suffix, weight in (("", "x"), ("_for_Phi", "1"))
}
# the committed certificates, by file name without .json
HEADLINES: Mapping[str, Callable[[], Certificate]] = {**_ERRORS, **_MINIMA, **_OPTIMA}


def main(arguments: list[str]) -> int:
    """Regenerate the committed certificates, or say which of them differ from what is generated."""
    parser = argparse.ArgumentParser(prog="python -m gelu_verify.proofs.certificate", description=main.__doc__)
    parser.add_argument("--write", action="store_true", help="write the files instead of comparing")
    write = parser.parse_args(arguments).write
    differing = 0
    for name, build in HEADLINES.items():
        path, certificate = FOLDER / f"{name}.json", build()
        if write:
            write_certificate(path, certificate)
        elif not path.exists() or path.read_bytes() != encode(certificate):
            differing += 1
            print(f"{path.name} differs")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
