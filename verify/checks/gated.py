"""Gated units of two inputs, such as SwiGLU(a, b) = SiLU(a) b: which half is activated?"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.checks.case import Claim
from gelu_verify.formats.arrays import round_float64, to_float64
from gelu_verify.identify.models import claimed_model
from gelu_verify.records import Finding
from gelu_verify.targets import Layout, Target
from gelu_verify.targets.process import FORWARD

Bits = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

_VALUES = (2.0, 1.0, -1.0, 0.5, -0.5, 3.0, -3.0, 1.5, -2.0, 0.25)
_NEAR = 16.0  # relative error, in units of the format, up to which a hypothesis explains a result
_MOSTLY = 0.9


class GateOpen:
    """A gated unit with its second input held at 1: an ordinary function of the first."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self.name, self.format, self.framework = target.name, target.format, target.framework
        self.side_effects = target.side_effects

    def evaluate(self, *inputs: Bits, layout: Layout = Layout.CONTIGUOUS, operation: str = FORWARD) -> Bits:
        """Return the results at (input, 1)."""
        one = np.full(inputs[0].shape, self.format.round(1), inputs[0].dtype)
        return self._target.evaluate(inputs[0], one, layout=layout, operation=operation)

    def close(self) -> None:
        """Close the unit itself."""
        self._target.close()


def gate_findings(target: Target, claim: Claim) -> Iterator[Finding]:
    """Yield at most one finding: the results are no product of a function of a with b.

    Which function of a it is, the check of the unit with an open gate says.

    Raises:
        Misbehaved: the target gives no result.
    """
    a, b = (grid.ravel() for grid in np.meshgrid(_VALUES, _VALUES, indexing="ij"))
    inputs = [round_float64(claim.format, values) for values in (a, b)]
    got_bits = target.evaluate(*inputs)
    got = to_float64(claim.format, got_bits)
    grid = got.reshape(len(_VALUES), len(_VALUES))
    one = _VALUES.index(1.0)
    unit = 2.0 ** (1 - claim.format.precision)
    activate = claimed_model(claim.function, 0).values
    right = activate(a) * b
    told, share = max(
        ((what, _share(got, values, unit)) for what, values in _hypotheses(claim.function.name, activate, a, b)),
        key=lambda each: each[1],
    )
    if share <= max(_MOSTLY, _share(got, right, unit)):
        if _share(got, (grid[:, one : one + 1] * b.reshape(grid.shape)).ravel(), unit) == 1:
            return
        linear = _share(got, (grid[one : one + 1, :] * a.reshape(grid.shape)).ravel(), unit) == 1
        told = "computes a g(b): the halves are exchanged" if linear else "is no function of a times b"
    place = int(np.argmax(np.nan_to_num(abs(got - right), nan=np.inf)))
    want = int(round_float64(claim.format, right[place : place + 1])[0])
    decimal = claim.format.decimal
    at = f"at (a, b) = ({a[place]:g}, {b[place]:g}) it gives {decimal(int(got_bits[place]))} for {decimal(want)}"
    cause = f"the unit is {claim.function.name}(a) b: activate the gate's half and only that one, and multiply by b"
    yield Finding("gated-order", f"{told}; {at}", cause, int(inputs[0][place]), int(got_bits[place]), want)


def _hypotheses(name: str, f: Callable[[Floats], Floats], a: Floats, b: Floats) -> Iterator[tuple[str, Floats]]:
    """Yield what people compute in place of f(a) b, in words and in numbers."""
    yield f"computes a {name}(b): the halves are exchanged", a * f(b)
    yield f"computes {name}(a) {name}(b): both halves are activated", f(a) * f(b)
    yield "computes a b: no half is activated", a * b
    yield f"computes {name}(a b): the product is activated", f(a * b)
    yield f"computes {name}(a): b is ignored", f(a)
    yield f"computes {name}(b): a is ignored", f(b)
    yield f"computes {name}(a) + b: a sum for the product", f(a) + b
    yield f"computes {name}(a) (b + 1): 1 is added to b", f(a) * (b + 1)


def _share(got: Floats, values: Floats, unit: float) -> float:
    """Return the share of the results that values explain; one NaN explains another."""
    with np.errstate(invalid="ignore"):
        near = abs(got - values) <= _NEAR * unit * abs(values)
    return float(np.mean(near | (np.isnan(got) & np.isnan(values))))
