"""Our bound of |T - G| on [-10, 10] to 15 digits beside Sollya's infnorm, which gives about 5, in one run.

Both are timed several times by turns on the same machine; what counts is the ratio of the medians. Sollya's own start
is measured with an empty script and taken off. Run it as a script; it says so where Sollya is not installed.
"""

import shutil
import statistics
import subprocess
import sys
import time
from fractions import Fraction

from gelu_verify.bounds.error import Error
from gelu_verify.bounds.roots import Line
from gelu_verify.bounds.supremum import supremum
from gelu_verify.catalogue import get_function

TURNS = 7
SCRIPT = """
f = 0.5*x*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x^3))) - 0.5*x*(1 + erf(x/sqrt(2)));
infnorm(f, [-10;10]);
"""


def seconds_of_sollya(sollya: str, script: str) -> tuple[float, str]:
    started = time.perf_counter()
    done = subprocess.run([sollya], input=script + "quit;\n", capture_output=True, text=True, check=True)
    return time.perf_counter() - started, done.stdout.strip()


def seconds_of_ours() -> tuple[float, str]:
    error = Error(get_function("gelu_tanh").expression, get_function("gelu").expression)
    started = time.perf_counter()
    result = supremum(error, Line(Fraction(-10), Fraction(10)), digits=15)
    return time.perf_counter() - started, "" if result.supremum is None else result.supremum.decimal(15)


def main() -> int:
    sollya = shutil.which("sollya")
    if sollya is None:
        print("sollya is not installed: nothing to compare with (Debian: apt install sollya)")
        return 0
    ours, theirs, empty = [], [], []
    for _ in range(TURNS):
        empty.append(seconds_of_sollya(sollya, "")[0])
        seconds, found = seconds_of_sollya(sollya, SCRIPT)
        theirs.append(seconds)
        seconds, digits = seconds_of_ours()
        ours.append(seconds)
    infnorm = statistics.median(theirs) - statistics.median(empty)
    print(f"Sollya infnorm  {infnorm * 1e3:7.1f} ms  {found}")
    print(f"bound           {statistics.median(ours) * 1e3:7.1f} ms  {digits}")
    print(f"ratio           {infnorm / statistics.median(ours):7.2f}")
    return 0 if statistics.median(ours) < infnorm else 1


if __name__ == "__main__":
    sys.exit(main())
