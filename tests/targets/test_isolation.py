"""Whatever a target does, the run goes on and knows what happened."""

import random
from pathlib import Path

import numpy as np
import pytest

from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS
from gelu_verify.targets import IsolatedTarget, Layout, Misbehaved, Misdeed, parse_target

HOSTILE = Path(__file__).with_name("hostile.py")
BINARY32 = FORMATS["binary32"]
X = np.array([-2.0, 0.5, 300.0, np.nan, np.inf], np.float32).view(np.uint32)
FINITE = X[:2]
PATIENCE = 300.0  # seconds: no answer of a busy machine takes that long


def hostile(name: str, **options) -> IsolatedTarget:
    return IsolatedTarget(parse_target(f"{HOSTILE}:{name}"), BINARY32, **{"timeout": PATIENCE, **options})


@pytest.mark.parametrize(
    ("name", "misdeed", "detail"),
    [
        ("segfaults_on_nan", Misdeed.CRASH, "SIGSEGV"),
        ("exits", Misdeed.CRASH, "exit code 7"),
        ("raises", Misdeed.EXCEPTION, "RuntimeError: the kernel is not"),
        ("leaves", Misdeed.EXCEPTION, "SystemExit: goodbye"),
        ("too_short", Misdeed.WRONG_SHAPE, "input of shape (5,), result of shape (4,)"),
        ("double", Misdeed.WRONG_DTYPE, "result of type float64"),
        ("a_list", Misdeed.WRONG_DTYPE, "builtins.list"),
        ("closes_everything", Misdeed.CRASH, "closed its line"),
    ],
)
def test_a_target_that_gives_no_result_is_named_and_can_be_called_again(name: str, misdeed: Misdeed, detail: str):
    target = hostile(name)
    try:
        with pytest.raises(Misbehaved) as caught:
            target.evaluate(X)
        assert caught.value.misdeed is misdeed
        assert detail in caught.value.detail and "\n" not in caught.value.detail
        if misdeed in (Misdeed.CRASH, Misdeed.EXCEPTION):
            assert target.evaluate(FINITE).tolist() == [0, FINITE[1]]
    finally:
        target.close()


def test_a_hanging_target_is_stopped_at_the_time_limit_and_started_again():
    target = hostile("hangs_above_100", timeout=0.5)
    try:
        with pytest.raises(Misbehaved, match=r"no answer within 0\.5 s"):
            target.evaluate(X)
        target.timeout = PATIENCE  # for the process that is started anew, on a machine that may be busy
        assert target.evaluate(FINITE).tolist() == [0, FINITE[1]]
    finally:
        target.close()


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("reseeds", {"NumPy's global random state", "Python's global random state"}),
        ("rounds_upwards", {"the rounding mode"}),
        ("changes_folder", {"the working directory"}),
        ("prints_megabytes", set()),
        ("right", set()),
    ],
)
def test_side_effects_are_seen_and_stay_in_the_process(name: str, changed: set[str], capfd: pytest.CaptureFixture[str]):
    def state() -> tuple[object, ...]:
        seeds = (random.getstate(), np.random.get_state()[1].tobytes())
        return (Path.cwd(), seeds, np.float32(1) + np.float32(2.0**-30))

    before = state()
    target = hostile(name)
    try:
        first, second = target.evaluate(X[:3]), target.evaluate(X[:3])
    finally:
        target.close()
    assert target.side_effects == changed
    assert first.tolist() == second.tolist() and first[1:].tolist() == X[1:3].tolist()
    assert before == state()
    assert capfd.readouterr() == ("", "")


def test_layouts_reach_the_target_and_results_come_back_in_order():
    target = hostile("right")
    bits = np.arange(24, dtype=np.uint32) + 0x3F800000
    try:
        for layout in Layout:
            part = bits[:1] if layout is Layout.SCALAR else bits
            assert target.evaluate(part, layout=layout).tolist() == part.tolist()
    finally:
        target.close()


def test_a_flat_result_for_a_matrix_is_a_wrong_shape():
    target = hostile("flat")
    try:
        with pytest.raises(Misbehaved, match="wrong-shape"):
            target.evaluate(X[:4], layout=Layout.MATRIX)
    finally:
        target.close()


def test_long_arrays_are_sent_in_batches():
    target = hostile("right", batch=1000)
    bits = np.arange(2500, dtype=np.uint32) + 0x3F800000
    try:
        assert target.evaluate(bits).tolist() == bits.tolist()
    finally:
        target.close()


def test_classes_are_made_with_their_keywords_and_scalar_functions_are_recognised():
    for name, framework in (("Layer", "numpy"), ("scalar", "scalar")):
        target = IsolatedTarget(parse_target(f"{HOSTILE}:{name}", ["slope=0.5"]), BINARY32)
        try:
            assert target.framework == framework
            assert target.evaluate(X[:1]).view(np.float32).tolist() == [-1.0]
        finally:
            target.close()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HOSTILE}:rigth", "has no 'rigth' (did you mean 'right'"),
        (f"{HOSTILE}:number", "cannot be called"),
        ("gelu_verify.forms:correct.nope", "'gelu_verify.forms:correct' has no 'nope'"),
        ("no_such_package_at_all:f", "ModuleNotFoundError"),
        ("gelu_verify:__version__", "cannot be called"),
        ("pipe:/no/such/command", "cannot run '/no/such/command'"),
    ],
)
def test_a_target_that_cannot_be_loaded_is_refused_in_one_line(text: str, message: str):
    with pytest.raises(InputError) as caught:
        target = IsolatedTarget(parse_target(text), BINARY32)
        target.evaluate(FINITE)
    assert message in str(caught.value) and "\n" not in str(caught.value)
