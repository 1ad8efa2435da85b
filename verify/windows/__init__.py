"""Samples of binary64: windows of consecutive numbers judged with proof, and a climb from the worst of them."""

from gelu_verify.windows.engine import WindowedResult, sample_windows

__all__ = ["WindowedResult", "sample_windows"]
