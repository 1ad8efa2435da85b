"""The committed certificates: valid for the checker, byte for byte what is generated, and confirmed by other routes."""

import json
import re
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
import scipy.stats

from gelu_verify.proofs import certificate, checker

FOLDER = Path(checker.__file__).parent / "certificates"
NAMES = sorted(certificate.HEADLINES)


def load(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def test_the_folder_holds_exactly_the_headline_certificates():
    assert sorted(path.stem for path in FOLDER.iterdir()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_certificate_is_valid_and_is_what_is_generated(name):
    path = FOLDER / f"{name}.json"
    code, sentence = checker.check(str(path))
    assert code == 0 and f"[{load(name)['lower']}, {load(name)['upper']}]" in sentence
    assert path.read_bytes() == certificate.encode(certificate.HEADLINES[name]())


def test_the_headline_numbers():
    tanh, sigmoid, minimum = (load(name) for name in ("gelu_tanh_error", "gelu_sigmoid_error", "gelu_minimum"))
    assert tanh["lower"].startswith("0.00047323552068728487")
    assert core(tanh)[2].startswith("2.69894138637727")
    assert sigmoid["lower"].startswith("0.02033487220923923")
    assert core(sigmoid)[2].startswith("2.27039773719661")
    assert minimum["lower"].startswith("0.16997120747990366")
    assert core(minimum)[2].startswith("0.75179152469356445")


def core(found):
    (only,) = [cell for cell in found["cells"] if len(cell) == 3]
    return only


@pytest.mark.parametrize("name", NAMES)
def test_a_million_random_points_never_leave_the_certified_range(name):
    """In float64, so up to its rounding; the points crowd where the error lives."""
    found = load(name)
    x = np.abs(np.random.default_rng(7).normal(scale=3, size=10**6))
    with np.errstate(over="ignore"):
        values = derivative_of_error(found, int(found["derivative"]), x, float, NUMPY)
    assert np.abs(values).max() <= float(found["upper"]) + 1e-13
    assert np.abs(values).max() >= float(found["lower"]) * (1 - 1e-6)


# An independent route: mpmath, 60 digits, the roots of derivatives written out by hand (G' = Phi + x phi, S' = ...).

MPMATH = SimpleNamespace(exp=mpmath.exp, Phi=mpmath.ncdf, phi=mpmath.npdf, root=lambda: mpmath.sqrt(2 / mpmath.pi))
NUMPY = SimpleNamespace(exp=np.exp, Phi=scipy.stats.norm.cdf, phi=scipy.stats.norm.pdf, root=lambda: np.sqrt(2 / np.pi))


def gate(written, x, number, functions):
    """A gate and its first three derivatives, in closed form."""
    if written == "step(x)":
        return 1, 0, 0, 0
    if written == "Phi(x)":
        p = functions.phi(x)
        return functions.Phi(x), p, -x * p, (x * x - 1) * p
    m, a, b = re.fullmatch(r"sigma\((.+) \((\S+) x \+ (\S+) x\^3\)\)", written).groups()
    m = 2 * functions.root() if m == "2 sqrt(2/pi)" else number(m)
    a, b = m * number(a), m * number(b)
    v, v1, v2, v3 = a * x + b * x**3, a + 3 * b * x * x, 6 * b * x, 6 * b
    s = 1 / (1 + functions.exp(-v))
    s1, s2, s3 = s * (1 - s), s * (1 - s) * (1 - 2 * s), s * (1 - s) * (1 - 6 * s + 6 * s * s)
    return s, s1 * v1, s2 * v1**2 + s1 * v2, s3 * v1**3 + 3 * s2 * v1 * v2 + s1 * v3


def derivative_of_error(found, order, x, number=mpmath.mpf, functions=MPMATH):
    """F^(order) for F = x^w (g_left - g_right), by Leibniz's rule."""
    left, right = (gate(found[side], x, number, functions) for side in ("left", "right"))
    g = [a - b for a, b in zip(left, right, strict=True)]
    return x * g[order] + (order * g[order - 1] if order else 0) if found["weight"] == "x" else g[order]


@pytest.mark.parametrize("name", NAMES)
def test_mpmath_finds_the_same_number_at_the_root_of_the_derivative(name):
    found = load(name)
    order, radius = int(found["derivative"]), mpmath.mpf(10) ** -49
    assert Fraction(found["radius"]) <= Fraction(1, 10**49)
    with mpmath.workdps(60):
        sizes = []
        for _, sign, written in (cell for cell in found["cells"] if len(cell) == 3):
            guess = mpmath.mpf(written[:8])
            root = mpmath.findroot(lambda x: derivative_of_error(found, order + 1, x), guess)
            assert abs(root - mpmath.mpf(written)) < radius
            sizes.append(int(f"{sign}1") * derivative_of_error(found, order, root))
        lower, upper = mpmath.mpf(found["lower"]), mpmath.mpf(found["upper"])
        assert all(lower <= size <= upper for size in sizes)
