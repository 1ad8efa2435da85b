"""Claims that are not about one number."""

from dataclasses import dataclass
from typing import Self

from gelu_verify.records import Verdict
from gelu_verify.reports.claims.fields import Fields
from gelu_verify.reports.claims.record import Limits, Note, Outcome


@dataclass(frozen=True, slots=True)
class Experiment:
    """`kind = "experiment"`: what somebody measured and published. It is cited; nothing here can confirm it."""

    figures: tuple[str, ...]

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Read `figures`, the printed numbers, if there are any."""
        return cls(fields.texts("figures") if fields.has("figures") else ())

    def judge(self, limits: Limits) -> Outcome:
        """Cite it."""
        if not self.figures:
            return Outcome(Verdict.CITED, None, (Note("experiment.cited"),))
        return Outcome(Verdict.CITED, None, (Note("experiment.figures", {"figures": ", ".join(self.figures)}),))
