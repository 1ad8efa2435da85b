"""Mutations of valid certificates: whatever the checker still accepts must be true, by Arb, at higher precision.

GELU_VERIFY_MUTATIONS=10000 runs as many as the project promises; the suite runs the first of the same sequence.
"""

import copy
import os
import random
import re
import time
from fractions import Fraction
from functools import lru_cache

import pytest
from gelu_verify.enclosures import enclosure_of, working_precision
from gelu_verify.proofs import certificate, checker
from gelu_verify.proofs.certificate_points import Error, best_constants, maxima, polish, to_ball

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
    return [*found, certificate.build_supremum("gelu_tanh2", {"a": "4/5", "b": "0.03"}, 1, 9, weight="1")]


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
    key = rng.choice(("lower", "upper", "upper", "lower", "slack" if "slack" in c else "upper"))
    c[key] = some_number(rng, c[key])


def loosen_the_claim(rng, c):
    c["lower"] = written(Fraction(c["lower"]) * (1 - Fraction(rng.randrange(100), 10 ** rng.randrange(2, 6))))
    c["upper"] = written(Fraction(c["upper"]) * (1 + Fraction(rng.randrange(100), 10 ** rng.randrange(2, 6))))
    if "slack" in c:
        c["slack"] = written(Fraction(c["slack"]) * rng.choice((1, 10, 1000)) + Fraction(rng.randrange(100), 10**5))


def tighten_the_claim(rng, c):
    gap = Fraction(c["upper"]) - Fraction(c["lower"])
    if rng.random() < 0.5:
        c["upper"] = written(Fraction(c["upper"]) - gap * Fraction(rng.randrange(1, 120), 100))
    else:
        c["lower"] = written(Fraction(c["lower"]) + gap * Fraction(rng.randrange(1, 120), 100))


def change_a_constant(rng, c):
    form = c[rng.choice(("left", "left", "right"))]
    if len(form) > 1:
        at = rng.randrange(1, len(form))
        form[at] = some_number(rng, form[at])


def change_a_function(rng, c):
    forms = [
        ["gelu"],
        ["silu"],
        ["relu"],
        ["gelu_sigmoid", "1.7"],
        ["gelu_tanh", "0.0447"],
        ["gelu_tanh2", "0.8", "0.035"],
    ]
    if rng.random() < 0.3:
        c["left"], c["right"] = c["right"], c["left"]
    else:
        c[rng.choice(("left", "right"))] = rng.choice(forms)


def change_what_is_meant(rng, c):
    field, values = rng.choice(
        (("derivative", (0, 1, 2, 3, -1, True, "0")), ("weight", ("x", "1", "0")), ("slack", ("0.01", "1")))
    )
    c[field] = rng.choice(values)


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
                lambda: core.__setitem__(1, "-1" if core[1] == "1" else "1"),
                lambda: core.__setitem__(2, some_number(rng, core[2])),
                lambda: core.__setitem__(2, some_number(rng, core[2])),
                lambda: core.__delitem__(slice(1, 3)),
            )
        )()


def make_a_core(rng, c):
    at = rng.randrange(len(c["cells"]))
    begin = Fraction(c["cells"][at - 1][0]) if at else Fraction(0)
    middle = (begin + Fraction(c["cells"][at][0])) / 2
    c["cells"][at] = [c["cells"][at][0], rng.choice(("1", "-1")), written(middle)]


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


def form(texts):
    return (texts[0], *(Fraction(text) for text in texts[1:]))


@lru_cache(maxsize=4096)
def true_maxima(left, right, weight, derivative):
    """The local maxima of |F^(d)| on [0, 64], as (place, enclosure of the size)."""
    error = Error(left, right, weight, derivative)
    places = [polish(error, t, BITS) for t in maxima(error, Fraction(64))]
    with working_precision(BITS):
        return [(t, enclosure_of(abs(error.taylor(to_ball(t), 0)[0]))) for t in places]


@lru_cache(maxsize=64)
def true_optimum(family, right, weight):
    start = {"gelu_sigmoid": ("1.7",), "gelu_tanh": ("0.0447",), "gelu_tanh2": ("0.8", "0.035")}[family]
    error, _ = best_constants(Error(form((family, *start)), right, weight), Fraction(16), BITS)
    least = max(size.upper for _, size in true_maxima(error.left, right, weight, 0))
    return error.left[1:], least


PLACE = re.compile(r"([0-9./]+) \+- 1e-(\d+)")


def assert_true(c, sentence):
    """Read the claims back from the sentence and compare them with the truth."""
    lower, upper = (Fraction(end) for end in re.search(r"sup \|F'*\| is in \[(\S+), (\S+)\]", sentence).groups())
    left, right = form(c["left"]), form(c["right"])
    peaks = true_maxima(left, right, c["weight"], c["derivative"])
    top = max(size.upper for _, size in peaks)
    assert lower <= top and max(size.lower for _, size in peaks) <= upper
    rest, _, best = sentence.partition("; no constants")
    where, _, minimum = rest.partition("; the minimum of ")
    places = [(Fraction(t), Fraction(1, 10 ** int(n))) for t, n in PLACE.findall(where.partition("attained only")[2])]
    for t, size in peaks:
        if size.upper >= top - Fraction(1, 10**100):
            assert any(abs(t - place) <= distance for place, distance in places)
    if minimum:  # it claims the same of min f = -sup |relu - f|
        assert c["left"] == ["relu"] and minimum.startswith(c["right"][0])
        assert f"is in [-{c['upper']}, -{c['lower']}], attained only at x = -(" in minimum
        assert PLACE.findall(minimum) == PLACE.findall(where.partition("attained only")[2])
    if best:
        constants, least = true_optimum(c["left"][0], right, c["weight"])
        assert lower <= least <= upper
        for (given, n), true in zip(PLACE.findall(best), constants, strict=True):
            assert abs(Fraction(given) - true) <= Fraction(1, 10 ** int(n))


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
            KeyError,
            IndexError,
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
        for false in (high, re.sub(r"\b\d\.(?=\d+ \+-)", "4.", sentence)):
            with pytest.raises(AssertionError):
                assert_true(c, false)
        if "slack" in c:
            with pytest.raises(AssertionError):
                assert_true(c, re.sub(r"unique: \d\.", "unique: 3.", sentence))
