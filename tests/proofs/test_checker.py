"""The integer-only checker: it encloses, it refuses false certificates, and faults seeded in it are seen."""

import ast
import importlib.util
import json
import random
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from flint import arb, fmpq

from gelu_verify.catalogue import parse
from gelu_verify.catalogue.evaluators import arb_taylor
from gelu_verify.enclosures import enclosure_of, working_precision
from gelu_verify.proofs import checker

SOURCE = Path(checker.__file__)
FOLDER = SOURCE.parent / "certificates"
FORMS = {  # gates as the checker reads them, and as formulas
    "Phi(x)": "(1 + erf(x/sqrt(2)))/2",
    "sigma(1 (1 x + 0 x^3))": "sigmoid(x)",
    "sigma(1 (1.702 x + 0 x^3))": "sigmoid(1.702*x)",
    "sigma(1/7 (1 x + 0.0 x^3))": "sigmoid(x/7)",
    "sigma(2 sqrt(2/pi) (1 x + 0.044715 x^3))": "(1 + tanh(sqrt(2/pi)*(x + 0.044715*x**3)))/2",
    "sigma(2 (0.9 x + 1/100 x^3))": "(1 + tanh(0.9*x + 0.01*x**3))/2",
    "sigma(3 (0 x + 0.25 x^3))": "sigmoid(0.75*x**3)",
}


def certificate(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def exactly(number, p):
    return Fraction(number, 2**p)


def contains(interval, ball):
    """Whether the checker's interval holds a number known only as a (much thinner) Arb ball."""
    true = enclosure_of(ball)
    return exactly(interval.lo, interval.p) <= true.upper and true.lower <= exactly(interval.hi, interval.p)


def to_arb(number):
    return arb(fmpq(Fraction(number).numerator, Fraction(number).denominator))


# What every sound checker does. Each check takes the checker's module, so that a faulty copy can be tried as well.


def arithmetic_is_outward(k):
    rng = random.Random(1)
    for _ in range(300):
        p = rng.choice((8, 64, 192))
        ends = [sorted(rng.randrange(-(2 ** (p + 3)), 2 ** (p + 3)) for _ in range(2)) for _ in range(2)]
        a, b = (k.Interval(*end, p) for end in ends)
        c, n = k.Interval(abs(b.lo) + 1, abs(b.lo) + 1 + rng.randrange(2**p), p), rng.randrange(1, 99)
        x, y, z = (exactly(rng.choice((i.lo, i.hi, rng.randint(i.lo, i.hi))), p) for i in (a, b, c))
        results = [
            (-a, -x),
            (a + b, x + y),
            (a * b, x * y),
            (c.inverse(), 1 / z),
            (a * -n, -n * x),
            (a.over(n), x / n),
            (a.of(n), n),
        ]
        for interval, exact in results:
            assert exactly(interval.lo, p) <= exact <= exactly(interval.hi, p)
    for text, number in (("0.1", Fraction(1, 10)), ("2/3", Fraction(2, 3)), ("17", Fraction(17))):
        third = k.real(text, 64)
        assert exactly(third.lo, 64) <= number <= exactly(third.hi, 64)


def series_include_their_remainder(k):
    """At one bit more than nothing, the remainder is all there is."""
    half = lambda term, n: term.over(2)  # noqa: E731
    for first, following, settled, exact in (
        (1, half, 0, Fraction(2, 2**8)),
        (1, lambda term, n: (term * 4).over(n), 8, Fraction(5459, 100 * 2**8)),  # e^4 terms
        (3, half, 0, Fraction(6, 2**8)),
    ):
        enclosed = k.total(k.Interval(first, first, 8), following, settled)
        assert exactly(enclosed.lo, 8) <= exact <= exactly(enclosed.hi, 8)


def elementary_functions_enclose(k):
    rng = random.Random(2)
    with working_precision(2000):
        far = k.Interval(23 << 400, 23 << 400, 400)  # where the series is not summed
        assert contains(k.distribution(far, k.exponential("Phi(x)", far)[0]), 1 - (23 / arb(2).sqrt()).erfc() / 2)
        for p in (96, 192, 400):
            assert contains(k.inverse_root_two_pi(p), 1 / (2 * arb.pi()).sqrt())
            for _ in range(30):
                lo = rng.randrange(2 ** (p + rng.randrange(-30, 5)))
                hi = lo + rng.randrange(2 ** rng.randrange(1, p + 2))
                wide = k.Interval(lo, hi, p)
                phi, _ = k.exponential("Phi(x)", wide)
                for x in (lo, hi, rng.randint(lo, hi)):
                    ball = to_arb(exactly(x, p))
                    assert contains(k.exp_minus(wide), (-ball).exp())
                    assert contains(phi, (-ball * ball / 2).exp() / (2 * arb.pi()).sqrt())
                    assert contains(k.distribution(wide, phi), (-ball / arb(2).sqrt()).erfc() / 2)


def elementary_functions_are_sharp(k):
    for p in (192, 1000):
        point = k.Interval(2 << p, 2 << p, p)
        phi, _ = k.exponential("Phi(x)", point)
        for value in (k.exp_minus(point), phi, k.distribution(point, phi), k.inverse_root_two_pi(p)):
            assert value.hi - value.lo < 2 ** (p // 4)
    for place in (6, 12, 14, 100):  # wherever the series ends, what is left is far below what certificates need
        point = k.Interval(place << 192, place << 192, 192)
        value = k.distribution(point, k.exponential("Phi(x)", point)[0])
        assert value.hi - value.lo < 2**128


def derivative(c, x, times):
    """F^(times)(x) by Arb, x > 0, for the difference F of two gates that a certificate names, times its weight."""
    formulas = [FORMS.get(c[side], "1") for side in ("left", "right")]
    with working_precision(600):
        formula = parse(f"{c['weight']}*(({formulas[0]}) - ({formulas[1]}))")
        return arb_taylor(formula, to_arb(x), times)[times] * arb.fac_ui(times)


def gates_enclose(k):
    rng = random.Random(5)
    for form in [*FORMS, "step(x)"]:
        for _ in range(5):
            lo = rng.randrange(1, 2**k.BITS * 4)
            hi = lo + rng.randrange(2 ** (k.BITS - rng.randrange(4)))
            coefficients = k.taylor(form, k.Interval(lo, hi, k.BITS), 4)
            c = {"left": form, "right": "step(x)", "weight": "1"}
            for x in (lo, hi, rng.randint(lo, hi)):
                for i, coefficient in enumerate(coefficients):
                    assert contains(coefficient, derivative(c, exactly(x, k.BITS), i) / arb.fac_ui(i) + (i == 0))


def models_enclose(k):
    rng = random.Random(3)
    for _ in range(60):
        left, right = rng.sample([*FORMS, "step(x)"], 2)
        c = {"left": left, "right": right, "weight": rng.choice("x1")}
        lo = rng.randrange(1, 2**k.BITS * 8)
        hi = lo + rng.randrange(2 ** (k.BITS - rng.randrange(6)))
        times = rng.randrange(5)
        band = k.values(c, k.Interval(lo, hi, k.BITS), times)
        for x in (lo, hi, rng.randint(lo, hi)):
            assert contains(band, derivative(c, exactly(x, k.BITS), times))


def models_are_sharp(k):
    """On a cell of width 1/64 the enclosure is about as wide as F varies; at a point it is a point."""
    c = {"left": "sigma(2 sqrt(2/pi) (1 x + 0.044715 x^3))", "right": "Phi(x)", "weight": "x"}
    band = k.values(c, k.Interval(2 << k.BITS, (2 << k.BITS) + (1 << k.BITS - 6), k.BITS), 0)
    assert band.hi - band.lo < 2 ** (k.BITS - 16)
    band = k.values(c, k.Interval(2 << k.BITS, 2 << k.BITS, k.BITS), 0)
    assert band.hi - band.lo < 2 ** (k.BITS - 150)


def tails_bound(k):
    rng = random.Random(4)
    for form in FORMS:
        for start in (Fraction(2), Fraction(5, 2), Fraction(7, 2), Fraction(6), Fraction(40)):
            point = k.Interval(int(start * 2**k.BITS), int(start * 2**k.BITS), k.BITS)
            try:
                bound = exactly(k.tail(form, point).hi, k.BITS)
            except k.CertificateError:
                continue
            for x in (start, start + Fraction(rng.randrange(1, 99), 64), start + 6, start + rng.randrange(9, 60)):
                for d in (0, 1, 2):
                    for weight in ("x", "1"):
                        size = abs(derivative({"left": form, "right": "step(x)", "weight": weight}, x, d))
                        assert enclosure_of(size).lower <= bound
    assert k.tail("step(x)", point).hi == 0


def tails_are_bounded_only_where_the_bound_decreases(k):
    """x v' > 5 is needed: with less, the bound of a slow gate still rises."""
    slow = "sigma(1 (1/7 x + 0 x^3))"
    with pytest.raises(k.CertificateError, match="decrease"):
        k.tail(slow, k.Interval(34 << k.BITS, 34 << k.BITS, k.BITS))
    k.tail(slow, k.Interval(36 << k.BITS, 36 << k.BITS, k.BITS))


ROUGH = {  # constants near the best ones
    "gelu_sigmoid_best": ("sigma(1 ({} x + {} x^3))", "1.76", "0"),
    "gelu_tanh_best": ("sigma(2 sqrt(2/pi) ({} x + {} x^3))", "1", "0.0446"),
    "gelu_tanh2_best": ("sigma(2 ({} x + {} x^3))", "0.8", "0.0348"),
}


def the_slack_holds_the_best_constants(k):
    """From rough constants, the proven slack must reach to the best ones, which the committed certificates give."""
    for name, (form, *given) in ROUGH.items():
        best = certificate(name)
        (there,) = re.findall(r"([0-9.]+) x \+ ([0-9.]+) x\^3", best["left"])
        a, b = (Fraction(to) - Fraction(start) for start, to in zip(given, there, strict=True))
        cores = [(k.SIGNS[cell[1]], cell[2]) for cell in best["cells"] if len(cell) == 3]
        rough = best | {"left": form.format(*given), "radius": "0.2"}
        sizes = [abs(derivative_of(rough, given, t)) for _, t in cores]
        rough["lower"], rough["upper"] = (f"{end * 10**12 // 1}/{10**12}" for end in (min(sizes), max(sizes) * 2))
        assert max(sign * (a + b * Fraction(t) ** 2) for sign, t in cores) < _least_slack(k, rough, cores) < 1 / 4


def derivative_of(c, constants, t):
    """F(t), as a fraction, for a gate that is not among FORMS."""
    a, b = constants
    scale = "2*sqrt(2/pi)" if "pi" in c["left"] else "2" if c["left"].startswith("sigma(2") else "1"
    with working_precision(200):
        return enclosure_of(
            arb_taylor(parse(f"x*(sigmoid({scale}*({a}*x + {b}*x**3)) - {FORMS['Phi(x)']})"), to_arb(t), 0)[0]
        ).lower


def _least_slack(k, c, cores):
    """Return the least slack that k accepts at every core, up to a factor of 1.1."""
    slack = Fraction(1, 1000)
    while True:
        c = c | {"slack": f"{slack.numerator}/{slack.denominator}"}
        try:
            for sign, t in cores:
                middle = k.real(t, k.BITS).lo
                cell = k.Interval(middle - (1 << k.BITS - 6), middle + (1 << k.BITS - 6), k.BITS)
                k.check_core(c, cell, sign, t)
            return slack
        except k.CertificateError as refusal:
            assert "slack" in refusal.args[0] and slack < 1
            slack = (slack * Fraction(11, 10)).limit_denominator(10**9)


def valid_certificates_are_accepted(k):
    for name in ("gelu_tanh_error", "gelu_sigmoid_error_derivative_2", "gelu_minimum", "gelu_sigmoid_best"):
        c = certificate(name)
        sentence = k.prove(c)
        assert all(c[key] in sentence for key in ("left", "right", "lower", "upper", "radius"))
    loose = certificate("gelu_tanh2_best") | {"lower": "0.00027072", "upper": "0.00027073", "slack": "0.00001"}
    assert "no other a and b" in k.prove(loose | {"radius": "0.1"})


def _edit(name, **fields):
    return certificate(name) | fields


def _cells(name, pick, **fields):
    c = certificate(name) | fields
    return c | {"cells": pick(c["cells"])}


def uncored(cells, which):
    """Turn the core with the given index into a cover cell."""
    cores = [i for i, cell in enumerate(cells) if len(cell) == 3]
    return [cell[:1] if i == cores[which] else cell for i, cell in enumerate(cells)]


def recored(*core):
    """Change the only core."""
    return lambda cells: [[cell[0], *core] if len(cell) == 3 else cell for cell in cells]


def split_beyond(cells, end):
    """Keep the cells up to an end, and end there."""
    return [cell for cell in cells if Fraction(cell[0]) <= end]


def lies():
    """False or unproved certificates, with a word of the reason for which each must be refused."""
    tanh, sigmoid, best, best2 = "gelu_tanh_error", "gelu_sigmoid_error", "gelu_sigmoid_best", "gelu_tanh2_best"
    second, t = "gelu_tanh_error_derivative_2", "2.6989413863772703004780398657715309473372757899291310"
    claim = certificate(tanh)
    near = {
        "left": "sigma(1 (1.7729 x + 0 x^3))",
        "lower": "0.013924",
        "upper": "0.013926",
        "slack": "0.001",
        "radius": "0.1",
    }
    tiny = "0." + "0" * 52 + "1"
    # x (step - Phi) has a kink at 0: its second derivative tends to -0.7978... there, and has no value
    kink = {"derivative": "2", "lower": "0.7978", "upper": "0.7979", "radius": "0.01"}
    steps = [["0.05", "-", "0"], *([f"{n / 20}"] for n in range(2, 131))]
    return [
        (_edit(tanh, lower="0.00048", upper="0.00049"), "reached"),
        (_edit(tanh, lower="0.00046", upper="0.00047"), "stay below"),
        (_edit(tanh, upper=claim["lower"]), "below upper"),
        (_edit(tanh, lower=claim["upper"]), "reached"),
        (_edit(tanh, left="sigma(2 sqrt(2/pi) (1 x + 0.0448 x^3))"), ""),
        (_edit(tanh, left="sigma(1.596 (1 x + 0.044715 x^3))"), ""),
        (_edit(tanh, derivative="1"), ""),
        (_edit(tanh, weight="1"), ""),
        (_edit("gelu_minimum", **kink, cells=steps), "step"),
        (_edit(tanh, radius=tiny), "radius"),
        (_cells(tanh, recored("-", t)), ""),
        (_cells(tanh, recored("+", "2.1")), "point"),
        (_cells(tanh, recored("+", "2.75"), radius="1"), "reached"),
        (_cells(tanh, recored("+", "2.6989"), radius="1", lower="0.00047"), "below upper"),
        (_cells(tanh, recored("+", "2.6989")), "radius"),
        (_cells(tanh, recored("+", "2.69895")), "radius"),
        (_cells(tanh, lambda cells: split_beyond(cells, 3.3)), "tail"),
        (_cells(tanh, lambda cells: [cells[0], *cells[5:]]), "below lower"),
        (_cells(tanh, lambda cells: [*cells[:3], cells[2], *cells[3:]]), "empty"),
        (_cells(tanh, lambda cells: [*cells[:3], cells[1], *cells[3:]]), "empty"),
        (_cells(tanh, lambda cells: [["1.5", "+", "1"], *split_beyond(cells, 9)[4:]]), ""),
        (_cells(sigmoid, lambda cells: [["0.5"], ["0.6", "+", "0.55"]]), ""),
        (_edit(second, lower="0.0018", upper="0.00186"), "below upper"),
        # of two maxima only the smaller is declared: the other must be found
        (_cells(best, lambda cells: uncored(cells, 0), left="sigma(1 (1.77 x + 0 x^3))", free=""), "below lower"),
        (_cells(best, lambda cells: uncored(cells, 1), free=""), "below lower"),
        (_cells(best, lambda cells: uncored(cells, 1)), "alternate"),
        # constants that are not quite the best: one of the two maxima stays below the other
        (_edit(best, **near), "reached"),
        (_edit(best, slack=tiny), "slack"),
        (_edit(best, slack="0"), "slack"),
        (_edit(best2, slack=tiny), "slack"),
        # more constants are said to be free than the signs prove, or the wrong number, or of a gate that has none
        (_edit(best, free="ab"), "alternate"),
        (_edit(best2, free="a"), "alternate"),
        (_edit(sigmoid, free="a", slack="0.1"), "alternate"),
        (_edit("silu_minimum", free="a", slack="0.1"), "alternate"),
        (_edit(best, derivative="1"), "alternate"),
    ]


def lies_are_refused(k):
    for c, word in lies():
        with pytest.raises(k.CertificateError) as refusal:
            k.prove(c)
        assert word in refusal.value.args[0], refusal.value


def cores_bend_and_hold_their_point(k):
    """Beyond its inflection F no longer bends as around a maximum, whatever else is claimed."""
    c = certificate("gelu_tanh_error") | {"lower": "0.00001", "upper": "1", "radius": "1000"}
    cell = k.Interval(35 << k.BITS - 3, 36 << k.BITS - 3, k.BITS)  # from 4.375 to 4.5
    for sign, t in ((1, "4.4"), (1, "2.7")):
        with pytest.raises(k.CertificateError, match="bend"):
            k.check_core(c, cell, sign, t)
    top = k.Interval(21 << k.BITS - 3, 22 << k.BITS - 3, k.BITS)  # from 2.625 to 2.75
    k.check_core(c, top, 1, "2.7")
    for t in ("2.62", "2.76"):
        with pytest.raises(k.CertificateError, match="point"):
            k.check_core(c, top, 1, t)


def the_minimum_is_told_of_values_only(k):
    """min x g = -sup |F| holds for F = x (step - g), not for its derivatives or without the factor x."""
    assert "minimum" in k.prove(certificate("gelu_minimum"))
    for fields in ({"weight": "1"}, {"derivative": "1"}):
        assert "minimum" not in k.state(certificate("gelu_minimum") | fields, "1")


SOUNDNESS = [  # the quick ones first
    arithmetic_is_outward,
    series_include_their_remainder,
    elementary_functions_are_sharp,
    models_are_sharp,
    tails_are_bounded_only_where_the_bound_decreases,
    cores_bend_and_hold_their_point,
    the_minimum_is_told_of_values_only,
    valid_certificates_are_accepted,
    lies_are_refused,
    gates_enclose,
    tails_bound,
    models_enclose,
    elementary_functions_enclose,
    the_slack_holds_the_best_constants,
]


@pytest.mark.parametrize("sound", SOUNDNESS)
def test_the_checker_is_sound(sound):
    sound(checker)


# Faults seeded in the checker's source: (what is written, what is written instead). Each must break a check above.

FAULTS = [
    ("-(-max(ends) >> shift)", "max(ends) >> shift"),
    ("Interval(min(ends) >> shift", "Interval(-(-min(ends) >> shift)"),
    ("Interval(self.lo // n, -(-self.hi // n)", "Interval(self.lo // n, self.hi // n"),
    ("Interval(self.lo // n", "Interval(-(-self.lo // n)"),
    ("-(-(1 << 2 * self.p) // self.lo)", "(1 << 2 * self.p) // self.lo"),
    ("Interval(-self.hi, -self.lo, self.p)", "Interval(-self.lo, -self.hi, self.p)"),
    ("return partial + Interval(0, term.hi, term.p)", "return partial"),
    ("while term.hi > 1 or n < settled:", "while term.hi > 1:"),
    ("for _ in range(s):", "for _ in range(s - 1):"),
    ("Interval(4 << p, 4 << p, p)", "Interval(3 << p, 3 << p, p)"),
    ("Interval(-2 * phi.hi, 0, x.p)", "Interval(0, 0, x.p)"),
    ("square.hi >> x.p > x.p", "square.hi >> x.p > 5"),
    ("(term * square).over(2 * n + 1)", "(term * square).over(2 * n + 2)"),
    ("[x, x.of(1)]", "[x, x.of(2)]"),
    ("beta * x * 6, beta * 3]", "beta * x * 3, beta * 3]"),
    ("beta * x * 6, beta * 3]", "beta * x * 6]"),
    ('* 4 if "pi" in m', '* 3 if "pi" in m'),
    ("e[i].over(i + 1) for i", "e[i] for i"),
    ("(one + start).inverse()", "start"),
    ("e * x * ((x.of(1) + slope)", "e * ((x.of(1) + slope)"),
    ("lo > 5 << x.p", "lo > 4 << x.p"),
    ("require((x * slope).lo > 5 << x.p", "require(True"),
    ("f = [x * a + b for a, b in zip(f, [x.of(0), *f], strict=False)]", "f = [x * a for a in f]"),
    ("a * math.factorial(i)", "a"),
    ("derivatives(c, cell, d + ORDER)[-1]", "derivatives(c, Interval(middle, middle, BITS), d + ORDER)[-1]"),
    ("range(ORDER, 0, -1)", "range(ORDER - 1, 0, -1)"),
    ("mu > 0 and cell.lo << p <= start.lo << BITS <= cell.hi << p", "mu > 0"),
    ("mu > 0 and cell.lo", "cell.lo"),
    ("-radius.lo < distance.lo and", "True and"),
    ("and distance.hi < radius.lo", "and True"),
    ("value.lo >= lower.hi", "True"),
    ("(value + (slope * distance).over(2)).hi", "value.hi"),
    ("* sign).lo > upper.hi", "* sign).lo > 0"),
    ("[SIGNS[core[0]]] if core else [1, -1]", "[SIGNS[core[0]]] if core else [1]"),
    ("(around * -sign).hi < level for sign in signs", "(around * -sign).hi < level for sign in signs if core"),
    ("require(cell.lo < cell.hi and below", "require(below"),
    ("end >= 2 << BITS and sum(beyond) < level", "True"),
    ("alternate = d == 0 and ", "alternate = "),
    ('"ab": ["+-+", "-+-"]', '"ab": ["+-", "+-+", "-+-"]'),
    ('"a": ["+-", "-+"]', '"a": ["+", "+-", "-+"]'),
    ("alternate or not", "True or not"),
    ('d == 0 or "step(x)" not in', 'True or "step(x)" not in'),
    ('== ("step(x)", "x", "0")', '>= ("step(x)", "1", "0")'),
]


@pytest.mark.parametrize(("written", "instead"), FAULTS, ids=[str(i) for i in range(len(FAULTS))])
def test_a_fault_seeded_in_the_checker_is_seen(written, instead, tmp_path):
    source = SOURCE.read_text()
    assert source.count(written) == 1, "the seeded fault no longer fits the checker's text"
    path = tmp_path / "faulty.py"
    path.write_text(source.replace(written, instead))
    spec = importlib.util.spec_from_file_location("faulty", path)
    faulty = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(faulty)
    assert any(_breaks(sound, faulty) for sound in SOUNDNESS)


def _breaks(sound, faulty):
    try:
        sound(faulty)
    except (AssertionError, pytest.fail.Exception, ArithmeticError, LookupError, ValueError, faulty.CertificateError):
        return True
    return False


# The promises about the file itself.


def test_the_checker_is_short_and_uses_integers_and_the_standard_library_only():
    tree = ast.parse(SOURCE.read_text())
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= set(sys.stdlib_module_names)
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, float)]
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Div)]
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in ("float", "eval", "exec")]
    assert max(map(len, SOURCE.read_text().splitlines())) <= 120
    assert len(SOURCE.read_text().splitlines()) <= 260 and lines_of_code(SOURCE.read_text()) <= 165


def lines_of_code(source):
    """The number of lines that are not blank, comment or docstring."""
    docstrings = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    numbered = enumerate(source.splitlines(), start=1)
    return sum(line.strip() != "" and line.lstrip()[0] != "#" for n, line in numbered if n not in docstrings)


def test_without_a_file_it_says_how_it_is_used():
    run = subprocess.run([sys.executable, "-I", "-S", str(SOURCE)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (2, "", "usage: python checker.py FILE...\n")


def test_the_checker_runs_on_a_bare_python_and_says_what_it_proves():
    paths = [str(FOLDER / "gelu_tanh_error.json"), str(FOLDER / "gelu_minimum.json")]
    run = subprocess.run([sys.executable, "-I", "-S", str(SOURCE), *paths], capture_output=True, text=True, check=False)
    assert run.returncode == 0 and run.stderr == ""
    first, second = run.stdout.splitlines()
    assert first.startswith("valid: ") and "sup |F^(0)| is in [0.000473235520687284877" in first
    assert "minimum of x Phi(x) is in [-0.169971207479903661" in second


def test_importing_the_checker_imports_nothing_else_of_ours():
    code = "import sys, gelu_verify.proofs.checker as c; print([m for m in sys.modules if m.startswith('gelu_verify')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['gelu_verify', 'gelu_verify.proofs', 'gelu_verify.proofs.checker']"
