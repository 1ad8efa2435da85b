"""Methods that conclude inequalities, monotony, convexity and uniqueness: no step rests on a simplification."""

from dataclasses import dataclass
from typing import Any, ClassVar

import sympy

from gelu_verify.proofs.methods.equality import rewrite, usable_equalities
from gelu_verify.proofs.methods.outcome import Outcome, proved, unknown
from gelu_verify.proofs.methods.signs import factor_signs
from gelu_verify.proofs.methods.structure import ALLOWED, Signs, not_smooth
from gelu_verify.proofs.normal import localised, vanishes
from gelu_verify.proofs.statements import (
    Compare,
    Curved,
    Equal,
    Monotone,
    Over,
    Statement,
    UniqueZero,
    covers,
    domain,
    lies_in,
)


@dataclass(frozen=True, slots=True)
class Sign:
    """left - right is a product of factors, each of certain sign.

    A factor's sign comes from its form (exponentials are positive, sums of positive terms are positive), for a
    polynomial from its exact real roots, or on a bounded interval from Arb enclosures of a subdivision.
    """

    factors: tuple[Any, ...] = ()
    name: ClassVar[str] = "sign"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, Compare):
            return unknown("a sign step concludes an inequality")
        difference = goal.left - goal.right
        factors = self.factors or (difference,)
        if self.factors and not vanishes(difference - sympy.Mul(*factors), goal.over):
            return unknown("the product of the factors is not left minus right")
        product: Signs = frozenset({1})
        seen = []
        for factor in factors:
            signs, evidence = factor_signs(factor, goal.over)
            seen.append(evidence)
            product = frozenset(a * b for a in product for b in signs)
        if product <= ALLOWED[goal.relation]:
            return proved("; ".join(seen))
        return unknown("; ".join(seen))


@dataclass(frozen=True, slots=True)
class Rearrange:
    """left - right is a multiple, of certain sign, of the first fact's difference; further facts are equalities."""

    factor: Any = sympy.S.One
    name: ClassVar[str] = "rearrange"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        fact = facts[0] if facts else None
        if not (isinstance(goal, Compare) and isinstance(fact, Compare) and covers(fact.over, goal.over)):
            return unknown("there is no inequality to rearrange on this set")
        signs, evidence = factor_signs(sympy.sympify(self.factor), goal.over)
        result = frozenset(a * b for a in signs for b in ALLOWED[fact.relation])
        if not result <= ALLOWED[goal.relation]:
            return unknown("the inequality points the other way")
        excess = goal.left - goal.right - self.factor * (fact.left - fact.right)
        rules = usable_equalities(facts[1:], goal.over, excess)
        if vanishes(rewrite(excess, rules), goal.over):
            moved = "terms moved across"
            return proved(moved) if self.factor == 1 else proved("multiplied by {}: {}", self.factor, evidence)
        return unknown("the difference is not that multiple of the known one")


@dataclass(frozen=True, slots=True)
class MonotoneBySign:
    """The derivative has one strict sign inside the interval (the facts), so the function is strictly monotone."""

    name: ClassVar[str] = "monotone"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, Monotone):
            return unknown("the claim is not about monotony")
        relation = ">" if goal.increasing else "<"
        return _derivative_argument(goal.expression, goal.over, 1, relation, facts)


@dataclass(frozen=True, slots=True)
class CurvedBySign:
    """The second derivative has one strict sign inside the interval (the facts)."""

    name: ClassVar[str] = "convexity"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, Curved):
            return unknown("the claim is not about convexity")
        relation = ">" if goal.convex else "<"
        return _derivative_argument(goal.expression, goal.over, 2, relation, facts)


def _derivative_argument(
    expression: Any, over: Over, order: int, relation: str, facts: tuple[Statement, ...]
) -> Outcome:
    variable, region = over[0]
    if not isinstance(region, sympy.Interval):  # SymPy's Reals are one
        return unknown("the set is not an interval")
    problem = not_smooth(localised(expression, over), localised(variable, over), _localised_over(over))
    if problem is not None:
        return unknown("not evidently smooth: {}", problem)
    inside = ((variable, region.interior), *over[1:])
    derivative = sympy.Derivative(expression, (variable, order))
    for fact in facts:
        if (
            isinstance(fact, Compare)
            and fact.relation == relation
            and covers(fact.over, inside)
            and vanishes(fact.left - fact.right - derivative, inside)
        ):
            return proved("derivative of order {} is {} 0 inside the interval", order, relation)
    return unknown("no fact gives the sign of the derivative inside the interval")


def _localised_over(over: Over) -> Over:
    return tuple((localised(name, over), region) for name, region in over)


@dataclass(frozen=True, slots=True)
class BeyondLimit:
    """A strictly monotone function stays strictly on one side of its limit at an end of the interval."""

    name: ClassVar[str] = "monotone limit"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if len(facts) != 2 or not isinstance(goal, Compare):
            return unknown("needs a monotone function and its limit")
        monotone, limit = facts
        if not (isinstance(monotone, Monotone) and isinstance(limit, Equal) and isinstance(limit.left, sympy.Limit)):
            return unknown("needs a monotone function and its limit")
        expression, variable, end = limit.left.args[:3]
        if monotone.over[0][0] != variable:
            return unknown("the function is monotone in another variable")
        region = domain(monotone.over, variable)
        difference = goal.left - goal.right - (expression - limit.right)
        if region is None or not (
            vanishes(difference, goal.over) and vanishes(expression - monotone.expression, goal.over)
        ):
            return unknown("the facts are about another function")
        if (
            end not in (region.inf, region.sup)
            or not covers(monotone.over, goal.over)
            or not covers(limit.over, goal.over)
        ):
            return unknown("the limit is not taken at an end of the interval, or the facts hold on a smaller set")
        if domain(goal.over, variable).contains(end) != sympy.false:
            return unknown("the end itself must be left out")
        above = monotone.increasing == (end == region.inf)
        if not (ALLOWED[">"] if above else ALLOWED["<"]) <= ALLOWED[goal.relation]:
            return unknown("the function lies on the other side of its limit")
        return proved("{} its limit {} at {}", "above" if above else "below", limit.right, end)


@dataclass(frozen=True, slots=True)
class MonotoneComparison:
    """f(x) against f(a): the facts say where f is monotone, and a lies in each of those intervals.

    The right side is f(a), or 0 when a fact says that f(a) = 0.
    """

    anchor: Any
    name: ClassVar[str] = "monotone comparison"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, Compare) or not goal.over:
            return unknown("the claim is no inequality over a set")
        variable, region = goal.over[0]
        pieces = [fact for fact in facts if isinstance(fact, Monotone)]
        if not self._right_side_is_value(goal, facts):
            return unknown("the right side is not the value at the anchor")
        covered = sympy.S.EmptySet
        for piece in pieces:
            signs = self._signs(goal, piece)
            if signs is None or not signs <= ALLOWED[goal.relation]:
                return unknown("the comparison does not follow on {}", domain(piece.over, variable))
            covered = sympy.Union(covered, domain(piece.over, variable))
        if not lies_in(region, covered):
            return unknown("the intervals do not cover the set")
        return proved("compared with the value at {} on {} interval(s)", self.anchor, len(pieces))

    def _right_side_is_value(self, goal: Compare, facts: tuple[Statement, ...]) -> bool:
        variable = goal.over[0][0]
        at_anchor = goal.left.subs(variable, self.anchor)
        if goal.right == at_anchor or vanishes(goal.right - at_anchor, goal.over[1:]):
            return True
        return goal.right == 0 and any(
            isinstance(fact, UniqueZero)
            and fact.zero == self.anchor
            and fact.over[0][0] == variable
            and covers(fact.over[1:], goal.over)
            and vanishes(fact.expression - goal.left, goal.over)
            for fact in facts
        )

    def _signs(self, goal: Compare, piece: Monotone) -> Signs | None:
        """Return the possible signs of f(x) - f(a) for x in the goal's set within the piece."""
        variable, region = goal.over[0]
        if piece.over[0][0] != variable or not covers(piece.over[1:], goal.over):
            return None
        if not vanishes(piece.expression - goal.left, goal.over):
            return None
        interval = domain(piece.over, variable)
        if interval.contains(self.anchor) != sympy.true:
            return None
        part = interval.intersect(region)
        right, left = (
            lies_in(part, sympy.Interval(self.anchor, sympy.oo)),
            lies_in(part, sympy.Interval(-sympy.oo, self.anchor)),
        )
        if not (right or left):
            return None
        sign = 1 if piece.increasing == right else -1
        return frozenset({sign}) if part.contains(self.anchor) == sympy.false else frozenset({sign, 0})


@dataclass(frozen=True, slots=True)
class Weaken:
    """The right side of the fact is moved in the direction in which the inequality only gets weaker."""

    name: ClassVar[str] = "weaken"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        fact = facts[0] if facts else None
        if not (isinstance(goal, Compare) and isinstance(fact, Compare) and covers(fact.over, goal.over)):
            return unknown("there is no inequality to weaken on this set")
        if goal.left != fact.left or goal.relation not in ("<", "<=", ">", ">="):
            return unknown("the left side is another one")
        gap, evidence = factor_signs(fact.right - goal.right, goal.over)
        total = frozenset(_sign_of_sum(one, other) for one in gap for other in ALLOWED[fact.relation])
        if None not in total and total <= ALLOWED[goal.relation]:
            return proved(evidence)
        return unknown("not evidently weaker: {}", evidence)


def _sign_of_sum(one: int, other: int) -> int | None:
    """Return the sign of a sum of numbers of these signs, None when it depends on their sizes."""
    return None if one * other < 0 else one or other
