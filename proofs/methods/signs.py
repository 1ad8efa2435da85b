"""The sign of one factor on a set: by its form, by a polynomial's exact roots, or by Arb enclosures."""

from typing import Any

import flint
import sympy

from gelu_verify.enclosures import enclosure_of, working_precision
from gelu_verify.proofs.methods.structure import ANY, Signs, possible_signs
from gelu_verify.proofs.normal import differentiated
from gelu_verify.proofs.numerics import enclose, enclose_over, exact
from gelu_verify.proofs.preparation import NotEvaluable, prepare
from gelu_verify.proofs.printers import plain
from gelu_verify.proofs.statements import Over

_MAX_PIECES = 4096
_SIGN_NAMES = {1: "> 0", -1: "< 0", 0: "= 0"}


def factor_signs(factor: Any, over: Over) -> tuple[Signs, str]:
    """Return a set of signs that holds the factor's sign everywhere on `over`, and how that was seen."""
    factor = sympy.sympify(factor)
    signs = possible_signs(factor, over)
    if len(signs) == 1:
        return signs, f"{plain(factor)} {_SIGN_NAMES[next(iter(signs))]} by its form"
    free = [(name, region) for name, region in over if factor.has(name)]
    if len(free) == 1 and isinstance(free[0][1], sympy.Union):
        pieces = [factor_signs(factor, ((free[0][0], piece),)) for piece in free[0][1].args]
        return frozenset().union(*(found for found, _ in pieces)), "; ".join(evidence for _, evidence in pieces)
    if len(free) == 1 and not (factor.free_symbols - {free[0][0]}):
        for method in (_polynomial_signs, _enclosed_signs):
            found = method(factor, *free[0])
            if found is not None:
                return found
    return signs, f"{plain(factor)}: " + ("sign not evident" if signs == ANY else f"signs {sorted(signs)} by its form")


def _polynomial_signs(factor: Any, variable: Any, region: Any) -> tuple[Signs, str] | None:
    """Decide a polynomial's sign from its exact real roots: none inside, so one sample point speaks for all."""
    if not factor.is_polynomial(variable) or not isinstance(region, sympy.Interval):
        return None
    polynomial = sympy.Poly(factor, variable)
    if not polynomial.domain.is_Exact or not all(coefficient.is_Rational for coefficient in polynomial.all_coeffs()):
        return None
    roots = sympy.real_roots(polynomial)
    if any(region.interior.contains(root) != sympy.false for root in roots):
        return None
    signs = {int(sympy.sign(polynomial.eval(_sample(region))))}
    signs |= {0 for root in roots if region.contains(root) != sympy.false}
    name = _SIGN_NAMES[max(signs, key=abs)]
    return frozenset(
        signs
    ), f"{plain(factor)} {name} inside {plain(region)}: no real root there, checked at {plain(_sample(region))}"


def _sample(region: Any) -> Any:
    low, high = region.start, region.end
    if low is -sympy.oo and high is sympy.oo:
        return sympy.Integer(0)
    if low is -sympy.oo:
        return sympy.floor(high) - 1
    if high is sympy.oo:
        return sympy.ceiling(low) + 1
    return sympy.nsimplify((low + high) / 2, rational=True) if (low + high).is_Rational else _between(low, high)


def _between(low: Any, high: Any) -> Any:
    """Return a rational number certainly between two numbers."""
    middle = exact(enclose(prepare((low + high) / 2), bits=64))
    if not (low < middle) == sympy.true or not (middle < high) == sympy.true:
        raise NotEvaluable(f"no rational number found between {low} and {high}")
    return middle


def _enclosed_signs(factor: Any, variable: Any, region: Any) -> tuple[Signs, str] | None:
    """Bisect a closed bounded interval until every piece's enclosure has one sign, the same for all."""
    if not isinstance(region, sympy.Interval) or not (region.start.is_finite and region.end.is_finite):
        return None
    function = prepare(differentiated(factor))
    with working_precision(64):
        low, high = (enclose(prepare(end)) for end in region.args[:2])
        pending, total, pieces = [low.union(high)], None, 0
        while pending:
            piece = pending.pop()
            value = enclose_over(function, variable, piece)
            if value.is_finite() and (value > 0 or value < 0):
                pieces += 1
                total = value if total is None else total.union(value)
                continue
            if pieces + len(pending) > _MAX_PIECES:
                return None
            pending += _halves(piece)
    if total is None or not (total > 0 or total < 0):
        return None
    sign = 1 if total > 0 else -1
    shown = enclosure_of(total)
    enclosure = f"[{shown.lower_decimal(4)}, {shown.upper_decimal(4)}]"
    return frozenset(
        {sign}
    ), f"{plain(factor)} {_SIGN_NAMES[sign]} on {plain(region)}: enclosure {enclosure} ({pieces} pieces)"


def _halves(piece: Any) -> list[Any]:
    middle, radius = flint.arb(piece.mid()), flint.arb(piece.rad())
    return [flint.arb(middle - radius / 2, radius / 2), flint.arb(middle + radius / 2, radius / 2)]
