"""gelu-verify: prove, certify and exhaustively check what is true of GELU and of the code that claims to compute it.

The names below are loaded on first use (PEP 562), so that importing the package costs nothing:
SymPy, NumPy and python-flint are imported only by what needs them.

>>> import gelu_verify
>>> gelu_verify.parse("x*sigmoid(1.702*x)")  # doctest: +ELLIPSIS
Operation(...)
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Enclosure": "gelu_verify.enclosures",
    "FORMATS": "gelu_verify.formats",
    "FUNCTIONS": "gelu_verify.catalogue",
    "Format": "gelu_verify.formats",
    "Function": "gelu_verify.catalogue",
    "IncompleteError": "gelu_verify.errors",
    "InputError": "gelu_verify.errors",
    "assert_gelu_accurate": "gelu_verify.assertions.accuracy",
    "Verdict": "gelu_verify.records",
    "get_format": "gelu_verify.formats",
    "get_function": "gelu_verify.catalogue",
    "parse": "gelu_verify.catalogue",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    """Import a public name from the room it lives in."""
    if name not in _HOME:
        raise AttributeError(f"module 'gelu_verify' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
