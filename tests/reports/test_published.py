"""The report that is committed is the one that this version makes, to the byte."""

from pathlib import Path

PUBLISHED = Path(__file__).parents[2] / "reports" / "published"
AGAIN = "make it again with: gelu-verify report --portable --out reports/published"


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_published_report_is_the_one_that_this_version_makes(report_folder: Path) -> None:
    published, made = files_of(PUBLISHED), files_of(report_folder)
    assert published.keys() == made.keys(), AGAIN
    assert [name for name in made if made[name] != published[name]] == [], AGAIN
