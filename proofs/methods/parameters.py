"""Differentiation of an integral with respect to a parameter."""

from dataclasses import dataclass
from typing import Any, ClassVar

import sympy

from gelu_verify.proofs.methods.outcome import Outcome, proved, unknown
from gelu_verify.proofs.normal import vanishes
from gelu_verify.proofs.statements import Compare, Equal, Over, Statement, covers


@dataclass(frozen=True, slots=True)
class UnderIntegral:
    """A parameter integral I(p) equals R(p): I' = R' by differentiating under the integral sign, and both tend to 0.

    The facts, in order: the integral of the integrand's p-derivative is V(p); R'(p) = V(p); R(p) -> 0 and the integrand
    -> 0 as p -> -oo; integrand <= g and >= 0; its p-derivative <= g and >= 0, with one g free of p; the integral of g.
    """

    parameter: Any
    name: ClassVar[str] = "differentiation under the integral"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not (isinstance(goal, Equal) and isinstance(goal.left, sympy.Integral) and len(facts) == 9):
            return unknown("needs a parameter integral and nine facts")
        variable = goal.left.limits[0][0]
        integrand, parameter = goal.left.function, self.parameter
        inner = ((variable, sympy.S.Reals), *goal.over)
        slope, value, limit, pointwise, above, below, slope_above, slope_below, bound = facts
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
        known = isinstance(value, Equal) and covers(value.over, goal.over)
        derivative = known and value == Equal(sympy.Derivative(goal.right, parameter), slope.right, value.over)
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
