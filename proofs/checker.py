#!/usr/bin/env python3
"""Re-prove certificates about GELU and its approximations, with integers only: `python checker.py FILE...`.

A certificate is a JSON file that says what is true and where to look; what makes it true is computed here, by interval
arithmetic on pairs of integers, rounded outward. Its numbers are exact, "1.702" or "3/7", and >= 0. DLMF: dlmf.nist.gov

"left" and "right" are gates g, with g(-x) = 1 - g(x); x g(x) is GELU, ReLU or an approximation of them. A gate is
    "Phi(x)", the distribution function of N(0, 1);  "step(x)", 1 for x > 0 (d = 0);  or, with sigma(v) = 1/(1 + e^-v),
    "sigma(m (a x + b x^3))", with numbers for a, b and m, or with "2 sqrt(2/pi)" for m.
F is w (left - right), w = "weight", x or 1. |F^(d)|, d = "derivative", is even: x >= 0 decides (where a step is 1).

Supremum: lower <= sup |F^(d)| <= upper over all reals. [0, L] is cut into cells that adjoin.
    cover [end]: |F^(d)| < lower on the cell, by a Taylor polynomial at its middle with Lagrange's remainder.
    core [end, sign s, point t]: s F^(d) > -lower and s F^(d+2) <= -mu < 0 on the cell, so that there
        s F^(d) <= s F^(d)(t) + F^(d+1)(t)^2/(2 mu), and its only maximum lies within |F^(d+1)(t)|/mu < radius of t.
    tail: on [L, oo) |F^(d)| is below a decreasing function that starts below lower.
Minimum (step, w = x, d = 0): min x g(x) = -sup |F|, as F(x) = x (1 - g(x)) = -(-x) g(-x), and x g(x) >= 0 for x >= 0.
Optimum: the constants of left that are "free" ("a", "b" or "ab": n of them) make sup |F| least. s_i F(t_i) >= lower at
    n + 1 cores, with signs that alternate. Changing the constants by A and B moves F up where A x + B x^3 > 0 and down
    where it is < 0. It has at most n - 1 sign changes on x > 0; to bring |F| below lower at all t_i would need n: no
    constants have sup |F| < lower (de la Vallee-Poussin). If sup |F| <= upper then s_i (A + B t_i^2) < slack, for with
    a + s_i slack in place of a already s_i F(t_i) > upper: the best constants lie in an interval, or a triangle.
"""

import json
import math
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from operator import mul
from pathlib import Path
from typing import Any

FORMAT = "gelu-verify certificate 2"
KEYS = ["format", "left", "right", "weight", "derivative", "lower", "upper", "radius", "free", "slack", "cells"]
SIGMA = r"^sigma\((2 sqrt\(2/pi\)|[0-9./]+) \(([0-9./]+) x \+ ([0-9./]+) x\^3\)\)\Z"
SIGNS, ALTERNATING = {"+": 1, "-": -1}, {"": [], "a": ["+-", "-+"], "b": ["+-", "-+"], "ab": ["+-+", "-+-"]}
MAX_BYTES, MAX_DIGITS, MAX_SIZE, MAX_CELLS, MAX_CORES = 1 << 17, 4200, 10**5, 400, 4  # these bound time and memory
BITS, ORDER = 192, 10  # of the Taylor polynomials on cells; points are evaluated at the precision of the claim


class CertificateError(Exception):
    """What is not proved."""


def require(condition: object, reason: str) -> None:
    """Go on only if the condition holds."""
    if not condition:
        raise CertificateError(reason)


class Interval:
    """The real numbers from lo/2^p to hi/2^p. Operations contain every exact result: they round outward."""

    def __init__(self, lo: int, hi: int, p: int) -> None:
        self.lo, self.hi, self.p = lo, hi, p

    def of(self, n: int) -> "Interval":
        """Return an integer at the same precision."""
        return Interval(n << self.p, n << self.p, self.p)

    def __neg__(self) -> "Interval":
        return Interval(-self.hi, -self.lo, self.p)

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(self.lo + other.lo, self.hi + other.hi, self.p)

    def __mul__(self, other: "Interval | int") -> "Interval":
        by, shift = ((other, other), 0) if isinstance(other, int) else ((other.lo, other.hi), self.p)
        ends = [a * b for a in (self.lo, self.hi) for b in by]
        return Interval(min(ends) >> shift, -(-max(ends) >> shift), self.p)

    def over(self, n: int) -> "Interval":
        """Divide by an integer > 0."""
        return Interval(self.lo // n, -(-self.hi // n), self.p)

    def inverse(self) -> "Interval":
        """Divide 1 by something positive."""
        return Interval((1 << 2 * self.p) // self.hi, -(-(1 << 2 * self.p) // self.lo), self.p)


def real(text: str, p: int) -> Interval:
    """Enclose a number as written."""
    require(len(text) <= MAX_DIGITS and re.fullmatch("[0-9./]+", text), "a number is not like 1.702 or 3/7")
    n, d = Fraction(text).as_integer_ratio()
    require(n <= d * MAX_SIZE, f"a number is beyond {MAX_SIZE}")
    return Interval(n << p, n << p, p).over(d)


def total(term: Interval, following: Callable[[Interval, int], Interval], settled: int = 0) -> Interval:
    """Enclose a series: term n is following(term n - 1, n) >= 0, and for n > settled at most half of that one."""
    partial, n = term, 0
    while term.hi > 1 or n < settled:
        term, n = following(term, n + 1), n + 1
        partial += term
    return partial + Interval(0, term.hi, term.p)


def exp_minus(y: Interval) -> Interval:
    """Enclose e^-y for y >= 0: the power series (DLMF 4.2.19) of e^z, z = y/2^s < 1/2, inverted, then s squarings."""
    s = math.isqrt(y.p) + max(0, y.hi.bit_length() - y.p)
    power = total(y.of(1), lambda term, n: (term * y.over(1 << s)).over(n)).inverse()
    for _ in range(s):
        power *= power
    return power


@cache
def inverse_root_two_pi(p: int) -> Interval:
    """Enclose 1/sqrt(2 pi), with 2 pi = 4 (1 + 1/3 + (1 2)/(3 5) + ...) (Euler; DLMF 15.4.3 with 15.8.1)."""
    square = total(Interval(4 << p, 4 << p, p), lambda term, n: (term * n).over(2 * n + 1)).inverse()
    return Interval(math.isqrt(square.lo << p), math.isqrt(square.hi << p) + 1, p)


def exponential(gate: str, x: Interval) -> tuple[Interval, list[Interval]]:
    """Enclose e = e^-v, v sigma's argument, or e = phi, the density; and the coefficients of v'(x + h) = -e'/e."""
    if gate == "Phi(x)":
        return inverse_root_two_pi(x.p) * exp_minus((x * x).over(2)), [x, x.of(1)]
    [(m, a, b)] = re.findall(SIGMA, gate)
    scale = inverse_root_two_pi(x.p) * 4 if "pi" in m else real(m, x.p)
    alpha, beta = scale * real(a, x.p), scale * real(b, x.p)
    return exp_minus(x * (alpha + beta * x * x)), [alpha + beta * x * x * 3, beta * x * 6, beta * 3]


def distribution(x: Interval, phi: Interval) -> Interval:
    """Enclose Phi(x), x >= 0, from the density: 1/2 + phi(x) (x + x^3/3 + x^5/(3 5) + ...), DLMF 7.6.2."""
    square = x * x
    if square.hi >> x.p > x.p:  # the series would be long; 0 < 1 - Phi(x) <= e^(-x^2/2)/2 < 2 phi(x), DLMF 7.8.2
        return x.of(1) + Interval(-2 * phi.hi, 0, x.p)
    return x.of(1).over(2) + phi * total(x, lambda term, n: (term * square).over(2 * n + 1), square.hi >> x.p)


def taylor(gate: str, x: Interval, order: int) -> list[Interval]:
    """Enclose g^(i)(x)/i! for i = 0..order and all x >= 0 in an interval."""
    zero, one = x.of(0), x.of(1)
    if gate == "step(x)":
        return [one] + [zero] * order
    start, slope = exponential(gate, x)
    e = [start]
    for i in range(order):  # e' = -v' e
        e.append(-sum(map(mul, slope, reversed(e)), zero).over(i + 1))
    if gate == "Phi(x)":
        return [distribution(x, start)] + [e[i].over(i + 1) for i in range(order)]
    g = [(one + start).inverse()]
    for _ in range(order):  # g (1 + e) = 1
        g.append(-(g[0] * sum(map(mul, e[1:], reversed(g)), zero)))
    return g


def tail(gate: str, x: Interval) -> Interval:
    """Bound |(x (1 - g))^(d)| and |(1 - g)^(d)|, d = 0, 1, 2, on all of [x, oo), for x >= 2.

    q = 1 - g has 0 < q < e, |q'| < e v' and |q''| < e (v'^2 + v''); for Phi, where v' = x, by DLMF 7.8.2. All are below
    e x ((1 + v')^2 + v''), and this decreases while x v', which increases, exceeds 5, the degree beside e.
    """
    if gate == "step(x)":
        return x.of(0)
    e, (slope, bend, *_) = exponential(gate, x)
    require((x * slope).lo > 5 << x.p, "the bound on the tail is not shown to decrease")
    return e * x * ((x.of(1) + slope) * (x.of(1) + slope) + bend)


def derivatives(c: dict[str, Any], x: Interval, order: int) -> list[Interval]:
    """Enclose F, F', ..., F^(order) on the interval x."""
    f = [a + -b for a, b in zip(taylor(c["left"], x, order), taylor(c["right"], x, order), strict=True)]
    if c["weight"] == "x":
        f = [x * a + b for a, b in zip(f, [x.of(0), *f], strict=False)]
    return [a * math.factorial(i) for i, a in enumerate(f)]


def values(c: dict[str, Any], cell: Interval, d: int) -> Interval:
    """Enclose F^(d) on a cell: Taylor's polynomial at the middle, with Lagrange's remainder."""
    middle = (cell.lo + cell.hi) >> 1
    step = Interval(cell.lo - middle, cell.hi - middle, BITS)
    terms = derivatives(c, Interval(middle, middle, BITS), d + ORDER)[d:-1]
    result = derivatives(c, cell, d + ORDER)[-1]
    for i in range(ORDER, 0, -1):
        result = (result * step).over(i) + terms[i - 1]
    return result


def check_core(c: dict[str, Any], cell: Interval, sign: int, t: str) -> None:
    """Check that F^(d) bends in a core, reaches lower and stays below upper, and the slack of an optimum."""
    d, p = int(c["derivative"]), BITS + 4 * len(c["lower"])
    lower, upper, radius, start, _ = (real(text, p) for text in (c["lower"], c["upper"], c["radius"], t, c["slack"]))
    point = Interval(start.lo, start.lo, p)  # what is written, rounded down by one unit at most, and exact from here on
    mu = -(values(c, cell, d + 2) * sign).hi << p - BITS
    require(mu > 0 and cell.lo << p <= start.lo << BITS <= cell.hi << p, "a core does not bend, or lacks its point")
    value, slope = (a * sign for a in derivatives(c, point, d + 1)[d:])
    distance = slope * Interval(mu, mu, p).inverse()
    require(-radius.lo < distance.lo and distance.hi < radius.lo, "a maximum is not within the radius")
    require(value.lo >= lower.hi, "lower is not shown to be reached")
    require((value + (slope * distance).over(2)).hi <= upper.lo, "a core is not shown to stay below upper")
    if c["free"]:
        [(m, a, b)] = re.findall(SIGMA, c["left"])
        moved = c | {"left": f"sigma({m} ({Fraction(a) + sign * Fraction(c['slack'])} x + {b} x^3))"}
        require((derivatives(moved, point, 0)[0] * sign).lo > upper.hi, "the slack is not shown to suffice")


def prove(c: dict[str, Any]) -> str:
    """Prove what a certificate claims, and say it."""
    d, cores, end, level = int(c["derivative"]), [core for _, *core in c["cells"] if core], 0, real(c["lower"], BITS).lo
    require(c["derivative"] in ("0", "1", "2") and c["weight"] in ("x", "1"), "derivative or weight is unknown")
    require(d == 0 or "step(x)" not in (c["left"], c["right"]), "a step has no derivative at 0")
    require(len(c["cells"]) <= MAX_CELLS and 0 < len(cores) <= MAX_CORES, "there are too many cells, or no core")
    alternate = d == 0 and "".join(sign for sign, _ in cores) in ALTERNATING[c["free"]]
    require(alternate or not c["free"], "the signs do not alternate at one core more than constants are free")
    for text, *core in c["cells"]:
        cell = Interval(end, real(text, BITS).lo, BITS)  # rounded down, then exact: the next cell begins there
        around, signs = values(c, cell, d), [SIGNS[core[0]]] if core else [1, -1]
        below = all((around * -sign).hi < level for sign in signs)
        require(cell.lo < cell.hi and below, f"the cell before {text[:12]} is empty or not shown to stay below lower")
        if core:
            check_core(c, cell, signs[0], core[1])
        end = cell.hi
    beyond = [tail(c[side], Interval(end, end, BITS)).hi for side in ("left", "right")]
    require(end >= 2 << BITS and sum(beyond) < level, "the tail is not shown to stay below lower")
    return state(c, " or ".join(t for _, t in cores))


def state(c: dict[str, Any], places: str) -> str:
    """Say what a certificate claims."""
    claim = f"F(x) = {c['weight']} ({c['left']} - {c['right']}): over all real x sup |F^({c['derivative']})| is in "
    claim += f"[{c['lower']}, {c['upper']}], attained only at |x| = {places} +- {c['radius']}"
    if (c["left"], c["weight"], c["derivative"]) == ("step(x)", "x", "0"):
        claim += f"; the minimum of x {c['right']} is in [-{c['upper']}, -{c['lower']}], attained only at these x < 0"
    if c["free"]:
        claim += f"; no other {' and '.join(c['free'])} make it less, and to match it s (A + B t^2) < {c['slack']}"
    return claim


def check(path: str) -> tuple[int, str]:
    """Check one file: 0 and what is proved, or 1 (not proved) or 2 (not a certificate) and the reason."""
    try:
        file = Path(path)
        if not file.is_file() or file.stat().st_size > MAX_BYTES:
            return 2, f"there is no such file of at most {MAX_BYTES} bytes"
        pairs = json.loads(file.read_bytes(), object_pairs_hook=list)  # a list, in which a repeated key is seen
        if [key for key, _ in pairs] != KEYS or pairs[0][1] != FORMAT:
            return 2, f"not the keys of a {FORMAT}"
        return 0, prove(dict(pairs))
    except CertificateError as error:
        return 1, str(error)
    except (OSError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
        return 2, f"cannot be read ({type(error).__name__})"


def main(paths: list[str]) -> int:
    """Check files, print a line for each, return the worst code."""
    sys.stderr.write("" if paths else "usage: python checker.py FILE...\n")
    results = [(path, *check(path)) for path in paths]
    for path, code, sentence in results:
        print(f"{('valid', 'refused', 'not a certificate')[code]}: {ascii(path)[1:-1]}: {sentence}")
    return max((code for _, code, _ in results), default=2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
