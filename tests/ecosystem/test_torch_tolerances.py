"""The preset for torch's tests has the tolerances that torch itself uses; skipped where it is not installed."""

import pytest

from gelu_verify.strength import PRESETS

torch = pytest.importorskip("torch")

TYPES = {"binary16": "float16", "bfloat16": "bfloat16", "binary32": "float32", "binary64": "float64"}


def accepted(expected: float, difference: float, type: str) -> bool:
    """Tell whether torch.testing.assert_close, with its defaults, accepts a difference; all is exact in binary64."""
    wide = torch.tensor([expected], dtype=torch.float64)
    rtol, atol = torch.testing._comparison.default_tolerances(getattr(torch, type))
    try:
        torch.testing.assert_close(wide + difference, wide, rtol=rtol, atol=atol)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(("format", "type"), TYPES.items())
def test_the_tolerances_are_those_of_assert_close(format: str, type: str):
    tolerance = PRESETS["torch-defaults"].tolerance(format)
    for expected in (0.0, 1.0, -64.0):
        allowed = tolerance.atol + tolerance.rtol * abs(expected)
        assert accepted(expected, 0.999 * allowed, type) and not accepted(expected, 1.001 * allowed, type)


def test_nothing_given_means_these_tolerances():
    tolerance = PRESETS["torch-defaults"].tolerance("binary32")
    one = torch.ones(1)
    torch.testing.assert_close(one + 0.9 * (tolerance.atol + tolerance.rtol), one)
    with pytest.raises(AssertionError):
        torch.testing.assert_close(one + 1.1 * (tolerance.atol + tolerance.rtol), one)
