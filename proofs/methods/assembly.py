"""Methods that put known formulas together: cases, chains, the mean value theorem."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import sympy

from gelu_verify.proofs.methods.outcome import Outcome, proved, unknown
from gelu_verify.proofs.methods.structure import ALLOWED, Signs, not_smooth
from gelu_verify.proofs.normal import vanishes
from gelu_verify.proofs.statements import Compare, Equal, Statement, covers, domain, lies_in


@dataclass(frozen=True, slots=True)
class Cases:
    """The facts say the same on sets that together cover the claim's."""

    name: ClassVar[str] = "cases"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, (Equal, Compare)) or not goal.over:
            return unknown("only equalities and inequalities over a set are put together from cases")
        variable, region = goal.over[0]
        covered = sympy.S.EmptySet
        for fact in facts:
            if not isinstance(fact, type(goal)) or not self._says_the_same(goal, fact):
                return unknown("a case says something else")
            covered = sympy.Union(covered, domain(fact.over, variable))
        if not lies_in(region, covered):
            return unknown("the cases do not cover the set")
        return proved("{} cases cover {}", len(facts), region)

    def _says_the_same(self, goal: Equal | Compare, fact: Any) -> bool:
        if not fact.over or fact.over[0][0] != goal.over[0][0] or not covers(fact.over[1:], goal.over):
            return False
        if isinstance(goal, Compare) and not ALLOWED[fact.relation] <= ALLOWED[goal.relation]:
            return False
        return (fact.left, fact.right) == (goal.left, goal.right)


@dataclass(frozen=True, slots=True)
class Chain:
    """left = or < or <= ... = or < or <= right, each link a fact whose right side is the next one's left side."""

    name: ClassVar[str] = "chain"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, (Equal, Compare)) or not facts:
            return unknown("a chain concludes an equality or an inequality")
        links = [fact for fact in facts if isinstance(fact, (Equal, Compare)) and covers(fact.over, goal.over)]
        if len(links) < len(facts):
            return unknown("a link does not hold on the whole set")
        joints = all(one.right == other.left for one, other in pairwise(links))
        if not joints or (links[0].left, links[-1].right) != (goal.left, goal.right):
            return unknown("the links do not join")
        signs: Signs = frozenset({0})
        for link in links:
            signs = _add_signs(signs, ALLOWED[link.relation] if isinstance(link, Compare) else frozenset({0}))
        wanted = ALLOWED[goal.relation] if isinstance(goal, Compare) else frozenset({0})
        return proved("{} links", len(links)) if signs <= wanted else unknown("the links point in different directions")


def _add_signs(one: Signs, other: Signs) -> Signs:
    """Return the possible signs of a sum of numbers with these possible signs."""
    union = one | other
    if 1 in union and -1 in union:
        return frozenset({-1, 0, 1})
    return union - {0} if 0 not in one or 0 not in other else union


@dataclass(frozen=True, slots=True)
class MeanValue:
    """|f(x) - f(y)| <= L |x - y| on an interval: the facts are f' <= L and f' >= -L there."""

    function: Any
    variable: Any
    name: ClassVar[str] = "mean value theorem"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not (isinstance(goal, Compare) and goal.relation == "<=" and len(goal.over) == 2 and len(facts) == 2):
            return unknown("needs two points and two bounds on the derivative")
        (first, region), (second, other) = goal.over
        upper, lower = facts
        if not (isinstance(upper, Compare) and isinstance(lower, Compare)) or region != other:
            return unknown("needs two bounds on one interval")
        if not isinstance(region, sympy.Interval):  # SymPy's Reals are one
            return unknown("the set is no interval")
        at_both = [self.function.subs(self.variable, point) for point in (first, second)]
        if goal.left != sympy.Abs(at_both[0] - at_both[1]) or not_smooth(self.function, self.variable, upper.over):
            return unknown("the left side is not the distance of two values of a smooth function")
        constant, factor = goal.right.as_independent(first, second, as_Add=False)
        here = ((self.variable, region),)
        slope = sympy.Derivative(self.function, self.variable)
        bounds = (
            covers(upper.over, here) and ALLOWED[upper.relation] <= ALLOWED["<="]
            and covers(lower.over, here) and ALLOWED[lower.relation] <= ALLOWED[">="]
            and vanishes(upper.left - slope, here) and vanishes(lower.left - slope, here)
            and vanishes(upper.right - constant) and vanishes(lower.right + constant)
        )  # fmt: skip
        if factor == sympy.Abs(first - second) and bounds:
            return proved("the derivative lies between -L and L")
        return unknown("the bounds are not on this derivative, or the constant is another one")
