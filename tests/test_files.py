"""Files are written whole or not at all, and what is no file is not replaced by one."""

import os
from pathlib import Path

import pytest

from gelu_verify.errors import InputError
from gelu_verify.files import write_atomically


def test_a_link_stays_a_link_and_the_file_that_it_leads_to_is_written(tmp_path: Path) -> None:
    real, link, ahead = tmp_path / "real", tmp_path / "link", tmp_path / "ahead"
    real.write_text("before", encoding="utf-8")
    link.symlink_to("real")
    ahead.symlink_to("later")
    write_atomically(link, "after")
    write_atomically(ahead, "first")
    assert link.is_symlink() and real.read_text(encoding="utf-8") == "after"
    assert ahead.is_symlink() and (tmp_path / "later").read_text(encoding="utf-8") == "first"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, "whole")
        assert pipe.is_fifo() and os.read(reader, 100) == b"whole"
    finally:
        os.close(reader)
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]


def test_a_name_may_be_as_long_as_the_file_system_takes(tmp_path: Path) -> None:
    path = tmp_path / ("n" * os.pathconf(tmp_path, "PC_NAME_MAX"))
    write_atomically(path, b"data")
    assert path.read_bytes() == b"data"


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_permissions_that_the_umask_leaves_and_an_old_one_keeps_its_own(
    tmp_path: Path, mask: int
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.touch()
    old.chmod(0o640)
    before = os.umask(mask)
    try:
        for path in (old, new):
            write_atomically(path, "text")
    finally:
        os.umask(before)
    assert (old.stat().st_mode & 0o777, new.stat().st_mode & 0o777) == (0o640, 0o666 & ~mask)


def test_what_cannot_be_written_is_told_in_one_line_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*: is a directory; choose a place"):
        write_atomically(tmp_path, "text")
    with pytest.raises(InputError, match="no such file or directory"):
        write_atomically(tmp_path / "missing" / "file", "text")
    assert list(tmp_path.iterdir()) == []
