"""Methods that conclude inequalities, monotony, convexity and uniqueness: no step rests on a simplification."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import sympy
from gelu_verify.enclosures import Enclosure
from gelu_verify.proofs.methods.outcome import Outcome, proved, unknown
from gelu_verify.proofs.methods.signs import factor_signs
from gelu_verify.proofs.methods.structure import ALLOWED, Signs, not_smooth
from gelu_verify.proofs.normal import localised, vanishes
from gelu_verify.proofs.notation import Root
from gelu_verify.proofs.numerics import NotEvaluable, root_bracket
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
        if not signs <= ALLOWED["!="]:
            return unknown(f"the factor may vanish: {evidence}")
        result = frozenset(a * b for a in signs for b in ALLOWED[fact.relation])
        if not result <= ALLOWED[goal.relation]:
            return unknown("the inequality points the other way")
        from gelu_verify.proofs.methods.equality import rewrite, usable_equalities

        rules = usable_equalities(facts[1:], goal.over)
        excess = goal.left - goal.right - self.factor * (fact.left - fact.right)
        if vanishes(rewrite(excess, rules), goal.over):
            return proved(f"multiplied by {self.factor}: {evidence}" if self.factor != 1 else "terms moved across")
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
    if not isinstance(region, sympy.Interval) and region != sympy.S.Reals:
        return unknown("the set is not an interval")
    problem = not_smooth(localised(expression, over), _local(variable, expression, over), _localised_over(over))
    if problem is not None:
        return unknown(f"not evidently smooth: {problem}")
    inside = ((variable, region.interior), *over[1:])
    derivative = sympy.Derivative(expression, (variable, order))
    for fact in facts:
        if (
            isinstance(fact, Compare)
            and fact.relation == relation
            and covers(fact.over, inside)
            and vanishes(fact.left - fact.right - derivative, inside)
        ):
            return proved(f"derivative of order {order} is {relation} 0 inside the interval")
    return unknown("no fact gives the sign of the derivative inside the interval")


def _local(variable: Any, expression: Any, over: Over) -> Any:
    return localised(variable, over)


def _localised_over(over: Over) -> Over:
    return tuple((localised(name, over), region) for name, region in over)


@dataclass(frozen=True, slots=True)
class BeyondLimit:
    """A strictly monotone function stays strictly on one side of its limit at an end of the interval."""

    name: ClassVar[str] = "monotone limit"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        monotone, limit = facts
        if not (isinstance(goal, Compare) and isinstance(monotone, Monotone) and isinstance(limit, Equal)):
            return unknown("needs a monotone function and its limit")
        expression, variable, end = limit.left.args[:3]
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
        return proved(f"{'above' if above else 'below'} its limit {limit.right} at {end}")


@dataclass(frozen=True, slots=True)
class MonotoneComparison:
    """f(x) against f(a): the facts say where f is monotone, and a lies in each of those intervals.

    The right side is f(a), or 0 when a fact says that f(a) = 0.
    """

    anchor: Any
    name: ClassVar[str] = "monotone comparison"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, Compare):
            return unknown("the claim is no inequality")
        variable, region = goal.over[0]
        pieces = [fact for fact in facts if isinstance(fact, Monotone)]
        if not self._right_side_is_value(goal, facts):
            return unknown("the right side is not the value at the anchor")
        covered = sympy.S.EmptySet
        for piece in pieces:
            signs = self._signs(goal, piece)
            if signs is None or not signs <= ALLOWED[goal.relation]:
                return unknown(f"the comparison does not follow on {domain(piece.over, variable)}")
            covered = sympy.Union(covered, domain(piece.over, variable))
        if not lies_in(region, covered):
            return unknown("the intervals do not cover the set")
        return proved(f"compared with the value at {self.anchor} on {len(pieces)} interval(s)")

    def _right_side_is_value(self, goal: Compare, facts: tuple[Statement, ...]) -> bool:
        variable = goal.over[0][0]
        at_anchor = goal.left.subs(variable, self.anchor)
        if goal.right == at_anchor or vanishes(goal.right - at_anchor, goal.over[1:]):
            return True
        return goal.right == 0 and any(
            isinstance(fact, UniqueZero)
            and fact.zero == self.anchor
            and covers(fact.over[1:], goal.over)
            and vanishes(fact.expression - goal.left, goal.over)
            for fact in facts
        )

    def _signs(self, goal: Compare, piece: Monotone) -> Signs | None:
        """Return the possible signs of f(x) - f(a) for x in the goal's set within the piece."""
        variable, region = goal.over[0]
        if not covers(piece.over[1:], goal.over) or not vanishes(piece.expression - goal.left, goal.over):
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
class SingleZero:
    """The function is strictly monotone on an interval that holds the zero, and has a strict sign elsewhere (facts)."""

    name: ClassVar[str] = "unique zero"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, UniqueZero):
            return unknown("the claim is not about a unique zero")
        variable, region = goal.over[0]
        main = next((fact for fact in facts if isinstance(fact, Monotone)), None)
        if main is None or not _same(main.expression, goal.expression, goal) or not covers(main.over[1:], goal.over):
            return unknown("no interval on which the function is monotone")
        interval = domain(main.over, variable)
        covered = interval
        for fact in facts:
            strict = isinstance(fact, Compare) and fact.relation in ("<", ">", "!=")
            if isinstance(fact, Compare) and strict and covers(fact.over[1:], goal.over):
                if not _same(fact.left - fact.right, goal.expression, goal, fact.over):
                    return unknown("a fact is about another function")
                covered = sympy.Union(covered, domain(fact.over, variable))
        if not lies_in(region, covered):
            return unknown("the intervals do not cover the set")
        return self._zero_lies_in(goal, interval)

    def _zero_lies_in(self, goal: UniqueZero, interval: Any) -> Outcome:
        variable = goal.over[0][0]
        if not isinstance(goal.zero, Root):
            inside = interval.contains(goal.zero) == sympy.true
            exact = vanishes(goal.expression.subs(variable, goal.zero), goal.over[1:])
            return proved("the value there has the normal form 0") if inside and exact else unknown("no zero there")
        if not _same(goal.zero.function.subs(goal.zero.variable, variable), goal.expression, goal):
            return unknown("the root belongs to another function")
        bracket = sympy.Interval(goal.zero.low, goal.zero.high)
        problem = not_smooth(goal.expression, variable, goal.over)
        if problem is not None or not lies_in(bracket, interval):
            return unknown(problem or "the bracket leaves the interval")
        try:
            low, high = root_bracket(goal.zero, 64)
        except NotEvaluable as error:
            return unknown(str(error))
        digits = Enclosure(*(_fraction(end) for end in (low, high))).decimal(18)
        return proved(f"opposite signs at {goal.zero.low} and {goal.zero.high}; {goal.zero.name} = {digits}")


def _same(one: Any, other: Any, goal: Any, over: Over | None = None) -> bool:
    return one == other or vanishes(one - other, goal.over if over is None else over)


def _fraction(number: Any) -> Any:
    from fractions import Fraction

    return Fraction(int(number.p), int(number.q))


@dataclass(frozen=True, slots=True)
class Cases:
    """The facts say the same on sets that together cover the claim's."""

    name: ClassVar[str] = "cases"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, (Equal, Compare)):
            return unknown("only equalities and inequalities are put together from cases")
        variable, region = goal.over[0]
        covered = sympy.S.EmptySet
        for fact in facts:
            if not isinstance(fact, type(goal)) or not self._says_the_same(goal, fact):
                return unknown("a case says something else")
            covered = sympy.Union(covered, domain(fact.over, variable))
        if not lies_in(region, covered):
            return unknown("the cases do not cover the set")
        return proved(f"{len(facts)} cases cover {region}")

    def _says_the_same(self, goal: Equal | Compare, fact: Any) -> bool:
        if not covers(fact.over[1:], goal.over) or fact.over[0][0] != goal.over[0][0]:
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
        return proved(f"{len(links)} links") if signs <= wanted else unknown("the links point in different directions")


def _add_signs(one: Signs, other: Signs) -> Signs:
    """Return the possible signs of a sum of numbers with these possible signs."""
    union = one | other
    if 1 in union and -1 in union:
        return frozenset({-1, 0, 1})
    return union - {0} if 0 not in one or 0 not in other else union
