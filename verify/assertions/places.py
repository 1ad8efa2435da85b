"""Where a function stands, as a target of the command line that another process can load."""

import inspect
import os
import shlex
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

from gelu_verify.targets import parse_target


def place_of(fn: object) -> str | None:
    """Return what names a function on the command line and in worker processes.

    None for a closure, a method, and what stands in the program itself, which would be run again to import it.
    """
    if not inspect.isfunction(fn) or fn.__module__ == "__main__":
        return None
    name, file = fn.__qualname__, inspect.getsourcefile(fn)
    if file is None or not name.isidentifier() or fn is not getattr(inspect.getmodule(fn), name, None):
        return None
    path = Path(file)
    if (path.parent / "__init__.py").is_file() and fn.__module__.isascii() and _origin(fn.__module__) == file:
        return f"{fn.__module__}:{name}"
    return f"{path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}:{name}"


def _origin(module: str) -> str | None:
    """Return the file from which a module is imported; None where it is in none."""
    try:
        specification = find_spec(module)
    except (ImportError, AttributeError, ValueError):  # pytest imports files under names that nobody else can
        return None
    return None if specification is None else specification.origin


def surroundings_of(place: str) -> str:
    """Return what is to stand before a command so that a new process imports what this one can: `PYTHONPATH=... ` where
    folders were added to the search path, as pytest does by its setting `pythonpath`; else nothing.
    """
    target = parse_target(place)
    if target.kind not in ("module", "file"):
        return ""
    folders = [Path(entry).resolve() for entry in sys.path if Path(entry).is_dir()]
    beside = Path(target.place).resolve().parent if target.kind == "file" else Path.cwd()  # which it will search
    file, parts = _origin(target.place) if target.kind == "module" else None, target.place.split(".")
    if file is not None and Path(file).with_suffix("").parts[-len(parts) :] == tuple(parts):
        folders.append(Path(file).resolve().parents[len(parts) - 1])
    added = [folder for folder in dict.fromkeys(folders) if folder != beside and not _always_searched(folder)]
    return f"PYTHONPATH={shlex.quote(os.pathsep.join(map(os.path.relpath, added)))} " if added else ""


def _always_searched(folder: Path) -> bool:
    """Tell whether a new process searches a folder without being told."""
    told = [os.getcwd(), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]  # noqa: PTH109 (as text)
    installed = folder.name in ("site-packages", "dist-packages") or any(
        folder.is_relative_to(prefix) for prefix in (sys.prefix, sys.base_prefix, sysconfig.get_path("stdlib"))
    )
    return installed or any(folder == Path(entry).resolve() for entry in told if entry)
