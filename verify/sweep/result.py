"""What a sweep found."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from gelu_verify.formats import Format
from gelu_verify.records import Verdict
from gelu_verify.sweep.exact import Judge
from gelu_verify.sweep.statistics import COUNTS, Interval, Tally, Worst, coarsened

_MOST_REGIONS = 64  # of one kind; more are joined across the smallest gaps


@dataclass(frozen=True, slots=True)
class WorstInput:
    """The input with the largest error of a kind.

    Attributes:
        size: the error, correct to 80 significant bits.
        bits, got, want: the input, its result, the correctly rounded result.
        at_most: no error of this kind is larger. It exceeds `size` where inputs were judged by their bits alone (then
            it is at most half an ulp) or where very many had nearly the same error.
    """

    size: Fraction
    bits: int
    got: int
    want: int
    at_most: Fraction | None


@dataclass(frozen=True, slots=True)
class BinadeRow:
    """Errors in one binade of inputs.

    Attributes:
        first: the encoding with which the binade begins.
        inputs: how many were run.
        over: how many errors exceed 1/2, 1, 2, 4, 16 and 1024 ulp.
    """

    first: int
    inputs: int
    over: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """The errors against one function. A NaN where a number is wanted is misrounded but has no error; an infinity has
    an infinite one. Relative errors are those where the true value is at least the least normal number.
    """

    function: str
    inputs: int
    counts: Mapping[str, int]
    max_ulp: WorstInput | None
    max_abs: WorstInput | None
    max_rel: WorstInput | None
    symmetry: WorstInput | None
    histogram: tuple[BinadeRow, ...]
    regions: Mapping[str, tuple[Interval, ...]]


@dataclass(frozen=True, slots=True)
class SweepResult:
    """One implementation on every encoding of a format, or of an interval.

    Attributes:
        verdict: `exhaustive`, or `sampled` where the format has too many encodings.
        errors: against the function that the implementation claims to be.
        second: against a second function, from the same results.
    """

    implementation: str
    format: Format
    derivative: int
    verdict: Verdict
    inputs: int
    errors: Statistics
    second: Statistics | None


def statistics_of(name: str, tally: Tally, judge: Judge) -> Statistics:
    """Return a tally in the form in which it is reported."""
    rows = sorted(tally.histogram.items(), key=lambda item: judge.format.ordinal(item[0]))
    return Statistics(
        function=name,
        inputs=tally.inputs,
        counts={count: tally.counts.get(count, 0) for count in COUNTS},
        max_ulp=_worst(tally, "ulp", judge),
        max_abs=_worst(tally, "abs", judge),
        max_rel=_worst(tally, "rel", judge),
        symmetry=_worst(tally, "symmetry", judge),
        histogram=tuple(BinadeRow(first, numbers[0], tuple(numbers[1:])) for first, numbers in rows),
        regions={
            kind: tuple(coarsened(tally.joined_regions(kind), _MOST_REGIONS, judge.format.sign_mask))
            for kind in sorted(tally.regions)
        },
    )


def _worst(tally: Tally, kind: str, judge: Judge) -> WorstInput | None:
    worst: Worst | None = tally.worst.get(kind)
    if worst is None:
        return None
    bound = tally.bounds.get(kind, Fraction(0))
    at_most = None if bound is None else max(bound, worst.size)
    return WorstInput(worst.size, worst.bits, worst.got, judge.want(worst.bits), at_most)
