"""Normal forms: when are two expressions the same function?

An expression is unfolded, its derivatives are carried out, everything is rewritten in exponentials, error functions
and powers, brought over one denominator and expanded. Products of exponentials merge by themselves, so a numerator
that is zero as a function usually ends as the literal 0. The answer "vanishes" is a derivation; "does not" only means
that none was found.
"""

from functools import cache
from typing import Any

import sympy
from sympy.functions.elementary.hyperbolic import HyperbolicFunction

from gelu_verify.proofs.notation import unfold
from gelu_verify.proofs.statements import Over

_BRANCHES = (sympy.Piecewise, sympy.Max, sympy.Min, sympy.Abs, sympy.Heaviside, sympy.sign)
_ROUNDS = 4  # expansion exposes powers that merge, and merging exposes products: a few rounds settle it


def vanishes(expression: Any, over: Over = ()) -> bool:
    """Return whether the expression is derived to be 0 for all values in `over`.

    >>> import sympy
    >>> x = sympy.Symbol("x", real=True)
    >>> vanishes(sympy.tanh(x) - 1 + 2 / (1 + sympy.exp(2 * x)))
    True
    """
    return bool(_numerator(_localised(sympy.sympify(expression), over)) == 0)


def normal_form(expression: Any, over: Over = ()) -> Any:
    """Return the expression unfolded, differentiated and expanded: for comparing and for showing, not for reading."""
    return _expanded(_elementary(_localised(sympy.sympify(expression), over)))


def differentiated(expression: Any) -> Any:
    """Unfold and carry out derivatives and evaluations at points; integrals, sums and limits stay."""
    return _differentiated(unfold(expression))


def derive(derivative: Any) -> Any:
    """Carry out one derivative of concrete order; it stays where the expression has branches.

    SymPy's derivative of Max is a step function with a value at the kink too, where there is no derivative (SymPy
    issue 20881), and so is its derivative of a Piecewise. Statements name the side, so the branches have folded.
    """
    if derivative.expr.has(*_BRANCHES):
        return derivative
    return unfold(derivative.doit(deep=False))


@cache
def _differentiated(expression: Any) -> Any:
    if not expression.has(sympy.Derivative, sympy.Subs):
        return expression
    expression = expression.func(*map(_differentiated, expression.args))
    if isinstance(expression, sympy.Derivative):
        if all(count.is_Integer for _, count in expression.variable_count):
            return derive(expression)
        return expression
    if isinstance(expression, sympy.Subs):
        return expression.expr.subs(list(zip(expression.variables, expression.point, strict=True)))
    return expression


def localised(expression: Any, over: Over) -> Any:
    """Give each variable the assumptions that its set allows, so that branches fold: |x| is x on x > 0."""
    return _localised(sympy.sympify(expression), over)


def _localised(expression: Any, over: Over) -> Any:
    derivatives = expression.has(sympy.Derivative, sympy.Subs)
    for name, domain in over:
        assumptions = _assumptions(domain)
        # At a closed end a branch may fold, but its derivative there would be one-sided.
        if assumptions in (("nonnegative",), ("nonpositive",)) and derivatives:
            continue
        if isinstance(name, sympy.Symbol) and assumptions is not None:
            expression = expression.subs(name, _local_symbol(name.name, assumptions))
    return differentiated(expression)


@cache
def _local_symbol(name: str, assumptions: tuple[str, ...]) -> Any:
    return sympy.Symbol(name, **dict.fromkeys(assumptions, True))


def _assumptions(domain: Any) -> tuple[str, ...] | None:
    """Return the assumptions that fold branches, or None where the symbol's own suffice."""
    if not isinstance(domain, sympy.Interval):
        return None
    if domain.start.is_nonnegative:
        return ("positive",) if domain.left_open or domain.start.is_positive else ("nonnegative",)
    if domain.end.is_nonpositive:
        return ("negative",) if domain.right_open or domain.end.is_negative else ("nonpositive",)
    return None


@cache
def _numerator(expression: Any) -> Any:
    numerator, _ = sympy.fraction(sympy.together(_elementary(expression)))
    numerator = _expanded(numerator)
    if numerator != 0 and numerator.has(sympy.factorial):
        numerator = _expanded(sympy.fraction(sympy.together(sympy.combsimp(numerator)))[0])
    if numerator != 0 and numerator.has(sympy.exp, sympy.erf):
        numerator = _expanded(sympy.fraction(sympy.together(_plain_arguments(numerator)))[0])
    if numerator != 0 and len(numerator.args) < 60:
        numerator = _expanded(sympy.fraction(sympy.together(sympy.powsimp(numerator)))[0])
    return numerator


def _plain_arguments(expression: Any) -> Any:
    """Cancel in the arguments of erf and exp, as in mu/(1 + s^2) + mu s^2/(1 + s^2), after merging exponentials."""
    merged = sympy.powsimp(expression, combine="exp")
    merged = merged.replace(sympy.erf, lambda argument: sympy.erf(_plain_argument(argument)))
    return merged.replace(sympy.exp, lambda exponent: sympy.exp(_plain_argument(exponent)))


@cache
def _plain_argument(argument: Any) -> Any:
    roots_of_quotients = argument.replace(
        lambda part: isinstance(part, sympy.Pow) and part.exp.is_Rational and not part.exp.is_Integer,
        lambda part: sympy.factor(sympy.together(part.base)) ** part.exp,
    )
    return sympy.expand(sympy.cancel(sympy.expand(roots_of_quotients)))


def _elementary(expression: Any) -> Any:
    expression = expression.replace(sympy.erfc, lambda argument: 1 - sympy.erf(argument))
    expression = expression.replace(_is_tanh_of_log, lambda power: 1 - 2 / (power.args[0].args[0] ** 2 + 1))
    if expression.has(HyperbolicFunction):
        expression = expression.rewrite(sympy.exp)
    return expression.replace(_is_lambert_power, _lambert_power)


def _is_tanh_of_log(expression: Any) -> bool:
    return isinstance(expression, sympy.tanh) and isinstance(expression.args[0], sympy.log)


def _is_lambert_power(expression: Any) -> bool:
    return isinstance(expression, sympy.exp) and expression.exp.has(sympy.LambertW)


def _lambert_power(power: Any) -> Any:
    """Replace exp(m W(a) + r) by (a/W(a))^m exp(r): that is what W means (DLMF 4.13.1).

    SymPy does not know the identity W e^W = a, not even in `simplify` (SymPy issue 29737).
    """
    rest, exponent = [], sympy.Integer(1)
    for term in sympy.Add.make_args(sympy.expand(power.exp)):
        coefficient, factor = term.as_coeff_Mul()
        if isinstance(factor, sympy.LambertW) and len(factor.args) == 1 and coefficient.is_Integer:
            exponent *= (factor.args[0] / factor) ** coefficient
        else:
            rest.append(term)
    return exponent * sympy.exp(sympy.Add(*rest))


def _expanded(expression: Any) -> Any:
    for _ in range(_ROUNDS):
        after = sympy.expand(expression, log=False, trig=False, complex=False)
        if after == expression:
            break
        expression = after
    return expression
