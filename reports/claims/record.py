"""Claims as data: what was said, and what came of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gelu_verify.enclosures import Enclosure
from gelu_verify.formats import Format
from gelu_verify.records import Verdict

# From the least settled to the best settled: a claim is worth as much as its weakest part.
_WORTH = (
    Verdict.REFUTED,
    Verdict.UNKNOWN,
    Verdict.CITED,
    Verdict.SAMPLED,
    Verdict.EXHAUSTIVE,
    Verdict.CERTIFIED,
    Verdict.PROVED,
)


@dataclass(frozen=True, slots=True)
class Note:
    """One sentence of evidence: the name of a sentence in `strings/`, and what is put into it.

    Kept apart from its wording so that a report can say it in any language with the same numbers.
    """

    key: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Datum:
    """A floating-point number that is somebody's value: a format and an encoding."""

    format: Format
    bits: int


Sharp = Enclosure | Datum | str | None  # str: "infinity"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much work one part of a claim may cause, and what need not be done again.

    Attributes:
        seconds: for each part.
        theorems: verdicts of theorems that have been checked already, by id.
        probing: whether libraries installed here may be probed; the answer then depends on the machine.
    """

    seconds: float = 20.0
    theorems: Mapping[str, Verdict] = field(default_factory=dict)
    probing: bool = False

    @property
    def inner(self) -> float:
        """Seconds for a computation that returns what it has when its time is over: less than the part has."""
        return 0.75 * self.seconds


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one part of a claim.

    Attributes:
        value: the sharp number that the part is about, where there is one.
        notes: the evidence, in sentences.
        command: what to type to compute it again.
        anchors: ids of the sections of a report that show the evidence (theorem ids, certificate names).
    """

    verdict: Verdict
    value: Sharp = None
    notes: tuple[Note, ...] = ()
    command: str = ""
    anchors: tuple[str, ...] = ()


class Question(Protocol):
    """What one part of a claim asks; each kind of claim is one class."""

    def judge(self, limits: Limits) -> Outcome:
        """Decide it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One checkable statement of a claim. A supporting part is a confirmation: it cannot lift or lower a verdict,
    unless it fails.
    """

    kind: str
    question: Question
    supporting: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence with numbers in it.

    Attributes:
        statements: the sentence by language code; `en` is always there.
        source: where it was said.
    """

    id: str
    statements: Mapping[str, str]
    source: str
    parts: tuple[Part, ...]

    @property
    def statement(self) -> str:
        """The sentence in English, or in whatever language it was given."""
        return self.statements["en"]


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim and what came of each of its parts."""

    claim: Claim
    outcomes: tuple[Outcome, ...]

    @property
    def verdict(self) -> Verdict:
        """The verdict of the whole: the weakest of its parts'."""
        return combine(list(zip(self.claim.parts, self.outcomes, strict=True)))

    @property
    def value(self) -> Sharp:
        """The sharp number of the first part that has one."""
        return next((outcome.value for outcome in self.outcomes if outcome.value is not None), None)


def combine(judged: Sequence[tuple[Part, Outcome]]) -> Verdict:
    """Return the verdict of a claim whose parts came out so; with nothing to rest on it is unknown."""
    verdicts = [outcome.verdict for part, outcome in judged if not part.supporting or _fails(part, outcome)]
    return min(verdicts, key=_WORTH.index, default=Verdict.UNKNOWN)


def _fails(part: Part, outcome: Outcome) -> bool:
    """Tell whether a confirmation fails: a library that is not installed leaves a claim as it is."""
    if part.kind == "implementation":
        return outcome.verdict is Verdict.REFUTED
    return outcome.verdict in (Verdict.REFUTED, Verdict.UNKNOWN)
