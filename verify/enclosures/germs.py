"""Expansions at infinity that are identities: finitely many exact terms and an enclosed rest, valid on all of [L, inf).

A germ is sum(c_i s_i(x)) + B s(x): the c_i are exact numbers, the s_i scales in falling order, B a ball that holds the
rest divided by s at every x >= L. Sums, products and analytic functions of germs are germs, so limits, dominance and
bounds over a half line are read off without sampling.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key

from flint import arb

from gelu_verify.catalogue.evaluators import arb_taylor
from gelu_verify.catalogue.expression import Expression, Operation, Variable
from gelu_verify.catalogue.forms import Form, number
from gelu_verify.catalogue.normal_form import exponential, logarithm, square_root
from gelu_verify.deadlines import check_time
from gelu_verify.enclosures.coefficients import RECIPROCAL, taylor_coefficients
from gelu_verify.enclosures.scales import NeedsTerms, NoAsymptotics, Scale, TooEarly, ball_of, sign

_UNIT = Scale()


@dataclass(frozen=True, slots=True)
class Horizon:
    """From where on expansions hold, and how many exact terms they keep."""

    start: int
    terms: int


@dataclass(frozen=True, slots=True)
class Germ:
    """sum(coefficient scale) over `terms`, in falling order, plus a ball times the scale of `rest`."""

    horizon: Horizon
    terms: tuple[tuple[Scale, Form], ...]
    rest: tuple[Scale, arb] | None = None

    def __neg__(self) -> "Germ":
        rest = None if self.rest is None else (self.rest[0], -self.rest[1])
        return Germ(self.horizon, tuple((scale, -coefficient) for scale, coefficient in self.terms), rest)

    def __add__(self, other: "Germ") -> "Germ":
        rests = [rest for rest in (self.rest, other.rest) if rest is not None]
        return collect(self.horizon, [*self.terms, *other.terms], rests)

    def __sub__(self, other: "Germ") -> "Germ":
        return self + -other

    def __mul__(self, other: "Germ") -> "Germ":
        terms = [(s * t, c * d) for s, c in self.terms for t, d in other.terms]
        rests = []
        for left, right in ((self, other), (other, self)):
            if right.rest is not None and left.terms:
                scale, ball = Germ(left.horizon, left.terms).as_rest()
                rests.append((scale * right.rest[0], ball * right.rest[1]))
        if self.rest is not None and other.rest is not None:
            rests.append((self.rest[0] * other.rest[0], self.rest[1] * other.rest[1]))
        return collect(self.horizon, terms, rests)

    def scaled(self, scale: Scale, factor: Form) -> "Germ":
        """Return the germ times factor scale."""
        rest = None if self.rest is None else (self.rest[0] * scale, self.rest[1] * ball_of(factor))
        return Germ(self.horizon, tuple((s * scale, c * factor) for s, c in self.terms), rest)

    def as_rest(self) -> tuple[Scale, arb]:
        """Return a scale and a ball whose product encloses the germ on [L, inf)."""
        parts = [(scale, ball_of(coefficient)) for scale, coefficient in self.terms]
        if self.rest is not None:
            parts.append(self.rest)
        if not parts:
            return _UNIT, arb(0)
        return _absorb(self.horizon, parts[0][0], parts)

    def range(self) -> arb:
        """Enclose the values on [L, inf) of a germ that does not grow."""
        scale, ball = self.as_rest()
        return ball * _between_zero_and(scale.greatest_from(self.horizon.start)) if scale != _UNIT else ball

    def leading(self) -> tuple[Scale, Form, "Germ"]:
        """Return scale, coefficient and delta with germ = coefficient scale (1 + delta), delta -> 0, |delta| < 1.

        Raises:
            NeedsTerms: nothing exact is left above the rest.
            TooEarly: |delta| < 1 does not hold on all of [L, inf) yet.
        """
        if not self.terms:
            raise NeedsTerms
        scale, coefficient = self.terms[0]
        if len(self.terms) == 1 and self.rest is None:
            return scale, coefficient, Germ(self.horizon, ())
        others = Germ(self.horizon, self.terms[1:], self.rest)
        delta = others.scaled(scale.raised(Fraction(-1)), coefficient.power(-1))
        if not abs(delta.range()) < 1:
            raise TooEarly
        return scale, coefficient, delta

    def sign(self) -> int:
        """Return the sign that the germ has on all of [L, inf)."""
        if not self.terms and self.rest is None:
            return 0
        return sign(self.leading()[1])

    def parts(self) -> tuple["Germ", Form, "Germ"]:
        """Return what grows, the constant, and what tends to zero.

        Raises:
            NeedsTerms: the rest does not tend to zero.
        """
        growing = tuple(term for term in self.terms if term[0].growth > 0)
        constant = next((coefficient for scale, coefficient in self.terms if scale == _UNIT), number(0))
        small = tuple(term for term in self.terms if term[0].growth < 0)
        if self.rest is not None and self.rest[0].growth >= 0:
            raise NeedsTerms
        return Germ(self.horizon, growing), constant, Germ(self.horizon, small, self.rest)


def exact(horizon: Horizon, coefficient: Form, scale: Scale = _UNIT) -> Germ:
    """Return coefficient scale as a germ."""
    return Germ(horizon, ((scale, coefficient),) if coefficient else ())


def collect(horizon: Horizon, terms: Iterable[tuple[Scale, Form]], rests: list[tuple[Scale, arb]]) -> Germ:
    """Return the sum of terms and rests, in order, with what is too small or too much absorbed into one rest."""
    check_time()
    sums: dict[Scale, Form] = {}
    for scale, coefficient in terms:
        sums[scale] = sums[scale] + coefficient if scale in sums else coefficient
    falling = cmp_to_key(_faster)
    ordered = sorted((scale for scale, coefficient in sums.items() if coefficient), key=falling)
    kept = ordered[: horizon.terms]
    if rests:
        bar = min((scale for scale, _ in rests), key=falling)
        kept = [scale for scale in kept if (scale / bar).growth > 0]
    elif len(ordered) > len(kept):
        bar = ordered[len(kept)]
    dropped = [(scale, ball_of(sums[scale])) for scale in ordered[len(kept) :]]
    exact_terms = tuple((scale, sums[scale]) for scale in kept)
    if not rests and not dropped:
        return Germ(horizon, exact_terms)
    if dropped and (dropped[0][0] / bar).growth > 0:
        bar = dropped[0][0]
    return Germ(horizon, exact_terms, _absorb(horizon, bar, [*rests, *dropped]))


def _faster(a: Scale, b: Scale) -> int:
    return (b / a).growth


def _absorb(horizon: Horizon, bar: Scale, parts: list[tuple[Scale, arb]]) -> tuple[Scale, arb]:
    """Return the sum of ball scale, each scale at most of the order of `bar`, as one ball times `bar`."""
    total = arb(0)
    for scale, ball in parts:
        total += ball if scale == bar else ball * _between_zero_and((scale / bar).greatest_from(horizon.start))
    return bar, total


def _between_zero_and(top: arb) -> arb:
    return arb(0).union(top)


def analytic(f: Expression, centre: Form, delta: Germ) -> Germ:
    """Return f(centre + delta) for a germ delta that tends to zero: Taylor's theorem with Lagrange's remainder.

    Arguments:
        f: one of the functions that `taylor_coefficients` knows.
    """
    horizon = delta.horizon
    coefficients = taylor_coefficients(f, centre, horizon.terms)
    result, power = exact(horizon, coefficients[0]), exact(horizon, number(1))
    if not delta.terms and delta.rest is None:
        return result
    for coefficient in coefficients[1:]:
        power = power * delta
        result = result + power.scaled(_UNIT, coefficient)
    scale, ball = (power * delta).as_rest()
    around = ball_of(centre) + delta.range().union(arb(0))
    try:
        lagrange = arb_taylor(f, around, horizon.terms)[horizon.terms]
    except (ZeroDivisionError, ValueError):
        raise TooEarly from None
    if not lagrange.is_finite():
        raise TooEarly
    return result + Germ(horizon, (), (scale, ball * lagrange))


def applied(operator: str) -> Expression:
    """Return an operator of one argument, applied to x."""
    return Operation(operator, (Variable(),))


def inverse(germ: Germ) -> Germ:
    """Return 1/germ."""
    if not germ.terms and germ.rest is None:
        raise NoAsymptotics("division by zero")
    scale, coefficient, delta = germ.leading()
    return analytic(RECIPROCAL, number(1), delta).scaled(scale.raised(Fraction(-1)), coefficient.power(-1))


def root(germ: Germ) -> Germ:
    """Return the square root of a germ that is positive or zero."""
    if germ.sign() < 0:
        raise NoAsymptotics("square root of a negative function")
    if germ.sign() == 0:
        return germ
    scale, coefficient, delta = germ.leading()
    return analytic(applied("sqrt"), number(1), delta).scaled(scale.raised(Fraction(1, 2)), square_root(coefficient))


def log(germ: Germ) -> Germ:
    """Return the logarithm of a positive germ."""
    if germ.sign() <= 0:
        raise NoAsymptotics("logarithm of a function that is not positive")
    scale, coefficient, delta = germ.leading()
    if scale.logs:
        raise NoAsymptotics("logarithm of a logarithm")
    terms = [(Scale(power=power), form) for power, form in scale.exponent]
    terms += [(Scale(logs=Fraction(1)), number(scale.power)), (_UNIT, logarithm(coefficient))]
    return collect(germ.horizon, terms, []) + analytic(applied("log1p"), number(0), delta)


def exp(germ: Germ) -> Germ:
    """Return exp(germ)."""
    growing, constant, small = germ.parts()
    if growing.terms and (growing.terms[0][0].exponent or growing.terms[0][0].tiny):
        return analytic(applied("exp"), number(0), small).scaled(_tower(growing), exponential(constant))
    scale = _UNIT
    for s, coefficient in growing.terms:
        if s.logs and (s.power or s.logs != 1 or coefficient.rational is None):
            return _vanishing(germ)
        if s.logs:
            scale = scale * Scale(power=coefficient.rational or Fraction(0))
        else:
            scale = scale * Scale(exponent=((s.power, coefficient),))
    return analytic(applied("exp"), number(0), small).scaled(scale, exponential(constant))


def _tower(growing: Germ) -> Scale:
    """Return exp of an exact germ that outgrows every power of x, as a power of a tiny function named after it."""
    leading = growing.terms[0][1]
    size = abs(leading.rational) if leading.rational is not None else Fraction(1)
    sign_of_growing = growing.sign()
    unit = growing.scaled(_UNIT, number(sign_of_growing / size))
    if (unit - exact(growing.horizon, number(1), Scale(power=Fraction(4)))).sign() < 0:
        raise TooEarly
    name = " + ".join(f"({coefficient}) {scale}" for scale, coefficient in unit.terms)
    return Scale(tiny=((name, -sign_of_growing * size),))


def _vanishing(germ: Germ) -> Germ:
    """Return that exp(germ) lies between zero and e^(-x^4), for a germ that falls faster, but fits no scale."""
    bound = exact(germ.horizon, number(-1), Scale(power=Fraction(4)))
    if germ.sign() > 0:
        raise NoAsymptotics("an exponential of an exponential")
    if (bound - germ).sign() < 0:
        raise NoAsymptotics("the exponent falls too slowly for this algebra")
    return Germ(germ.horizon, (), (Scale(exponent=((Fraction(4), number(-1)),)), _between_zero_and(arb(1))))
