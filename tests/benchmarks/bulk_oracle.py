"""The bulk oracle against the block oracle, on every binary32 input; and its speed beside SciPy's float64 erfc.

Run as `python tests/benchmarks/bulk_oracle.py` (some minutes; `--quick` for the speed alone). A sweep judges the bulk
oracle's results as it judges any implementation: not one of 2^32 may differ from the correctly rounded one.
"""

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.special import erfc

from gelu_verify.catalogue import get_function
from gelu_verify.formats import FORMATS
from gelu_verify.references.bulk import CorrectlyRounded, references
from gelu_verify.sweep import sweep

BINARY32 = FORMATS["binary32"]
NAMES = ("gelu", "gelu_tanh", "gelu_sigmoid", "silu", "tanh", "exp", "erf")
SIZE = 1 << 20


def fastest(call: Callable[[], object]) -> float:
    """Return nanoseconds an input for the fastest of some calls on SIZE inputs."""
    times = []
    for _ in range(15):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times) / SIZE * 1e9


def compare_speed(name: str) -> None:
    """Print how long correctly rounded results take beside SciPy's erfc of the same inputs as float64."""
    generator = np.random.default_rng(1)
    function = get_function(name)
    for kind, bits in (
        ("normally distributed inputs", (2 * generator.standard_normal(SIZE)).astype(np.float32).view(np.uint32)),
        ("random encodings", generator.integers(0, 2**32, SIZE, dtype=np.uint32)),
    ):
        with np.errstate(invalid="ignore"):
            ours = fastest(lambda bits=bits: references(function, BINARY32, bits))
            theirs = fastest(lambda bits=bits: erfc(bits.view(np.float32).astype(np.float64)))
        print(f"{name:13} {kind:27}  {ours:6.1f} ns   scipy erfc {theirs:6.1f} ns   ratio {ours / theirs:.2f}")


def compare_results(name: str) -> bool:
    """Sweep the bulk oracle; tell whether all its results are the correctly rounded ones."""
    function = get_function(name)
    start = time.perf_counter()
    result = sweep(CorrectlyRounded(function, BINARY32), function, BINARY32, name=name)
    wrong = {count: number for count, number in result.errors.counts.items() if number}
    print(
        f"{name:13} {result.inputs} inputs, not correctly rounded: {wrong or 0}  ({time.perf_counter() - start:.0f} s)"
    )
    return not wrong


def main() -> int:
    """Compare; 1 if a result differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="compare the speed only")
    parser.add_argument("names", nargs="*", default=NAMES, help="catalogue functions")
    arguments = parser.parse_args()
    for name in arguments.names:
        compare_speed(name)
    if arguments.quick:
        return 0
    return 0 if all(compare_results(name) for name in arguments.names) else 1


if __name__ == "__main__":
    sys.exit(main())
