"""The supremum of |f| over a part of the real line, with every point where it is attained.

The street: cut the line into stretches on which the expression is smooth (`pieces`); settle their ends, finite ones by
value, infinite and singular ones by their expansion (`ends`); search what is left (`search`); refine the candidates
until the digits asked for are certain.
"""

from fractions import Fraction

from flint import arb

from gelu_verify.bounds.candidates import Blunt, Candidate, Flat, Stationary
from gelu_verify.bounds.domains import defined_everywhere
from gelu_verify.bounds.ends import Ends, Infinite
from gelu_verify.bounds.error import Error, Span, SupremumResult
from gelu_verify.bounds.pieces import switches
from gelu_verify.bounds.roots import Line, Unresolved
from gelu_verify.bounds.search import Core, Search
from gelu_verify.bounds.stretches import stretches
from gelu_verify.deadlines import Deadline, OutOfTime
from gelu_verify.enclosures import Enclosure, enclosure_of, working_precision
from gelu_verify.enclosures.scales import NoAsymptotics, TooEarly
from gelu_verify.enclosures.tails import Approach
from gelu_verify.errors import IncompleteError
from gelu_verify.records import Verdict

_FIRST_BITS = 64
_TIE_ROUNDS = 3  # times the precision is doubled to tell two candidates apart
_TIE_BITS = 4096  # beyond, it is not doubled
_MORE_ROUNDS = 3  # times some bits are added until the digits are certain


def supremum(error: Error, line: Line, digits: int = 15, timeout: float | None = None) -> SupremumResult:
    """Return the supremum of |error| over the line, certified to that many significant digits.

    Arguments:
        line: finite ends belong to the domain.
        timeout: seconds after which the best bounds so far are returned, with the verdict `unknown`.

    Raises:
        InputError: the error is not defined on a whole interval of the line.

    >>> from gelu_verify.catalogue import get_function
    >>> gelu, tanh_form = get_function("gelu").expression, get_function("gelu_tanh").expression
    >>> found = supremum(Error(tanh_form, gelu), Line(None, None))
    >>> found.supremum.decimal(15), [place.decimal(15) for place in found.at]
    ('0.000473235520687284...', ['-2.69894138637727...', '2.69894138637727...'])
    """
    return _Question(error, line, digits, timeout).answer()


class _Question:
    def __init__(self, error: Error, line: Line, digits: int, timeout: float | None) -> None:
        self._error, self._digits = error, digits
        self._bits = int(digits * 3.33) + 32
        self._deadline = Deadline(timeout)
        self._search = Search(self._deadline, Fraction(1, 10 ** (digits + 1)))
        self._candidates: list[Candidate] = []
        self._bounded = False  # whether everything outside the search's segments is accounted for
        self._parity: int | None = None
        self._halved, self._line = False, line

    def answer(self) -> SupremumResult:
        """Answer the question (at a precision that keeps bounds apart which differ in the last digit asked for)."""
        with working_precision(self._bits + 64):
            return self._answer()

    def _halve(self) -> None:
        """Find a symmetry of the error, and where it allows it look at one half of the line only."""
        error, line = self._error, self._line
        self._parity = error.parity
        self._halved = self._parity is not None and line.upper == (None if line.lower is None else -line.lower)
        if error.derivative and any(True for rule in error.rules for _ in switches(rule)):
            self._halved = False  # whether a derivative exists at zero is seen from both sides only
        if not all(defined_everywhere(rule) for rule in error.rules):
            self._halved = False  # a normal form says nothing of where the function is defined
        self._line = Line(Fraction(0), line.upper) if self._halved else line

    def _answer(self) -> SupremumResult:
        try:
            with self._deadline:
                return self._certain_answer()
        except Infinite as found:
            return self._result(infinite=True, attained=False, approached=self._mirrored_words([found.approach]))
        except OutOfTime:
            return self._unknown("the time allowed is over")
        except (Unresolved, TooEarly, NoAsymptotics) as problem:
            return self._unknown(str(problem))
        except RecursionError:
            return self._unknown("the expression is nested too deeply for this")

    def _certain_answer(self) -> SupremumResult:
        self._halve()
        parts = stretches(self._error, self._line, self._bits, self._deadline)
        ends = Ends(self._error, parts, self._line, self._search)
        segments = ends.settle()
        self._candidates += ends.candidates
        self._bounded = True
        self._candidates += [self._inner(core) for core in self._search.cores(segments)]
        return self._conclude()

    def _inner(self, core: Core) -> Candidate:
        return Blunt(core, self._deadline) if core.root is None else Stationary(core.segment.f, core.root)

    def _conclude(self) -> SupremumResult:
        bits, rounds = self._bits, 0
        top = self._highest(self._candidates, _FIRST_BITS)
        while True:
            self._deadline.check()
            top = self._highest(top, bits)
            rounds += 1
            if len(top) == 1 or rounds > _TIE_ROUNDS or bits > _TIE_BITS:
                break
            bits *= 2
        for _ in range(_MORE_ROUNDS):
            found = self._enclose(top, bits)
            if found.exact or found.certain_digits() >= self._digits:
                break
            bits += 64
        if found.width * 10**self._digits > found.upper:
            return self._unknown(f"no more than {found.certain_digits()} digits were found certain", found)
        places = self._places([c for c in top if c.attained is not False])
        verdicts = {candidate.attained for candidate in top}
        return self._result(
            supremum=found,
            attained=True if True in verdicts and (found.exact or len(verdicts) == 1) else _common(verdicts),
            at=places,
            on=tuple(
                span for candidate in top if isinstance(candidate, Flat) for span in self._mirrored(candidate.span)
            ),
            approached=self._mirrored_words([c.approach for c in top if c.approach and c.attained is False]),
            tied=self._is_tied(top, places) and not found.exact,
            lower=found.lower,
            upper=found.upper,
        )

    def _highest(self, candidates: list[Candidate], bits: int) -> list[Candidate]:
        values = [(candidate, candidate.value(bits)) for candidate in candidates]
        best = max((value.lower() for candidate, value in values if candidate.certain), default=arb(0))
        return [candidate for candidate, value in values if not value.upper() < best]

    def _enclose(self, top: list[Candidate], bits: int) -> Enclosure:
        """Enclose the supremum; what the search saw of |f| on its way must lie below, or a candidate was lost.

        Raises:
            ArithmeticError: that happened (a fault in this package).
        """
        values = [candidate.enclosure(bits) for candidate in top]
        certain = [value.lower for candidate, value in zip(top, values, strict=True) if candidate.certain]
        upper, seen = max(value.upper for value in values), enclosure_of(self._search.reached).lower
        if seen > upper:
            raise ArithmeticError(
                f"|f| reaches {float(seen):.9g}, above its supremum {float(upper):.9g}: please report"
            )
        return Enclosure(max([*certain, seen, Fraction(0)]), upper)

    def _places(self, candidates: list[Candidate]) -> tuple[Enclosure, ...]:
        flats = [candidate.span for candidate in candidates if isinstance(candidate, Flat)]
        found = {place for candidate in candidates for place in candidate.places(self._bits)}
        found = {place for place in found if not any(span.holds(place) for span in flats)}
        if self._halved:
            found |= {-place for place in found}
        return tuple(sorted(found, key=lambda place: (place.lower, place.upper)))

    def _is_tied(self, top: list[Candidate], places: tuple[Enclosure, ...]) -> bool:
        """Return whether there are several places to choose from, other than one and its mirror image."""
        ends = sum(candidate.attained is False for candidate in top)
        flats = sum(isinstance(candidate, Flat) for candidate in top)
        different = {abs(place) for place in places} if self._halved else set(places)
        return len(different) + ends + flats > 1

    def _mirrored(self, span: Span) -> list[Span]:
        if not self._halved:
            return [span]
        if span.lower is not None and span.lower.upper == 0 and span.lower_closed:
            return [Span(span.mirrored.lower, span.upper, span.upper_closed, span.upper_closed)]
        return [span.mirrored, span]

    def _mirrored_words(self, approaches: list[Approach]) -> tuple[str, ...]:
        both = [*approaches, *(approach.mirrored for approach in approaches)] if self._halved else approaches
        return tuple(dict.fromkeys(map(str, both)))

    def _result(self, **found: object) -> SupremumResult:
        return SupremumResult(Verdict.CERTIFIED, parity=self._parity, **found)  # type: ignore[arg-type]

    def _unknown(self, reason: str, found: Enclosure | None = None) -> SupremumResult:
        lower, upper = self._search.reached, arb.pos_inf()
        if self._bounded:
            upper = self._search.open_above
            for candidate in self._candidates:
                upper = arb.max(upper, candidate.ceiling()).upper()
        return SupremumResult(
            Verdict.UNKNOWN,
            parity=self._parity,
            lower=_exact_end(lower) if found is None else found.lower,
            upper=_exact_end(upper) if found is None else found.upper,
            reason=reason,
        )


def _exact_end(bound: arb) -> Fraction | None:
    """Return an exact bound as a rational number, None when it is infinite or too large to write out."""
    try:
        return enclosure_of(bound).upper
    except IncompleteError:
        return None


def _common(verdicts: set[bool | None]) -> bool | None:
    return verdicts.pop() if len(verdicts) == 1 else None
