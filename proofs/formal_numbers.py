"""The numbers of the Coq development: read from the certificates, written as `coq/Numbers.v`.

A certificate says, to fifty digits, where an error is largest and how large; Coq proves the same to fifteen, from
scratch. Nothing here is trusted: a wrong number makes the development fail to compile.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from json import loads
from pathlib import Path
from types import MappingProxyType

from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import InputError
from gelu_verify.proofs import checker

CERTIFICATES = Path(__file__).parent / "certificates"
NUMBERS_FILE = Path(__file__).parent / "coq" / "Numbers.v"
DIGITS = 15  # of values and places
BOUND_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Extremum:
    """An extreme value and the place where it is attained (up to the sign of x, for an even function)."""

    value: Enclosure
    place: Enclosure


@dataclass(frozen=True, slots=True)
class FormalNumbers:
    """What the development needs to know: the largest |T - G| and |S - G|, and the minimum of G."""

    tanh: Extremum
    sigmoid: Extremum
    minimum: Extremum


def certified_numbers(folder: Path = CERTIFICATES) -> FormalNumbers:
    """Read the numbers from the certificates in `folder`, after the checker has proved them again.

    Raises:
        InputError: a certificate is missing, not valid, or not of the expected form.
    """
    gelu = read_extremum(folder / "gelu_minimum.json")
    return FormalNumbers(
        tanh=read_extremum(folder / "gelu_tanh_error.json"),
        sigmoid=read_extremum(folder / "gelu_sigmoid_error.json"),
        minimum=Extremum(-gelu.value, -gelu.place),  # certified as sup |relu - gelu|, at the mirrored point
    )


def read_extremum(path: Path) -> Extremum:
    """Return the supremum that one certificate proves, and the one |x| where it is attained.

    Raises:
        InputError: not a valid certificate, or its supremum is attained at several |x|.
    """
    code, sentence = checker.check(str(path))
    if code != 0:
        raise InputError(f"{path} is not a valid certificate: {sentence}; regenerate it")
    certificate = loads(path.read_text(encoding="utf-8"))
    places = [Fraction(core[1]) for _, *core in certificate["cells"] if core]
    if len(places) != 1:
        raise InputError(f"{path} does not locate one place where the supremum is attained")
    middle, radius = places[0], Fraction(certificate["radius"])
    return Extremum(
        Enclosure(Fraction(certificate["lower"]), Fraction(certificate["upper"])),
        Enclosure(middle - radius, middle + radius),
    )


def decimals(extremum: Extremum) -> dict[str, str]:
    """Round an extremum outward to the decimals that the development states.

    Raises:
        InputError: the enclosures are too wide for that many digits.
    """
    value, place = extremum.value, extremum.place
    if min(value.certain_digits(), place.certain_digits()) < DIGITS:
        raise InputError(f"the formal proof needs certificates of at least {DIGITS} certain digits")
    return {
        "value_lower": value.lower_decimal(DIGITS),
        "value_upper": value.upper_decimal(DIGITS),
        "place_lower": place.lower_decimal(DIGITS),
        "place_upper": place.upper_decimal(DIGITS),
    }


def bounds(extremum: Extremum) -> dict[str, str]:
    """Return the bound of `BOUND_DIGITS` digits, and the same less one unit in its last digit.

    >>> third = Enclosure(Fraction(1, 3), Fraction(1, 3))
    >>> bounds(Extremum(third, third))
    {'bound': '0.333333333334', 'bound_minus_unit': '0.333333333333'}
    """
    value = extremum.value
    return {"bound": value.upper_decimal(BOUND_DIGITS), "bound_minus_unit": value.lower_decimal(BOUND_DIGITS)}


# Where the cells end, and how fast q may drop (LargestError.v explains both), is a choice: whatever Coq accepts is
# right. These were found by looking at the two functions, and leave room on every side.
CELLS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "tanh": {
            "core_left": "2.5",
            "core_right": "3",
            "side_end": "4.3",
            "side_drift": "0.000012",
            "other_start": "1.4",
            "other_end": "2.6",
            "other_drift": "0.00012",
            "far": "5",
        },
        "sigmoid": {
            "core_left": "2",
            "core_right": "2.6",
            "side_end": "4.5",
            "side_drift": "0.0003",
            "other_start": "0.9",
            "other_end": "2",
            "other_drift": "0.011",
            "far": "5",
        },
    }
)

_HEADER = """\
(** * The numbers in the statements, and where the cells of the proofs end

    Generated from the certificates by [python -m gelu_verify.proofs.formal_numbers --write]; not edited by hand.  The
    fields of [numbers] are explained in LargestError.v. *)

From Coq Require Import Reals.
From GeluVerify Require Import LargestError.
Open Scope R_scope.
"""


def numbers_source(numbers: FormalNumbers) -> str:
    """Return the text of Numbers.v."""
    parts = [_HEADER]
    for name, extremum in (("tanh", numbers.tanh), ("sigmoid", numbers.sigmoid)):
        fields = {**decimals(extremum), **CELLS[name]}
        lines = ";\n".join(f"  {field} := {value}" for field, value in fields.items())
        parts.append(f"Definition {name}_numbers : numbers := {{|\n{lines}\n|}}.\n")
        parts.append(_definitions(name, bounds(extremum)))
    parts.append(_definitions("minimum", decimals(numbers.minimum)))
    return "\n".join(parts)


def _definitions(prefix: str, values: Mapping[str, str]) -> str:
    return "".join(f"Definition {prefix}_{name} : R := {value}.\n" for name, value in values.items())


def main(arguments: Sequence[str]) -> int:
    """Regenerate coq/Numbers.v, or say whether it differs from what is generated."""
    parser = argparse.ArgumentParser(prog="python -m gelu_verify.proofs.formal_numbers", description=main.__doc__)
    parser.add_argument("--write", action="store_true", help="write the file instead of comparing")
    source = numbers_source(certified_numbers())
    if parser.parse_args(arguments).write:
        NUMBERS_FILE.write_text(source, encoding="utf-8")
    elif not NUMBERS_FILE.exists() or NUMBERS_FILE.read_text(encoding="utf-8") != source:
        print(f"{NUMBERS_FILE.name} differs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
