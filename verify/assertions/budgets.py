"""Ulp budgets: a file that says how exact each implementation must stay, and that only ever gets stricter.

[[budget]]
target = "mylib.activations:gelu"
function = "gelu"
format = "binary32"
max_ulp = 3
"""

import tomllib
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from gelu_verify.assertions.demands import demand
from gelu_verify.errors import InputError, nearest_names, reason

KEYS = ("target", "function", "format", "max_ulp")
_ENTRY = "an entry has target, function, format and max_ulp"


@dataclass(frozen=True, slots=True)
class Budget:
    """One entry of a budget file.

    Attributes:
        target: what is measured, written as for the command line.
        file, place: where it stands: the file, and its number among the entries from 0 on.
        update: whether `check` may lower it.
    """

    target: str
    function: str
    format: str
    max_ulp: float
    file: Path
    place: int
    update: bool = False

    @property
    def id(self) -> str:
        """Name of the budget in a test's id."""
        return f"{self.target}-{self.function}-{self.format}"

    def check(self) -> None:
        """Measure the target and raise an AssertionError when it exceeds its budget or anything else is wrong with it.

        Python callables are called in this process, any other target in a process of its own. Under --gelu-update, a
        budget larger than needed is lowered in the file to the next whole number of ulp.

        Raises:
            AssertionError: something is wrong; the message names it and shows an input.
            InputError: there is no such target, or the file cannot be written.
        """
        __tracebackhide__ = True
        from gelu_verify.assertions.accuracy import assert_target_accurate
        from gelu_verify.assertions.ratchet import lower

        largest = assert_target_accurate(self.target, self.function, self.format, self.max_ulp)
        if self.update:
            lower(self.file, self.place, max(ceil(largest), 1))


def read_budgets(file: Path) -> list[Budget]:
    """Return the entries of a budget file.

    Raises:
        InputError: there is no such file, it is no TOML, or an entry makes no sense; every key is looked at, so that no
            budget is passed over for a slip in its name.
    """
    try:
        entries = budget_entries(file.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {file}: {reason(error)}") from None
    except InputError as error:
        raise InputError(f"{file} {error}") from None
    budgets = [_budget(file, place, entry) for place, entry in enumerate(entries)]
    first: dict[str, int] = {}
    for budget in budgets:
        if first.setdefault(budget.id, budget.place) != budget.place:
            raise InputError(
                f"budget {budget.place + 1} in {file} is for the same target, function and format as budget "
                f"{first[budget.id] + 1}; leave one of them"
            )
    return budgets


def budget_entries(data: bytes) -> list[dict[str, Any]]:
    """Return the tables of a budget file as they are written.

    Raises:
        InputError: it is no TOML or holds something else; the sentence wants the file's name before it.
    """
    try:
        document = tomllib.loads(data.decode("utf-8-sig"))  # some editors put a byte order mark before the text
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text at byte {error.start}; save it as UTF-8") from None
    except (ValueError, RecursionError) as error:  # TOML, or Python's limits on digits and on nesting
        raise InputError(f"is no TOML: {' '.join(str(error).split())}") from None
    entries = document.pop("budget", None)
    if document:
        name = next(iter(document))
        raise InputError(f"has an unknown {name!r}{nearest_names(name, ['budget'])}; it holds [[budget]] alone")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise InputError(f"has no [[budget]]; {_ENTRY}")
    return entries


def _budget(file: Path, place: int, entry: dict[str, Any]) -> Budget:
    where = f"budget {place + 1} in {file}"
    for key in entry:
        if key not in KEYS:
            raise InputError(f"{where} has an unknown {key!r}{nearest_names(key, KEYS)}; {_ENTRY}")
    for key in KEYS[:3]:
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise InputError(f"{where} has no usable {key!r}; {_ENTRY}")
    if "max_ulp" not in entry:
        raise InputError(f"{where} has no usable 'max_ulp'; {_ENTRY}")
    try:
        checked = demand(entry["function"], entry["format"], entry["max_ulp"])
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return Budget(entry["target"], entry["function"], entry["format"], checked.max_ulp, file, place)
