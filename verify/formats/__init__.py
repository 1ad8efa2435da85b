"""Floating-point formats as data: bits, exact values, ulp, neighbours and correct rounding.

A number of a format is written as its encoding, a plain integer called `bits`; exact values are `fractions.Fraction`.

>>> binary32 = get_format("binary32")
>>> binary32.exact(0x3F800001) - 1 == binary32.ulp(1)
True
"""

from collections.abc import Mapping
from types import MappingProxyType

from gelu_verify.errors import InputError, nearest_names
from gelu_verify.formats.format import Format

__all__ = ["FORMATS", "Format", "get_format"]

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        format.name: format
        for format in (
            Format("binary16", width=16, precision=11, emin=-14, emax=15),
            Format("bfloat16", width=16, precision=8, emin=-126, emax=127),
            Format("binary32", width=32, precision=24, emin=-126, emax=127),
            Format("binary64", width=64, precision=53, emin=-1022, emax=1023),
            Format("e4m3fn", width=8, precision=4, emin=-6, emax=8, has_infinity=False),
            Format("e5m2", width=8, precision=3, emin=-14, emax=15),
        )
    }
)
"""Every format by name. Sources: IEEE 754-2019 §3.6 (binary16/32/64) and, for the 8-bit ones, Micikevicius et al.,
"FP8 formats for deep learning" (2022); bfloat16 is binary32 with the lower half of the significand dropped."""

_ALIASES = {
    "float16": "binary16",
    "half": "binary16",
    "fp16": "binary16",
    "bf16": "bfloat16",
    "float32": "binary32",
    "single": "binary32",
    "fp32": "binary32",
    "float64": "binary64",
    "double": "binary64",
    "fp64": "binary64",
    "float8_e4m3fn": "e4m3fn",
    "float8_e5m2": "e5m2",
}


def get_format(name: str) -> Format:
    """Return the format called `name`, by its own name or by one of the names frameworks use for it.

    Raises InputError that lists the formats when there is none.

    >>> get_format("float32").name, get_format("bf16").precision
    ('binary32', 8)
    """
    known = _ALIASES.get(name, name) if isinstance(name, str) else ""
    if known not in FORMATS:
        hint = nearest_names(name, [*FORMATS, *_ALIASES]) if known else ""
        raise InputError(f"unknown format {name!r}{hint}; the formats are {', '.join(FORMATS)}")
    return FORMATS[known]
