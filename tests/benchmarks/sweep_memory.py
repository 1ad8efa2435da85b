"""The memory that a sweep of all 2^32 binary32 encodings takes, with two workers.

Run as `python tests/benchmarks/sweep_memory.py` (Linux; half a minute on two processors). While the sweep runs, the
kernel's own record of every process's largest resident set (VmHWM) is read; memory that processes share is counted for
each of them. The exit status is 1 if the sum exceeds 500 MB.
"""

import multiprocessing
import os
import sys
from pathlib import Path

from gelu_verify.catalogue import get_function
from gelu_verify.formats import FORMATS
from gelu_verify.forms import FORMS
from gelu_verify.sweep import sweep

LIMIT = 500  # MB, for all processes together
WORKERS = 2


def largest_resident_set(process: int) -> float:
    """Return the largest resident set so far of a running process, in MB (10^6 bytes)."""
    lines = Path(f"/proc/{process}/status").read_text("ascii").splitlines()
    (kibibytes,) = (int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    return kibibytes * 1024 / 1e6


class Watch:
    """Reads what the processes have taken, whenever the sweep tells how far it is."""

    def __init__(self) -> None:
        self.sizes: dict[int, float] = {}

    def __call__(self, done: int, total: int) -> None:
        for child in multiprocessing.active_children():
            try:
                self.sizes[child.pid or 0] = largest_resident_set(child.pid or 0)
            except (FileNotFoundError, ProcessLookupError, ValueError):  # it has just ended
                continue


def main() -> int:
    """Measure and print; 1 if the limit is exceeded."""
    watch = Watch()
    gelu, second = get_function("gelu"), get_function("gelu_tanh")
    form = FORMS["tanh_naive"]
    result = sweep(form, gelu, FORMATS["binary32"], second=second, workers=WORKERS, progress=watch)
    if len(watch.sizes) != WORKERS:
        raise RuntimeError(f"{len(watch.sizes)} workers were seen of {WORKERS}")
    parent = largest_resident_set(os.getpid())
    print(f"{result.inputs} inputs judged against two functions")
    for name, size in (("parent", parent), *((f"worker {pid}", size) for pid, size in sorted(watch.sizes.items()))):
        print(f"  {size:6.0f} MB  {name}")
    total = parent + sum(watch.sizes.values())
    print(f"  {total:6.0f} MB  in all (limit {LIMIT})")
    return 0 if total <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
