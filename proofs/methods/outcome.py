"""What a method answers, and what every method is."""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import sympy

from gelu_verify.proofs.printers import plain
from gelu_verify.proofs.statements import Statement
from gelu_verify.records import Verdict


@dataclass(frozen=True, slots=True)
class Outcome:
    """A method's verdict (`proved`, `refuted` or `unknown`) and what was seen, in a line."""

    verdict: Verdict
    evidence: str


class Method(Protocol):
    """A named way of concluding a statement, sound for every theorem.

    `check` answers for the statement `goal`, given that the statements `facts` hold.
    """

    name: ClassVar[str]

    def check(self, goal: Statement, facts: tuple[Statement, ...]) -> Outcome:
        """Return the outcome; a method that does not apply answers `unknown`."""


def proved(evidence: str, *values: Any) -> Outcome:
    """Return the outcome of a finished derivation; the values go into the braces of `evidence`, in our notation."""
    return Outcome(Verdict.PROVED, _written(evidence, values))


def refuted(evidence: str, *values: Any) -> Outcome:
    """Return the outcome of a derivation of the contrary."""
    return Outcome(Verdict.REFUTED, _written(evidence, values))


def unknown(evidence: str, *values: Any) -> Outcome:
    """Return the outcome of a method that did not get through."""
    return Outcome(Verdict.UNKNOWN, _written(evidence, values))


def _written(evidence: str, values: tuple[Any, ...]) -> str:
    if not values:
        return evidence
    return evidence.format(*(plain(value) if isinstance(value, sympy.Basic) else value for value in values))


def listed(values: tuple[Any, ...]) -> str:
    """Return the values in our notation, separated by commas."""
    return ", ".join(plain(sympy.sympify(value)) for value in values)
