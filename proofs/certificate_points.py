"""Where a certificate looks: the maxima of an error, and the constants that make its supremum least.

Nothing here is trusted: these are approximations, computed with Arb to as many digits as asked for, from which
`certificate.py` writes down what the checker then proves or refuses.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from flint import arb, arb_mat, fmpq

from gelu_verify.catalogue import Expression, Number, Operation, Variable, get_function, parse
from gelu_verify.catalogue.evaluators import arb_taylor, arb_value
from gelu_verify.enclosures import working_precision
from gelu_verify.errors import IncompleteError

Form = tuple[str, *tuple[Fraction, ...]]
# the functions that certificates cover: x times a gate, which is written as the checker reads it
GATES = {
    "relu": "step(x)",
    "gelu": "Phi(x)",
    "silu": "sigma(1 (1 x + 0 x^3))",
    "gelu_sigmoid": "sigma(1 ({} x + 0 x^3))",
    "gelu_tanh": "sigma(2 sqrt(2/pi) (1 x + {} x^3))",
    "gelu_tanh2": "sigma(2 ({} x + {} x^3))",
}
FREE = {"gelu_sigmoid": "a", "gelu_tanh": "b", "gelu_tanh2": "ab"}  # the families' constants, as the checker names them
_SCAN_BITS = 64
_NEWTON_STEPS = 60
_LEVELLING_STEPS = 8


@dataclass(frozen=True)
class Error:
    """The error F^(derivative), where F = left - right, or that divided by x.

    Attributes:
        left, right: a function's name, then its constants.
        weight: "x" for F = left - right, "1" for (left - right)/x.
    """

    left: Form
    right: Form
    weight: str = "x"
    derivative: int = 0

    @cached_property
    def _expression(self) -> Expression:
        left, right = (_expression(form, self.weight) for form in (self.left, self.right))
        return Operation("-", (left, right))

    def taylor(self, t: arb, order: int) -> list[arb]:
        """Enclose the coefficients 0..order of F^(derivative) at t > 0 (at t >= 0 without relu)."""
        coefficients = arb_taylor(self._expression, t, order + self.derivative)
        for _ in range(self.derivative):
            coefficients = [coefficient * i for i, coefficient in enumerate(coefficients)][1:]
        return coefficients

    def with_left(self, constants: Sequence[Fraction]) -> "Error":
        """Return the error of another member of the left family."""
        return replace(self, left=(self.left[0], *constants))

    def sensitivities(self, t: arb) -> list[arb]:
        """Return dF/d(constant) at t for each constant on the left (derivative 0)."""
        along = {"a": self.lever(t), "b": self.lever(t) * t**2}
        return [along[name] for name in FREE[self.left[0]]]

    def lever(self, t: arb) -> arb:
        """Return dF/da at t, where m (a x + b x^3) is the argument of sigma on the left (derivative 0)."""
        scale = {"gelu_sigmoid": arb(1), "gelu_tanh": 2 * (2 / arb.pi()).sqrt(), "gelu_tanh2": arb(2)}[self.left[0]]
        sigma = arb_value(_expression(self.left, "1"), t)
        return scale * t * sigma * (1 - sigma) * (t if self.weight == "x" else 1)


def _expression(form: Sequence[str | Fraction], weight: str) -> Expression:
    """Return a catalogue function, or its gate f(x)/x, with exact constants."""
    function = get_function(str(form[0]))
    constants = {name: Number(Fraction(value)) for name, value in zip(function.constants, form[1:], strict=True)}
    expression = parse(function.formula, constants)
    if weight == "x":
        return expression
    if isinstance(expression, Operation) and expression.operator == "*" and expression.arguments[0] == Variable():
        return expression.arguments[1]
    raise ValueError(f"{function.name} is not written as x times its gate")


def maxima(error: Error, end: Fraction) -> list[Fraction]:
    """Return where |F^(derivative)| has its local maxima on [0, end], in order, to about 15 digits."""
    with working_precision(_SCAN_BITS):
        points = _scan_points(end)
        slopes = [error.taylor(to_ball(point), 1)[1] for point in points]
        found = [_bisect(error, a, b) for (a, p), (b, q) in pairwise(zip(points, slopes, strict=True)) if p * q < 0]
        even = (error.derivative + (error.weight == "1")) % 2 == 0
        if even and "relu" not in (error.left[0], error.right[0]):
            found.insert(0, Fraction(0))
        return [t for t in found if _is_maximum(error, t)]


def _scan_points(end: Fraction) -> list[Fraction]:
    """Return points dense enough for functions that live on the scale of 1, and of any other size, up to `end`."""
    points = {Fraction(i, 16) for i in range(1, 16 * 8) if Fraction(i, 16) < end}
    point = end
    while point > Fraction(1, 2**20):
        points.add(point)
        point = Fraction(round(point * 15 / 16 * 2**30), 2**30)
    return sorted(points)


def _bisect(error: Error, lo: Fraction, hi: Fraction) -> Fraction:
    below = error.taylor(to_ball(lo), 1)[1] < 0
    for _ in range(40):
        middle = (lo + hi) / 2
        if (error.taylor(to_ball(middle), 1)[1] < 0) == below:
            lo = middle
        else:
            hi = middle
    return (lo + hi) / 2


def _is_maximum(error: Error, t: Fraction) -> bool:
    value, _, half_bend = error.taylor(to_ball(t), 2)
    return bool(value * half_bend < 0)


def polish(error: Error, t: Fraction, bits: int) -> Fraction:
    """Return the stationary point of F^(derivative) near t, to about `bits` bits, by Newton's method."""
    if t == 0:
        return t
    with working_precision(bits + 32):
        point = to_ball(t)
        for _ in range(_NEWTON_STEPS):
            _, slope, half_bend = error.taylor(point, 2)
            step = (slope / (2 * half_bend)).mid()
            point = (point - step).mid()
            if abs(step) < arb(2) ** (-bits):
                return rational(point)
    raise IncompleteError("a stationary point was not found to the digits asked for; ask for fewer")


def best_constants(error: Error, end: Fraction, bits: int) -> tuple[Error, list[Fraction]]:
    """Return the member of the left family whose error alternates with equal maxima, and where it does.

    Remez's exchange (Cheney, Introduction to Approximation Theory, 3.8): level the error at some points, move the
    points to its maxima, and repeat. As dF/dt = 0 there, this converges quadratically.
    """
    count = len(error.left)
    points = [Fraction(12 * i + 9, 4 * count) for i in range(count)]  # spread over [0, 3], where the error lives
    for _ in range(_LEVELLING_STEPS):
        error, _ = _level(error, points, _SCAN_BITS)
    points = _alternation(error, maxima(error, end), count)
    for _ in range(_NEWTON_STEPS):
        points = [polish(error, t, bits) for t in points]
        error, change = _level(error, points, bits)
        if change < arb(2) ** (-bits):
            return error, points
    raise IncompleteError("the best constants were not found to the digits asked for; ask for fewer")


def _level(error: Error, points: list[Fraction], bits: int) -> tuple[Error, arb]:
    """Take one Newton step for F(t_i) = (-1)^i E, in the constants and E; return also the step's size."""
    with working_precision(bits + 32):
        balls = [to_ball(t) for t in points]
        values = [[-error.taylor(t, 0)[0]] for t in balls]
        rows = [[*error.sensitivities(t), arb((-1) ** i)] for i, t in enumerate(balls)]
        solved = arb_mat(rows).solve(arb_mat(values))
        steps = [solved[i, 0].mid() for i in range(len(points) - 1)]
        left = [rational(to_ball(q) + step) for q, step in zip(error.left[1:], steps, strict=True)]
        return error.with_left(left), max(abs(step) for step in steps)


def _alternation(error: Error, points: list[Fraction], count: int) -> list[Fraction]:
    """Return the `count` consecutive maxima of |F| that are largest."""
    if len(points) < count:
        raise IncompleteError("the error has fewer maxima than a best approximation needs")
    with working_precision(_SCAN_BITS):
        sizes = [float(abs(error.taylor(to_ball(t), 0)[0]).mid()) for t in points]
    start = max(range(len(points) - count + 1), key=lambda i: min(sizes[i : i + count]))
    return points[start : start + count]


def to_ball(number: Fraction) -> arb:
    """Enclose a rational number at the current precision."""
    exact = Fraction(number)
    return arb(fmpq(exact.numerator, exact.denominator))


def rational(number: arb) -> Fraction:
    """Return the midpoint of a ball exactly."""
    mantissa, exponent = number.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
