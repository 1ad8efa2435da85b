"""Anchors: f(x) = a + b x + (a tiny rest of known sign), read off the structure of f.

Far from zero erf is 1 minus something that no working precision can tell from 0, and within one binade that something
varies by astronomical factors, so that no ball shows its sign. The identities erf(u) = 1 - erfc(u),
sigmoid(u) = 1 - sigmoid(-u), tanh(u) = 1 - 2 sigmoid(-2u) and log(1 + e^u) = u + log(1 + e^-u) do: here every value is
a linear anchor with rational coefficients plus a rest, of which a ball bounds the size and a strict sign is kept apart.
Near zero the same is done from the tangent at zero.

Sources: DLMF 7.2.2 and 7.4 (erf, erfc), 4.28 and 4.35 (tanh).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from gelu_verify.catalogue import Expression
from gelu_verify.catalogue.evaluators import arb_value, ball_power
from gelu_verify.catalogue.evaluators.balls import rational_ball
from gelu_verify.catalogue.expression import Number, Operation, Rebuilding, Variable, Where, evaluate

Sign = int | None  # -1, 0 or 1 throughout, or None: not the same everywhere, or not known

_FAR = 2  # beyond it a saturating function is seen from its limit
_NEAR = 0.25  # within it a function is seen from its tangent at zero
# (f(u) - u)/u^power for |u| < 1/4 lies between these: monotone functions, taken a little wider than their end values
_CURVATURES = {"expm1": (2, 0.45, 0.55), "log1p": (2, -0.61, -0.42), "tanh": (3, -0.34, -0.32)}


@dataclass(frozen=True, slots=True)
class Anchor:
    """The values constant + slope x + rest on a set of x of one sign.

    `rest` is a ball that holds every value of the rest, and `sign` its strict sign for all x.
    """

    constant: Fraction
    slope: Fraction
    rest: arb
    sign: Sign


def anchor(expression: Expression, x: arb, negative: bool) -> Anchor:
    """Return the anchor of the expression over the ball x, all of whose relevant points have the given sign."""
    return evaluate(evaluate(expression, _Unfolding()), _Anchors(x, -1 if negative else 1))


def _combined(left: Sign, right: Sign, rest: arb) -> Sign:
    """Return the sign of a sum: that of its terms, or what the ball shows."""
    if left == 0:
        return right
    if right in (0, left):
        return left
    return ball_sign(rest)


def ball_sign(ball: arb) -> Sign:
    """Return the strict sign of every point of the ball, 0 for the exact zero, None where it varies."""
    if ball > 0:
        return 1
    if ball < 0:
        return -1
    return 0 if ball.is_zero() else None


def _product(left: Sign, right: Sign) -> Sign:
    if 0 in (left, right):
        return 0
    return None if left is None or right is None else left * right


class _Anchors:
    """The algebra of anchored values."""

    def __init__(self, x: arb, side: int) -> None:
        self._x = x
        self._side = side

    def number(self, value: Fraction) -> Anchor:
        return Anchor(value, Fraction(0), arb(0), 0)

    def constant(self, name: str) -> Anchor:
        return self._loose(arb.pi() if name == "pi" else arb.const_e(), 1)

    def variable(self) -> Anchor:
        return Anchor(Fraction(0), Fraction(1), arb(0), 0)

    def power(self, base: Anchor, exponent: int) -> Anchor:
        if exponent == 1:
            return base
        sign = self._sign(base)
        return self._loose(ball_power(self._ball(base), exponent), sign if exponent % 2 else _product(sign, sign))

    def apply(self, operator: str, *arguments: Anchor) -> Anchor:
        if operator in ("+", "-"):
            left, right = arguments
            return self._plus(left, right if operator == "+" else self._scaled(right, Fraction(-1)))
        if operator == "neg":
            return self._scaled(arguments[0], Fraction(-1))
        if operator == "*":
            return self._times(*arguments)
        if operator == "/":
            return self._quotient(*arguments)
        return self._called(operator, *arguments)

    def where(
        self,
        relation: str,
        left: Anchor,
        right: Anchor,
        then: Callable[[], Anchor],
        otherwise: Callable[[], Anchor],
    ) -> Anchor:
        smaller = self._sign(self._plus(left, self._scaled(right, Fraction(-1))))
        if smaller in (-1, 1):
            return then() if (smaller < 0) == (relation in ("<", "<=")) else otherwise()
        first, second = then(), otherwise()
        return first if first == second else self._loose(self._ball(first).union(self._ball(second)), None)

    def _loose(self, ball: arb, sign: Sign) -> Anchor:
        shown = ball_sign(ball)
        return Anchor(Fraction(0), Fraction(0), ball, sign if shown is None else shown)

    def _line(self, value: Anchor) -> arb:
        return rational_ball(value.constant) + rational_ball(value.slope) * self._x

    def _ball(self, value: Anchor) -> arb:
        return self._line(value) + value.rest

    def _line_sign(self, value: Anchor) -> Sign:
        if value.slope == 0 or value.constant == 0:
            return ((value.constant > 0) - (value.constant < 0)) or _product(
                (value.slope > 0) - (value.slope < 0), self._side
            )
        return ball_sign(self._line(value))

    def _sign(self, value: Anchor) -> Sign:
        return _combined(self._line_sign(value), value.sign, self._ball(value))

    def _plus(self, left: Anchor, right: Anchor) -> Anchor:
        rest = left.rest + right.rest
        sign = _combined(left.sign, right.sign, rest)
        return Anchor(left.constant + right.constant, left.slope + right.slope, rest, sign)

    def _scaled(self, value: Anchor, factor: Fraction) -> Anchor:
        sign = _product(value.sign, (factor > 0) - (factor < 0))
        return Anchor(value.constant * factor, value.slope * factor, value.rest * rational_ball(factor), sign)

    def _times(self, left: Anchor, right: Anchor) -> Anchor:
        if left.slope and right.slope:
            return self._loose(self._ball(left) * self._ball(right), _product(self._sign(left), self._sign(right)))
        slope = left.constant * right.slope + left.slope * right.constant
        terms = [
            (self._line(left) * right.rest, _product(self._line_sign(left), right.sign)),
            (self._line(right) * left.rest, _product(self._line_sign(right), left.sign)),
            (left.rest * right.rest, _product(left.sign, right.sign)),
        ]
        rest, sign = terms[0]
        for ball, term_sign in terms[1:]:
            rest = rest + ball
            sign = _combined(sign, term_sign, rest)
        return Anchor(left.constant * right.constant, slope, rest, sign)

    def _quotient(self, left: Anchor, right: Anchor) -> Anchor:
        if right.slope == 0 and right.sign == 0 and right.constant:
            return self._scaled(left, 1 / right.constant)
        return self._loose(self._ball(left) / self._ball(right), _product(self._sign(left), self._sign(right)))

    def _called(self, operator: str, *arguments: Anchor) -> Anchor:
        first = arguments[0]
        ball, sign = self._ball(first), self._sign(first)
        if operator in ("min", "max"):
            return self._extreme(operator, *arguments)
        if operator == "abs":
            return self._loose(abs(ball), None) if sign is None else self._scaled(first, Fraction(sign))
        seen = _saturated(operator, ball) or self._near_zero(operator, first, ball, sign)
        if seen is not None:
            return seen
        if operator in ("exp", "erfc", "sigmoid"):
            return self._loose(_call(operator, ball), 1)
        return self._loose(_call(operator, ball), sign if operator != "log" else None)

    def _near_zero(self, operator: str, u: Anchor, ball: arb, sign: Sign) -> Anchor | None:
        """See a function from its value or its tangent at zero."""
        if not abs(ball) < _NEAR:
            return None
        opposite = _product(sign, -1)
        match operator:
            case "exp":
                return Anchor(Fraction(1), Fraction(0), ball.expm1(), sign)
            case "sigmoid":
                return Anchor(Fraction(1, 2), Fraction(0), (ball / 2).tanh() / 2, sign)
            case "erfc":
                return Anchor(Fraction(1), Fraction(0), -ball.erf(), opposite)
        if u.constant or operator not in _CURVATURES:
            return None
        power, least, most = _CURVATURES[operator]
        rest = arb(least).union(arb(most)) * ball_power(ball, power)
        bend = Anchor(Fraction(0), Fraction(0), rest, 1 if least > 0 else -1 if power == 2 else opposite)
        return self._plus(u, bend)

    def _extreme(self, operator: str, first: Anchor, last: Anchor) -> Anchor:
        order = self._sign(self._plus(first, self._scaled(last, Fraction(-1))))
        if order is None:
            left, right = self._ball(first), self._ball(last)
            return self._loose(left.min(right) if operator == "min" else left.max(right), None)
        return first if (order <= 0) == (operator == "min") else last


def _saturated(operator: str, u: arb) -> Anchor | None:
    """See a saturating function from its limit; the rest then lies on the side of the limit that faces the other."""
    if not (u > _FAR or u < -_FAR):
        return None
    high, away = bool(u > 0), abs(u)
    match operator:
        case "sigmoid":
            limit, rest = int(high), _call("sigmoid", -away)
        case "tanh":
            limit, rest = 1 if high else -1, 2 * _call("sigmoid", -2 * away)
        case "erf":
            limit, rest = 1 if high else -1, away.erfc()
        case "erfc":
            limit, rest = 0 if high else 2, away.erfc()
        case "expm1" if not high:
            limit, rest = -1, (-away).exp()
        case _:
            return None
    sign = -1 if limit > 0 else 1
    return Anchor(Fraction(limit), Fraction(0), sign * rest, sign)


def _call(operator: str, ball: arb) -> arb:
    return arb_value(Operation(operator, (Variable(),)), ball)


class _Unfolding(Rebuilding):
    """Writes log1p(exp(v)) as v + log1p(exp(-v)) where v is large."""

    def apply(self, operator: str, *arguments: Expression) -> Expression:
        plain = super().apply(operator, *arguments)
        match plain:
            case Operation("log1p", (Operation("exp", (v,)),)):
                unfolded = Operation("+", (v, Operation("log1p", (Operation("exp", (Operation("neg", (v,)),)),))))
                return Where(">", v, Number(Fraction(_FAR)), unfolded, plain)
        return plain
