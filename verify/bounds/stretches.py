"""The error on the line, stretch by stretch, and what it is at the points between."""

from dataclasses import dataclass
from fractions import Fraction

from gelu_verify.bounds.domains import defined_parts
from gelu_verify.bounds.error import Error
from gelu_verify.bounds.pieces import pieces, rule_at, switches
from gelu_verify.bounds.roots import Line
from gelu_verify.bounds.smooth import Deadline, Smooth, point
from gelu_verify.catalogue import Expression, Where, difference
from gelu_verify.catalogue.forms import Form, NoNormalForm
from gelu_verify.catalogue.normal_form import normal_form
from gelu_verify.enclosures import working_precision


@dataclass(frozen=True, slots=True)
class Stretch:
    """An interval inside which the error is smooth.

    Attributes:
        f: the error there.
        rules: what the expressions compared are there.
    """

    f: Smooth
    line: Line
    rules: tuple[Expression, ...]

    @property
    def constant(self) -> Form | None:
        """The error's value, when it is proven to be constant."""
        try:
            form = normal_form(self.f.expression)
        except NoNormalForm:
            return None
        return form if form.constant else None


def stretches(error: Error, line: Line, bits: int, deadline: Deadline) -> list[Stretch]:
    """Return the stretches from left to right; what lies between two is a point or a point's narrow enclosure.

    Raises:
        InputError: the error is not defined on a whole interval.
        Unresolved: the cuts are not proven to be complete.
        OutOfTime: the deadline has passed.
    """
    result = []
    for piece in pieces(error.rules, line, bits, deadline):
        f, parts = error.of(piece.rules), [piece.line]
        for rule in (*piece.rules, f.expression):  # a derivative may be defined where its function is not
            parts = [inner for part in parts for inner in defined_parts(rule, part, bits, deadline)]
        result += [Stretch(f, part, piece.rules) for part in parts]
    return result


def value_at(error: Error, x: Fraction) -> Smooth | None:
    """Return the error's own rule at a rational point, None where it has none.

    Raises:
        Unresolved: which branch holds there is not decided.
    """
    rules = [rule for rule in (rule_at(rule, x) for rule in error.rules) if rule is not None]
    if len(rules) < len(error.rules):
        return None
    f = error.of(tuple(rules), 0)
    with working_precision(128):
        return f if f.value(point(x)).is_finite() else None


def agree(left: Smooth, right: Smooth, x: Fraction) -> bool | None:
    """Return whether two functions have the same value at a rational point; None when that is not decided."""
    gap = Smooth(difference(left.expression, right.expression))
    if left == right or gap.vanishes(x):
        return True
    return False if gap.sign_at(x) else None


def differentiable(error: Error, left: Stretch, right: Stretch, x: Fraction) -> bool | None:
    """Return whether all derivatives up to the error's order agree from both sides of x; None when not decided."""
    verdicts = [
        agree(Smooth(a, order), Smooth(b, order), x)
        for a, b in zip(left.rules, right.rules, strict=True)
        for order in range(error.derivative + 1)
    ]
    if False in verdicts:
        return False
    return None if None in verdicts else True


def continuous_by_form(error: Error) -> bool:
    """Return whether all kinks are those of abs, min and max, at which both sides have the same value."""
    return not any(isinstance(node, Where) for rule in error.rules for node in switches(rule))
