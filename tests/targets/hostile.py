"""Implementations that do everything a test run should survive; loaded by path in the tests beside this file."""

import ctypes
import faulthandler
import os
import random
import sys
import time

import numpy as np


def right(x):
    return np.maximum(x, np.asarray(0, x.dtype))


def segfaults_on_nan(x):
    if np.isnan(x).any():
        ctypes.string_at(1)
    return right(x)


def exits(x):
    os._exit(7) if x.size > 2 else None
    return right(x)


def raises(x):
    if x.size > 2:
        raise RuntimeError("the kernel is not\nimplemented")
    return right(x)


def leaves(x):
    if x.size > 2:
        sys.exit("goodbye")
    return right(x)


def hangs_above_100(x):
    while (x > 100).any():
        time.sleep(0.01)
    return right(x)


def too_short(x):
    return right(x)[:-1]


def flat(x):
    return right(x).ravel()


def double(x):
    return right(x).astype(np.float64)


def a_list(x):
    return right(x).tolist()


def prints_megabytes(x):
    text = "x" * 1_000_000
    for _ in range(5):
        print(text)
        print(text, file=sys.stderr)
    return right(x)


def reseeds(x):
    np.random.seed(1)
    random.seed(1)
    return right(x)


def rounds_upwards(x):
    ctypes.CDLL("libm.so.6").fesetround(0x800)
    return right(x)


def changes_folder(x):
    os.chdir("/")
    return right(x)


def closes_everything(x):
    if x.size > 2:
        os.closerange(3, 100)
        time.sleep(600)
    return right(x)


def always_segfaults(x):
    ctypes.string_at(1)


def segfaults_with_a_dump(x):
    faulthandler.enable()
    ctypes.string_at(1)


def always_loops(x):
    while True:
        time.sleep(0.01)


def forks_and_comes_back(x):
    os.fork()
    return right(x)


def allocates_too_much(x):
    np.empty(1 << 60, np.uint8)


def breaks_numpy(x):
    y = right(x)
    np.asarray = np.ascontiguousarray = np.isnan = None
    return y


def closes_all(x):
    os.closerange(0, 100)
    return right(x)


def in_place_without_a_result(x):
    np.maximum(x, np.asarray(0, x.dtype), out=x)


def in_place(x):
    return np.maximum(x, np.asarray(0, x.dtype), out=x)


def every_second_element(x):
    return np.repeat(right(x), 2)[::2]


def generator(x):
    yield from right(x)


def wider(x):
    return right(x).astype(np.float32)


unnamed = lambda x: right(x)  # noqa: E731


class Layer:
    def __init__(self, slope=0.0):
        self.slope = slope

    def __call__(self, x):
        return np.where(x < 0, np.asarray(self.slope, x.dtype) * x, x)


def scalar(x: float, slope: float = 0.0) -> float:
    return slope * x if x < 0 else x


number = 3
