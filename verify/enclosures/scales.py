"""Orders of growth: e^(q(x)) x^a (log x)^j as x tends to infinity, ordered, multiplied, and bounded on [L, inf).

q is a sum of positive rational powers of x with exact coefficients, so two scales are the same or are told apart.
Beyond all of these are functions such as e^(-e^x): of them only the name is kept, and that they are below e^(-x^4).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from gelu_verify.catalogue.evaluators.balls import rational_ball
from gelu_verify.catalogue.forms import Form, number
from gelu_verify.enclosures.enclosure import working_precision

_TINY_DEGREE = Fraction(4)
SIGN_BITS = (64, 256, 1024, 4096)  # precisions at which the sign of an exact number is looked for


class NoAsymptotics(ArithmeticError):  # noqa: N818 (a limit of the method, not a fault)
    """The expression's behaviour does not fit into this algebra."""


class TooEarly(ArithmeticError):  # noqa: N818 (asks for another try)
    """The expansion holds only farther out: a larger L is needed."""


class NeedsTerms(ArithmeticError):  # noqa: N818 (asks for another try)
    """Everything known cancelled: an expansion with more terms is needed."""


@lru_cache(maxsize=4096)
def sign(form: Form) -> int:
    """Return the sign of an exact number.

    Raises:
        NoAsymptotics: its enclosure at thousands of bits still holds zero (it may be zero in disguise).
    """
    rational = form.rational
    if rational is not None:
        return (rational > 0) - (rational < 0)
    for bits in SIGN_BITS:
        with working_precision(bits):
            ball = form.ball()
        if ball > 0 or ball < 0:
            return 1 if ball > 0 else -1
    raise NoAsymptotics(f"the sign of {form} is not decided")


def ball_of(form: Form) -> arb:
    """Enclose an exact number at the working precision."""
    return _ball_at(form, ctx.prec)


@lru_cache(maxsize=4096)
def _ball_at(form: Form, precision: int) -> arb:
    with working_precision(precision):
        return form.ball()


@dataclass(frozen=True, slots=True)
class Scale:
    """The positive function e^(q(x)) x^power (log x)^logs of large x, times powers of tiny functions.

    Attributes:
        exponent: q as pairs (power of x, coefficient) with falling positive powers and no zero coefficient.
        tiny: pairs (name, power) of functions e^(-g), g(x) >= x^4, that fall faster than e^(-x^n) for every n.
    """

    exponent: tuple[tuple[Fraction, Form], ...] = ()
    power: Fraction = Fraction(0)
    logs: Fraction = Fraction(0)
    tiny: tuple[tuple[str, Fraction], ...] = ()

    def __str__(self) -> str:
        q = " + ".join(f"({coefficient}) x^{power}" for power, coefficient in self.exponent)
        tiny = "".join(f" [{name}]^{power}" for name, power in self.tiny)
        return f"exp({q}) x^{self.power} log^{self.logs}{tiny}"

    def __mul__(self, other: "Scale") -> "Scale":
        exponents = dict(self.exponent)
        for power, coefficient in other.exponent:
            exponents[power] = exponents[power] + coefficient if power in exponents else coefficient
        tiny = dict(self.tiny)
        for name, power in other.tiny:
            tiny[name] = tiny.get(name, Fraction(0)) + power
        remaining = tuple(sorted((name, power) for name, power in tiny.items() if power))
        return Scale(_ordered(exponents), self.power + other.power, self.logs + other.logs, remaining)

    def __truediv__(self, other: "Scale") -> "Scale":
        return self * other.raised(Fraction(-1))

    def raised(self, to: Fraction) -> "Scale":
        """Return the scale to a rational power."""
        exponent = tuple((power, coefficient.scaled(to)) for power, coefficient in self.exponent)
        tiny = tuple((name, power * to) for name, power in self.tiny)
        return Scale(exponent if to else (), self.power * to, self.logs * to, tiny if to else ())

    @property
    def growth(self) -> int:
        """Whether the scale tends to infinity (1), is constant (0) or tends to zero (-1).

        Raises:
            NoAsymptotics: two tiny functions are divided by one another.
        """
        if self.tiny:
            if len({power > 0 for _, power in self.tiny}) > 1:
                raise NoAsymptotics("two functions beyond all exponentials of powers are not compared")
            return -1 if self.tiny[0][1] > 0 else 1
        if self.exponent:
            return sign(self.exponent[0][1])
        leading = self.power or self.logs
        return (leading > 0) - (leading < 0)

    def at(self, x: int) -> arb:
        """Enclose the value at `x` >= 2; of a tiny function only that it lies between zero and its bound."""
        if self.tiny:
            return arb(0).union(self.greatest_from(x))
        q, place = arb(0), arb(x)
        for power, coefficient in self.exponent:
            q += ball_of(coefficient) * place ** rational_ball(power)
        return q.exp() * place ** rational_ball(self.power) * place.log() ** rational_ball(self.logs)

    def greatest_from(self, start: int) -> arb:
        """Return an upper bound over [start, inf), start >= 2, of a scale that does not grow.

        Raises:
            TooEarly: it is not shown to fall from `start` on.
        """
        if self.growth > 0:
            raise NoAsymptotics("a scale that grows has no upper bound")
        if self.growth == 0:
            return arb(1)
        if self.tiny:
            total = sum((power for _, power in self.tiny), Fraction(0))
            above = Scale(((_TINY_DEGREE, number(-total)),), Fraction(0), Fraction(0))
            return (replace(self, tiny=()) * above).greatest_from(start)
        if not self._falls_from(start):
            raise TooEarly
        return self.at(start).upper()

    def _falls_from(self, start: int) -> bool:
        """Whether x d/dx log(scale) = sum(k q_k x^k) + power + logs/log x is shown to be negative on [start, inf).

        Divided by x^n, n the leading power, every term's decaying factor is at most its value at `start`.
        """
        place = arb(start)
        logs = rational_ball(max(self.logs, Fraction(0))) / place.log()
        if not self.exponent:
            return bool(rational_ball(self.power) + logs <= 0)
        slopes = [(power, ball_of(coefficient) * rational_ball(power)) for power, coefficient in self.exponent]
        (degree, total), *rest = slopes
        for power, slope in [*rest, (Fraction(0), rational_ball(self.power)), (Fraction(0), logs)]:
            total += arb.max(slope, arb(0)) * place ** rational_ball(power - degree)
        return bool(total < 0)


def _ordered(exponents: dict[Fraction, Form]) -> tuple[tuple[Fraction, Form], ...]:
    return tuple(sorted(((p, c) for p, c in exponents.items() if c), key=lambda pair: -pair[0]))
