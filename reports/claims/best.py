"""Claims about the best constants of a family of approximations."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from gelu_verify.bounds.minimax import FitResult, fit
from gelu_verify.bounds.roots import Unresolved
from gelu_verify.catalogue import get_function
from gelu_verify.deadlines import OutOfTime
from gelu_verify.enclosures import Enclosure
from gelu_verify.records import Verdict
from gelu_verify.reports.claims.fields import Fields
from gelu_verify.reports.claims.numbers import judge_number
from gelu_verify.reports.claims.printed import NumberClaim
from gelu_verify.reports.claims.record import Limits, Note, Outcome

FAMILIES = ("gelu_sigmoid", "gelu_tanh", "gelu_tanh2")
TARGETS = ("gelu", "Phi")


@dataclass(frozen=True, slots=True)
class BestConstant:
    """`kind = "best-constant"`: the constant with which a family comes nearest to GELU (or its gate to Phi) over all
    reals.
    """

    family: str
    against: str
    constant: str
    number: NumberClaim

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Read `family`, `against`, `constant` and the printed number."""
        family = fields.choice("family", FAMILIES)
        against = fields.choice("against", TARGETS, "gelu")
        names = tuple(get_function(family).constants)
        return cls(family, against, fields.choice("constant", names, names[0]), fields.number())

    def judge(self, limits: Limits) -> Outcome:
        """Compare with the constant that is proven to be the best."""
        command = f"gelu-verify fit {self.family}" + ("" if self.against == "gelu" else f" --against {self.against}")
        target = f"{self.family} → {self.against}"
        anchors = (f"constants-{self.family}.{self.against}",)
        try:
            return judge_number(
                f"{self.constant} ({target})",
                self.number,
                lambda digits: self._enclose(digits, limits),
                command,
                anchors,
            )
        except (Unresolved, OutOfTime) as problem:
            reason = Note("undecided.reason", {"reason": str(problem) or "the time allowed is over"})
            return Outcome(Verdict.UNKNOWN, None, (reason,), command)

    def _enclose(self, digits: int, limits: Limits) -> Enclosure:
        return _fit(self.family, self.against, digits, limits.inner).constants[self.constant]


@lru_cache(maxsize=32)
def _fit(family: str, against: str, digits: int, seconds: float) -> FitResult:
    return fit(family, against, digits, seconds)
