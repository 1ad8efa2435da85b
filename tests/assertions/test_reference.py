"""Right values for arrays: whatever their shape, and nothing but a right value."""

import numpy as np
import pytest

from gelu_verify.assertions.reference import reference_array
from gelu_verify.catalogue import get_function
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS
from gelu_verify.vectors import golden_vectors


def test_values_have_the_shape_and_type_of_the_array_in_any_layout():
    x = np.arange(-6, 6, dtype=np.float64).reshape(3, 4)
    right = reference_array(x)
    for same, values in ((x.T, right.T), (x[::-1, ::2], right[::-1, ::2]), (np.asfortranarray(x), right)):
        assert np.array_equal(reference_array(same), values)
    assert reference_array(np.array(-0.0, np.float16)).shape == () and reference_array(x[:0]).shape == (0, 4)
    special = reference_array(np.array([np.inf, -np.inf, np.nan, -0.0], np.float32))
    assert special.view(np.uint32).tolist() == [0x7F800000, 0x80000000, 0x7FC00000, 0x80000000]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (([1.0],), "list is no array"),
        ((np.array([1]),), "arrays of int64 are none of"),
        ((np.array([1], ">f4"),), "arrays of >f4 are none of"),
        ((np.float32([1]), None), "None is no text"),
        ((np.float32([1]), "gelly"), "unknown function 'gelly'"),
        ((np.float32([1]), "gelu", -1), "the derivative's order is -1"),
        ((np.float32([1]), "gelu", 1.5), "the derivative's order is 1.5"),
        ((np.float32([0]), "relu", 1), "has no value at x = 0"),
    ],
)
def test_what_has_no_right_value_is_refused_in_one_line(arguments: tuple, complaint: str):
    with pytest.raises(InputError) as refusal:
        reference_array(*arguments)
    assert complaint in str(refusal.value) and "\n" not in str(refusal.value)


@pytest.mark.parametrize("derivative", [-1, 201, 0.5])
def test_vectors_of_no_derivative_are_refused(derivative: float):
    with pytest.raises(InputError, match="it must be from 0 to 200"):
        golden_vectors(get_function("gelu"), FORMATS["e5m2"], derivative)  # type: ignore[arg-type]
