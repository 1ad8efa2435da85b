"""What can be read off the form of an expression: its possible signs, and where it is smooth.

Both are sound and incomplete: the answer is a set of signs that holds the true one, or a reason why smoothness is not
evident. Named functions stay folded, so the derivations follow the lines a person would write.
"""

from functools import reduce
from typing import Any

import sympy

from gelu_verify.proofs import notation
from gelu_verify.proofs.normal import differentiated
from gelu_verify.proofs.notation import unfold
from gelu_verify.proofs.statements import Over

Signs = frozenset[int]
ANY: Signs = frozenset({-1, 0, 1})
POSITIVE: Signs = frozenset({1})
ALLOWED = {
    "<": frozenset({-1}),
    "<=": frozenset({-1, 0}),
    ">": POSITIVE,
    ">=": frozenset({0, 1}),
    "!=": frozenset({-1, 1}),
}

_ALWAYS_POSITIVE = (sympy.exp, sympy.cosh, sympy.erfc, sympy.factorial, notation.phi, notation.Phi, notation.sigma)
_SIGN_OF_ARGUMENT = (
    sympy.erf, sympy.tanh, sympy.sinh, sympy.atan, notation.G, notation.SiLU, notation.Mish,
    notation.T, notation.S,
)  # fmt: skip  # x times something positive, or odd and increasing
_BELOW_ONE = (notation.phi, notation.Phi, notation.sigma, sympy.tanh, sympy.erf)
_ENTIRE: tuple[Any, ...] = (
    sympy.exp,
    sympy.erf,
    sympy.erfc,
    sympy.cosh,
    sympy.sinh,
    sympy.sin,
    sympy.cos,
    notation.G,
    notation.phi,
    notation.Phi,
)
_SMOOTH: tuple[Any, ...] = (*_ENTIRE, sympy.tanh, sympy.atan, notation.sigma, notation.SiLU, notation.Mish)


def possible_signs(expression: Any, over: Over) -> Signs:
    """Return a set of signs that holds the expression's sign at every point of `over`.

    >>> import sympy
    >>> x = sympy.Symbol("x", real=True)
    >>> sorted(possible_signs(x * sympy.exp(x) - 1, ((x, sympy.Interval.open(-sympy.oo, 0)),)))
    [-1]
    """
    if expression.is_Symbol:
        return _symbol_signs(expression, over)
    if expression.is_number:
        return _number_signs(expression)
    if isinstance(expression, sympy.Mul):
        return reduce(_product, (possible_signs(factor, over) for factor in expression.args))
    if isinstance(expression, sympy.Add):
        return _sum_signs(expression, over)
    if isinstance(expression, sympy.Pow):
        return _power_signs(expression, over)
    if isinstance(expression, _ALWAYS_POSITIVE):
        return POSITIVE
    if isinstance(expression, sympy.Abs):
        return frozenset(abs(sign) for sign in possible_signs(expression.args[0], over))
    if isinstance(expression, _SIGN_OF_ARGUMENT):
        return possible_signs(expression.args[0], over)
    return ANY


def _symbol_signs(symbol: Any, over: Over) -> Signs:
    region = dict(over).get(symbol)
    signs = set(ANY)
    low, high = (region.inf, region.sup) if region is not None and region.is_subset(sympy.S.Reals) else (None, None)
    if symbol.is_nonnegative or (low is not None and low.is_nonnegative):
        signs.discard(-1)
    if symbol.is_nonpositive or (high is not None and high.is_nonpositive):
        signs.discard(1)
    if symbol.is_nonzero or (region is not None and region.contains(0) == sympy.false):
        signs.discard(0)
    return frozenset(signs)


def _number_signs(number: Any) -> Signs:
    from gelu_verify.proofs.numerics import enclose
    from gelu_verify.proofs.preparation import NotEvaluable, prepare

    if number.is_Rational:
        return frozenset({int(sympy.sign(number))})
    try:
        ball = enclose(prepare(number))
    except NotEvaluable:
        return ANY
    return frozenset({1}) if ball > 0 else frozenset({-1}) if ball < 0 else ANY


def _product(left: Signs, right: Signs) -> Signs:
    return frozenset(a * b for a in left for b in right)


def _sum_signs(expression: Any, over: Over) -> Signs:
    one, rest = expression.as_coeff_Add()
    if one == 1 and (rest.func in _BELOW_ONE or (-rest).func in _BELOW_ONE):
        return POSITIVE  # 1 - phi, 1 - Phi, 1 - sigma, 1 + tanh, 1 - tanh, 1 + erf, 1 - erf
    if one == 1 and isinstance(-rest, sympy.exp):
        return frozenset(-sign for sign in possible_signs((-rest).exp, over))  # 1 - e^a
    if one == -1 and isinstance(rest, sympy.exp):
        return possible_signs(rest.exp, over)  # e^a - 1
    numbers = sympy.Add(*(term for term in expression.args if term.is_number))
    terms = [term for term in expression.args if not term.is_number]
    powers = [term for term in terms if isinstance(-term, sympy.exp)]
    if numbers == 1 and len(powers) == 1 and len(terms) > 1:  # 1 - e^a is taken as one term
        terms.remove(powers[0])
        numbers = 1 + powers[0]
    found = [possible_signs(term, over) for term in (numbers, *terms)]
    union = frozenset().union(*found)
    if 1 in union and -1 in union:
        return ANY
    strict = any(0 not in signs for signs in found)
    return union - {0} if strict else union


def _power_signs(expression: Any, over: Over) -> Signs:
    base, exponent = possible_signs(expression.base, over), expression.exp
    if 0 in base and not exponent.is_nonnegative:
        return ANY  # perhaps a pole
    if exponent.is_integer and exponent.is_even:
        signs = frozenset(abs(sign) for sign in base)
    elif (exponent.is_integer and exponent.is_odd) or base <= ALLOWED[">="]:
        signs = base
    else:
        return ANY
    return signs


def not_smooth(expression: Any, variable: Any, over: Over, *, entire: bool = False) -> str | None:
    """Return None if the form shows that the expression is infinitely differentiable in the variable on its set
    (with `entire`: complex differentiable everywhere), else the part that does not show it.
    """
    if not expression.has(variable) or expression == variable:
        return None
    smooth: Any = (sympy.Add, sympy.Mul, *(_ENTIRE if entire else _SMOOTH))
    if isinstance(expression, smooth):
        return _first_problem(expression.args, variable, over, entire)
    if isinstance(expression, sympy.Pow):
        return _power_problem(expression, variable, over, entire)
    if not entire and isinstance(expression, sympy.log):
        inner = expression.args[0]
        fine = possible_signs(inner, over) == POSITIVE
        return not_smooth(inner, variable, over) if fine else f"log({inner}) with an argument of unknown sign"
    meaning = differentiated(expression)
    return not_smooth(meaning, variable, over, entire=entire) if meaning != expression else str(expression)


def _first_problem(parts: Any, variable: Any, over: Over, entire: bool) -> str | None:
    problems = (not_smooth(part, variable, over, entire=entire) for part in parts)
    return next((problem for problem in problems if problem is not None), None)


def _power_problem(expression: Any, variable: Any, over: Over, entire: bool) -> str | None:
    base, exponent = expression.base, expression.exp
    if exponent.has(variable):
        return str(expression)
    if not (exponent.is_integer and exponent.is_nonnegative):
        signs = possible_signs(base, over)
        if entire or not (signs == POSITIVE or (exponent.is_integer and 0 not in signs)):
            return str(expression)
    return not_smooth(base, variable, over, entire=entire)


def one_sided_branches(expression: Any, variable: Any, point: Any) -> tuple[Any, Any] | None:
    """Return the smooth expressions that the function equals left and right of the point, as far as they go.

    The branch points of the catalogue's piecewise functions all lie at 0, which is the only point decided here.
    """
    if point != 0:
        return None
    found = []
    for assumption in ("negative", "positive"):
        local = sympy.Symbol(variable.name, **{assumption: True})
        branch = sympy.piecewise_fold(unfold(expression).subs(variable, local))
        if branch.has(sympy.Piecewise, sympy.Max, sympy.Min, sympy.Abs):
            return None
        branch = branch.subs(local, variable)
        if not_smooth(branch, variable, ((variable, sympy.S.Reals),)) is not None:
            return None
        found.append(branch)
    return found[0], found[1]
