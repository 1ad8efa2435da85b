"""What a test may demand, and what is refused in one line before anything runs."""

import subprocess
import sys
from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest

from gelu_verify.assertions.accuracy import assert_gelu_accurate
from gelu_verify.assertions.demands import demand
from gelu_verify.errors import InputError
from gelu_verify.faults.correct import gelu_by_erfc


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"max_ulp": "2"}, "max_ulp is '2'; it must be a finite number"),
        ({"max_ulp": None}, "max_ulp is None"),
        ({"max_ulp": True}, "max_ulp is True"),
        ({"max_ulp": nan}, "max_ulp is nan"),
        ({"max_ulp": 10**400}, "max_ulp is 1000"),
        ({"max_ulp": 0.49}, "at least 1/2, which correct rounding reaches"),
        ({"format": np.float32}, "format is <class 'numpy.float32'>; it must be a name in quotes"),
        ({"function": gelu_by_erfc}, "function is <function gel"),
        ({"function": "gelly"}, "unknown function 'gelly' (did you mean 'gelu'?)"),
        ({"on": 3}, "on is 3; give two numbers, the lower first"),
        ({"on": "12"}, "on is '12'"),
        ({"on": (1, 2, 3)}, "on is (1, 2, 3)"),
        ({"on": (2, 1)}, "on is (2, 1)"),
        ({"on": (nan, 1)}, "on is (nan, 1)"),
        ({"on": (None, 1)}, "on is (None, 1)"),
        ({"on": (0, 10**400)}, "on is (0, 1000"),
        ({"exhaustive": "no"}, "exhaustive is 'no'; it must be True or False"),
        ({"exhaustive": True, "format": "float64"}, "binary64 has too many numbers"),
        ({"gradient": True}, "gradient is True; it must be a callable, 'auto' or None"),
        ({"gradient": "autograd"}, "gradient is 'autograd'"),
    ],
)
def test_a_demand_without_sense_is_refused_in_one_line(options: dict, complaint: str):
    with pytest.raises(InputError) as refusal:
        demand(**options)
    assert complaint in str(refusal.value) and len(str(refusal.value)) < 200


def test_numbers_of_any_type_and_infinite_ends_make_sense():
    made = demand("x*2", "fp16", np.float32(0.5), [Fraction(-1, 3), np.int8(2)])
    assert (made.format.name, made.max_ulp, made.on) == ("binary16", 0.5, (-1 / 3, 2.0))
    assert demand(on=(-inf, 0)).ends() == (0xFF7FFFFF, 0)
    assert demand(on=(1, 1)).ends() == (0x3F800000, 0x3F800000)
    assert demand().ends() == (None, None)


@pytest.mark.parametrize("fn", [None, 3, "mine:gelu", np])
def test_what_cannot_be_called_is_no_inaccurate_function(fn: object):
    with pytest.raises(InputError, match="which cannot be called; give the function itself"):
        assert_gelu_accurate(fn)  # type: ignore[arg-type]


def test_the_assertion_needs_no_pytest():
    code = (
        "import sys; sys.modules['pytest'] = None\n"
        "from gelu_verify import assert_gelu_accurate\n"
        "assert_gelu_accurate(lambda x: x, 'x*1', 'binary16', on=(1, 2))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
