"""Where the evidence for a row of the report is: the ids of other rows, as the HTML view has them."""

from collections.abc import Iterator, Mapping
from typing import Any

_TABLES = ("theorem", "theorems"), ("certificate", "certificates"), ("formal", "formal"), ("constants", "constants")
_BOUNDS = ("bound", "errors"), ("points", "points"), ("threshold", "thresholds")


def anchors(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids that the document's rows have in the HTML view."""
    for prefix, table in _TABLES:
        yield from (f"{prefix}-{each['id']}" for each in document.get(table, ()))
    for prefix, table in _BOUNDS:
        yield from (f"{prefix}-{each['id']}" for each in document.get("bounds", {}).get(table, ()))


def evidence(row: Mapping[str, Any]) -> list[str]:
    """Return the ids of what else shows a row's number, whether or not the document at hand has it.

    Arguments:
        row: of the tables of errors, points or constants.

    >>> evidence({"id": "gelu_tanh.Phi", "family": "gelu_tanh", "target": "Phi"})
    ['certificate-gelu_tanh_best_for_Phi']
    """
    if "family" in row:
        return [f"certificate-{row['family']}_best{'' if row['target'] == 'gelu' else '_for_' + row['target']}"]
    if "what" in row:
        extremum = row["what"] == "minimum" and not row["derivative"]
        return [f"certificate-{row['function']}_minimum", f"formal-{row['function']}_minimum"] if extremum else []
    if row["relative"] or row["against"] != "gelu" or row["domain"] != ["-inf", "inf"]:
        return []
    order = f"_derivative_{row['derivative']}" if row["derivative"] else ""
    formal = [] if order else [f"formal-{row['function'].removeprefix('gelu_')}_error_bound"]
    return [f"certificate-{row['function']}_error{order}", *formal]
