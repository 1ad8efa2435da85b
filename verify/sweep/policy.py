"""What a sweep is told to allow and to look for."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from gelu_verify.errors import InputError
from gelu_verify.sweep.statistics import LIMITS, OVER

OVER_LIMIT = "over_limit"


@dataclass(frozen=True)
class Policy:
    """What a sweep is told to allow and to look for.

    Attributes:
        limit: an error in ulps, at least 1/2; inputs that exceed it are counted and their regions kept.
        flush_inputs: an implementation may treat subnormal inputs as zeros.
        flush_outputs: it may return a zero where the correctly rounded result is subnormal.

    Raises:
        InputError: the limit is below 1/2 ulp, which no implementation can keep.
    """

    limit: Fraction | None = None
    flush_inputs: bool = False
    flush_outputs: bool = False

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < LIMITS[0]:
            raise InputError(f"a limit of {self.limit} ulp is below 1/2, which even correct rounding exceeds")

    @cached_property
    def limits(self) -> tuple[Fraction, ...]:
        """All limits that errors are compared with, in ascending order."""
        own = () if self.limit is None or self.limit in LIMITS else (self.limit,)
        return tuple(sorted((*LIMITS, *own)))

    @cached_property
    def edges(self) -> tuple[float, ...]:
        """The same limits as float64 numbers."""
        return tuple(float(limit) for limit in self.limits)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name under which each of `limits` is counted; the own limit is counted under `over_limit` as well."""
        names = dict(zip(LIMITS, OVER, strict=True))
        return tuple(names.get(limit, OVER_LIMIT) for limit in self.limits)

    @cached_property
    def own(self) -> int | None:
        """The place of the own limit among `limits`."""
        return None if self.limit is None else self.limits.index(self.limit)
