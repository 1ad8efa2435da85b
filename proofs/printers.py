"""SymPy expressions in three scripts: one line of plain text, LaTeX, and MathML for browsers.

SymPy's printers do the work; what is added is our notation (G''(x), He_n(x), T_c(x)).
"""

import re
from typing import Any

import sympy
from sympy.printing.latex import LatexPrinter
from sympy.printing.mathml import MathMLPresentationPrinter
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from gelu_verify.proofs.notation import GREEK, NamedBase

_PRIMES = 3  # up to G'''(x); then G^(n)(x)


def plain(expression: Any) -> str:
    """Write an expression on one line.

    >>> import sympy
    >>> x = sympy.Symbol("x")
    >>> plain(sympy.Derivative(sympy.sin(x), x, x) + x**2)
    'x^2 + d^2/dx^2 sin(x)'
    """
    return str(_Plain().doprint(expression))


def latex(expression: Any) -> str:
    """Write an expression in LaTeX, without the surrounding dollars."""
    return str(_Latex({"fold_short_frac": False}).doprint(expression))


def mathml(expression: Any) -> str:
    """Write an expression as presentation MathML, without the surrounding <math>."""
    printer = _MathML()
    return _entities(printer._print(expression).toxml())


def parts(function: Any) -> tuple[Any, tuple[Any, ...]]:
    """Split a named function's arguments into the subscript (or None) and the others."""
    index = type(function).index
    if index is None or len(function.args) < 2:
        return None, function.args
    subscript = function.args[index]
    others = tuple(argument for place, argument in enumerate(function.args) if place != index)
    return (None if subscript == type(function).default else subscript), others


def prime_notation(expression: Any) -> tuple[Any, Any, Any] | None:
    """Return (function, order, argument) if the expression is a derivative that reads as f'(x) or f'(3), else None."""
    argument = None
    if isinstance(expression, sympy.Subs) and len(expression.point) == 1:
        argument, expression = expression.point[0], expression.expr
    if not (isinstance(expression, sympy.Derivative) and isinstance(expression.expr, NamedBase)):
        return None
    _, others = parts(expression.expr)
    if len(expression.variable_count) != 1 or others != (expression.variable_count[0][0],):
        return None
    return expression.expr, expression.variable_count[0][1], others[0] if argument is None else argument


class _Plain(StrPrinter):  # type: ignore[misc]  # SymPy has no types
    """One line of text."""

    def doprint(self, expr: Any) -> str:
        """Print; products are written with a dot."""
        return str(super().doprint(expr)).replace("*", "·")

    def _head(self, function: Any, marks: str = "") -> str:
        subscript, _ = parts(function)
        below = "" if subscript is None else "_" + self._tight(subscript)
        name: str = type(function).signs["text"]
        return f"{name}{below}{marks}"

    def _tight(self, expression: Any) -> str:
        text: str = self._print(expression)
        return text if re.fullmatch(r"\w+", text) else "{" + text.replace(" ", "") + "}"

    def _print_NamedBase(self, expr: Any) -> str:
        return f"{self._head(expr)}({self.stringify(parts(expr)[1], ', ')})"

    def _print_Symbol(self, expr: Any) -> str:
        name: str = expr.name
        return GREEK.get(name, name)

    def _print_Abs(self, expr: Any) -> str:
        return f"|{self._print(expr.args[0])}|"

    def _print_Indexed(self, expr: Any) -> str:
        return f"{self._print(expr.base)}_{self._tight(expr.indices[0])}"

    def _print_IndexedBase(self, expr: Any) -> str:
        name = str(expr.label)
        return GREEK.get(name, name)

    def _print_factorial(self, expr: Any) -> str:
        return f"{self.parenthesize(expr.args[0], PRECEDENCE['Pow'])}!"

    def _print_Pi(self, expr: Any) -> str:
        return "π"

    def _print_Exp1(self, expr: Any) -> str:
        return "e"

    def _print_Infinity(self, expr: Any) -> str:
        return "∞"

    def _print_NegativeInfinity(self, expr: Any) -> str:
        return "-∞"

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        if abs(expr.exp) == sympy.S.Half:
            inner = self._print(expr.base)
            root = f"√{inner}" if re.fullmatch(r"\w+", inner) else f"√({inner})"
            return root if expr.exp.is_positive else f"1/{root}"
        return str(super()._print_Pow(expr, rational=rational)).replace("**", "^")

    def _print_Derivative(self, expr: Any) -> str:
        primes = prime_notation(expr)
        if primes is not None:
            return self._primed(*primes)
        orders = [(self._print(name), count) for name, count in expr.variable_count]
        total = sum(count for _, count in expr.variable_count)
        power = "" if total == 1 else f"^{self._tight(total)}"
        below = " ".join(f"d{name}" + ("" if count == 1 else f"^{self._tight(count)}") for name, count in orders)
        return f"d{power}/{below} {self.parenthesize(expr.expr, PRECEDENCE['Mul'])}"

    def _primed(self, function: Any, order: Any, argument: Any) -> str:
        small = order.is_Integer and order <= _PRIMES
        marks = "'" * int(order) if small else f"^({self._print(order)})"
        return f"{self._head(function, marks)}({self._print(argument)})"

    def _print_Subs(self, expr: Any) -> str:
        primes = prime_notation(expr)
        if primes is not None:
            return self._primed(*primes)
        where = ", ".join(
            f"{self._print(a)} = {self._print(b)}" for a, b in zip(expr.variables, expr.point, strict=True)
        )
        return f"[{self._print(expr.expr)}] at {where}"

    def _print_Integral(self, expr: Any) -> str:
        ((name, low, high),) = expr.limits
        body = self.parenthesize(expr.function, PRECEDENCE["Mul"])
        return f"∫_{self._tight(low)}^{self._tight(high)} {body} d{self._print(name)}"

    def _print_Sum(self, expr: Any) -> str:
        ((name, low, high),) = expr.limits
        body = self.parenthesize(expr.function, PRECEDENCE["Mul"])
        return f"Σ_{{{self._print(name)}={self._print(low)}}}^{self._tight(high)} {body}"

    def _print_Limit(self, expr: Any) -> str:
        body, name, point, direction = expr.args
        side = "" if point.is_infinite or str(direction) == "+-" else str(direction)
        target = self._print(point) + side
        return f"lim_{{{self._print(name)}→{target}}} {self.parenthesize(body, PRECEDENCE['Mul'])}"

    def _print_Expectation(self, expr: Any) -> str:
        return f"E[{self._print(expr.args[0])}]"

    def _print_Variance(self, expr: Any) -> str:
        return f"Var[{self._print(expr.args[0])}]"

    def _print_Probability(self, expr: Any) -> str:
        return f"P({self._print(expr.args[0])})"

    def _print_Reals(self, expr: Any) -> str:
        return "ℝ"

    def _print_Complexes(self, expr: Any) -> str:
        return "ℂ"

    def _print_Interval(self, expr: Any) -> str:
        left, right = "(" if expr.left_open else "[", ")" if expr.right_open else "]"
        return f"{left}{self._print(expr.start)}, {self._print(expr.end)}{right}"

    def _print_Union(self, expr: Any) -> str:
        return " ∪ ".join(map(self._print, expr.args))

    def _print_FiniteSet(self, expr: Any) -> str:
        inner: str = self.stringify(expr.args, ", ")
        return f"{{{inner}}}"


class _Latex(LatexPrinter):  # type: ignore[misc]  # SymPy has no types
    """LaTeX."""

    def _head(self, function: Any) -> str:
        subscript, _ = parts(function)
        name: str = type(function).signs["latex"]
        below: str = "" if subscript is None else f"_{{{self._print(subscript)}}}"
        return name + below

    def _applied(self, head: str, arguments: Any) -> str:
        inner: str = ", ".join(map(self._print, arguments))
        return rf"{head}\left({inner}\right)"

    def _print_NamedBase(self, expr: Any, exp: str | None = None) -> str:
        head: str = self._head(expr) + ("" if exp is None else f"^{{{exp}}}")
        return self._applied(head, parts(expr)[1])

    def _print_Derivative(self, expr: Any) -> str:
        primes = prime_notation(expr)
        return str(super()._print_Derivative(expr)) if primes is None else self._primed(*primes)

    def _print_Subs(self, expr: Any) -> str:
        primes = prime_notation(expr)
        return str(super()._print_Subs(expr)) if primes is None else self._primed(*primes)

    def _primed(self, function: Any, order: Any, argument: Any) -> str:
        small = order.is_Integer and order <= _PRIMES
        marks = r"\prime" * int(order) if small else rf"\left({self._print(order)}\right)"
        return self._applied(f"{self._head(function)}^{{{marks}}}", (argument,))


class _MathML(MathMLPresentationPrinter):  # type: ignore[misc]  # SymPy has no types
    """Presentation MathML. SymPy writes function names in lower case (G as g), so names are written here."""

    def _element(self, tag: str, *children: Any) -> Any:
        element = self.dom.createElement(tag)
        for child in children:
            element.appendChild(self.dom.createTextNode(child) if isinstance(child, str) else child)
        return element

    def _applied(self, head: Any, arguments: Any) -> Any:
        inner = []
        for argument in arguments:
            inner += [self._element("mo", ","), self._print(argument)]
        brackets = [self._element("mo", "("), *inner[1:], self._element("mo", ")")]
        return self._element("mrow", head, self._element("mo", "\u2061"), self._element("mrow", *brackets))

    def _name(self, function: Any) -> tuple[Any, Any]:
        subscript, _ = parts(function)
        name = self._element("mi", type(function).signs["text"])
        return name, None if subscript is None else self._print(subscript)

    def _print_NamedBase(self, expr: Any) -> Any:
        name, below = self._name(expr)
        head = name if below is None else self._element("msub", name, below)
        return self._applied(head, parts(expr)[1])

    def _print_Function(self, expr: Any) -> Any:
        return self._applied(self._element("mi", type(expr).__name__), expr.args)

    def _print_Derivative(self, expr: Any) -> Any:
        primes = prime_notation(expr)
        return super()._print_Derivative(expr) if primes is None else self._primed(*primes)

    def _print_Subs(self, expr: Any) -> Any:
        primes = prime_notation(expr)
        if primes is not None:
            return self._primed(*primes)
        rows = [self._equation(name, value) for name, value in zip(expr.variables, expr.point, strict=True)]
        bar = self._element("mo", "|")
        return self._element("msub", self._element("mrow", self._print(expr.expr), bar), self._element("mrow", *rows))

    def _equation(self, left: Any, right: Any) -> Any:
        return self._element("mrow", self._print(left), self._element("mo", "="), self._print(right))

    def _primed(self, function: Any, order: Any, argument: Any) -> Any:
        name, below = self._name(function)
        if order.is_Integer and order <= _PRIMES:
            above = self._element("mo", "\u2032" * int(order))
        else:
            above = self._element("mrow", self._element("mo", "("), self._print(order), self._element("mo", ")"))
        head = self._element("msup", name, above) if below is None else self._element("msubsup", name, below, above)
        return self._applied(head, (argument,))

    def _print_Limit(self, expr: Any) -> Any:
        body, name, point, direction = expr.args
        target = self._print(point)
        if not point.is_infinite and str(direction) != "+-":
            target = self._element("msup", target, self._element("mo", str(direction)))
        under = self._element("mrow", self._print(name), self._element("mo", "→"), target)
        limit = self._element("munder", self._element("mo", "lim"), under)
        return self._element("mrow", limit, self.parenthesize(body, PRECEDENCE["Mul"]))

    def _bracketed(self, name: str, inner: Any) -> Any:
        opening, closing = self._element("mo", "["), self._element("mo", "]")
        return self._element("mrow", self._element("mi", name), opening, self._print(inner), closing)

    def _print_Expectation(self, expr: Any) -> Any:
        return self._bracketed("E", expr.args[0])

    def _print_Variance(self, expr: Any) -> Any:
        return self._bracketed("Var", expr.args[0])

    def _print_Probability(self, expr: Any) -> Any:
        return self._bracketed("P", expr.args[0])

    def _print_Reals(self, expr: Any) -> Any:
        return self._element("mi", "ℝ")

    def _print_Complexes(self, expr: Any) -> Any:
        return self._element("mi", "ℂ")

    def _print_Root(self, expr: Any) -> Any:
        return self._element("mi", GREEK[expr.name])


def _entities(markup: str) -> str:
    """Put characters for the HTML entities that SymPy writes, so that the markup is XML as well."""
    names = {"&dd;": "ⅆ", "&InvisibleTimes;": "\u2062", "&ExponentialE;": "e", "&infin;": "∞", "&pi;": "π"}
    for name, character in names.items():
        markup = markup.replace(name, character).replace(name.replace("&", "&amp;"), character)
    return re.sub(r"&(?:amp;)?#x([0-9A-Fa-f]+);", lambda match: chr(int(match[1], 16)), markup)
