"""What a theorem can say: a small closed set of statement kinds, each a frozen record over SymPy expressions.

`over` lists the quantified variables with their sets: a statement holds for all values in them. A statement is data:
it can be printed (`proofs/printing.py`), tested numerically (`proofs/falsify.py`) and concluded by a method
(`proofs/methods/`), and none of these knows any particular theorem.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import sympy
from sympy.stats.rv import RandomSymbol

Over = tuple[tuple[Any, Any], ...]  # (symbol, SymPy set) pairs; the first is the statement's own variable

RELATIONS = ("<", "<=", ">", ">=", "!=")


_FIELDS = ("left", "right", "expression", "zero", "point")  # what holds SymPy expressions


class _Formula:
    """Integers among the expressions become SymPy's."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for field in _FIELDS:
            if hasattr(self, field):
                object.__setattr__(self, field, sympy.sympify(getattr(self, field)))


@dataclass(frozen=True, slots=True)
class Equal(_Formula):
    """left = right; either side may hold a Derivative, Integral, Sum, Limit or Expectation."""

    left: Any
    right: Any
    over: Over = ()


@dataclass(frozen=True, slots=True)
class Compare(_Formula):
    """left < right, or another of `RELATIONS`."""

    left: Any
    relation: str
    right: Any
    over: Over = ()


@dataclass(frozen=True, slots=True)
class Monotone(_Formula):
    """The expression is strictly increasing (or decreasing) in the first variable of `over`, on its set."""

    expression: Any
    increasing: bool
    over: Over


@dataclass(frozen=True, slots=True)
class UniqueZero(_Formula):
    """On its set, the expression vanishes at `zero` and nowhere else."""

    expression: Any
    zero: Any
    over: Over


@dataclass(frozen=True, slots=True)
class Curved(_Formula):
    """The expression is strictly convex (or strictly concave) on an interval."""

    expression: Any
    convex: bool
    over: Over


@dataclass(frozen=True, slots=True)
class Smooth(_Formula):
    """The expression is infinitely differentiable on its set; entire, if the set is the complex plane."""

    expression: Any
    over: Over


@dataclass(frozen=True, slots=True)
class Corner(_Formula):
    """Near `point` the expression is `order` times continuously differentiable there, and not once more."""

    expression: Any
    point: Any
    order: int
    over: Over


@dataclass(frozen=True, slots=True)
class Implies:
    """For each value of the variables in `over`: if all hypotheses hold, so does the conclusion."""

    hypotheses: tuple["Statement", ...]
    conclusion: "Statement"
    over: Over = ()


Statement = Equal | Compare | Monotone | UniqueZero | Curved | Smooth | Corner | Implies


def bound_symbols(expression: Any) -> set[Any]:
    """Return the variables of integration, summation and limits inside an expression."""
    found = {limits[0] for part in expression.atoms(sympy.Integral, sympy.Sum) for limits in part.limits}
    return found | {part.args[1] for part in expression.atoms(sympy.Limit)}


def ill_quantified(statement: Statement) -> str | None:
    """Return why the quantifiers are not in order; None if they are.

    Every free variable must be quantified, over a set that lies within what its assumptions promise: SymPy simplifies
    with the assumptions, so `for all real s` with s declared positive would claim more than is derived.
    """
    if isinstance(statement, Implies):
        parts = (*statement.hypotheses, statement.conclusion)
        problems = (_quantifier_problem(part, (*part.over, *statement.over)) for part in parts)
        return next((problem for problem in problems if problem is not None), None)
    return _quantifier_problem(statement, statement.over)


def _quantifier_problem(statement: Any, over: Over) -> str | None:
    if not over and isinstance(statement, (Monotone, UniqueZero, Curved, Smooth, Corner)):
        return "there is no variable"
    names = [name for name, _ in over]
    if len(set(names)) < len(names):
        return "a variable is quantified twice"
    for name, region in over:
        if region.is_empty:
            return f"{name} ranges over nothing"
        promised = sympy.S.Reals
        if isinstance(name, sympy.Symbol):
            promised = next((known for assumption, known in _PROMISES if getattr(name, assumption)), sympy.S.Complexes)
        if not lies_in(region, promised):
            return f"{name} ranges over {region}, beyond its assumptions"
    for field in _FIELDS:
        if hasattr(statement, field):
            loose = _free_symbols(getattr(statement, field)) - set(names)
            if loose:
                return f"{min(map(str, loose))} is not quantified"
    return None


_PROMISES = (  # the first that applies
    ("is_positive", sympy.Interval.open(0, sympy.oo)),
    ("is_nonnegative", sympy.Interval(0, sympy.oo)),
    ("is_real", sympy.S.Reals),
)


def _free_symbols(expression: Any) -> set[Any]:
    """Return the free symbols, arrays as their names; random variables and their tags are not free."""
    arrays = expression.atoms(sympy.IndexedBase)
    random = expression.atoms(RandomSymbol)
    inner = set().union(*(array.free_symbols for array in arrays), *(tag.free_symbols for tag in random))
    symbols = {symbol for symbol in expression.free_symbols if isinstance(symbol, sympy.Symbol)}
    free: set[Any] = (symbols - inner - random) | arrays
    return free


Formula = TypeVar("Formula", bound=Statement)


def substitute(statement: Formula, values: Mapping[Any, Any], over: Over) -> Formula:
    """Put expressions for variables and quantify over `over`; the caller checks that the values lie in the sets."""
    if isinstance(statement, Implies):
        raise TypeError("an implication is proved for all its variables at once")
    parts = {
        field: getattr(statement, field).subs(list(values.items()), simultaneous=True)
        for field in _FIELDS
        if hasattr(statement, field)
    }
    return replace(statement, over=over, **parts)


def domain(over: Over, variable: Any) -> Any:
    """Return the set of a quantified variable, or None."""
    return dict(over).get(variable)


def covers(wide: Over, narrow: Over) -> bool:
    """Return whether every variable of `wide` ranges over no less there than in `narrow`.

        >>> import sympy
    from sympy.stats.rv import RandomSymbol
        >>> x = sympy.Symbol("x")
        >>> covers(((x, sympy.S.Reals),), ((x, sympy.Interval(0, 1)),)), covers(((x, sympy.Interval(0, 1)),), ())
        (True, False)
    """
    sets = dict(narrow)
    return all(name in sets and lies_in(sets[name], region) for name, region in wide)


def lies_in(small: Any, large: Any) -> bool:
    """Return whether one set is certainly a subset of another."""
    return small == large or small.is_subset(large) is True
