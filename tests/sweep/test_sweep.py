"""A sweep finds what one-by-one judging finds, however it is run."""

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from gelu_verify.catalogue import Function, function_or_expression, get_function
from gelu_verify.enclosures import working_precision
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import FORMATS, Format, arrays, get_format
from gelu_verify.forms import FORMS
from gelu_verify.records import Verdict
from gelu_verify.references import derivative_ball, rounded
from gelu_verify.references.values import point
from gelu_verify.sweep import Interval, Region, Statistics, sweep
from gelu_verify.sweep.statistics import Tally, rounded_size
from gelu_verify.sweep.tasks import Task
from gelu_verify.sweep.workers import Job
from gelu_verify.windows import sample_windows

BINARY32 = FORMATS["binary32"]
LIMITS = {"over_1_ulp": 1, "over_2_ulp": 2, "over_4_ulp": 4, "over_16_ulp": 16, "over_1024_ulp": 1024}
EXACTLY_COUNTED = (
    "misrounded",
    *LIMITS,
    "nan",
    "infinite",
    "zero_instead_of_nonzero",
    "subnormal_flush",
    "wrong_sign",
    "zero_sign",
)


@dataclass(frozen=True)
class Expected:
    """The statistics of a sweep by the plainest means: one exact rational error after another."""

    counts: Counter[str]
    worst: dict[str, tuple[Fraction, int]]


def brute_force(call: Any, function: Function, derivative: int, format: Format, encodings: Iterable[int]) -> Expected:
    inputs = np.array(list(encodings), arrays.storage_dtype(format))
    with np.errstate(all="ignore"):
        results = call(inputs.view(arrays.native_dtype(format))).view(inputs.dtype)
    counts: Counter[str] = Counter()
    worst: dict[str, tuple[Fraction, int]] = {}
    for bits, got in zip(inputs.tolist(), results.tolist(), strict=True):
        for kind, size in judge_one(function, derivative, format, bits, got, counts).items():
            worst[kind] = max(worst.get(kind, (Fraction(-1), 0)), (rounded_size(size), -bits))
    return Expected(counts, worst)


def judge_one(
    function: Function, derivative: int, format: Format, bits: int, got: int, counts: Counter[str]
) -> dict[str, Fraction]:
    want = rounded(function, bits, format, derivative)
    if format.is_nan(got):
        counts.update(["misrounded", "nan"])
        return {}
    if format.is_infinite(got) and want != got:
        counts.update(["misrounded", "infinite", *LIMITS])
        return {}
    magnitudes = format.sign_mask - 1
    if got != want:
        counts.update(["misrounded"] if (got | want) & magnitudes else ["zero_sign"])
    if not got & magnitudes and want & magnitudes:
        counts.update(["zero_instead_of_nonzero"])
        counts.update(["subnormal_flush"] if want & magnitudes < format.min_normal else [])
    if format.is_infinite(got):
        return {}
    with working_precision(400):
        ball = derivative_ball(function.expression, point(format.exact(bits)), derivative)
        mantissa, exponent = (int(part) for part in ball.mid().man_exp())
    value = Fraction(mantissa) * Fraction(2) ** max(exponent, -3000)
    error, ulp = abs(format.exact(got) - value), format.ulp(value)
    counts.update(name for name, limit in LIMITS.items() if error > limit * ulp)
    if got & magnitudes and value and (format.exact(got) > 0) != (value > 0):
        counts.update(["wrong_sign"])
    sizes = {"ulp": error / ulp, "abs": error}
    if abs(value) >= format.exact(format.min_normal):
        sizes["rel"] = error / abs(value)
    return sizes


def finite_encodings(format: Format, on: Interval | None) -> list[int]:
    finite = [bits for bits in range(1 << format.width) if format.is_finite(bits)]
    return [bits for bits in finite if on is None or on.lower <= format.exact(bits) <= on.upper]


def assert_same(errors: Statistics, expected: Expected) -> None:
    assert {name: errors.counts[name] for name in EXACTLY_COUNTED} == {
        name: expected.counts[name] for name in EXACTLY_COUNTED
    }
    for kind, worst in (("ulp", errors.max_ulp), ("abs", errors.max_abs), ("rel", errors.max_rel)):
        size, bits = expected.worst.get(kind, (Fraction(0), 0))
        if worst is not None and worst.at_most == worst.size:
            assert worst.bits == -bits
        if worst is not None and worst.at_most is not None:
            assert worst.size <= size * (1 + Fraction(1, 2**70)) <= worst.at_most * (1 + Fraction(1, 2**60))


def off_by_one(x: np.ndarray) -> np.ndarray:
    """Results one ulp too large in magnitude, on a function that they should equal."""
    bits = x.view(f"u{x.itemsize}")
    return (bits + bits.dtype.type(1)).view(x.dtype)


def odd_behaviour(x: np.ndarray) -> np.ndarray:
    """Faults of every kind, at places that depend on the encoding alone."""
    with np.errstate(all="ignore"):
        result = np.array(FORMS["tanh_factored"](x))
    place = x.view(f"u{x.itemsize}").astype(np.uint64) * 2654435761 % 97
    result[place == 5] = np.nan
    result[place == 17] = np.inf
    result[place == 23] *= -1
    result[place == 31] = 0
    result[place == 47] = -0.0
    return result


ALL_OF_IT = [
    ("e4m3fn", "tanh_naive", "gelu_tanh", None),
    ("e5m2", "tanh_naive", "gelu_tanh", None),
    ("e5m2", "sigmoid", "gelu", None),
    ("binary16", "tanh_naive", "gelu_tanh", (-8, -4)),
    ("binary16", "tanh_factored", "gelu", (-4, Fraction(-7, 4))),
    ("binary16", "sigmoid", "gelu_sigmoid", (Fraction(-1, 1000), Fraction(1, 1000000))),
    ("bfloat16", "tanh_naive", "gelu_tanh", (-12, 3)),
    ("bfloat16", "sigmoid_gradient", "gelu_sigmoid", (-4, 4)),
    ("binary16", "tanh_factored_gradient", "gelu_tanh", (Fraction(-4, 5), Fraction(-7, 10))),
]


@pytest.mark.parametrize(("name", "form", "function", "ends"), ALL_OF_IT)
def test_every_count_and_every_worst_input_is_that_of_one_by_one_judging(
    name: str, form: str, function: str, ends: tuple[Fraction, Fraction] | None
) -> None:
    format, written = get_format(name), FORMS[form]
    on = None if ends is None else Interval(Fraction(ends[0]), Fraction(ends[1]))
    encodings = finite_encodings(format, on)[:3000]
    on = on and Interval(min(map(format.exact, encodings)), max(map(format.exact, encodings)))
    encodings = finite_encodings(format, on)
    result = sweep(written, get_function(function), format, derivative=written.derivative, on=on, workers=1)
    assert result.verdict is Verdict.EXHAUSTIVE
    expected = brute_force(written, get_function(function), written.derivative, format, encodings)
    assert_same(result.errors, expected)


@pytest.mark.parametrize("ends", [(-6, -3), (Fraction(-1, 2**124), Fraction(1, 2**123)), (3, 9)])
def test_faults_of_every_kind_are_counted_exactly(ends: tuple[int, Fraction]) -> None:
    format, gelu = FORMATS["bfloat16"], get_function("gelu_tanh")
    on = Interval(Fraction(ends[0]), Fraction(ends[1]))
    result = sweep(odd_behaviour, gelu, format, on=on, workers=1)
    assert_same(result.errors, brute_force(odd_behaviour, gelu, 0, format, finite_encodings(format, on)))


@pytest.mark.parametrize(("written", "call"), [("x", off_by_one), ("max(x, 0)", off_by_one), ("0.5*x", off_by_one)])
def test_errors_that_equal_a_limit_exactly_do_not_exceed_it(written: str, call: Any) -> None:
    format, function = FORMATS["binary16"], function_or_expression(written)
    on = Interval(Fraction(1, 2**16), Fraction(1, 64))
    result = sweep(call, function, format, on=on, workers=1)
    assert_same(result.errors, brute_force(call, function, 0, format, finite_encodings(format, on)))


@pytest.mark.parametrize(("function", "over"), [("tanh", True), ("sinh_like", False)])
def test_an_error_of_one_ulp_and_a_rest_of_known_sign_is_decided(function: str, over: bool) -> None:
    """x is tanh(x) plus a tiny rest; one ulp more than x is more than one ulp too much. For x + x**3 it is less."""
    written = "tanh(x)" if over else "x + x**3"
    on = Interval(Fraction(1, 2**90), Fraction(1, 2**89))
    result = sweep(off_by_one, function_or_expression(written), BINARY32, on=on, workers=1)
    assert result.errors.counts["misrounded"] == result.inputs == 2**23 + 1
    assert result.errors.counts["over_1_ulp"] == (result.inputs if over else 0)
    assert result.errors.counts["undecided"] == 0


def test_an_identity_is_right_where_gelu_rounds_to_x_and_nowhere_just_below() -> None:
    ends = [BINARY32.exact(bits) for bits in (0x40AB1ED9 - 5000, 0x41200000)]
    result = sweep(lambda x: x + 0, get_function("gelu"), BINARY32, on=Interval(*ends), workers=1)
    assert result.errors.counts["misrounded"] <= 5000
    last_wrong = max(
        bits for bits in range(0x40AB1ED0, 0x40AB1EE0) if rounded(get_function("gelu"), bits, BINARY32) != bits
    )
    assert last_wrong == 0x40AB1ED8
    beyond = Interval(BINARY32.exact(0x40AB1ED9), Fraction(10**30))
    result = sweep(lambda x: x + 0, get_function("gelu"), BINARY32, on=beyond, workers=1)
    assert result.errors.counts["misrounded"] == 0
    before = Interval(BINARY32.exact(0x40AB1ED8), BINARY32.exact(0x40AB1ED8))
    assert sweep(lambda x: x + 0, get_function("gelu"), BINARY32, on=before, workers=1).errors.counts["misrounded"] == 1


def test_half_way_subnormals_round_up_for_positive_and_towards_zero_for_negative_inputs() -> None:
    """x*0.5 rounds ties to even: of 8,388,608 half-way cases on each side of zero it gets half wrong."""
    on = Interval(-(Fraction(2) ** -125), Fraction(2) ** -125)
    result = sweep(lambda x: x * np.float32(0.5), get_function("gelu"), BINARY32, on=on, workers=1)
    assert result.errors.counts["misrounded"] == 8_388_608
    assert result.errors.counts["over_1_ulp"] == 0
    assert result.errors.counts["zero_instead_of_nonzero"] == 1  # 2^-149, whose GELU rounds to itself


def test_two_processes_give_what_one_gives() -> None:
    on = Interval(Fraction(-6), Fraction(-3))
    gelu, second = get_function("gelu_tanh"), get_function("gelu")
    form = FORMS["tanh_naive"]
    results = [sweep(form, gelu, BINARY32, name="t", second=second, on=on, workers=n) for n in (1, 2)]
    assert results[0] == results[1]
    assert results[0].errors.regions["zero_instead_of_nonzero"][-1].last == BINARY32.round(-6)


@pytest.mark.parametrize(
    ("format", "form"), [("binary16", "tanh_naive"), ("e5m2", "tanh_naive"), ("e4m3fn", "sigmoid")]
)
def test_it_does_not_matter_which_worker_has_done_what_before(
    format: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other extreme: the last task first, and each in a worker that has seen nothing yet."""

    def by_strangers(job: Job, tasks: Sequence[Task], _: int) -> Generator[tuple[Task, list[Tally]], None, None]:
        for task in reversed(tasks):
            yield task, job.runner().run(task)

    written = FORMS[form]
    usual = sweep(written, get_function(written.function), FORMATS[format], workers=1)
    monkeypatch.setattr("gelu_verify.sweep.engine.run_tasks", by_strangers)
    assert sweep(written, get_function(written.function), FORMATS[format], workers=1) == usual


def test_naive_tanh_is_zero_left_of_its_known_point() -> None:
    """NumPy's tanh reaches 1 at u with x = -5.41...; other libraries' earlier, from -5.06 on."""
    on = Interval(Fraction(-6), Fraction(-5))
    result = sweep(FORMS["tanh_naive"], get_function("gelu_tanh"), BINARY32, on=on, workers=1)
    (region,) = result.errors.regions["zero_instead_of_nonzero"]
    assert -5.42 < float(BINARY32.exact(region.first)) < -5.05
    assert region == Region(region.first, BINARY32.round(-6), BINARY32.round(-6) - region.first + 1)


def test_non_monotone_steps_are_counted_on_both_sides_of_the_minimum() -> None:
    format, gelu = FORMATS["binary16"], get_function("gelu")

    def bumpy(x: np.ndarray) -> np.ndarray:
        bits = np.array([rounded(gelu, bits, format) for bits in x.view(np.uint16).tolist()], np.uint16)
        bits[x == np.float16(-0.8)] += 3
        bits[x == np.float16(-0.7)] -= 3
        bits[x == np.float16(0.5)] -= 9
        return bits.view(np.float16)

    result = sweep(bumpy, gelu, format, on=Interval(Fraction(-1), Fraction(1)), workers=1)
    assert result.errors.counts["not_monotone"] == 3
    assert result.errors.counts["misrounded"] == 3


def test_the_symmetry_residual_is_that_of_the_worst_pair() -> None:
    format, form = FORMATS["binary16"], FORMS["tanh_naive"]
    result = sweep(form, get_function("gelu_tanh"), format, on=Interval(Fraction(-4), Fraction(4)), workers=1)
    x = np.arange(1, format.round(4) + 1, dtype=np.uint16).view(np.float16)
    residual = np.abs(form(x).astype(float) - form(-x).astype(float) - x.astype(float))
    assert result.errors.symmetry is not None
    assert float(result.errors.symmetry.size) == residual.max()
    assert result.errors.symmetry.bits == 1 + int(residual.argmax())


def test_special_inputs_are_judged() -> None:
    def careless(x: np.ndarray) -> np.ndarray:
        return np.where(np.isnan(x), x.dtype.type(0), FORMS["tanh_factored"](x))

    result = sweep(careless, get_function("gelu_tanh"), FORMATS["e5m2"], workers=1)
    assert result.errors.counts["nan_swallowed"] == 6
    assert result.errors.regions["nan_swallowed"] == (Region(0x7D, 0x7F, 3), Region(0xFD, 0xFF, 3))
    assert result.inputs == 256


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: x.astype(np.float64), "float64"),
        (lambda x: x[:-1], "must return an array"),
        (lambda x: 3.0, "returned a float"),
        (lambda x: 1 / 0, "ZeroDivisionError: division by zero"),
    ],
)
def test_a_misbehaving_implementation_is_told_in_one_line(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        sweep(call, get_function("gelu"), FORMATS["e5m2"], workers=1)
    assert "\n" not in str(caught.value)


def test_an_implementation_cannot_write_to_its_input() -> None:
    def greedy(x: np.ndarray) -> np.ndarray:
        x *= 2
        return x

    with pytest.raises(InputError, match="read-only"):
        sweep(greedy, get_function("gelu"), FORMATS["binary16"], workers=1)


def test_an_empty_interval_is_refused() -> None:
    with pytest.raises(InputError, match="lower end first"):
        Interval(Fraction(1), Fraction(0))
    with pytest.raises(InputError, match="no finite number"):
        sweep(abs, get_function("gelu"), BINARY32, on=Interval(Fraction(1, 3), Fraction(1, 3)), workers=1)


def test_results_that_are_all_nan_are_counted_and_have_no_largest_error() -> None:
    def lost(x: np.ndarray) -> np.ndarray:
        return np.full_like(x, np.nan)

    one = Interval(Fraction(1), Fraction(3, 2))
    errors = sweep(lost, get_function("silu"), FORMATS["binary16"], on=one, workers=1).errors
    assert errors.counts["nan"] == errors.inputs == 513
    assert errors.max_ulp is None


def test_a_run_of_right_results_ends_where_its_proof_ends() -> None:
    function = function_or_expression("where(x < 1.25, x, x*exp(x))")
    first, kink, last = (BINARY32.round(Fraction(size, 8)) for size in (8, 10, 11))
    on = Interval(BINARY32.exact(first), BINARY32.exact(last))
    result = sweep(lambda x: x + 0, function, BINARY32, name="identity", on=on, workers=1)
    assert result.errors.counts["misrounded"] == last - kink + 1


@pytest.mark.parametrize(("run", "format"), [(sweep, "e5m2"), (sample_windows, "binary64")])
def test_a_system_that_starts_no_process_is_no_failure_of_the_implementation(run: Any, format: str) -> None:
    def never_started(x: np.ndarray) -> np.ndarray:
        raise IncompleteError("cannot start another process")

    with pytest.raises(IncompleteError, match=r"^cannot start another process$"):
        run(never_started, get_function("gelu"), FORMATS[format], workers=1)
