"""One function given out as another: an attribute that was dropped, a name that misleads."""

import numpy as np

from gelu_verify.faults.correct import (
    elu_by_expm1,
    gelu_by_erfc,
    gelu_sigmoid_factored,
    gelu_tanh_factored,
    leaky_relu,
    mish_from_binary64,
    normal_cdf,
    relu,
    silu_factored,
)
from gelu_verify.faults.elementary import Array
from gelu_verify.faults.record import fault

_DROPPED = "tvm#18750, coremltools#2863: the attribute approximate is ignored"
_NAMES = "names that say nothing: gelu_new, gelu_fast, gelu_accurate, precise, quick_gelu"


@fault("wrong-form", "gelu_tanh", "binary32", "binary16", "bfloat16", "binary64", source=_DROPPED)
def exact_for_tanh(x: Array) -> Array:
    """GELU where its tanh form was asked for."""
    return gelu_by_erfc(x)


@fault("wrong-form", "gelu", "binary32", "binary16", "bfloat16", "binary64", source=_NAMES)
def tanh_for_exact(x: Array) -> Array:
    """The tanh form where GELU was asked for."""
    return gelu_tanh_factored(x)


@fault("wrong-form", "gelu", "binary32", "bfloat16", source=_NAMES)
def sigmoid_for_exact(x: Array) -> Array:
    """The sigmoid form where GELU was asked for."""
    return gelu_sigmoid_factored(x)


@fault("wrong-form", "gelu_sigmoid", "binary32", "binary16", source=_NAMES)
def exact_for_sigmoid(x: Array) -> Array:
    """GELU where the sigmoid form was asked for."""
    return gelu_by_erfc(x)


@fault("wrong-form", "gelu_sigmoid", "binary32", source=_NAMES)
def tanh_for_sigmoid(x: Array) -> Array:
    """The tanh form where the sigmoid form was asked for."""
    return gelu_tanh_factored(x)


@fault("wrong-form", "gelu_tanh", "binary32", "bfloat16", source=_NAMES)
def sigmoid_for_tanh(x: Array) -> Array:
    """The sigmoid form where the tanh form was asked for."""
    return gelu_sigmoid_factored(x)


@fault("wrong-form", "gelu", "binary32", "bfloat16", source="an activation looked up by a default")
def silu_for_gelu(x: Array) -> Array:
    """SiLU where GELU was asked for."""
    return silu_factored(x)


@fault("wrong-form", "gelu", "binary32", source="an activation that fell back to ReLU")
def relu_for_gelu(x: Array) -> Array:
    """ReLU where GELU was asked for."""
    return relu(x)


@fault("wrong-form", "gelu", "binary32", "binary16", source="an activation that was left out")
def identity_for_gelu(x: Array) -> Array:
    """The input itself where GELU was asked for."""
    return x.copy()


@fault("wrong-form", "gelu", "binary32", "bfloat16", source="tfjs#8224: the factor x forgotten, so that f(0) = 0.5")
def cdf_for_gelu(x: Array) -> Array:
    """The normal distribution function: the factor x is missing."""
    return normal_cdf(x)


@fault("wrong-form", "silu", "binary32", source="QuickGELU taken for Swish")
def sigmoid_form_for_silu(x: Array) -> Array:
    """x sigmoid(1.702 x) where SiLU was asked for."""
    return gelu_sigmoid_factored(x)


@fault("wrong-form", "gelu_sigmoid", "binary32", source="Swish taken for QuickGELU: the factor 1.702 forgotten")
def silu_for_sigmoid_form(x: Array) -> Array:
    """x sigmoid(x) where x sigmoid(1.702 x) was asked for."""
    return silu_factored(x)


@fault("wrong-form", "silu", "binary32", source="two activations mixed up in a table of names")
def mish_for_silu(x: Array) -> Array:
    """Mish where SiLU was asked for."""
    return mish_from_binary64(x)


@fault("wrong-form", "elu", "binary32", source="two activations mixed up in a table of names")
def leaky_relu_for_elu(x: Array) -> Array:
    """Leaky ReLU where ELU was asked for."""
    return leaky_relu(x)


@fault("wrong-form", "relu", "binary32", source="two activations mixed up in a table of names")
def elu_for_relu(x: Array) -> Array:
    """ELU where ReLU was asked for."""
    return elu_by_expm1(x)


@fault("wrong-form", "gelu", "binary32", "bfloat16", source="two activations mixed up in a table of names")
def softplus_for_gelu(x: Array) -> Array:
    """log(1 + e^x) where GELU was asked for."""
    return np.logaddexp(0, x.astype(np.float64)).astype(x.dtype)


@fault("wrong-form", "gelu", "binary32", source="two activations mixed up in a table of names", also=("overflow",))
def squared_relu_for_gelu(x: Array) -> Array:
    """max(x, 0)^2 where GELU was asked for."""
    return relu(x) ** 2


@fault("wrong-form", "gelu", "binary32", source="two activations mixed up in a table of names", also=("overflow",))
def selu_for_gelu(x: Array) -> Array:
    """SELU where GELU was asked for: no function of the catalogue."""
    wide = x.astype(np.float64)
    tail = 1.6732632423543772 * np.expm1(np.minimum(wide, 0))
    return (1.0507009873554805 * np.where(wide < 0, tail, wide)).astype(x.dtype)


@fault("wrong-form", "gelu", "binary32", source="a sign lost in a port")
def negated_gelu(x: Array) -> Array:
    """-G(x)."""
    return np.negative(gelu_by_erfc(x))
