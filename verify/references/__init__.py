"""Reference values: any number of certain digits, or correctly rounded into a format."""

from gelu_verify.references.correct_rounding import rounded, rounded_limit, rounded_value
from gelu_verify.references.values import (
    MAX_DERIVATIVE,
    MAX_DIGITS,
    Reference,
    derivative_ball,
    limit_at_infinity,
    reference,
    value,
)

__all__ = [
    "MAX_DERIVATIVE",
    "MAX_DIGITS",
    "Reference",
    "derivative_ball",
    "limit_at_infinity",
    "reference",
    "rounded",
    "rounded_limit",
    "rounded_value",
    "value",
]
