"""Families of approximations x sigmoid(v(x)) with v linear in the constants, as the catalogue defines them."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb, arb_series, ctx

from gelu_verify.bounds.roots import Line, zeros
from gelu_verify.bounds.smooth import Smooth, vanishes
from gelu_verify.catalogue import Expression, get_function
from gelu_verify.catalogue.derivative import add, divide, multiply, subtract
from gelu_verify.catalogue.evaluators import arb_taylor
from gelu_verify.catalogue.expression import Number, Operation, Variable
from gelu_verify.deadlines import Deadline
from gelu_verify.errors import InputError

FAMILIES = ("gelu_sigmoid", "gelu_tanh", "gelu_tanh2")
TARGETS = ("gelu", "Phi")


@dataclass(frozen=True)
class Family:
    """One of `FAMILIES` as an approximation of gelu, or its second factor as one of Phi.

    The error is w(x) (sigmoid(v(x)) - Phi(x)) with w = x or 1, v = v_0 + sum p_j m_j. At every x > 0 it rises with v;
    so the errors of two members differ in sign there just as sum (p_j - q_j) m_j does.

    Raises:
        InputError: no such family or target.
    """

    name: str
    target: str = "gelu"

    def __post_init__(self) -> None:
        if self.name not in FAMILIES:
            raise InputError(f"{self.name!r} is not a family with constants to fit; families are {', '.join(FAMILIES)}")
        if self.target not in TARGETS:
            raise InputError(f"{self.target!r} is not approximated by families; choose {' or '.join(TARGETS)}")

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the constants."""
        return tuple(get_function(self.name).constants)

    def member(self, constants: tuple[Fraction, ...]) -> Expression:
        """Return the approximation with these constants."""
        named = dict(zip(self.parameters, constants, strict=True))
        return self._factor(get_function(self.name).with_constants(**named).expression)

    @property
    def default(self) -> Expression:
        """The approximation with the catalogue's constants."""
        return self._factor(get_function(self.name).expression)

    @property
    def exact(self) -> Expression:
        """What is approximated."""
        return get_function(self.target).expression

    def _factor(self, form: Expression) -> Expression:
        return form if self.target == "gelu" else _gate(form)

    def _argument(self, constants: tuple[Fraction, ...]) -> Expression:
        """Return v, what the sigmoid is taken of."""
        gate = _gate(
            get_function(self.name).with_constants(**dict(zip(self.parameters, constants, strict=True))).expression
        )
        if not (isinstance(gate, Operation) and gate.operator == "sigmoid"):
            raise TypeError(f"{self.name} is not written as x*sigmoid(v)")
        return gate.arguments[0]

    @cached_property
    def offset(self) -> Expression:
        """v_0, the part of v without constants."""
        return self._argument((Fraction(0),) * len(self.parameters))

    @cached_property
    def basis(self) -> tuple[Expression, ...]:
        """The functions m_j by which the constants are multiplied.

        Raises:
            TypeError: v is not linear in the constants.
        """
        units = [tuple(Fraction(i == j) for i in range(len(self.parameters))) for j in range(len(self.parameters))]
        basis = tuple(subtract(self._argument(unit), self.offset) for unit in units)
        trial = tuple(Fraction(2 * j + 3, 7) for j in range(len(self.parameters)))
        combined = self.offset
        for constant, function in zip(trial, basis, strict=True):
            combined = add(combined, multiply(Number(constant), function))
        if not vanishes(subtract(self._argument(trial), combined)):
            raise TypeError(f"the gate of {self.name} is not linear in its constants")
        return basis

    def separates(self, deadline: Deadline) -> bool:
        """Return whether sum d_j m_j is shown to have fewer zeros on x > 0 than it has constants, unless all d_j are 0.

        One function: it has no zero. Two: the first has none, and the quotient of both is strictly monotone.
        """
        positive = Line(Fraction(0), None)
        first, *others = self.basis
        if zeros(Smooth(first), positive, deadline) or len(others) > 1:
            return False
        return all(not zeros(Smooth(divide(other, first), 1), positive, deadline) for other in others)

    def error(self, x: arb, constants: tuple[arb, ...], order: int) -> tuple[arb_series, list[arb_series]]:
        """Return the Taylor series at x of the error and of its derivatives with respect to the constants."""
        length = order + 1
        before, ctx.cap = ctx.cap, length
        try:
            parts = [arb_series(arb_taylor(f, x, order), length) for f in (self.offset, *self.basis)]
            gate = parts[0]
            for constant, function in zip(constants, parts[1:], strict=True):
                gate = gate + constant * function
            sigmoid = 1 / (1 + (-gate).exp())
            weight = arb_series([x, 1] if self.target == "gelu" else [1], length)
            rate = weight * sigmoid * (1 - sigmoid)
            exact = arb_series(arb_taylor(get_function("Phi").expression, x, order), length)
            return weight * (sigmoid - exact), [rate * function for function in parts[1:]]
        finally:
            ctx.cap = before


def _gate(form: Expression) -> Expression:
    if isinstance(form, Operation) and form.operator == "*" and form.arguments[0] == Variable():
        return form.arguments[1]
    raise TypeError("the form is not written as x times a gate")
