"""Seeded wrong implementations, each with its kind and source, and right ones that no check may blame.

They test the checks, and they measure how strong somebody's own test is. Every one can be given to the command line as
a target, for example `gelu-verify check gelu_verify.faults.cancellation:one_plus_erf --as gelu`.
"""

from collections.abc import Mapping
from types import MappingProxyType

from gelu_verify.errors import InputError, nearest_names
from gelu_verify.faults import (
    approximations,
    cancellation,
    constants,
    correct,
    forms,
    gated,
    gradients,
    low_precision,
    overflow,
    paths,
    properties,
    special_values,
)
from gelu_verify.faults.record import Fault, Variant, faults, variants

__all__ = [
    "FAULTS",
    "VARIANTS",
    "Fault",
    "Variant",
    "approximations",
    "cancellation",
    "constants",
    "correct",
    "forms",
    "gated",
    "get_fault",
    "gradients",
    "low_precision",
    "overflow",
    "paths",
    "properties",
    "special_values",
]

FAULTS: Mapping[str, Fault] = MappingProxyType(faults)
VARIANTS: Mapping[str, Variant] = MappingProxyType(variants)


def get_fault(id: str) -> Fault:
    """Return the fault of that id, for example `one_plus_erf.binary32`.

    Raises:
        InputError: no such fault; the message names the nearest.
    """
    if id not in FAULTS:
        raise InputError(f"unknown fault {id!r}{nearest_names(id, FAULTS)}")
    return FAULTS[id]
