"""One implementation under one claim, with what was measured and what is not explained yet."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import Function
from gelu_verify.catalogue.expression import Operation, Variable
from gelu_verify.checks.kinds import Kind
from gelu_verify.checks.probes import probes
from gelu_verify.checks.regions import coarse_regions, exact_regions
from gelu_verify.checks.sample import Sample, measure, measure_in_every_place
from gelu_verify.checks.truth import Truth
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import Format
from gelu_verify.formats.arrays import ordinals, round_float64, storage_dtype, to_float64
from gelu_verify.identify.models import Model, claimed_model
from gelu_verify.records import Region
from gelu_verify.references.correct_rounding import rounded
from gelu_verify.targets import Target
from gelu_verify.targets.process import FORWARD

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Bits = npt.NDArray[Any]

_NOISE = 4.0  # error in units of the format that sums of rounded numbers leave
_FINE = 20  # bits of precision from which on more noise is still little
_ROUNDING = 4.0  # error, in ulp per unit of condition, that a rounded argument may cause


@dataclass(frozen=True, slots=True)
class Claim:
    """What an implementation is said to compute, and how exactly.

    Attributes:
        max_ulp: the largest error allowed, in ulp.
        flush_inputs: whether subnormal inputs may count as zeros.
        flush_outputs: whether a zero may be returned where the correctly rounded result is subnormal.
        first, last: the domain as encodings; None for no limit.
    """

    function: Function
    format: Format
    derivative: int = 0
    max_ulp: float = 4.0
    flush_inputs: bool = False
    flush_outputs: bool = False
    first: int | None = None
    last: int | None = None

    def of_backward_pass(self) -> "Claim":
        """Return what is claimed of the backward pass that comes with an implementation of the function."""
        return replace(self, derivative=1)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Part of what is wrong, named.

    Attributes:
        mask: the sampled inputs that it explains.
        message, cause: see `Finding`.
        regions: where it shows, already exact to the float where its edges are sharp.
        witness: encoding of the input to show; None for the edge of the regions that lies nearest to zero.
    """

    kind: Kind
    mask: Mask
    message: str
    cause: str
    regions: tuple[Region, ...]
    witness: int | None = None


@dataclass(slots=True)
class Case:
    """The evidence against an implementation.

    Attributes:
        claimed: results beside the values claimed; judged: beside the values of `model`, what it really computes.
        over: the inputs whose error exceeds the budget; left: those among them that are not explained yet.
        found: what has been explained.
        in_every_place: see `open_case`.
    """

    target: Target
    claim: Claim
    operation: str
    claimed: Sample
    judged: Sample
    model: Model | None
    over: Mask
    left: Mask
    condition: Floats
    found: list[Diagnosis] = field(default_factory=list)
    in_every_place: bool = False

    @property
    def limit(self) -> Floats:
        """Error in ulp that rounding an argument may cause at each input: never the larger part of the digits."""
        most = 2.0 ** (self.claim.format.precision - 3)
        return self.claim.max_ulp + np.minimum(_ROUNDING * self.condition, most)

    def explain(self, diagnosis: Diagnosis) -> None:
        """Record a diagnosis and take the inputs that it explains from those left."""
        self.found.append(diagnosis)
        self.left = self.left & ~diagnosis.mask

    def results(self, bits: Bits) -> Bits:
        """Run the implementation at further inputs."""
        return self.target.evaluate(bits, operation=self.operation)

    def measure(self, bits: Bits) -> Sample:
        """Run the implementation at further inputs and compare with what it really computes."""
        model = self.model or claimed_model(self.claim.function, self.claim.derivative)
        return self._measured(Truth(model.function, model.derivative), bits)

    def measure_claim(self, bits: Bits) -> Sample:
        """Run the implementation at further inputs and compare with what it claims to compute."""
        return self._measured(Truth(self.claim.function, self.claim.derivative), bits)

    def _measured(self, truth: Truth, bits: Bits) -> Sample:
        run = measure_in_every_place if self.in_every_place else measure
        return run(self.target, truth, bits, self.operation)

    def within_noise(self, sample: Sample) -> Mask:
        """Tell where the error is no larger than adding rounded numbers leaves."""
        result: Mask = abs(sample.distance) <= self.noise(sample)
        return result

    def noise(self, sample: Sample) -> Floats:
        """Return the error that adding rounded numbers of the size of x leaves, or of the size of 1 where the function
        is a sum and not x times a gate.
        """
        size = abs(sample.x)
        match self.claim.function.expression:
            case Operation("*", (Variable(), _)) if self.claim.derivative == 0:
                scale = size
            case _:
                scale = np.maximum(size, 1.0)
        many = _NOISE if sample.format.precision >= _FINE else _NOISE / 2
        result: Floats = many * sample.unit * scale
        return result

    def sharp(self, mask: Mask, shows: Callable[[Sample], Mask]) -> tuple[Region, ...]:
        """Return the regions of a mask with their edges found exactly: `shows` judges further inputs."""

        def predicate(bits: Bits) -> Mask:
            return shows(self.measure(bits))

        return exact_regions(self.claim.format, self.judged.bits, mask, predicate)

    def blurred(self, mask: Mask) -> tuple[Region, ...]:
        """Return the regions of a mask as far as the sample shows them."""
        return coarse_regions(self.judged.bits, mask, most=3)

    def worst(self, mask: Mask) -> int:
        """Return the encoding of the input with the largest distance from the claim among those of a mask."""
        distance = np.where(mask, np.nan_to_num(abs(self.claimed.distance), nan=0.0), -1.0)
        return int(self.claimed.bits[int(np.argmax(distance))])

    def exceeds(self, sample: Sample) -> Mask:
        """Tell where the error is over the budget, seen through the declared treatment of subnormal numbers."""
        return over_budget(self.claim, sample)


def open_case(
    target: Target, claim: Claim, operation: str = FORWARD, extra: Bits | None = None, *, in_every_place: bool = False
) -> Case:
    """Run the implementation at the sampled inputs of the claim's domain and compare with the claim.

    Arguments:
        in_every_place: whether only that counts as wrong which is wrong wherever the input stands in the array.
        extra: further inputs to look at, for example those around the worst one of an exhaustive run.
    """
    chosen = probes(claim.format)
    if extra is not None:
        chosen = _merged(claim.format, chosen, extra)
    bits = chosen[inside(claim, chosen)]
    if bits.size:
        bits = _merged(claim.format, bits, _ends(claim))
    run = measure_in_every_place if in_every_place else measure
    sample = run(target, Truth(claim.function, claim.derivative), bits, operation)
    model = claimed_model(claim.function, claim.derivative)
    over = over_budget(claim, sample)
    condition = conditions(model, sample)
    return Case(target, claim, operation, sample, sample, model, over, over, condition, in_every_place=in_every_place)


def over_budget(claim: Claim, sample: Sample) -> Mask:
    """Tell where the error is over the claim's budget; what the flush policy allows is none."""
    with np.errstate(invalid="ignore"):
        over: Mask = sample.error > claim.max_ulp
    return over & ~allowed_flushes(claim, sample)


def allowed_flushes(claim: Claim, sample: Sample) -> Mask:
    """Tell where a result is allowed although it is not the right one, by the policy on subnormal numbers alone.

    The rule is that of a sweep: a subnormal input may give what a zero gives, a zero may stand for a subnormal result.
    """
    least = 2.0**claim.format.emin
    rounded_want: Floats = to_float64(claim.format, round_float64(claim.format, sample.want))
    allowed = np.zeros(sample.x.size, np.bool_)
    if claim.flush_outputs:
        allowed |= (sample.got == 0) & (abs(rounded_want) < least)
    if claim.flush_inputs:
        allowed |= (abs(sample.x) < least) & _as_if_zero(claim, sample)
    allowed &= sample.got != rounded_want
    return allowed


def _as_if_zero(claim: Claim, sample: Sample) -> Mask:
    """Tell where the result is the one for a zero of the input's sign; a zero result may have either sign."""
    right = np.zeros(sample.x.size, np.bool_)
    for sign in (0, claim.format.sign_mask):
        try:
            at_zero = rounded(claim.function, sign, claim.format, claim.derivative)
        except (InputError, IncompleteError):  # no value at zero
            continue
        gives_zero = at_zero & ~claim.format.sign_mask == 0
        same = sample.got == 0 if gives_zero else sample.got_bits == at_zero
        right |= same & ((sample.bits & claim.format.sign_mask != 0) == bool(sign))
    return right


def conditions(model: Model, sample: Sample) -> Floats:
    """Return |x f'(x)/f(x)|: by how much the relative error of an argument grows on its way to the result."""
    with np.errstate(all="ignore"):
        value, slope = model.values_and_slopes(sample.x)
        condition = abs(sample.x * slope / value)
    return np.nan_to_num(condition, nan=0.0, posinf=1e300)


def inside(claim: Claim, bits: Bits) -> Mask:
    """Tell which encodings lie in the domain of the claim."""
    places = ordinals(claim.format, bits)
    keep = np.ones(bits.size, np.bool_)
    if claim.first is not None:
        keep &= places >= claim.format.ordinal(claim.first)
    if claim.last is not None:
        keep &= places <= claim.format.ordinal(claim.last)
    return keep


def _ends(claim: Claim) -> Bits:
    """Return the ends of the domain, if they are finite nonzero numbers: a fault that reaches them is told whole."""
    format = claim.format
    ends = [end for end in (claim.first, claim.last) if end is not None and format.is_finite(end)]
    return np.array([end for end in ends if end & ~format.sign_mask], storage_dtype(format))


def _merged(format: Format, bits: Bits, extra: Bits) -> Bits:
    both = np.concatenate([bits, extra])
    _, first = np.unique(ordinals(format, both), return_index=True)
    return both[first]


Rule = Callable[[Case], None]
