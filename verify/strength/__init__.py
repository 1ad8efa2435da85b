"""How strong is a test: which wrong implementations it accepts, what would refuse them, and are its values right?"""

from gelu_verify.strength.audit import (
    PRESETS,
    Accepted,
    Preset,
    Strength,
    Tolerance,
    errors_in_ulp,
    expected_values,
    right_variants,
    seeded_faults,
    seeded_implementations,
    sort_out,
    strength,
)

__all__ = [
    "PRESETS",
    "Accepted",
    "Preset",
    "Strength",
    "Tolerance",
    "errors_in_ulp",
    "expected_values",
    "right_variants",
    "seeded_faults",
    "seeded_implementations",
    "sort_out",
    "strength",
]
