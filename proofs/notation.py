"""The names in which theorems are written: G(x) instead of its definition, which stays in the catalogue.

A named function is a SymPy function that never evaluates by itself. `unfold` puts the definitions in; statements are
printed folded and checked unfolded. Importing this module imports SymPy.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import sympy
from sympy.core.function import FunctionClass

from gelu_verify.catalogue import get_function, parse
from gelu_verify.catalogue.symbolic import sympy_expression

x, y, t, z = sympy.symbols("x y t z", real=True)
mu = sympy.Symbol("mu", real=True)
s, k, c, alpha = sympy.symbols("s k c alpha", positive=True)
w = sympy.Symbol("w")  # a complex variable
n, m = sympy.symbols("n m", integer=True, nonnegative=True)

REALS, COMPLEXES = sympy.S.Reals, sympy.S.Complexes
POSITIVE = sympy.Interval.open(0, sympy.oo)
NEGATIVE = sympy.Interval.open(-sympy.oo, 0)
NONZERO = sympy.Union(NEGATIVE, POSITIVE)


def integers_from(start: int) -> Any:
    """Return the set of the integers from `start` on."""
    return sympy.Range(start, sympy.oo)


class NamedBase(sympy.Function):  # type: ignore[misc]  # SymPy has no types
    """A function that is printed by name; see `named`. SymPy's printers heed a base class only if its name ends so."""

    definition: Callable[..., Any]
    positive = False
    signs: dict[str, str]
    index: int | None = None  # the argument that is written as a subscript
    default: Any = None  # the subscript that is left out
    formula = ""

    def _eval_is_extended_real(self) -> bool | None:
        return True if all(argument.is_extended_real for argument in self.args) else None

    def _eval_is_finite(self) -> bool | None:
        return True if all(argument.is_finite for argument in self.args) else None

    def _eval_is_extended_positive(self) -> bool | None:
        return True if self.positive and self.is_extended_real else None


def named(
    name: str, definition: Callable[..., Any], formula: str, *,
    positive: bool = False, index: int | None = None, default: Any = None, **signs: str,
) -> Any:  # fmt: skip
    """Return a function printed as `name`.

    Arguments:
        definition: takes the arguments and returns the meaning, or None where it has no closed form there
            (a polynomial of symbolic degree).
        formula: the definition for the reader, one line.
        positive: whether every value at real arguments is positive.
        index: the position of the argument that is written as a subscript; `default` is left out.
        signs: how to write it for each printer, `text=`, `latex=`, where that is not the name.
    """
    body = {
        "definition": staticmethod(definition),
        "formula": formula,
        "positive": positive,
        "index": index,
        "default": default,
        "signs": {"text": name, "latex": name, **signs},
    }
    return FunctionClass(name, (NamedBase,), body)


def _catalogued(name: str, function: str, **style: Any) -> Any:
    """Return the notation for a catalogue function; further arguments are the family's constants in their order."""
    entry = get_function(function)

    def definition(argument: Any, *constants: Any) -> Any:
        return entry.definition_with(argument, **dict(zip(entry.constants, constants, strict=False)))

    if entry.constants:
        (default,) = entry.constants.values()
        style |= {"index": 1, "default": sympy_expression(parse(default))}
    below = "".join(f"_{constant}" for constant in entry.constants)
    meaning = f"{style.get('text', name)}{below}(x) = {style.pop('formula', entry.formula)}"
    usual = "".join(f"; {name}(x) is that with {key} = {value}" for key, value in entry.constants.items())
    return named(name, definition, meaning + usual, **style)


def default_constant(function: str, constant: str) -> Any:
    """Return a family's default constant, exactly, from the catalogue."""
    return sympy_expression(parse(get_function(function).constants[constant]))


def _hermite(degree: Any, argument: Any) -> Any:
    """Return He_degree by its recurrence (DLMF 18.9.1), or None while the degree is symbolic; He_-1 stands for 0."""
    if not degree.is_Integer:
        return None
    before, now = sympy.Integer(0), sympy.Integer(1)
    for index in range(int(degree)):
        before, now = now, sympy.expand(argument * now - index * before)
    return now if degree >= 0 else before


def _owen(height: Any, slope: Any) -> Any:
    kernel = sympy.exp(-(height**2) * (1 + t**2) / 2) / (1 + t**2)
    return sympy.Integral(kernel, (t, 0, slope)) / (2 * sympy.pi)


GREEK = {
    "alpha": "α", "eta": "η", "mu": "μ", "pi": "π", "sigma": "σ", "tau": "τ", "xi": "ξ", "zeta": "ζ",
}  # fmt: skip
_OPERATOR = r"\operatorname{%s}"

G = _catalogued("G", "gelu")
T = _catalogued("T", "gelu_tanh")  # T(x, c)
S = _catalogued("S", "gelu_sigmoid")  # S(x, k)
phi = _catalogued("phi", "phi", positive=True, text="φ", latex=r"\varphi")
Phi = _catalogued("Phi", "Phi", positive=True, text="Φ", latex=r"\Phi")
sigma = _catalogued("sigma", "sigmoid", formula="1/(1 + exp(-x))", positive=True, text="σ", latex=r"\sigma")
SiLU = _catalogued("SiLU", "silu", latex=_OPERATOR % "SiLU")
ReLU = _catalogued("ReLU", "relu", latex=_OPERATOR % "ReLU")
LeakyReLU = _catalogued("LeakyReLU", "leaky_relu", latex=_OPERATOR % "LeakyReLU")  # LeakyReLU(x, slope)
ELU = _catalogued("ELU", "elu", latex=_OPERATOR % "ELU")  # ELU(x, alpha)
Mish = _catalogued("Mish", "mish", latex=_OPERATOR % "Mish")
U = named(
    "u", lambda v, a: sympy.sqrt(2 / sympy.pi) * (v + a * v**3), "u_c(x) = sqrt(2/pi)*(x + c*x**3)",
    index=1, default=default_constant("gelu_tanh", "c"),
)  # fmt: skip  # u(x, c)
He = named(
    "He",
    _hermite,
    "He_{n+1}(x) = x He_n(x) - n He_{n-1}(x) with He_0 = 1 and He_1(x) = x",
    index=0,
    latex=_OPERATOR % "He",
)  # He(n, x)
# Owen, Ann. Math. Statist. 27 (1956), 1075-1090
OwenT = named(
    "OwenT", _owen, "OwenT(h, a) = (1/(2 pi)) * integral of exp(-h**2*(1 + t**2)/2)/(1 + t**2) over 0 < t < a"
)
GEGLU = named("GEGLU", lambda a, b: G(a) * b, "GEGLU(a, b) = G(a) b", latex=_OPERATOR % "GEGLU")
SwiGLU = named("SwiGLU", lambda a, b: SiLU(a) * b, "SwiGLU(a, b) = SiLU(a) b", latex=_OPERATOR % "SwiGLU")
ReGLU = named("ReGLU", lambda a, b: ReLU(a) * b, "ReGLU(a, b) = ReLU(a) b", latex=_OPERATOR % "ReGLU")
Bilinear = named("Bilinear", lambda a, b: a * b, "Bilinear(a, b) = a b", latex=_OPERATOR % "Bilinear")


class Root(sympy.AtomicExpr):  # type: ignore[misc]  # SymPy has no types
    """A real number, named by a Greek letter, given as the only zero of a function between two rational ends.

    Whoever uses one owes the proof that there is exactly one zero there (the statement `UniqueZero`).
    """

    __slots__ = ("function", "high", "low", "name", "variable")
    is_commutative = True
    is_number = True

    def __new__(cls, name: str, function: Any, variable: Any, low: Any, high: Any) -> "Root":  # noqa: D102
        root: Root = super().__new__(cls)
        root.name, root.function, root.variable = name, function, variable
        root.low, root.high = sympy.Rational(low), sympy.Rational(high)
        if root.low >= root.high:
            raise ValueError(f"a root's lower end {low} must lie below its upper end {high}")
        return root

    def _hashable_content(self) -> tuple[Any, ...]:
        return (self.name, self.function, self.variable, self.low, self.high)

    def _eval_is_extended_real(self) -> bool:
        return True

    def _eval_is_finite(self) -> bool:
        return True

    def _eval_is_extended_negative(self) -> bool | None:
        return True if self.high <= 0 else False if self.low >= 0 else None

    def _eval_is_extended_positive(self) -> bool | None:
        return True if self.low >= 0 else False if self.high <= 0 else None

    def _eval_evalf(self, precision: int) -> Any:
        from gelu_verify.proofs.numerics import root_bracket

        low, high = root_bracket(self, precision + 8)
        return sympy.Rational((low + high) / 2)._eval_evalf(precision)

    def _sympystr(self, printer: Any) -> str:
        return GREEK[self.name]

    def _latex(self, printer: Any) -> str:
        return f"\\{self.name}"


def unfold(expression: Any) -> Any:
    """Put in the definitions of all named functions that have one at their arguments."""
    return _unfold(sympy.sympify(expression))


@cache
def _unfold(expression: Any) -> Any:
    if not expression.has(NamedBase):
        return expression
    if isinstance(expression, NamedBase):
        meaning = expression.definition(*expression.args)
        if meaning is not None:
            return _unfold(meaning)
    return expression.func(*map(_unfold, expression.args))


def derivative(expression: Any, variable: Any, order: Any = 1) -> Any:
    """Return the unevaluated derivative."""
    return sympy.Derivative(expression, (variable, order))


def derivative_at(expression: Any, variable: Any, value: Any, order: Any = 1) -> Any:
    """Return the unevaluated derivative, taken at a value of the variable."""
    return sympy.Subs(sympy.Derivative(expression, (variable, order)), variable, value)


def limit(expression: Any, variable: Any, point: Any, direction: str = "+-") -> Any:
    """Return the unevaluated limit; at +-oo the direction is understood."""
    side = {sympy.oo: "-", -sympy.oo: "+"}.get(point, direction)
    return sympy.Limit(expression, variable, point, side)


def integral(expression: Any, variable: Any, low: Any, high: Any) -> Any:
    """Return the unevaluated definite integral."""
    return sympy.Integral(expression, (variable, low, high))
