"""The words in which results are told: verdicts, and what every verdict promises."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How far a statement is settled. There are no other words for it.

    >>> Verdict.CERTIFIED.holds, Verdict.SAMPLED.holds, str(Verdict.UNKNOWN)
    (True, False, 'unknown')
    """

    PROVED = "proved"  # symbolically or formally, step by step
    CERTIFIED = "certified"  # a rigorous enclosure over the stated domain
    EXHAUSTIVE = "exhaustive"  # every input of the format was run
    SAMPLED = "sampled"  # some inputs were run: evidence, not a proof
    REFUTED = "refuted"  # shown to be false, with a witness
    CITED = "cited"  # a published experiment, not checkable here
    UNKNOWN = "unknown"  # not decided

    @property
    def holds(self) -> bool:
        """Whether the statement is settled and true; `sampled`, `cited` and `unknown` never count as success."""
        return self in (Verdict.PROVED, Verdict.CERTIFIED, Verdict.EXHAUSTIVE)


@dataclass(frozen=True, slots=True)
class Region:
    """The inputs from `first` to `last`, both belonging to it, as encodings in ascending order of value."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of an implementation, with a witness.

    Attributes:
        kind: the fault's name.
        message: what is wrong, in one sentence.
        cause: the likely cause and its cure, in one sentence; may be empty.
        x, got, want: the witness's input, the result and the correctly rounded right value, as encodings; None where
            there is no single input, no result or no right value.
        ulp: error at the witness in ulp of the right value; infinite for NaN and infinities.
        regions: where the fault shows, in ascending order.
        command: a command that reproduces it; may be empty.
        backward: whether it is the backward pass of an implementation that is at fault.
        follows: whether it follows from what other findings tell; then it comes after them.
    """

    kind: str
    message: str
    cause: str = ""
    x: int | None = None
    got: int | None = None
    want: int | None = None
    ulp: float | None = None
    regions: tuple[Region, ...] = ()
    command: str = ""
    backward: bool = False
    follows: bool = False
