"""For which numbers of a format GELU rounds to x, to x/2, or to zero: exact sets, found by bisection between proofs.

Write Q = 1 - Phi. GELU(x) = x - x Q(x) = x/2 + |x| (Phi(|x|) - 1/2). Within one binade a rounding boundary is at a
fixed distance from x and from x/2 (a power of two has a nearer one towards zero), x Q(x) falls for x >= 1, and
|x| (Phi(|x|) - 1/2) rises with |x|: so each set meets the inside of a binade in a segment that bisection finds, each
single number decided by correct rounding. What is said of all other numbers is argued where it is used.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from gelu_verify.bounds.smooth import point
from gelu_verify.catalogue import get_function
from gelu_verify.catalogue.evaluators import arb_value
from gelu_verify.enclosures import working_precision
from gelu_verify.errors import IncompleteError
from gelu_verify.formats import Format
from gelu_verify.references import rounded

OUTCOMES = ("x", "x/2", "0")
_BITS = 256


@dataclass(frozen=True, slots=True)
class Run:
    """Numbers of a format in arithmetic progression: every `step`-th from `first` to `last`, as bits, by magnitude."""

    first: int
    last: int
    step: int = 1

    @property
    def count(self) -> int:
        """How many numbers it has."""
        return (self.last - self.first) // self.step + 1


@dataclass(frozen=True, slots=True)
class RoundingSet:
    """The finite numbers of a format at which GELU, correctly rounded, is x, x/2 or zero.

    Attributes:
        outcome: one of `OUTCOMES`.
        runs: disjoint; zeros first, then positive, then negative numbers, by magnitude.
    """

    format: str
    outcome: str
    runs: tuple[Run, ...]

    @property
    def count(self) -> int:
        """How many numbers it has, -0 and +0 being two."""
        return sum(run.count for run in self.runs)


def rounding_set(format: Format, outcome: str) -> RoundingSet:
    """Return the set of one outcome.

    Raises:
        ValueError: no such outcome.

    >>> from gelu_verify.formats import get_format
    >>> [hex(run.first) for run in rounding_set(get_format("binary32"), "x").runs]
    ['0x0', '0x80000000', '0x1', '0x40ab1ed9']
    """
    find = {"x": _identity, "x/2": _half, "0": _zero}.get(outcome)
    if find is None:
        raise ValueError(f"no outcome {outcome!r}; there are {', '.join(OUTCOMES)}")
    zeros = (Run(0, 0), Run(format.sign_mask, format.sign_mask))  # GELU(+-0) = +-0
    return RoundingSet(format.name, outcome, (*zeros, *_merged(find(format))))


def _gelu(format: Format, bits: int) -> Fraction:
    result = rounded(get_function("gelu"), bits, format)
    return format.exact(result)


def _power_of_two(format: Format, exponent: int) -> int:
    return format.round(Fraction(2) ** exponent)


def _binade_end(format: Format, exponent: int) -> int:
    """Return the last finite number below 2^(exponent + 1)."""
    return (
        min(_power_of_two(format, exponent + 1) - 1, format.max_finite) if exponent < format.emax else format.max_finite
    )


def _first_true(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the least n in [low, high + 1] from which `holds` is true, for a predicate that turns true once."""
    while low <= high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle - 1
        else:
            low = middle + 1
    return low


def _identity(format: Format) -> Iterator[Run]:
    """GELU(x) rounds to x.

    For x < 0, |GELU(x) - x| > |x|/2, at least half an ulp. For 4 subnormal units <= x <= 1, x Q(x) >= x Q(1) > x/8,
    at least half an ulp in any format of 3 bits or more. Where a power of two >= 1 is in the set, so is all above it:
    x Q(x) falls and the distance to the boundary does not.
    """

    def holds(bits: int) -> bool:
        return _gelu(format, bits) == format.exact(bits)

    if format.precision < 3:
        raise IncompleteError(f"{format.name} has fewer than 3 bits of precision")
    yield from (Run(bits, bits) for bits in range(1, 4) if holds(bits))
    for exponent in range(format.emax + 1):
        power, last = _power_of_two(format, exponent), _binade_end(format, exponent)
        if holds(power):
            yield Run(power, format.max_finite)
            return
        start = _first_true(power + 1, last, holds)
        if start <= last:
            yield Run(start, last)


def _half(format: Format) -> Iterator[Run]:
    for sign in (0, format.sign_mask):
        yield from (Run(run.first | sign, run.last | sign, run.step) for run in _half_magnitudes(format, sign))


def _half_magnitudes(format: Format, sign: int) -> Iterator[Run]:
    """GELU(x) rounds to x/2, for x of one sign: the runs of |x|.

    x/2 is in the format for even multiples of the subnormal unit only, as long as |x| < 2^(emin + 1). Above, with
    r = Phi(|x|) - 1/2, the boundary next to x/2 is at least |x| 2^-(p+2) and at most |x| 2^-(p+1) away: all of a binade
    is in the set where r <= 2^-(p+2) at its end, nothing beyond x where r > 2^-(p+1).
    """

    def fails(bits: int) -> bool:
        return 2 * _gelu(format, bits | sign) != format.exact(bits | sign)

    normal_half = format.emin + 1
    top = _power_of_two(format, normal_half) - 2
    evens = _first_true(1, top // 2, lambda half: fails(2 * half)) - 1
    if evens:
        yield Run(2, 2 * evens, 2)
    whole = -1
    while whole >= normal_half and not _excess(whole + 1) <= point(Fraction(1, 2 ** (format.precision + 2))):
        whole -= 1
    if whole >= normal_half:
        yield Run(_power_of_two(format, normal_half), _binade_end(format, whole))
    for exponent in range(max(whole + 1, normal_half), format.emax + 1):
        if _excess(exponent) > point(Fraction(1, 2 ** (format.precision + 1))):
            return
        power, last = _power_of_two(format, exponent), _binade_end(format, exponent)
        if not fails(power):
            yield Run(power, power)
        end = _first_true(power + 1, last, fails) - 1
        if end > power:
            yield Run(power + 1, end)


def _excess(exponent: int) -> arb:
    """Enclose Phi(2^exponent) - 1/2."""
    with working_precision(_BITS):
        return arb_value(get_function("erf").expression, point(Fraction(2) ** exponent) / arb(2).sqrt()) / 2


def _zero(format: Format) -> Iterator[Run]:
    """GELU(x) rounds to zero.

    For x > 0, GELU(x) > x/2 is above half the subnormal unit. For x < 0, |GELU| rises up to x = -0.7517... and falls
    beyond: the set is what lies near zero and what lies far out.
    """

    def holds(magnitude: int) -> bool:
        return _gelu(format, magnitude | format.sign_mask) == 0

    peak = format.round(Fraction(3, 4))
    if holds(peak) or holds(peak + 1):
        raise IncompleteError(f"{format.name} is too coarse: GELU's minimum rounds to zero")
    near = _first_true(1, peak, lambda magnitude: not holds(magnitude)) - 1
    far = _first_true(peak + 1, format.max_finite, holds)
    if near:
        yield Run(1 | format.sign_mask, near | format.sign_mask)
    if far <= format.max_finite:
        yield Run(far | format.sign_mask, format.max_finite | format.sign_mask)


def _merged(runs: Iterator[Run]) -> Iterator[Run]:
    """Join neighbouring runs of step 1."""
    held: Run | None = None
    for run in runs:
        if held is not None and held.step == run.step == 1 and run.first == held.last + 1:
            held = Run(held.first, run.last)
            continue
        if held is not None:
            yield held
        held = run
    if held is not None:
        yield held
