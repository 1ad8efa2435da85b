"""A seeded simulation of the random mask behind GELU: a confirmation for the eye, never a proof."""

import math
import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from gelu_verify.records import Verdict
from gelu_verify.references import value
from gelu_verify.reports.claims.fields import Fields
from gelu_verify.reports.claims.record import Limits, Note, Outcome
from gelu_verify.reports.claims.values import written

MAX_DRAWS = 1_000_000
MAX_INPUT = 1000
_DOUBT = 1e-9  # probability with which a right GELU would be called wrong


@dataclass(frozen=True, slots=True)
class Simulation:
    """`kind = "simulation"`: the mean of x times a mask that keeps it when a standard normal number is at most x.

    By Hoeffding's inequality the mean of n draws is farther than |x| sqrt(log(2/p)/(2n)) from its expectation with
    probability at most p. The draws come from the Mersenne twister, which is the same everywhere.
    """

    x: Fraction
    draws: int
    seed: int

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Read `at`, `draws` and `seed`."""
        x = fields.point("at")
        if not -MAX_INPUT <= x <= MAX_INPUT:
            raise fields.complain(f"at = {written(x)} must lie between -{MAX_INPUT} and {MAX_INPUT}")
        return cls(x, fields.integer("draws", 100, MAX_DRAWS), fields.integer("seed", 0, 2**63))

    def judge(self, limits: Limits) -> Outcome:
        """Draw, and compare the mean with GELU."""
        kept = self._kept()
        mean = self.x * Fraction(kept, self.draws)
        exact = value("gelu(x)", self.x, digits=20)
        room = abs(self.x) * Fraction(math.sqrt(math.log(2 / _DOUBT) / (2 * self.draws)))
        within = max(abs(mean - exact.lower), abs(mean - exact.upper)) <= room
        values = {
            "draws": str(self.draws),
            "seed": str(self.seed),
            "x": written(self.x),
            "mean": f"{float(mean):.6f}",
            "value": exact.decimal(10),
            "room": f"{float(room):.6f}",
        }
        note = Note("simulation.within" if within else "simulation.outside", values)
        return Outcome(Verdict.SAMPLED if within else Verdict.UNKNOWN, None, (note,))

    def _kept(self) -> int:
        """Count the standard normal draws (Box & Muller 1958) that are at most x."""
        generator, x = random.Random(self.seed), float(self.x)
        kept = 0
        for _ in range(self.draws):
            radius = math.sqrt(-2 * math.log(1 - generator.random()))
            kept += radius * math.cos(2 * math.pi * generator.random()) <= x
        return kept
