"""Correct rounding into a format, by Ziv's strategy: raise the precision until the whole ball rounds to one datum.

Exact ties cannot be decided by any precision; they are decided by the mathematics: where the value is rational,
`exact_value` finds it. Elsewhere the value is not a tie, however close: GELU(2^-149) = 2^-150 + 2^-298/sqrt(2 pi) + ...
lies above the midpoint of 0 and 2^-149, which a ball of some 200 bits shows.

Source: Ziv, ACM TOMS 17 (1991); Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed., section 10.5.
"""

from fractions import Fraction

from gelu_verify.catalogue import Expression, Function, text
from gelu_verify.catalogue.evaluators import NotSmooth, exact_value
from gelu_verify.enclosures import working_precision
from gelu_verify.errors import IncompleteError
from gelu_verify.formats import Format
from gelu_verify.references.values import (
    check_order,
    derivative_ball,
    limit_at_infinity,
    point,
    precisions,
    shown,
    undefined,
)


def rounded(function: Function | Expression, bits: int, format: Format, derivative: int = 0) -> int:
    """Return the datum nearest to the function's value at the datum `bits`, ties to even, as bits of `format`.

    NaN gives the format's NaN. At an infinity the result is the limit, a limit of zero with the sign of the side it is
    reached from. A value of exactly zero at +-0 has the sign that the function has on that side of zero.

    Raises:
        InputError: the function has no value or no limit there, or there is no such derivative.
        IncompleteError: the value could not be told from a rounding boundary, or a limit was not found.

    >>> from gelu_verify.catalogue import get_function
    >>> from gelu_verify.formats import FORMATS
    >>> binary32, gelu = FORMATS["binary32"], get_function("gelu")
    >>> [hex(rounded(gelu, bits, binary32)) for bits in (0x00000001, 0x80000001, 0xFF800000)]
    ['0x1', '0x80000000', '0x80000000']
    """
    check_order(derivative)
    if format.is_nan(bits):
        return format.nan
    negative = bool(format.sign(bits))
    if format.is_infinite(bits):
        return rounded_limit(_expression(function), negative, format, derivative)
    return rounded_value(function, format.exact(bits), format, derivative, from_below=negative)


def rounded_value(
    function: Function | Expression,
    x: Fraction,
    format: Format,
    derivative: int = 0,
    *,
    from_below: bool = False,
) -> int:
    """Return the datum nearest to the function's value at the rational x, ties to even, as bits of `format`.

    Arguments:
        from_below: for x = 0, whether -0 is meant.

    Raises:
        InputError, IncompleteError: as `rounded`.
    """
    expression = _expression(function)
    exact = exact_value(expression, x) if derivative == 0 else None
    if exact is None:
        bits = _ziv(expression, x, format, derivative)
        exact_zero = bits == 0 and x == 0
    else:
        bits = format.round(exact)
        exact_zero = exact == 0
    if exact_zero and x == 0 and _negative_beside_zero(expression, derivative, from_below):
        return format.sign_mask
    return bits


def _expression(function: Function | Expression) -> Expression:
    return function.expression if isinstance(function, Function) else function


def _ziv(expression: Expression, x: Fraction, format: Format, derivative: int) -> int:
    finite = False
    for precision in precisions(2 * format.precision):
        with working_precision(precision):
            try:
                ball = derivative_ball(expression, point(x), derivative)
            except (NotSmooth, ZeroDivisionError):
                continue
        finite = finite or bool(ball.is_finite())
        bits = format.round_ball(ball)
        if bits is not None:
            return bits
    if not finite:
        raise undefined(expression, x, derivative)
    raise IncompleteError(
        f"{text(expression)} at x = {shown(x)} could not be told from a rounding boundary of {format.name}"
    )


def _negative_beside_zero(expression: Expression, derivative: int, from_below: bool) -> bool:
    """Return whether a function that is zero at 0 is negative just beside it, by its expansion there."""
    from gelu_verify.enclosures.tails import Approach, limit

    beside = limit(expression, Approach(Fraction(0), -1 if from_below else 1), derivative)
    if beside is None or beside.sign is None:
        raise IncompleteError(f"the sign of {text(expression)} beside 0 was not found")
    return beside.sign < 0


def rounded_limit(expression: Expression, negative: bool, format: Format, derivative: int = 0) -> int:
    """Return the datum nearest to the limit at +inf, or at -inf if `negative`.

    A limit of zero has the sign of the side it is reached from; an infinite one overflows as the format does.

    Raises:
        IncompleteError: no limit was found.
    """
    limit = limit_at_infinity(expression, negative, derivative)
    if limit.value is None:
        return format.overflow if limit.sign == 1 else format.overflow | format.sign_mask
    for precision in precisions(2 * format.precision):
        bits = format.round_ball(limit.ball(precision))
        if bits is not None:
            return format.sign_mask if bits == 0 and limit.sign == -1 else bits
    raise IncompleteError(f"the limit of {text(expression)} could not be told from a rounding boundary")
