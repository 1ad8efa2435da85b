"""A file of claims is read strictly: whatever it holds, the answer is claims or one line."""

import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_verify.errors import InputError
from gelu_verify.reports.claims import parse_claims, read_claims
from gelu_verify.reports.claims.reading import MAX_BYTES, MAX_CLAIMS
from gelu_verify.reports.ledger import example_text

VALUE = '[[claim]]\nid = "A"\nstatement = "s"\nkind = "value"\nat = "1"\nprinted = "0.84"\n'


def complaint(text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        parse_claims(text.encode() if isinstance(text, str) else text, "f.toml")
    message = str(caught.value)
    assert message.startswith("f.toml")
    assert "\n" not in message
    assert len(message) < 400
    return message


def test_a_claim_may_have_several_parts_and_languages() -> None:
    text = """
    source = "a page"
    [[claim]]
    id = "A"
    statement = { en = "one", de = "eins" }
    [[claim.part]]
    kind = "value"
    at = "1"
    printed = "0.84"
    [[claim.part]]
    kind = "experiment"
    supporting = true
    """
    (claim,) = parse_claims(text.encode(), "f.toml")
    assert claim.statement == "one"
    assert claim.statements["de"] == "eins"
    assert claim.source == "a page"
    assert [(part.kind, part.supporting) for part in claim.parts] == [("value", False), ("experiment", True)]


def test_the_example_names_every_kind() -> None:
    from gelu_verify.reports.claims.kinds import KINDS

    kinds = {claim["kind"] for claim in tomllib.loads(example_text())["claim"]}
    assert kinds == set(KINDS)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no claims"),
        ("claim = 3", "no claims"),
        ("claim = [3]", "must be a table"),
        ("x = 1\n" + VALUE, "unknown field 'x'"),
        ("a = [", "not TOML"),
        ("a = " + "[" * 100_000, "nested"),
        ("a = " + "1" * 10_000, "a whole number of thousands of digits"),
        (VALUE + VALUE, "two claims have the id 'A'"),
        (VALUE.replace('"A"', '"<script>"'), "id ="),
        (VALUE.replace('"A"', "5"), "id = 5 must be text in quotes"),
        (VALUE.replace('"s"', "{de = 'x'}"), "English"),
        (VALUE.replace('"s"', "{EN = 'x'}"), "language code"),
        (VALUE.replace('"value"', '"valve"'), "did you mean 'value'"),
        (VALUE.replace('kind = "value"', ""), "kind is missing"),
        (VALUE + "pinted = 1", "did you mean 'printed'"),
        (
            VALUE.replace("printed", "printd"),
            "f.toml: claim 1 (A): the field printed is missing (did you mean 'printd'?)",
        ),
        (VALUE.replace('"value"', '"nope"'), "'nope' is not known; it is one of: best-constant, bound,"),
        (VALUE.replace('"0.84"', '"0,84"'), "decimal comma"),
        (VALUE.replace('"0.84"', '"<= 0.84"'), "such as 'at most'"),
        (VALUE + 'function = "g\u0435lu"', r"unknown function 'g\u0435lu'"),
        (VALUE.replace('"0.84"', "0.84"), "in quotes, so that its printed digits count"),
        (VALUE.replace('"0.84"', '"about 0.84"'), "not a printed number"),
        (VALUE.replace('at = "1"', 'at = "one"'), "not a number"),
        (VALUE.replace('at = "1"', 'at = "inf"'), "not a finite number"),
        (VALUE.replace('at = "1"', 'at = "1e999999999"'), "too large"),
        (VALUE.replace('at = "1"', ""), "at is missing"),
        (VALUE + 'function = "gelo"', "did you mean"),
        (VALUE + 'function = "__import__(1)"', "unknown function"),
        (VALUE + "derivative = -1", "whole number from 0"),
        (VALUE + "derivative = true", "whole number from 0"),
        (VALUE + "derivative = 1000000000", "whole number from 0"),
        (VALUE + 'relation = "equal"', "did you mean 'equals'"),
        (VALUE + "about = 1", "true or false"),
        (VALUE + "about = true\nexactly = true", "not both"),
        ('[[claim]]\nid = "A"\nstatement = "s"\npart = []', "1 to 50 tables"),
        (VALUE.replace('kind = "value"', "part = [1]"), "unknown field"),
        ('[[claim]]\nid = "A"\nstatement = "s"\npart = [1]', "part 1 must be a table"),
    ],
)
def test_what_is_not_a_claim_gets_one_line_that_says_what_would_be_right(text: str, says: str) -> None:
    assert says in complaint(text)


def test_tables_and_roundings_are_checked_when_they_are_read() -> None:
    table = '[[claim]]\nid = "A"\nstatement = "s"\nkind = "table"\ninputs = ["1", "2"]\nprinted = ["0.8"]\n'
    assert "2 inputs and 1 printed" in complaint(table)
    assert "write each entry in quotes" in complaint(table.replace('"0.8"', "0.8"))
    assert "list of 1 to" in complaint(table.replace('["0.8"]', "[]"))
    rounding = (
        '[[claim]]\nid = "A"\nstatement = "s"\nkind = "rounding"\nformat = "binary32"\nat = "1"\nprinted = "0.1"\n'
    )
    assert "not a number of binary32" in complaint(rounding)
    assert "did you mean 'binary32'" in complaint(rounding.replace('"binary32"', '"binary23"'))


def test_an_unknown_theorem_gets_the_nearest_name() -> None:
    text = '[[claim]]\nid = "A"\nstatement = "s"\nkind = "theorem"\ntheorems = ["gelu.derivative.frist"]'
    assert "gelu.derivative.first" in complaint(text)


def test_size_is_limited_before_anything_is_computed() -> None:
    start = time.process_time()
    assert "larger than" in complaint(b"#" * (MAX_BYTES + 1))
    many = "".join(f'[[claim]]\nid = "A{i}"\n' for i in range(MAX_CLAIMS + 1))
    assert "at most 1000" in complaint(many)
    assert "characters; at most" in complaint(VALUE.replace('"s"', f'"{"s" * 5000}"'))
    assert time.process_time() - start < 5


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    assert "not UTF-8 text at byte 0" in complaint(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot read"):
        read_claims(tmp_path / "absent.toml")
    with pytest.raises(InputError, match="cannot read"):
        read_claims(tmp_path)


@given(st.binary(max_size=200))
def test_any_bytes_are_claims_or_one_line(data: bytes) -> None:
    try:
        parse_claims(data, "f.toml")
    except InputError as error:
        assert "\n" not in str(error)


LEAVES = st.one_of(st.integers(), st.floats(), st.booleans(), st.text(max_size=8), st.just([]), st.just({}))


@given(
    st.dictionaries(st.sampled_from(["id", "statement", "kind", "at", "printed", "function", "inputs", "part"]), LEAVES)
)
def test_any_values_in_a_claim_are_a_claim_or_one_line(table: dict[str, object]) -> None:
    from gelu_verify.reports.claims.reading import _claim

    try:
        _claim("f.toml: claim 1", {"id": "A", "statement": "s", "kind": "value", **table}, "")
    except InputError as error:
        assert "\n" not in str(error)
