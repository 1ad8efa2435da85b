"""Exhaustive sweeps: every encoding of a format, judged with proof, for less than the implementation's own time."""

from gelu_verify.sweep.engine import sweep
from gelu_verify.sweep.policy import Policy
from gelu_verify.sweep.result import BinadeRow, Statistics, SweepResult, WorstInput
from gelu_verify.sweep.statistics import Interval as Region
from gelu_verify.sweep.tasks import Interval

__all__ = ["BinadeRow", "Interval", "Policy", "Region", "Statistics", "SweepResult", "WorstInput", "sweep"]
