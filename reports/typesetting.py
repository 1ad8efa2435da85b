"""Numbers set as in print: signs, dots, and digits in groups of three."""

import re
from fractions import Fraction
from html import escape

_MATHML = (
    r"</?(?:math|mo|mi|mn|mtext|mrow|mfrac|msqrt|mroot|msub|msup|msubsup|munder|mover|munderover)"
    r'(?: (?:display="block"|xmlns="http://www\.w3\.org/1998/Math/MathML"))*/?>'
)
_LONG = 6  # decimals up to which digits are not grouped


def typeset(text: str) -> str:
    """Set the signs and the dots of numbers as in print.

    >>> typeset("-0.17... at x = -1, gelu(x) - x, 1e-4")
    '−0.17… at x = −1, gelu(x) - x, 1e−4'
    """
    return re.sub(r"(?<![\w.)])-(?=\d)|(?<=\de)-(?=\d)", "\N{MINUS SIGN}", text).replace("...", "…")


def read_decimal(text: str) -> Fraction:
    """Return the exact value of a decimal of a report.

    Raises:
        ValueError: it is none, or so large that a stranger must have put it there to fill the memory.

    >>> read_decimal("4.7e-4")
    Fraction(47, 100000)
    """
    if not re.fullmatch(r"-?[0-9]{1,400}(?:\.[0-9]{0,400})?(?:e[+-]?[0-9]{1,4})?", text):
        raise ValueError(f"{text[:60]!r} is not a decimal of a report")
    return Fraction(text)


def count(number: int) -> str:
    """Return a whole number in groups of three, set apart by narrow spaces as in every language.

    >>> count(4294967296)
    '4\u202f294\u202f967\u202f296'
    """
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def put_in(value: object) -> object:
    """Return a value for a sentence: a number set as in print, anything else as it is.

    >>> put_in(65536), put_in("-5.25"), put_in("x*exp(-2)")
    ('65\u202f536', '−5.25', 'x*exp(-2)')
    """
    if isinstance(value, int):
        return count(value)
    return typeset(value) if isinstance(value, str) and re.fullmatch(r"-?[\d.]+", value) else value


def grouped(text: str) -> str:
    """Return HTML in which long numbers are set in groups of three, by space that is not copied along.

    >>> grouped("169247000")
    '169<span class="g">247</span><span class="g">000</span>'
    >>> grouped("0.00047323…")
    '0.000<span class="g">473</span><span class="g">23</span>…'
    >>> grouped("<0.25")
    '&lt;0.25'
    """
    text = re.sub(rf"(?<=\d\.)\d{{{_LONG + 1},}}", lambda found: _joined(r"\d{1,3}", found[0]), escape(text))
    whole = r"(?<![\w.])(?<!e[-+\N{MINUS SIGN}])\d{5,}(?!\w)"  # no exponent, no bits, no name
    return re.sub(whole, lambda found: _joined(r"\d{1,3}(?=(?:\d{3})*$)", found[0]), text)


def _joined(group: str, digits: str) -> str:
    groups: list[str] = re.findall(group, digits)
    return groups[0] + "".join(f'<span class="g">{each}</span>' for each in groups[1:])


def formula(text: str) -> str:
    """Return presentation MathML as it is, having made sure that it is nothing else: it goes into the page unescaped.

    Raises:
        ValueError: there is other markup in it. A report that is written again may be a stranger's.

    >>> formula('<math display="block"><mi>x</mi></math>')
    '<math display="block"><mi>x</mi></math>'
    """
    if not text.startswith("<math") or "<" in re.sub(_MATHML, "", text):
        raise ValueError(f"{text[:60]!r} is not presentation MathML")
    return text
