"""The names of faults, the most important first, and what usually causes each."""

from enum import StrEnum


class Kind(StrEnum):
    """What is wrong with an implementation. The order is the order in which findings are told."""

    CRASH = "crash"
    HANG = "hang"
    BUFFER_OVERRUN = "buffer-overrun"
    EXCEPTION = "exception"
    WRONG_SHAPE = "wrong-shape"
    WRONG_DTYPE = "wrong-dtype"
    GATED_ORDER = "gated-order"
    WRONG_FORM = "wrong-form"
    MISMATCH = "forward-backward-mismatch"
    WRONG_DERIVATIVE = "wrong-derivative"
    WRONG_CONSTANT = "wrong-constant"
    OVERFLOW = "overflow"
    PROPERTY_VIOLATION = "property-violation"
    COARSE_APPROXIMATION = "coarse-approximation"
    LOW_PRECISION = "low-precision-intermediate"
    SPECIAL_VALUE = "special-value"
    CANCELLATION = "cancellation"
    PATH_DEPENDENCE = "path-dependence"
    DIFFERENCE = "difference"
    SUBNORMAL_FLUSH = "subnormal-flush"
    SIDE_EFFECT = "side-effect"
    ACCURACY = "accuracy"

    @property
    def rank(self) -> int:
        """Place in the order of importance, 0 for the most important."""
        return _ORDER[self]


_ORDER = {kind: place for place, kind in enumerate(Kind)}
