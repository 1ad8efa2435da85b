"""`gelu-verify recheck`: certificates proved again from the command line, without any other package."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gelu_verify.cli import main
from gelu_verify.proofs import checker

FOLDER = Path(checker.__file__).parent / "certificates"
GOOD = str(FOLDER / "gelu_tanh_error.json")


@pytest.fixture
def refused(tmp_path):
    path = tmp_path / "refused.json"
    path.write_text(Path(GOOD).read_text().replace('"0.0004732355', '"0.0004732354'))
    return str(path)


def test_a_valid_certificate_is_certified_in_words(capsys):
    assert main(["recheck", GOOD]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"certified  {GOOD}\n") and "sup |F^(0)| is in" in told
    assert max(map(len, told.splitlines()[1:])) <= 118


def test_a_refused_certificate_fails_and_says_why(capsys, refused):
    assert main(["recheck", GOOD, refused]) == 1
    assert f"refuted  {refused}\n  a core is not shown to stay below upper" in capsys.readouterr().out


def test_json_gives_a_verdict_for_every_file(capsys, refused, tmp_path):
    missing = str(tmp_path / "missing.json")
    assert main(["recheck", "--json", GOOD, refused, missing]) == 2
    out, err = capsys.readouterr()
    assert [c["verdict"] for c in json.loads(out)["certificates"]] == ["certified", "refuted", "unknown"]
    assert err == f"gelu-verify: error: {missing} is not a certificate: there is no such file of at most 131072 bytes\n"


def test_a_file_that_is_no_certificate_is_one_line_and_exit_2(capsys, tmp_path):
    path = tmp_path / "other.json"
    path.write_text("{}")
    assert main(["recheck", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1


def test_no_dependency_is_needed():
    code = (
        "import sys\n"
        "for name in ('flint', 'mpmath', 'numpy', 'sympy', 'scipy', 'matplotlib'): sys.modules[name] = None\n"
        "from gelu_verify.cli import main\n"
        f"sys.exit(main(['recheck', {GOOD!r}]) or main(['recheck', '--json', {GOOD!r}]))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
