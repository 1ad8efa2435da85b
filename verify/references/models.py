"""Certified polynomials in float64: what a function is on a span, with a proven bound for everything that was rounded.

On a span of n encodings the value at index i is p(t), t = (i - n/2)/(n/2), up to

    |f(x_i) - p(t)| <= remainder |t|^N + coefficient_error.

The coefficients come from an Arb Taylor expansion at the centre; `remainder` from one over the whole span (Lagrange);
`coefficient_error` is what rounding the coefficients to float64 lost. A model of a long span is then re-expanded at
the centres of its chunks, and the re-expansion's own roundings are bounded by the classical gamma_n = n u/(1 - n u)
times the sum of the absolute values of all products (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
sections 3.1 and 5.1), which holds for every order of summation and with or without fused multiply-add.
"""

from dataclasses import dataclass
from functools import cache
from math import comb, frexp, inf, isfinite

import numpy as np
import numpy.typing as npt
from flint import arb

from gelu_verify.catalogue import Expression
from gelu_verify.catalogue.evaluators import NotSmooth, arb_taylor
from gelu_verify.enclosures import working_precision
from gelu_verify.formats import Format, arrays
from gelu_verify.references.spans import Span
from gelu_verify.references.values import derivative_ball

Floats = npt.NDArray[np.float64]

PRECISION = 128  # bits of the Arb expansions
FINE_PRECISION = 512  # the same where that leaves too little, as in log(1 + exp(x)) far to the left
TERMS = 16  # coefficients of a model before those that do not matter are dropped
COLUMNS = 256  # a chunk is seen as rows of so many encodings
BUDGET = 2.0**-18  # what a model may be off by, in ulps of the least value of a chunk
TRUNCATION = 2.0**-22  # what leaving out high terms may add, in the same unit
ROUND_UP = 1 + 2.0**-40  # covers the float64 roundings made while bounds are added up
UNDERFLOW = 2.0**-1060  # covers products that fall below the normal float64 numbers
_UNIT = 2.0**-53
_SAMPLES = (-1.0, -0.625, 0.375)  # places in [-1, 1] where a model is compared with Arb, besides its last encoding
_UNCERTAIN = 2.0**-100  # the width of Arb's own ball


@dataclass(frozen=True, slots=True)
class Model:
    """A polynomial on a span; see the module's docstring for what its three parts promise."""

    span: Span
    coefficients: Floats
    remainder: float
    coefficient_error: float

    def at(self, t: float) -> tuple[float, float]:
        """Return the polynomial's value at t in [-1, 1] and a bound for its distance to the function."""
        value, size = 0.0, 0.0
        for coefficient in self.coefficients[::-1]:
            value = value * t + float(coefficient)
            size = size * abs(t) + abs(float(coefficient))
        count = len(self.coefficients)
        rounding = gamma(2 * count + 2) * size
        bound = self.remainder * abs(t) ** count + self.coefficient_error + rounding + UNDERFLOW
        return value, bound * ROUND_UP


def gamma(roundings: int) -> float:
    """Return the bound for the relative error of a product of so many factors (1 + d), |d| <= 2^-53."""
    return roundings * _UNIT / (1 - roundings * _UNIT) * ROUND_UP


def expand(
    expression: Expression, derivative: int, span: Span, terms: int = TERMS, precision: int = PRECISION
) -> Model | None:
    """Return a model of the derivative on the span, or None where Arb finds no finite expansion there."""
    with working_precision(precision):
        try:
            local = derivative_taylor(expression, span.point(span.count // 2), derivative, terms - 1)
            beyond = derivative_taylor(expression, span.hull(), derivative, terms)[terms]
        except (NotSmooth, ZeroDivisionError):
            return None
        coefficients = np.empty(terms)
        error = 0.0
        for k, ball in enumerate(local):
            scaled = _scaled(ball, span, k)
            coefficients[k] = float(scaled)
            error += upper(scaled - coefficients[k]) if isfinite(coefficients[k]) else inf
        remainder = upper(_scaled(beyond, span, terms))
    if not isfinite(remainder + error):
        return None
    return _shortened(Model(span, coefficients, remainder, error * ROUND_UP))


def derivative_taylor(expression: Expression, x: arb, derivative: int, order: int) -> list[arb]:
    """Enclose the Taylor coefficients 0..order of the derivative over the ball x; raises NotSmooth as `arb_taylor`."""
    series = arb_taylor(expression, x, derivative + order)[derivative:]
    if derivative == 0:
        return series
    return [c * arb.fac_ui(k + derivative) / arb.fac_ui(k) for k, c in enumerate(series)]


def upper(ball: arb) -> float:
    """Return a float64 that is at least the absolute value of every point of the ball; infinity if it is not finite."""
    bound = float(ball.abs_upper())
    return bound * ROUND_UP + UNDERFLOW if isfinite(bound) else inf


def _scaled(ball: arb, span: Span, k: int) -> arb:
    """Multiply the k-th coefficient by (dx/dt)^k, so that it belongs to t."""
    size = ball * arb((1, (span.spacing + span.count.bit_length() - 2) * k))
    return -size if span.negative and k % 2 else size


def _shortened(model: Model) -> Model:
    """Drop high coefficients that are far below the others; they join the remainder."""
    sizes = np.abs(model.coefficients)
    scale = float(sizes[0] - sizes[1:].sum())
    count = len(sizes)
    dropped = model.remainder
    while count > 2 and dropped + sizes[count - 1] <= 2.0**-60 * scale:
        dropped += float(sizes[count - 1])
        count -= 1
    return Model(model.span, model.coefficients[:count].copy(), dropped * ROUND_UP, model.coefficient_error)


@dataclass(frozen=True, slots=True)
class Pieces:
    """A model re-expanded at the centres of equal chunks of its span, and what is known of each chunk.

    Attributes:
        coefficients: one row a chunk, in t of that chunk.
        bound: for each chunk, how far the values computed by `oracle.Kernel` may be off (absolute).
        terms: how many terms are needed within a row of the chunk.
        low, high: for each chunk, bounds of |f|.
        direction: for each chunk, +1 or -1 if the values rise or fall with the index throughout, else 0.
        step: for each chunk, a lower bound of the difference between neighbouring values.
    """

    coefficients: Floats
    bound: Floats
    terms: int
    low: Floats
    high: Floats
    direction: npt.NDArray[np.int8]
    step: Floats


def cut(model: Model, chunks: int) -> Pieces:
    """Re-expand a model at the centres of `chunks` equal parts of its span."""
    count = len(model.coefficients)
    places = (2.0 * np.arange(chunks) + 1 - chunks) / chunks
    shifted = powers(chunks, count) @ taylor_matrix(model.coefficients, count, 1 / chunks)
    reach = np.asarray(np.abs(places) + 1 / chunks, np.float64)
    sizes = np.abs(shifted)
    absolute = np.polynomial.polynomial.polyval(reach, np.abs(model.coefficients))
    rows = max(model.span.count // chunks // COLUMNS, 1)
    # Roundings on the way of one coefficient to a value: scaling and summing here and in the kernel (twice count + 2
    # each) and the last product, of at most `count` terms.
    accumulated = np.asarray(gamma(5 * count + 12) * absolute + UNDERFLOW, np.float64)
    _require_same_polynomial(model, shifted, places, accumulated)
    base = model.remainder * reach**count + model.coefficient_error + accumulated
    spread = sizes[:, 1:].sum(axis=1) + base
    low = np.maximum(np.abs(shifted[:, 0]) - spread, 0) / ROUND_UP
    high = (np.abs(shifted[:, 0]) + spread) * ROUND_UP
    terms, left_out = _terms_needed(sizes, rows, _least_ulp(model.span, low))
    slope_doubt = (sizes[:, 2:] * np.arange(2, count)).sum(axis=1) + 2 * count * count * base
    slope = np.maximum(sizes[:, 1] - slope_doubt * ROUND_UP, 0)
    rising = np.where(slope > 0, np.sign(shifted[:, 1]), 0).astype(np.int8)
    step = slope * 2 * chunks / model.span.count / ROUND_UP
    return Pieces(shifted, (base + left_out) * ROUND_UP, terms, low, high, rising, step)


def _require_same_polynomial(model: Model, shifted: Floats, places: Floats, allowed: Floats) -> None:
    """Compare the re-expanded polynomials with the model at the centres and at the upper ends of the chunks."""
    for inside, values in ((0.0, shifted[:, 0]), (1.0, shifted.sum(axis=1))):
        expected = np.polynomial.polynomial.polyval(places + inside / len(places), model.coefficients)
        if not np.all(np.abs(values - expected) <= 2 * allowed):
            raise ArithmeticError("a re-expanded polynomial is off by more than its bound: the BLAS cannot be trusted")


def blurred(model: Model) -> bool:
    """Tell whether Arb's balls are much wider than what rounding to float64 loses: more precision would help."""
    return bool(model.coefficient_error > 2.0**-50 * np.abs(model.coefficients).sum())


def hopeless(model: Model) -> bool:
    """Tell whether a model cannot be within budget even where the function is largest, without cutting it up."""
    largest = np.abs(model.coefficients).sum()
    least_error = model.remainder + model.coefficient_error
    return bool(least_error > BUDGET * _least_ulp(model.span, largest))


def within_budget(model: Model, pieces: Pieces) -> bool:
    """Tell whether every chunk's bound is a small fraction of the least ulp in it."""
    return bool(np.all(pieces.bound <= BUDGET * _least_ulp(model.span, pieces.low)))


def ulp_exponent(format: Format, size: float) -> int:
    """Return e where 2^e is the ulp of a finite number of this size."""
    return max(frexp(size)[1] - 1 if size else format.emin, format.emin) - format.fraction_bits


def _least_ulp(span: Span, low: Floats | np.float64) -> Floats:
    """Return the ulp at each lower bound of |f|, as float64 (of the format of the span)."""
    return arrays.ulp(span.format, low)


def _terms_needed(sizes: Floats, rows: int, least_ulp: Floats) -> tuple[int, Floats]:
    """Return K and the bound for leaving out the terms from K on within each row.

    In row coordinates, sum over k >= K of C(m, k) s^(m-k) (1/rows)^k <= C(m, K) (1/rows)^K for |s| + 1/rows <= 1.
    """
    count = sizes.shape[1]
    for terms in range(2, count):
        tail = np.array([comb(m, terms) for m in range(count)]) * float(rows) ** -terms
        left_out = sizes @ tail
        if np.all(left_out <= TRUNCATION * least_ulp):
            return terms, left_out
    return count, np.zeros(len(sizes))


def verify_model(expression: Expression, derivative: int, model: Model) -> None:
    """Compare a model with Arb at points of its span.

    Raises:
        ArithmeticError: the polynomial is off by more than it promises, so a coefficient must be wrong.
    """
    count = model.span.count
    indices = {1 if model.span.starts_at_zero else 0, count - 1, *(int((t + 1) / 2 * count) for t in _SAMPLES)}
    for index in sorted(indices - ({0} if model.span.starts_at_zero else set())):
        value, bound = model.at(2 * index / count - 1)
        for precision in (PRECISION, FINE_PRECISION):
            with working_precision(precision):
                distance = derivative_ball(expression, model.span.point(index), derivative) - value
            if upper(distance) <= bound + _UNCERTAIN * abs(value):
                break
        else:
            raise ArithmeticError(
                f"the polynomial for encodings {model.span.first:#x} to {model.span.last:#x} gives {value!r} "
                f"at {model.span.first + index:#x}, further from Arb's value than its bound {bound!r}"
            )


@cache
def powers(parts: int, count: int) -> Floats:
    """Return s_j^i for the centres s_j of equal parts of [-1, 1]: shape (parts, count), each rounded once."""
    odd = [2 * j + 1 - parts for j in range(parts)]
    return np.array([[place**i / parts**i for i in range(count)] for place in odd])


@cache
def _binomials(count: int, terms: int, ratio: float) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return C(j + k, k) ratio^k, zero beyond the degree, and the index j + k to look the coefficient up."""
    table = [[comb(j + k, k) * ratio**k if j + k < count else 0 for k in range(terms)] for j in range(count)]
    index = [[min(j + k, count - 1) for k in range(terms)] for j in range(count)]
    return np.array(table, np.float64), np.array(index, np.intp)


def taylor_matrix(coefficients: Floats, terms: int, ratio: float) -> Floats:
    """Return H with (powers @ H)[j, k] the k-th coefficient at centre s_j, scaled by ratio^k (a power of two)."""
    binomials, index = _binomials(len(coefficients), terms, ratio)
    return binomials * coefficients[index]
