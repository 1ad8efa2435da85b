"""From a TOML file to claims.

A file is a list of `[[claim]]` tables: `id`, `statement` (text, or a table of texts by language with `en` among them),
`source`, and either one checkable statement (`kind` and its fields) in the same table, or several in `[[claim.part]]`
tables.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gelu_verify.errors import InputError, reason
from gelu_verify.reports.claims.fields import Fields
from gelu_verify.reports.claims.kinds import KINDS
from gelu_verify.reports.claims.record import Claim, Part

MAX_BYTES = 2_000_000
MAX_CLAIMS = 1000
MAX_PARTS = 50
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LANGUAGE = re.compile(r"[a-z]{2,3}")


def read_claims(path: Path) -> tuple[Claim, ...]:
    """Read a file of claims.

    Raises:
        InputError: the file cannot be read, or what it says is not a list of claims; one line says where and what
            would be right.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason(error)}") from None
    return parse_claims(data, str(path))


def parse_claims(data: bytes, name: str) -> tuple[Claim, ...]:
    """Read claims from the bytes of a TOML document; `name` is put before every complaint.

    Raises:
        InputError: as `read_claims`.
    """
    document = Fields(name, _toml(data, name))
    document.table("title")
    source = document.text("source", "")
    tables = document.table("claim")
    document.finish()
    if not isinstance(tables, list) or not tables:
        raise InputError(f"{name}: there are no claims; write each as a [[claim]] table")
    if len(tables) > MAX_CLAIMS:
        raise InputError(f"{name}: there are {len(tables)} claims; at most {MAX_CLAIMS} are read")
    claims = tuple(_claim(f"{name}: claim {index}", table, source) for index, table in enumerate(tables, 1))
    seen: set[str] = set()
    for claim in claims:
        if claim.id in seen:
            raise InputError(f"{name}: two claims have the id {claim.id!r}; give each its own")
        seen.add(claim.id)
    return claims


def _toml(data: bytes, name: str) -> dict[str, Any]:
    if len(data) > MAX_BYTES:
        raise InputError(f"{name} is larger than {MAX_BYTES} bytes, which is more than is read")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))  # some editors put a byte order mark before the text
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: not UTF-8 text at byte {error.start}; save the file as UTF-8") from None
    except RecursionError:
        raise InputError(f"{name}: nested too deeply; a claim is a flat table") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: not TOML: {' '.join(str(error).split())}") from None
    except ValueError:  # Python's limit on the digits of an integer
        raise InputError(f"{name}: not TOML that is read: it has a whole number of thousands of digits") from None


def _claim(owner: str, table: Any, source: str) -> Claim:
    if not isinstance(table, Mapping):
        raise InputError(f"{owner}: must be a table, written as [[claim]]")
    fields = Fields(owner, table)
    identifier = fields.text("id")
    if not _ID.fullmatch(identifier):
        raise fields.complain(f"id = {identifier[:40]!r} must be letters, digits, '.', '_' or '-', at most 64 of them")
    fields.owner = f"{owner} ({identifier})"
    statements = _statements(fields)
    source = fields.text("source", source)
    tables = fields.table("part")
    if tables is None:
        return Claim(identifier, statements, source, (_part(fields),))
    fields.finish()
    if not isinstance(tables, list) or not 0 < len(tables) <= MAX_PARTS:
        raise fields.complain(f"part must be 1 to {MAX_PARTS} tables, each written as [[claim.part]]")
    parts = []
    for index, part in enumerate(tables, 1):
        if not isinstance(part, Mapping):
            raise fields.complain(f"part {index} must be a table, written as [[claim.part]]")
        parts.append(_part(Fields(f"{fields.owner}, part {index}", part)))
    return Claim(identifier, statements, source, tuple(parts))


def _statements(fields: Fields) -> Mapping[str, str]:
    given = fields.table("statement")
    if not isinstance(given, Mapping):
        return {"en": fields.text("statement")}
    texts = Fields(f"{fields.owner}, statement", given)
    for language in given:
        if not _LANGUAGE.fullmatch(language):
            raise texts.complain(f"{language[:20]!r} is not a language code such as en, de or zh")
    if "en" not in given:
        raise texts.complain("the English text (en) is missing")
    return {language: texts.text(language) for language in given}


def _part(fields: Fields) -> Part:
    kind = fields.choice("kind", tuple(KINDS))
    supporting = fields.flag("supporting")
    question = KINDS[kind](fields)
    fields.finish()
    return Part(kind, question, supporting)
