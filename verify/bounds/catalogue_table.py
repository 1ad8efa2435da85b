"""The certified figures of the catalogue: errors of the forms, their zeros, extrema, distances, rounding thresholds.

Each question is a small record that answers itself, so that a caller can show progress and spread them over processes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from gelu_verify.bounds.error import Error, SupremumResult
from gelu_verify.bounds.locate import LocateResult, locate
from gelu_verify.bounds.roots import Line
from gelu_verify.bounds.supremum import supremum
from gelu_verify.bounds.thresholds import OUTCOMES, RoundingSet, rounding_set
from gelu_verify.catalogue import difference, get_function
from gelu_verify.formats import FORMATS

FORMS = ("gelu_tanh", "gelu_sigmoid")
RELATIVES = ("gelu", "relu", "silu", "elu", "mish")
CUTS = (1, 2, 3, 4)
SHAPES = ("gelu", "gelu_tanh", "gelu_sigmoid", "silu", "mish", "elu", "relu", "leaky_relu")
_REALS = Line(None, None)


@dataclass(frozen=True, slots=True)
class ErrorQuestion:
    """The greatest error of one function against another.

    Attributes:
        lower: where the domain starts, None for -infinity; it always reaches to +infinity.
    """

    function: str
    against: str
    derivative: int = 0
    relative: bool = False
    lower: Fraction | None = None

    @property
    def id(self) -> str:
        """A name for the figure, the same in every run."""
        measure = (
            f"{'relative' if self.relative else 'absolute'}{f'.derivative{self.derivative}' * bool(self.derivative)}"
        )
        return (
            f"error.{self.function}.{self.against}.{measure}.{'reals' if self.lower is None else f'from{self.lower}'}"
        )

    def answer(self, digits: int = 15, timeout: float | None = None) -> SupremumResult:
        """Bound the error."""
        function, against = (get_function(name).expression for name in (self.function, self.against))
        error = Error(function, against, self.derivative, self.relative)
        return supremum(error, Line(self.lower, None), digits, timeout)


@dataclass(frozen=True, slots=True)
class PlaceQuestion:
    """All minima, maxima, zeros or inflections of a function, or of a function minus another, over all reals."""

    what: str
    function: str
    minus: str | None = None
    derivative: int = 0

    @property
    def id(self) -> str:
        """A name for the figure, the same in every run."""
        name = self.function if self.minus is None else f"{self.function}.{self.minus}"
        return f"{self.what}.{name}" + (f".derivative{self.derivative}" if self.derivative else "")

    def answer(self, digits: int = 15, timeout: float | None = None) -> LocateResult:
        """Locate the points."""
        expression = get_function(self.function).expression
        if self.minus is not None:
            expression = difference(expression, get_function(self.minus).expression)
        return locate(self.what, expression, _REALS, self.derivative, digits, timeout)


@dataclass(frozen=True, slots=True)
class ThresholdQuestion:
    """The numbers of a format at which GELU rounds to x, x/2 or zero."""

    format: str
    outcome: str

    @property
    def id(self) -> str:
        """A name for the figure, the same in every run."""
        return f"rounds_to.{self.outcome.replace('/', '_over_')}.{self.format}"

    def answer(self, digits: int = 15, timeout: float | None = None) -> RoundingSet:
        """Find the set (exactly: digits and timeout play no part)."""
        return rounding_set(FORMATS[self.format], self.outcome)


Question = ErrorQuestion | PlaceQuestion | ThresholdQuestion


def errors() -> Iterator[ErrorQuestion]:
    """Yield the errors of the forms: absolute, relative and of two derivatives, on all reals and from -c on."""
    for form in FORMS:
        for lower in (None, *(Fraction(-cut) for cut in CUTS)):
            for derivative in (0, 1, 2):
                yield ErrorQuestion(form, "gelu", derivative, lower=lower)
            yield ErrorQuestion(form, "gelu", relative=True, lower=lower)


def distances() -> Iterator[ErrorQuestion]:
    """Yield the greatest distances between GELU and its relatives, each pair once."""
    for function, against in combinations(RELATIVES, 2):
        yield ErrorQuestion(against, function)


def places() -> Iterator[PlaceQuestion]:
    """Yield the zeros of the forms' errors, and the extrema and inflections of the functions and their derivatives."""
    for form in FORMS:
        yield PlaceQuestion("roots", form, "gelu")
    for name in SHAPES:
        for derivative in (0, 1):
            yield PlaceQuestion("minimum", name, derivative=derivative)
            yield PlaceQuestion("maximum", name, derivative=derivative)
        yield PlaceQuestion("inflections", name)


def thresholds() -> Iterator[ThresholdQuestion]:
    """Yield the rounding thresholds of every format."""
    for format in FORMATS:
        for outcome in OUTCOMES:
            yield ThresholdQuestion(format, outcome)


def questions() -> list[Question]:
    """Return every question of the table.

    >>> len({question.id for question in questions()}) == len(questions())
    True
    """
    return [*errors(), *distances(), *places(), *thresholds()]
