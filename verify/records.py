"""The words in which results are told: verdicts, and what every verdict promises."""

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
