"""A million random points for each function: none lies outside its enclosure.

The points are evaluated in NumPy's binary64, an arithmetic that shares nothing with Arb; a slack of a few ulps of the
intermediate values allows for its rounding errors, far below the width of the enclosures tried.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special

from gelu_verify.bounds.smooth import Smooth
from gelu_verify.catalogue import FUNCTIONS, parse
from gelu_verify.catalogue.expression import Expression, evaluate
from gelu_verify.enclosures.tails import bound_beyond

Array = npt.NDArray[np.float64]
CELLS, POINTS = 500, 2000  # a million points for each function
SLACK = 1e-12  # relative to 1 + |x|: some thousand ulps of the largest intermediate values met here
SMOOTH = [name for name in FUNCTIONS if name not in ("relu", "leaky_relu", "elu")]


class Vectorised:
    """The algebra of NumPy arrays."""

    def __init__(self, x: Array) -> None:
        self._x = x

    def number(self, value: Fraction) -> Array:
        return np.float64(float(value))

    def constant(self, name: str) -> Array:
        return np.float64(getattr(np, name))

    def variable(self) -> Array:
        return self._x

    def power(self, base: Array, exponent: int) -> Array:
        return base ** float(exponent)

    def apply(self, operator: str, *arguments: Array) -> Array:
        return OPERATORS[operator](*arguments)

    def where(self, relation: str, left: Array, right: Array, then: Callable, otherwise: Callable) -> Array:
        compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}[relation]
        return np.where(compare(left, right), then(), otherwise())


OPERATORS: dict[str, Callable[..., Array]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "neg": np.negative,
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "erf": special.erf,
    "erfc": special.erfc,
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "sigmoid": special.expit,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
}


def vectorised(expression: Expression, x: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.broadcast_to(evaluate(expression, Vectorised(x)), x.shape)


def outside(values: Array, enclosure: object, slack: Array) -> int:
    low, high = float(enclosure.lower()), float(enclosure.upper())
    return int(np.count_nonzero(~((values >= low - slack) & (values <= high + slack))))


@pytest.mark.parametrize("name", SMOOTH)
def test_values_slopes_and_bends_stay_in_the_taylor_models_of_random_cells(name):
    f = Smooth(FUNCTIONS[name].expression)
    derivatives = [f.derivative(order).expression for order in range(3)]
    random = np.random.default_rng(20260101)
    wrong = 0
    for _ in range(CELLS):
        lower = Fraction(random.integers(-8 * 2**20, 8 * 2**20).item(), 2**20)
        width = Fraction(random.integers(1, 2**20).item(), 2 ** random.integers(20, 30).item())
        model = f.model(lower, lower + width)
        if model is None:
            continue
        x = float(lower) + float(width) * random.random(POINTS)
        slack = SLACK * (1 + np.abs(x) ** 3)
        values, slopes, bends = (vectorised(expression, x) for expression in derivatives)
        wrong += outside(values, model.value, slack) + outside(slopes, model.slope, slack)
        wrong += outside(bends / 2, model.bend, slack)
        low, high = f.range(lower, lower + width)
        wrong += outside(values, low.union(high), slack)
    assert wrong == 0


@pytest.mark.parametrize("formula", [f"{name}(x)" for name in FUNCTIONS] + [f"{name}(x) - gelu(x)" for name in SMOOTH])
def test_no_point_beyond_exceeds_the_bound_of_the_half_line(formula):
    expression = parse(formula)
    random = np.random.default_rng(20260102)
    for side in (1, -1):
        for start in (4, 16):
            bound = bound_beyond(expression, start, side)
            if bound is None:
                continue
            x = side * start * np.exp(random.exponential(1.0, CELLS * POINTS // 4))
            x[0] = side * start
            values = np.abs(vectorised(expression, x))
            assert np.all(~(values > float(bound) * (1 + 1e-9) + 1e-12 * (formula.count("gelu") > 1) * np.abs(x)))


@pytest.mark.parametrize(
    "formula",
    [
        "exp(-exp(exp(x)))",
        "abs(x - 1)*min(x, x**2)/(3 + max(x, -x**3))",
        "where(x < 1, erfc(x), log1p(x**2))**3",
        "sqrt(4 + tanh(x))**-3*expm1(x)",
        "(x**2 - 2)**4*x**5 - x/(x**2 + 1)",
    ],
)
def test_values_stay_in_wide_intervals_evaluated_at_their_ends(formula):
    f, random = Smooth(parse(formula)), np.random.default_rng(20260104)
    for _ in range(100):
        lower = Fraction(random.integers(-4 * 2**10, 3 * 2**10).item(), 2**10)
        width = Fraction(random.integers(1, 2**10).item(), 2**8)
        low, high = f.range(lower, lower + width)
        values = vectorised(f.base, float(lower) + float(width) * random.random(10_000))
        slack = SLACK * (1 + np.abs(values))
        assert outside(values, low.union(high), slack) == 0


def test_a_cell_that_is_claimed_too_narrow_is_caught():
    """The check itself must be able to fail."""
    f = Smooth(parse("gelu(x)"))
    model = f.model(Fraction(1), Fraction(2))
    x = np.linspace(1, 2, 1000)
    assert outside(vectorised(f.base, x), model.value, np.float64(SLACK)) == 0
    assert outside(vectorised(f.base, x), f.model(Fraction(1), Fraction(15, 8)).value, np.float64(SLACK)) > 0
