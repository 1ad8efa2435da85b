"""Which function an implementation computes, found by probing: a name is no proof."""

from gelu_verify.identify.identification import Identification, explain, identify
from gelu_verify.identify.models import Agreement, Model

__all__ = ["Agreement", "Identification", "Model", "explain", "identify"]
