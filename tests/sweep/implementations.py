"""Implementations that worker processes import."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gelu_verify.forms import FORMS

FORM = FORMS["tanh_naive"]


@dataclass(frozen=True)
class KillsItsFirstWorker:
    """Kills the process that calls it, in the middle of a task, once.

    Attributes:
        marker: a file that tells that it has happened.
    """

    marker: Path

    def __call__(self, x: np.ndarray) -> np.ndarray:
        try:
            self.marker.touch(exist_ok=False)
        except FileExistsError:
            return FORM(x)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("a process has survived SIGKILL")


def kills_every_worker(x: np.ndarray) -> np.ndarray:
    os.kill(os.getpid(), signal.SIGKILL)
    return x


def divides_by_zero(x: np.ndarray) -> np.ndarray:
    return x[: 1 // 0]


def threads_told(x: np.ndarray) -> np.ndarray:
    """Fail with the number of threads that numerical libraries are told to use."""
    raise ValueError(os.environ["OPENBLAS_NUM_THREADS"] + " " + os.environ["OMP_NUM_THREADS"])
