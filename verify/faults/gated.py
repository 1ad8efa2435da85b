"""Gated units of two inputs that are no product of an activated first half with the second."""

from gelu_verify.faults.correct import gelu_by_erfc, silu_factored
from gelu_verify.faults.elementary import Array
from gelu_verify.faults.record import fault


@fault("gated-order", "silu", "binary32", source="mlx-lm#767", gated=True)
def swiglu_halves_exchanged(a: Array, b: Array) -> Array:
    """a SiLU(b) where SiLU(a) b was asked for: (2, 1) gives 1.4621 for 1.7616."""
    return a * silu_factored(b)


@fault(
    "gated-order",
    "gelu",
    "binary32",
    "bfloat16",
    source="GEGLU with the halves of the projection exchanged",
    gated=True,
)
def geglu_halves_exchanged(a: Array, b: Array) -> Array:
    """a G(b) where G(a) b was asked for."""
    return a * gelu_by_erfc(b)


@fault("gated-order", "gelu", "binary32", source="an activation applied to the concatenated halves", gated=True)
def both_halves_activated(a: Array, b: Array) -> Array:
    """G(a) G(b) where G(a) b was asked for."""
    return gelu_by_erfc(a) * gelu_by_erfc(b)


@fault("gated-order", "gelu", "binary32", source="an activation moved behind the product by a fusion", gated=True)
def product_activated(a: Array, b: Array) -> Array:
    """G(a b) where G(a) b was asked for: with b = 1 nothing is to be seen."""
    return gelu_by_erfc(a * b)


@fault("gated-order", "gelu", "binary32", source="a projection without its second half", gated=True)
def second_half_ignored(a: Array, b: Array) -> Array:
    """G(a) where G(a) b was asked for."""
    return gelu_by_erfc(a)


@fault("gated-order", "silu", "binary32", "binary16", source="the clamped SwiGLU of gpt-oss, which adds 1", gated=True)
def one_added_to_the_gate(a: Array, b: Array) -> Array:
    """SiLU(a) (b + 1) where SiLU(a) b was asked for."""
    return silu_factored(a) * (b + 1)


@fault("gated-order", "gelu", "binary32", source="a residual connection in place of the gate", gated=True)
def sum_of_the_halves(a: Array, b: Array) -> Array:
    """G(a) + b where G(a) b was asked for."""
    return gelu_by_erfc(a) + b
