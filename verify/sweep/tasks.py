"""The tasks of a sweep: every encoding of a format, or of an interval, exactly once."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from gelu_verify.errors import InputError
from gelu_verify.formats import Format
from gelu_verify.references.spans import Span, binades, require_tiling


@dataclass(frozen=True, slots=True)
class Stretch:
    """The encodings `start` ... `stop - 1` of the binade `span`."""

    span: Span
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker does at a time: one binade on both sides of zero (or on one), or the special encodings.

    Attributes:
        number: the name of the task in a checkpoint.
        stretches: first that without the sign bit.
        special: half-open ranges of encodings of infinities and NaN.
    """

    number: int
    stretches: tuple[Stretch, ...]
    special: tuple[tuple[int, int], ...] = ()

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """The encodings of the task, as (first, count)."""
        ends = [(stretch.start, stretch.stop) for stretch in self.stretches] + list(self.special)
        return [(start, stop - start) for start, stop in ends]

    @property
    def inputs(self) -> int:
        """How many encodings the task has."""
        return sum(count for _, count in self.ranges)


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval of real numbers.

    Raises:
        InputError: the ends are the wrong way round.
    """

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise InputError(f"the interval from {self.lower} to {self.upper} is empty; give the lower end first")


def plan_tasks(format: Format, on: Interval | None = None) -> list[Task]:
    """Return the tasks, the binades around 1 first: that is where the worst inputs are found, which saves work later.

    Arguments:
        on: only numbers in this interval; otherwise all 2^width encodings, infinities and NaN included.

    Raises:
        ArithmeticError: the tasks do not cover every encoding exactly once.
        InputError: no number of the format lies in the interval.

    >>> from gelu_verify.formats import FORMATS
    >>> sum(task.inputs for task in plan_tasks(FORMATS["binary32"])) == 2**32
    True
    """
    sides: dict[int, list[Stretch]] = {}
    for span in binades(format):
        stretch = _clipped(span, on)
        if stretch is not None:
            sides.setdefault(span.first & ~format.sign_mask, []).append(stretch)
    one = (format.round(1) >> format.fraction_bits, 1)
    order = sorted(sides, key=lambda magnitude: abs(magnitude // format.min_normal - one[0] - one[1]))
    tasks = [Task(number, tuple(sides[magnitude])) for number, magnitude in enumerate(order)]
    if on is None:
        first = format.max_finite + 1
        special = ((first, format.sign_mask), (first | format.sign_mask, 2 * format.sign_mask))
        tasks.append(Task(len(tasks), (), special))
        require_tiling([piece for task in tasks for piece in task.ranges], 0, 1 << format.width)
    elif not tasks:
        raise InputError(f"{format.name} has no finite number in this interval; choose a wider one")
    return tasks


def _clipped(span: Span, on: Interval | None) -> Stretch | None:
    """Return the part of a binade that lies in the interval."""
    start, stop = span.first, span.first + span.count
    if on is None:
        return Stretch(span, start, stop)
    lower, upper = (-on.upper, -on.lower) if span.negative else (on.lower, on.upper)
    sign = span.first & span.format.sign_mask
    start = max(start, sign | _first_at_least(span.format, lower))
    stop = min(stop, sign | _first_above(span.format, upper))
    return Stretch(span, start, stop) if start < stop else None


def _first_at_least(format: Format, value: Fraction) -> int:
    """Return the first magnitude that is at least `value`."""
    if value <= 0:
        return 0
    nearest = format.round(value)
    if nearest >= format.overflow:
        return nearest
    return nearest if format.exact(nearest) >= value else nearest + 1


def _first_above(format: Format, value: Fraction) -> int:
    """Return the first magnitude that is greater than `value`."""
    if value < 0:
        return 0
    nearest = format.round(value)
    if nearest >= format.overflow:
        return format.overflow
    return nearest + 1 if format.exact(nearest) <= value else nearest


def covered(tasks: Sequence[Task]) -> int:
    """Return how many encodings the tasks cover."""
    return sum(task.inputs for task in tasks)
