"""Claims that rest on theorems of the library."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from gelu_verify.errors import InputError
from gelu_verify.records import Verdict
from gelu_verify.reports.claims.fields import Fields
from gelu_verify.reports.claims.record import Limits, Note, Outcome

MAX_THEOREMS = 20  # in one part of a claim


@dataclass(frozen=True, slots=True)
class Theorems:
    """`kind = "theorem"`: what the named theorems say, all together."""

    ids: tuple[str, ...]

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Read `theorems`, a list of ids as `gelu-verify prove --list` shows them."""
        from gelu_verify.proofs.library import get_theorem

        ids = fields.texts("theorems")
        if len(ids) > MAX_THEOREMS:
            raise fields.complain(f"theorems has {len(ids)} entries; at most {MAX_THEOREMS} are read")
        try:
            for name in ids:
                get_theorem(name)
        except InputError as error:
            raise fields.complain(str(error)) from None
        return cls(ids)

    def judge(self, limits: Limits) -> Outcome:
        """Look the verdicts up, or have the theorems checked."""
        known = limits.theorems if set(self.ids) <= set(limits.theorems) else verdicts(self.ids)
        command = f"gelu-verify prove {' '.join(self.ids)}"
        weak = [name for name in self.ids if known[name] is not Verdict.PROVED]
        if weak:
            verdict = Verdict.REFUTED if Verdict.REFUTED in map(known.get, weak) else Verdict.UNKNOWN
            return Outcome(verdict, None, (Note("theorem.fails", {"theorems": ", ".join(weak)}),), command)
        note = Note("theorem.proved", {"theorems": ", ".join(self.ids)})
        anchors = tuple(f"theorem-{name}" for name in self.ids)
        return Outcome(Verdict.PROVED, None, (note,), command, anchors)


def verdicts(ids: Sequence[str]) -> dict[str, Verdict]:
    """Check theorems, over several processes if there are many, and return their verdicts by id."""
    from gelu_verify.proofs.library import prove

    return {result.id: result.verdict for result in prove(ids, workers=None if len(ids) > 3 else 1)}
