"""What GELU and its forms give at the special values of every format, correctly rounded."""

from typing import Any

from gelu_verify.catalogue import get_function
from gelu_verify.cli.output import float_json
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.formats import FORMATS, Format
from gelu_verify.records import Verdict
from gelu_verify.references import rounded
from gelu_verify.reports.pipeline import Context

FUNCTIONS = ("gelu", "gelu_tanh", "gelu_sigmoid")


def special_values(context: Context) -> list[dict[str, Any]]:
    """Return a row for each special input of each format: the input and each function's correctly rounded value."""
    rows = []
    for format in FORMATS.values():
        for name, bits in _inputs(format):
            values = {function: _value(function, bits, format) for function in FUNCTIONS}
            rows.append(
                {
                    "format": format.name,
                    "input": name,
                    "x": float_json(format, bits),
                    "values": values,
                    "verdict": str(Verdict.CERTIFIED),
                    "command": f"gelu-verify value {format.bits_text(bits)}@{format.name} --format {format.name}",
                }
            )
    return rows


def _inputs(format: Format) -> list[tuple[str, int]]:
    finite = [
        ("zero", 0),
        ("least_subnormal", format.min_subnormal),
        ("least_normal", format.min_normal),
        ("greatest", format.max_finite),
    ]
    positive = [*finite, ("infinity", format.infinity)] if format.has_infinity else finite
    negative = [(f"minus_{name}", bits | format.sign_mask) for name, bits in positive]
    return [*positive, *negative, ("nan", format.nan)]


def _value(function: str, bits: int, format: Format) -> dict[str, str] | None:
    try:
        return float_json(format, rounded(get_function(function), bits, format))
    except (InputError, IncompleteError):  # no limit is known there
        return None
