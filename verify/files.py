"""Files that are written whole or not at all, over what may be there: a file, a link, a pipe, a device."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from gelu_verify.errors import InputError, reason

_SHOWN = 40  # characters of a name that its temporary neighbour carries: the whole may be as long as a name can be


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a whole file or none to a place that a person has chosen.

    A link stays one: the file that it leads to is written. So do a pipe and a device: they are written to, where moving
    a file over /dev/null would take it from every other program.

    Raises:
        InputError: the folder is missing or not writable, in one line.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                stream.write(data)
        else:
            replace_whole(Path(os.path.realpath(path)), data)
    except OSError as error:
        raise InputError(f"cannot write {path}: {reason(error)}; choose a place you may write to") from None


def replace_whole(path: Path, data: bytes) -> None:
    """Write a file beside its place first, then move it over what was there, be that a link.

    Raises:
        OSError: the place cannot be written to, or there is no room; nothing has changed then.
    """
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:_SHOWN]}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(_mode(path))
        Path(temporary).replace(path)
    finally:
        with suppress(OSError):
            Path(temporary).unlink()


def _mode(path: Path) -> int:
    """Return the permissions of what was there, or those that a new file gets."""
    if path.exists():
        return path.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
