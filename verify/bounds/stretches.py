"""The error on the line, stretch by stretch."""

from dataclasses import dataclass

from gelu_verify.bounds.domains import defined_parts
from gelu_verify.bounds.error import Error
from gelu_verify.bounds.pieces import pieces
from gelu_verify.bounds.roots import Line
from gelu_verify.bounds.smooth import Smooth
from gelu_verify.catalogue import Expression
from gelu_verify.catalogue.forms import Form, NoNormalForm
from gelu_verify.catalogue.normal_form import normal_form
from gelu_verify.deadlines import Deadline


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
