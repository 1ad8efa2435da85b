"""The best constants among those that a format or a short decimal can hold, with a proof that no others are better.

The set of constants with which the error is at most t everywhere is an intersection of strips (one for each x), so it
is convex. With one constant, the best representable one is a neighbour of the best real one. With two, every
representable pair that satisfies the strips of some sample points at the level reached so far is tried.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor

from flint import arb

from gelu_verify.bounds.error import Error
from gelu_verify.bounds.family import Family
from gelu_verify.bounds.minimax import FitResult, half_space, simplex
from gelu_verify.bounds.roots import Line, Unresolved
from gelu_verify.bounds.smooth import point
from gelu_verify.bounds.supremum import supremum
from gelu_verify.deadlines import Deadline
from gelu_verify.enclosures import Enclosure, enclosure_of, working_precision
from gelu_verify.formats import get_format
from gelu_verify.formats.format import Format

GRIDS = ("binary32", "bfloat16", "3 digits", "4 digits", "5 digits")
_REALS = Line(None, None)
_SAMPLES = tuple(Fraction(k, 8) for k in range(1, 41))
_MOST_PAIRS = 20_000
_BITS = 96


@dataclass(frozen=True, slots=True)
class Grid:
    """The numbers of a format, or the decimals of so many significant digits."""

    name: str

    def _format(self) -> Format | None:
        return None if self.name.endswith("digits") else get_format(self.name)

    def below(self, value: Fraction) -> Fraction:
        """Return the greatest number of the grid that is at most `value` > 0."""
        format = self._format()
        if format is None:
            step = self._step(value)
            return floor(value / step) * step
        bits = format.round(value)
        return format.exact(bits) if format.exact(bits) <= value else format.exact(format.next_down(bits))

    def above(self, value: Fraction) -> Fraction:
        """Return the least number of the grid that is at least `value` > 0."""
        format = self._format()
        if format is None:
            step = self._step(value)
            return ceil(value / step) * step
        bits = format.round(value)
        return format.exact(bits) if format.exact(bits) >= value else format.exact(format.next_up(bits))

    def between(self, lower: Fraction, upper: Fraction) -> Iterator[Fraction]:
        """Yield the grid's numbers in [lower, upper], lower > 0."""
        value = self.above(lower)
        while value <= upper:
            yield value
            value = self.above(value + self._step(value) / 2)

    def _step(self, value: Fraction) -> Fraction:
        """Return the grid's spacing at value > 0."""
        format = self._format()
        if format is not None:
            return format.ulp(value)
        digits = int(self.name.split()[0])
        exponent = len(str(floor(value))) - 1 if value >= 1 else -len(str(floor(1 / value)))
        if Fraction(10) ** (exponent + 1) <= value:
            exponent += 1
        return Fraction(10) ** (exponent - digits + 1)


@dataclass(frozen=True, slots=True)
class Representable:
    """The best constants on a grid, with their certified greatest error over all reals."""

    grid: str
    constants: dict[str, Fraction]
    supremum: Enclosure


def best_on_grid(best: FitResult, grid: Grid, digits: int = 15, timeout: float | None = None) -> Representable:
    """Return the constants on the grid whose greatest error is least.

    Raises:
        Unresolved: there are too many candidates, or two that are not told apart.
        OutOfTime: the timeout is over.
    """
    family = Family(best.family, best.target)
    tried = _Trials(family, digits, Deadline(timeout))
    enclosures = [best.constants[name] for name in family.parameters]
    for corner in product(*((grid.below(e.lower), grid.above(e.upper)) for e in enclosures)):
        tried.add(corner)
    if len(family.parameters) == 1:
        (only,) = enclosures
        if grid.below(only.lower) != grid.below(only.upper):
            raise Unresolved("the best constant is not known well enough to name its neighbours")
    else:
        for pair in _pairs(family, grid, best, tried.least_upper):
            tried.add(pair)
    constants, value = tried.least()
    return Representable(grid.name, dict(zip(family.parameters, constants, strict=True)), value)


class _Trials:
    """Members tried, each with its greatest error."""

    def __init__(self, family: Family, digits: int, deadline: Deadline) -> None:
        self._family, self._digits, self._deadline = family, digits, deadline
        self._values: dict[tuple[Fraction, ...], Enclosure] = {}

    @property
    def least_upper(self) -> Fraction:
        return min(value.upper for value in self._values.values())

    def add(self, constants: tuple[Fraction, ...]) -> None:
        """Bound a member's error, unless it was tried or a sample point shows that it errs more than another."""
        self._deadline.check()
        if constants in self._values or (self._values and self._exceeds(constants)):
            return
        self._deadline.check()
        error = Error(self._family.member(constants), self._family.exact)
        found = supremum(error, _REALS, self._digits, self._deadline.left)
        self._deadline.check()
        if found.supremum is None:
            raise Unresolved(f"the greatest error for {constants} is not decided: {found.reason}")
        self._values[constants] = found.supremum

    def _exceeds(self, constants: tuple[Fraction, ...]) -> bool:
        with working_precision(_BITS):
            balls, level = tuple(map(point, constants)), point(self.least_upper)
            return any(abs(self._family.error(point(x), balls, 0)[0][0]) > level for x in _SAMPLES)

    def least(self) -> tuple[tuple[Fraction, ...], Enclosure]:
        ordered = sorted(self._values.items(), key=lambda item: item[1].upper)
        if len(ordered) > 1 and ordered[1][1].lower <= ordered[0][1].upper:
            raise Unresolved("two choices err by amounts that are not told apart; ask for more digits")
        return ordered[0]


def _pairs(family: Family, grid: Grid, best: FitResult, level: Fraction) -> Iterator[tuple[Fraction, ...]]:
    """Yield the pairs on the grid that satisfy every sample point's strip at the level."""
    places = tuple(place.midpoint for place in best.alternation)
    with working_precision(_BITS):
        highest = point(level)
        signs = [best.sign * (-1) ** i for i in range(len(places))]
        first_range = enclosure_of(simplex(family, places, signs, highest)[0])
        spaces = [half_space(family, x, sign, highest) for x in (*_SAMPLES, *places) for sign in (1, -1)]
    count = 0
    for first in grid.between(first_range.lower, first_range.upper):
        second_range = _second_range(spaces, first)
        if second_range is None:
            continue
        for second in grid.between(second_range.lower, second_range.upper):
            count += 1
            if count > _MOST_PAIRS:
                raise Unresolved(f"more than {_MOST_PAIRS} pairs of constants to try on the grid of {grid.name}")
            yield first, second


def _second_range(spaces: list[tuple[list[arb], arb]], first: Fraction) -> Enclosure | None:
    """Return what the half-spaces leave to the second constant, None for nothing; vacuous ones are not finite."""
    lower, upper = arb.neg_inf(), arb.pos_inf()
    with working_precision(_BITS):
        for (along_first, along_second), side in spaces:
            end = (side - along_first * point(first)) / along_second
            if not end.is_finite():
                continue
            if along_second > 0:
                upper = arb.min(upper, end.upper()).upper()
            else:
                lower = arb.max(lower, end.lower()).lower()
        return None if lower > upper else Enclosure(enclosure_of(lower).lower, enclosure_of(upper).upper)
