"""Methods about integrals and power series."""

from dataclasses import dataclass
from typing import Any, ClassVar

import sympy
from gelu_verify.proofs.methods.limits import approaches, exact_limit
from gelu_verify.proofs.methods.outcome import Outcome, proved, unknown
from gelu_verify.proofs.methods.structure import not_smooth
from gelu_verify.proofs.normal import vanishes
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
            return proved("combined with coefficients {}", ", ".join(map(str, self.coefficients)))
        return unknown("integrand or value is not that combination")


@dataclass(frozen=True, slots=True)
class UnderIntegral:
    """A parameter integral I(p) equals R(p): I' = R' by differentiating under the integral sign, and both tend to 0.

    The facts, in order: the integral of the p-derivative is R'(p); R(p) -> 0 and the integrand -> 0 as p -> -oo;
    0 <= integrand <= g and 0 <= its p-derivative <= g with one g that does not depend on p; the integral of g.
    """

    parameter: Any
    name: ClassVar[str] = "differentiation under the integral"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not (isinstance(goal, Equal) and isinstance(goal.left, sympy.Integral) and len(facts) == 8):
            return unknown("needs a parameter integral and the eight facts")
        variable = goal.left.limits[0][0]
        integrand, parameter = goal.left.function, self.parameter
        inner = ((variable, sympy.S.Reals), *goal.over)
        slope, limit, pointwise, above, below, slope_above, slope_below, bound = facts
        dominated = self._dominated(integrand, (above, below), bound, inner) and self._dominated(
            sympy.Derivative(integrand, parameter), (slope_above, slope_below), bound, inner
        )
        rest = tuple(pair for pair in goal.over if pair[0] != parameter)
        down = [(goal.right, limit, rest), (integrand, pointwise, inner)]
        vanishing = all(self._tends_to_zero(expression, fact, over) for expression, fact, over in down)
        if not (isinstance(slope, Equal) and isinstance(slope.left, sympy.Integral) and covers(slope.over, goal.over)):
            return unknown("the first fact is not the integral of the derivative")
        matches = slope.left.limits == goal.left.limits and vanishes(
            slope.left.function - sympy.Derivative(integrand, parameter), inner
        )
        derivative = vanishes(slope.right - sympy.Derivative(goal.right, parameter), goal.over)
        if dict(goal.over).get(parameter) == sympy.S.Reals and matches and derivative and dominated and vanishing:
            return proved("equal derivatives in {}, both sides tend to 0 as {} -> -oo; dominated", parameter, parameter)
        return unknown("a condition of the argument is not met")

    def _dominated(self, expression: Any, facts: tuple[Statement, ...], bound: Statement, inner: Over) -> bool:
        """Whether 0 <= expression <= g, g being the integrand of the fact `bound` and free of the parameter."""
        above, below = facts
        if not (isinstance(bound, Equal) and isinstance(bound.left, sympy.Integral)):
            return False
        majorant = bound.left.function
        return (
            not majorant.has(self.parameter)
            and isinstance(above, Compare)
            and isinstance(below, Compare)
            and above.relation in ("<", "<=")
            and below.relation in (">", ">=")
            and covers(above.over, inner)
            and covers(below.over, inner)
            and vanishes(above.left - expression, inner)
            and vanishes(below.left - expression, inner)
            and vanishes(above.right - majorant, inner)
            and below.right == 0
        )

    def _tends_to_zero(self, expression: Any, fact: Statement, over: Over) -> bool:
        return (
            isinstance(fact, Equal)
            and isinstance(fact.left, sympy.Limit)
            and fact.left.args[1:3] == (self.parameter, -sympy.oo)
            and fact.right == 0
            and covers(fact.over, over)
            and vanishes(fact.left.args[0] - expression, over)
        )


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
        coefficient, series = sums[0].as_independent(sympy.Sum)
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
        exponent = _exponent(term, variable)
        coefficient = sympy.powsimp(sympy.expand_power_base(term / variable**exponent))
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
        elif not sympy.expand(degree - sympy.degree(finite, variable)).is_positive:
            return False
        return vanishes(own * sympy.factorial(degree) - fact.right, fact.over)


def _exponent(term: Any, variable: Any) -> Any:
    """Return e when the term is variable**e times something free of the variable."""
    return sympy.simplify(variable * sympy.diff(term, variable) / term)


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
