"""Every sentence exists in every language, with the same things put in, and each is used."""

import re
import string
from importlib.resources import files
from typing import Any

import pytest

from gelu_verify.errors import InputError
from gelu_verify.reports.build import views
from gelu_verify.reports.languages import LANGUAGES, get_language
from gelu_verify.reports.ledger import folklore, ledger

WITHOUT_WORDS = {"note.number.compares", "points.x", "sweeps.nan"}
INTERNATIONAL = {"points.maximum", "points.minimum", "bounds.supremum", "special.format", "thresholds.format"}


def inserted(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


@pytest.mark.parametrize("code", LANGUAGES[1:])
def test_no_sentence_is_missing_and_the_same_things_are_put_in(code: str) -> None:
    english, other = get_language("en").sentences, get_language(code).sentences
    assert set(english) - set(other) == set()
    assert set(other) - set(english) == set()
    assert [key for key in english if inserted(english[key]) != inserted(other[key])] == []


@pytest.mark.parametrize("code", LANGUAGES[1:])
def test_sentences_are_translated(code: str) -> None:
    english, other = get_language("en").sentences, get_language(code).sentences
    assert {key for key in english if english[key] == other[key]} <= INTERNATIONAL | WITHOUT_WORDS
    chinese = re.compile(r"[\u4e00-\u9fff]")
    astray = {key for key in other if bool(chinese.search(other[key])) is not (code == "zh")}
    assert astray <= WITHOUT_WORDS


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_claim_of_the_ledgers_is_told_in_the_language(code: str) -> None:
    for claim in (*ledger(), *folklore()):
        assert code in claim.statements, claim.id


def test_every_sentence_is_used_and_every_sentence_used_exists() -> None:
    sources = "\n".join(text for text in _texts(files("gelu_verify.reports")))
    sources += files("gelu_verify.cli").joinpath("report.py").read_text(encoding="utf-8")
    keys = set(get_language("en").sentences)
    named = set(re.findall(r"say\(\s*f?[\"']([a-z0-9_.-]+)[\"'][,)]", sources))
    assert named - keys == set()
    whole = set(re.findall(r"[\"']([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)[\"']", sources))
    starts = set(re.findall(r"f\"([a-z.]+[_.])\{", sources)) | set(re.findall(r"\"([a-z.-]+)\" ~", sources))
    built = set(re.findall(r"[\"']([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.[\"'{]", sources))
    unused = {
        key
        for key in keys
        if key not in whole
        and key.removeprefix("note.") not in whole
        and not any(key.startswith((f"{start}.", f"note.{start}.")) for start in built)
        and not any(key.startswith((start, f"note.{start}")) for start in starts)
    }
    assert unused == set()


def _texts(folder: Any) -> Any:
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name not in ("strings", "published", "__pycache__"):
            yield from _texts(entry)
        elif entry.name.endswith((".py", ".html", ".md")):
            yield entry.read_text(encoding="utf-8")


NUMBERS = re.compile(r"\d+\.\d+|0x[0-9a-f.]+p[+-]\d+|\bgelu-verify [a-z]+ [^<]*|id=\"[^\"]+\"")


def test_numbers_ids_and_commands_are_the_same_in_every_language(document: Any) -> None:
    english, *others = (sorted(NUMBERS.findall(views(document, code)["report.html"])) for code in LANGUAGES)
    assert len(english) > 500
    for other in others:
        assert other == english


def test_no_english_sentence_is_left_in_another_language(document: Any) -> None:
    english = _sentences_of(views(document, "en")["report.html"])
    assert len(english) > 100
    for code in LANGUAGES[1:]:
        assert english & _sentences_of(views(document, code)["report.html"]) == set()


def _sentences_of(html: str) -> set[str]:
    """Return the texts with several words, without what is marked as English, commands, formulas and sources."""
    html = re.sub(r"(?s)<style>.*?</style>|<math.*?</math>|<code.*?</code>", "", html)
    html = re.sub(r'(?s)<p class="source">.*?</p>|<span class="source">.*?</span>', "", html)
    html = re.sub(r'(?s)<(\w+)[^>]* lang="en"[^>]*>.*?</\1>', "", html.replace('<html lang="en">', ""))
    texts = {" ".join(text.split()) for text in re.findall(r">([^<>]+)<", html)}
    return {text for text in texts if re.search(r"[A-Za-z]{3,} [a-z]{3,}", text)}


def test_an_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="there are en, de, zh"):
        get_language("klingon")
