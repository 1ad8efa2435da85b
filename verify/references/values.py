"""Values of a function or a derivative at a rational point, to any number of certain digits.

Arb gives the enclosure. mpmath computes the same number by other code at a higher precision, and the result is
`confirmed` when it lies in Arb's ball: two independent arithmetics agree.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from gelu_verify.catalogue import Expression, Function, parse, text
from gelu_verify.catalogue.evaluators import NotSmooth, arb_taylor, arb_value, exact_value, mpmath_value
from gelu_verify.enclosures import Enclosure, enclosure_of, working_precision
from gelu_verify.errors import IncompleteError, InputError

if TYPE_CHECKING:
    from gelu_verify.enclosures.tails import Limit

MAX_DERIVATIVE = 200
MAX_DIGITS = 10_000
_MAX_PRECISION = 1 << 18  # bits
_GUARD_BITS = 64  # by which mpmath's precision exceeds Arb's
_MAX_CONFIRMATION_PRECISION = 60_000  # bits: past this mpmath's evaluation takes longer than a person waits


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference value: its enclosure, and whether mpmath's independent value was found to lie in Arb's ball."""

    enclosure: Enclosure
    confirmed: bool


def value(function: Function | Expression | str, x: Fraction | int, derivative: int = 0, digits: int = 30) -> Enclosure:
    """Enclose the `derivative`-th derivative of a function at the rational point x, to `digits` certain digits.

    Arguments:
        function: a catalogue function, an expression, or text that `parse` reads.
        x: the exact point.
        derivative: 0 for the function itself, at most 200.
        digits: significant decimal digits that will be certain, at most 10,000 (fewer only for an enclosure around a
            short decimal such as 0.25, which is then at least that narrow).

    Raises:
        InputError: the function or its derivative does not exist at x, or a limit above is passed.
        IncompleteError: the value could not be told from zero, or is too large or small to be written out.

    >>> value("gelu(x)", 1, digits=20).decimal(20)
    '0.84134474606854294858...'
    >>> value("gelu(x)", 0, derivative=1)
    Enclosure(lower=Fraction(1, 2), upper=Fraction(1, 2))
    """
    return _enclose(_expression(function), Fraction(x), derivative, digits)[0]


def reference(
    function: Function | Expression | str, x: Fraction | int, derivative: int = 0, digits: int = 30
) -> Reference:
    """Return `value` together with mpmath's opinion of it.

    Raises:
        InputError, IncompleteError: as `value`.
        ArithmeticError: Arb and mpmath disagree, so one of them is wrong.

    >>> reference("gelu(x)", -30, digits=12).confirmed
    True
    """
    expression, x = _expression(function), Fraction(x)
    enclosure, precision = _enclose(expression, x, derivative, digits)
    return Reference(enclosure, _confirm(expression, x, derivative, enclosure, digits, precision))


def limit_at_infinity(function: Function | Expression | str, negative: bool, derivative: int = 0) -> "Limit":
    """Return the limit at +inf, or at -inf if `negative`, with the side from which it is approached.

    Raises:
        IncompleteError: no limit was found.

    >>> limit_at_infinity("gelu(x)", negative=True).sign
    -1
    """
    from gelu_verify.enclosures.tails import TO_INFINITY, TO_MINUS_INFINITY, limit

    expression = _expression(function)
    found = limit(expression, TO_MINUS_INFINITY if negative else TO_INFINITY, derivative)
    if found is None:
        where = "-inf" if negative else "inf"
        raise IncompleteError(f"no limit of derivative {derivative} of {text(expression)} was found at {where}")
    return found


def check_order(derivative: int) -> None:
    """Refuse an order of derivative that there is not.

    Raises:
        InputError: it is no whole number, negative, or above the limit.
    """
    if not isinstance(derivative, int) or not 0 <= derivative <= MAX_DERIVATIVE:
        raise InputError(f"the derivative's order is {derivative}; it must be from 0 to {MAX_DERIVATIVE}")


def derivative_ball(expression: Expression, x: arb, derivative: int) -> arb:
    """Enclose the derivative's values over the ball x at the current precision.

    Raises:
        NotSmooth: a kink lies in the ball (only for derivative > 0).

    >>> derivative_ball(parse("x**3"), arb(2), 2)
    12.0000000000000
    """
    if derivative == 0:
        return arb_value(expression, x)
    return arb_taylor(expression, x, derivative)[derivative] * arb.fac_ui(derivative)


def precisions(least: int) -> Iterator[int]:
    """Yield working precisions in bits, doubling from `least` to the limit."""
    precision = max(least, 64)
    while precision <= _MAX_PRECISION:
        yield precision
        precision *= 2


def point(x: Fraction) -> arb:
    """Return the ball of the rational x: exact where x is dyadic and fits the precision."""
    return arb(fmpq(x.numerator, x.denominator))


def shown(x: Fraction) -> str:
    """Write a point for a message: exactly where that is short.

    >>> shown(Fraction(1, 3)), shown(Fraction(1, 2**1074))
    ('1/3', '4.9406564584...e-324')
    """
    short = max(x.numerator.bit_length(), x.denominator.bit_length()) <= 64
    return str(x) if short else Enclosure(x, x).decimal(11)


def undefined(expression: Expression, x: Fraction, derivative: int) -> InputError:
    """Return the complaint that the function or its derivative has no value at x."""
    what = f"derivative {derivative} of {text(expression)}" if derivative else text(expression)
    return InputError(f"{what} has no value at x = {shown(x)}; choose a point where it is defined and smooth")


def _expression(function: Function | Expression | str) -> Expression:
    if isinstance(function, str):
        return parse(function)
    return function.expression if isinstance(function, Function) else function


def _enclose(expression: Expression, x: Fraction, derivative: int, digits: int) -> tuple[Enclosure, int]:
    """Return an enclosure with the digits wanted, and the least precision tried that gives that relative accuracy.

    The two differ beside a short decimal, where certain digits cost far more than accuracy (0.2499...9, 0.2500...1).
    """
    check_order(derivative)
    if not 1 <= digits <= MAX_DIGITS:
        raise InputError(f"{digits} digits were asked for; it must be from 1 to {MAX_DIGITS}")
    exact = exact_value(expression, x) if derivative == 0 else None
    if exact is not None:
        return Enclosure(exact, exact), digits * 10 // 3 + 40
    finite, sufficient = False, 0
    for precision in precisions(digits * 10 // 3 + 40):
        with working_precision(precision):
            try:
                ball = derivative_ball(expression, point(x), derivative)
            except (NotSmooth, ZeroDivisionError):
                continue
        if not ball.is_finite():
            continue
        finite = True
        if ball.is_exact() or ball.rel_accuracy_bits() > digits * 10 // 3 + 4:
            sufficient = sufficient or precision
            enclosure = enclosure_of(ball, finest=4 * digits + 64)
            if enclosure.exact or enclosure.certain_digits(digits) >= digits or precision > 16 * digits + 1024:
                return enclosure, sufficient
    if not finite:
        raise undefined(expression, x, derivative)
    raise IncompleteError(f"the value at x = {shown(x)} could not be told from zero or from a switch")


def _confirm(
    expression: Expression, x: Fraction, derivative: int, enclosure: Enclosure, digits: int, precision: int
) -> bool:
    """Evaluate with mpmath; False when mpmath cannot do it in reasonable time or range.

    Arguments:
        precision: what Arb needed for `digits` digits, cancellation included; mpmath gets 64 guard bits more.

    mpmath differentiates numerically with a step of about 2^-precision, so the precision must also resolve the sizes
    of x and of the derivative beside the function.
    """
    bits = precision + _GUARD_BITS + _size(x) + (_scale_gap(expression, x, enclosure) if derivative else 0)
    if bits * (derivative + 1) > _MAX_CONFIRMATION_PRECISION:
        return False
    import mpmath

    with mpmath.workprec(bits):
        point_mp = mpmath.mpf(x.numerator) / x.denominator
        try:
            found = mpmath.diff(lambda t: mpmath_value(expression, t, mpmath.mp), point_mp, derivative)
        except (ArithmeticError, TypeError, ValueError, mpmath.libmp.NoConvergence):
            return False
        if not isinstance(found, mpmath.mpf):  # a step of the difference quotient left the domain
            return False
        number = _exact(found)
    tolerance = abs(number) / 10**digits  # mpmath's error lies far below, and Arb's ball may be narrower still
    if not enclosure.lower - tolerance <= number <= enclosure.upper + tolerance:
        raise ArithmeticError(
            f"Arb and mpmath disagree at x = {x} on derivative {derivative} of {text(expression)}: please report this"
        )
    return True


def _scale_gap(expression: Expression, x: Fraction, derivative: Enclosure) -> int:
    """Return about |log2 |f^(n)(x)/f(x)||, or |log2 |f^(n)(x)|| where f(x) is not told from zero."""
    with working_precision(64):
        ball = arb_value(expression, point(x))
    size = _log2(derivative.midpoint)
    return abs(size) if ball.contains(0) else abs(size - _log2(enclosure_of(ball).midpoint))


def _size(number: Fraction) -> int:
    """Return about |log2 |number||, 0 for 0."""
    return abs(_log2(number))


def _log2(number: Fraction) -> int:
    return number.numerator.bit_length() - number.denominator.bit_length() if number else 0


def _exact(number: Any) -> Fraction:
    """Return the mpf's exact value."""
    sign, mantissa, exponent, _ = number._mpf_
    magnitude = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -magnitude if sign else magnitude
