"""The time allowed holds within a fraction, wherever it runs out, and what is known by then is told.

Time is counted in function calls here, so that neither the machine nor its load matters.
"""

import sys
import time

import pytest

from gelu_verify import deadlines
from gelu_verify.bounds.error import Error
from gelu_verify.bounds.locate import locate
from gelu_verify.bounds.minimax import fit
from gelu_verify.bounds.roots import Line
from gelu_verify.bounds.supremum import supremum
from gelu_verify.catalogue import get_function, parse
from gelu_verify.deadlines import Deadline, OutOfTime, check_time
from gelu_verify.records import Verdict

REALS = Line(None, None)
GELU = get_function("gelu").expression
SLACK = 12_000  # calls, which take some ten milliseconds


@pytest.fixture
def calls(monkeypatch):
    """A clock that counts calls of functions; returns how many there were."""
    count = 0

    def counting(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    monkeypatch.setattr(deadlines.time, "monotonic", lambda: count)
    sys.setprofile(counting)
    yield lambda: count
    sys.setprofile(None)


QUESTIONS = {
    "many terms of an expansion": ("sigmoid(x*sigmoid(x*sigmoid(x)))", 4, True),
    "a symmetry that is looked for": ("tanh(tanh(tanh(tanh(x))))", 4, True),
    "a written-out derivative": ("exp(tanh(exp(tanh(x))))", 4, False),
    "an expansion at infinity": ("log(1+exp(log(1+exp(log(1+exp(x))))))", 4, False),
    "cells": ("gelu_tanh(x)", 4, False),
}


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("allowed", [20_000, 120_000])
def test_the_deadline_holds_wherever_it_passes(name, allowed, calls):
    formula, order, relative = QUESTIONS[name]
    error = Error(parse(formula), GELU, order, relative)
    began = calls()
    result = supremum(error, REALS, timeout=allowed)
    spent = calls() - began
    sys.setprofile(None)
    assert spent <= allowed + SLACK
    assert result.verdict is Verdict.UNKNOWN or spent <= allowed
    if result.verdict is Verdict.UNKNOWN:
        assert result.reason == "the time allowed is over" and result.lower >= 0


def test_the_deadline_holds_for_locate_and_fit(calls):
    began = calls()
    assert locate("roots", parse("sigmoid(x*sigmoid(x*sigmoid(x)))-x"), REALS, 4, timeout=50_000).points == ()
    with pytest.raises(OutOfTime):
        fit("gelu_tanh2", timeout=50_000)
    assert calls() - began <= 2 * (50_000 + SLACK)


def test_bounds_of_an_answer_cut_short_hold_the_supremum_and_narrow_with_time(calls):
    error = Error(parse("gelu_tanh(x)"), GELU, 4)
    supremum(error, REALS)  # what is remembered from now on is remembered in all that follows
    began = calls()
    true = supremum(error, REALS).supremum
    needed = calls() - began
    widths = []
    for share in range(1, 10):
        result = supremum(error, REALS, timeout=needed * share // 10)
        assert result.verdict is Verdict.UNKNOWN
        assert result.lower <= true.upper and (result.upper is None or true.lower <= result.upper)
        widths.append(float("inf") if result.upper is None else float(result.upper - result.lower))
    sys.setprofile(None)
    assert widths == sorted(widths, reverse=True) and 0 < widths[-1] < widths[0] == float("inf")


def test_the_sooner_of_two_deadlines_holds_and_the_outer_comes_back():
    check_time()
    with Deadline(1000):
        with pytest.raises(OutOfTime), Deadline(0):
            time.sleep(0.001)
            check_time()
        check_time()
        with pytest.raises(OutOfTime), Deadline(0), Deadline(1000):
            time.sleep(0.001)
            check_time()
    with Deadline(None):
        check_time()
    check_time()
