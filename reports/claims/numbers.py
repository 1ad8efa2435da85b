"""From a decided printed number to the sentence that says so."""

import re
from collections.abc import Callable, Iterable

from gelu_verify.enclosures import Enclosure
from gelu_verify.records import Verdict
from gelu_verify.reports.claims.printed import NumberClaim, Relation, settle
from gelu_verify.reports.claims.record import Note, Outcome

SHOWN_DIGITS = 17

_APPROACH = re.compile(r"as x -> (\S+?)(?: from (above|below))?")
_SIGNS = {
    Relation.AT_MOST: ("≤", ">"),
    Relation.BELOW: ("<", "≥"),
    Relation.AT_LEAST: ("≥", "<"),
    Relation.ABOVE: (">", "≤"),
}


def judge_number(
    what: str, claim: NumberClaim, enclose: Callable[[int], Enclosure], command: str, anchors: tuple[str, ...] = ()
) -> Outcome:
    """Decide a claim about one real number.

    Arguments:
        what: the number as a formula, for the sentence.
        enclose: returns an enclosure of about the given number of digits.
        command: what to type to compute the number again.
    """
    answer, enclosure = settle(claim, enclose)
    verdict = {True: Verdict.CERTIFIED, False: Verdict.REFUTED, None: Verdict.UNKNOWN}[answer]
    return Outcome(verdict, enclosure, (number_note(what, claim, enclosure, answer),), command, anchors)


def number_note(what: str, claim: NumberClaim, enclosure: Enclosure, answer: bool | None) -> Note:
    """Return the sentence that says how the true number and the printed one lie to each other."""
    printed = claim.printed
    values = {"what": what, "value": enclosure.decimal(SHOWN_DIGITS), "printed": printed.text}
    if answer is None:
        return Note("number.undecided", values)
    if claim.relation is Relation.EQUALS:
        return _equality(claim, enclosure, answer, values)
    plainly = NumberClaim(printed, claim.relation).allows(enclosure)
    if answer and not plainly:
        return Note("number.about", {**values, "sign": _SIGNS[claim.relation][1]})
    return Note("number.compares", {**values, "sign": _SIGNS[claim.relation][0 if answer else 1]})


def _equality(claim: NumberClaim, enclosure: Enclosure, answer: bool, values: dict[str, str]) -> Note:
    printed = claim.printed
    if not answer:
        if claim.literal:
            return Note("number.differs_exactly", values)
        return Note("number.differs", {**values, "right": printed.like(enclosure.midpoint)})
    if enclosure.lower == enclosure.upper == printed.value:
        return Note("number.exact", values)
    if printed.cut:
        return Note("number.begins", values)
    side = "above" if enclosure.lower > printed.value else "below" if enclosure.upper < printed.value else "close"
    return Note(f"number.rounds_{side}", values)


def approach_notes(approaches: Iterable[str]) -> tuple[Note, ...]:
    """Return the sentences that say how a supremum is approached, from the bounds' words `as x -> END [from SIDE]`."""
    return tuple(Note(f"bound.approached_{side}", {"end": end}) for side, end in map(read_approach, approaches))


def read_approach(words: str) -> tuple[str, str]:
    """Return the side (`above`, `below`, or `end` for none) and the end in `as x -> END [from SIDE]`.

    Raises:
        ValueError: the words are others.

    >>> read_approach("as x -> -inf"), read_approach("as x -> 0 from above")
    (('end', '-inf'), ('above', '0'))
    """
    match = _APPROACH.fullmatch(words)
    if match is None:
        raise ValueError(f"not an approach: {words!r}")
    return match[2] or "end", match[1]
