"""All theorems, and the proving of them: in order of citation, over several processes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TypeVar

from gelu_verify.errors import InputError, nearest_names
from gelu_verify.processes import spread
from gelu_verify.proofs.perturb import perturbed
from gelu_verify.proofs.theorem import Theorem, TheoremResult, check_theorem
from gelu_verify.records import Verdict

GROUPS = (  # modules, in reading order
    "definition",
    "hermite",
    "derivatives",
    "shape",
    "extrema",
    "gaussian",
    "gaussian_gate",
    "gating",
    "forms",
    "form_tails",
    "silu",
    "relatives",
    "gated_units",
)

Result = TypeVar("Result")
Progress = Callable[[int, int], None]  # how many are done, of how many


@dataclass(frozen=True, slots=True)
class Variant:
    """What became of one false variant of a theorem."""

    change: str
    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class Examination:
    """A theorem's result, and what became of its false variants."""

    result: TheoremResult
    variants: tuple[Variant, ...]


@cache
def theorems() -> Mapping[str, Theorem]:
    """Return all theorems by id, in reading order."""
    found: dict[str, Theorem] = {}
    for group in GROUPS:
        for theorem in import_module(f"gelu_verify.proofs.{group}").THEOREMS:
            if theorem.id in found:
                raise ValueError(f"two theorems are called {theorem.id}")
            found[theorem.id] = theorem
    return MappingProxyType(found)


def get_theorem(name: str) -> Theorem:
    """Return the theorem with that id.

    Raises:
        InputError: no such theorem; the message names the nearest ids.

    >>> get_theorem("gelu.derivative.second").title
    'The second derivative of GELU'
    """
    theorem = theorems().get(name)
    if theorem is None:
        hint = nearest_names(name, theorems()) or "; 'gelu-verify prove --list' shows all"
        raise InputError(f"unknown theorem {name!r}{hint}")
    return theorem


def prove(
    ids: Iterable[str] | None = None, workers: int | None = None, progress: Progress | None = None
) -> list[TheoremResult]:
    """Check the theorems named (default: all) and return their results in that order.

    A theorem that rests on another is `proved` only if that one is: cited theorems are checked as well.

    Arguments:
        workers: processes to use; default: as many as there are processors. 1 works in this process.
        progress: called with (done, total) as results come in.

    Raises:
        InputError: an unknown id.
    """
    wanted = list(theorems()) if ids is None else [get_theorem(name).id for name in ids]
    checked = _map(_check_one, _with_cited(wanted), workers, progress)
    settled: dict[str, TheoremResult] = {}
    return [_settle(name, checked, settled, ()) for name in wanted]


def examine(
    ids: Iterable[str] | None = None, workers: int | None = None, progress: Progress | None = None
) -> list[Examination]:
    """Check the theorems named (default: all) as stated and with false statements; arguments as for `prove`.

    Every false variant should come out `refuted`, by the same runner and with the same steps.

    Raises:
        InputError: an unknown id.
    """
    wanted = list(theorems()) if ids is None else [get_theorem(name).id for name in ids]
    examined = _map(_examine_one, _with_cited(wanted), workers, progress)
    checked = {name: examination.result for name, examination in examined.items()}
    settled: dict[str, TheoremResult] = {}
    return [Examination(_settle(name, checked, settled, ()), examined[name].variants) for name in wanted]


def _with_cited(names: Sequence[str]) -> list[str]:
    ordered: dict[str, None] = {}
    pending = list(names)
    while pending:
        name = pending.pop(0)
        if name not in ordered:
            ordered[name] = None
            pending += [cited for cited in get_theorem(name).cites if cited in theorems()]
    return list(ordered)


def _settle(
    name: str, checked: Mapping[str, TheoremResult], settled: dict[str, TheoremResult], above: tuple[str, ...]
) -> TheoremResult:
    """Return the result with the cited theorems' results taken into account; a circle of citations proves nothing."""
    if name in settled:
        return settled[name]
    result = checked[name]
    for cited in result.cites:
        if cited in (*above, name):
            result = replace(result, verdict=Verdict.UNKNOWN, reason=f"refused: circular citation of {cited}")
        elif result.verdict is Verdict.PROVED:
            verdict = _settle(cited, checked, settled, (*above, name)).verdict
            if verdict is not Verdict.PROVED:
                result = replace(result, verdict=Verdict.UNKNOWN, reason=f"rests on {cited}, which is {verdict}")
    settled[name] = result
    return result


def _map(
    work: Callable[[str], Result],
    names: Sequence[str],
    workers: int | None,
    progress: Progress | None,
) -> dict[str, Result]:
    return dict(zip(names, spread(work, names, progress, workers), strict=True))


def _check_one(name: str) -> TheoremResult:
    return check_theorem(get_theorem(name), theorems().get)


def _examine_one(name: str) -> Examination:
    result = _check_one(name)  # first: the variants share its steps, which are checked once in a process
    variants = []
    for change, theorem in perturbed(get_theorem(name)):
        outcome = check_theorem(theorem, theorems().get)
        variants.append(Variant(change, outcome.verdict, outcome.reason))
    return Examination(result, tuple(variants))
