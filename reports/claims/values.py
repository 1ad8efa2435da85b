"""Claims about values: one number, a table of numbers, a correctly rounded result."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

from gelu_verify.catalogue import FUNCTIONS, get_function
from gelu_verify.catalogue.functions import Function
from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import Format, get_format
from gelu_verify.formats.numbers import ParsedInput, parse_number
from gelu_verify.records import Verdict
from gelu_verify.references import rounded, value
from gelu_verify.reports.claims.fields import Fields, read_point
from gelu_verify.reports.claims.numbers import judge_number
from gelu_verify.reports.claims.printed import DIGITS_TRIED, NumberClaim, Printed, settle
from gelu_verify.reports.claims.record import Datum, Limits, Note, Outcome

MAX_DERIVATIVE = 50
_RIVALS = ("gelu", "gelu_tanh", "gelu_sigmoid", "silu", "relu", "Phi", "phi")  # what a wrong entry may be instead


def prime(name: str, derivative: int) -> str:
    """Return how the derivative of a function is written.

    >>> prime("gelu", 0), prime("gelu", 2), prime("gelu", 7)
    ('gelu', "gelu''", 'gelu^(7)')
    """
    return name + ("'" * derivative if derivative <= 3 else f"^({derivative})")


def at(name: str, x: str) -> str:
    """Return how the value of a function at a point is written.

    >>> at("gelu'", "1"), at("x**2 + 1", "-3")
    ("gelu'(1)", 'x**2 + 1 at x = -3')
    """
    return f"{name}({x})" if name.rstrip("'").isidentifier() else f"{name} at x = {x}"


def value_command(function: Function, x: str, derivative: int, *options: str) -> str:
    """Return the command line that computes a value again."""
    words = ["gelu-verify value"]
    if function.name != "gelu":
        words.append(f"--function {quoted(function.name)}")
    if derivative:
        words.append(f"--derivative {derivative}")
    return " ".join([*words, *options, "--", x])


def quoted(word: str) -> str:
    """Quote a word for a shell where it needs it."""
    return word if word.replace("_", "").isalnum() else f"'{word}'"


def written(x: Fraction) -> str:
    """Write a rational as a decimal where it is a short one, else as a fraction.

    >>> written(Fraction(-3, 4)), written(Fraction(1, 3))
    ('-0.75', '1/3')
    """
    exact = Enclosure(x, x).decimal(25)
    return str(x) if exact.endswith("...") else exact


@dataclass(frozen=True, slots=True)
class Value:
    """`kind = "value"`: the value of a function or a derivative at a point, or the value of a constant expression."""

    function: Function
    x: Fraction
    derivative: int
    number: NumberClaim

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Read `function`, `at`, `derivative` and the printed number."""
        function = fields.function("function", "gelu")
        constant = not _varies(function)
        x = fields.point("at", "0" if constant else None)
        return cls(function, x, fields.integer("derivative", 0, MAX_DERIVATIVE, 0), fields.number())

    def judge(self, limits: Limits) -> Outcome:
        """Compare the printed number with the certified value."""
        what = prime(self.function.name, self.derivative)
        if _varies(self.function):
            what = at(what, written(self.x))
        command = value_command(self.function, written(self.x), self.derivative, "--digits 20")
        return judge_number(what, self.number, self._enclose, command)

    def _enclose(self, digits: int) -> Enclosure:
        return value(self.function, self.x, self.derivative, digits)


def _varies(function: Function) -> bool:
    from gelu_verify.catalogue.parser import measure

    return measure(function.expression).depends_on_x


@dataclass(frozen=True, slots=True)
class Table:
    """`kind = "table"`: printed values of a function at several inputs, each judged to its own printed digits.

    `decimals` says that all were rounded to so many places and lost their trailing zeros after (as Python's `round`
    prints them): -0.004 then stands for -0.0040.
    """

    function: Function
    derivative: int
    inputs: tuple[Fraction, ...]
    printed: tuple[Printed, ...]

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Read `function`, `derivative`, `inputs`, `printed` and `decimals`."""
        function = fields.function("function", "gelu")
        derivative = fields.integer("derivative", 0, MAX_DERIVATIVE, 0)
        inputs = tuple(read_point(text, fields.owner, "inputs") for text in fields.texts("inputs"))
        decimals = fields.integer("decimals", 0, 100, 0) if fields.has("decimals") else None
        printed = tuple(_padded(each, decimals) for each in fields.printed_list("printed"))
        if len(inputs) != len(printed):
            raise fields.complain(f"there are {len(inputs)} inputs and {len(printed)} printed values")
        return cls(function, derivative, inputs, printed)

    def judge(self, limits: Limits) -> Outcome:
        """Judge every entry; a wrong one gets its right digits and the name of the function it belongs to."""
        notes, undecided = [], False
        for x, printed in zip(self.inputs, self.printed, strict=True):
            answer, enclosure = _entry(self.function, x, self.derivative, printed)
            undecided = undecided or answer is None
            if answer is False:
                notes.append(self._wrong(x, printed, enclosure))
        command = value_command(self.function, " ".join(map(written, self.inputs)), self.derivative, "--digits 20")
        if notes:
            return Outcome(Verdict.REFUTED, None, tuple(notes), command)
        count = str(len(self.inputs))
        if undecided:
            return Outcome(Verdict.UNKNOWN, None, (Note("table.undecided", {"count": count}),), command)
        values = {"count": count, "function": prime(self.function.name, self.derivative)}
        return Outcome(Verdict.CERTIFIED, None, (Note("table.right", values),), command)

    def _wrong(self, x: Fraction, printed: Printed, enclosure: Enclosure) -> Note:
        values = {
            "what": at(prime(self.function.name, self.derivative), written(x)),
            "printed": printed.text,
            "right": printed.like(enclosure.midpoint),
            "value": enclosure.decimal(20),
        }
        for key, slack in (("table.rival", 0), ("table.near", 1)):
            rivals = [name for name in _RIVALS if _fits(name, x, self.derivative, printed, slack)]
            if rivals and self.function.name in FUNCTIONS:
                return Note(key, {**values, "rivals": ", ".join(rivals)})
        return Note("table.wrong", values)


def _padded(printed: Printed, decimals: int | None) -> Printed:
    if decimals is None or printed.exponent or printed.places is None:
        return printed
    return replace(printed, places=max(printed.places, decimals), whole=False)


def _fits(name: str, x: Fraction, derivative: int, printed: Printed, slack: int) -> bool:
    """Tell whether the entry is right for that function, give or take `slack` units of its last digit."""
    try:
        enclosure = value(get_function(name), x, derivative, DIGITS_TRIED[0])
    except (InputError, IncompleteError):  # no such derivative at x
        return False
    low, high = printed.stands_for
    room = slack * printed.unit
    return low - room <= enclosure.lower and enclosure.upper <= high + room


def _entry(function: Function, x: Fraction, derivative: int, printed: Printed) -> tuple[bool | None, Enclosure]:
    return settle(NumberClaim(printed), lambda digits: value(function, x, derivative, digits))


@dataclass(frozen=True, slots=True)
class Rounding:
    """`kind = "rounding"`: the correctly rounded result of a function in a format."""

    function: Function
    derivative: int
    format: Format
    x: ParsedInput
    printed: ParsedInput

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Read `function`, `derivative`, `format`, `at` and `printed` (as `gelu-verify value` reads numbers)."""
        function = fields.function("function", "gelu")
        derivative = fields.integer("derivative", 0, MAX_DERIVATIVE, 0)
        try:
            format = get_format(fields.text("format", "binary32"))
            x, printed = parse_number(fields.text("at")), parse_number(fields.text("printed"))
        except InputError as error:
            raise fields.complain(str(error)) from None
        for name, number in (("at", x), ("printed", printed)):
            if not number.is_exact_in(format):
                raise fields.complain(f"{name} = {number.text[:40]!r} is not a number of {format.name}")
        return cls(function, derivative, format, x, printed)

    def judge(self, limits: Limits) -> Outcome:
        """Compare the encodings."""
        format, x = self.format, self.x.to_bits(self.format)
        right = rounded(self.function, x, format, self.derivative)
        claimed = self.printed.to_bits(format)
        holds = right == claimed or (format.is_nan(right) and format.is_nan(claimed))
        values = {
            "what": at(prime(self.function.name, self.derivative), self.x.text),
            "format": format.name,
            "value": f"{format.hex(right)} ({format.bits_text(right)})",
            "printed": self.printed.text,
        }
        note = Note("rounding.right" if holds else "rounding.wrong", values)
        command = value_command(self.function, self.x.text, self.derivative, f"--format {format.name}")
        return Outcome(Verdict.CERTIFIED if holds else Verdict.REFUTED, Datum(format, right), (note,), command)
