"""Exact sums of products: the numbers and functions that `normal_form` brings expressions to.

A `Form` is a sum of rational multiples of monomials; a monomial is a product of generators with rational exponents.
Generators are integers (for roots of rationals), pi, e, the variable, and functions of forms.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import floor

from flint import arb, fmpq

from gelu_verify.catalogue.evaluators import arb_value, ball_power
from gelu_verify.catalogue.expression import Operation, Variable
from gelu_verify.deadlines import check_time

MAX_TERMS = 2000
MAX_BITS = 20_000  # of a coefficient
MAX_TEXT = 20_000  # characters in the writing of one generator
_ZERO, _ONE = Fraction(0), Fraction(1)


class NoNormalForm(ArithmeticError):  # noqa: N818 (a limit of the method, not a fault)
    """The expression grows too large, or divides by zero, when brought to normal form."""


class Generator:
    """An indecomposable factor: a prime, pi, e, x, or a function of forms; equal when written alike."""

    __slots__ = ("arguments", "constant", "name", "text")

    def __init__(self, name: str, *arguments: "Form") -> None:
        self.name = name
        self.arguments = arguments
        self.constant: bool = name != "x" and all(argument.constant for argument in arguments)
        self.text = f"{name}({', '.join(map(str, arguments))})" if arguments else name
        if len(self.text) > MAX_TEXT:
            raise NoNormalForm(f"a function of an argument with more than {MAX_TEXT} characters")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Generator) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def positive(self) -> bool:
        """Whether the generator is known to be positive wherever it is defined."""
        return self.name in ("pi", "e", "exp", "root") or self.name.isdigit()

    def ball(self, x: arb | None) -> arb:
        """Enclose the value, for x in the ball."""
        if self.name == "x":
            if x is None:
                raise ValueError("a form that depends on x has no value without it")
            return x
        if self.name.isdigit():
            return arb(int(self.name))
        if self.name in ("pi", "e"):
            return arb.pi() if self.name == "pi" else arb.const_e()
        values = [argument.ball(x) for argument in self.arguments]
        if self.name.startswith("where"):
            return _choose(self.name.removeprefix("where"), *values)
        if self.name in ("root", "group"):
            return values[0]
        return arb_value(Operation(self.name, (Variable(),)), values[0])


def _choose(relation: str, switch: arb, then: arb, otherwise: arb) -> arb:
    if switch < 0 or (relation == "<=" and switch <= 0):
        return then
    return otherwise if switch > 0 or (relation == "<" and switch >= 0) else then.union(otherwise)


Monomial = tuple[tuple[Generator, Fraction], ...]


class Form:
    """A sum of rational multiples of monomials; immutable, equal when its terms are."""

    __slots__ = ("_text", "constant", "terms")

    def __init__(self, terms: Mapping[Monomial, Fraction]) -> None:
        if len(terms) > MAX_TERMS:
            raise NoNormalForm(f"more than {MAX_TERMS} terms")
        for coefficient in terms.values():
            if coefficient.numerator.bit_length() + coefficient.denominator.bit_length() > MAX_BITS:
                raise NoNormalForm(f"a coefficient of more than {MAX_BITS} bits")
        self.terms = {monomial: coefficient for monomial, coefficient in terms.items() if coefficient}
        self.constant: bool = all(generator.constant for monomial in self.terms for generator, _ in monomial)
        self._text: str | None = None

    def __str__(self) -> str:
        if self._text is None:
            self._text = " + ".join(sorted(map(_write_term, self.terms.items()))) or "0"
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(str(self))

    def __bool__(self) -> bool:
        """Whether the form is not the zero form."""
        return bool(self.terms)

    @property
    def rational(self) -> Fraction | None:
        """The value, when the form is a rational number."""
        if not self.terms:
            return _ZERO
        return self.terms.get(()) if len(self.terms) == 1 else None

    def __neg__(self) -> "Form":
        return self.scaled(-_ONE)

    def __add__(self, other: "Form") -> "Form":
        return collect([*self.terms.items(), *other.terms.items()])

    def __sub__(self, other: "Form") -> "Form":
        return self + -other

    def __mul__(self, other: "Form") -> "Form":
        for factor, form in ((self.rational, other), (other.rational, self)):
            if factor is not None:
                return form.scaled(factor)
        if len(self.terms) * len(other.terms) > 20 * MAX_TERMS:
            raise NoNormalForm("a product of too many terms")
        products: list[tuple[Monomial, Fraction]] = []
        for left, a in self.terms.items():
            check_time()
            for right, b in other.terms.items():
                products.extend(_product(left, right, a * b))
        return collect(products)

    def __truediv__(self, other: "Form") -> "Form":
        ratio = self.proportion(other)
        return number(ratio) if ratio is not None else self * other.power(-1)

    def scaled(self, factor: Fraction) -> "Form":
        """Return the form times a rational number."""
        return Form({monomial: coefficient * factor for monomial, coefficient in self.terms.items()})

    def power(self, exponent: int) -> "Form":
        """Return an integer power.

        Raises:
            NoNormalForm: a negative power of zero.
        """
        if exponent < 0:
            return self._inverse().power(-exponent)
        result = number(1)
        for _ in range(exponent):
            result = result * self
        return result

    def proportion(self, other: "Form") -> Fraction | None:
        """Return self/other when it is shown to be a rational number."""
        if not other.terms or self.terms.keys() != other.terms.keys():
            return None
        ratios = {coefficient / other.terms[monomial] for monomial, coefficient in self.terms.items()}
        return ratios.pop() if len(ratios) == 1 else None

    def _inverse(self) -> "Form":
        if not self.terms:
            raise NoNormalForm("division by zero")
        if len(self.terms) == 1:
            ((monomial, coefficient),) = self.terms.items()
            return collect(reduced({generator: -exponent for generator, exponent in monomial}, 1 / coefficient))
        content = self.leading_coefficient()
        return Form({((Generator("group", self.scaled(1 / content)), -_ONE),): 1 / content})

    def leading_coefficient(self) -> Fraction:
        """Return the coefficient of the first monomial in the order of writing."""
        return self.terms[min(self.terms, key=_monomial_text)]

    def ball(self, x: arb | None = None) -> arb:
        """Enclose the value at the working precision; `x` is needed where the form depends on it."""
        total = arb(0)
        for monomial, coefficient in self.terms.items():
            product = arb(fmpq(coefficient.numerator, coefficient.denominator))
            for generator, exponent in monomial:
                product *= _ball_power(generator.ball(x), exponent)
            total += product
        return total


def _ball_power(base: arb, exponent: Fraction) -> arb:
    if exponent.denominator == 1:
        return ball_power(base, int(exponent))
    if exponent.denominator == 2:
        return ball_power(base.sqrt(), int(2 * exponent))
    return base ** arb(fmpq(exponent.numerator, exponent.denominator))


def _monomial_text(monomial: Monomial) -> str:
    return "*".join(f"{generator.text}^{exponent}" for generator, exponent in monomial)


def _write_term(term: tuple[Monomial, Fraction]) -> str:
    monomial, coefficient = term
    return f"{coefficient}*{_monomial_text(monomial)}" if monomial else str(coefficient)


def collect(terms: Iterable[tuple[Monomial, Fraction]]) -> Form:
    """Return the sum of terms, like ones put together."""
    sums: dict[Monomial, Fraction] = {}
    for monomial, coefficient in terms:
        check_time()
        sums[monomial] = sums.get(monomial, _ZERO) + coefficient
    return Form(sums)


def _product(left: Monomial, right: Monomial, coefficient: Fraction) -> list[tuple[Monomial, Fraction]]:
    exponents = dict(left)
    for generator, exponent in right:
        exponents[generator] = exponents.get(generator, _ZERO) + exponent
    return reduced(exponents, coefficient)


def reduced(exponents: dict[Generator, Fraction], coefficient: Fraction) -> list[tuple[Monomial, Fraction]]:
    """Return the product with primes' exponents in [0, 1), and whole powers of groups and of |u|^2 multiplied out."""
    kept: list[tuple[Generator, Fraction]] = []
    expanded: list[Form] = []
    for generator, exponent in exponents.items():
        rest = exponent
        if generator.name.isdigit():
            whole = floor(exponent)
            coefficient *= Fraction(int(generator.name)) ** whole
            rest -= whole
        elif generator.name in ("group", "root") and exponent >= 1:
            expanded.append(generator.arguments[0].power(floor(exponent)))
            rest -= floor(exponent)
        elif generator.name == "abs" and exponent >= 2:
            expanded.append(generator.arguments[0].power(2 * floor(exponent / 2)))
            rest -= 2 * floor(exponent / 2)
        if rest:
            kept.append((generator, rest))
    kept.sort(key=lambda factor: factor[0].text)
    result = Form({tuple(kept): coefficient})
    for form in expanded:
        result = result * form
    return list(result.terms.items())


@lru_cache(maxsize=4096)
def number(value: Fraction | int) -> Form:
    """Return a rational number as a form."""
    return Form({(): Fraction(value)})


def variable() -> Form:
    """Return x as a form."""
    return generated("x")


def generated(name: str, *arguments: Form) -> Form:
    """Return a generator as a form."""
    return Form({((Generator(name, *arguments), _ONE),): _ONE})
