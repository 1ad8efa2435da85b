"""Claims about what a library computes, settled by probing it, where it is installed."""

from dataclasses import dataclass
from typing import Self

from gelu_verify.catalogue import FUNCTIONS, Function, get_function
from gelu_verify.errors import InputError
from gelu_verify.formats import get_format
from gelu_verify.records import Verdict
from gelu_verify.reports.claims.fields import Fields
from gelu_verify.reports.claims.record import Limits, Note, Outcome
from gelu_verify.reports.libraries import LibraryFunction, get_library_function

PROBED_IN = "binary32"


@dataclass(frozen=True, slots=True)
class LibraryClaim:
    """`kind = "implementation"`: a library's callable computes a catalogue function. Probing is evidence, no proof."""

    implementation: LibraryFunction
    function: Function

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Read `implementation` (a name of `gelu_verify.reports.libraries`) and `function`."""
        try:
            implementation = get_library_function(fields.text("implementation"))
            function = get_function(fields.text("function"))
        except InputError as error:
            raise fields.complain(str(error)) from None
        return cls(implementation, function)

    def judge(self, limits: Limits) -> Outcome:
        """Probe it in binary32 and say which function explains its results."""
        implementation, command = self.implementation, self.implementation.command("identify")
        values = {"implementation": implementation.name, "function": self.function.name}
        if not limits.probing:
            return Outcome(Verdict.UNKNOWN, None, (Note("implementation.elsewhere", values),), command)
        if not implementation.installed:
            note = Note("implementation.absent", {**values, "library": implementation.library})
            return Outcome(Verdict.UNKNOWN, None, (note,), command)
        found = identified(implementation, limits.inner)
        if found is None:
            return Outcome(Verdict.UNKNOWN, None, (Note("implementation.unclear", values),), command)
        same = found == self.function.name
        note = Note("implementation.same" if same else "implementation.other", {**values, "found": found})
        return Outcome(Verdict.SAMPLED if same else Verdict.REFUTED, None, (note,), command)


def identified(implementation: LibraryFunction, seconds: float) -> str | None:
    """Return what a library's callable computes, with constants if they are not the usual ones; None if nothing fits.

    Raises:
        InputError: it cannot be loaded.
    """
    from gelu_verify.checks.probes import probes
    from gelu_verify.formats.arrays import to_float64
    from gelu_verify.identify import identify
    from gelu_verify.targets import IsolatedTarget, Misbehaved, parse_target

    format = get_format(PROBED_IN)
    try:
        target = IsolatedTarget(parse_target(implementation.target, implementation.keywords), format, timeout=seconds)
    except Misbehaved as fault:  # the library ends the process that imports it, or does not come back
        raise InputError(f"{implementation.name} cannot be loaded: {fault.detail}") from None
    try:
        bits = probes(format)
        results = target.evaluate(bits)
    except Misbehaved as fault:
        raise InputError(f"{implementation.name} gives no result: {fault.detail}") from None
    finally:
        target.close()
    found = identify(format, to_float64(format, bits), to_float64(format, results))
    return str(found.best[0].model) if found.settled and found.best[0].model.name in FUNCTIONS else None
