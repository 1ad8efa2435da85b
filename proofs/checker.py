#!/usr/bin/env python3
"""Re-prove certificates about GELU and its approximations, with integers only: `python checker.py FILE...`.

A certificate is a JSON file that says what is true and where to look; what makes it true is computed here, by interval
arithmetic on pairs of integers with outward rounding. Only Python's standard library is used, and no float.
Formulas are cited from the NIST Digital Library of Mathematical Functions (DLMF). Numbers in the file are strings, like
"1.702" or "3/7", and are read exactly; "left" and "right" are a function's name and its constants.

Functions. Each is f(x) = x g(x), its gate g satisfies g(-x) = 1 - g(x):
    gelu   g = Phi, the distribution function of N(0, 1)         gelu_sigmoid  g = sigma(k x)
    silu   g = sigma(x), where sigma(v) = 1/(1 + e^-v)           gelu_tanh     g = sigma(2 sqrt(2/pi) (x + c x^3))
    relu   g = 1 for x > 0                                       gelu_tanh2    g = sigma(2 (a x + b x^3))
(sigma(2u) = (1 + tanh u)/2; constants >= 0.) So f(x) - f(-x) = x, the difference of two functions is even, and x >= 0
decides. Let F = left - right (weight "x") or (left - right)/x, the difference of the gates (weight "1").

Supremum: lower <= sup |F^(d)| <= upper over all reals, d = derivative. [0, L] is cut into cells that adjoin.
    cover [end]: |F^(d)| < lower on the cell, by a Taylor polynomial at its midpoint with Lagrange's remainder.
    core [end, sign s, point t]: s F^(d) > -lower and s F^(d+2) <= -mu < 0 on the cell, so that there
        s F^(d) <= s F^(d)(t) + F^(d+1)(t)^2/(2 mu), and its only maximum lies within |F^(d+1)(t)|/mu of t.
    tail: on [L, oo) |F^(d)| is below a decreasing function that starts below lower.
Minimum (left is relu): min f = -sup |relu - f|, as relu(x) - f(x) = x (1 - g(x)) = -f(-x) and f(x) >= 0 for x >= 0.
Optimum (a slack is given): the constants of the left family that make sup |F| least. Let v be sigma's argument, n the
    number of constants. F alternates in sign at n + 1 cores t_0 < ... < t_n, and |F(t_i)| >= lower. Two members of the
    family differ with the sign of D = v - v', as sigma increases; D is a multiple of x or x^3, or A x + B x^3, and has
    at most n - 1 sign changes on x > 0. A member with |F| < lower at every t_i would need n: hence no member has
    sup |F| < lower (de la Vallee-Poussin), and the one given has sup |F| <= upper.
    Where: a member as good as that one has s_i D(t_i) < slack, since at v + s_i slack already s_i F > upper.
    n = 1, D = A x^e: the two signs give |A| < slack/t_0^e. n = 2, y_i = D(t_i)/t_i = A + B t_i^2, s_i y_i < slack/t_0:
    the slopes from t_0^2 to t_1^2 and from t_1^2 to t_2^2 bound B from the two sides, then y_0 and y_1 bound A. On this
    box sup |F|, lower semicontinuous, has its minimum. It is unique: halfway between two best members F lies strictly
    between theirs, except at the one x where D = 0; so |F| reaches the least supremum at one point at most, where
    moving one constant a little lowers it.
"""

import json
import math
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

CONSTANTS = {"relu": 0, "gelu": 0, "silu": 0, "gelu_sigmoid": 1, "gelu_tanh": 1, "gelu_tanh2": 2}
FORMAT = "gelu-verify certificate 1"
KEYS = {"cells", "derivative", "format", "left", "lower", "right", "statement", "upper", "weight"}
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?(/[1-9][0-9]*)?")
MAX_BYTES, MAX_DIGITS, MAX_SIZE, MAX_CELLS, MAX_CORES = 1 << 17, 2100, 10**4, 400, 4  # these bound time and memory
BITS, ORDER = 192, 10  # of the Taylor models on cells; points are evaluated at the precision of the claim


class CertificateError(Exception):
    """Why a certificate is not accepted: exit code (1 not proved, 2 not a certificate) and reason."""


def require(condition: object, reason: str, code: int = 1) -> None:
    """Go on only if the condition holds."""
    if not condition:
        raise CertificateError(code, reason)


class Interval:
    """The real numbers from lo/2^p to hi/2^p. Operations contain every exact result: they round outward."""

    __slots__ = ("hi", "lo", "p")

    def __init__(self, lo: int, hi: int, p: int) -> None:
        self.lo, self.hi, self.p = lo, hi, p

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(self.lo + other.lo, self.hi + other.hi, self.p)

    def __sub__(self, other: "Interval") -> "Interval":
        return Interval(self.lo - other.hi, self.hi - other.lo, self.p)

    def __mul__(self, other: "Interval | int") -> "Interval":
        by, shift = ((other, other), 0) if isinstance(other, int) else ((other.lo, other.hi), self.p)
        ends = [a * b for a in (self.lo, self.hi) for b in by]
        return Interval(min(ends) >> shift, -(-max(ends) >> shift), self.p)

    def over(self, other: "Interval | int") -> "Interval":
        """Divide by something positive."""
        by, shift = ((other, other), 0) if isinstance(other, int) else ((other.lo, other.hi), self.p)
        require(by[0] > 0, "a divisor is not known to be positive")
        lo, hi = self.lo << shift, self.hi << shift
        return Interval(min(lo // b for b in by), max(-(-hi // b) for b in by), self.p)

    def size(self) -> int:
        """Return the largest absolute value, times 2^p."""
        return max(-self.lo, self.hi)


@lru_cache(maxsize=64)
def real(text: str, p: int) -> Interval:
    """Enclose a number as written: 1.702 or 3/7."""
    require(len(text) <= MAX_DIGITS and NUMBER.fullmatch(text), "a number is not a string like 1.702 or 3/7", 2)
    above, _, below = text.partition("/")
    whole, _, after = above.partition(".")
    n, d = int(whole + after), int(below or 1) * 10 ** len(after)
    require(n <= d * MAX_SIZE, f"a number is above {MAX_SIZE}", 2)
    return Interval((n << p) // d, -((-n << p) // d), p)


def total(term: Interval, ratio: Callable[[int], Interval]) -> Interval:
    """Enclose term (1 + ratio(1) + ratio(1) ratio(2) + ...), all >= 0; ratios that have come below 1/2 stay there."""
    partial, n, r = term, 0, ratio(1)
    while term.hi > 1 or r.hi > 1 << (r.p - 1):
        n += 1
        r = ratio(n)
        term *= r
        partial += term
    return partial + Interval(0, term.hi, r.p)  # the rest: every term is at most half of the one before


def exp_minus(y: Interval) -> Interval:
    """Enclose e^-y for y >= 0: the power series (DLMF 4.2.19) of e^z, z = y/2^s < 2^-r, then s squarings."""
    require(y.lo >= 0, "an exponential is out of range")
    r = math.isqrt(y.p)
    s = r + max(0, y.hi.bit_length() - y.p)
    z, one = Interval(y.lo >> s, -(-y.hi >> s), y.p), real("1", y.p)
    power = one.over(total(one, z.over))
    for _ in range(s):
        power *= power
    return power


@lru_cache(maxsize=8)
def inverse_root_two_pi(p: int) -> Interval:
    """Enclose 1/sqrt(2 pi), with pi = 16 arctan(1/5) - 4 arctan(1/239) (Machin).

    Euler: arctan(1/d) = d/(d^2 + 1) (1 + 2/3 w + (2 4)/(3 5) w^2 + ...), w = 1/(d^2 + 1) (DLMF 15.4.3 with 15.8.1).
    """
    one = real("1", p)

    def arctan(d: int) -> Interval:
        return total((one * d).over(d * d + 1), lambda n: (one * (2 * n)).over((2 * n + 1) * (d * d + 1)))

    square = one.over((arctan(5) * 16 - arctan(239) * 4) * 2)
    return Interval(math.isqrt(square.lo << p), math.isqrt(square.hi << p) + 1, p)


def density(x: Interval) -> Interval:
    """Enclose phi(x) = e^(-x^2/2)/sqrt(2 pi)."""
    return inverse_root_two_pi(x.p) * exp_minus((x * x).over(2))


@lru_cache(maxsize=64)
def distribution(x: int, p: int) -> Interval:
    """Enclose Phi(x/2^p) for x >= 0: 1/2 + phi(x) (x + x^3/3 + x^5/(3 5) + ...), DLMF 7.6.2."""
    point, one = Interval(x, x, p), real("1", p)
    square, phi = point * point, density(point)
    if square.lo >= min(p, 512) << p:  # 0 < 1 - Phi(x) < phi(x)/x (DLMF 7.8.2), and x > 1
        return one - Interval(0, phi.hi, p)
    return one.over(2) + phi * total(point, lambda n: square.over(2 * n + 1))


def cubic(form: list[str], p: int) -> tuple[Interval, Interval]:
    """Enclose alpha and beta, where sigma's argument is v = alpha x + beta x^3. 2 sqrt(2/pi) = 4/sqrt(2 pi)."""
    constants = [real(text, p) for text in form[1:]] or [real("1", p)]
    if form[0] == "gelu_tanh":
        return inverse_root_two_pi(p) * 4, inverse_root_two_pi(p) * 4 * constants[0]
    return (constants[0] * 2, constants[1] * 2) if form[0] == "gelu_tanh2" else (constants[0], real("0", p))


def gate(form: list[str], x: Interval, order: int, shift: Interval) -> list[Interval]:
    """Enclose g^(i)(x)/i! for i = 0..order and all x >= 0 in an interval; `shift` is added to sigma's argument."""
    zero, one = real("0", x.p), real("1", x.p)
    if form[0] == "relu":
        return [one] + [zero] * order
    if form[0] == "gelu":
        phi = [zero, density(x)]
        for i in range(order):  # phi' = -x phi
            phi.append((zero - x * phi[-1] - phi[-2]).over(i + 1))
        values = Interval(distribution(x.lo, x.p).lo, distribution(x.hi, x.p).hi, x.p)
        return [values] + [phi[i].over(i) for i in range(1, order + 1)]
    alpha, beta = cubic(form, x.p)
    slope = (alpha + beta * x * x * 3, beta * x * 6, beta * 3)  # v'(x + h) in powers of h
    sigma, product = [one.over(one + exp_minus(x * (alpha + beta * x * x) + shift))], []
    for i in range(order):  # sigma(v)' = sigma (1 - sigma) v'
        product.append(sigma[i] - sum((sigma[j] * sigma[i - j] for j in range(i + 1)), zero))
        sigma.append(sum((slope[j] * product[i - j] for j in range(min(i, 2) + 1)), zero).over(i + 1))
    return sigma


def tail(form: list[str], x: Interval, d: int) -> Interval:
    """Bound |(x (1 - g))^(d)| and |(1 - g)^(d)| on all of [x, oo), for x >= 2 and d <= 2.

    Phi: by x^d phi(x), as 1 - Phi < phi/x (DLMF 7.8.2); it decreases for x^2 > d.
    sigma: q = 1 - sigma has 0 < q < e^-v, |q'| < e^-v v', |q''| < e^-v (v'^2 + v''), which gives e^-v times a
    polynomial of degree 2 d + 1 with coefficients >= 0. It decreases while x v' > 2 d + 1, and x v' increases.
    """
    if form[0] in ("relu", "gelu"):
        return density(x) * (real("1", x.p), x, x * x)[d] if form[0] == "gelu" else real("0", x.p)
    alpha, beta = cubic(form, x.p)
    first, second = alpha + beta * x * x * 3, beta * x * 6
    require((x * first).lo > 2 * d + 1 << x.p, "the bound on the tail is not shown to decrease")
    factor = (x, real("1", x.p) + x * first, first * 2 + x * (first * first + second))[d]
    return exp_minus(x * (alpha + beta * x * x)) * factor


def series(c: dict[str, Any], x: Interval, order: int, times: int, shift: Interval | None = None) -> list[Interval]:
    """Enclose the Taylor coefficients 0..order of F^(times) on the interval x."""
    zero = real("0", x.p)
    left, right = gate(c["left"], x, order + times, shift or zero), gate(c["right"], x, order + times, zero)
    f = [a - b for a, b in zip(left, right, strict=True)]
    if c["weight"] == "x":
        f = [x * a + b for a, b in zip(f, [zero, *f], strict=False)]
    for _ in range(times):
        f = [a * (i + 1) for i, a in enumerate(f[1:])]
    return f


def model(c: dict[str, Any], lo: int, hi: int, times: int) -> tuple[Interval, int]:
    """Return (a, r): F^(times) is within r/2^BITS of a on [lo, hi]/2^BITS. Taylor with Lagrange's remainder."""
    middle = Interval((lo + hi) >> 1, (lo + hi) >> 1, BITS)
    terms = series(c, middle, ORDER - 1, times) + series(c, Interval(lo, hi, BITS), ORDER, times)[-1:]
    spread, radius, power = 0, Interval(0, hi - middle.lo, BITS), real("1", BITS)
    for term in terms[1:]:
        power *= radius
        spread += (term * power).size()
    return terms[0], spread


def check_core(c: dict[str, Any], lo: int, hi: int, core: list[str], upper: Interval) -> tuple[Interval, ...]:
    """Check that a core stays below upper; return its point, s F^(d) there, and how far off its maximum can be."""
    sign, p, t = int(core[0]), upper.p, real(core[1], upper.p).lo
    point = Interval(t, t, p)  # what is written, rounded down by one unit at most, and exact from here on
    middle, spread = model(c, lo, hi, c["derivative"] + 2)
    mu = ((middle * -sign).lo - spread) << (p - BITS)
    require(mu > 0 and lo << p <= t << BITS <= hi << p, "a core does not bend as it must, or its point is outside")
    value, slope = series(c, point, 1, c["derivative"])
    slope = Interval(0, slope.size(), p)
    distance = slope.over(Interval(mu, mu, p))
    require((value * sign + (slope * distance).over(2)).hi <= upper.lo, "a core is not shown to stay below upper")
    return point, value * sign, distance + Interval(1, 1, p)


def box(c: dict[str, Any], cores: list[list[str]], points: list[Interval], upper: Interval) -> list[Interval]:
    """Check an optimum's signs and slack; return how far each best constant can be from the one given."""
    signs, slack = [int(core[0]) for core in cores], real(c["slack"], upper.p)
    alternate = 1 < len(signs) == len(c["left"]) and all(a != b for a, b in pairwise(signs))
    require(alternate and c["derivative"] == 0, "the signs do not alternate at one core more than there are constants")
    for s, t in zip(signs, points, strict=True):
        require((series(c, t, 0, 0, slack * s)[0] * s).lo > upper.hi, "the slack is not shown to suffice")
    y, squares = slack.over(points[0]), [t * t for t in points]
    if len(signs) == 2:
        return [y.over(inverse_root_two_pi(y.p) * squares[0] * 4) if c["left"][0] == "gelu_tanh" else y]
    gap = min((squares[1] - squares[0]).lo, (squares[2] - squares[1]).lo)
    slope = (y * 2).over(Interval(gap, gap, y.p))
    return [(y + slope * squares[1]).over(2), slope.over(2)]  # A = 2 a and B = 2 b


def prove(c: Any) -> str:
    """Re-prove a certificate (a parsed JSON document); return what it proves, or raise CertificateError."""
    d, cores, forms = c["derivative"], [core for _, *core in c["cells"] if core], [c["left"], c["right"]]
    known = set(c) - {"slack"} == KEYS and c["format"] == FORMAT and all(len(f) == 1 + CONSTANTS[f[0]] for f in forms)
    small = len(c["cells"]) <= MAX_CELLS and 0 < len(cores) <= MAX_CORES and all(s in ("1", "-1") for s, _ in cores)
    require(known and small, "format, keys, constants, signs or sizes are not as they must be", 2)
    smooth = ["relu"] not in forms or (d == 0 and c["weight"] == "x")
    require(type(d) is int and 0 <= d <= 2 and c["weight"] in ("x", "1") and smooth, "derivative or weight", 2)
    p = BITS + 4 * len(c["lower"])
    lower, upper, floor, lo, found = real(c["lower"], p), real(c["upper"], p), real(c["lower"], BITS).lo, 0, []
    for end, *core in c["cells"]:
        hi = real(end, BITS).lo  # rounded down, then exact: the next cell begins there
        require(lo < hi, "the ends of the cells do not increase")
        middle, spread = model(c, lo, hi, d)
        worst = (middle * -int(core[0])).hi if core else middle.size()
        require(worst + spread < floor, f"the cell before {end[:12]} is not shown to stay below lower")
        if core:
            found.append(check_core(c, lo, hi, core, upper))
        lo = hi
    beyond = sum((tail(f, Interval(lo, lo, BITS), d) for f in forms), real("0", BITS))
    require(lo >= 2 << BITS and beyond.hi < floor, "the tail is not shown to stay below lower")
    reached = [value.lo >= lower.hi for _, value, _ in found]
    require(all(reached) if "slack" in c else any(reached), "lower is not shown to be reached")
    boxes = box(c, cores, [point for point, _, _ in found], upper) if "slack" in c else []
    return state(c, cores, [distance for _, _, distance in found], boxes)


def state(c: dict[str, Any], cores: list[list[str]], distances: list[Interval], boxes: list[Interval]) -> str:
    """Say what has been proved."""
    left, right = (f"{name}({', '.join(['x', *constants])})" for name, *constants in (c["left"], c["right"]))
    places = " or ".join(map(within, [t for _, t in cores], distances))
    sentence = f"F(x) = {left} - {right}" if c["weight"] == "x" else f"F(x) = ({left} - {right})/x"
    primes, claim = "'" * c["derivative"], f"[{c['lower']}, {c['upper']}]"
    sentence += f": over all real x sup |F{primes}| is in {claim}, attained only at |x| = {places}"
    if c["left"] == ["relu"] and len(cores) == 1:
        sentence += f"; the minimum of {right} is in [-{c['upper']}, -{c['lower']}], attained only at x = -({places})"
    if boxes:
        best = ", ".join(map(within, c["left"][1:], boxes))
        sentence += f"; no constants give a supremum below this range, and those that give the least are unique: {best}"
    return sentence


def within(text: str, r: Interval) -> str:
    """Say that a number lies within r of another."""
    require(r.hi <= 1 << r.p, "a place is not located to within 1")
    bits = ((1 << r.p) // max(r.hi, 1)).bit_length() - 1  # r <= 2^-bits, and log10(2) > 0.30102
    return f"{text} +- 1e-{bits * 30102 // 100000}"


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object whose keys are not repeated."""
    require(len(dict(pairs)) == len(pairs), "a key is repeated", 2)
    return dict(pairs)


def check(path: str) -> tuple[int, str]:
    """Check one file: 0 and what is proved, or 1 (not proved) or 2 (not a certificate) and the reason."""
    try:
        require(not Path(path).exists() or Path(path).is_file(), "not a file", 2)
        with Path(path).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        require(len(content) <= MAX_BYTES, f"larger than {MAX_BYTES} bytes", 2)
        certificate = json.loads(content, object_pairs_hook=unique)
        sentence = prove(certificate)
        require(certificate["statement"] == sentence, f"it states something else than it proves, which is: {sentence}")
        return 0, sentence
    except CertificateError as error:
        return error.args
    except (OSError, ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        return 2, f"cannot be read ({type(error).__name__})"


def main(paths: list[str]) -> int:
    """Check files, print a line for each, return the worst code."""
    worst = 0 if paths else 2
    for path in paths:
        code, sentence = check(path)
        print(f"{('valid', 'refused', 'not a certificate')[code]}: {ascii(path)[1:-1]}: {sentence}", flush=True)
        worst = max(worst, code)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
