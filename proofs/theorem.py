"""A theorem as a record, and the one runner that checks them all.

A theorem is a statement (one or more formulas, all claimed), and steps. A step concludes one formula by a named
method from earlier steps. The runner knows no theorem. It

1. refuses what says nothing: no statement, no steps, two sides that are the same expression, a circular reference;
2. looks for counterexamples to the statement and to every step (`falsify`);
3. lets each step's method check it, with the formulas of the steps it needs and nothing else;
4. demands that every formula of the statement is concluded by a step, word for word.

The verdict is `proved` if all of it succeeds, `refuted` if something is shown to be false, else `unknown`. Numeric
agreement alone never proves anything.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from sympy import Limit

from gelu_verify.proofs.falsify import SEED, falsify, points
from gelu_verify.proofs.methods.limits import approaches
from gelu_verify.proofs.methods.logic import Theorem as ByTheorem
from gelu_verify.proofs.methods.outcome import Method, Outcome, refuted, unknown
from gelu_verify.proofs.notation import NamedBase, unfold
from gelu_verify.proofs.numerics import enclose
from gelu_verify.proofs.preparation import NotEvaluable, prepare
from gelu_verify.proofs.statements import Compare, Corner, Equal, Implies, Statement, covers, ill_quantified
from gelu_verify.records import Verdict

# A step's outcome depends on nothing but these three, so a statement tried with the same steps costs nothing more.
_OUTCOMES: dict[tuple[Statement, Method, tuple[Statement, ...]], Outcome] = {}


@dataclass(frozen=True, slots=True)
class Step:
    """One conclusion.

    Attributes:
        claim: the formula concluded.
        method: how it is checked.
        reason: a sentence for the reader.
        label: how later steps refer to it.
        needs: the labels of the earlier steps it rests on, in the order the method expects.
    """

    claim: Statement
    method: Method
    reason: str
    label: str = ""
    needs: tuple[str, ...] = ()


def cited(claim: Statement, theorem: str, reason: str, label: str = "") -> Step:
    """Return a step that takes its claim from another theorem, given by its id."""
    return Step(claim, ByTheorem(theorem), reason, label)


@dataclass(frozen=True, slots=True)
class Theorem:
    """A statement with its proof.

    Attributes:
        id: readable and stable, `gelu.derivative.second`.
        title: one line in words.
        statement: the formulas claimed, all of them.
        steps: the proof.
        source: where it is from: DLMF number, paper, or "this project".
        assumptions: what is taken for granted beyond the statement's own quantifiers.
        perturbations: further false variants, as (what was changed, formulas), beside those made from the statement.
        remark: a sentence on what it means.
        values: numbers of the statement that a reader will want in digits.
    """

    id: str
    title: str
    statement: tuple[Statement, ...]
    steps: tuple[Step, ...]
    source: str
    assumptions: tuple[str, ...] = ()
    perturbations: tuple[tuple[str, tuple[Statement, ...]], ...] = ()
    remark: str = ""
    values: tuple[Any, ...] = ()

    @property
    def cites(self) -> tuple[str, ...]:
        """The ids of the theorems that the steps rest on."""
        return tuple(dict.fromkeys(step.method.id for step in self.steps if isinstance(step.method, ByTheorem)))


@dataclass(frozen=True, slots=True)
class StepResult:
    """What became of one step."""

    verdict: Verdict
    evidence: str
    seconds: float


@dataclass(frozen=True, slots=True)
class TheoremResult:
    """What became of a theorem; `reason` says in one line why, if it is not proved."""

    id: str
    verdict: Verdict
    seconds: float
    steps: tuple[StepResult, ...] = ()
    reason: str = ""
    cites: tuple[str, ...] = field(default=())


def check_theorem(theorem: Theorem, library: Callable[[str], Theorem | None]) -> TheoremResult:
    """Check one theorem; cited theorems are taken from `library` as stated, and the caller sees to their proof."""
    started = perf_counter()
    steps: list[StepResult] = []
    verdict, reason = _check(theorem, library, steps)
    return TheoremResult(theorem.id, verdict, perf_counter() - started, tuple(steps), reason, theorem.cites)


def _check(
    theorem: Theorem, library: Callable[[str], Theorem | None], results: list[StepResult]
) -> tuple[Verdict, str]:
    problem = malformed(theorem)
    if problem is not None:
        return Verdict.UNKNOWN, problem
    for formula in theorem.statement:
        trial = falsify(formula)
        if trial.witness is not None:
            return Verdict.REFUTED, f"counterexample: {trial.witness}"
    known: dict[str, Statement] = {}
    for number, step in enumerate(theorem.steps, 1):
        result = _run(step, known, library)
        results.append(result)
        if result.verdict is not Verdict.PROVED:
            return result.verdict, f"step {number}: {result.evidence}"
        known[step.label or str(number)] = step.claim
    return _concluded(theorem)


def _concluded(theorem: Theorem) -> tuple[Verdict, str]:
    """Tie the statement to the steps: every formula must be some step's claim."""
    claims = [step.claim for step in theorem.steps]
    for formula in theorem.statement:
        if formula not in claims:
            contrary = next(filter(None, (contradiction(claim, formula) for claim in claims)), None)
            if contrary is not None:
                return Verdict.REFUTED, contrary
            return Verdict.UNKNOWN, "no step concludes the statement"
    return Verdict.PROVED, ""


def _run(step: Step, known: Mapping[str, Statement], library: Callable[[str], Theorem | None]) -> StepResult:
    started = perf_counter()
    facts = tuple(known[label] for label in step.needs)
    if isinstance(step.method, ByTheorem):
        cited = library(step.method.id)
        facts = cited.statement if cited is not None else ()
    outcome = _checked(step.claim, step.method, facts)
    return StepResult(outcome.verdict, outcome.evidence, perf_counter() - started)


def _checked(claim: Statement, method: Method, facts: tuple[Statement, ...]) -> Outcome:
    key = (claim, method, facts)
    if key not in _OUTCOMES:
        _OUTCOMES[key] = _check_step(claim, method, facts)
    return _OUTCOMES[key]


def _check_step(claim: Statement, method: Method, facts: tuple[Statement, ...]) -> Outcome:
    trial = falsify(claim)
    if trial.witness is not None:
        return refuted(f"the step's claim is false: {trial.witness}")
    if isinstance(claim, Equal) and trial.points == 0 and not _settled_exactly(claim):
        return unknown("the two sides could not be evaluated anywhere, so the identity was not tried")
    if isinstance(claim, Equal) and isinstance(claim.left, Limit):
        function, variable, point, direction = claim.left.args
        trend = approaches(function, variable, point, str(direction), claim.right, claim.over)
        if trend is not None:
            return unknown(f"the values on the way do not bear the limit out: {trend}")
    return method.check(claim, facts)


def _settled_exactly(claim: Equal) -> bool:
    """Whether an equality has no sides to evaluate: a limit (its method looks at the values on the way there)."""
    return bool(claim.left.has(Limit) or claim.right.has(Limit))


def malformed(theorem: Theorem) -> str | None:
    """Return why the theorem says nothing or argues in a circle; None if it is in order."""
    if not theorem.statement:
        return "refused: the theorem states nothing"
    if not theorem.steps:
        return "refused: the theorem has no steps"
    if any(map(vacuous, theorem.statement)) or any(_trivial(step.claim) for step in theorem.steps):
        return "refused: two sides are the same expression, so there is nothing to prove"
    problems = (ill_quantified(formula) for formula in (*theorem.statement, *(step.claim for step in theorem.steps)))
    problem = next((problem for problem in problems if problem is not None), None)
    if problem is not None:
        return f"refused: {problem}"
    seen: set[str] = set()
    for number, step in enumerate(theorem.steps, 1):
        missing = [label for label in step.needs if label not in seen]
        if missing:
            return f"refused: step {number} rests on {missing[0]!r}, which no earlier step concludes"
        if isinstance(step.method, ByTheorem) and step.method.id == theorem.id:
            return f"refused: step {number} cites the theorem itself"
        label = step.label or str(number)
        if label in seen:
            return f"refused: two steps are called {label!r}"
        seen.add(label)
    return None


def vacuous(formula: Statement) -> bool:
    """Return whether the formula holds by its mere form: identical sides, or a named function and its definition."""
    if _trivial(formula):
        return True
    if not isinstance(formula, (Equal, Compare)):
        return False
    sides = (formula.left, formula.right)
    defined = any(isinstance(side, NamedBase) and all(value.is_Symbol for value in side.args) for side in sides)
    return defined and bool(unfold(formula.left) == unfold(formula.right))


def _trivial(formula: Statement) -> bool:
    """Return whether the two sides are the same expression, or the conclusion is one of the hypotheses."""
    if isinstance(formula, Implies):
        return formula.conclusion in formula.hypotheses or _trivial(formula.conclusion)
    return isinstance(formula, (Equal, Compare)) and bool(formula.left == formula.right)


def contradiction(known: Statement, formula: Statement) -> str | None:
    """Return why a proved formula excludes another, or None."""
    if isinstance(known, Equal) and isinstance(formula, Equal) and known.left == formula.left:
        return _different_values(known, formula)
    if isinstance(known, Corner) and isinstance(formula, Corner) and known.order != formula.order:
        same = (known.expression, known.point, known.over) == (formula.expression, formula.point, formula.over)
        return f"the order is {known.order}, not {formula.order}" if same else None
    return None


def _different_values(known: Equal, formula: Equal) -> str | None:
    if not covers(known.over, formula.over):
        return None
    for point in points(formula.over, SEED, 3):
        integers = {name: int(value) for name, value in point.items() if name.is_integer}
        reals: dict[Any, Any] = {name: value for name, value in point.items() if not name.is_integer}
        one, other = prepare(known.right, integers), prepare(formula.right, integers)
        if one.is_infinite or other.is_infinite:
            return f"the left side is {one}, not {other}" if one != other else None
        try:
            difference = enclose(one, reals) - enclose(other, reals)
        except NotEvaluable:
            continue
        if not difference.contains(0):
            return f"a step proves the value {known.right}, which differs by {difference.str(6, radius=False)}"
    return None
