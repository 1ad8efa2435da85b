"""What somebody's own test demands of an implementation: which function, in which format, how exactly, on what."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import copysign, inf, isfinite
from reprlib import repr as shown
from typing import Any

from gelu_verify.catalogue import Function, function_or_expression
from gelu_verify.errors import InputError
from gelu_verify.formats import Format, get_format
from gelu_verify.formats.intervals import BEYOND, finite_ends

Call = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Demand:
    """A demand that makes sense.

    Attributes:
        max_ulp: the largest error allowed, in ulp of the exact result.
        on: the interval of inputs; None for all of them.
        gradient: the backward pass: a callable, "auto", or None where it is not looked at.
    """

    function: Function
    format: Format
    max_ulp: float
    on: tuple[float, float] | None
    gradient: Call | str | None
    exhaustive: bool

    def interval(self) -> tuple[Fraction, Fraction] | None:
        """Return the interval, with a number past every format's for infinity."""
        if self.on is None:
            return None
        lower, upper = (Fraction(end) if isfinite(end) else int(copysign(1, end)) * BEYOND for end in self.on)
        return Fraction(lower), Fraction(upper)

    def ends(self) -> tuple[int, int] | tuple[None, None]:
        """Return the first and the last finite number of the interval, as encodings.

        Raises:
            InputError: the format has none there.
        """
        interval = self.interval()
        return (None, None) if interval is None else finite_ends(self.format, *interval)


def demand(
    function: str = "gelu",
    format: str = "binary32",
    max_ulp: float = 2,
    on: tuple[float, float] | None = None,
    gradient: Call | str | None = None,
    exhaustive: bool = False,
) -> Demand:
    """Return the demand that these options of a test make.

    Raises:
        InputError: they make none, in one line.
    """
    for name, text in (("function", function), ("format", format)):
        if not isinstance(text, str):
            raise InputError(f"{name} is {shown(text)}; it must be a name in quotes, such as 'gelu' or 'binary32'")
    chosen = get_format(format)
    if not isinstance(exhaustive, bool):
        raise InputError(f"exhaustive is {shown(exhaustive)}; it must be True or False")
    if exhaustive and chosen.width > 32:
        raise InputError(f"{chosen.name} has too many numbers to run them all; leave exhaustive out")
    if gradient is not None and not callable(gradient) and gradient != "auto":
        raise InputError(f"gradient is {shown(gradient)}; it must be a callable, 'auto' or None")
    ends = None if on is None else _interval(on)
    made = Demand(function_or_expression(function), chosen, _budget(max_ulp), ends, gradient, exhaustive)
    made.ends()  # which refuses an interval without a number
    return made


def _budget(max_ulp: object) -> float:
    number = _number(max_ulp)
    if number is None or not 0.5 <= number < inf:
        raise InputError(
            f"max_ulp is {shown(max_ulp)}; it must be a finite number of at least 1/2, which correct rounding reaches"
        )
    return number


def _interval(on: object) -> tuple[float, float]:
    ends = [_number(end) for end in on] if isinstance(on, Iterable) and not isinstance(on, str) else []
    if len(ends) == 2 and ends[0] is not None and ends[1] is not None and ends[0] <= ends[1]:
        return ends[0], ends[1]
    raise InputError(f"on is {shown(on)}; give two numbers, the lower first")


def _number(value: object) -> float | None:
    """Return a number as a float; None for what is none, a truth value and a whole number beyond every float."""
    if isinstance(value, (bool, str)):
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
