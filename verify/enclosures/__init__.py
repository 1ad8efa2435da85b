"""Enclosures: proven intervals for real numbers, and how they are computed and printed."""

from gelu_verify.enclosures.enclosure import Enclosure, enclosure_of, working_precision

__all__ = ["Enclosure", "enclosure_of", "working_precision"]
