"""Implementations in public libraries, by names of our own: where each is found, and what its documentation calls it.

Claims may name these and nothing else, so that reading a stranger's claims never runs a stranger's code.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from gelu_verify.errors import InputError, nearest_names


@dataclass(frozen=True, slots=True)
class LibraryFunction:
    """One callable of a library.

    Attributes:
        name: what it is called here: the library first.
        target, keywords: where it is found and how it is called, as `gelu-verify check` takes them.
        documented: the catalogue function that its documentation promises.
    """

    name: str
    target: str
    documented: str
    keywords: tuple[str, ...] = ()

    @property
    def library(self) -> str:
        """The package that must be importable."""
        return self.name.partition(".")[0]

    @property
    def installed(self) -> bool:
        """Whether the package can be imported here."""
        return find_spec(self.library) is not None

    def command(self, verb: str) -> str:
        """Return the command line that probes it."""
        return " ".join([f"gelu-verify {verb} {self.target}", *(f"--arg {keyword}" for keyword in self.keywords)])


_TRANSFORMERS = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_accurate": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "quick_gelu": "gelu_sigmoid",
}
_KNOWN = (
    LibraryFunction("torch.gelu", "torch.nn.functional:gelu", "gelu"),
    LibraryFunction("torch.gelu_tanh", "torch.nn.functional:gelu", "gelu_tanh", ("approximate=tanh",)),
    LibraryFunction("torch.silu", "torch.nn.functional:silu", "silu"),
    LibraryFunction("torch.mish", "torch.nn.functional:mish", "mish"),
    LibraryFunction("torch.elu", "torch.nn.functional:elu", "elu"),
    LibraryFunction("jax.gelu", "jax.nn:gelu", "gelu_tanh"),
    LibraryFunction("jax.gelu_exact", "jax.nn:gelu", "gelu", ("approximate=False",)),
    LibraryFunction("jax.silu", "jax.nn:silu", "silu"),
    *(
        LibraryFunction(f"transformers.{name}", f"gelu_verify.reports.libraries:transformers_{name}", documented)
        for name, documented in _TRANSFORMERS.items()
    ),
)
LIBRARY_FUNCTIONS: Mapping[str, LibraryFunction] = MappingProxyType({each.name: each for each in _KNOWN})


def get_library_function(name: str) -> LibraryFunction:
    """Return an implementation by its name here.

    Raises:
        InputError: there is none of that name.

    >>> get_library_function("torch.gelu").target
    'torch.nn.functional:gelu'
    """
    if name not in LIBRARY_FUNCTIONS:
        hint = nearest_names(name, LIBRARY_FUNCTIONS) or f"; known are {', '.join(LIBRARY_FUNCTIONS)}"
        raise InputError(f"unknown implementation {name!r}{hint}")
    return LIBRARY_FUNCTIONS[name]


def __getattr__(name: str) -> Callable[..., Any]:
    """Return an activation of transformers as a plain function, `transformers_quick_gelu` for example."""
    prefix, _, activation = name.partition("_")
    if prefix != "transformers" or activation not in _TRANSFORMERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    call: Callable[..., Any] = import_module("transformers.activations").ACT2FN[activation]
    return call
