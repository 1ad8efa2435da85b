"""Budget files: what is refused in one line, and that lowering a budget changes one number and nothing else."""

import fcntl
import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from gelu_verify.assertions.budgets import read_budgets
from gelu_verify.assertions.ratchet import lower
from gelu_verify.errors import InputError

ENTRY = '[[budget]]\ntarget = "mine:right"\nfunction = "gelu"\nformat = "binary32"\nmax_ulp = 3\n'


def written(folder: Path, text: str | bytes) -> Path:
    file = folder / "budgets.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (ENTRY.replace("= 3", "= nan"), "max_ulp is nan"),
        (ENTRY.replace("3\n", "1e400\n"), "max_ulp is inf"),
        (ENTRY.replace("= 3", "= 0"), "max_ulp is 0; it must be a finite number of at least 1/2"),
        (ENTRY.replace("= 3", "= true"), "max_ulp is True"),
        (ENTRY.replace("= 3", "= '3'"), "max_ulp is '3'"),
        (ENTRY.replace("= 3", "= 1" + 400 * "0"), "max_ulp is 1000"),
        (ENTRY.replace("= 3", "= 1" + 5000 * "0"), "is no TOML"),
        (ENTRY.replace("max_ulp", "max_ulps"), "unknown 'max_ulps' (did you mean 'max_ulp'?)"),
        (ENTRY + "note = 'x'\n", "unknown 'note'"),
        (ENTRY + ENTRY.replace("[[budget", "[[budgets"), "unknown 'budgets' (did you mean 'budget'?)"),
        (ENTRY.replace("binary32", "binary33"), "budget 1 in"),
        (ENTRY.replace('"gelu"', '"gelly"'), "unknown function 'gelly' (did you mean 'gelu'?)"),
        (ENTRY.replace('"gelu"', "7"), "no usable 'function'"),
        (ENTRY.replace("max_ulp = 3\n", ""), "no usable 'max_ulp'"),
        (ENTRY + ENTRY, "budget 2 in"),
        (ENTRY.replace("[[budget]]", "[budget]"), "has no [[budget]]"),
        ("budget = [1, 2]\n", "has no [[budget]]"),
        ("", "has no [[budget]]"),
        ("a = = b\n", "is no TOML: Invalid value"),
        (b"# \xe9\n", "not UTF-8 text at byte 2"),
        ("a = " + 5000 * "[", "is no TOML"),
    ],
)
def test_a_file_without_sense_is_refused_in_one_line(tmp_path: Path, text: str | bytes, complaint: str):
    with pytest.raises(InputError) as refusal:
        read_budgets(written(tmp_path, text))
    assert complaint in str(refusal.value) and str(tmp_path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_what_editors_do_to_a_file_and_formulas_are_read(tmp_path: Path):
    text = "\ufeff" + ENTRY.replace("\n", "\r\n").replace('"gelu"', '"x*erfc(-x/sqrt(2))/2"')
    (budget,) = read_budgets(written(tmp_path, text))
    assert (budget.max_ulp, budget.id) == (3, "mine:right-x*erfc(-x/sqrt(2))/2-binary32")


TWO = ENTRY + "\n# [[budget]] max_ulp = 9\n" + ENTRY.replace("right", "other")


@pytest.mark.parametrize(
    "text",
    [
        TWO,
        TWO.replace("\n", "\r\n"),
        "\ufeff" + TWO,
        TWO.replace("max_ulp = 3", '"max_ulp"=3.5e0# kept'),
        TWO.replace("max_ulp = 3", "  max_ulp  =\t1_0  # not max_ul = 3"),
        TWO.replace("max_ulp = 3", "'max_ulp' = 0x1F"),
        TWO.replace("[[budget]]\n", "[[ 'budget' ]]  # kept\n"),
        TWO.removesuffix("\n"),
    ],
)
def test_lowering_changes_one_number_and_not_a_byte_more(tmp_path: Path, text: str):
    file = written(tmp_path, text)
    before = read_budgets(file)
    lower(file, 1, 2)
    after = file.read_bytes()
    head, mark, tail = text.encode().rpartition(b"max_ulp")
    number = re.search(rb"=\s*([^\s#]+)", tail)
    assert number is not None
    assert after == head + mark + tail[: number.start(1)] + b"2" + tail[number.end(1) :]
    assert [budget.max_ulp for budget in read_budgets(file)] == [before[0].max_ulp, 2]
    lower(file, 1, 3)
    assert file.read_bytes() == after  # never raised


def test_a_budget_that_is_met_exactly_stays_as_it_is_written(tmp_path: Path):
    file = written(tmp_path, ENTRY.replace("= 3", "= 2.0"))
    before = file.stat()
    lower(file, 0, 2)
    assert (file.stat().st_ino, file.read_text()) == (before.st_ino, ENTRY.replace("= 3", "= 2.0"))


@pytest.mark.parametrize(
    "text",
    [
        'budget = [{target = "a:b", function = "gelu", format = "binary32", max_ulp = 3}]\n',
        ENTRY.replace('"mine:right"', '"""\n[[budget]]\nmax_ulp = 5\n"""'),
        ENTRY.replace("max_ulp", '"max\\u005fulp"'),
    ],
)
def test_a_number_that_cannot_be_found_is_left_alone(tmp_path: Path, text: str):
    file = written(tmp_path, text)
    with pytest.raises(InputError, match=r"cannot lower budget 1 in .*; write it as \[\[budget\]\] with a line"):
        lower(file, 0, 1)
    assert file.read_text() == text


def test_a_read_only_file_is_left_alone_and_permissions_and_links_stay(tmp_path: Path):
    file = written(tmp_path, ENTRY)
    link = tmp_path / "link.toml"
    link.symlink_to(file)
    file.chmod(0o444)
    with pytest.raises(InputError, match="read-only"):
        lower(link, 0, 1)
    file.chmod(0o640)
    lower(link, 0, 1)
    assert link.is_symlink() and read_budgets(file)[0].max_ulp == 1
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["budgets.toml", "link.toml"]


def test_runs_at_the_same_time_lower_every_budget(tmp_path: Path):
    file = written(tmp_path, "".join(ENTRY.replace("right", f"f{number}") for number in range(40)))
    with ThreadPoolExecutor(8) as pool:
        assert len(list(pool.map(lambda place: lower(file, place, 1), range(40)))) == 40
    assert {budget.max_ulp for budget in read_budgets(file)} == {1}


def test_lowering_waits_for_another_run(tmp_path: Path):
    file = written(tmp_path, ENTRY)
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    other = threading.Thread(target=lower, args=(file, 0, 1))
    other.start()
    other.join(0.2)
    waited = other.is_alive()
    os.close(handle)
    other.join()
    assert waited and read_budgets(file)[0].max_ulp == 1


def test_a_budget_may_be_of_any_target_and_is_lowered_to_what_was_measured(tmp_path: Path):
    entry = ENTRY.replace("mine:right", "pipe:cat").replace('"gelu"', '"x*1"').replace("32", "16")
    file = written(tmp_path, entry)
    (budget,) = read_budgets(file)
    budget.check()
    assert read_budgets(file)[0].max_ulp == 3
    replace(budget, update=True).check()
    assert read_budgets(file)[0].max_ulp == 1
    wrong = replace(budget, function="x*2", update=True)
    with pytest.raises(AssertionError, match=r"(?s)^pipe:cat is not an accurate x\*2.*gelu-verify check pipe:cat --as"):
        wrong.check()
    with pytest.raises(InputError, match=r"no file 'none\.so'"):
        replace(budget, target="none.so:f").check()
