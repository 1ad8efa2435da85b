"""The kinds of claims: the word that stands in a file, and what reads it into a question that can be judged."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from gelu_verify.reports.claims.best import BestConstant
from gelu_verify.reports.claims.bounds import Bound
from gelu_verify.reports.claims.extrema import Extremum, Points
from gelu_verify.reports.claims.fields import Fields
from gelu_verify.reports.claims.identities import Identity
from gelu_verify.reports.claims.implementation import LibraryClaim
from gelu_verify.reports.claims.monotone import Monotone
from gelu_verify.reports.claims.record import Question
from gelu_verify.reports.claims.simulation import Simulation
from gelu_verify.reports.claims.statements import Experiment
from gelu_verify.reports.claims.theorems import Theorems
from gelu_verify.reports.claims.values import Rounding, Table, Value

KINDS: Mapping[str, Callable[[Fields], Question]] = MappingProxyType(
    {
        "best-constant": BestConstant.read,
        "bound": Bound.read,
        "experiment": Experiment.read,
        "identity": Identity.read,
        "implementation": LibraryClaim.read,
        "maximum": Extremum.maximum,
        "minimum": Extremum.minimum,
        "monotone": Monotone.read,
        "points": Points.read,
        "rounding": Rounding.read,
        "simulation": Simulation.read,
        "table": Table.read,
        "theorem": Theorems.read,
        "value": Value.read,
    }
)
