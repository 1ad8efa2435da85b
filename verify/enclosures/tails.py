"""What an expression does near infinity, or near any rational point: its limit, its sign, and bounds with proof.

The expression is evaluated in the algebra of germs (`gelu_verify.enclosures.germs`). A finite point p is brought to
infinity by x = p +- 1/y, so that "near" always means y >= L.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from flint import arb

from gelu_verify.catalogue.derivative import derivative as differentiate
from gelu_verify.catalogue.evaluators import NotSmooth
from gelu_verify.catalogue.expression import Expression, evaluate
from gelu_verify.catalogue.forms import Form, NoNormalForm, generated, number
from gelu_verify.catalogue.normal_form import square_root
from gelu_verify.enclosures.enclosure import Enclosure, enclosure_of, working_precision
from gelu_verify.enclosures.germs import Germ, Horizon, analytic, applied, exact, exp, inverse, log, root
from gelu_verify.enclosures.scales import NeedsTerms, NoAsymptotics, Scale, TooEarly, sign

Answer = TypeVar("Answer")

TERMS = (3, 6, 12, 24)
STARTS = (2, 4, 8, 16, 32, 64, 256, 2**12, 2**20, 2**36, 2**64, 2**128)
_BITS = 128
_PLAIN = 10**6  # denominators up to which a point is written as a fraction


@dataclass(frozen=True, slots=True)
class Approach:
    """A way for x to approach a point: x = point + side/y, or x = side unit y when `point` is None, as y -> inf.

    Attributes:
        side: 1 (to +infinity; from above) or -1 (to -infinity; from below).
    """

    point: Fraction | None
    side: int
    unit: Fraction = Fraction(1)

    def __str__(self) -> str:
        if self.point is None:
            return f"as x -> {'inf' if self.side > 0 else '-inf'}"
        plain = str(self.point) if self.point.denominator < _PLAIN else f"{float(self.point):.12g}"
        return f"as x -> {plain} from {'above' if self.side > 0 else 'below'}"

    @property
    def mirrored(self) -> "Approach":
        """The approach of -x."""
        return Approach(None if self.point is None else -self.point, -self.side)

    def variable(self, horizon: Horizon) -> Germ:
        """Return x as a germ in y."""
        if self.point is None:
            return exact(horizon, number(self.side * self.unit), Scale(power=Fraction(1)))
        return exact(horizon, number(self.point)) + exact(horizon, number(self.side), Scale(power=Fraction(-1)))

    def end(self, start: int) -> Fraction:
        """Return the x that belongs to y = start."""
        return self.side * start * self.unit if self.point is None else self.point + Fraction(self.side, start)


TO_INFINITY, TO_MINUS_INFINITY = Approach(None, 1), Approach(None, -1)


def germ(expression: Expression, approach: Approach, start: int, terms: int) -> Germ:
    """Return the expansion of the expression on y >= start (at least 2), with that many exact terms.

    Raises:
        TooEarly, NeedsTerms: try again with a larger start, with more terms.
        NoAsymptotics, NoNormalForm: the expression does not fit into the algebra.
    """
    horizon = Horizon(start, terms)
    try:
        return evaluate(expression, _Germs(horizon, approach.variable(horizon)))
    except NotSmooth:
        raise TooEarly from None


def settle(
    expression: Expression, approach: Approach, read: Callable[[Germ], Answer], check: Callable[[], None] = lambda: None
) -> Answer:
    """Return what `read` finds in an expansion, taken from ever farther out, with more terms where it asks for them.

    Arguments:
        read: may raise NeedsTerms or TooEarly for another expansion.
        check: called before each try; may raise to stop.

    Raises:
        NoAsymptotics: there is no expansion in which it finds its answer.
    """
    with working_precision(_BITS):
        for start in STARTS:
            for terms in TERMS:
                check()
                try:
                    return read(germ(expression, approach, start, terms))
                except NeedsTerms:
                    continue
                except TooEarly:
                    break
                except NoNormalForm as problem:
                    raise NoAsymptotics(str(problem)) from None
    raise NoAsymptotics(f"the behaviour {approach} is not decided")


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of an expression along an approach.

    Attributes:
        value: the exact limit; None when it is infinite.
        sign: for an infinite limit, its sign; else 1 when the limit is approached from above, -1 from below,
            0 when the expression equals it near the end, None when that is not known.
        start: from y = start on the expression keeps to that side, and within |limit| of a limit that is not zero.
    """

    value: Form | None
    sign: int | None
    start: int

    @property
    def infinite(self) -> bool:
        """Whether the expression is unbounded along the approach."""
        return self.value is None

    @property
    def nonzero(self) -> bool:
        """Whether the limit is finite and not zero."""
        return self.value is not None and sign(self.value) != 0

    @property
    def shrinking(self) -> bool:
        """Whether |f| is not shown to stay below |limit| along the last part of the approach."""
        return self.value is None or self.sign is None or self.sign * sign(self.value) >= 0

    def ball(self, bits: int) -> arb:
        """Enclose a finite limit, computed at a precision in bits."""
        with working_precision(bits):
            return arb.pos_inf() * (self.sign or 1) if self.value is None else self.value.ball()

    def enclosure(self, digits: int) -> Enclosure:
        """Enclose a finite limit to about that many digits."""
        return enclosure_of(self.ball(int(digits * 3.33) + 32))


def limit(
    expression: Expression, approach: Approach, derivative: int = 0, check: Callable[[], None] = lambda: None
) -> Limit | None:
    """Return the limit of a derivative of the expression, or None where this algebra does not show it.

    Arguments:
        check: called before each try; may raise to stop.

    >>> from gelu_verify.catalogue import parse
    >>> found = limit(parse("gelu(x)"), TO_MINUS_INFINITY)
    >>> found.value.rational, found.sign
    (Fraction(0, 1), -1)
    >>> limit(parse("gelu_sigmoid(x)/gelu(x)"), TO_MINUS_INFINITY).infinite
    True
    """
    try:
        return settle(differentiate(expression, derivative), approach, _limit_of, check)
    except NoAsymptotics:
        return None


def _limit_of(found: Germ) -> Limit:
    start = found.horizon.start
    if not found.terms:
        if found.rest is None:
            return Limit(number(0), 0, start)
        if found.rest[0].growth < 0 and found.horizon.terms == TERMS[-1]:
            return Limit(number(0), None, start)
        raise NeedsTerms
    scale, coefficient = found.terms[0]
    if scale.growth > 0:
        return Limit(None, found.sign(), start)
    if scale.growth < 0:
        return Limit(number(0), found.sign(), start)
    rest = found - exact(found.horizon, coefficient)
    side = rest.sign()
    if not abs(rest.range()) < abs(coefficient.ball()):
        raise TooEarly
    return Limit(coefficient, side, start)


def bound_near(expression: Expression, approach: Approach, start: int) -> arb | None:
    """Return an upper bound of |f| over all y >= start, or None where none is shown (from there).

    >>> from gelu_verify.catalogue import parse
    >>> bool(bound_near(parse("gelu_tanh(x) - gelu(x)"), TO_INFINITY, 8) < 1e-10)
    True
    """
    best: arb | None = None
    with working_precision(_BITS):
        for terms in TERMS:
            try:
                found = germ(expression, approach, start, terms)
                best = abs(found.range()).upper()
                if found.terms or found.rest is None:
                    break
            except NeedsTerms:
                continue
            except (TooEarly, NoAsymptotics, NoNormalForm):
                break
    return best


def bound_beyond(expression: Expression, start: int, side: int) -> arb | None:
    """Return an upper bound of |f| over [start, inf) for side 1, over (-inf, -start] for side -1, or None."""
    return bound_near(expression, Approach(None, side), start)


class _Germs:
    """The algebra of germs."""

    def __init__(self, horizon: Horizon, x: Germ) -> None:
        self._horizon = horizon
        self._x = x

    def number(self, value: Fraction) -> Germ:
        return exact(self._horizon, number(value))

    def constant(self, name: str) -> Germ:
        return exact(self._horizon, generated(name))

    def variable(self) -> Germ:
        return self._x

    def power(self, base: Germ, exponent: int) -> Germ:
        if exponent < 0:
            return inverse(self.power(base, -exponent))
        result = self.number(Fraction(1))
        for _ in range(exponent):
            result = result * base
        return result

    def apply(self, operator: str, *arguments: Germ) -> Germ:
        return _OPERATORS[operator](*arguments)

    def where(
        self, relation: str, left: Germ, right: Germ, then: Callable[[], Germ], otherwise: Callable[[], Germ]
    ) -> Germ:
        order = (left - right).sign()
        holds = {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[relation]
        return then() if holds else otherwise()


def _one(germ: Germ) -> Germ:
    return exact(germ.horizon, number(1))


def _larger(a: Germ, b: Germ) -> Germ:
    return a if (a - b).sign() >= 0 else b


def _sigmoid(u: Germ) -> Germ:
    return _bounded(u, "sigmoid", lambda v: inverse(_one(v) + exp(-v)), lambda v: exp(-v) * inverse(_one(v) + exp(-v)))


def _tanh(u: Germ) -> Germ:
    def far(v: Germ) -> Germ:
        decayed = exp(-(v + v))
        return (_one(v) - decayed) * inverse(_one(v) + decayed)

    return _bounded(u, "tanh", far, lambda v: -far(v))


def _erf(u: Germ) -> Germ:
    return _bounded(u, "erf", lambda v: _one(v) - _far_erfc(v), lambda v: _far_erfc(v) - _one(v))


def _erfc(u: Germ) -> Germ:
    return _bounded(u, "erfc", _far_erfc, lambda v: _one(v) + _one(v) - _far_erfc(v))


def _bounded(u: Germ, name: str, rising: Callable[[Germ], Germ], falling: Callable[[Germ], Germ]) -> Germ:
    """Return f(u): Taylor's theorem around a finite limit, `rising(u)` for u -> inf, `falling(-u)` for u -> -inf."""
    growing, constant, small = u.parts()
    if not growing.terms:
        return analytic(applied(name), constant, small)
    return rising(u) if u.sign() > 0 else falling(-u)


def _far_erfc(u: Germ) -> Germ:
    """Return erfc(u), u -> inf: e^(-u^2)/(u sqrt(pi)) sum (-1)^m (1/2)_m u^(-2m), DLMF 7.12.1.

    The remainder after n terms is at most the first one left out, and of its sign (DLMF 7.12(ii)).
    """
    horizon, square = u.horizon, u * u
    step = inverse(square)
    total, power, coefficient = _one(u), _one(u), number(1)
    for m in range(1, horizon.terms + 1):
        power = power * step
        coefficient = coefficient.scaled(Fraction(1 - 2 * m, 2))
        if m < horizon.terms:
            total = total + power.scaled(Scale(), coefficient)
    scale, ball = power.scaled(Scale(), coefficient).as_rest()
    total = total + Germ(horizon, (), (scale, arb(0).union(ball)))
    return exp(-square) * inverse(u) * total.scaled(Scale(), square_root(generated("pi")).power(-1))


_OPERATORS: dict[str, Callable[..., Germ]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a * inverse(b),
    "neg": lambda a: -a,
    "abs": lambda a: a if a.sign() >= 0 else -a,
    "erf": _erf,
    "erfc": _erfc,
    "exp": exp,
    "expm1": lambda a: exp(a) - _one(a),
    "log": log,
    "log1p": lambda a: log(_one(a) + a),
    "max": _larger,
    "min": lambda a, b: -_larger(-a, -b),
    "sigmoid": _sigmoid,
    "sqrt": root,
    "tanh": _tanh,
}
