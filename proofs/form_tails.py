"""Where the forms part from GELU: their relative size far to the left, and the minimum of the tanh form."""

from sympy import Interval, Rational, exp, oo, pi, sqrt

from gelu_verify.proofs.methods.assembly import Chain
from gelu_verify.proofs.methods.equality import Specialise
from gelu_verify.proofs.methods.limits import ExactLimit, Squeeze
from gelu_verify.proofs.methods.order import MonotoneBySign, Rearrange, Sign
from gelu_verify.proofs.minima import minimum_claims, minimum_steps
from gelu_verify.proofs.notation import (
    NEGATIVE,
    POSITIVE,
    G,
    Phi,
    Root,
    S,
    T,
    U,
    c,
    default_constant,
    derivative,
    k,
    limit,
    phi,
    sigma,
    x,
)
from gelu_verify.proofs.statements import Compare, Equal, Monotone, Over
from gelu_verify.proofs.theorem import Step, Theorem, cited

_TANH: Over = ((x, NEGATIVE), (c, POSITIVE))
_SIGMOID: Over = ((x, NEGATIVE), (k, POSITIVE))
_HALF: Over = ((x, NEGATIVE),)

_UPPER = Compare(Phi(-x), "<", phi(x) / x, ((x, POSITIVE),))  # Mills
_LOWER = Compare(Phi(-x), ">", x * phi(x) / (1 + x**2), ((x, POSITIVE),))


def _tanh_tail() -> Theorem:
    """T/G = σ(2u)/Φ lies between 0 and an exponential of a cubic, by σ(v) < e^v and Mills' lower bound.

    SymPy's limit of the quotient itself does not come to an end, so the quotient is squeezed.
    """
    gate = sigma(2 * U(x, c))
    ratio = T(x, c) / G(x)
    middle = gate * (1 + x**2) / (-x * phi(x))
    bound = exp(2 * U(x, c)) * (1 + x**2) / (-x * phi(x))
    mills = Compare(Phi(x), ">", -x * phi(x) / (1 + x**2), _HALF)
    claim = Equal(limit(ratio, x, -oo), 0, ((c, POSITIVE),))
    steps = (
        cited(_LOWER, "normal.mills", "Mills' lower bound.", "mills"),
        Step(mills, Specialise(((x, -x),)), "At -x.", "mirrored", ("mills",)),
        Step(
            Compare(ratio, "<", middle, _TANH),
            Rearrange(gate / (Phi(x) * -x * phi(x) / (1 + x**2)) * -1),
            "Put the bound into T/G = σ(2u)/Φ.",
            "first",
            ("mirrored",),
        ),
        Step(
            Compare(middle, "<", bound, _TANH),
            Sign((-1, gate, exp(2 * U(x, c)), (1 + x**2) / (-x * phi(x)))),
            "σ(v) < e^v.",
            "second",
        ),
        Step(Compare(ratio, "<", bound, _TANH), Chain(), "Together.", "above", ("first", "second")),
        Step(Compare(ratio, ">", 0, _TANH), Sign((gate, 1 / Phi(x))), "Both factors are positive.", "below"),
        Step(
            Equal(limit(bound, x, -oo), 0, ((c, POSITIVE),)), ExactLimit(), "The cubic in the exponent wins.", "limit"
        ),
        Step(claim, Squeeze(), "Between 0 and something that tends to 0.", needs=("above", "below", "limit")),
    )
    return Theorem(
        "form.tanh.tail",
        "Far to the left the tanh form vanishes faster than GELU: T/G -> 0, so its relative error tends to 1",
        (claim,),
        steps,
        "this project",
    )


def _sigmoid_tail() -> Theorem:
    """S/G = σ(kx)/Φ exceeds e^{kx} (-x)/(2 φ), by σ(v) > e^v/2 for v < 0 and Mills' upper bound."""
    gate = sigma(k * x)
    ratio = S(x, k) / G(x)
    middle = gate * -x / phi(x)
    bound = exp(k * x) * -x / (2 * phi(x))
    mills = Compare(Phi(x), "<", -phi(x) / x, _HALF)
    claim = Equal(limit(ratio, x, -oo), oo, ((k, POSITIVE),))
    steps = (
        cited(_UPPER, "normal.mills", "Mills' upper bound.", "mills"),
        Step(mills, Specialise(((x, -x),)), "At -x.", "mirrored", ("mills",)),
        Step(
            Compare(middle, "<", ratio, _SIGMOID),
            Rearrange(gate * -x / (phi(x) * Phi(x))),
            "Put the bound into S/G = σ(kx)/Φ.",
            "second",
            ("mirrored",),
        ),
        Step(
            Compare(bound, "<", middle, _SIGMOID),
            Sign((x / (2 * phi(x)), gate, 1 - exp(k * x))),
            "σ(v) - e^v/2 = σ(v) (1 - e^v)/2 > 0 for v < 0.",
            "first",
        ),
        Step(Compare(bound, "<", ratio, _SIGMOID), Chain(), "Together.", "below", ("first", "second")),
        Step(Equal(limit(bound, x, -oo), oo, ((k, POSITIVE),)), ExactLimit(), "1/φ wins over e^{kx}.", "limit"),
        Step(claim, Squeeze(), "Above something that tends to infinity.", needs=("below", "limit")),
    )
    return Theorem(
        "form.sigmoid.tail",
        "Far to the left the sigmoid form is much larger than GELU: S/G -> ∞, so its relative error has no bound",
        (claim,),
        steps,
        "this project",
    )


def _tanh_minimum() -> Theorem:
    constant = default_constant("gelu_tanh", "c")
    inner = U(x, constant)
    slope = sqrt(2 / pi) * (1 + 3 * constant * x**2)
    rising = 1 + 2 * x * slope * sigma(-2 * inner)
    steeper = sqrt(2 / pi) * (1 + 9 * constant * x**2)  # u' + x u''
    slope_of_rising = 2 * steeper * sigma(-2 * inner) + (-4 * x) * slope**2 * sigma(2 * inner) * sigma(-2 * inner)
    zero = Root("tau", rising, x, -1, Rational(-1, 2))
    function = T(x, constant)
    start = (
        Step(
            Compare(derivative(rising, x), ">", 0, _HALF),
            Sign((slope_of_rising,)),
            "For x < 0 every term of the derivative of h = 1 + 2 x u' σ(-2u) is positive.",
            "slope",
        ),
        Step(
            Monotone(rising, True, ((x, Interval(-oo, 0)),)),
            MonotoneBySign(),
            "So h rises up to 0.",
            "rising",
            ("slope",),
        ),
        Step(Compare(rising, ">", 0, ((x, Interval(0, oo)),)), Sign(), "From 0 on h is at least 1.", "beyond"),
    )
    depth = Compare(function.subs(x, zero), "<", Rational(-17, 100))
    return Theorem(
        "form.tanh.minimum",
        "The tanh form has one stationary point too, its global minimum, slightly deeper than GELU's",
        (*minimum_claims(function, zero), depth),
        (
            *minimum_steps(function, sigma(2 * inner), rising, zero, start),
            Step(depth, Sign(), "Evaluated in a tight enclosure of τ; GELU's minimum is above -0.17."),
        ),
        "this project",
        values=(zero, function.subs(x, zero)),
    )


THEOREMS = (_tanh_tail(), _sigmoid_tail(), _tanh_minimum())
