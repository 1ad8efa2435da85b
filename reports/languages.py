"""The sentences of the reports, in every language they are told in.

A language is one TOML file of nested tables in `strings/`; `note.number.exact` names the sentence `exact` in the table
`[note.number]`. Numbers, ids, formulas and commands are put in as they are: they are the same in every language.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from gelu_verify.errors import InputError, nearest_names
from gelu_verify.reports.claims.record import Note

LANGUAGES = ("en", "de", "zh")


class Language:
    """One language's sentences."""

    def __init__(self, code: str, sentences: Mapping[str, str]) -> None:
        self.code = code
        self._sentences = sentences

    def say(self, key: str, **values: object) -> str:
        """Return a sentence with the values put in.

        Raises:
            KeyError: the language has no such sentence, or a value is missing: a fault in this package, found by its
                tests, never by a reader.
        """
        return self._sentences[key].format_map(values)

    def tell(self, note: Note) -> str:
        """Return a note of evidence in words."""
        return self.say(f"note.{note.key}", **note.values)

    @property
    def sentences(self) -> Mapping[str, str]:
        """All sentences by name, before anything is put in."""
        return self._sentences


@lru_cache(maxsize=len(LANGUAGES))
def get_language(code: str) -> Language:
    """Return a language by its code.

    Raises:
        InputError: there is none of that code.

    >>> get_language("en").tell(Note("number.exact", {"what": "gelu(0)", "value": "0", "printed": "0"}))
    'gelu(0) = 0 exactly.'
    """
    if code not in LANGUAGES:
        raise InputError(f"no language {code!r}{nearest_names(code, LANGUAGES)}; there are {', '.join(LANGUAGES)}")
    text = (files("gelu_verify.reports") / "strings" / f"{code}.toml").read_text(encoding="utf-8")
    return Language(code, dict(_flat(tomllib.loads(text), "")))


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, str):
            yield prefix + name, value
        else:
            yield from _flat(value, f"{prefix}{name}.")
