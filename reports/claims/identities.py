"""Claims that two expressions are the same function."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from gelu_verify.catalogue import Expression
from gelu_verify.catalogue.functions import Function
from gelu_verify.catalogue.parser import measure
from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.records import Verdict
from gelu_verify.references import value
from gelu_verify.reports.claims.fields import Fields
from gelu_verify.reports.claims.record import Limits, Note, Outcome
from gelu_verify.reports.claims.values import value_command, written

_TRIED = (*(sign * Fraction(n, 2) for n in (2, 4, 1, 6, 3, 8, 10, 20) for sign in (1, -1)), Fraction(0))
_DIGITS = 25
MAX_NODES = 400  # of an identity that is handed to the symbolic normal form


@dataclass(frozen=True, slots=True)
class Identity:
    """`kind = "identity"`: two expressions are the same function. A point at which they differ refutes it; a
    derivation of their common normal form proves it; without either it is only sampled.
    """

    left: Function
    right: Function

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Read `left` and `right`."""
        return cls(fields.function("left"), fields.function("right"))

    def judge(self, limits: Limits) -> Outcome:
        """Look for a difference, then for a derivation."""
        sides = {"left": self.left.name, "right": self.right.name}
        compared = 0
        for x in _TRIED:
            both = _both(self.left.expression, self.right.expression, x)
            if both is None:
                continue
            left, right = both
            compared += 1
            if left.upper < right.lower or right.upper < left.lower:
                values = {**sides, "x": written(x), "value": left.decimal(20), "other": right.decimal(20)}
                command = value_command(self.left, written(x), 0, "--digits 20")
                return Outcome(Verdict.REFUTED, left, (Note("identity.differs", values),), command)
        if _derived(self.left.expression, self.right.expression):
            return Outcome(Verdict.PROVED, None, (Note("identity.proved", sides),))
        if not compared:
            return Outcome(Verdict.UNKNOWN, None, (Note("identity.nowhere", sides),))
        return Outcome(Verdict.SAMPLED, None, (Note("identity.sampled", {**sides, "count": str(compared)}),))


def _both(left: Expression, right: Expression, x: Fraction) -> tuple[Enclosure, Enclosure] | None:
    try:
        return value(left, x, digits=_DIGITS), value(right, x, digits=_DIGITS)
    except (InputError, IncompleteError):  # a side is not defined there, or too large to be written out
        return None


def _derived(left: Expression, right: Expression) -> bool:
    if measure(left).nodes + measure(right).nodes > MAX_NODES:
        return False
    from gelu_verify.catalogue.symbolic import sympy_expression
    from gelu_verify.proofs.normal import vanishes

    return bool(vanishes(sympy_expression(left) - sympy_expression(right)))
