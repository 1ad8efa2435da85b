"""What a method answers, and what every method is."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

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


def proved(evidence: str) -> Outcome:
    """Return the outcome of a finished derivation."""
    return Outcome(Verdict.PROVED, evidence)


def refuted(evidence: str) -> Outcome:
    """Return the outcome of a derivation of the contrary."""
    return Outcome(Verdict.REFUTED, evidence)


def unknown(evidence: str) -> Outcome:
    """Return the outcome of a method that did not get through."""
    return Outcome(Verdict.UNKNOWN, evidence)
