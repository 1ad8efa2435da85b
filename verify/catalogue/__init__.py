"""Every function once, as an expression, with the walkers that evaluate it."""

from gelu_verify.catalogue.expression import (
    Expression,
    NamedConstant,
    Number,
    Operation,
    Variable,
    Where,
    difference,
    substitute,
    text,
)
from gelu_verify.catalogue.functions import FUNCTIONS, Function, function_or_expression, get_function
from gelu_verify.catalogue.parser import measure, parse

__all__ = [
    "FUNCTIONS",
    "Expression",
    "Function",
    "NamedConstant",
    "Number",
    "Operation",
    "Variable",
    "Where",
    "difference",
    "function_or_expression",
    "get_function",
    "measure",
    "parse",
    "substitute",
    "text",
]
