"""A reader for expressions typed by people: Python's own grammar, of which only a whitelist passes.

The text is parsed by `ast.parse` and never evaluated. Literals are taken exactly (0.044715 is 8943/200000), powers are
integer powers, and everything else is refused in one line that points at the character.
"""

import ast
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from gelu_verify.catalogue.expression import (
    CONSTANTS,
    FUNCTION_OPERATORS,
    Expression,
    NamedConstant,
    Number,
    Operation,
    Variable,
    Where,
    evaluate,
    substitute,
)
from gelu_verify.errors import InputError, nearest_names

MAX_LENGTH = 2000  # characters
MAX_DEPTH = 100  # nested operations; a walk uses up to five stack frames for each
MAX_NODES = 20_000  # after catalogue functions are put in
MAX_POWER = 100
MAX_EXPONENT = 1000  # decimal exponent of a literal

_LITERAL = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_RELATION = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def parse(text: str, constants: Mapping[str, Expression] | None = None) -> Expression:
    """Read an expression in x.

    Arguments:
        text: for example `x*sigmoid(1.773*x)` or `where(x < 0, 0, x)`.
        constants: further names that may occur, with their values (a family's constants).

    Raises:
        InputError: one line that names the character and says what would be right.

    >>> parse("x/4 + 0.25") == parse("x / 4 + .25")
    True
    >>> parse("x^2")
    Traceback (most recent call last):
    gelu_verify.errors.InputError: expression 'x^2', character 2: '^' is not an operator here; write ** for a power
    """
    return _Reader(text, constants or {}).read()


class _Reader:
    def __init__(self, text: str, constants: Mapping[str, Expression]) -> None:
        self._text = text
        self._constants = constants

    def read(self) -> Expression:
        text = self._text
        if len(text) > MAX_LENGTH:
            raise InputError(f"the expression has {len(text)} characters; at most {MAX_LENGTH} are read")
        for position, character in enumerate(text):
            if not (character.isascii() and character.isprintable()):
                raise self._at(position, f"{character!r} is not allowed; write in plain ASCII on one line")
        indent = len(text) - len(text.lstrip())
        if indent == len(text):
            raise InputError("the expression is empty; write for example x*sigmoid(1.702*x)")
        self._indent = indent
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "1or 2" is refused below, in our own words
                tree = ast.parse(text.strip(), mode="eval")
        except SyntaxError as error:
            # An offset of zero stands for the end of the text: something is missing there.
            position = indent + error.offset - 1 if error.offset else len(text)
            raise self._at(position, "this does not read as an expression; write for example x*sigmoid(2*x)") from None
        except (MemoryError, RecursionError, ValueError):
            raise InputError("the expression is nested too deeply; write it with fewer brackets") from None
        expression = self._convert(tree.body, 0)
        shape = measure(expression)
        if shape.nodes > MAX_NODES or shape.height > MAX_DEPTH:
            raise InputError(
                f"written out, the expression has {shape.nodes} operations nested {shape.height} deep; "
                f"at most {MAX_NODES} and {MAX_DEPTH} are read"
            )
        return expression

    def _at(self, position: int, problem: str) -> InputError:
        shown = self._text if len(self._text) <= 80 else self._text[:77] + "..."
        return InputError(f"expression {shown!r}, character {position + 1}: {problem}")

    def _wrong(self, node: ast.expr | ast.keyword, problem: str) -> InputError:
        return self._at(self._indent + node.col_offset, problem)

    def _convert(self, node: ast.expr, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            raise self._wrong(node, f"nested more than {MAX_DEPTH} deep; write it with fewer brackets")
        match node:
            case ast.Constant():
                return Number(self._literal(node))
            case ast.Name(name):
                return self._name(node, name)
            case ast.UnaryOp(ast.UAdd(), operand):
                return self._convert(operand, depth + 1)
            case ast.UnaryOp(ast.USub(), operand):
                return Operation("neg", (self._convert(operand, depth + 1),))
            case ast.BinOp(left, ast.Pow(), right):
                return self._power(left, right, depth)
            case ast.BinOp(left, operator, right) if type(operator) in _BINARY:
                arguments = (self._convert(left, depth + 1), self._convert(right, depth + 1))
                return Operation(_BINARY[type(operator)], arguments)
            case ast.BinOp(left, ast.BitXor(), _):
                end = self._indent + (left.end_col_offset or 0)
                position = self._text.find("^", end)
                raise self._at(position, "'^' is not an operator here; write ** for a power")
            case ast.Call():
                return self._call(node, depth)
            case ast.Compare():
                raise self._wrong(node, "a comparison belongs into where(x < 0, a, b)")
        raise self._wrong(node, "only + - * / **, numbers, x and named functions are allowed")

    def _literal(self, node: ast.Constant) -> Fraction:
        start, end = self._indent + node.col_offset, self._indent + (node.end_col_offset or 0)
        written = self._text[start:end]
        if not _LITERAL.fullmatch(written):
            raise self._wrong(node, "not a number; write a decimal such as 0.044715 or 1e-3")
        exponent = re.split("[eE]", written)[1:]
        if exponent and (len(exponent[0]) > 6 or abs(int(exponent[0])) > MAX_EXPONENT):
            raise self._wrong(node, f"the exponent is beyond the limit of {MAX_EXPONENT}")
        return Fraction(written)

    def _name(self, node: ast.Name, name: str) -> Expression:
        if name == "x":
            return Variable()
        if name in self._constants:
            return self._constants[name]
        if name in CONSTANTS:
            return NamedConstant(name)
        if name in FUNCTION_OPERATORS or name in _catalogue_names():
            raise self._wrong(node, f"{name} is a function; write {name}(x)")
        raise self._wrong(node, f"unknown name {name!r}{self._suggest(name)}; the variable is x")

    def _suggest(self, name: str) -> str:
        return nearest_names(name, [*FUNCTION_OPERATORS, *_catalogue_names(), *CONSTANTS, "where"])

    def _power(self, left: ast.expr, right: ast.expr, depth: int) -> Expression:
        base = self._convert(left, depth + 1)
        sign, digits = (-1, right.operand) if isinstance(right, ast.UnaryOp) else (1, right)
        if isinstance(right, ast.UnaryOp) and not isinstance(right.op, ast.USub):
            sign = 1
        if not isinstance(digits, ast.Constant):
            raise self._wrong(right, "powers are written with an integer, x**3; use sqrt for a half, exp for the rest")
        exponent = self._literal(digits)
        if exponent.denominator != 1 or exponent > MAX_POWER:
            raise self._wrong(right, f"powers are integers up to {MAX_POWER}; use sqrt for a half, exp for the rest")
        return Operation("**", (base, Number(sign * exponent)))

    def _call(self, node: ast.Call, depth: int) -> Expression:
        if not isinstance(node.func, ast.Name):
            raise self._wrong(node.func, "only named functions can be called, for example tanh(x)")
        name = node.func.id
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise self._wrong(argument, "'*' does not spread arguments here")
        if name == "where":
            return self._where(node, depth)
        if name in FUNCTION_OPERATORS:
            self._expect(node, name, FUNCTION_OPERATORS[name])
            return Operation(name, tuple(self._convert(argument, depth + 1) for argument in node.args))
        if name in _catalogue_names():
            return self._catalogue_call(node, name, depth)
        raise self._wrong(node, f"unknown function {name!a}{self._suggest(name)}")

    def _expect(self, node: ast.Call, name: str, count: int) -> None:
        if node.keywords:
            raise self._wrong(node.keywords[0], f"{name} takes no named arguments")
        if len(node.args) != count:
            plural = "" if count == 1 else "s"
            raise self._wrong(node, f"{name} takes {count} argument{plural}, not {len(node.args)}")

    def _where(self, node: ast.Call, depth: int) -> Expression:
        self._expect(node, "where", 3)
        condition, then, otherwise = node.args
        if not isinstance(condition, ast.Compare) or len(condition.ops) != 1:
            raise self._wrong(condition, "where starts with one comparison, where(x < 0, a, b)")
        relation = _RELATION.get(type(condition.ops[0]))
        if relation is None:
            raise self._wrong(condition, "compare with <, <=, > or >=")
        left, right = condition.left, condition.comparators[0]
        parts = [self._convert(part, depth + 1) for part in (left, right, then, otherwise)]
        return Where(relation, *parts)

    def _catalogue_call(self, node: ast.Call, name: str, depth: int) -> Expression:
        from gelu_verify.catalogue.functions import get_function

        function = get_function(name)
        constants: dict[str, Expression] = {}
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg not in function.constants:
                known = ", ".join(function.constants) or "none"
                raise self._wrong(keyword, f"{name} has no constant {keyword.arg!r}; it has: {known}")
            constants[keyword.arg] = self._convert(keyword.value, depth + 1)
            if measure(constants[keyword.arg]).depends_on_x:
                raise self._wrong(keyword, f"the constant {keyword.arg} must not depend on x")
        if len(node.args) != 1:
            raise self._wrong(node, f"{name} takes 1 argument, not {len(node.args)}; its constants are named")
        body = function.with_constants(**constants).expression
        return substitute(body, self._convert(node.args[0], depth + 1))


def _catalogue_names() -> tuple[str, ...]:
    from gelu_verify.catalogue.functions import FUNCTIONS

    return tuple(FUNCTIONS)


@dataclass(frozen=True, slots=True)
class Shape:
    """An expression's nodes (as a tree: shared ones counted each time), its height, and whether x occurs."""

    nodes: int
    height: int
    depends_on_x: bool


class _Measuring:
    """The algebra in which a value is its own shape."""

    def number(self, value: Fraction) -> Shape:
        return Shape(1, 1, False)

    def constant(self, name: str) -> Shape:
        return Shape(1, 1, False)

    def variable(self) -> Shape:
        return Shape(1, 1, True)

    def power(self, base: Shape, exponent: int) -> Shape:
        return self.apply("**", base)

    def apply(self, operator: str, *arguments: Shape) -> Shape:
        return Shape(
            1 + sum(argument.nodes for argument in arguments),
            1 + max(argument.height for argument in arguments),
            any(argument.depends_on_x for argument in arguments),
        )

    def where(
        self, relation: str, left: Shape, right: Shape, then: Callable[[], Shape], otherwise: Callable[[], Shape]
    ) -> Shape:
        return self.apply("where", left, right, then(), otherwise())


def measure(expression: Expression) -> Shape:
    """Return the expression's shape.

    >>> measure(parse("x*exp(-x)"))
    Shape(nodes=5, height=4, depends_on_x=True)
    """
    return evaluate(expression, _Measuring())
