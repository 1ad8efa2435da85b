"""Mutations of valid certificates: whatever the checker still accepts must be true, by Arb, at higher precision.

GELU_VERIFY_MUTATIONS=10000 runs as many as the project promises; the suite runs the first of the same sequence.
"""

import copy
import os
import random
import re
import time
from fractions import Fraction
from functools import cached_property, lru_cache

import pytest
from flint import arb, arb_mat

from gelu_verify.catalogue import parse
from gelu_verify.catalogue.evaluators import arb_value
from gelu_verify.enclosures import enclosure_of, working_precision
from gelu_verify.proofs import certificate, checker
from gelu_verify.proofs.certificate_points import Error, maxima, polish, rational, to_ball

MUTATIONS = int(os.environ.get("GELU_VERIFY_MUTATIONS", "1000"))
BITS = 500


@lru_cache(maxsize=1)
def valid_certificates():
    """Certificates of every kind with few digits, so that much can change before they are wrong."""
    found = [
        certificate.build_supremum(name, None, order, digits)
        for name in ("gelu_tanh", "gelu_sigmoid", "silu")
        for order in (0, 1, 2)
        for digits in (8, 20)
    ]
    found += [
        certificate.build_minimum(name, None, digits) for name in ("gelu", "silu", "gelu_tanh") for digits in (8, 12)
    ]
    found += [
        certificate.build_optimality(family, digits, weight)
        for family in ("gelu_sigmoid", "gelu_tanh", "gelu_tanh2")
        for weight in "x1"
        for digits in (8, 16)
    ]
    return [
        *found,
        certificate.build_supremum("gelu_tanh2", {"a": "4/5", "b": "0.03"}, 1, 9, weight="1"),
    ]


# The mutations. Each changes the certificate in place.


def some_number(rng, text):
    """Change a number as written: a digit, a step of one in some place, its length, its point, its sign, a factor."""
    digits = [i for i, character in enumerate(text) if character.isdigit()]
    at = rng.choice(digits) if digits else 0
    step = Fraction(rng.choice((-1, 1)) * rng.choice((1, 2, 5)), 10 ** rng.randrange(0, 14))
    return rng.choice(
        (
            lambda: text[:at] + rng.choice("0123456789") + text[at + 1 :],
            lambda: text[:at] + text[at + 1 :],
            lambda: text[:at] + rng.choice("0123456789") + text[at:],
            lambda: text + rng.choice("0123456789"),
            lambda: written(Fraction(text) + step),
            lambda: written(Fraction(text) + step),
            lambda: written(Fraction(text) * (1 + step)),
            lambda: written(Fraction(text) * rng.choice((2, 10, Fraction(1, 2), Fraction(1, 10)))),
            lambda: rng.choice(("0", "-" + text, "1e-3", "", ".", "1/0", "nan", "9" * 30, text.replace(".", ""))),
        )
    )()


def written(number):
    return f"{number.numerator}/{number.denominator}" if number.denominator > 1 else str(number.numerator)


def change_a_field(rng, c):
    key = rng.choice(("lower", "upper", "upper", "lower", "radius", "slack" if c["free"] else "upper"))
    c[key] = some_number(rng, c[key])


def loosen_the_claim(rng, c):
    c["lower"] = written(Fraction(c["lower"]) * (1 - Fraction(rng.randrange(100), 10 ** rng.randrange(2, 6))))
    c["upper"] = written(Fraction(c["upper"]) * (1 + Fraction(rng.randrange(100), 10 ** rng.randrange(2, 6))))
    c["radius"] = written(Fraction(c["radius"]) * rng.choice((1, 10, 1000)) + Fraction(rng.randrange(100), 10**4))
    if c["free"]:
        c["slack"] = written(Fraction(c["slack"]) * rng.choice((1, 10, 1000)) + Fraction(rng.randrange(100), 10**5))


def tighten_the_claim(rng, c):
    gap = Fraction(c["upper"]) - Fraction(c["lower"])
    if rng.random() < 0.5:
        c["upper"] = written(Fraction(c["upper"]) - gap * Fraction(rng.randrange(1, 120), 100))
    else:
        c["lower"] = written(Fraction(c["lower"]) + gap * Fraction(rng.randrange(1, 120), 100))


def change_a_constant(rng, c):
    side = rng.choice(("left", "left", "right"))
    numbers = [*re.finditer(r"(?<=[( ])[0-9./]+(?= )", c[side])]
    if numbers:
        at = rng.choice(numbers)
        c[side] = c[side][: at.start()] + some_number(rng, at[0]) + c[side][at.end() :]


def change_a_function(rng, c):
    gates = [
        "Phi(x)",
        "step(x)",
        "sigma(1 (1 x + 0 x^3))",
        "sigma(1 (1.7 x + 0 x^3))",
        "sigma(2 sqrt(2/pi) (1 x + 0.0447 x^3))",
        "sigma(2 (0.8 x + 0.035 x^3))",
    ]
    if rng.random() < 0.3:
        c["left"], c["right"] = c["right"], c["left"]
    else:
        c[rng.choice(("left", "right"))] = rng.choice(gates)


def change_what_is_meant(rng, c):
    meanings = {
        "derivative": ("0", "1", "2", "3", "-1", True, 0),
        "weight": ("x", "1", "0"),
        "free": ("", "a", "b", "ab", "ba"),
        "slack": ("0.01", "1"),
        "radius": ("0.01", "1", "9"),
    }
    field = rng.choice(sorted(meanings))
    c[field] = rng.choice(meanings[field])


def drop_a_cell(rng, c):
    c["cells"].pop(rng.randrange(len(c["cells"])))


def drop_the_last_cells(rng, c):
    del c["cells"][-rng.randrange(1, 4) :]


def repeat_a_cell(rng, c):
    at = rng.randrange(len(c["cells"]))
    c["cells"].insert(at, copy.deepcopy(c["cells"][at]))


def swap_cells(rng, c):
    i, j = (rng.randrange(len(c["cells"])) for _ in range(2))
    c["cells"][i], c["cells"][j] = c["cells"][j], c["cells"][i]


def split_a_cell(rng, c):
    at = rng.randrange(len(c["cells"]))
    begin = Fraction(c["cells"][at - 1][0]) if at else Fraction(0)
    end = Fraction(c["cells"][at][0])
    c["cells"].insert(at, [written(begin + (end - begin) * Fraction(rng.randrange(1, 8), 8))])


def move_an_end(rng, c):
    cell = rng.choice(c["cells"])
    cell[0] = some_number(rng, cell[0])


def move_the_tail(rng, c):
    c["cells"][-1][0] = written(Fraction(c["cells"][-1][0]) * Fraction(rng.randrange(50, 150), 100))


def change_a_core(rng, c):
    cores = [cell for cell in c["cells"] if len(cell) == 3]
    if cores:
        core = rng.choice(cores)
        rng.choice(
            (
                lambda: core.__setitem__(1, "-" if core[1] == "+" else "+"),
                lambda: core.__setitem__(2, some_number(rng, core[2])),
                lambda: core.__setitem__(2, some_number(rng, core[2])),
                lambda: core.__delitem__(slice(1, 3)),
            )
        )()


def make_a_core(rng, c):
    at = rng.randrange(len(c["cells"]))
    begin = Fraction(c["cells"][at - 1][0]) if at else Fraction(0)
    middle = (begin + Fraction(c["cells"][at][0])) / 2
    c["cells"][at] = [c["cells"][at][0], rng.choice("+-"), written(middle)]


def change_the_kind_of_a_value(rng, c):
    key = rng.choice(sorted(c))
    c[key] = rng.choice((None, 0, 1.5, [], {}, [[]], "x", True, [c[key]], {"a": c[key]}))


MUTATE = [
    change_a_field,
    loosen_the_claim,
    loosen_the_claim,
    tighten_the_claim,
    change_a_constant,
    change_a_constant,
    change_a_function,
    change_what_is_meant,
    drop_a_cell,
    drop_the_last_cells,
    repeat_a_cell,
    swap_cells,
    split_a_cell,
    move_an_end,
    move_an_end,
    move_the_tail,
    change_a_core,
    change_a_core,
    make_a_core,
    change_the_kind_of_a_value,
]


def mutant(seed):
    rng = random.Random(seed)
    c = copy.deepcopy(rng.choice(valid_certificates()))
    for _ in range(rng.choice((1, 1, 2, 3))):
        try:
            rng.choice(MUTATE)(rng, c)
        except (ValueError, TypeError, AttributeError, IndexError, KeyError, ZeroDivisionError):
            break  # a mutation before has left nothing for this one to change
    return c


# The truth, by Arb.


def form(gate):
    """The constants of a gate as those of gelu_tanh2, of which every gate but two is a member; or a function's name."""
    if gate in ("Phi(x)", "step(x)"):
        return ("gelu" if gate == "Phi(x)" else "relu",)
    m, a, b = re.fullmatch(r"sigma\((.+) \((.+) x \+ (.+) x\^3\)\)", gate).groups()
    return (Fraction(m) if "pi" not in m else None, Fraction(a), Fraction(b))


class GateError(Error):
    """F^(d) for any two gates: `Error` without the catalogue's families."""

    @cached_property
    def _expression(self):
        gates = [parse_gate(*side) if len(side) == 3 else GATES[side[0]] for side in (self.left, self.right)]
        return parse(f"{self.weight}*(({gates[0]}) - ({gates[1]}))")


GATES = {"gelu": "(1 + erf(x/sqrt(2)))/2", "relu": "1"}  # for x >= 0


def parse_gate(m, a, b):
    return f"sigmoid({'2*sqrt(2/pi)' if m is None else m}*({a}*x + {b}*x**3))"


@lru_cache(maxsize=4096)
def true_maxima(left, right, weight, derivative):
    """The local maxima of |F^(d)| on [0, 64], as (place, enclosure of the size)."""
    error = GateError(left, right, weight, derivative)
    places = [polish(error, t, BITS) for t in maxima(error, Fraction(64))]
    with working_precision(BITS):
        return [(t, enclosure_of(abs(error.taylor(to_ball(t), 0)[0]))) for t in places]


@lru_cache(maxsize=256)
def true_optimum(left, right, weight, free, signs, places):
    """The constants a and b, of which some are free, whose error has equal and alternating maxima; and how large."""
    points = [Fraction(t) for t in places]
    while True:
        error = GateError(left, right, weight)
        points = [polish(error, t, BITS) for t in points]
        with working_precision(BITS):
            rows, heights = [], []
            for t, sign in zip(map(to_ball, points), signs, strict=True):
                sigma = arb_value(parse(parse_gate(*left)), t)
                scale = 2 * (2 / arb.pi()).sqrt() if left[0] is None else to_ball(left[0])
                rate = scale * sigma * (1 - sigma) * t * (t if weight == "x" else 1)
                rows.append([*(rate * t ** (2 * (name == "b")) for name in free), arb(-1 if sign == "+" else 1)])
                heights.append([-error.taylor(t, 0)[0]])
            solved = arb_mat(rows).solve(arb_mat(heights))
            steps = {name: rational(solved[i, 0].mid()) for i, name in enumerate(free)}
            least = enclosure_of(solved[len(free), 0].mid()).upper
        left = (left[0], left[1] + steps.get("a", 0), left[2] + steps.get("b", 0))
        if max(map(abs, steps.values())) < Fraction(1, 2 ** (BITS - 100)):
            return left[1:], least


def assert_true(c, sentence):
    """Read the claims back from the sentence and compare them with the truth."""
    lower, upper = (Fraction(end) for end in re.search(r"sup \|F\^\(\d\)\| is in \[(\S+), (\S+)\]", sentence).groups())
    left, right = form(c["left"]), form(c["right"])
    assert f"F(x) = {c['weight']} ({c['left']} - {c['right']}): over" in sentence
    assert f"sup |F^({c['derivative']})|" in sentence
    peaks = true_maxima(left, right, c["weight"], int(c["derivative"]))
    top = max(size.upper for _, size in peaks)
    assert lower <= top and max(size.lower for _, size in peaks) <= upper
    where = re.search(r"attained only at \|x\| = ([0-9./ or]+) \+- (\S+?)(;|$)", sentence)
    places, radius = [Fraction(t) for t in where[1].split(" or ")], Fraction(where[2])
    for t, size in peaks:
        if size.upper >= top - Fraction(1, 10**100):
            assert any(abs(t - place) <= radius for place in places)
    if "the minimum of" in sentence:  # it claims the same of min f = -sup |relu - f|
        assert (c["left"], c["weight"], c["derivative"]) == ("step(x)", "x", "0")
        assert f"the minimum of x {c['right']} is in [-{c['upper']}, -{c['lower']}], attained only at these" in sentence
    if c["free"]:
        (slack,) = re.findall(r"no other [ab and]+ make it less, and to match it s \(A \+ B t\^2\) < (\S+)$", sentence)
        signs, at = zip(*(cell[1:] for cell in c["cells"] if len(cell) == 3), strict=True)
        (a, b), least = true_optimum(left, right, c["weight"], c["free"], signs, at)
        assert lower <= least + Fraction(1, 10**100)
        if least <= upper:
            for sign, t in zip(signs, at, strict=True):
                change = a - left[1] + (b - left[2]) * Fraction(t) ** 2
                assert (change if sign == "+" else -change) < Fraction(slack)


BATCH = 250


@pytest.mark.parametrize("first", range(0, MUTATIONS, BATCH))
def test_a_mutated_certificate_that_is_accepted_is_true(first):
    accepted = 0
    for seed in range(first, min(first + BATCH, MUTATIONS)):
        c = mutant(seed)
        began = time.process_time()
        try:
            sentence = checker.prove(c)
        except (
            checker.CertificateError,
            ValueError,
            TypeError,
            AttributeError,
            LookupError,
            ArithmeticError,
        ):  # what `check` tells as refusals
            continue
        finally:
            assert time.process_time() - began < 20, "a mutated certificate kept the checker busy"
        accepted += 1
        assert_true(c, sentence)
    assert accepted > BATCH // 20, "the mutations are too coarse to test anything"


def test_the_valid_certificates_are_true_by_the_same_comparison():
    for c in valid_certificates():
        assert_true(c, checker.prove(c))


def test_the_comparison_sees_a_claim_that_is_false():
    for c in valid_certificates():
        sentence = checker.prove(c)
        high = sentence.replace(f"[{c['lower']}, {c['upper']}]", f"[{c['upper']}1, {c['upper']}2]")
        low = sentence.replace(f"[{c['lower']}, {c['upper']}]", f"[0, {c['lower']}]")
        moved = re.sub(r"(\|x\| = |or )\d\.", r"\g<1>4.", sentence)
        other = sentence.replace("sup |F^(", "sup |F^(1")
        for false in (high, low, moved, other):
            with pytest.raises((AssertionError, AttributeError)):
                assert_true(c, false)
        if c["free"]:
            with pytest.raises(AssertionError):
                assert_true(c, sentence.rpartition(" < ")[0] + " < -0.1")
