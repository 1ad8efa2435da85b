"""A proven bound for the rounding errors of a written form, from the very code that runs.

The code is called with a stand-in for an array that records what is done to it. The recorded expression, whose
constants are numbers of the format, is then analysed over small cells of x: Arb encloses what every operation gives in
exact arithmetic, and beside it goes a bound for how far the computed value may be from that:

- an operation passes on the errors of its operands, by the mean value theorem;
- rounding to nearest adds at most half an ulp of the result, of the largest that is possible in the cell, and that
  holds for subnormal results too; a product by a power of two with a normal result adds nothing, negation never does;
- an elementary function adds the error in ulp that it is granted, 1/2 where it is correctly rounded.

What the rounding of the constants does to the form is the difference of two functions in exact arithmetic, enclosed by
Taylor expansions. The sum is divided by the ulp of the least true value in the cell. The worst cell is halved again and
again, until it is so small that halving it once more would not matter.

Sources: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., sections 2.2 and 3.1; Muller et al., Handbook
of Floating-Point Arithmetic, 2nd ed., chapter 6.
"""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any, cast

from flint import arb

from gelu_verify.catalogue import Expression, get_function
from gelu_verify.catalogue.derivative import derivative as differentiated
from gelu_verify.catalogue.evaluators import NotSmooth, arb_taylor, arb_value
from gelu_verify.catalogue.evaluators.balls import BALL_OPERATORS, rational_ball
from gelu_verify.catalogue.expression import Number, Operation, Variable, difference, evaluate
from gelu_verify.enclosures import working_precision
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import Format
from gelu_verify.forms import Elementary, WrittenForm
from gelu_verify.references.models import upper
from gelu_verify.sweep.tasks import Interval, plan_tasks

_PRECISION = 192  # bits: for binary64, and what cancels in the difference of two nearly equal functions
_ORDER = 12  # of the expansions of that difference
_FINEST = Fraction(1, 1 << 10)  # a cell that is this small against its place is not halved
_MOST_CELLS = 20_000
_CORRECT = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class StaticBound:
    """A proven bound for the error of a written form, in ulp of the true value.

    Attributes:
        ulp: no error in the domain exceeds it (zero itself left out).
        elementary_ulp: the error granted to each elementary function.
        at: the cell in which the bound is reached; in all others the errors are smaller.
        cells: into how many cells the domain was cut.
    """

    form: str
    format: str
    elementary_ulp: Fraction
    ulp: Fraction
    at: Interval
    cells: int


def static_bound(form: WrittenForm, format: Format, on: Interval, elementary_ulp: Fraction = _CORRECT) -> StaticBound:
    """Bound the error of a written form against the function that it is written for, at all numbers of a format.

    Arguments:
        on: the domain; zero itself is left out.
        elementary_ulp: the largest error of the elementary functions in ulp; 1/2 if they are correctly rounded. All
            other operations round to nearest.

    Raises:
        InputError: the domain holds no number of the format, or the elementary functions are granted less than 1/2 ulp.
        IncompleteError: there is no bound, since an operation may overflow or divide by zero, or it was not found.

    >>> from gelu_verify.formats import FORMATS
    >>> from gelu_verify.forms import get_form
    >>> bound = static_bound(get_form("tanh_naive"), FORMATS["binary32"], Interval(Fraction(0), Fraction(6)))
    >>> float(round(bound.ulp, 2))
    2.43
    """
    if elementary_ulp < _CORRECT:
        raise InputError(f"an error of {elementary_ulp} ulp is less than 1/2, which correct rounding reaches")
    analysis = _Analysis(form, format, elementary_ulp)
    with working_precision(_PRECISION):
        cells = [(-analysis.bound(low, high), low, high) for low, high in _first_cells(format, on)]
        heapq.heapify(cells)
        while not _is_small(*cells[0][1:]):
            if len(cells) == _MOST_CELLS:
                raise IncompleteError(f"{len(cells)} cells were not enough to bound the error of {form.name}")
            _, low, high = heapq.heappop(cells)
            middle = (low + high) / 2
            for half in ((low, middle), (middle, high)):
                heapq.heappush(cells, (-analysis.bound(*half), *half))
    size, low, high = cells[0]
    if size == -inf:
        raise IncompleteError(
            f"{form.name} has no bound in {format.name} near x = {float(low)!r}: an operation may overflow there, or "
            "divide by zero"
        )
    return StaticBound(form.name, format.name, elementary_ulp, Fraction(-size), Interval(low, high), len(cells))


def _first_cells(format: Format, on: Interval) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the ends of each binade's part of the domain."""
    for task in plan_tasks(format, on):
        for stretch in task.stretches:
            first = max(stretch.start, (stretch.start & format.sign_mask) | 1)
            if first < stretch.stop:
                low, high = sorted((format.exact(first), format.exact(stretch.stop - 1)))
                yield low, high


def _is_small(low: Fraction, high: Fraction) -> bool:
    return high - low <= _FINEST * max(abs(low), abs(high))


class _Analysis:
    """The errors of one form in one format."""

    def __init__(self, form: WrittenForm, format: Format, elementary_ulp: Fraction) -> None:
        self._format, self._elementary_ulp = format, elementary_ulp
        self._written = recorded(form, format)
        self._true = differentiated(get_function(form.function).expression, form.derivative)
        self._shift = difference(self._written, self._true)

    def bound(self, low: Fraction, high: Fraction) -> float:
        """Return a bound in ulp for all x from `low` to `high`, infinity where there is none."""
        x = rational_ball(low).union(rational_ball(high))
        try:
            computed = evaluate(self._written, _Rounded(x, self._format, self._elementary_ulp))
            shift = self._shift_over(low, high)
            least = abs(arb_value(self._true, x)).lower()
        except (NotSmooth, ZeroDivisionError):
            return inf
        return upper((computed.error + shift) / ulp_at(self._format, least))

    def _shift_over(self, low: Fraction, high: Fraction) -> arb:
        """Bound how far the form is from its function in exact arithmetic, because its constants are rounded."""
        middle = (low + high) / 2
        reach = rational_ball((high - low) / 2)
        local = arb_taylor(self._shift, rational_ball(middle), _ORDER - 1)
        beyond = arb_taylor(self._shift, rational_ball(low).union(rational_ball(high)), _ORDER)[_ORDER]
        total = arb(0)
        for coefficient in [beyond, *reversed(local)]:
            total = total * reach + abs(coefficient)
        return total


def ulp_at(format: Format, size: arb) -> arb:
    """Return the ulp at the upper end of a ball of sizes."""
    mantissa, exponent = (int(part) for part in size.upper().man_exp())
    binade = mantissa.bit_length() - 1 + exponent if mantissa > 0 else format.emin
    return arb((1, max(binade, format.emin) - format.fraction_bits))


@dataclass(frozen=True, slots=True)
class _Value:
    """What an operation gives over a cell.

    Attributes:
        exact: encloses the values in exact arithmetic (with the constants of the format).
        error: a bound for the distance of the computed values from these.
        scales: whether it is a power of two, by which products are exact.
    """

    exact: arb
    error: arb
    scales: bool = False

    @property
    def size(self) -> arb:
        """A bound for the size of the computed values."""
        return (abs(self.exact) + self.error).upper()


class _Rounded:
    """The algebra of values with errors."""

    def __init__(self, x: arb, format: Format, elementary_ulp: Fraction) -> None:
        self._x, self._format = x, format
        self._elementary = rational_ball(elementary_ulp)
        self._overflow = rational_ball(format.exact(format.max_finite))
        self._least_normal = arb((1, format.emin))

    def number(self, value: Fraction) -> _Value:
        size = abs(value)
        power = size != 0 and size.numerator & (size.numerator - 1) == 0 == size.denominator & (size.denominator - 1)
        return _Value(rational_ball(value), arb(0), power)

    def variable(self) -> _Value:
        return _Value(self._x, arb(0))

    def constant(self, name: str) -> _Value:
        raise NotImplementedError(f"code computes with numbers of its format, not with {name}")

    def power(self, base: _Value, exponent: int) -> _Value:
        raise NotImplementedError(f"the power {exponent} is not an operation of the formats")

    def where(
        self, relation: str, left: _Value, right: _Value, then: Callable[[], _Value], otherwise: Callable[[], _Value]
    ) -> _Value:
        raise NotImplementedError(f"branches such as {relation} are not analysed")

    def apply(self, operator: str, *arguments: _Value) -> _Value:
        exact = BALL_OPERATORS[operator](*(argument.exact for argument in arguments))
        match operator, arguments:
            case "neg", (a,):
                return _Value(exact, a.error)
            case (("+" | "-"), (a, b)):
                return self._rounded(exact, a.error + b.error)
            case "*", (a, b):
                error = abs(a.exact) * b.error + abs(b.exact) * a.error + a.error * b.error
                normal = abs(exact) - error >= self._least_normal and abs(exact) + error < self._overflow
                if (a.scales or b.scales) and normal:
                    return _Value(exact, error.upper())
                return self._rounded(exact, error)
            case "/", (a, b):
                least = abs(b.exact) - b.error
                if not least > 0:
                    raise ZeroDivisionError("a denominator may be zero here")
                return self._rounded(exact, (a.error + abs(exact) * b.error) / least)
        return self._called(operator, exact, arguments[0])

    def _called(self, name: str, exact: arb, argument: _Value) -> _Value:
        """Return the value of an elementary function."""
        reached = argument.exact + argument.error * arb(0, 1)
        slope = arb_taylor(Operation(name, (Variable(),)), reached, 1)[1]
        return self._rounded(exact, abs(slope) * argument.error, self._elementary)

    def _rounded(self, exact: arb, error: arb, ulps: arb | None = None) -> _Value:
        """Add the error of a result's own rounding: half an ulp, or as many as are given."""
        size = (abs(exact) + error).upper()
        if not size < self._overflow:
            return _Value(exact, arb.pos_inf())
        own = ulp_at(self._format, size) * (arb(0.5) if ulps is None else ulps)
        return _Value(exact, (error + own).upper())


def recorded(form: WrittenForm, format: Format) -> Expression:
    """Return what the code of a form computes, as an expression whose numbers are those of the format.

    >>> from gelu_verify.catalogue import text
    >>> from gelu_verify.formats import FORMATS
    >>> from gelu_verify.forms import get_form
    >>> text(recorded(get_form("sigmoid"), FORMATS["binary16"]))
    'x*(1/(1 + exp(-(1.7021484375*x))))'
    """
    functions = (_recorder(name, format) for name in ("exp", "tanh", "erf", "erfc"))
    result = form.evaluate(cast(Any, _Recorded(Variable(), format)), Elementary(*functions))
    return cast(_Recorded, cast(Any, result)).expression


def _recorder(name: str, format: Format) -> Any:
    return lambda argument: _Recorded(Operation(name, (argument.expression,)), format)


class _Recorded:
    """Stands in for an array of the format: arithmetic on it is recorded."""

    def __init__(self, expression: Expression, format: Format) -> None:
        self.expression = expression
        self._format = format

    @property
    def dtype(self) -> "_Recorded":
        """Stands in for the type as well, whose `type` makes constants."""
        return self

    def type(self, value: float) -> "_Recorded":
        """Return a constant, rounded to the format as NumPy rounds it."""
        return _Recorded(Number(self._format.exact(self._format.round(Fraction(value)))), self._format)

    def _with(self, operator: str, *operands: "_Recorded | float") -> "_Recorded":
        known = [operand if isinstance(operand, _Recorded) else self.type(operand) for operand in operands]
        return _Recorded(Operation(operator, tuple(operand.expression for operand in known)), self._format)

    def __neg__(self) -> "_Recorded":
        return self._with("neg", self)

    def __add__(self, other: "_Recorded | float") -> "_Recorded":
        return self._with("+", self, other)

    def __radd__(self, other: float) -> "_Recorded":
        return self._with("+", other, self)

    def __sub__(self, other: "_Recorded | float") -> "_Recorded":
        return self._with("-", self, other)

    def __rsub__(self, other: float) -> "_Recorded":
        return self._with("-", other, self)

    def __mul__(self, other: "_Recorded | float") -> "_Recorded":
        return self._with("*", self, other)

    def __rmul__(self, other: float) -> "_Recorded":
        return self._with("*", other, self)

    def __truediv__(self, other: "_Recorded | float") -> "_Recorded":
        return self._with("/", self, other)

    def __rtruediv__(self, other: float) -> "_Recorded":
        return self._with("/", other, self)
