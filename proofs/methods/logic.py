"""Methods of pure reasoning: induction, hypotheses, and the use of another theorem."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import sympy

from gelu_verify.proofs.methods.outcome import Method, Outcome, proved, unknown
from gelu_verify.proofs.statements import (
    Compare,
    Curved,
    Equal,
    Implies,
    Monotone,
    Smooth,
    Statement,
    covers,
    substitute,
)


@dataclass(frozen=True, slots=True)
class Induction:
    """From P(start), ..., and P(n), ... => P(n + depth), conclude P(n) for all n from start on.

    The facts are the `depth` base cases in order, then the implication.
    """

    variable: Any
    depth: int = 1
    name: ClassVar[str] = "induction"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if isinstance(goal, Implies) or len(facts) != self.depth + 1:
            return unknown("needs the base cases and the induction step")
        region = dict(goal.over).get(self.variable)
        if not isinstance(region, sympy.Range) or region.step != 1 or region.stop is not sympy.oo:
            return unknown("the claim is not for all integers from some start on")
        rest = tuple(pair for pair in goal.over if pair[0] != self.variable)
        for index, base in enumerate(facts[:-1]):
            if base != substitute(goal, {self.variable: region.start + index}, rest):
                return unknown("base case {} = {} says something else", self.variable, region.start + index)
        shifted = [substitute(goal, {self.variable: self.variable + index}, rest) for index in range(self.depth + 1)]
        wanted = Implies(tuple(shifted[:-1]), shifted[-1], ((self.variable, region),))
        if facts[-1] != wanted:
            return unknown("the induction step does not lead from the claim for n to the claim for the next n")
        return proved("base {} = {}, step {} -> {}", self.variable, region.start, self.variable, self.variable + 1)


@dataclass(frozen=True, slots=True)
class Assuming:
    """An implication: the conclusion is reached by another method, with the hypotheses as its first facts."""

    method: Method
    name: ClassVar[str] = "under the hypothesis"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, Implies) or isinstance(goal.conclusion, Implies):
            return unknown("the claim is no implication")
        if goal.conclusion in goal.hypotheses:
            return unknown("the conclusion is among the hypotheses")
        conclusion = replace(goal.conclusion, over=(*goal.conclusion.over, *goal.over))
        return self.method.check(conclusion, (*goal.hypotheses, *facts))


@dataclass(frozen=True, slots=True)
class Theorem:
    """Another theorem of the library says so, on this set or a larger one (the runner looks it up and proves it)."""

    id: str
    name: ClassVar[str] = "theorem"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`; the facts are the cited theorem's statements."""
        for fact in facts:
            if fact == goal or (
                isinstance(fact, (Equal, Compare, Monotone, Curved, Smooth))
                and isinstance(goal, type(fact))
                and covers(fact.over, goal.over)
                and replace(fact, over=goal.over) == goal
            ):
                return proved("by {}", self.id)
        return unknown("{} does not say this", self.id)
