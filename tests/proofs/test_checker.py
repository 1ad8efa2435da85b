"""The integer-only checker: it encloses, it refuses false certificates, and faults seeded in it are seen."""

import ast
import importlib.util
import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from flint import arb, fmpq
from gelu_verify.catalogue import Number, get_function, parse
from gelu_verify.catalogue.evaluators import arb_taylor
from gelu_verify.enclosures import enclosure_of, working_precision
from gelu_verify.proofs import checker

SOURCE = Path(checker.__file__)
FOLDER = SOURCE.parent / "certificates"
FORMS = [
    ["gelu"],
    ["silu"],
    ["gelu_sigmoid", "1.702"],
    ["gelu_sigmoid", "1/7"],
    ["gelu_tanh", "0.044715"],
    ["gelu_tanh2", "0.9", "0.01"],
]


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
            (a + b, x + y),
            (a - b, x - y),
            (a * b, x * y),
            (a.over(c), x / z),
            (a * -n, -n * x),
            (a.over(n), x / n),
        ]
        for interval, exact in results:
            assert exactly(interval.lo, p) <= exact <= exactly(interval.hi, p)
    for text, number in (("0.1", Fraction(1, 10)), ("2/3", Fraction(2, 3)), ("17", Fraction(17))):
        third = k.real(text, 64)
        assert exactly(third.lo, 64) <= number <= exactly(third.hi, 64)


def series_include_their_remainder(k):
    """At one bit more than nothing, the remainder is all there is."""
    for first, ratio, exact in (
        (1, lambda n: k.real("1/2", 8), Fraction(2, 2**8)),
        (1, lambda n: k.real(f"4/{n}", 8), Fraction(50, 2**8)),
        (3, lambda n: k.real("1/4", 8), Fraction(4, 2**8)),
    ):
        enclosed = k.total(k.Interval(first, first, 8), ratio)
        assert exactly(enclosed.lo, 8) <= exact <= exactly(enclosed.hi, 8)


def elementary_functions_enclose(k):
    rng = random.Random(2)
    with working_precision(2000):
        assert contains(k.distribution(23 << 800, 800), (-23 / arb(2).sqrt()).erfc() / 2)
        for p in (96, 192, 400):
            assert contains(k.inverse_root_two_pi(p), 1 / (2 * arb.pi()).sqrt())
            for _ in range(30):
                lo = rng.randrange(2 ** (p + rng.randrange(-30, 5)))
                hi = lo + rng.randrange(2 ** rng.randrange(1, p + 2))
                wide = k.Interval(lo, hi, p)
                for x in (lo, hi, rng.randint(lo, hi)):
                    ball = to_arb(exactly(x, p))
                    assert contains(k.exp_minus(wide), (-ball).exp())
                    assert contains(k.density(wide), (-ball * ball / 2).exp() / (2 * arb.pi()).sqrt())
                    assert contains(k.distribution(x, p), (-ball / arb(2).sqrt()).erfc() / 2)


def elementary_functions_are_sharp(k):
    for p in (192, 1000):
        point = k.Interval(2 << p, 2 << p, p)
        for value in (k.exp_minus(point), k.density(point), k.distribution(2 << p, p), k.inverse_root_two_pi(p)):
            assert value.hi - value.lo < 2 ** (p // 4)


def difference(left, right, weight):
    def function(form):
        f = get_function(form[0])
        constants = {name: Number(Fraction(value)) for name, value in zip(f.constants, form[1:], strict=True)}
        return parse(f.formula, constants)

    return lambda x, order: [
        a - b for a, b in zip(arb_taylor(function(left), x, order), arb_taylor(function(right), x, order), strict=True)
    ]


def derivatives(left, right, weight, x, times):
    """F^(times)(x) by Arb, x > 0."""
    with working_precision(600):
        ball = to_arb(x)
        coefficients = difference(left, right, weight)(ball, times)
        if weight == "1":  # divide the series by x + h
            quotient = []
            for coefficient in coefficients:
                quotient.append((coefficient - (quotient[-1] if quotient else 0)) / ball)
            coefficients = quotient
        return coefficients[times] * arb.fac_ui(times)


def gates_enclose(k):
    rng = random.Random(5)
    for form in FORMS:
        for _ in range(5):
            lo = rng.randrange(1, 2**k.BITS * 4)
            hi = lo + rng.randrange(2 ** (k.BITS - rng.randrange(4)))
            coefficients = k.gate(form, k.Interval(lo, hi, k.BITS), 4, k.real("0", k.BITS))
            for x in (lo, hi, rng.randint(lo, hi)):
                for i, coefficient in enumerate(coefficients):
                    difference_from_one = derivatives(form, ["relu"], "1", exactly(x, k.BITS), i) / arb.fac_ui(i)
                    assert contains(coefficient, difference_from_one + (i == 0))


def models_enclose(k):
    rng = random.Random(3)
    for _ in range(60):
        left, right = rng.sample(FORMS, 2)
        c = {"left": left, "right": right, "weight": rng.choice("x1")}
        lo = rng.randrange(1, 2**k.BITS * 8)
        hi = lo + rng.randrange(2 ** (k.BITS - rng.randrange(6)))
        times = rng.randrange(5)
        centre, radius = k.model(c, lo, hi, times)
        band = k.Interval(centre.lo - radius, centre.hi + radius, k.BITS)
        for x in (lo, hi, rng.randint(lo, hi)):
            assert contains(band, derivatives(left, right, c["weight"], exactly(x, k.BITS), times))


def models_are_sharp(k):
    """A model of a cell of width 1/64 is far narrower than F itself."""
    c = {"left": FORMS[4], "right": FORMS[0], "weight": "x"}
    centre, radius = k.model(c, 2 << k.BITS, (2 << k.BITS) + (1 << k.BITS - 6), 0)
    assert radius < 2 ** (k.BITS - 16) and centre.hi - centre.lo < 2 ** (k.BITS - 150)


def tails_bound(k):
    rng = random.Random(4)
    for form in FORMS:
        for d in (0, 1, 2):
            for start in (Fraction(2), Fraction(7, 2), Fraction(6), Fraction(40)):
                point = k.Interval(start.numerator * 2**k.BITS // start.denominator, 0, k.BITS)
                point.hi = point.lo
                try:
                    bound = exactly(k.tail(form, point, d).hi, k.BITS)
                except k.CertificateError:
                    continue
                for x in (start, start + Fraction(rng.randrange(1, 99), 64), start + 6, start + rng.randrange(9, 60)):
                    for weight in ("x", "1"):
                        size = abs(derivatives(form, ["relu"], weight, x, d))
                        assert enclosure_of(size).lower <= bound


def box_holds_the_best_constants(k):
    """From rough constants, the proven distance must reach to the best ones, which the committed certificates give."""
    rough = [
        ["gelu_sigmoid", "1.76"],
        ["gelu_sigmoid", "1.79"],
        ["gelu_tanh", "0.0446"],
        ["gelu_tanh2", "0.8", "0.0348"],
    ]
    for form in rough:
        best = certificate(f"{form[0]}_best")
        cores = [cell[1:] for cell in best["cells"] if len(cell) == 3]
        points = [k.Interval(k.real(t, 300).lo, k.real(t, 300).lo, 300) for _, t in cores]
        sizes = [abs(derivatives(form, ["gelu"], "x", exactly(t.lo, 300), 0)) for t in points]
        upper = max(enclosure_of(size).upper for size in sizes)
        upper = k.real(f"{upper.numerator * 10**30 // upper.denominator + 1}/{10**30}", 300)
        arguments = (best | {"left": form}, cores, points, upper)
        distances = _box_with_the_least_slack(k, *arguments)
        for given, there, distance in zip(form[1:], best["left"][1:], distances, strict=True):
            assert abs(Fraction(given) - Fraction(there)) < exactly(distance.hi, 300) < Fraction(1, 4)


def _box_with_the_least_slack(k, c, *arguments):
    """Return the box for the least slack that k accepts, up to a factor of 1.1."""
    slack = Fraction(1, 1000)
    while True:
        try:
            return k.box(c | {"slack": f"{slack.numerator}/{slack.denominator}"}, *arguments)
        except k.CertificateError as refusal:
            assert "slack" in refusal.args[1] and slack < 1
            slack *= Fraction(11, 10)


def valid_certificates_are_accepted(k):
    for name in ("gelu_tanh_error", "gelu_sigmoid_error_derivative_2", "gelu_minimum", "gelu_sigmoid_best"):
        c = certificate(name)
        assert k.prove(c) == c["statement"]
    loose = certificate("gelu_tanh2_best") | {"lower": "0.00027072", "upper": "0.00027073", "slack": "0.000001"}
    assert k.prove(loose).endswith("0.0347008934323310547229719636085702609374649843812102 +- 1e-6")


def _edit(name, edit):
    c = certificate(name)
    edit(c)
    return c


def _cells(name, pick):
    return _edit(name, lambda c: c.update(cells=pick(c["cells"])))


def uncored(cells, which):
    """Turn the core with the given index into a cover cell."""
    cores = [i for i, cell in enumerate(cells) if len(cell) == 3]
    return [cell[:1] if i == cores[which] else cell for i, cell in enumerate(cells)]


def lies():
    """False or unproved certificates, with a word of the reason for which each must be refused."""
    tanh, sigmoid, best, best2 = "gelu_tanh_error", "gelu_sigmoid_error", "gelu_sigmoid_best", "gelu_tanh2_best"
    second = "gelu_tanh_error_derivative_2"
    up = {"lower": "0.00048", "upper": "0.00049"}
    down = {"lower": "0.00046", "upper": "0.00047"}
    near = {"left": ["gelu_sigmoid", "1.7729"], "lower": "0.013924", "upper": "0.013926", "slack": "0.001"}
    return [
        (_edit(tanh, lambda c: c.update(up)), "reached"),
        (_edit(tanh, lambda c: c.update(down)), "stay below"),
        (_edit(tanh, lambda c: c.update(upper=c["lower"])), "below upper"),
        (_edit(tanh, lambda c: c.update(lower=c["upper"])), "reached"),
        (_edit(tanh, lambda c: c.update(left=["gelu_tanh", "0.0448"])), ""),
        (_edit(tanh, lambda c: c.update(derivative=1)), ""),
        (_edit(tanh, lambda c: c.update(weight="1")), ""),
        (_cells(tanh, lambda cells: [*cells[:9], [cells[9][0], "-1", cells[9][2]], *cells[10:]]), ""),
        (_cells(tanh, lambda cells: [*cells[:9], [cells[9][0], "1", "2.5"], *cells[10:]]), "outside"),
        (_cells(tanh, lambda cells: [*cells[:9], [cells[9][0], "1", "2.75"], *cells[10:]]), "below upper"),
        (_cells(tanh, lambda cells: [*cells[:9], ["3", "1", cells[9][2]]]), "bend"),
        (_cells(tanh, lambda cells: cells[:10]), "tail"),
        (_cells(tanh, lambda cells: [cells[0], *cells[9:]]), "below lower"),
        (_cells(tanh, lambda cells: [*uncored(cells, 0), ["4", "1", "3.9"]]), "below lower"),
        (_cells(tanh, lambda cells: [*cells[:3], cells[2], *cells[3:]]), "increase"),
        (_cells(tanh, lambda cells: [["1.5", "1", "1"], *cells[4:]]), ""),
        (_cells(sigmoid, lambda cells: [["0.5"], ["0.6", "1", "0.55"]]), ""),
        (_edit(second, lambda c: c.update(lower="0.0018", upper="0.00186")), "below upper"),
        # of two maxima only the smaller is declared: the other must be found
        (_edit(best, lambda c: c.update(cells=uncored(c["cells"], 1), left=["gelu_sigmoid", "1.77"])), "below lower"),
        # constants that are not quite the best: one of the two maxima stays below the other
        (_edit(best, lambda c: c.update(near)), "reached"),
        (_edit(best, lambda c: c.update(slack="0." + "0" * 52 + "1")), "slack"),
        (_edit(best, lambda c: c.update(slack="0")), "slack"),
        (_edit(best2, lambda c: c.update(slack="0." + "0" * 52 + "1")), "slack"),
        # a supremum with two cores does not become an optimum by giving a slack, nor one with a wrong alternation
        (_edit(best2, lambda c: c.update(left=["gelu_tanh", c["left"][2]])), ""),
        (_edit(sigmoid, lambda c: c.update(slack="0.1")), "alternate"),
        (_edit("silu_minimum", lambda c: c.update(slack="0.1")), "alternate"),
    ]


def lies_are_refused(k):
    for c, word in lies():
        with pytest.raises(k.CertificateError) as refusal:
            k.prove(c)
        code, reason = refusal.value.args
        assert code == 1 and word in reason, reason


SOUNDNESS = [
    arithmetic_is_outward,
    series_include_their_remainder,
    elementary_functions_enclose,
    elementary_functions_are_sharp,
    gates_enclose,
    models_enclose,
    models_are_sharp,
    tails_bound,
    box_holds_the_best_constants,
    valid_certificates_are_accepted,
    lies_are_refused,
]


@pytest.mark.parametrize("sound", SOUNDNESS)
def test_the_checker_is_sound(sound):
    sound(checker)


# Faults seeded in the checker's source: (what is written, what is written instead). Each must break a check above.

FAULTS = [
    ("-(-max(ends) >> shift)", "max(ends) >> shift"),
    ("Interval(min(ends) >> shift", "Interval(-(-min(ends) >> shift)"),
    ("max(-(-hi // b) for b in by)", "max(hi // b for b in by)"),
    ("min(lo // b for b in by)", "min(-(-lo // b) for b in by)"),
    ("self.lo - other.hi, self.hi - other.lo", "self.lo - other.lo, self.hi - other.hi"),
    ("-((-n << p) // d)", "(n << p) // d"),
    ("return partial + Interval(0, term.hi, r.p)", "return partial"),
    ("while term.hi > 1 or r.hi > 1 << (r.p - 1):", "while term.hi > 1:"),
    ("for _ in range(s):", "for _ in range(s - 1):"),
    ("arctan(5) * 16", "arctan(5) * 15"),
    ("one - Interval(0, phi.hi, p)", "one - Interval(0, 0, p)"),
    ("min(p, 512)", "min(p, 5)"),
    ("(zero - x * phi[-1] - phi[-2])", "(zero - x * phi[-1] + phi[-2])"),
    ("distribution(x.hi, x.p).hi, x.p)", "distribution(x.lo, x.p).hi, x.p)"),
    ("range(min(i, 2) + 1)", "range(min(i, 1) + 1)"),
    ("beta * x * 6, beta * 3)  # v'", "beta * x * 3, beta * 3)  # v'"),
    ('density(x) * (real("1", x.p), x, x * x)[d]', 'density(x) * (real("1", x.p), real("1", x.p), x)[d]'),
    ("require((x * first).lo > 2 * d + 1 << x.p", "require(True"),
    ('(x, real("1", x.p) + x * first, first * 2', '(real("1", x.p), x * first, first * 2'),
    ("f = [x * a + b for a, b in zip(f, [zero, *f], strict=False)]", "f = [x * a for a in f]"),
    ("f = [a * (i + 1) for i, a in enumerate(f[1:])]", "f = [a * i for i, a in enumerate(f)][1:][:-1] + f[:1]"),
    ("Interval(lo, hi, BITS), ORDER, times)[-1:]", "middle, ORDER, times)[-1:]"),
    ("for term in terms[1:]:", "for term in terms[1:-1]:"),
    ("mu > 0 and lo << p <= t << BITS <= hi << p", "mu > 0"),
    ("(value * sign + (slope * distance).over(2)).hi", "(value * sign).hi"),
    ("if core else middle.size()", "if core else 0"),
    ('require(lo < hi, "the ends', 'require(True, "the ends'),
    ("lo >= 2 << BITS and beyond.hi < floor", "True"),
    ('all(reached) if "slack" in c else any(reached)', "any(reached)"),
    ('all(reached) if "slack" in c else any(reached)', "True"),
    ('1 < len(signs) == len(c["left"]) and ', ""),
    ('[0] * s).lo > upper.hi, "the slack', '[0] * s).lo > 0, "the slack'),
    ("slope = (y * 2).over(Interval(gap, gap, y.p))", "slope = y.over(Interval(gap * 8, gap * 8, y.p))"),
    (
        "y.over(inverse_root_two_pi(y.p) * squares[0] * 4)",
        "y.over(inverse_root_two_pi(y.p) * squares[0] * squares[0] * 99)",
    ),
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
    statements = sum(isinstance(node, ast.stmt) for node in ast.walk(tree))
    assert statements < 260 and max(map(len, SOURCE.read_text().splitlines())) <= 120


def test_the_checker_runs_on_a_bare_python_and_says_what_it_proves():
    paths = [str(FOLDER / "gelu_tanh_error.json"), str(FOLDER / "gelu_minimum.json")]
    run = subprocess.run([sys.executable, "-I", "-S", str(SOURCE), *paths], capture_output=True, text=True, check=False)
    assert run.returncode == 0 and run.stderr == ""
    first, second = run.stdout.splitlines()
    assert first.startswith("valid: ") and "sup |F| is in [0.000473235520687284877" in first
    assert "minimum of gelu(x) is in [-0.169971207479903661" in second


def test_importing_the_checker_imports_nothing_else_of_ours():
    code = "import sys, gelu_verify.proofs.checker as c; print([m for m in sys.modules if m.startswith('gelu_verify')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['gelu_verify', 'gelu_verify.proofs', 'gelu_verify.proofs.checker']"
