"""What people hand over who use torch."""

from functools import partial

import torch
from torch.nn import functional


class Reversed(torch.autograd.Function):
    """GELU forward, the sigmoid form's derivative backward."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return functional.gelu(x)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        gate = torch.sigmoid(1.702 * x)
        return upstream * (gate + 1.702 * x * gate * (1 - gate))


class Gated(torch.nn.Module):
    """A module with a parameter."""

    def __init__(self, k: float = 1.702) -> None:
        super().__init__()
        self.k = torch.nn.Parameter(torch.tensor(k, dtype=torch.float64))

    def forward(self, x):
        return x * torch.sigmoid(self.k.to(x.dtype) * x)


class Arithmetic(torch.nn.Module):
    """A module that NumPy arrays would go through as well."""

    def forward(self, x):
        return x / (1 + 2.718281828459045**-x)


gated = Gated()
tanh_form = partial(functional.gelu, approximate="tanh")


def mismatched(x):
    return Reversed.apply(x)


def in_place(x):
    return x.mul_(torch.sigmoid(1.702 * x))


def detached(x):
    return functional.gelu(x.detach())


def independent(x):
    return torch.zeros_like(x).requires_grad_()


def a_tuple(x):
    return (functional.gelu(x),)


def to_numpy(x):
    return functional.gelu(x).numpy()


def from_numpy(x):
    return functional.gelu(torch.from_numpy(x)).numpy()


def widened(x):
    return functional.gelu(x.double())


def scalar(x: float) -> float:
    if not isinstance(x, float):
        raise TypeError("one number at a time")
    return float(functional.gelu(torch.tensor(x, dtype=torch.float64)))


def on_a_gpu(x):
    return functional.gelu(x.to("cuda"))


def reseeds(x):
    torch.manual_seed(0)
    return functional.gelu(x)


def changes_default(x):
    torch.set_default_dtype(torch.float64)
    return functional.gelu(x)
