"""Right values for the arrays of somebody's own tests."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import function_or_expression
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS, Format
from gelu_verify.formats.arrays import native_dtype, storage_dtype
from gelu_verify.references.correct_rounding import rounded


def reference_array(x: npt.NDArray[Any], function: str = "gelu", derivative: int = 0) -> npt.NDArray[Any]:
    """Return the correctly rounded values at an array of float16, float32, float64 or an ml_dtypes type.

    Raises:
        InputError: it is no array or has another type, or the function or derivative has no value at an element.
    """
    if not isinstance(x, (np.ndarray, np.generic)):
        raise InputError(f"{type(x).__name__} is no array; its type tells in which format the values are wanted")
    format = _format_of(x.dtype)
    catalogue_function = function_or_expression(function)
    bits = np.ascontiguousarray(x).view(storage_dtype(format)).ravel().tolist()
    results = np.array([rounded(catalogue_function, b, format, derivative) for b in bits], storage_dtype(format))
    return results.view(native_dtype(format)).reshape(x.shape)


def _format_of(dtype: np.dtype[Any]) -> Format:
    for format in FORMATS.values():
        if dtype.itemsize * 8 == format.width and native_dtype(format) == dtype:
            return format
    raise InputError(f"arrays of {dtype} are none of {', '.join(FORMATS)}")
