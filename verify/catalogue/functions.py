"""The catalogue: GELU, its forms, its relatives and their parts, each defined once.

A definition is written in the grammar of `parse`; the SymPy expression, the Arb, mpmath and exact evaluators all come
from it. Tanh and sigmoid forms are families: their constants are parameters, so 0.044715 and 1.702 stand in one place.
The forms are written without cancellation: (1 + erf(x/sqrt 2))/2 as erfc(-x/sqrt 2)/2 (DLMF 7.2.2) and
(1 + tanh u)/2 as sigmoid(2u); that these are the same functions is among the theorems.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from gelu_verify.catalogue.expression import CONSTANTS, Expression, NamedConstant, Number, text
from gelu_verify.catalogue.parser import parse
from gelu_verify.errors import InputError, nearest_names

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True, slots=True)
class Function:
    """A real function of one real variable.

    Attributes:
        name: the word for it everywhere in this package.
        title: a line for people.
        formula: the definition in x and the names of `constants`, in the grammar of `parse`.
        constants: the family's constants with their default values, in the same grammar.
        aliases: what public libraries call it (a name in a library is no proof of what it computes).
        source: where the definition comes from.
    """

    name: str
    title: str
    formula: str
    source: str
    constants: Mapping[str, str] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()

    @property
    def expression(self) -> Expression:
        """The definition as an expression in x, with the constants' values put in."""
        return _expression(self.formula, tuple(self.constants.items()))

    @property
    def definition(self) -> "sympy.Expr":
        """The definition as a SymPy expression in the real symbol x (imports SymPy)."""
        from gelu_verify.catalogue.symbolic import sympy_expression

        return sympy_expression(self.expression)

    def definition_with(self, variable: "sympy.Expr", **constants: "sympy.Expr") -> "sympy.Expr":
        """The definition as a SymPy expression at `variable`, the family's constants being any SymPy expressions.

        Raises:
            InputError: the family has no constant of that name.

        >>> import sympy
        >>> k, x = sympy.symbols("k x", positive=True)
        >>> get_function("gelu_sigmoid").definition_with(x, k=k)
        x/(1 + exp(-k*x))
        """
        from gelu_verify.catalogue.symbolic import sympy_expression

        self._refuse_unknown(constants)
        body = parse(self.formula, {name: NamedConstant(name) for name in self.constants})
        values = {name: sympy_expression(parse(value)) for name, value in self.constants.items()}
        return sympy_expression(body, variable, {**values, **constants})

    def with_constants(self, **constants: "Expression | Fraction | int | str") -> "Function":
        """Return the member of the family that has these constants.

        Raises:
            InputError: the family has no constant of that name.

        >>> get_function("gelu_sigmoid").with_constants(k="1.773").constants["k"]
        '1.773'
        """
        self._refuse_unknown(constants)
        written = {name: _written(value) for name, value in constants.items()}
        return replace(self, constants=MappingProxyType({**self.constants, **written}))

    def _refuse_unknown(self, names: Iterable[str]) -> None:
        unknown = [name for name in names if name not in self.constants]
        if unknown:
            known = ", ".join(self.constants) or "none"
            raise InputError(f"{self.name} has no constant {unknown[0]!r}; it has: {known}")


def _written(value: Expression | Fraction | int | str) -> str:
    if isinstance(value, str):
        return value
    return text(Number(Fraction(value)) if isinstance(value, (Fraction, int)) else value)


@lru_cache(maxsize=256)
def _expression(formula: str, constants: tuple[tuple[str, str], ...]) -> Expression:
    return parse(formula, {name: parse(value) for name, value in constants})


_GELU_PAPER = "Hendrycks & Gimpel, Gaussian Error Linear Units, arXiv:1606.08415"

_CATALOGUE = (
    Function(
        "gelu",
        "GELU, the exact form: x times the probability that a standard normal variable is at most x",
        "x*Phi(x)",
        _GELU_PAPER,
        aliases=("gelu_exact", "gelu_erf"),
    ),
    Function(
        "gelu_tanh",
        "GELU, the tanh form: x(1 + tanh u)/2 with u = sqrt(2/pi)(x + c x^3)",
        "x*sigmoid(2*sqrt(2/pi)*(x + c*x**3))",
        _GELU_PAPER,
        constants={"c": "0.044715"},
        aliases=("gelu_new", "gelu_pytorch_tanh", "gelu_approximate"),
    ),
    Function(
        "gelu_sigmoid",
        "GELU, the sigmoid form: x sigmoid(k x)",
        "x*sigmoid(k*x)",
        _GELU_PAPER,
        constants={"k": "1.702"},
        aliases=("quick_gelu", "gelu_quick"),
    ),
    Function(
        "gelu_tanh2",
        "GELU, the tanh form with both constants free: x(1 + tanh(a x + b x^3))/2",
        "x*sigmoid(2*(a*x + b*x**3))",
        "generalises the tanh form; the defaults reproduce it",
        constants={"a": "sqrt(2/pi)", "b": "0.044715*sqrt(2/pi)"},
    ),
    Function(
        "silu",
        "SiLU (Swish with beta 1): x sigmoid(x)",
        "x*sigmoid(x)",
        "Elfwing, Uchibe & Doya, Neural Networks 107 (2018)",
        aliases=("swish",),
    ),
    Function("relu", "ReLU: the positive part of x", "max(x, 0)", "Nair & Hinton, ICML 2010"),
    Function(
        "leaky_relu",
        "leaky ReLU: x for x >= 0 and a fixed multiple of x below",
        "where(x < 0, slope*x, x)",
        "Maas, Hannun & Ng, ICML 2013",
        constants={"slope": "0.01"},
    ),
    Function(
        "elu",
        "ELU: x for x >= 0 and alpha (e^x - 1) below",
        "where(x < 0, alpha*expm1(x), x)",
        "Clevert, Unterthiner & Hochreiter, arXiv:1511.07289",
        constants={"alpha": "1"},
    ),
    Function("mish", "Mish: x tanh(log(1 + e^x))", "x*tanh(log1p(exp(x)))", "Misra, arXiv:1908.08681"),
    Function("phi", "the standard normal density", "exp(-x**2/2)/sqrt(2*pi)", "DLMF 7.1", aliases=("norm_pdf",)),
    Function(
        "Phi",
        "the standard normal distribution function",
        "erfc(-x/sqrt(2))/2",
        "DLMF 7.1, 7.18",
        aliases=("norm_cdf", "ndtr"),
    ),
    Function("erf", "the error function", "erf(x)", "DLMF 7.2.1"),
    Function("erfc", "the complementary error function", "erfc(x)", "DLMF 7.2.2"),
    Function("tanh", "the hyperbolic tangent", "tanh(x)", "DLMF 4.28.4"),
    Function("exp", "the exponential function", "exp(x)", "DLMF 4.2.19"),
    Function("sigmoid", "the logistic function 1/(1 + e^-x)", "sigmoid(x)", "Verhulst 1845", aliases=("expit",)),
)

FUNCTIONS: Mapping[str, Function] = MappingProxyType({function.name: function for function in _CATALOGUE})
_ALIASES: Mapping[str, str] = MappingProxyType({alias: f.name for f in _CATALOGUE for alias in f.aliases})


def get_function(name: str) -> Function:
    """Return the catalogue's function of that name or alias.

    Raises:
        InputError: no such function; the message names the nearest.

    >>> get_function("quick_gelu").name
    'gelu_sigmoid'
    """
    found = FUNCTIONS.get(_ALIASES.get(name, name))
    if found is None:
        hint = nearest_names(name, [*FUNCTIONS, *_ALIASES]) or f"; known are {', '.join(FUNCTIONS)}"
        raise InputError(f"unknown function {name!a}{hint}")
    return found


def function_or_expression(written: str) -> Function:
    """Return the catalogue's function of that name, or the function that the written expression defines.

    Raises:
        InputError: neither a name nor an expression, with what was wrong.

    >>> function_or_expression("x*sigmoid(2*x)").formula
    'x*sigmoid(2*x)'
    """
    if not isinstance(written, str):
        raise InputError(f"{written!r} is no text; write a function's name or a formula in x in quotes")
    if written.strip().isidentifier() and written.strip() not in ("x", *CONSTANTS):
        return get_function(written.strip())
    return Function(written, "an expression typed by the user", text(parse(written)), "typed")
