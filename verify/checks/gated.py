"""Gated units of two inputs, such as SwiGLU(a, b) = SiLU(a) b: which half is activated?"""

from collections.abc import Iterator
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
    """Yield at most one finding: the halves are exchanged, or both or none are activated.

    Raises:
        Misbehaved: the target gives no result.
    """
    a, b = (grid.ravel() for grid in np.meshgrid(_VALUES, _VALUES, indexing="ij"))
    inputs = [round_float64(claim.format, values) for values in (a, b)]
    got_bits = target.evaluate(*inputs)
    got = to_float64(claim.format, got_bits)
    activate = claimed_model(claim.function, 0).values
    name = claim.function.name
    right = activate(a) * b
    hypotheses = (
        (right, ""),
        (a * activate(b), f"computes a {name}(b): the halves are exchanged"),
        (activate(a) * activate(b), f"computes {name}(a) {name}(b): both halves are activated"),
        (a * b, "computes a b: no half is activated"),
    )
    unit = 2.0 ** (1 - claim.format.precision)
    shares = [float(np.mean(abs(got - values) <= _NEAR * unit * abs(values))) for values, _ in hypotheses]
    best = int(np.argmax(shares))
    if best and shares[best] > max(shares[0], 0.9):
        place = int(np.argmax(abs(got - right)))
        want = int(round_float64(claim.format, right[place : place + 1])[0])
        decimal = claim.format.decimal
        at = f"at (a, b) = ({a[place]:g}, {b[place]:g}) it gives {decimal(int(got_bits[place]))} for {decimal(want)}"
        cause = f"the unit is {name}(a) b: activate the gate's half and only that one"
        yield Finding(
            "gated-order", f"{hypotheses[best][1]}; {at}", cause, int(inputs[0][place]), int(got_bits[place]), want
        )
