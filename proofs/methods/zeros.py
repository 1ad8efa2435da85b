"""Methods about zeros: that there is exactly one, and what holds at it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import sympy

from gelu_verify.enclosures import Enclosure
from gelu_verify.proofs.methods.outcome import Outcome, proved, unknown
from gelu_verify.proofs.methods.signs import factor_signs
from gelu_verify.proofs.methods.structure import ALLOWED, not_smooth
from gelu_verify.proofs.normal import vanishes
from gelu_verify.proofs.notation import Root
from gelu_verify.proofs.numerics import enclose, root_bracket
from gelu_verify.proofs.preparation import NotEvaluable, prepare
from gelu_verify.proofs.statements import Compare, Equal, Monotone, Statement, UniqueZero, covers, domain, lies_in


@dataclass(frozen=True, slots=True)
class SingleZero:
    """The function is strictly monotone on an interval that holds the zero, and has a strict sign elsewhere (facts).

    With `factor`, a function without zeros, the facts are about the quotient by it.
    """

    factor: Any = sympy.S.One
    name: ClassVar[str] = "unique zero"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, UniqueZero):
            return unknown("the claim is not about a unique zero")
        if not factor_signs(sympy.sympify(self.factor), goal.over)[0] <= ALLOWED["!="]:
            return unknown("the factor may vanish")
        variable, region = goal.over[0]
        main = next((fact for fact in facts if isinstance(fact, Monotone)), None)
        if main is None or main.over[0][0] != variable or not covers(main.over[1:], goal.over):
            return unknown("no interval on which the function is monotone")
        if not vanishes(self.factor * main.expression - goal.expression, goal.over):
            return unknown("the monotone function is another one")
        covered = domain(main.over, variable)
        for fact in facts:
            if isinstance(fact, Compare) and ALLOWED[fact.relation] <= ALLOWED["!="]:
                difference = self.factor * (fact.left - fact.right) - goal.expression
                if not covers(fact.over[1:], goal.over) or not vanishes(difference, fact.over):
                    return unknown("a fact is about another function")
                covered = sympy.Union(covered, domain(fact.over, variable))
        if not lies_in(region, covered):
            return unknown("the intervals do not cover the set")
        return _lies_in(goal, domain(main.over, variable).intersect(region), self.factor)


def _lies_in(goal: UniqueZero, interval: Any, factor: Any) -> Outcome:
    """Show that the zero lies in the interval."""
    variable = goal.over[0][0]
    if isinstance(goal.zero, Root):
        return _bracketed(goal, goal.zero, interval, factor)
    if interval.contains(goal.zero) != sympy.true:
        return unknown("{} is not shown to lie in {}", goal.zero, interval)
    if not vanishes(goal.expression.subs(variable, goal.zero), goal.over[1:]):
        return unknown("the value at {} does not reduce to 0", goal.zero)
    return proved("the value at {} has the normal form 0; strictly monotone there, no sign change elsewhere", goal.zero)


def _bracketed(goal: UniqueZero, root: Root, interval: Any, factor: Any) -> Outcome:
    """Show by opposite signs at the bracket's ends, and continuity, that the root exists in the interval."""
    variable = goal.over[0][0]
    function = root.function.subs(root.variable, variable)
    if not any(vanishes(multiple * function - goal.expression, goal.over) for multiple in dict.fromkeys((1, factor))):
        return unknown("the root belongs to another function")
    problem = not_smooth(function, variable, goal.over)
    if problem is not None:
        return unknown("not evidently continuous: {}", problem)
    if not lies_in(sympy.Interval(root.low, root.high), interval):
        return unknown("the root's bracket leaves the interval")
    try:
        ends = root_bracket(root, 64)
    except NotEvaluable as error:
        return unknown(str(error))
    low, high = (Fraction(int(end.p), int(end.q)) for end in ends)
    digits = Enclosure(low, high).decimal(16)
    seen = "opposite signs (enclosures) at {} and {}, strictly monotone: {} = {}"
    return proved(seen, root.low, root.high, root, digits)


@dataclass(frozen=True, slots=True)
class AtZero:
    """Left minus right is `factor` times an expression that vanishes there, by the fact on its unique zero."""

    factor: Any
    name: ClassVar[str] = "at the zero"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        fact = facts[0] if facts else None
        if not (isinstance(goal, Equal) and isinstance(fact, UniqueZero) and covers(fact.over[1:], goal.over)):
            return unknown("needs an equality and a zero")
        value = fact.expression.subs(fact.over[0][0], fact.zero)
        try:
            enclose(prepare(sympy.sympify(self.factor)))
        except NotEvaluable:
            return unknown("the factor is not shown to be finite")
        if vanishes(goal.left - goal.right - self.factor * value, goal.over):
            return proved("the difference is {} times 0", self.factor)
        return unknown("the difference is not that multiple of the expression that vanishes")
