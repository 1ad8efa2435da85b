"""Methods that conclude equalities: identities, derivatives, rewriting by known equalities, expectations."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import sympy
from sympy import stats, sympify
from sympy.stats.symbolic_probability import Expectation, Probability, Variance

from gelu_verify.proofs.methods.outcome import Outcome, proved, unknown
from gelu_verify.proofs.normal import derive, differentiated, normal_form, vanishes
from gelu_verify.proofs.notation import He, NamedBase, n, x
from gelu_verify.proofs.printers import plain
from gelu_verify.proofs.statements import Compare, Equal, Over, Statement, bound_symbols, covers, lies_in, substitute

_REPLACEMENTS = 60


@dataclass(frozen=True, slots=True)
class Identity:
    """Both sides have the same normal form, after the equalities among the facts have been used from left to right."""

    name: ClassVar[str] = "identity"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, Equal):
            return unknown("an identity is an equality")
        rules = usable_equalities(facts, goal.over, goal.left - goal.right)
        if len(rules) < len(facts):
            return unknown("a fact is no equality, does not hold on the whole set, or may not be used here")
        if vanishes(rewrite(goal.left - goal.right, rules), goal.over):
            return proved("the difference of the two sides has the normal form 0")
        return unknown("the difference of the two sides does not reduce to 0")


@dataclass(frozen=True, slots=True)
class Derivative:
    """The left side is a derivative of concrete order; the rules of differentiation give the right side."""

    name: ClassVar[str] = "derivative"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not (isinstance(goal, Equal) and isinstance(goal.left, (sympy.Derivative, sympy.Subs))):
            return unknown("the left side is no derivative")
        if vanishes(goal.left - goal.right, goal.over):
            return proved("differentiated: {}", normal_form(goal.left, goal.over))
        return unknown("the derivative is {}", normal_form(goal.left, goal.over))


@dataclass(frozen=True, slots=True)
class DifferentiateFact:
    """Both sides of the first fact are differentiated in x; the other facts are used as in `Identity`."""

    name: ClassVar[str] = "differentiate both sides"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        first = facts[0] if facts else None
        if not (isinstance(goal, Equal) and isinstance(first, Equal) and covers(first.over, goal.over)):
            return unknown("there is no equality to differentiate")
        variable = first.over[0][0] if first.over else x
        if dict(first.over).get(variable) != sympy.S.Reals:
            return unknown("the equality does not hold on the whole real line")
        if sympy.Derivative(first.left, variable) != goal.left:
            return unknown("the left side is not the derivative of the fact's left side")
        rules = usable_equalities(facts[1:], goal.over, sympy.Derivative(first.right, variable) - goal.right)
        if len(rules) + 1 < len(facts):
            return unknown("a fact may not be used here")
        if vanishes(rewrite(sympy.Derivative(first.right, variable) - goal.right, rules), goal.over):
            return proved("the derivative of the right side has the same normal form as the claim's right side")
        return unknown("the derivative of the right side does not reduce to the claim's right side")


@dataclass(frozen=True, slots=True)
class Recurrence:
    """The statement is the recurrence by which the Hermite polynomials are defined (DLMF 18.9.1, monic form)."""

    name: ClassVar[str] = "definition"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if isinstance(goal, Equal) and (goal.left, goal.right) == (He(n + 1, x), x * He(n, x) - n * He(n - 1, x)):
            return proved("this is the recurrence that defines He")
        return unknown("this is not a definition")


@dataclass(frozen=True, slots=True)
class Specialise:
    """The first fact, for particular values of its variables; `values` are (variable, expression) pairs."""

    values: tuple[tuple[Any, Any], ...]
    name: ClassVar[str] = "specialise"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if len(facts) != 1 or not isinstance(facts[0], (Equal, Compare)) or not isinstance(goal, (Equal, Compare)):
            return unknown("only equalities and inequalities are specialised")
        special = instance(facts[0], self.values, goal.over)
        if special is None:
            return unknown("a value is not shown to lie in the set of its variable")
        if _same(special, goal):
            return proved(", ".join(f"{plain(name)} := {plain(sympify(value))}" for name, value in self.values))
        return unknown("the special case says something else")


def instance(fact: Any, values: tuple[tuple[Any, Any], ...], over: Over) -> Any:
    """Return the fact for particular values of its variables, quantified over `over`; None if that is not allowed."""
    sets = dict(fact.over)
    bound = set().union(*(bound_symbols(getattr(fact, side)) for side in ("left", "right")))
    for variable, value in values:
        if sympify(value).free_symbols & bound:
            return None  # the value would be captured
        region = image(value, over)
        if variable not in sets or region is None or not lies_in(region, sets[variable]):
            return None
    chosen = dict(values)
    rest = tuple((name, region) for name, region in fact.over if name not in chosen)
    return substitute(fact, chosen, over) if covers(rest, over) else None


def _same(one: Statement, other: Statement) -> bool:
    """Return whether two formulas are the same, the sides of an (in)equality up to their normal form."""
    if one == other:
        return True
    if not (isinstance(one, (Equal, Compare)) and isinstance(other, (Equal, Compare))):
        return False
    if replace(one, left=other.left, right=other.right) != other:
        return False
    return vanishes(one.left - other.left, other.over) and vanishes(one.right - other.right, other.over)


_COMPUTE = {Expectation: stats.E, Variance: stats.variance, Probability: stats.P}


@dataclass(frozen=True, slots=True)
class StatisticsOf:
    """An expectation, variance or probability computed by `sympy.stats`."""

    name: ClassVar[str] = "expectation"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not (isinstance(goal, Equal) and isinstance(goal.left, (Expectation, Variance, Probability))):
            return unknown("the left side is no expectation, variance or probability")
        computed = _COMPUTE[type(goal.left)](goal.left.args[0])
        if vanishes(computed - goal.right, goal.over):
            return proved("sympy.stats gives {}", computed)
        return unknown("sympy.stats gives {}", computed)


def usable_equalities(facts: Iterable[Statement], over: Over, expression: Any) -> list[Equal]:
    """Return the facts that are equalities, hold wherever the goal is claimed, and may be used in the expression."""
    equalities = [fact for fact in facts if isinstance(fact, Equal) and covers(fact.over, over)]
    return [rule for rule in equalities if not_replaceable(rule, expression) is None]


def not_replaceable(rule: Equal, expression: Any) -> str | None:
    """Return why equals may not be replaced by equals here: inside an integral or a derivative more is needed.

    A variable of integration runs beyond the rule's set; a derivative needs the rule on a neighbourhood.
    """
    bound = bound_symbols(expression)
    derivatives = expression.has(sympy.Derivative, sympy.Subs)
    for name, region in rule.over:
        if name in bound:
            return f"{name} is a bound variable here"
        if derivatives and not isinstance(region, sympy.Range) and not region.is_open:
            return f"{region} is not open, and there are derivatives"
    return None


def rewrite(expression: Any, rules: list[Equal]) -> Any:
    """Replace left sides by right sides until nothing changes; an earlier rule is used before a later one.

    Definitions and derivatives are put in when no rule applies any more; the rules then get another turn.
    """
    for _ in range(_REPLACEMENTS):
        attempts = (_replaced(expression, rule) for rule in rules)
        changed = next((attempt for attempt in attempts if attempt is not None), None)
        if changed is None:
            changed = differentiated(expression)
            if changed == expression:
                break
        expression = changed
    return expression


def _replaced(expression: Any, rule: Equal) -> Any:
    """Return the expression after one rule and the derivatives it exposes, or None if the rule does not apply."""
    for left in dict.fromkeys((rule.left, differentiated(rule.left))):
        changed = expression.subs(left, rule.right)
        if changed != expression:
            return _inner_derivatives(changed)
    return None


def _inner_derivatives(expression: Any) -> Any:
    """Carry out the derivatives of what is no longer a single named function."""
    return expression.replace(
        lambda part: isinstance(part, sympy.Derivative) and not isinstance(part.expr, (NamedBase, sympy.Symbol)),
        derive,
    )


def image(value: Any, over: Over) -> Any:
    """Return a set that holds the values of an expression in the variables of `over`; None if none is evident."""
    value = sympify(value)
    sets = dict(over)
    if not value.free_symbols:
        return sympy.FiniteSet(value)
    if len(value.free_symbols) == 1 and value.free_symbols <= set(sets):
        (variable,) = value.free_symbols
        found = _affine_image(value, variable, sets)
        if found is not None:
            return found
    if value.is_positive:
        return sympy.Interval.open(0, sympy.oo)
    return sympy.S.Reals if value.is_real else None


def _affine_image(value: Any, variable: Any, sets: dict[Any, Any]) -> Any:
    region, slope = sets[variable], value.diff(variable)
    if value == variable or not slope.is_number or slope.is_zero:
        return region if value == variable else None
    if isinstance(region, sympy.Range) and slope.is_Integer and slope > 0:
        return sympy.Range(value.subs(variable, region.start), sympy.oo)
    if isinstance(region, sympy.Interval):
        ends = [sympy.limit(value, variable, end) for end in (region.start, region.end)]
        flags = [region.left_open, region.right_open]
        forward = bool(slope.is_positive)
        return sympy.Interval(*(ends if forward else ends[::-1]), *(flags if forward else flags[::-1]))
    return None
