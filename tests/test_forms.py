"""The written forms: with correctly rounded elementary functions their error counts are integers that never change."""

from fractions import Fraction
from functools import partial
from math import pi, sqrt
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest

from gelu_verify.catalogue import get_function
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS, Format
from gelu_verify.formats.arrays import native_dtype, storage_dtype
from gelu_verify.forms import FORMS, Array, Elementary, MachineIndependent, WrittenForm, correct, get_form
from gelu_verify.references import rounded
from gelu_verify.sweep import Interval, sweep
from gelu_verify.targets import parse_target
from gelu_verify.targets.loading import load_callable

COUNTED = (
    "misrounded",
    "over_1_ulp",
    "over_2_ulp",
    "over_4_ulp",
    "over_16_ulp",
    "over_1024_ulp",
    "nan",
    "zero_instead_of_nonzero",
    "not_monotone",
)

# format -> form -> the counts, in the order above, and the worst input
EVERY_INPUT = {
    "binary16": {
        "tanh_naive": (10912, 2591, 1613, 1297, 914, 234, 0, 543, 1453, 0xC3C4),
        "tanh_factored": (14243, 4356, 975, 531, 192, 0, 0, 323, 561, 0xC408),
        "sigmoid": (15590, 5038, 1408, 856, 568, 81, 0, 845, 635, 0xC684),
        "erf": (10955, 2631, 1706, 1383, 979, 228, 0, 612, 1470, 0xC3AA),
        "erfc": (10273, 1868, 760, 330, 0, 0, 0, 48, 509, 0xC406),
        "tanh_naive_gradient": (29564, 3518, 2441, 1772, 1094, 319, 13588, 612, 1292, 0xC37D),
        "tanh_factored_gradient": (30087, 6297, 2231, 1084, 360, 85, 13588, 393, 485, 0xC413),
        "sigmoid_gradient": (19303, 6799, 2231, 1204, 687, 156, 1690, 884, 225, 0xC6AB),
        "erf_gradient": (15275, 2986, 1941, 1264, 621, 0, 0, 85, 454, 0xBA04),
        "erfc_gradient": (14845, 2348, 1098, 370, 75, 0, 0, 85, 312, 0xBA04),
    },
    "bfloat16": {
        "tanh_naive": (1268, 450, 330, 295, 254, 0, 0, 227, 154, 0xC04C),
        "tanh_factored": (1552, 589, 249, 176, 72, 0, 0, 5, 71, 0xC11D),
        "sigmoid": (1868, 806, 432, 299, 82, 0, 0, 20, 117, 0xC255),
        "erf": (1308, 486, 376, 344, 302, 0, 0, 275, 157, 0xC08B),
        "erfc": (1232, 399, 271, 205, 84, 0, 0, 3, 93, 0xC148),
        "tanh_naive_gradient": (17812, 558, 431, 346, 269, 0, 16034, 230, 125, 0xC0AC),
        "tanh_factored_gradient": (17833, 787, 372, 224, 89, 0, 16034, 7, 56, 0xC122),
        "sigmoid_gradient": (2293, 972, 493, 319, 112, 0, 210, 23, 29, 0xC253),
        "erf_gradient": (1735, 532, 405, 298, 76, 0, 0, 4, 54, 0xBF41),
        "erfc_gradient": (1675, 426, 287, 176, 46, 0, 0, 4, 35, 0xBF41),
    },
}


@pytest.mark.parametrize("name", EVERY_INPUT)
@pytest.mark.parametrize("form", FORMS)
def test_the_counts_of_a_form_over_every_input_never_change(name: str, form: str) -> None:
    written, format = FORMS[form], FORMATS[name]
    call, function = MachineIndependent(written), get_function(written.function)
    result = sweep(call, function, format, derivative=written.derivative, workers=1)
    assert result.inputs == 65536
    assert result.errors.max_ulp is not None
    found = (*(result.errors.counts[count] for count in COUNTED), result.errors.max_ulp.bits)
    assert found == EVERY_INPUT[name][form]


def test_forward_and_gradient_of_every_form_are_there() -> None:
    plain = {name for name, form in FORMS.items() if form.derivative == 0}
    assert plain == {"tanh_naive", "tanh_factored", "sigmoid", "erf", "erfc"}
    assert {name for name, form in FORMS.items() if form.derivative == 1} == {f"{name}_gradient" for name in plain}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_its_function_up_to_rounding(form: str) -> None:
    written = FORMS[form]
    function = get_function(written.function)
    x = np.linspace(-2, 2, 41)
    from gelu_verify.references import value

    exact = [float(value(function, Fraction(float(p)), written.derivative).lower) for p in x]
    np.testing.assert_allclose(written(x), exact, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("form", FORMS)
def test_numpy_evaluates_a_form_nearly_as_its_model_does(form: str) -> None:
    """NumPy's and SciPy's elementary functions are not correctly rounded, but nearly: most results agree."""
    written = FORMS[form]
    x = np.linspace(-3, 3, 20001, dtype=np.float32)
    same = written(x) == MachineIndependent(written)(x)
    assert 0.7 < same.mean() <= 1


def test_naive_tanh_with_correct_tanh_is_zero_left_of_its_own_point() -> None:
    """With a correctly rounded tanh zeros begin at -5.157..., in real libraries between -5.06 and -5.42."""
    format, form = FORMATS["binary32"], FORMS["tanh_naive"]
    on = Interval(Fraction(-6), Fraction(-5))
    result = sweep(MachineIndependent(form), get_function("gelu_tanh"), format, on=on, workers=1)
    region = result.errors.regions["zero_instead_of_nonzero"][-1]
    assert (region.first, region.last) == (0xC0A50D26, format.round(-6))


def test_forms_are_found_by_name() -> None:
    assert get_form("erfc").function == "gelu"
    with pytest.raises(InputError, match="did you mean 'tanh_naive'"):
        get_form("tanh_native")


def test_every_form_is_a_target_with_correctly_rounded_functions() -> None:
    """In every narrow format; what the elementary functions of NumPy give plays no part."""
    assert list(vars(correct)) == list(FORMS)
    for name in FORMS:
        call = load_callable(parse_target(f"gelu_verify.forms:correct.{name}"))
        for format in (FORMATS[each] for each in ("binary16", "bfloat16", "binary32", "e5m2")):
            x = np.array([format.round(Fraction(-3, 4))], storage_dtype(format)).view(native_dtype(format))
            assert call(x).dtype == x.dtype
    with pytest.raises(InputError, match="work in binary16, bfloat16, binary32, e4m3fn, e5m2; got an array of float64"):
        correct.erf(np.array([1.0]))


def test_no_elementary_function_of_numpy_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(-7, 7, 57, dtype=np.float32)
    before = {name: form(x).tobytes() for name, form in vars(correct).items()}

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("NumPy's results differ from machine to machine")

    for name in ("exp", "expm1", "exp2", "tanh", "log", "log1p", "sqrt", "power", "square"):
        monkeypatch.setattr(np, name, forbidden)
    assert {name: form(x).tobytes() for name, form in vars(correct).items()} == before


class OneByOne:
    """A number of a format, whose operations are done on rational numbers and rounded: no float takes part."""

    def __init__(self, value: Fraction | float | int, format: Format) -> None:
        self.format = format
        self.value = format.exact(format.round(Fraction(value)))

    @property
    def dtype(self) -> SimpleNamespace:
        return SimpleNamespace(type=lambda value: OneByOne(value, self.format))

    def __neg__(self) -> "OneByOne":
        return OneByOne(-self.value, self.format)

    def __add__(self, other: "OneByOne") -> "OneByOne":
        return OneByOne(self.value + other.value, self.format)

    def __sub__(self, other: "OneByOne") -> "OneByOne":
        return OneByOne(self.value - other.value, self.format)

    def __mul__(self, other: "OneByOne") -> "OneByOne":
        return OneByOne(self.value * other.value, self.format)

    def __truediv__(self, other: "OneByOne") -> "OneByOne":
        return OneByOne(self.value / other.value, self.format)

    def mapped(self, name: str) -> "OneByOne":
        bits = rounded(get_function(name), self.format.round(self.value), self.format)
        return OneByOne(self.format.exact(bits), self.format)


@pytest.mark.parametrize("name", ["binary16", "bfloat16", "binary32"])
@pytest.mark.parametrize("form", FORMS)
def test_every_operation_of_a_form_is_rounded_once_and_none_is_fused(form: str, name: str) -> None:
    """NumPy's arithmetic, operation by operation, against rational numbers rounded after each operation."""
    format, written = FORMATS[name], FORMS[form]
    elementary = Elementary(*(partial(OneByOne.mapped, name=each) for each in ("exp", "tanh", "erf", "erfc")))
    points = [format.round(Fraction(n * n * (-1) ** n, 97)) for n in range(1, 18)]
    x = np.array(points, storage_dtype(format)).view(native_dtype(format))
    found = correctly(written, x)
    for bits, got in zip(points, found.tolist(), strict=True):
        want = written.evaluate(OneByOne(format.exact(bits), format), elementary)  # type: ignore[arg-type]
        assert format.exact(got) == want.value, format.hex(bits)  # type: ignore[attr-defined]


def correctly(form: WrittenForm, x: Array) -> Array:
    return MachineIndependent(form)(x).view(
        storage_dtype(FORMATS["binary16"] if x.itemsize == 2 else FORMATS["binary32"])
    )


@pytest.mark.parametrize("name", ["binary16", "bfloat16", "binary32"])
def test_the_constants_are_the_nearest_numbers_of_the_format(name: str) -> None:
    """They pass through binary64 first; that must not have moved them."""
    format = FORMATS[name]
    x = np.array([1], native_dtype(format))
    with mpmath.workdps(60):
        exact = {
            sqrt(2 / pi): mpmath.sqrt(2 / mpmath.pi),
            1 / sqrt(2): 1 / mpmath.sqrt(2),
            1 / sqrt(2 * pi): 1 / mpmath.sqrt(2 * mpmath.pi),
            0.044715: mpmath.mpf("0.044715"),
            3 * 0.044715: 3 * mpmath.mpf("0.044715"),
            1.702: mpmath.mpf("1.702"),
        }
        for written, true in exact.items():
            got = np.array([x.dtype.type(written)]).view(storage_dtype(format))[0]
            assert int(got) == format.round(Fraction(*map(int, mpmath.libmp.to_rational(true._mpf_)))), written


@pytest.mark.parametrize("name", ["erf", "erfc", "erf_gradient"])
def test_a_form_with_scipys_functions_keeps_the_type_of_its_input_also_where_scipy_does_not_know_it(name: str) -> None:
    pytest.importorskip("scipy")
    x = np.array([-1.0, 0.5, 3.0]).astype(native_dtype(FORMATS["bfloat16"]))
    results = FORMS[name](x)
    assert results.dtype == x.dtype
    np.testing.assert_allclose(results.astype(float), FORMS[name](x.astype(float)), rtol=0.02)
