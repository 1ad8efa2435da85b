"""Methods about limits: exact, squeezed, one-sided, and the continuity class they decide."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import sympy

from gelu_verify.proofs.falsify import SEED, points
from gelu_verify.proofs.methods.equality import instance, rewrite, usable_equalities
from gelu_verify.proofs.methods.outcome import Outcome, listed, proved, refuted, unknown
from gelu_verify.proofs.methods.signs import factor_signs
from gelu_verify.proofs.methods.structure import ALLOWED, not_smooth, one_sided_branches
from gelu_verify.proofs.normal import differentiated, localised, vanishes
from gelu_verify.proofs.notation import unfold
from gelu_verify.proofs.numerics import enclose
from gelu_verify.proofs.preparation import NotEvaluable, prepare
from gelu_verify.proofs.statements import Compare, Corner, Equal, Over, Smooth, Statement, covers

_STEPS = (3, 6, 9, 12, 15, 18)  # the numeric look goes to 2^18, or to within 2^-18
_LIMIT_BITS = 4096  # far out, what is left after cancellation is small
_CLOSE = sympy.Rational(1, 2**10)


@dataclass(frozen=True, slots=True)
class ExactLimit:
    """SymPy's limit (Gruntz's algorithm), of `form` if given: an expression shown to be the same function.

    SymPy's answer is believed only if Arb's values on the way there approach it.
    """

    form: Any = None
    name: ClassVar[str] = "limit"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not (isinstance(goal, Equal) and isinstance(goal.left, sympy.Limit)):
            return unknown("the left side is no limit")
        expression, variable, point, direction = goal.left.args
        if self.form is not None and not vanishes(expression - self.form, approach(goal.left, goal.over)):
            return unknown("the other form is not shown to be the same function")
        rest = tuple(pair for pair in goal.over if pair[0] != variable)
        signed = _positive_parameters(rest)
        local = localised(expression if self.form is None else self.form, rest).subs(signed)
        computed = exact_limit(on_one_side(local, goal.left), variable, point, str(direction))
        if computed.has(sympy.Limit, sympy.nan, sympy.zoo, sympy.AccumBounds):
            return unknown("SymPy finds {}", computed)
        trend = approaches(expression, variable, point, str(direction), _global(computed, signed, rest), goal.over)
        if trend is not None:
            return unknown("SymPy finds {}, but {}", computed, trend)
        if computed == goal.right or (computed.is_finite and _agree(computed, goal.right, signed, rest)):
            return proved("limit {}; the values on the way there approach it", computed)
        if not computed.free_symbols and not goal.right.free_symbols:
            return refuted("the limit is {}, and the values on the way there approach it", computed)
        return unknown("SymPy finds {}", computed)


def on_one_side(expression: Any, limit: Any) -> Any:
    """Keep the branch on the side from which the limit is taken.

    SymPy tests the branches' conditions at the point itself and takes the wrong one (SymPy issues 23836, 27236).
    """
    variable = limit.args[1]
    ((_, region), *_) = approach(limit, ())
    if region == sympy.S.Reals or not expression.has(sympy.Piecewise, sympy.Max, sympy.Min, sympy.Abs):
        return expression
    beside = ((variable, region),)
    return sympy.piecewise_fold(localised(expression, beside)).subs(localised(variable, beside), variable)


def exact_limit(expression: Any, variable: Any, point: Any, direction: str) -> Any:
    """Return SymPy's limit of the unfolded expression (possibly an unevaluated Limit)."""
    try:
        return sympy.limit(differentiated(expression), variable, point, direction)
    except (NotImplementedError, sympy.PoleError, ValueError):
        return sympy.Limit(expression, variable, point, direction)


def _positive_parameters(over: Over) -> dict[Any, Any]:
    """Write every negative parameter as minus a positive one.

    With a negative parameter SymPy takes erf at the wrong end: limit(2 - erfc(a*x), x, oo) with a < 0 is 2 for it, and
    is 0 (the trouble of SymPy issue 13750, mended for arguments without parameters only).
    """
    local = [localised(name, over) for name, _ in over if isinstance(name, sympy.Symbol)]
    return {name: -sympy.Symbol(f"|{name.name}|", positive=True) for name in local if name.is_negative}


def _agree(computed: Any, claimed: Any, signed: dict[Any, Any], over: Over) -> bool:
    return vanishes(computed - localised(claimed, over).subs(signed))


def _global(expression: Any, signed: dict[Any, Any], over: Over) -> Any:
    """Return to the symbols that the statement is written in."""
    expression = expression.subs({-symbol: -name for name, symbol in signed.items()})
    return expression.subs({localised(name, over): name for name, _ in over})


def approach(limit: Any, over: Over) -> Over:
    """Return `over` with the variable restricted to the side from which the limit is taken, near the point."""
    _, variable, point, direction = limit.args
    if point is sympy.oo or (point == 0 and str(direction) == "+"):
        region = sympy.Interval.open(0, sympy.oo)
    elif point is -sympy.oo or (point == 0 and str(direction) == "-"):
        region = sympy.Interval.open(-sympy.oo, 0)
    else:
        region = sympy.S.Reals
    return ((variable, region), *((name, known) for name, known in over if name != variable))


def approaches(expression: Any, variable: Any, point: Any, direction: str, value: Any, over: Over) -> str | None:
    """Look at Arb's values on the way to the point, for a few values of the parameters.

    Returns:
        None if they approach `value`, or if no value can be computed at all; else what they do instead.
    """
    parameters = tuple(pair for pair in over if pair[0] != variable)
    sides = ("+", "-") if direction == "+-" else (direction,)
    for values in points(parameters, SEED, 2):
        integers = {name: int(number) for name, number in values.items() if name.is_integer}
        reals = {name: number for name, number in values.items() if not name.is_integer}
        function, target = prepare(expression, integers), prepare(value, integers)
        for side in sides:
            distances = list(_distances(function, variable, _places(point, side), target, reals))
            if len(distances) < 2:
                continue
            near, closer = enclose(_CLOSE), distances[-1] < distances[0]
            if not (distances[-1] < near and (closer or distances[0] < near)):
                return f"the distances on the way there end with {distances[-1].str(5, radius=False)}"
    return None


def _distances(function: Any, variable: Any, places: list[Any], target: Any, values: Any) -> Iterator[Any]:
    for place in places:
        try:
            yield _distance(enclose(function, {**values, variable: place}, _LIMIT_BITS), target, values)
        except NotEvaluable:
            continue


def _places(point: Any, direction: str) -> list[Any]:
    if point in (sympy.oo, -sympy.oo):
        sign = 1 if point is sympy.oo else -1
        return [sign * sympy.Integer(2) ** step for step in _STEPS]
    sign = -1 if direction == "-" else 1
    return [point + sign * sympy.Rational(1, 2**step) for step in _STEPS]


def _distance(ball: Any, target: Any, values: Any) -> Any:
    """Return the distance to the target; to an infinite one, the reciprocal of the value (2 on the wrong side)."""
    if target in (sympy.oo, -sympy.oo):
        right = ball > 0 if target is sympy.oo else ball < 0
        return abs(1 / ball) if right else enclose(sympy.Integer(2))
    return abs(ball - enclose(target, values, _LIMIT_BITS))


@dataclass(frozen=True, slots=True)
class TaylorQuotient:
    """The limit of f(x)/x^order at 0 for a smooth f whose derivatives below that order vanish at 0 (Taylor)."""

    order: int
    name: ClassVar[str] = "Taylor's theorem"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not (isinstance(goal, Equal) and isinstance(goal.left, sympy.Limit) and goal.left.args[2] == 0):
            return unknown("the left side is no limit at 0")
        quotient, variable = goal.left.args[:2]
        function = sympy.powsimp(quotient * variable**self.order)
        problem = not_smooth(function, variable, ((variable, sympy.S.Reals), *goal.over))
        if problem is not None:
            return unknown("not evidently smooth: {}", problem)
        derivative = differentiated(function)
        for order in range(self.order):
            if not vanishes(derivative.subs(variable, 0), goal.over):
                return unknown("the derivative of order {} at 0 does not reduce to 0", order)
            derivative = sympy.diff(derivative, variable)
        value = derivative.subs(variable, 0) / sympy.factorial(self.order)
        if vanishes(value - goal.right, goal.over):
            return proved(
                "derivatives of orders 0 to {} vanish at 0, order {} gives the limit", self.order - 1, self.order
            )
        return unknown("the derivative of order {} gives {}", self.order, sympy.simplify(value))


@dataclass(frozen=True, slots=True)
class Squeeze:
    """Bounds on both sides (facts: inequalities) whose limits (facts) agree; one bound suffices for +-oo."""

    name: ClassVar[str] = "squeeze"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not (isinstance(goal, Equal) and isinstance(goal.left, sympy.Limit)):
            return unknown("the left side is no limit")
        expression, variable, point, direction = goal.left.args
        parameters = tuple(pair for pair in goal.over if pair[0] != variable)
        below = self._bounded(expression, variable, point, direction, goal, facts, ("<", "<="), parameters)
        above = self._bounded(expression, variable, point, direction, goal, facts, (">", ">="), parameters)
        if (below or goal.right is -sympy.oo) and (above or goal.right is sympy.oo):
            return proved("squeezed between bounds with the same limit")
        return unknown("no two bounds near the point have this limit")

    def _bounded(
        self, expression: Any, variable: Any, point: Any, direction: Any, goal: Equal,
        facts: tuple[Statement, ...], relations: tuple[str, str], parameters: Over,
    ) -> bool:  # fmt: skip
        """Return whether some fact bounds the expression (bound `relations` expression) and tends to the goal."""
        for fact in facts:
            if not (isinstance(fact, Compare) and _reaches(dict(fact.over).get(variable), point, str(direction))):
                continue
            if not covers(tuple(pair for pair in fact.over if pair[0] != variable), parameters):
                continue
            flipped = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(fact.relation, "")
            sides = [(fact.left, fact.right, fact.relation), (fact.right, fact.left, flipped)]
            for bound, bounded, relation in sides:
                wanted = Equal(sympy.Limit(bound, variable, point, direction), goal.right, goal.over)
                if bounded == expression and relation in relations and (wanted in facts or bound == goal.right):
                    return True
        return False


def _reaches(region: Any, point: Any, direction: str) -> bool:
    """Return whether the set holds all points near `point` on the side from which the limit is taken."""
    if region is None:
        return False
    if point is sympy.oo:
        return bool(region.sup is sympy.oo)
    if point is -sympy.oo:
        return bool(region.inf is -sympy.oo)
    if not isinstance(region, sympy.Interval):
        return False
    left = region.start < point and point <= region.end
    right = region.start <= point and point < region.end
    return bool({"-": left, "+": right}.get(direction, left and right) == sympy.true)


@dataclass(frozen=True, slots=True)
class LimitCombination:
    """The limit of a combination of functions with finite limits (the first facts, one for each coefficient).

    `instances` gives, for each of these facts, values for its variables. Further facts are equalities used to show
    that the function is that combination.
    """

    coefficients: tuple[Any, ...]
    instances: tuple[tuple[tuple[Any, Any], ...], ...] = ()
    name: ClassVar[str] = "sum of limits"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not (isinstance(goal, Equal) and isinstance(goal.left, sympy.Limit)):
            return unknown("the left side is no limit")
        count = len(self.coefficients)
        function, value = goal.left.args[0], goal.right
        instances = self.instances or ((),) * count
        if len(facts) < count or len(instances) != count:
            return unknown("one limit for each coefficient")
        for coefficient, fact, values in zip(self.coefficients, facts[:count], instances, strict=True):
            term = instance(fact, values, goal.over) if isinstance(fact, Equal) else None
            if term is None or not isinstance(term.left, sympy.Limit) or term.left.args[1:] != goal.left.args[1:]:
                return unknown("a fact is no limit at this point, or holds on a smaller set")
            if not term.right.is_finite or sympy.sympify(coefficient).has(goal.left.args[1]):
                return unknown("a limit is not finite, or a coefficient not constant")
            function -= coefficient * term.left.args[0]
            value -= coefficient * term.right
        near = approach(goal.left, goal.over)
        rules = usable_equalities(facts[count:], near, function)
        if len(rules) + count < len(facts) or not vanishes(rewrite(function, rules), near):
            return unknown("the function is not that combination")
        if not vanishes(value, goal.over):
            return unknown("the values do not add up")
        return proved("combined with coefficients {}", listed(self.coefficients))


@dataclass(frozen=True, slots=True)
class ByForm:
    """A composition of smooth (over the complex plane: of entire) functions is smooth (entire)."""

    name: ClassVar[str] = "composition"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, Smooth):
            return unknown("the claim is not about smoothness")
        variable, region = goal.over[0]
        entire = region == sympy.S.Complexes
        problem = not_smooth(unfold(goal.expression), variable, goal.over, entire=entire)
        if problem is None:
            kind = (
                "entire functions (polynomials, exp, erf)" if entire else "smooth functions, no denominator vanishing"
            )
            return proved("composed of {}", kind)
        return unknown("not evident for {}", problem)


@dataclass(frozen=True, slots=True)
class OneSidedDerivatives:
    """Where two smooth branches meet, their derivatives are compared order by order."""

    name: ClassVar[str] = "one-sided derivatives"

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """See `Method.check`."""
        if not isinstance(goal, Corner):
            return unknown("the claim is not about a corner")
        variable = goal.over[0][0]
        sides = one_sided_branches(goal.expression, variable, goal.point)
        if sides is None:
            return unknown("the branches beside the point are not evident or not smooth")
        left, right = sides
        here = unfold(goal.expression).subs(variable, goal.point)
        if not vanishes(here - right.subs(variable, goal.point), goal.over[1:]):
            return unknown("the value at the point is not the right branch's")
        for order in range(goal.order + 2):
            jump = differentiated(sympy.Derivative(left - right, (variable, order)) if order else left - right)
            jump = jump.subs(variable, goal.point)
            agrees = vanishes(jump, goal.over[1:])
            differs = factor_signs(sympy.factor(jump), goal.over[1:])[0] <= ALLOWED["!="]
            if order <= goal.order and not agrees:
                kind = refuted if differs else unknown
                return kind("the one-sided derivatives of order {} differ by {}", order, jump)
            if order == goal.order + 1 and not differs:
                kind = refuted if agrees else unknown
                return kind("the one-sided derivatives of order {} differ by {}", order, jump)
        return proved("orders 0 to {} agree; of order {} they differ by {}", goal.order, goal.order + 1, jump)
