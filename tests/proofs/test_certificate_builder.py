"""Building certificates: what is covered, that the numbers are right for other constants, and how refusals are told."""

import json
import random
import re
from fractions import Fraction

import pytest

from gelu_verify.catalogue import parse
from gelu_verify.cli import main
from gelu_verify.enclosures import enclosure_of, working_precision
from gelu_verify.errors import InputError
from gelu_verify.proofs import certificate, checker
from gelu_verify.proofs.certificate_members import covered_member
from gelu_verify.proofs.certificate_points import Error, to_ball

MEMBERS = [
    ("gelu_sigmoid", {"k": "1"}),
    ("gelu_sigmoid", {"k": "0.001"}),
    ("gelu_sigmoid", {"k": "1/3"}),
    ("gelu_sigmoid", {"k": "9999"}),
    ("gelu_tanh", {"c": "0"}),
    ("gelu_tanh", {"c": "0.0455"}),
    ("gelu_tanh", {"c": "50"}),
    ("gelu_tanh2", {"a": "0.8", "b": "0"}),
    ("gelu_tanh2", {"a": "0", "b": "0.035"}),
    ("gelu_tanh2", {"a": "0.8001", "b": "0.0347"}),
]


@pytest.mark.parametrize(("function", "constants"), MEMBERS)
def test_for_any_constants_no_sampled_error_exceeds_the_supremum_and_one_reaches_it(function, constants):
    rng = random.Random(f"{function}{constants}")
    derivative, weight = rng.randrange(3), rng.choice("x1")
    c = certificate.build_supremum(function, constants, derivative, 12, weight=weight)
    values = (Fraction(value) for value in constants.values())
    error = Error((function, *values), ("gelu",), weight, derivative)
    points = [Fraction(rng.randrange(1, 2**20), 2 ** rng.randrange(15, 24)) for _ in range(300)]
    with working_precision(200):
        sizes = [enclosure_of(abs(error.taylor(to_ball(point), 0)[0])) for point in points]
        assert all(size.lower <= Fraction(c["upper"]) for size in sizes)
        top = Fraction(next(cell[2] for cell in c["cells"] if len(cell) == 3))
        if top > 0:
            assert enclosure_of(abs(error.taylor(to_ball(top), 0)[0])).upper >= Fraction(c["lower"]) * (
                1 - Fraction(1, 10**10)
            )


def test_the_distance_between_relu_and_gelu_is_the_depth_of_the_minimum():
    assert certificate.build_supremum("relu") == certificate.build_minimum("gelu")


def test_a_supremum_with_two_equal_maxima_tells_both():
    best = certificate.build_optimality("gelu_sigmoid", 30)
    (k,) = constants_of(best)
    c = certificate.build_supremum("gelu_sigmoid", {"k": k}, digits=8)
    assert sum(len(cell) == 3 for cell in c["cells"]) == 2
    assert " or " in checker.prove(c)


@pytest.mark.parametrize("digits", [12, 25])
def test_of_two_maxima_that_differ_beyond_the_twentieth_digit_those_are_told_that_reach_the_claim(digits):
    (k,) = constants_of(certificate.build_optimality("gelu_sigmoid", 20))
    c = certificate.build_supremum("gelu_sigmoid", {"k": k}, digits=digits)
    checker.prove(c)
    assert sum(len(cell) == 3 for cell in c["cells"]) == (2 if digits == 12 else 1)


def constants_of(c):
    """The constants of a certificate's left side that are not 0 or 1."""
    written = re.fullmatch(r"sigma\(.+ \((\S+) x \+ (\S+) x\^3\)\)", c["left"]).groups()
    return [constant for constant in written if constant not in ("0", "1")]


def test_the_best_constants_beat_the_usual_ones_and_those_for_phi_round_to_them():
    for family, usual in (("gelu_sigmoid", {"k": "1.702"}), ("gelu_tanh", {"c": "0.044715"})):
        best, common = certificate.build_optimality(family, 10), certificate.build_supremum(family, usual, 0, 10)
        assert Fraction(best["upper"]) < Fraction(common["lower"])
    for family, usual, places in (("gelu_sigmoid", "1.702", 3), ("gelu_tanh", "0.044715", 6)):
        (constant,) = constants_of(certificate.build_optimality(family, 10, weight="1"))
        assert round(Fraction(constant), places) == Fraction(usual)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: certificate.build_supremum("mish"), "mish"),
        (lambda: certificate.build_supremum("gleu"), "did you mean"),
        (lambda: certificate.build_supremum("gelu"), "itself"),
        (lambda: certificate.build_supremum("gelu_tanh2"), "as numbers"),
        (lambda: certificate.build_supremum("gelu_tanh", {"k": "1"}), "no constant 'k'"),
        (lambda: certificate.build_supremum("gelu_tanh", {"c": "one"}), "as numbers"),
        (lambda: certificate.build_supremum("gelu_tanh", {"c": "-0.01"}), "from 0 to"),
        (lambda: certificate.build_supremum("gelu_sigmoid", {"k": "0"}), "infinite"),
        (lambda: certificate.build_supremum("gelu_tanh", derivative=3), "derivatives 0, 1 and 2"),
        (lambda: certificate.build_supremum("gelu_tanh", weight="2"), "weights"),
        (lambda: certificate.build_supremum("relu", derivative=1), "kink"),
        (lambda: certificate.build_supremum("gelu_tanh", digits=0), "from 1 to 2000 digits"),
        (lambda: certificate.build_supremum("gelu_tanh", digits=2001), "from 1 to 2000 digits"),
        (lambda: certificate.build_optimality("silu"), "no constants to choose"),
    ],
)
def test_what_is_not_covered_is_told_in_one_line(call, word):
    with pytest.raises(InputError, match=word) as error:
        call()
    assert "\n" not in str(error.value)


def test_a_bound_that_the_checker_does_not_cover_has_no_certificate():
    assert certificate.certificate_for_bound("mish") is None
    assert certificate.certificate_for_bound("gelu_tanh", None, 3) is None
    assert certificate.certificate_for_bound("relu", None, 1) is None
    assert certificate.certificate_for_bound("silu", None, 0, 9)["lower"].startswith("0.193001987")


@pytest.mark.parametrize(
    ("formula", "member"),
    [
        ("gelu_tanh", ("gelu_tanh", {"c": Fraction("0.044715")})),
        ("0.5*x*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x**3)))", ("gelu_tanh", {"c": Fraction("0.044715")})),
        ("gelu_tanh2", ("gelu_tanh", {"c": Fraction("0.044715")})),
        ("x*sigmoid(1.6*x + 0.07*x**3)", ("gelu_tanh2", {"a": Fraction(4, 5), "b": Fraction(7, 200)})),
        ("sigmoid(1.773*x)*x", ("gelu_sigmoid", {"k": Fraction("1.773")})),
        ("x*sigmoid(x)", ("silu", {})),
        ("max(0, x)", ("relu", {})),
        ("x*(1 + erf(x/sqrt(2)))/2", ("gelu", {})),
        ("x*sigmoid(1.7*x + 0.1)", None),
        ("x*sigmoid(1.7*x**2)", None),
        ("x*sigmoid(x + x**5)", None),
        ("2*x*sigmoid(1.7*x)", None),
        ("x*tanh(x)", None),
        ("mish", None),
    ],
)
def test_a_formula_is_recognised_as_a_member_of_a_family(formula, member):
    expression = parse(formula if "x" in formula and "(" in formula else f"{formula}(x)")
    assert covered_member(expression) == member


def test_bound_writes_a_certificate_that_recheck_accepts(tmp_path, capsys):
    path = tmp_path / "bound.json"
    assert main(["bound", "x*sigmoid(1.773*x)", "--digits", "20", "--certificate", str(path)]) == 0
    assert main(["recheck", str(path)]) == 0
    assert "x (sigma(1 (1.773 x + 0 x^3)) - Phi(x))" in " ".join(capsys.readouterr().out.split())


def test_a_certificate_is_written_whole_or_not_at_all(tmp_path):
    c = certificate.build_minimum("silu", digits=8)
    path = tmp_path / "silu.json"
    certificate.write_certificate(path, c)
    assert path.read_bytes() == certificate.encode(c) and json.loads(path.read_text()) == c
    assert [p.name for p in tmp_path.iterdir()] == ["silu.json"] and checker.check(str(path))[0] == 0
    with pytest.raises(InputError, match="cannot write"):
        certificate.write_certificate(tmp_path / "missing" / "silu.json", c)
    with pytest.raises(InputError, match="cannot write"):
        certificate.write_certificate(tmp_path, c)
    assert [p.name for p in tmp_path.iterdir()] == ["silu.json"]


def test_the_command_compares_and_writes_the_committed_certificates(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(certificate, "HEADLINES", {"silu_minimum": certificate.HEADLINES["silu_minimum"]})
    assert certificate.main([]) == 0
    monkeypatch.setattr(certificate, "FOLDER", tmp_path)
    assert certificate.main([]) == 1 and capsys.readouterr().out == "silu_minimum.json differs\n"
    assert certificate.main(["--write"]) == 0 and certificate.main([]) == 0
