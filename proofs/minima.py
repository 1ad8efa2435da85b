"""One argument for several functions: a derivative that is a positive factor times a rising function."""

from typing import Any

from sympy import Interval, Union, oo

from gelu_verify.proofs.methods.assembly import Cases
from gelu_verify.proofs.methods.order import MonotoneBySign, MonotoneComparison, Rearrange
from gelu_verify.proofs.methods.zeros import SingleZero
from gelu_verify.proofs.notation import REALS, derivative, x
from gelu_verify.proofs.statements import Compare, Monotone, Over, Statement, UniqueZero
from gelu_verify.proofs.theorem import Step

_LINE: Over = ((x, REALS),)


def minimum_claims(function: Any, zero: Any) -> tuple[Statement, Statement]:
    """Return what `minimum_steps` concludes: the only stationary point, and that it is the strict global minimum."""
    elsewhere = Union(Interval.open(-oo, zero), Interval.open(zero, oo))
    unique = UniqueZero(derivative(function, x), zero, _LINE)
    return unique, Compare(function, ">", function.subs(x, zero), ((x, elsewhere),))


def minimum_steps(function: Any, factor: Any, rising: Any, zero: Any, start: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps from f' = factor * rising to the unique minimum of f.

    Arguments:
        factor: positive everywhere.
        rising: strictly increasing on (-oo, 0] and positive on [0, oo), which the steps in `start` conclude under
            the labels "rising" and "beyond".
        zero: its zero.
    """
    unique, minimum = minimum_claims(function, zero)
    before, after = Interval.open(-oo, zero), Interval.open(zero, oo)
    slope = derivative(function, x)
    near = Interval.Lopen(zero, 0)
    compare = MonotoneComparison(zero)
    return (
        *start,
        Step(UniqueZero(rising, zero, _LINE), SingleZero(), "It rises through one zero.", "root", ("rising", "beyond")),
        Step(unique, SingleZero(factor), "f' has the same zeros.", "unique", ("rising", "beyond")),
        Step(Compare(rising, "<", 0, ((x, before),)), compare, "Negative before,", "below", ("rising", "root")),
        Step(Compare(rising, ">", 0, ((x, near),)), compare, "positive after,", "near", ("rising", "root")),
        Step(Compare(rising, ">", 0, ((x, after),)), Cases(), "all the way.", "above", ("near", "beyond")),
        Step(Compare(slope, "<", 0, ((x, before),)), Rearrange(factor), "f' has this sign,", "falls", ("below",)),
        Step(Compare(slope, ">", 0, ((x, after),)), Rearrange(factor), "on both sides.", "rises", ("above",)),
        Step(Monotone(function, False, ((x, Interval(-oo, zero)),)), MonotoneBySign(), "f falls,", "left", ("falls",)),
        Step(
            Monotone(function, True, ((x, Interval(zero, oo)),)), MonotoneBySign(), "then rises,", "right", ("rises",)
        ),
        Step(minimum, compare, "so its value there is the least.", "minimum", ("left", "right")),
    )
