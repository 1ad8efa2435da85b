"""Catalogue expressions as presentation MathML: one more walker over the same definitions."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from gelu_verify.catalogue.expression import Expression, evaluate

_SUM, _PRODUCT, _POWER, _ATOM = range(4)  # how tightly the outermost operator binds
_NAMES = {"sigmoid": "σ", "log1p": "log1p", "expm1": "expm1"}
_TIMES = '<mo lspace="0.08em" rspace="0.08em">\N{INVISIBLE TIMES}</mo>'
_RELATIONS = {"<": "<", "<=": "≤", ">": ">", ">=": "≥"}


@dataclass(frozen=True, slots=True)
class _Markup:
    content: str
    binds: int


def mathml(expression: Expression) -> str:
    """Return the expression as one `math` element.

    >>> from gelu_verify.catalogue import parse
    >>> mathml(parse("x**2"))
    '<math><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow></math>'
    """
    return f"<math>{_row(evaluate(expression, _Presentation()).content)}</math>"


def equation(left: str, expression: Expression) -> str:
    """Return `left(x) = expression` as one `math` element."""
    argument = "<mo>(</mo><mi>x</mi><mo>)</mo>"
    right = evaluate(expression, _Presentation()).content
    row = _row(f"<mi>{escape(left)}</mi>{argument}<mo>=</mo>{right}")
    return f'<math displaystyle="true">{row}</math>'


def _row(content: str) -> str:
    return f"<mrow>{content}</mrow>"


def _bracketed(markup: _Markup, least: int) -> str:
    if markup.binds >= least:
        return markup.content
    return _row(f"<mo>(</mo>{markup.content}<mo>)</mo>")


class _Presentation:
    """MathML fragments."""

    def number(self, value: Fraction) -> _Markup:
        decimal = _short_decimal(value)
        if decimal is not None:
            return _Markup(f"<mn>{decimal}</mn>", _ATOM if value >= 0 else _SUM)
        top, bottom = f"<mn>{value.numerator}</mn>", f"<mn>{value.denominator}</mn>"
        return _Markup(f"<mfrac>{top}{bottom}</mfrac>", _ATOM if value >= 0 else _SUM)

    def constant(self, name: str) -> _Markup:
        return _Markup(f"<mi>{'π' if name == 'pi' else 'e'}</mi>", _ATOM)

    def variable(self) -> _Markup:
        return _Markup("<mi>x</mi>", _ATOM)

    def power(self, base: _Markup, exponent: int) -> _Markup:
        inner = _bracketed(base, _ATOM)
        return _Markup(f"<msup>{inner}<mn>{str(exponent).replace('-', '−')}</mn></msup>", _POWER)

    def apply(self, operator: str, *arguments: _Markup) -> _Markup:
        if operator in ("+", "-"):
            left, right = arguments
            sign = "+" if operator == "+" else "−"
            return _Markup(f"{left.content}<mo>{sign}</mo>{_bracketed(right, _PRODUCT)}", _SUM)
        if operator == "*":
            left, right = arguments
            if left == self.number(Fraction(1)):
                return right
            return _Markup(f"{_bracketed(left, _PRODUCT)}{_TIMES}{_bracketed(right, _PRODUCT)}", _PRODUCT)
        if operator == "/":
            top, bottom = arguments
            return _Markup(f"<mfrac>{_row(top.content)}{_row(bottom.content)}</mfrac>", _ATOM)
        return self._call(operator, *arguments)

    def _call(self, operator: str, *arguments: _Markup) -> _Markup:
        first = arguments[0]
        if operator == "neg":
            return _Markup(f"<mo>−</mo>{_bracketed(first, _PRODUCT)}", _SUM)
        if operator == "sqrt":
            return _Markup(f"<msqrt>{_row(first.content)}</msqrt>", _ATOM)
        if operator == "abs":
            return _Markup(_row(f"<mo>|</mo>{first.content}<mo>|</mo>"), _ATOM)
        if operator == "exp":
            return _Markup(f"<msup><mi>e</mi>{_row(first.content)}</msup>", _POWER)
        listed = "<mo>,</mo>".join(argument.content for argument in arguments)
        name = _NAMES.get(operator, operator)
        return _Markup(_row(f"<mi>{name}</mi><mo>\N{FUNCTION APPLICATION}</mo><mo>(</mo>{listed}<mo>)</mo>"), _ATOM)

    def where(
        self,
        relation: str,
        left: _Markup,
        right: _Markup,
        then: Callable[[], _Markup],
        otherwise: Callable[[], _Markup],
    ) -> _Markup:
        condition = f"{left.content}<mo>{escape(_RELATIONS[relation])}</mo>{right.content}"
        rows = f"{_case(then().content, condition)}{_case(otherwise().content, '<mtext>else</mtext>')}"
        return _Markup(_row(f"<mo>{{</mo><mtable>{rows}</mtable>"), _ATOM)


def _case(value: str, condition: str) -> str:
    return f"<mtr><mtd>{_row(value)}</mtd><mtd>{_row(condition)}</mtd></mtr>"


def _short_decimal(value: Fraction) -> str | None:
    """Write a rational that is a decimal of at most nine places; None otherwise."""
    scaled = value * 10**9
    if scaled.denominator != 1:
        return None
    whole, places = divmod(abs(int(scaled)), 10**9)
    written = f"{whole}.{places:09}".rstrip("0").rstrip(".")
    return ("−" if value < 0 else "") + written
