"""The numbers of the Coq development are those of the certificates, rounded outward."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import InputError
from gelu_verify.proofs import formal_numbers
from gelu_verify.proofs.formal_numbers import CERTIFICATES, Extremum, certified_numbers, decimals, read_extremum
from gelu_verify.proofs.formal_statements import formal_theorems


def test_the_committed_file_is_what_is_generated(capsys: pytest.CaptureFixture[str]) -> None:
    assert formal_numbers.NUMBERS_FILE.read_text() == formal_numbers.numbers_source(certified_numbers())
    assert formal_numbers.main([]) == 0
    assert capsys.readouterr().out == ""


def test_a_file_that_differs_is_reported_and_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    committed = formal_numbers.NUMBERS_FILE.read_text()
    copy = tmp_path / "Numbers.v"
    monkeypatch.setattr(formal_numbers, "NUMBERS_FILE", copy)
    assert formal_numbers.main([]) == 1
    copy.write_text(committed.replace("285", "284"))
    assert formal_numbers.main([]) == 1
    assert capsys.readouterr().out == "Numbers.v differs\n" * 2
    assert formal_numbers.main(["--write"]) == 0
    assert copy.read_text() == committed


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "minimum"])
def test_decimals_enclose_the_certified_number_by_one_unit_in_the_fifteenth_digit(name: str) -> None:
    extremum = getattr(certified_numbers(), name)
    stated = {key: Fraction(text) for key, text in decimals(extremum).items()}
    for which, enclosure in (("value", extremum.value), ("place", extremum.place)):
        assert stated[f"{which}_lower"] < enclosure.lower <= enclosure.upper < stated[f"{which}_upper"]
        texts = [decimals(extremum)[f"{which}_{end}"] for end in ("lower", "upper")]
        digits = [text.lstrip("-").replace(".", "").lstrip("0") for text in texts]
        assert [len(each) for each in digits] == [15, 15]
        assert abs(int(digits[0]) - int(digits[1])) == 1


def test_the_place_is_known_to_within_what_the_checker_proves() -> None:
    certificate = json.loads((CERTIFICATES / "gelu_tanh_error.json").read_text())
    (place,) = [Fraction(cell[2]) for cell in certificate["cells"] if len(cell) == 3]
    found = read_extremum(CERTIFICATES / "gelu_tanh_error.json")
    assert Fraction(1, 10**52) <= (radius := Fraction(certificate["radius"])) <= Fraction(1, 10**50)
    assert (place - found.place.lower, found.place.upper - place) == (radius, radius)
    assert (found.value.lower, found.value.upper) == (Fraction(certificate["lower"]), Fraction(certificate["upper"]))


def test_bounds_of_twelve_digits_stand_on_either_side_of_the_supremum() -> None:
    for extremum in (certified_numbers().tanh, certified_numbers().sigmoid):
        bounds = formal_numbers.bounds(extremum)
        above, below = Fraction(bounds["bound"]), Fraction(bounds["bound_minus_unit"])
        assert below < extremum.value.lower <= extremum.value.upper < above
        assert Fraction(bounds["bound"].replace("0.", "")) - Fraction(bounds["bound_minus_unit"].replace("0.", "")) == 1


def test_the_cells_adjoin_and_hold_the_place_of_the_maximum() -> None:
    numbers = certified_numbers()
    for name, extremum in (("tanh", numbers.tanh), ("sigmoid", numbers.sigmoid)):
        cell = {key: Fraction(text) for key, text in formal_numbers.CELLS[name].items()}
        assert 0 < cell["core_left"] < extremum.place.lower < extremum.place.upper < cell["core_right"]
        assert cell["core_right"] < cell["side_end"] < cell["far"]
        assert 0 < cell["other_start"] < cell["other_end"] < cell["far"]


def test_the_statements_carry_the_numbers_of_the_certificates() -> None:
    numbers = certified_numbers()
    statements = {theorem.identifier: theorem.statement for theorem in formal_theorems(numbers)}
    assert statements["tanh_error_bound"] == "forall x : R, Rabs (T x - G x) <= 0.000473235520688"
    assert statements["sigmoid_error_bound"] == "forall x : R, Rabs (S x - G x) <= 0.0203348722093"
    assert "0.000473235520687284 < Rabs (T t - G t) < 0.000473235520687285" in statements["tanh_error_largest"]
    assert "0.0203348722092392 < Rabs (S t - G t) < 0.0203348722092393" in statements["sigmoid_error_largest"]
    assert "-0.751791524693565 < m < -0.751791524693564" in statements["gelu_minimum"]


def test_the_sentences_carry_the_numbers_of_the_statements() -> None:
    decimal = re.compile(r"-?[0-9]+\.[0-9]{4,}")
    for theorem in formal_theorems(certified_numbers()):
        assert set(decimal.findall(theorem.sentence)) == set(decimal.findall(theorem.statement))


def test_a_certificate_that_is_false_missing_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a valid certificate"):
        read_extremum(tmp_path / "absent.json")
    content = json.loads((CERTIFICATES / "gelu_tanh_error.json").read_text())
    for name in ("lower", "upper"):
        false = tmp_path / f"{name}.json"
        false.write_text(json.dumps(content | {name: "0.0004"}))
        with pytest.raises(InputError, match="is not a valid certificate"):
            read_extremum(false)
    with pytest.raises(InputError, match="does not locate one place"):
        read_extremum(CERTIFICATES / "gelu_sigmoid_best.json")


def test_too_few_digits_are_refused_rather_than_stated() -> None:
    fine = certified_numbers().tanh
    for width in (Fraction(1, 10**15), Fraction(1)):
        coarse = Enclosure(fine.value.lower - width, fine.value.upper + width)
        with pytest.raises(InputError, match="at least 15 certain digits"):
            decimals(Extremum(coarse, fine.place))
        with pytest.raises(InputError, match="at least 15 certain digits"):
            decimals(Extremum(fine.value, Enclosure(fine.place.lower - width * 1000, fine.place.upper + width * 1000)))
