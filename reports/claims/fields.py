"""Reading the fields of a claim: each is asked for by name and type, and what nobody asked for is refused.

The text may be hostile: sizes are limited before anything is computed, and every complaint is one line that names
the claim, the field and what would be right.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from gelu_verify.catalogue.functions import Function, function_or_expression
from gelu_verify.errors import InputError, nearest_names
from gelu_verify.formats.numbers import parse_number
from gelu_verify.reports.claims.printed import NumberClaim, Printed, Relation, read_printed

MAX_TEXT = 2000  # characters of a sentence, a name or an expression
MAX_LIST = 1000  # entries of a list
NUMBERS = ("at", "printed")  # fields whose digits count


class Fields:
    """The fields of one claim (or of one of its parts), read once each.

    Raises:
        InputError: from every method, when the field is missing or is not what it should be.
    """

    def __init__(self, owner: str, table: Mapping[str, Any]) -> None:
        self.owner = owner
        self._table = table
        self._asked: set[str] = set()

    def complain(self, problem: str) -> InputError:
        """Return a complaint that names the claim."""
        return InputError(f"{self.owner}: {problem}")

    def finish(self) -> None:
        """Refuse what was not asked for."""
        for name in self._table:
            if name not in self._asked:
                hint = nearest_names(name, self._asked)
                raise self.complain(
                    f"unknown field {_shown(name)}{hint or '; known are ' + ', '.join(sorted(self._asked))}"
                )

    def has(self, name: str) -> bool:
        """Tell whether the field is there."""
        self._asked.add(name)
        return name in self._table

    def table(self, name: str) -> Any:
        """Return a field as it stands, or None."""
        self._asked.add(name)
        return self._table.get(name)

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text of sensible length."""
        value = self._get(name, default)
        if not isinstance(value, str):
            hint = _digits_hint(value) if name in NUMBERS else ""
            raise self.complain(f"{name} = {_shown(value)} must be text in quotes{hint}")
        if len(value) > MAX_TEXT:
            raise self.complain(f"{name} has {len(value)} characters; at most {MAX_TEXT} are read")
        return value

    def choice(self, name: str, choices: tuple[str, ...], default: str | None = None) -> str:
        """Return one of a few words."""
        value = self.text(name, default)
        if value not in choices:
            words = [str(choice) for choice in choices]
            hint = nearest_names(value, words) or f"; it is one of: {', '.join(words)}"
            raise self.complain(f"{name} = {_shown(value)} is not known{hint}")
        return value

    def flag(self, name: str) -> bool:
        """Return true or false; false when absent."""
        value = self._get(name, False)
        if not isinstance(value, bool):
            raise self.complain(f"{name} = {_shown(value)} must be true or false")
        return value

    def integer(self, name: str, least: int, greatest: int, default: int | None = None) -> int:
        """Return a whole number in a range."""
        value = self._get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= greatest:
            raise self.complain(f"{name} = {_shown(value)} must be a whole number from {least} to {greatest}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; numbers are asked for in quotes, so that their digits count."""
        values = self._get(name, None)
        if not isinstance(values, list) or not values or len(values) > MAX_LIST:
            raise self.complain(f"{name} must be a list of 1 to {MAX_LIST} texts in quotes")
        for value in values:
            if not isinstance(value, str):
                raise self.complain(f"{name} holds {_shown(value)}; write each entry in quotes{_digits_hint(value)}")
            if len(value) > MAX_TEXT:
                raise self.complain(f"{name} holds a text of {len(value)} characters; at most {MAX_TEXT} are read")
        return tuple(values)

    def function(self, name: str, default: str | None = None) -> Function:
        """Return a catalogue function or the function that an expression in x defines."""
        written = self.text(name, default)
        try:
            return function_or_expression(written)
        except InputError as error:
            raise self.complain(f"{name}: {error}") from None

    def point(self, name: str, default: str | None = None) -> Fraction:
        """Return an exact rational number: a decimal or a fraction, in quotes (a whole number may stand bare)."""
        value = self._get(name, default)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            return Fraction(value)
        return read_point(self.text(name, default), self.owner, name)

    def domain(self, name: str) -> tuple[Fraction | None, Fraction | None]:
        """Return the two ends of an interval, None for an infinite one; all reals when absent."""
        if not self.has(name):
            return None, None
        ends = self.texts(name)
        if len(ends) != 2:
            raise self.complain(f'{name} must have two ends, such as ["-6", "6"] or ["0", "inf"]')
        low, high = (
            None if end == infinite else read_point(end, self.owner, name)
            for end, infinite in zip(ends, ("-inf", "inf"), strict=True)
        )
        if low is not None and high is not None and low >= high:
            raise self.complain(f"{name} = [{ends[0]}, {ends[1]}] is empty; write the lower end first")
        return low, high

    def printed(self, name: str) -> Printed:
        """Return a printed number."""
        written = self.text(name)
        try:
            return read_printed(written)
        except InputError as error:
            raise self.complain(f"{name}: {error}") from None

    def printed_list(self, name: str) -> tuple[Printed, ...]:
        """Return a list of printed numbers."""
        written = self.texts(name)
        try:
            return tuple(map(read_printed, written))
        except InputError as error:
            raise self.complain(f"{name}: {error}") from None

    def number(self, name: str = "printed") -> NumberClaim:
        """Return a printed number with the relation, `about` and `exactly` that stand beside it."""
        relation = Relation(self.choice("relation", tuple(Relation), Relation.EQUALS))
        about, exactly = self.flag("about"), self.flag("exactly")
        if about and exactly:
            raise self.complain("a number is claimed either about or exactly, not both")
        return NumberClaim(self.printed(name), relation, about, exactly)

    def _get(self, name: str, default: Any) -> Any:
        self._asked.add(name)
        if name not in self._table and default is None:
            unasked = [given for given in self._table if given not in self._asked]
            raise self.complain(f"the field {name} is missing{nearest_names(name, unasked)}")
        return self._table.get(name, default)


def read_point(text: str, owner: str, name: str) -> Fraction:
    """Read a finite number exactly. Raises InputError, naming the claim and the field, if it is none."""
    try:
        value = parse_number(text.strip().replace("\N{MINUS SIGN}", "-")).value
    except InputError as error:
        raise InputError(f"{owner}: {name}: {error}") from None
    if value is None:
        raise InputError(f"{owner}: {name}: {_shown(text)} is not a finite number")
    return value


def _shown(value: object) -> str:
    if isinstance(value, (dict, list)):
        return "a table" if isinstance(value, dict) else "a list"
    try:
        written = repr(value)
    except ValueError:  # an integer beyond Python's limit for printing
        return "a huge number"
    return written if len(written) <= 60 else written[:57] + "..."


def _digits_hint(value: object) -> str:
    return ", so that its printed digits count" if isinstance(value, (int, float)) else ""
