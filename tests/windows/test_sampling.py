"""Sampled runs of binary64: what is planted is found, what is right passes, and the seed decides everything."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from gelu_verify.catalogue import function_or_expression, get_function
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS
from gelu_verify.forms import FORMS
from gelu_verify.records import Verdict
from gelu_verify.references.spans import Span
from gelu_verify.sweep import Interval, Policy
from gelu_verify.sweep.tasks import Stretch
from gelu_verify.windows import WindowedResult, engine, sample_windows
from gelu_verify.windows.runner import Draw, WindowJob

BINARY64 = FORMATS["binary64"]
PEAK = 0x3FE2_3456_789A_BCDE  # encoding of the input at which the planted error is largest


def loses_digits(x: np.ndarray) -> np.ndarray:
    """2 x, in single precision between -6 and -5."""
    return np.where((x >= -6) & (x <= -5), (2 * x).astype(np.float32), 2 * x)


def has_a_narrow_bump(x: np.ndarray) -> np.ndarray:
    """2 x, off by 60 ulp at one input and by one less whenever the distance to it doubles."""
    distance = np.abs(x.view(np.int64) - np.int64(PEAK)).astype(np.float64)
    ulps = np.maximum(60 - np.log2(1 + distance).astype(np.int64), 0)
    return ((2 * x).view(np.int64) + np.where(np.isfinite(x) & (x >= 0.5) & (x < 0.99), ulps, 0)).view(np.float64)


def gelu_by_mpmath(x: np.ndarray) -> np.ndarray:
    with mpmath.workprec(90):
        root = mpmath.sqrt(2)
        return np.array([float(v * mpmath.erfc(-v / root) / 2) for v in map(mpmath.mpf, x.tolist())])


def run(call: object, written: str, low: str, high: str, **options: object) -> WindowedResult:
    on = Interval(Fraction(low), Fraction(high))
    return sample_windows(call, function_or_expression(written), BINARY64, on=on, workers=1, **options)  # type: ignore[arg-type]


def test_lost_digits_in_part_of_a_binade_are_found_among_twenty() -> None:
    found = run(loses_digits, "2*x", "-1024", "-0.001", windows=160, policy=Policy(Fraction(4)))
    worst = found.errors.max_ulp
    assert found.verdict == Verdict.SAMPLED
    assert worst is not None and -6 <= BINARY64.exact(worst.bits) <= -5
    assert 2**27 < worst.size <= 2**28
    regions = found.errors.regions["over_limit"]
    assert all(-6 <= BINARY64.exact(end) <= -5 for region in regions for end in (region.first, region.last))
    assert found.errors.counts["over_limit"] == sum(region.count for region in regions)
    assert sum(row.inputs for row in found.errors.histogram) == found.inputs


def test_a_right_implementation_passes_with_nothing_misrounded() -> None:
    found = run(gelu_by_mpmath, "gelu", "-0.76", "-0.74", windows=1)
    assert found.errors.max_ulp is not None and found.errors.max_ulp.size <= Fraction(1, 2)
    assert not {name for name, number in found.errors.counts.items() if number}
    assert found.inputs > 8000


def test_an_implementation_passes_at_its_largest_error_and_at_nothing_less() -> None:
    for excess, passes in ((1, True), (-1, False)):
        worst = run(FORMS["erfc"], "gelu", "-6", "-5.9", windows=8).errors.max_ulp
        assert worst is not None and worst.size > 4
        limited = run(
            FORMS["erfc"], "gelu", "-6", "-5.9", windows=8, policy=Policy(worst.size * (1 + Fraction(excess, 2**60)))
        )
        assert (limited.errors.counts["over_limit"] == 0) is passes


def test_a_climb_finds_a_bump_that_the_draw_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(has_a_narrow_bump, "2*x", "0.25", "4", windows=64)
    worst = found.errors.max_ulp
    assert found.climbs > 0
    assert worst is not None and (worst.bits, worst.size) == (PEAK, 60)
    monkeypatch.setattr(engine, "_CLIMBS", 0)
    drawn = run(has_a_narrow_bump, "2*x", "0.25", "4", windows=64)
    assert drawn.climbs == 0
    assert drawn.errors.max_ulp is not None and drawn.errors.max_ulp.size < 30


def test_the_seed_decides_what_is_found_and_the_number_of_workers_does_not() -> None:
    one = run(FORMS["tanh_naive"], "gelu_tanh", "-7", "-5", windows=8, second=get_function("gelu"), seed=4)
    on = Interval(Fraction(-7), Fraction(-5))
    again, other = (
        sample_windows(
            FORMS["tanh_naive"],
            get_function("gelu_tanh"),
            BINARY64,
            on=on,
            windows=8,
            second=get_function("gelu"),
            seed=seed,
            workers=workers,
        )
        for seed, workers in ((4, 2), (5, 1))
    )
    assert again == one
    assert other != replace(one, seed=5)


def test_the_naive_tanh_form_is_zero_long_before_the_tanh_form_is() -> None:
    found = run(FORMS["tanh_naive"], "gelu_tanh", "-30", "-7", windows=16)
    zeros = found.errors.regions["zero_instead_of_nonzero"]
    ends = [float(BINARY64.exact(end)) for region in zeros for end in (region.first, region.last)]
    assert -7.3 < max(ends) < -7.18  # 1 + tanh(u) rounds to zero
    assert -21.548 < min(ends) < -21.547  # the form itself rounds to zero
    assert found.errors.max_rel is not None and found.errors.max_rel.size == 1


@pytest.mark.parametrize(("claim", "compared"), [("gelu", True), ("x*erfc(-x/sqrt(2))/2 + x**2", False)])
def test_gates_are_compared_across_zero(claim: str, compared: bool) -> None:
    first = 0x3FF8_0000_0000_0000
    windows = tuple(
        Stretch(Span(BINARY64, start, 256), start, start + 256) for start in (first, first | BINARY64.sign_mask)
    )
    job = WindowJob(FORMS["erfc"], (function_or_expression(claim),), BINARY64, 0, Policy(), windows)
    plus, minus = job.runner().run(Draw(0, windows))
    x = np.arange(first, first + 256, dtype=np.uint64).view(np.float64)
    above, below = FORMS["erfc"](x), FORMS["erfc"](-x)
    results = zip(above.tolist(), below.tolist(), x.tolist(), strict=True)
    residuals = [abs(Fraction(a) - Fraction(b) - Fraction(v)) for a, b, v in results]
    symmetry = plus.found[0].tally.worst.get("symmetry")
    assert (symmetry is not None) is compared
    assert symmetry is None or (symmetry.size, symmetry.bits) == (max(residuals), first + int(np.argmax(residuals)))
    assert "symmetry" not in minus.found[0].tally.worst


@pytest.mark.parametrize(
    ("options", "complaint"),
    [({"windows": 0}, "at least 1"), ({"workers": 0}, "at least 1"), ({"on": Interval(Fraction(1), Fraction(2))}, "")],
)
def test_senseless_runs_are_refused(options: dict[str, object], complaint: str) -> None:
    format = BINARY64 if complaint else FORMATS["binary32"]
    with pytest.raises(InputError, match=complaint or "binary32 is not sampled"):
        sample_windows(np.abs, get_function("gelu"), format, **options)  # type: ignore[arg-type]


def test_an_implementation_that_fails_is_told() -> None:
    def fails(x: np.ndarray) -> np.ndarray:
        raise ValueError("out of\nmemory")

    for call, complaint in ((fails, "ValueError: out of"), (lambda x: x[1:], "must return an array")):
        with pytest.raises(InputError, match=complaint):
            run(call, "gelu", "1", "2", windows=1)


def test_no_input_is_counted_twice() -> None:
    """Draws, marked places and climbs meet in the same windows where the domain is small."""
    last = Fraction(2**52 + 2**13 - 1, 2**52)
    found = run(lambda x: x + x, "2*x", "1", str(last), windows=64)
    assert found.inputs == 2**13
    off = run(lambda x: (x + x) * (1 + 2.0**-52), "2*x", "1", str(last), windows=1)
    assert off.climbs == 1 and off.inputs <= 2**13
    assert off.errors.counts["misrounded"] == off.inputs == sum(row.inputs for row in off.errors.histogram)
