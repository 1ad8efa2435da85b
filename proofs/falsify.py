"""The search for a counterexample: a statement is tried at seeded random rational points before anyone believes it.

Equalities are evaluated by mpmath to 50 digits and by Arb, everything else by Arb. What Arb separates is a proof of
falsehood; so is an mpmath disagreement treated, since a theorem must survive both. Finding nothing proves nothing.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import sympy
from sympy.stats.symbolic_probability import Probability

from gelu_verify.proofs.methods.structure import one_sided_branches
from gelu_verify.proofs.numerics import approximate, enclose, exact
from gelu_verify.proofs.preparation import NotEvaluable, prepare
from gelu_verify.proofs.statements import (
    Compare,
    Corner,
    Curved,
    Equal,
    Implies,
    Monotone,
    Over,
    Smooth,
    Statement,
    UniqueZero,
)

SEED = 20160627  # arXiv:1606.08415 was submitted on 27 June 2016
POINTS = 6
_INDICES = 4  # an integer takes the first values of its set
_INTEGRAL_POINTS = 2
_TOLERANCE = sympy.Rational(1, 10**40)
_INTEGRAL_TOLERANCE = sympy.Rational(1, 10**25)

Point = dict[Any, Any]


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of a search: a counterexample, or at how many points the statement survived."""

    witness: str | None
    points: int


def falsify(statement: Statement, seed: int = SEED) -> Trial:
    """Look for a counterexample to the statement; the same seed looks at the same points."""
    return _falsify(statement, seed)


@cache
def _falsify(statement: Statement, seed: int) -> Trial:
    match statement:
        case Equal():
            return _equal(statement, seed)
        case Compare():
            return _first(_compare(statement, seed))
        case Monotone():
            return _first(_monotone(statement, seed))
        case Curved():
            return _first(_curved(statement, seed))
        case UniqueZero():
            return _first(_unique_zero(statement, seed))
        case Smooth():
            return Trial(_rough(statement), 0)
        case Corner() | Implies():
            return Trial(None, 0)  # settled exactly, by the methods that conclude them


def _first(trials: Iterator[str | None]) -> Trial:
    survived = 0
    for witness in trials:
        if witness is not None:
            return Trial(witness, survived)
        survived += 1
    return Trial(None, survived)


def _equal(statement: Equal, seed: int) -> Trial:
    both = (statement.left, statement.right)
    if any(side.has(sympy.Limit) for side in both):
        return Trial(None, 0)
    hard = any(side.has(sympy.Integral, Probability) for side in both)
    survived = 0
    for point in points(statement.over, seed, _INTEGRAL_POINTS if hard else POINTS):
        try:
            witness = disagreement(statement, point, _INTEGRAL_TOLERANCE if hard else _TOLERANCE)
        except NotEvaluable:
            continue
        if witness is not None:
            return Trial(witness, survived)
        survived += 1
    return Trial(None, survived)


def disagreement(statement: Equal, point: Point, tolerance: Any = _TOLERANCE) -> str | None:
    """Compare the two sides at a point; return the witness if they differ.

    Raises:
        NotEvaluable: the sides have no numeric value there.
    """
    left, right, values = _at(statement.left, point), _at(statement.right, point), _reals(point)
    try:
        difference = enclose(left, values) - enclose(right, values)
        if not difference.contains(0):
            return f"at {_show(point)} the sides differ by {difference.str(6, radius=False)} (enclosure)"
    except NotEvaluable:
        pass  # an integral or an infinite sum: mpmath alone
    one, other = approximate(left, values), approximate(right, values)
    scale = max(1, abs(one), abs(other))
    if abs(one - other) > scale * int(tolerance.p) / int(tolerance.q):
        return f"at {_show(point)} the sides are {_number(one)} and {_number(other)} (mpmath)"
    return None


def _compare(statement: Compare, seed: int) -> Iterator[str | None]:
    for point in points(statement.over, seed, POINTS):
        try:
            gap = enclose(_at(statement.left - statement.right, point), _reals(point))
        except NotEvaluable:
            continue
        wrong = {"<": gap >= 0, "<=": gap > 0, ">": gap <= 0, ">=": gap < 0, "!=": gap == 0}[statement.relation]
        yield f"at {_show(point)} left minus right is {gap.str(6, radius=False)}" if wrong else None


def _monotone(statement: Monotone, seed: int) -> Iterator[str | None]:
    variable = statement.over[0][0]
    for point, other in _pairs(statement.over, seed):
        try:
            low, high = (enclose(_at(statement.expression, p), _reals(p)) for p in (point, other))
        except NotEvaluable:
            continue
        wrong = low >= high if statement.increasing else low <= high
        yield f"between {variable} = {point[variable]} and {other[variable]} it goes the other way" if wrong else None


def _curved(statement: Curved, seed: int) -> Iterator[str | None]:
    variable = statement.over[0][0]
    for point, other in _pairs(statement.over, seed):
        middle = {**point, variable: (point[variable] + other[variable]) / 2}
        try:
            low, mid, high = (enclose(_at(statement.expression, p), _reals(p)) for p in (point, middle, other))
        except NotEvaluable:
            continue
        bend = (low + high) / 2 - mid
        wrong = bend <= 0 if statement.convex else bend >= 0
        yield f"the chord from {point[variable]} to {other[variable]} lies on the wrong side" if wrong else None


def _pairs(over: Over, seed: int) -> Iterator[tuple[Point, Point]]:
    """Yield neighbouring points that differ in the first variable only, in increasing order."""
    variable = over[0][0]
    found = list(points(over, seed, 2 * POINTS))
    ordered = sorted({point[variable] for point in found})
    for number, (low, high) in enumerate(pairwise(ordered)):
        rest = found[number % 2]
        yield {**rest, variable: low}, {**rest, variable: high}


def _unique_zero(statement: UniqueZero, seed: int) -> Iterator[str | None]:
    variable, domain = statement.over[0]
    if domain.contains(statement.zero) == sympy.false:
        yield f"{statement.zero} is not in {domain}"
    sides: dict[tuple[bool, tuple[Any, ...]], tuple[int, Any]] = {}
    for point in points(statement.over, seed, 2 * POINTS):
        rest = {name: value for name, value in point.items() if name != variable}
        try:
            at_zero = enclose(_at(statement.expression.subs(variable, statement.zero), rest), _reals(rest))
            zero = enclose(_at(statement.zero, rest), _reals(rest))
            value = enclose(_at(statement.expression, point), _reals(point))
        except NotEvaluable:
            continue
        if not at_zero.contains(0):
            yield f"at {statement.zero} it is {at_zero.str(6, radius=False)}"
        sign = 1 if value > 0 else -1 if value < 0 else 0
        key = (bool(zero < exact_ball(point[variable])), tuple(rest.values()))
        before, place = sides.setdefault(key, (sign, point[variable]))
        yield f"it changes sign between {place} and {point[variable]}" if sign * before < 0 else None


def _rough(statement: Smooth) -> str | None:
    """Look at the two branches beside 0 of a function with branches."""
    variable, region = statement.over[0]
    sides = one_sided_branches(statement.expression, variable, sympy.Integer(0))
    if sides is None or region.contains(0) != sympy.true:
        return None
    for order in range(3):
        jump = sympy.diff(sides[0] - sides[1], variable, order).subs(variable, 0)
        if jump.is_number and jump.is_nonzero:
            return f"at {variable} = 0 the one-sided derivatives of order {order} differ by {jump}"
    return None


def exact_ball(value: Any) -> Any:
    """Return the exact rational as an Arb ball."""
    return enclose(sympy.sympify(value))


def _at(expression: Any, point: Point) -> Any:
    integers = {name: int(value) for name, value in point.items() if getattr(name, "is_integer", False)}
    return prepare(expression, integers)


def _reals(point: Point) -> Point:
    reals = {name: value for name, value in point.items() if not getattr(name, "is_integer", False)}
    for base in [name for name in reals if isinstance(name, sympy.IndexedBase)]:
        value = reals.pop(base)
        reals |= {base[index]: value + sympy.Rational(index**2, 7) for index in range(1, 2 * _INDICES)}
    return reals


def _show(point: Point) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items()) or "the given numbers"


def _number(value: Any) -> str:
    return str(value)[:24]


def points(over: Over, seed: int, count: int) -> Iterator[Point]:
    """Yield seeded rational points of the sets in `over`, simple and marginal ones first."""
    if not over:
        yield {}
        return
    columns = []
    for position, (name, domain) in enumerate(over):
        generator = random.Random(f"{seed} {position} {name} {domain}")
        columns.append([(name, value) for value in _values(domain, generator, count)])
    for row in zip(*columns, strict=True):
        yield dict(row)


def _values(domain: Any, generator: random.Random, count: int) -> list[Any]:
    if isinstance(domain, sympy.Range):
        return [domain.start + index % _INDICES for index in range(count)]
    if isinstance(domain, sympy.Union):
        share = [_values(piece, generator, count) for piece in domain.args]
        return [share[index % len(share)][index] for index in range(count)]
    if isinstance(domain, sympy.FiniteSet):
        return [domain.args[index % len(domain.args)] for index in range(count)]
    if domain in (sympy.S.Reals, sympy.S.Complexes):
        domain = sympy.Interval(-6, 6)
    return _inside(domain, generator, count)


def _inside(domain: Any, generator: random.Random, count: int) -> list[Any]:
    low, high = (_rational_end(end) for end in (domain.start, domain.end))
    low = high - 6 if low is None and high is not None else low
    high = low + 6 if high is None and low is not None else high
    values = [low + (high - low) * sympy.Rational(generator.randint(20, 977), 997) for _ in range(count)]
    for index, (end, is_open) in enumerate(((domain.start, domain.left_open), (domain.end, domain.right_open))):
        if end.is_Rational and not is_open:
            values[-1 - index] = end
    return values


def _rational_end(end: Any) -> Any:
    if end in (sympy.oo, -sympy.oo):
        return None
    return end if end.is_Rational else exact(enclose(prepare(end)))
