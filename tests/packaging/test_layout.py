"""The folders, the package list and what importing costs."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOMES = {"verify": "gelu_verify", "proofs": "gelu_verify.proofs", "reports": "gelu_verify.reports"}


def packages_in_tree(root: Path) -> set[str]:
    """Return the import names of the folders that hold an __init__.py."""
    found = set()
    for folder, name in HOMES.items():
        for init in (root / folder).rglob("__init__.py"):
            found.add(".".join([name, *init.parent.relative_to(root / folder).parts]))
    return found


def test_package_list_equals_the_folders() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    assert len(listed) == len(set(listed))
    assert set(listed) == packages_in_tree(ROOT)


def test_a_folder_that_is_not_listed_would_be_noticed(tmp_path: Path) -> None:
    for folder in ("verify", "verify/new/room", "proofs", "reports"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "__init__.py").touch()
    assert packages_in_tree(tmp_path) == {
        "gelu_verify",
        "gelu_verify.new.room",
        "gelu_verify.proofs",
        "gelu_verify.reports",
    }


def test_every_python_file_lies_in_a_package() -> None:
    """A module in a folder without __init__.py would work from the source tree and be absent from the wheel."""
    for folder in HOMES:
        for module in (ROOT / folder).rglob("*.py"):
            if module != ROOT / "proofs" / "checker.py":
                assert (module.parent / "__init__.py").exists(), f"{module} lies in no package"


@pytest.mark.parametrize("statement", ["import gelu_verify", "import gelu_verify.formats", "import gelu_verify.cli"])
def test_importing_loads_no_heavy_package(statement: str) -> None:
    code = f"""{statement}
import sys
print(sorted({{"sympy", "mpmath", "numpy", "scipy", "matplotlib", "flint", "ml_dtypes"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_where_the_package_says() -> None:
    import gelu_verify

    for name in gelu_verify.__all__:
        assert getattr(gelu_verify, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'gleu'"):
        _ = gelu_verify.gleu  # type: ignore[attr-defined]
