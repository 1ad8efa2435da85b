"""What a proof on every float costs, beside the code that is judged and beside other ways to judge it.

Run as `python tests/benchmarks/sweep_cost.py` (about a minute). All 2^32 binary32 encodings are swept, in one process
and one thread; what is printed are ratios of times measured in this one run. Times are those that the processor spent
on this thread, so that other work on the machine disturbs them little.

Judged is GELU's tanh form as people write it in NumPy, 0.5*x*(1 + np.tanh(sqrt(2/pi)*(x + 0.044715*x*x*x))), in
binary32, with x*x*x for the cube: x**3 is many times slower, which would flatter every ratio. It is timed in two ways.
"On arrays": applied to arrays of 2^24 inputs, all kinds of inputs in equal shares, as one evaluates an array. "On
chunks": inside the sweep, on 2^16 inputs at a time, which stay in the caches: the fastest that NumPy can be.

The sweep's own cost is everything but the calls of the form: partition, polynomials and their checks against Arb,
comparison, statistics, and whatever goes to Arb one by one.
"""

# ruff: noqa: E402 (the number of threads must be set before NumPy is imported)
import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import pi, sqrt
from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt
from flint import arb
from scipy.special import erfc

from gelu_verify.catalogue import Function, get_function
from gelu_verify.catalogue.evaluators import arb_value, mpmath_value
from gelu_verify.enclosures import working_precision
from gelu_verify.formats import FORMATS
from gelu_verify.references.spans import CHUNK
from gelu_verify.sweep import Policy
from gelu_verify.sweep.runner import Runner
from gelu_verify.sweep.tasks import plan_tasks

BINARY32 = FORMATS["binary32"]
GELU, GELU_TANH = get_function("gelu"), get_function("gelu_tanh")
SCALE = sqrt(2 / pi)
LIMITS = (0.5, 1, 2, 4, 16, 1024)
Array = npt.NDArray[Any]


def tanh_form(x: Array) -> Array:
    """The form under test."""
    result: Array = 0.5 * x * (1 + np.tanh(SCALE * (x + 0.044715 * x * x * x)))
    return result


def cubed_by_power(x: Array) -> Array:
    """The form with x**3."""
    result: Array = 0.5 * x * (1 + np.tanh(SCALE * (x + 0.044715 * x**3)))
    return result


@dataclass
class Timed:
    """A callable that remembers how long it took."""

    call: Callable[[Array], Array]
    seconds: float = 0.0

    def __call__(self, x: Array) -> Array:
        start = time.thread_time()
        result = self.call(x)
        self.seconds += time.thread_time() - start
        return result


def sweep_cost(functions: list[Function]) -> tuple[float, float]:
    """Sweep all encodings; return nanoseconds an input for the sweep itself and for the form."""
    form, inputs = Timed(tanh_form), 0
    start = time.thread_time()
    runner = Runner(form, functions, BINARY32, 0, Policy())
    for task in plan_tasks(BINARY32):
        inputs += runner.run(task)[0].inputs
    total = time.thread_time() - start
    if inputs != 2**32:
        raise ArithmeticError(f"{inputs} inputs were swept of {2**32}")
    return (total - form.seconds) / inputs * 1e9, form.seconds / inputs * 1e9


def arrays_of(size: int, number: int) -> Iterator[Array]:
    """Yield arrays of encodings that together pass evenly through all of them."""
    step = 2**32 // (size * number)
    for part in range(number):
        first = part * (2**32 // number)
        yield (np.arange(size, dtype=np.uint64) * step + first).astype(np.uint32).view(np.float32)


def form_cost(call: Callable[[Array], Array], size: int, number: int) -> float:
    """Return nanoseconds an input for a form on arrays."""
    form = Timed(call)
    with np.errstate(all="ignore"):
        for x in arrays_of(size, number):
            form(x)
    return form.seconds / (size * number) * 1e9


class Float64Comparison:
    """The usual way: a float64 reference that nobody has proven anything about, and the same statistics."""

    def __init__(self) -> None:
        self.counts = np.zeros(len(LIMITS), np.int64)
        self.worst = {"ulp": (0.0, 0), "abs": (0.0, 0), "rel": (0.0, 0), "symmetry": (0.0, 0)}
        self.others = {"nan": 0, "zero": 0, "sign": 0, "flush": 0, "steps": 0}
        self.histogram: dict[int, Array] = {}
        self.regions: dict[str, list[tuple[int, int]]] = {name: [] for name in self.others}

    def judge(self, bits: Array, results: Array, mirrored: Array) -> None:
        """Judge one chunk."""
        x = bits.view(np.float32).astype(np.float64)
        y = 0.5 * x * erfc(-x / sqrt(2))
        exponent = np.maximum(np.frexp(y)[1] - 1, -126) - 23
        difference = np.abs(results - y)
        error = np.ldexp(difference, -exponent)
        over = np.array([np.count_nonzero(error > limit) for limit in LIMITS])
        self.counts += over
        binade = int(bits[0]) >> 23
        self.histogram[binade] = self.histogram.get(binade, 0) + over
        residual = np.abs(results.astype(np.float64) - mirrored - x)
        for kind, sizes in (
            ("ulp", error),
            ("abs", difference),
            ("rel", difference / np.abs(y)),
            ("symmetry", residual),
        ):
            place = int(np.argmax(sizes))
            self.worst[kind] = max(self.worst[kind], (float(sizes[place]), int(bits[place])))
        zero = (results == 0) & (np.abs(y) > 2.0**-150)
        for name, flags in (
            ("nan", np.isnan(results)),
            ("zero", zero),
            ("flush", zero & (np.abs(y) < 2.0**-126)),
            ("sign", results * y < 0),
            ("steps", np.diff(results) * np.diff(y) < 0),
        ):
            number = int(np.count_nonzero(flags))
            if number:
                self.others[name] += number
                places = np.flatnonzero(flags)
                self.regions[name].append((int(bits[places[0]]), int(bits[places[-1]])))


def float64_cost(every: int) -> float:
    """Return nanoseconds an input for the float64 comparison, on every so-many-th chunk of the encodings."""
    comparison, seconds, inputs = Float64Comparison(), 0.0, 0
    with np.errstate(all="ignore"):
        for first in range(0, 2**32, CHUNK * every):
            bits = np.arange(first, first + CHUNK, dtype=np.uint64).astype(np.uint32)
            results = tanh_form(bits.view(np.float32))
            mirrored = tanh_form(-bits.view(np.float32))
            start = time.thread_time()
            comparison.judge(bits, results, mirrored)
            seconds += time.thread_time() - start
            inputs += CHUNK
    return seconds / inputs * 1e9


def one_by_one_costs(number: int) -> tuple[float, float]:
    """Return nanoseconds an input for a reference value by mpmath and by Arb, at random finite inputs."""
    generator = random.Random(1)
    inputs = [bits for bits in (generator.getrandbits(32) for _ in range(number)) if BINARY32.is_finite(bits)]
    values = [float(BINARY32.exact(bits)) for bits in inputs]
    start = time.thread_time()
    with mpmath.workprec(80):
        for value in values:
            mpmath_value(GELU.expression, mpmath.mpf(value), mpmath.mp)
    by_mpmath = time.thread_time() - start
    start = time.thread_time()
    with working_precision(80):
        for value in values:
            arb_value(GELU.expression, arb(value))
    return by_mpmath / len(values) * 1e9, (time.thread_time() - start) / len(values) * 1e9


def main() -> None:
    """Measure and print."""
    own, on_chunks = sweep_cost([GELU_TANH])
    on_arrays = form_cost(tanh_form, 2**24, 8)
    by_power = form_cost(cubed_by_power, 2**22, 4)
    own_gelu, _ = sweep_cost([GELU])
    own_both, on_chunks_both = sweep_cost([GELU_TANH, GELU])
    float64 = float64_cost(every=64)
    by_mpmath, by_arb = one_by_one_costs(4000)
    print("nanoseconds an input")
    for name, cost in (
        ("the tanh form on arrays of 2^24", on_arrays),
        ("the tanh form on chunks of 2^16, inside the sweep", on_chunks),
        ("the tanh form with x**3, on arrays of 2^22", by_power),
        ("the sweep itself, against the form's own function", own),
        ("the sweep itself, against exact GELU", own_gelu),
        ("the sweep itself, against both in one pass", own_both),
        ("float64 comparison with scipy's erfc, same statistics", float64),
        ("one reference value by mpmath", by_mpmath),
        ("one reference value by Arb", by_arb),
    ):
        print(f"  {cost:12.3f}  {name}")
    print("ratios")
    for name, ratio in (
        ("sweep : form on arrays", own / on_arrays),
        ("sweep : form on chunks", own / on_chunks),
        ("sweep against both : form on arrays", own_both / on_arrays),
        ("sweep against both : form on chunks", own_both / on_chunks_both),
        ("float64 comparison : sweep against GELU", float64 / own_gelu),
        ("mpmath : sweep against GELU", by_mpmath / own_gelu),
        ("Arb one by one : sweep against GELU", by_arb / own_gelu),
    ):
        print(f"  {ratio:12.3f}  {name}")


if __name__ == "__main__":
    main()
