"""The written forms: with correctly rounded elementary functions their error counts are integers that never change."""

from fractions import Fraction

import numpy as np
import pytest
from gelu_verify.catalogue import get_function
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS
from gelu_verify.forms import FORMS, MachineIndependent, get_form
from gelu_verify.sweep import Interval, sweep

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
    call, function = MachineIndependent(written, format), get_function(written.function)
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
    written, format = FORMS[form], FORMATS["binary32"]
    x = np.linspace(-3, 3, 20001, dtype=np.float32)
    same = written(x) == MachineIndependent(written, format)(x)
    assert 0.7 < same.mean() <= 1


def test_naive_tanh_with_correct_tanh_is_zero_left_of_its_own_point() -> None:
    """With a correctly rounded tanh zeros begin at -5.157..., in real libraries between -5.06 and -5.42."""
    format, form = FORMATS["binary32"], FORMS["tanh_naive"]
    on = Interval(Fraction(-6), Fraction(-5))
    result = sweep(MachineIndependent(form, format), get_function("gelu_tanh"), format, on=on, workers=1)
    region = result.errors.regions["zero_instead_of_nonzero"][-1]
    assert (region.first, region.last) == (0xC0A50D26, format.round(-6))


def test_forms_are_found_by_name() -> None:
    assert get_form("erfc").function == "gelu"
    with pytest.raises(InputError, match="did you mean 'tanh_naive'"):
        get_form("tanh_native")
