"""The kinds of claims: the word that stands in a file, and the class that reads and judges it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from gelu_verify.reports.claims.fields import Fields
from gelu_verify.reports.claims.identities import Identity
from gelu_verify.reports.claims.record import Question
from gelu_verify.reports.claims.statements import Experiment
from gelu_verify.reports.claims.theorems import Theorems
from gelu_verify.reports.claims.values import Rounding, Table, Value


class Kind(Protocol):
    """What a class of claims provides beside judging."""

    def read(self, fields: Fields) -> Question:
        """Read the fields that belong to the kind."""


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "experiment": Experiment,
        "identity": Identity,
        "rounding": Rounding,
        "table": Table,
        "theorem": Theorems,
        "value": Value,
    }
)
