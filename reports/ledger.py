"""The built-in claims: what the public page about GELU says, line by line, and a file to start one's own from."""

from importlib.resources import files

from gelu_verify.reports.claims import Claim, parse_claims


def ledger() -> tuple[Claim, ...]:
    """Return the claims of the built-in ledger."""
    return parse_claims(_text("ledger.toml").encode(), "ledger.toml")


def example_text() -> str:
    """Return a commented TOML file with one claim of each kind."""
    return _text("example.toml")


def _text(name: str) -> str:
    return (files("gelu_verify.reports") / name).read_text(encoding="utf-8")
