"""Numbers are written and read with a point, also in a process whose C library writes them with a comma."""

import os
import subprocess
import sys
from pathlib import Path

# What an application with a German surface does before it uses the package: `printf` and `strtod` obey it from then on.
PROGRAM = """
import ctypes, locale, os, sys
if "LOCPATH" in os.environ:
    locale.setlocale(locale.LC_ALL, "")
    library = ctypes.CDLL(None)
    library.strtod.restype = ctypes.c_double
    assert (locale.str(1.5), library.strtod(b"1.5", None)) == ("1,5", 1.0)
from gelu_verify.cli import main
for words in sys.argv[1:]:
    print(words, main(words.split()), flush=True)
"""
CLAIM = '[[claim]]\nid = "a"\nstatement = "b"\nkind = "minimum"\nfunction = "gelu"\nat = "-0.75179"\n'
COMMANDS = (
    "value -5.5 --digits 30",
    "value -0.1 --format binary32 --json",
    "value 0.1 --function x*sigmoid(1.702*x) --derivative 1",
    "bound x*sigmoid(1.773*x) --digits 12",
    "locate minimum gelu --json",
    "claims claim.toml",
    "strength --table table.csv --json",
    "check gelu_verify.forms:tanh_naive --as gelu_tanh --format e5m2",
    "table gelu --out german.csv",
    "table gelu_tanh --format e5m2 --derivative 1 --out german.h",
    "table silu --format e4m3fn --out german.npz",
)


def ran(folder: Path, name: str, surrounding: dict[str, str]) -> tuple[str, dict[str, bytes]]:
    (folder / name).mkdir()
    (folder / name / "claim.toml").write_text(CLAIM)
    (folder / name / "table.csv").write_text("-5.5,-1.044e-7\n1,0.84134\n1.5,0x1.6637p+0\n")
    words = [sys.executable, "-c", PROGRAM, *COMMANDS]
    done = subprocess.run(
        words, cwd=folder / name, env={**os.environ, **surrounding}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout, {path.name: path.read_bytes() for path in (folder / name).iterdir()}


def test_every_answer_and_every_file_is_the_same_under_a_decimal_comma(tmp_path: Path, german: dict[str, str]) -> None:
    abroad, here = ran(tmp_path, "german", german), ran(tmp_path, "english", {"LC_ALL": "C.UTF-8"})
    assert abroad == here
    assert "= -1.04442593562382456611182007184...e-7" in here[0] and "0.75179152469356" in here[0]
    assert set(here[1]) == {"claim.toml", "table.csv", "german.csv", "german.h", "german.npz"}
