"""Implementations under test, wherever they live: found, fed and kept in a process of their own."""

from gelu_verify.targets.layouts import Layout
from gelu_verify.targets.misbehaviour import Misbehaved, Misdeed, Unsupported
from gelu_verify.targets.process import InProcess, IsolatedTarget, Target
from gelu_verify.targets.specification import Specification, parse_target

__all__ = [
    "InProcess",
    "IsolatedTarget",
    "Layout",
    "Misbehaved",
    "Misdeed",
    "Specification",
    "Target",
    "Unsupported",
    "parse_target",
]
