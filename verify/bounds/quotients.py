"""Rational functions of expressions, brought over one denominator."""

from gelu_verify.catalogue.derivative import ONE, add, multiply, negate, power, subtract
from gelu_verify.catalogue.expression import Expression, Number, Operation


def factors(product: Expression) -> list[Expression]:
    """Return expressions of which a product vanishes only where one of them does."""
    match product:
        case Operation("*", (left, right)):
            return factors(left) + factors(right)
        case Operation("**", (base, Number())) | Operation("neg", (base,)):
            return factors(base)
    return [product]


def quotient(node: Expression) -> tuple[Expression, Expression]:
    """Return numerator and denominator of a rational function of expressions.

    >>> from gelu_verify.catalogue import parse, text
    >>> [text(part) for part in quotient(parse("1/x + exp(x)"))]
    ['1 + exp(x)*x', 'x']
    """
    match node:
        case Operation("+" | "-" as operator, (left, right)):
            (a, b), (c, d) = quotient(left), quotient(right)
            join = add if operator == "+" else subtract
            return (join(a, c), b) if b == d else (join(multiply(a, d), multiply(c, b)), multiply(b, d))
        case Operation("*", (left, right)):
            (a, b), (c, d) = quotient(left), quotient(right)
            return multiply(a, c), multiply(b, d)
        case Operation("/", (left, right)):
            (a, b), (c, d) = quotient(left), quotient(right)
            return multiply(a, d), multiply(b, c)
        case Operation("neg", (inner,)):
            a, b = quotient(inner)
            return negate(a), b
        case Operation("**", (inner, Number(exponent))):
            a, b = quotient(inner)
            size = abs(int(exponent))
            raised = power(a, size), power(b, size)
            return raised if exponent > 0 else (raised[1], raised[0])
    return node, ONE
