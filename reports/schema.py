"""The JSON Schema of a report's document."""

from importlib.resources import files


def schema_text() -> str:
    """Return the schema (JSON Schema, draft 2020-12), as it is published."""
    return files("gelu_verify.reports").joinpath("report.schema.json").read_text(encoding="utf-8")
