"""Numbers set as in print: signs, dots, and digits in groups of three."""

import re
from html import escape

_LONG = 6  # decimals up to which digits are not grouped


def typeset(text: str) -> str:
    """Set the signs and the dots of numbers as in print.

    >>> typeset("-0.17... at x = -1, gelu(x) - x, 1e-4")
    '−0.17… at x = −1, gelu(x) - x, 1e−4'
    """
    return re.sub(r"(?<![\w.)])-(?=\d)|(?<=\de)-(?=\d)", "\N{MINUS SIGN}", text).replace("...", "…")


def count(number: int) -> str:
    """Return a whole number in groups of three, set apart by narrow spaces as in every language.

    >>> count(4294967296)
    '4\u202f294\u202f967\u202f296'
    """
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def grouped(text: str) -> str:
    """Return HTML in which long decimals are set in groups of three, by space that is not copied along.

    >>> grouped("0.00047323…")
    '0.000<span class="g">473</span><span class="g">23</span>…'
    >>> grouped("<0.25")
    '&lt;0.25'
    """
    return re.sub(rf"(?<=\d\.)\d{{{_LONG + 1},}}", _groups, escape(text))


def _groups(digits: re.Match[str]) -> str:
    groups: list[str] = re.findall(r"\d{1,3}", digits[0])
    return groups[0] + "".join(f'<span class="g">{group}</span>' for group in groups[1:])
