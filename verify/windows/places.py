"""Where to sample: a seeded draw from every binade, and the places at which implementations go wrong.

The draw is stratified: every binade of either sign gets its share, one window from each of so many equal parts; the
binades around 1, where exponentials live and GELU does what it does, get the larger share. Windows lie at the same
magnitudes on both sides of zero, so that f(x) and f(-x) can be compared.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from random import Random

from flint import arb

from gelu_verify.catalogue import Expression, difference
from gelu_verify.catalogue.evaluators import NotSmooth
from gelu_verify.enclosures import working_precision
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import Format
from gelu_verify.formats.rounding import dyadic
from gelu_verify.references import derivative_ball, rounded
from gelu_verify.references.anchors import ball_sign
from gelu_verify.references.partition import Anchored
from gelu_verify.references.spans import Span
from gelu_verify.sweep.tasks import Stretch
from gelu_verify.windows.reference import LARGEST_WINDOW, Oracle

LONG, SHORT = LARGEST_WINDOW, 1 << 8  # encodings of a window
_BUSY = range(-8, 10)  # exponents of the binades around 1
_STEPS = 16  # places in a busy binade at which signs are compared
_PRECISION = 128

Sign = Callable[[int], int | None]


def window_at(format: Format, bits: int, size: int) -> Span:
    """Return the window of that size (a power of two) that holds an encoding."""
    return Span(format, bits // size * size, min(size, format.min_normal))


def drawn(format: Format, stretches: Sequence[Stretch], seed: int, windows: int) -> Iterator[Span]:
    """Yield the windows of the draw: about `windows` long ones in the busy binades of the domain (in all of it if there
    are none), a short one in every other binade, and those at both ends of every binade.
    """
    one = format.round(1) >> format.fraction_bits
    busy = [stretch for stretch in stretches if _magnitude(stretch) // format.min_normal - one in _BUSY]
    for stretch in stretches:
        many = stretch in busy or not busy
        size, number = (LONG, max(windows // len(busy or stretches), 1)) if many else (SHORT, 1)
        for end in (stretch.start, stretch.stop - 1):
            yield window_at(format, end, size)
        generator, length = Random(f"{seed} {_magnitude(stretch)}"), stretch.stop - stretch.start
        for part in range(number):
            low, high = length * part // number, length * (part + 1) // number
            yield window_at(format, stretch.start + generator.randrange(low, max(high, low + 1)), size)


def _magnitude(stretch: Stretch) -> int:
    return stretch.span.first & ~stretch.span.format.sign_mask


def marked(
    oracle: Oracle, expression: Expression, derivative: int, other: Expression | None, stretches: Sequence[Stretch]
) -> Iterator[int]:
    """Yield encodings of places that matter: zeros, extrema and inflections, where results turn subnormal, zero or
    infinite, where the difference from the other function is largest, and where the correct rounding begins to be that
    of a constant or of 2^k x. They are looked for between places where a sign differs, and may be missed.
    """
    if not stretches:
        return
    format = stretches[0].span.format
    signs = [_sign_of(expression, order, format) for order in (derivative, derivative + 1, derivative + 2)]
    sizes = (format.emin, format.emin - format.fraction_bits - 1, format.emax + 1)
    signs += [_size_sign(expression, derivative, format, exponent) for exponent in sizes]
    if other is not None:
        signs.append(_sign_of(difference(expression, other), derivative + 1, format))
    for sign in signs:
        for side in _sides(format, stretches):
            yield from _changes(sign, side)
    yield from _onsets(oracle, expression, derivative, format, stretches)


def _sides(format: Format, stretches: Sequence[Stretch]) -> Iterator[list[int]]:
    """Yield places to compare, in the order of the encodings, for either side of zero."""
    one = format.round(1) >> format.fraction_bits
    for negative in (False, True):
        places: list[int] = []
        for stretch in sorted(stretches, key=lambda stretch: stretch.start):
            if stretch.span.negative == negative:
                steps = _STEPS if _magnitude(stretch) // format.min_normal - one in _BUSY else 1
                length = stretch.stop - stretch.start
                places += [stretch.start + length * step // steps for step in range(steps)]
        if places:
            last = max(stretch.stop - 1 for stretch in stretches if stretch.span.negative == negative)
            yield [place for place in [*places, last] if place & ~format.sign_mask]


def _changes(sign: Sign, places: Iterable[int]) -> Iterator[int]:
    """Yield a place between any two neighbours at which a sign differs, next to the change."""
    before, known = None, None
    for place in places:
        found = sign(place)
        if found is None:
            continue
        if before is not None and known is not None and found != known:
            yield _bisected(lambda bits, side=found: sign(bits) == side, before, place)  # type: ignore[misc]
        before, known = place, found


def _bisected(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return n with not holds(n - 1) and holds(n), given that this is so for n - 1 = low and n = high."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _sign_of(expression: Expression, derivative: int, format: Format) -> Sign:
    def sign(bits: int) -> int | None:
        ball = _ball(expression, derivative, format, bits)
        return None if ball is None else ball_sign(ball)

    return sign


def _size_sign(expression: Expression, derivative: int, format: Format, exponent: int) -> Sign:
    """Return the function that compares |f| with 2^exponent."""

    def sign(bits: int) -> int | None:
        ball = _ball(expression, derivative, format, bits)
        return None if ball is None else ball_sign(abs(ball) - arb((1, exponent)))

    return sign


def _ball(expression: Expression, derivative: int, format: Format, bits: int) -> arb | None:
    with working_precision(_PRECISION):
        try:
            ball = derivative_ball(expression, Span(format, bits, 1).point(0), derivative)
        except (NotSmooth, ZeroDivisionError):
            return None
    return ball if ball.is_finite() else None


def _onsets(
    oracle: Oracle, expression: Expression, derivative: int, format: Format, stretches: Sequence[Stretch]
) -> Iterator[int]:
    """Yield where, in a binade beside one that is proved to round to a constant or to 2^k x, that begins to hold."""
    size = format.min_normal
    spans = {stretch.span.first for stretch in stretches if stretch.span.count == size}
    for first in sorted(spans):
        piece = oracle.anchored(Span(format, first, 1))
        if piece is None:
            continue
        holds = partial(_rounds_to, piece, expression, derivative, format)
        if first - size in spans and oracle.anchored(Span(format, first - size, 1)) is None:
            yield _bisected(holds, first - size, first)
        if first + size in spans and oracle.anchored(Span(format, first + size, 1)) is None:
            yield _bisected(lambda bits, holds=holds: not holds(bits), first + size - 1, first + 2 * size - 1)  # type: ignore[misc]


def _rounds_to(piece: Anchored, expression: Expression, derivative: int, format: Format, bits: int) -> bool:
    """Tell whether the correct rounding at one input is the piece's constant, or 2^k times the input."""
    try:
        want = rounded(expression, bits, format, derivative)
    except (InputError, IncompleteError):
        return False
    if piece.scale is None or not format.is_finite(want):
        return want == piece.constant
    exponent, sign = piece.scale
    return format.exact(want) == sign * dyadic(1, exponent) * format.exact(bits)
