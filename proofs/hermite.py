"""The Hermite polynomials He_n that carry all derivatives of the density, from their recurrence (DLMF 18.9)."""

from sympy import factorial

from gelu_verify.proofs.methods.equality import Derivative, Identity, Recurrence, Specialise
from gelu_verify.proofs.methods.logic import Assuming, Induction
from gelu_verify.proofs.notation import REALS, He, derivative, integers_from, n, x
from gelu_verify.proofs.statements import Equal, Implies, Statement, substitute
from gelu_verify.proofs.theorem import Step, Theorem

_LINE = ((x, REALS),)
_INDEX = ((n, integers_from(0)),)

RECURRENCE = Equal(He(n + 1, x), x * He(n, x) - n * He(n - 1, x), (*_LINE, *_INDEX))
DERIVATIVE = Equal(derivative(He(n, x), x), n * He(n - 1, x), (*_LINE, *_INDEX))
EVEN_AT_ZERO = Equal(He(2 * n, 0), (-1) ** n * factorial(2 * n) / (2**n * factorial(n)), _INDEX)
ODD_AT_ZERO = Equal(He(2 * n + 1, 0), 0, _INDEX)


def recurrence_step() -> Step:
    """Return the step that recalls the recurrence, under the label "recurrence"."""
    return Step(
        RECURRENCE, Recurrence(), "He_0 = 1, He_1 = x and this recurrence define the polynomials.", "recurrence"
    )


def _derivative() -> Theorem:
    first, second, third = (substitute(DERIVATIVE, {n: n + shift}, _LINE) for shift in range(3))
    next_recurrence = substitute(RECURRENCE, {n: n + 1}, (*_LINE, *_INDEX))
    steps = (
        recurrence_step(),
        Step(next_recurrence, Specialise(((n, n + 1),)), "The recurrence, one index on.", "next", ("recurrence",)),
        Step(substitute(DERIVATIVE, {n: 0}, _LINE), Derivative(), "Base case: He_0 = 1.", "base 0"),
        Step(substitute(DERIVATIVE, {n: 1}, _LINE), Derivative(), "Base case: He_1 = x.", "base 1"),
        Step(
            Implies((first, second), third, _INDEX),
            Assuming(Identity()),
            "Differentiate the recurrence for He_{n+2}, put in the two hypotheses, and collect He_{n+1}.",
            "step",
            ("next", "recurrence"),
        ),
        Step(DERIVATIVE, Induction(n, 2), "Induction over two predecessors.", needs=("base 0", "base 1", "step")),
    )
    return Theorem(
        "hermite.derivative",
        "The derivative of a Hermite polynomial is n times the one before",
        (DERIVATIVE,),
        steps,
        "DLMF 18.9.27",
        ("He_0 = 1, He_1 = x, He_{n+1} = x He_n - n He_{n-1}; n He_{n-1} is read as 0 for n = 0.",),
    )


def _at_zero() -> Theorem:
    def half(claim: Equal, shift: int, name: str) -> tuple[Step, ...]:
        now, then = (substitute(claim, {n: n + index}, ()) for index in range(2))
        link = substitute(RECURRENCE, {n: 2 * n + shift, x: 0}, _INDEX)
        return (
            Step(
                link,
                Specialise(((n, 2 * n + shift), (x, 0))),
                "The recurrence at x = 0.",
                f"link {name}",
                ("recurrence",),
            ),
            Step(substitute(claim, {n: 0}, ()), Identity(), "Base case.", f"base {name}"),
            Step(
                Implies((now,), then, _INDEX),
                Assuming(Identity()),
                "By the recurrence.",
                f"step {name}",
                (f"link {name}",),
            ),
            Step(claim, Induction(n), "Induction.", name, (f"base {name}", f"step {name}")),
        )

    statement: tuple[Statement, ...] = (EVEN_AT_ZERO, ODD_AT_ZERO)
    return Theorem(
        "hermite.zero",
        "The Hermite polynomials at 0",
        statement,
        (recurrence_step(), *half(EVEN_AT_ZERO, 1, "even"), *half(ODD_AT_ZERO, 2, "odd")),
        "DLMF 18.6.1, Table 18.6.1",
    )


THEOREMS = (_derivative(), _at_zero())
