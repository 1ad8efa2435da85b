"""The written forms: GELU as people write it, operation by operation in the format of the input.

A form is arithmetic plus a few elementary functions, and those decide much of its error. So each form is given as a
function of the `Elementary` functions it calls: NumPy's own, or correctly rounded ones (`gelu_verify.references.bulk`),
with which its results are the same on every machine.

Constants are rounded to the format of x, as literals are in a kernel of that type.

Every form can be named as a target: `gelu_verify.forms:tanh_naive` with the elementary functions of this machine, and
`gelu_verify.forms:correct.tanh_naive` with correctly rounded ones.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from math import pi, sqrt
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import get_function
from gelu_verify.errors import InputError, nearest_names
from gelu_verify.formats import FORMATS, Format, get_format
from gelu_verify.references.bulk import CorrectlyRounded

Array = npt.NDArray[np.floating[Any]]
Map = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Elementary:
    """The elementary functions that a form calls: each maps an array to one of the same type."""

    exp: Map
    tanh: Map
    erf: Map
    erfc: Map

    def sigmoid(self, v: Array) -> Array:
        """Return 1/(1 + exp(-v)) as it is usually written."""
        one = v.dtype.type(1)
        return one / (one + self.exp(-v))


@dataclass(frozen=True, slots=True)
class WrittenForm:
    """A form as a piece of code.

    Attributes:
        name: the form's name here.
        function: the catalogue function that it is exact arithmetic for.
        derivative: the order of the derivative that it computes.
        code: how it is written.
        evaluate: the code, for an array and the elementary functions to use.
    """

    name: str
    function: str
    derivative: int
    code: str
    evaluate: Callable[[Array, Elementary], Array]

    def __call__(self, x: Array) -> Array:
        """Evaluate with NumPy's elementary functions (SciPy's erf and erfc, which NumPy lacks)."""
        return self.evaluate(x, numpy_elementary())


@dataclass(frozen=True, slots=True)
class MachineIndependent:
    """A form with correctly rounded elementary functions: its results are the same on every machine."""

    form: WrittenForm

    def __call__(self, x: Array) -> Array:
        """Evaluate in the format of x, which has at most 32 bits; raises InputError for an array of another type."""
        return self.form.evaluate(x, correctly_rounded_elementary(_format_of(x)))


def _format_of(x: Array) -> Format:
    """Return the format of an array's type, of which NumPy knows the name even where the type is not its own."""
    with suppress(InputError):
        format = get_format(x.dtype.name)
        if format.width <= 32:
            return format
    narrow = ", ".join(format.name for format in FORMATS.values() if format.width <= 32)
    raise InputError(f"correctly rounded forms work in {narrow}; got an array of {x.dtype}")


def _constants(x: Array, *values: float) -> list[np.floating[Any]]:
    """Return numbers of the type of x."""
    return [x.dtype.type(value) for value in values]


def _inner(x: Array) -> Array:
    """u = sqrt(2/pi)(x + 0.044715 x^3), with two products for the cube."""
    scale, c = _constants(x, sqrt(2 / pi), 0.044715)
    return scale * (x + c * x * x * x)


def _inner_slope(x: Array) -> Array:
    """du/dx = sqrt(2/pi)(1 + 3 * 0.044715 x^2)."""
    scale, c, one = _constants(x, sqrt(2 / pi), 3 * 0.044715, 1)
    result: Array = scale * (one + c * x * x)
    return result


def _tanh_naive(x: Array, f: Elementary) -> Array:
    half, one = _constants(x, 0.5, 1)
    return half * x * (one + f.tanh(_inner(x)))


def _tanh_naive_gradient(x: Array, f: Elementary) -> Array:
    half, one = _constants(x, 0.5, 1)
    t = f.tanh(_inner(x))
    result: Array = half * (one + t) + half * x * (one - t * t) * _inner_slope(x)
    return result


def _tanh_factored(x: Array, f: Elementary) -> Array:
    (two,) = _constants(x, 2)
    return x * f.sigmoid(two * _inner(x))


def _tanh_factored_gradient(x: Array, f: Elementary) -> Array:
    one, two = _constants(x, 1, 2)
    s = f.sigmoid(two * _inner(x))
    return s + two * x * s * (one - s) * _inner_slope(x)


def _sigmoid(x: Array, f: Elementary) -> Array:
    (k,) = _constants(x, 1.702)
    return x * f.sigmoid(k * x)


def _sigmoid_gradient(x: Array, f: Elementary) -> Array:
    k, one = _constants(x, 1.702, 1)
    s = f.sigmoid(k * x)
    return s + k * x * s * (one - s)


def _erf(x: Array, f: Elementary) -> Array:
    half, one, r = _constants(x, 0.5, 1, 1 / sqrt(2))
    return half * x * (one + f.erf(x * r))


def _density(x: Array, f: Elementary) -> Array:
    half, scale = _constants(x, 0.5, 1 / sqrt(2 * pi))
    return scale * f.exp(-half * x * x)


def _erf_gradient(x: Array, f: Elementary) -> Array:
    half, one, r = _constants(x, 0.5, 1, 1 / sqrt(2))
    result: Array = half * (one + f.erf(x * r)) + x * _density(x, f)
    return result


def _erfc(x: Array, f: Elementary) -> Array:
    half, r = _constants(x, 0.5, 1 / sqrt(2))
    return half * x * f.erfc(-x * r)


def _erfc_gradient(x: Array, f: Elementary) -> Array:
    half, r = _constants(x, 0.5, 1 / sqrt(2))
    return half * f.erfc(-x * r) + x * _density(x, f)


tanh_naive = WrittenForm(
    "tanh_naive", "gelu_tanh", 0, "0.5*x*(1 + tanh(u)), u = sqrt(2/pi)*(x + 0.044715*x*x*x)", _tanh_naive
)
tanh_factored = WrittenForm(
    "tanh_factored", "gelu_tanh", 0, "x*sigmoid(2*u), sigmoid(v) = 1/(1 + exp(-v))", _tanh_factored
)
sigmoid = WrittenForm("sigmoid", "gelu_sigmoid", 0, "x*sigmoid(1.702*x)", _sigmoid)
erf = WrittenForm("erf", "gelu", 0, "0.5*x*(1 + erf(x*sqrt(1/2)))", _erf)
erfc = WrittenForm("erfc", "gelu", 0, "0.5*x*erfc(-x*sqrt(1/2))", _erfc)
tanh_naive_gradient = WrittenForm(
    "tanh_naive_gradient",
    "gelu_tanh",
    1,
    "t = tanh(u); 0.5*(1 + t) + 0.5*x*(1 - t*t)*sqrt(2/pi)*(1 + 3*0.044715*x*x)",
    _tanh_naive_gradient,
)
tanh_factored_gradient = WrittenForm(
    "tanh_factored_gradient",
    "gelu_tanh",
    1,
    "s = sigmoid(2*u); s + 2*x*s*(1 - s)*sqrt(2/pi)*(1 + 3*0.044715*x*x)",
    _tanh_factored_gradient,
)
sigmoid_gradient = WrittenForm(
    "sigmoid_gradient", "gelu_sigmoid", 1, "s = sigmoid(k*x); s + k*x*s*(1 - s), k = 1.702", _sigmoid_gradient
)
erf_gradient = WrittenForm(
    "erf_gradient", "gelu", 1, "0.5*(1 + erf(x*sqrt(1/2))) + x*exp(-0.5*x*x)/sqrt(2*pi)", _erf_gradient
)
erfc_gradient = WrittenForm(
    "erfc_gradient", "gelu", 1, "0.5*erfc(-x*sqrt(1/2)) + x*exp(-0.5*x*x)/sqrt(2*pi)", _erfc_gradient
)

FORMS: Mapping[str, WrittenForm] = MappingProxyType(
    {
        form.name: form
        for form in (
            tanh_naive,
            tanh_factored,
            sigmoid,
            erf,
            erfc,
            tanh_naive_gradient,
            tanh_factored_gradient,
            sigmoid_gradient,
            erf_gradient,
            erfc_gradient,
        )
    }
)

correct = SimpleNamespace(**{name: MachineIndependent(form) for name, form in FORMS.items()})


def get_form(name: str) -> WrittenForm:
    """Return the written form of that name; raises InputError with the nearest names.

    >>> get_form("tanh_naive").function
    'gelu_tanh'
    """
    if name not in FORMS:
        raise InputError(f"unknown form {name!r}{nearest_names(name, FORMS) or '; known are ' + ', '.join(FORMS)}")
    return FORMS[name]


def numpy_elementary() -> Elementary:
    """Return NumPy's exp and tanh, and SciPy's erf and erfc where SciPy is installed."""
    return Elementary(np.exp, np.tanh, _scipy("erf"), _scipy("erfc"))


@cache
def correctly_rounded_elementary(format: Format) -> Elementary:
    """Return exp, tanh, erf and erfc with every result correctly rounded into the format.

    >>> from gelu_verify.formats import FORMATS
    >>> exp = correctly_rounded_elementary(FORMATS["binary32"]).exp
    >>> float(exp(np.array([1], np.float32))[0]).hex()
    '0x1.5bf0a80000000p+1'
    """
    return Elementary(*(CorrectlyRounded(get_function(name), format) for name in ("exp", "tanh", "erf", "erfc")))


def _scipy(name: str) -> Map:
    def call(x: Array) -> Array:
        try:
            import scipy.special
        except ImportError:
            raise InputError(f"NumPy has no {name}; install scipy to run this form") from None
        result: Array = getattr(scipy.special, name)(x)
        return result.astype(x.dtype, copy=False)  # of a type that SciPy does not know it makes float64

    return call
