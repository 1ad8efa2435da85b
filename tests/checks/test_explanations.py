"""What a finding says of real libraries' ways to err: not more than is true, and with a witness that shows it."""

import numpy as np
import numpy.typing as npt
from scipy.special import erf

from gelu_verify.catalogue import get_function
from gelu_verify.checks.case import Claim
from gelu_verify.checks.runner import run_checks
from gelu_verify.formats import FORMATS
from gelu_verify.records import Finding
from gelu_verify.targets import InProcess

BINARY32 = FORMATS["binary32"]
Floats = npt.NDArray[np.float32]


def exact_gelu(x: Floats) -> Floats:
    wide = x.astype(np.float64)
    return np.asarray(0.5 * wide * (1 + erf(wide * np.sqrt(0.5))), np.float32)


def erf_of_a_hastings_formula(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Formula 7.1.26 of Abramowitz and Stegun: within 1.5e-7 of erf, in vector code to this day."""
    t = 1 / (1 + 0.3275911 * abs(x))
    tail = t * np.polyval([1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592], t) * np.exp(-x * x)
    return np.asarray(np.sign(x) * (1 - tail))


def gradient_by_a_coarse_erf(x: Floats) -> Floats:
    wide = x.astype(np.float64)
    density = np.exp(-0.5 * wide * wide) / np.sqrt(2 * np.pi)
    return np.asarray(0.5 * (1 + erf_of_a_hastings_formula(wide * np.sqrt(0.5))) + wide * density, np.float32)


def gradient_without_half_its_density(x: Floats) -> Floats:
    wide = x.astype(np.float64)
    density = np.exp(-0.5 * wide * wide) / np.sqrt(2 * np.pi)
    return np.asarray(0.5 * (1 + erf(wide * np.sqrt(0.5))) + 0.5 * wide * density, np.float32)


def overflows_in_vectors_only(x: Floats) -> Floats:
    result = exact_gelu(x)
    whole = len(x) - len(x) % 16
    result[:whole][x[:whole] >= 2.0**127] = np.inf
    return result


def found(call, gradient=None) -> dict[str, Finding]:
    target = InProcess(call, BINARY32, gradient=gradient, framework="numpy")
    report = run_checks(target, Claim(get_function("gelu"), BINARY32), gradient=gradient is not None)
    return {finding.kind: finding for finding in report.findings}


def test_a_gradient_by_a_coarse_erf_is_no_wrong_derivative_and_one_that_lacks_a_factor_is() -> None:
    coarse = found(exact_gelu, gradient_by_a_coarse_erf)
    assert "wrong-derivative" not in coarse
    assert coarse["coarse-approximation"].backward
    assert "wrong-derivative" in found(exact_gelu, gradient_without_half_its_density)


def test_the_witness_of_a_fault_of_vector_code_shows_the_fault() -> None:
    finding = found(overflows_in_vectors_only)["overflow"]
    assert finding.x == BINARY32.round(2**127)
    assert finding.got == BINARY32.infinity
