"""Constants that minimise the greatest error over all reals, with a proof that no others do better.

The proof is de la Vallee-Poussin's. Let the error of a member alternate in sign at p + 1 points on x > 0, p the number
of constants, with size at least m at each. A member whose error stayed below m everywhere would differ from it in sign,
alternately, at those points; but two members differ in sign like sum d_j m_j, which has at most p - 1 zeros on x > 0
(`Family.separates`). So the least supremum lies between m and the supremum M of any member. And the error of the best
member is at most M at these points: since it rises with v there, and v is linear in the constants, the best constants
lie in a simplex.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb, arb_mat, ctx

from gelu_verify.bounds.error import Error
from gelu_verify.bounds.family import Family
from gelu_verify.bounds.roots import Line, Unresolved, zeros
from gelu_verify.bounds.smooth import Smooth, point
from gelu_verify.bounds.supremum import supremum
from gelu_verify.catalogue import difference, get_function, parse
from gelu_verify.catalogue.evaluators import arb_value
from gelu_verify.deadlines import Deadline
from gelu_verify.enclosures import Enclosure, enclosure_of, working_precision
from gelu_verify.records import Verdict

_REALS = Line(None, None)
_REACH = 3.2  # GELU's forms err most below this; the first points are spread up to here
_EXCHANGES = 12
_NEWTON_STEPS = 60
_START_BITS = 128


@dataclass(frozen=True, slots=True)
class FitResult:
    """The best constants of a family.

    Attributes:
        constants: name to enclosure; every best choice lies inside.
        supremum: the least greatest error over all reals.
        alternation: where (on x > 0) the best member's error takes its greatest size, with alternating signs.
        default_supremum: the greatest error with the catalogue's constants.
        sign: that of the error at the first of these points.
    """

    verdict: Verdict
    family: str
    target: str
    constants: dict[str, Enclosure]
    supremum: Enclosure
    alternation: tuple[Enclosure, ...]
    default_supremum: Enclosure
    sign: int

    @property
    def gain(self) -> Enclosure:
        """The quotient default_supremum/supremum."""
        return Enclosure(
            self.default_supremum.lower / self.supremum.upper, self.default_supremum.upper / self.supremum.lower
        )


def fit(name: str, target: str = "gelu", digits: int = 15, timeout: float | None = None) -> FitResult:
    """Return the constants of a family that minimise its greatest error over all reals.

    Arguments:
        name: gelu_sigmoid, gelu_tanh or gelu_tanh2.
        target: "gelu", or "Phi" to let the family's gate approximate the normal distribution function.

    Raises:
        InputError: no such family or target.
        Unresolved: optimality was not proven.
        OutOfTime: the timeout is over.

    >>> best = fit("gelu_sigmoid")
    >>> best.constants["k"].decimal(10), best.supremum.decimal(10)
    ('1.772933965...', '0.01392224547...')
    """
    family, deadline = Family(name, target), Deadline(timeout)
    with deadline:
        return _fitted(family, digits, deadline)


def _fitted(family: Family, digits: int, deadline: Deadline) -> FitResult:
    if not family.separates(deadline):
        raise Unresolved(f"two members of {family.name} may differ in sign too often")
    bits = int(digits * 3.33) + 64
    balls, points = _balance(family, *_first_guess(family, deadline), bits, deadline)
    constants = tuple(_rounded(constant, bits - 16) for constant in balls)
    places = tuple(_rounded(x, bits - 16) for x in points)
    return _proven(family, constants, places, digits, deadline)


def _first_guess(family: Family, deadline: Deadline) -> tuple[list[arb], list[arb]]:
    """Return constants and alternation points near the best, by Remez' exchange from the catalogue's constants."""
    count = len(family.parameters) + 1
    with working_precision(_START_BITS):
        zero = arb(0)
        function = get_function(family.name)
        constants = [arb_value(parse(function.constants[name]), zero) for name in family.parameters]
        points = [arb(_REACH * (2 * i + 1) / (2 * count)) for i in range(count)]
        for _ in range(_EXCHANGES):
            deadline.check()
            constants, level = _levelled(family, constants, points)
            peaks = _peaks(family, constants, deadline)
            if len(peaks) < count:
                raise Unresolved(f"the error of {family.name} alternates too seldom near its best constants")
            points = [x for x, _ in peaks]
            if max(abs(error) for _, error in peaks) < 1.001 * abs(level):
                return constants, points
    raise Unresolved(f"the exchange for {family.name} did not settle")


def _levelled(family: Family, constants: list[arb], points: list[arb]) -> tuple[list[arb], arb]:
    """Return constants for which the errors at the points have one size and alternating signs (Newton's method)."""
    level = arb(0)
    for _ in range(_NEWTON_STEPS):
        rows, right = [], []
        for i, x in enumerate(points):
            error, rates = family.error(x, tuple(constants), 0)
            rows.append([*(rate[0] for rate in rates), arb(-1 if i % 2 == 0 else 1)])
            right.append([-error[0]])
        steps = [entry.mid() for entry in arb_mat(rows).solve(arb_mat(right)).entries()]
        constants = [(constant + step).mid() for constant, step in zip(constants, steps, strict=False)]
        level = steps[-1]
        if all(abs(step) < 2.0**-40 for step in steps[:-1]):
            return constants, level
    raise Unresolved("Newton's method for the levelled constants did not settle")


def _peaks(family: Family, constants: list[arb], deadline: Deadline) -> list[tuple[arb, arb]]:
    """Return points on x > 0 where the error peaks with alternating signs, one more than there are constants."""
    member = family.member(tuple(_rounded(constant, 48) for constant in constants))
    error = Smooth(difference(member, family.exact))
    found = [root.ball(64).mid() for root in zeros(error.derivative(), Line(Fraction(0), None), deadline)]
    peaks: list[tuple[arb, arb]] = []
    for x in found:
        value = error.value(x).mid()
        if peaks and (peaks[-1][1] > 0) == (value > 0):
            if abs(value) > abs(peaks[-1][1]):
                peaks[-1] = (x, value)
        else:
            peaks.append((x, value))
    while len(peaks) > len(constants) + 1:
        peaks.pop(0 if abs(peaks[0][1]) < abs(peaks[-1][1]) else -1)
    return peaks


def _balance(
    family: Family, constants: list[arb], points: list[arb], bits: int, deadline: Deadline
) -> tuple[list[arb], list[arb]]:
    """Return constants and points at which the error's peaks all have one size, to `bits` bits.

    Newton's method for e(x_i) = +-E, e'(x_i) = 0: since e' vanishes in the limit, the constants' step comes from the
    first equations alone, and the points' from the second.
    """
    with working_precision(bits + 64):
        for _ in range(_NEWTON_STEPS):
            deadline.check()
            series = [family.error(x, tuple(constants), 2) for x in points]
            rows = [[*(r[0] for r in rates), arb(-1 if i % 2 == 0 else 1)] for i, (_, rates) in enumerate(series)]
            right = [[-error[0]] for error, _ in series]
            steps = [entry.mid() for entry in arb_mat(rows).solve(arb_mat(right)).entries()][:-1]
            moves = []
            for error, rates in series:
                slope = error[1] + sum((r[1] * step for r, step in zip(rates, steps, strict=True)), arb(0))
                moves.append((-slope / (2 * error[2])).mid())
            constants = [(constant + step).mid() for constant, step in zip(constants, steps, strict=True)]
            points = [(x + move).mid() for x, move in zip(points, moves, strict=True)]
            if all(abs(change) < arb(2) ** -bits for change in [*steps, *moves]):
                return constants, points
    raise Unresolved("Newton's method for the best constants did not settle")


def _rounded(number: arb, bits: int) -> Fraction:
    """Return a rational number near the middle of the ball."""
    exact = enclosure_of(number.mid()).lower
    return Fraction(round(exact * 2**bits), 2**bits)


def _proven(
    family: Family, constants: tuple[Fraction, ...], places: tuple[Fraction, ...], digits: int, deadline: Deadline
) -> FitResult:
    top = supremum(Error(family.member(constants), family.exact), _REALS, digits, deadline.left)
    default = supremum(Error(family.default, family.exact), _REALS, digits, deadline.left)
    deadline.check()
    if top.supremum is None or default.supremum is None:
        raise Unresolved(f"the greatest error of {family.name} is not decided: {top.reason or default.reason}")
    with working_precision(int(digits * 3.33) + 192):
        errors = _errors_at(family, constants, places)
        highest = point(top.supremum.upper)
        box = simplex(family, places, [1 if error > 0 else -1 for error in errors], highest)
        alternation = tuple(_peak_in_box(family, x, box) for x in places)
        least = min(abs(error).lower() for error in errors)
    return FitResult(
        Verdict.CERTIFIED,
        family.name,
        family.target,
        dict(zip(family.parameters, map(enclosure_of, box), strict=True)),
        Enclosure(enclosure_of(least).lower, top.supremum.upper),
        alternation,
        default.supremum,
        1 if errors[0] > 0 else -1,
    )


def _errors_at(family: Family, constants: tuple[Fraction, ...], places: tuple[Fraction, ...]) -> list[arb]:
    """Return the errors at the places, after checking that their signs alternate."""
    errors = [family.error(point(x), tuple(map(point, constants)), 0)[0][0] for x in places]
    for left, right in pairwise(errors):
        if not left * right < 0:
            raise Unresolved("the signs of the error do not alternate")
    return errors


def simplex(family: Family, places: tuple[Fraction, ...], signs: list[int], highest: arb) -> list[arb]:
    """Enclose all constants with which sign*error is at most `highest` at each of the places.

    These are half-spaces in the constants, one more than there are constants. They bound a simplex if their outer
    normals have a positive combination that vanishes; its corners are the solutions of all equations but one.
    """
    spaces = [half_space(family, x, sign, highest) for x, sign in zip(places, signs, strict=True)]
    without = [[space for k, space in enumerate(spaces) if k != i] for i in range(len(spaces))]
    weights = [(-1) ** i * arb_mat([normal for normal, _ in rest]).det() for i, rest in enumerate(without)]
    if not (all(weight > 0 for weight in weights) or all(weight < 0 for weight in weights)):
        raise Unresolved("the alternation points do not bound the constants")
    corners = [
        arb_mat([normal for normal, _ in rest]).solve(arb_mat([[side] for _, side in rest])).entries()
        for rest in without
    ]
    return [_hull(list(values)) for values in zip(*corners, strict=True)]


def half_space(family: Family, x: Fraction, sign: int, highest: arb) -> tuple[list[arb], arb]:
    """Return normal and side of the half-space normal.p <= side: the constants with sign*error <= highest at x > 0.

    For sign 1 it says v <= logit(Phi + highest/w), for sign -1 v >= logit(Phi - highest/w).
    """
    ball = point(x)
    weight = ball if family.target == "gelu" else arb(1)
    level = arb_value(get_function("Phi").expression, ball) + sign * highest / weight
    limit = (level / (1 - level)).log() - arb_value(family.offset, ball)
    return [sign * arb_value(function, ball) for function in family.basis], sign * limit


def _hull(values: list[arb]) -> arb:
    total = values[0]
    for value in values[1:]:
        total = total.union(value)
    return total


def _peak_in_box(family: Family, x: Fraction, box: list[arb]) -> Enclosure:
    """Enclose the point near x where the error's slope vanishes, for any constants in the box (interval Newton)."""
    constants, radius = tuple(box), sum((constant.rad() for constant in box), arb(0)) + arb(2) ** -ctx.prec
    for _ in range(ctx.prec):
        radius = 2 * radius
        around = point(x) + arb(0, radius)
        slope, bend = family.error(point(x), constants, 1)[0][1], 2 * family.error(around, constants, 2)[0][2]
        if bend.contains(0):
            break
        newton = point(x) - slope / bend
        if around.contains_interior(newton):
            return enclosure_of(newton)
    raise Unresolved(f"the peak near {float(x):.9g} is not isolated")
