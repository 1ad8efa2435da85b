"""Methods about integrals and power series."""

from dataclasses import dataclass
from typing import Any, ClassVar

import sympy

from gelu_verify.proofs.methods.limits import approaches, exact_limit
from gelu_verify.proofs.methods.outcome import Outcome, listed, proved, unknown
from gelu_verify.proofs.methods.structure import ALLOWED, POSITIVE, not_smooth, possible_signs
from gelu_verify.proofs.normal import vanishes
from gelu_verify.proofs.notation import unfold
from gelu_verify.proofs.statements import Compare, Equal, Over, Smooth, Statement, covers


@dataclass(frozen=True, slots=True)
class Antiderivative:
    """The antiderivative is differentiated back to the integrand, and its limits at the two ends are subtracted.

    SymPy's `integrate` is not asked: the fundamental theorem needs no more than this.
    """

    antiderivative: Any
    name: ClassVar[str] = "integral"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not (isinstance(goal, Equal) and isinstance(goal.left, sympy.Integral) and len(goal.left.limits) == 1):
            return unknown("the left side is no definite integral")
        ((variable, low, high),) = goal.left.limits
        inner = ((variable, sympy.S.Reals), *goal.over)
        problem = not_smooth(self.antiderivative, variable, inner)
        if problem is not None:
            return unknown("the antiderivative is not evidently smooth: {}", problem)
        if not vanishes(sympy.Derivative(self.antiderivative, variable) - goal.left.function, inner):
            return unknown("the antiderivative's derivative is not the integrand")
        ends = [self._value(variable, end, "-" if end == high else "+", goal.over) for end in (low, high)]
        if None in ends:
            return unknown("the antiderivative's limit at an end is not certain")
        if vanishes(ends[1] - ends[0] - goal.right, goal.over):
            return proved("differentiates to the integrand; at the ends {} and {}", ends[0], ends[1])
        return unknown("the integral is {}", sympy.simplify(ends[1] - ends[0]))

    def _value(self, variable: Any, end: Any, direction: str, over: Over) -> Any:
        if end not in (sympy.oo, -sympy.oo):
            return self.antiderivative.subs(variable, end)
        limit = exact_limit(self.antiderivative, variable, end, direction)
        if not limit.is_finite or limit.has(sympy.Limit, variable):
            return None
        return None if approaches(self.antiderivative, variable, end, direction, limit, over) else limit


@dataclass(frozen=True, slots=True)
class Linearity:
    """An integrand is a combination of integrands whose (convergent) integrals the facts give.

    `coefficients` belong to the facts in order and do not depend on the integration variable.
    """

    coefficients: tuple[Any, ...]
    name: ClassVar[str] = "linearity"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not (isinstance(goal, Equal) and isinstance(goal.left, sympy.Integral)):
            return unknown("the left side is no integral")
        limits = goal.left.limits
        integrand, value = goal.left.function, goal.right
        if len(facts) != len(self.coefficients):
            return unknown("one coefficient for each known integral")
        for coefficient, fact in zip(self.coefficients, facts, strict=True):
            if not (isinstance(fact, Equal) and isinstance(fact.left, sympy.Integral) and fact.left.limits == limits):
                return unknown("a fact is no integral between the same ends")
            if not covers(fact.over, goal.over) or sympy.sympify(coefficient).has(limits[0][0]):
                return unknown("a fact holds on a smaller set, or its coefficient is not constant")
            integrand -= coefficient * fact.left.function
            value -= coefficient * fact.right
        inner = ((limits[0][0], sympy.S.Reals), *goal.over)
        if vanishes(integrand, inner) and vanishes(value, goal.over):
            return proved("combined with coefficients {}", listed(self.coefficients))
        return unknown("integrand or value is not that combination")


@dataclass(frozen=True, slots=True)
class Substitution:
    """An integral over the line from a known one, by the substitution `inner` = a z + b with a > 0.

    The integrand is `coefficient` times the known integrand at `inner`, times a.
    """

    inner: Any
    coefficient: Any
    name: ClassVar[str] = "substitution"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        fact = facts[0] if facts else None
        if not (isinstance(goal, Equal) and isinstance(goal.left, sympy.Integral) and isinstance(fact, Equal)):
            return unknown("needs a known integral")
        ((variable, *ends),) = goal.left.limits
        if not isinstance(fact.left, sympy.Integral) or not covers(fact.over, goal.over):
            return unknown("the fact is no integral, or holds on a smaller set")
        ((known, *known_ends),) = fact.left.limits
        slope = sympy.diff(self.inner, variable)
        whole = ends == known_ends == [-sympy.oo, sympy.oo]
        if not whole or slope.has(variable) or possible_signs(slope, goal.over) != POSITIVE:
            return unknown("the substitution does not map the line onto itself")
        integrand = self.coefficient * fact.left.function.subs(known, self.inner) * slope
        inner = ((variable, sympy.S.Reals), *goal.over)
        free = not sympy.sympify(self.coefficient).has(variable)
        same = vanishes(goal.left.function - integrand, inner)
        if free and same and vanishes(goal.right - self.coefficient * fact.right, goal.over):
            return proved("{} := {}", known, self.inner)
        return unknown("integrand or value is another one")


@dataclass(frozen=True, slots=True)
class IntegralBound:
    """An integral over [a, b] is at most (at least) b - a times a bound of the integrand (the fact)."""

    name: ClassVar[str] = "bound of an integral"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        fact = facts[0] if facts else None
        if not (isinstance(goal, Compare) and isinstance(fact, Compare) and goal.relation in ("<=", ">=")):
            return unknown("needs a bound of the integrand")
        coefficient, whole = unfold(goal.left).as_independent(sympy.Integral, as_Add=False)
        if not isinstance(whole, sympy.Integral) or possible_signs(coefficient, goal.over) != POSITIVE:
            return unknown("the left side is no positive multiple of an integral")
        ((variable, low, high),) = whole.limits
        inner = ((variable, sympy.S.Reals), *goal.over)
        if possible_signs(high - low, goal.over) != POSITIVE or not covers(fact.over, inner):
            return unknown("the interval may be empty, or the bound holds on a smaller set")
        if not ALLOWED[fact.relation] <= ALLOWED[goal.relation] or fact.right.has(variable):
            return unknown("the bound points the other way, or is not constant")
        same = vanishes(fact.left - whole.function, inner)
        if same and vanishes(goal.right - coefficient * (high - low) * fact.right, goal.over):
            return proved("length {} times {}", high - low, fact.right)
        return unknown("integrand or bound is another one")


@dataclass(frozen=True, slots=True)
class MaclaurinSeries:
    """An entire function equals its Maclaurin series, whose coefficients the facts give.

    The facts: the function is entire (a `Smooth` over the complex plane); then values of derivatives at 0, each
    covering the orders `start + step*j` that it is stated for, so that together they cover all orders.
    """

    name: ClassVar[str] = "Maclaurin series"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not (isinstance(goal, Equal) and facts and isinstance(facts[0], Smooth)):
            return unknown("needs an entire function")
        variable = goal.over[0][0]
        smooth = facts[0]
        if smooth.over[0][1] != sympy.S.Complexes or smooth.expression != goal.left.subs(variable, smooth.over[0][0]):
            return unknown("the function is not shown to be entire")
        finite, infinite = self._parts(goal.right)
        if infinite is None or not finite.is_polynomial(variable):
            return unknown("the right side is not a polynomial plus one power series")
        orders = []
        for fact in facts[1:]:
            order = self._order(fact, goal.left, variable)
            if order is None or not self._agrees(fact, order, finite, infinite, variable):
                return unknown("a coefficient is not the derivative at 0 over the factorial")
            orders.append(order)
        return proved("all coefficients agree") if _cover_all(orders) else unknown("some orders are missing")

    def _parts(self, right: Any) -> tuple[Any, Any]:
        sums = [term for term in sympy.Add.make_args(right) if term.has(sympy.Sum)]
        if len(sums) != 1:
            return right, None
        coefficient, series = sums[0].as_independent(sympy.Sum, as_Add=False)
        if not isinstance(series, sympy.Sum) or series.limits[0][1:] != (0, sympy.oo):
            return right, None
        return right - sums[0], (coefficient * series.function, series.limits[0][0])

    def _order(self, fact: Statement, function: Any, variable: Any) -> tuple[Any, Any] | None:
        """Return (order, index) if the fact gives the function's derivative of that order at 0, else None."""
        if not isinstance(fact, Equal):
            return None
        index = fact.over[0][0] if fact.over else None
        if index is not None and fact.over[0][1] != sympy.Range(0, sympy.oo):
            return None
        left = fact.left
        if isinstance(left, sympy.Subs) and left.point == (0,) and isinstance(left.expr, sympy.Derivative):
            inner, (name, count) = left.expr.expr, left.expr.variable_count[0]
            return (count, index) if inner == function.subs(variable, name) else None
        return (sympy.Integer(0), index) if left == function.subs(variable, 0) else None

    def _agrees(self, fact: Any, order: tuple[Any, Any], finite: Any, infinite: Any, variable: Any) -> bool:
        """Whether the coefficient of variable^order in the right side is the fact's value over order!."""
        degree = order[0]
        term, name = infinite
        exponent = sympy.Add(*(factor.as_base_exp()[1] for factor in sympy.Mul.make_args(term) if factor.has(variable)))
        coefficient = sympy.powsimp(term / variable**exponent)
        step = sympy.diff(exponent, name)
        if not step.is_Integer or step <= 0 or coefficient.has(variable):
            return False
        position = sympy.expand((degree - exponent.subs(name, 0)) / step)
        if position.is_integer and position.is_nonnegative:
            own = coefficient.subs(name, position)
        elif position.is_integer is False or position.is_negative:
            own = sympy.Integer(0)  # the series has no term of this degree
        else:
            return False
        if degree.is_Integer:
            own += sympy.Poly(finite, variable).coeff_monomial(variable**degree)
        elif not sympy.expand(degree - sympy.degree(finite, variable)).is_extended_positive:
            return False
        return vanishes(own * sympy.factorial(degree) - fact.right, fact.over)


def _cover_all(orders: list[tuple[Any, Any]]) -> bool:
    """Whether single orders 0..m and progressions that start behind them with a common step cover all orders."""
    single = sorted(int(order) for order, index in orders if index is None)
    progressions = [(int(order.subs(index, 0)), int(order.diff(index))) for order, index in orders if index is not None]
    if not progressions or single != list(range(len(single))):
        return False
    steps = {step for _, step in progressions}
    starts = sorted(start for start, _ in progressions)
    (step,) = steps if len(steps) == 1 else (0,)
    return step == len(starts) and starts == list(range(len(single), len(single) + step))
