"""The built-in claims: what the public page about GELU says, what else is said, and a file to start one's own from."""

import tomllib
from importlib.resources import files

from gelu_verify.reports.claims import Claim, parse_claims


def ledger() -> tuple[Claim, ...]:
    """Return the claims of the public page, line by line."""
    return _claims("ledger.toml")


def folklore() -> tuple[Claim, ...]:
    """Return claims in circulation that are false."""
    return _claims("folklore.toml")


def sources() -> dict[str, str]:
    """Return where each of the two lists is from."""
    return {name: str(tomllib.loads(_text(f"{name}.toml"))["source"]) for name in ("ledger", "folklore")}


def example_text() -> str:
    """Return a commented TOML file with one claim of each kind."""
    return _text("example.toml")


def _claims(name: str) -> tuple[Claim, ...]:
    return parse_claims(_text(name).encode(), name)


def _text(name: str) -> str:
    return files("gelu_verify.reports").joinpath(name).read_text(encoding="utf-8")
