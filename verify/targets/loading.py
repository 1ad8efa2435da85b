"""From a specification to an adapter: import the callable and find out what it is fed with. Runs in the worker."""

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gelu_verify.errors import InputError, nearest_names
from gelu_verify.formats import Format
from gelu_verify.formats.arrays import native_dtype
from gelu_verify.targets.adapters import Adapter, LibraryAdapter, NumPyAdapter, PipeAdapter, ScalarAdapter
from gelu_verify.targets.frameworks import JaxAdapter, TorchAdapter
from gelu_verify.targets.misbehaviour import Foreign, Misbehaved
from gelu_verify.targets.onnx_models import OnnxAdapter
from gelu_verify.targets.specification import Specification

_FRAMEWORKS = ("numpy", "torch", "jax", "scalar")
_WITH_DEVICES = ("torch", "jax")


def load(target: Specification, format: Format, imported: Callable[[], object] = lambda: None) -> Adapter:
    """Return the adapter of a target.

    Arguments:
        imported: called once a Python callable or a library has been loaded, before it is called for the first time.

    Raises:
        InputError: it cannot be imported or loaded, in one line.
    """
    match target.kind:
        case "library":
            library = LibraryAdapter(target.place, target.symbol, format)
            imported()
            return library
        case "pipe":
            return PipeAdapter(target.place, format)
        case "onnx":
            return OnnxAdapter(target.place, format)
        case _:
            call = load_callable(target)
            imported()
            return adapt(call, format, target.framework, target.device, target.inputs)


def load_callable(target: Specification) -> Callable[..., Any]:
    """Return the Python callable that a `module` or `file` target names, with its keyword arguments put in.

    Raises:
        InputError: it cannot be imported or called, in one line.
    """
    module = _module(target)
    found: Any = module
    names = target.symbol.split(".")
    for depth, name in enumerate(names):
        if not hasattr(found, name):
            hint = nearest_names(name, [known for known in dir(found) if not known.startswith("_")])
            owner = f"{target.place}:{'.'.join(names[:depth])}" if depth else target.place
            raise InputError(f"{owner!r} has no {name!r}{hint}")
        found = getattr(found, name)
    if isinstance(found, type):
        # A module class such as torch.nn.GELU: the arguments make the object, which is then called.
        found = _attempt(f"making a {target.symbol}", lambda: found(**target.keywords))
    elif target.keywords:
        found = partial(found, **target.keywords)
    if not callable(found):
        raise InputError(f"{target.text!r} is {type(found).__name__}, which cannot be called")
    return found  # type: ignore[no-any-return]


def _module(target: Specification) -> Any:
    if target.kind == "module":
        if "" not in sys.path and os.getcwd() not in sys.path:  # noqa: PTH109 (compared as text)
            sys.path.insert(0, os.getcwd())  # noqa: PTH109
        return _attempt(f"importing {target.place}", lambda: importlib.import_module(target.place))
    path = Path(target.place).resolve()
    sys.path.insert(0, str(path.parent))
    # A name of its own: a file called random.py must not stand in for the standard library's module.
    name = f"gelu_verify_target_{path.stem}"
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise InputError(f"{target.place!r} cannot be imported as Python")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    _attempt(f"importing {target.place}", partial(specification.loader.exec_module, module))
    return module


def _attempt(what: str, action: Callable[[], Any]) -> Any:
    """Run somebody else's code and report what it raises in one line."""
    try:
        return action()
    except Exception as error:  # noqa: BLE001 (whatever a stranger's module raises is told to the person)
        text = (str(error).splitlines() or [""])[0]
        raise InputError(f"{what} failed: {type(error).__name__}: {text}") from None


def adapt(
    call: Callable[..., Any], format: Format, framework: str = "auto", device: str = "", inputs: int = 1
) -> Adapter:
    """Return the adapter of a Python callable; with `auto`, find out which framework it belongs to.

    Raises:
        InputError: an unknown framework, or one that is not installed.
    """
    if framework == "auto":
        return _recognised(call, format, device, inputs)
    if framework not in _FRAMEWORKS:
        raise InputError(f"unknown framework {framework!r}; the frameworks are auto, {', '.join(_FRAMEWORKS)}")
    return _adapter(framework, call, format, device)


def _adapter(framework: str, call: Callable[..., Any], format: Format, device: str) -> Adapter:
    if device and framework not in _WITH_DEVICES:
        raise InputError(f"a {framework} callable computes where it likes; --device fits only torch and JAX")
    try:
        match framework:
            case "torch":
                return TorchAdapter(call, format, device)
            case "jax":
                return JaxAdapter(call, format, device)
            case "scalar":
                return ScalarAdapter(call, format)
            case _:
                return NumPyAdapter(call, format)
    except ImportError as error:
        if error.name == framework:
            raise InputError(f"the package {framework} is not installed: pip install {framework}") from None
        raise InputError(f"importing {framework} failed: {(str(error).splitlines() or [''])[0]}") from None


def _recognised(call: Callable[..., Any], format: Format, device: str, inputs: int) -> Adapter:
    """Find out by trying: the first framework whose own kind of array comes back for one that went in.

    Where nothing takes the probe, the framework whose array was taken, though something else came back, tells most of
    the fault; else the one whose array was not refused for being what it is.
    """
    probe = np.array([0.5, 1.0]).astype(native_dtype(format))
    most_telling: list[tuple[int, Adapter]] = []
    for framework in _candidates(call, device):
        adapter = _adapter(framework, call, format, device)
        try:
            adapter.forward(*[probe] * inputs)
        except Foreign:
            most_telling.append((0, adapter))
        except Misbehaved:
            return adapter  # the right kind of array of a wrong shape or type: that is for a check to tell
        except (TypeError, AttributeError):
            most_telling.append((2, adapter))
        except Exception:  # noqa: BLE001 (a refusal of any kind means: not this framework)
            most_telling.append((1, adapter))
        else:
            return adapter
    return min(most_telling, key=lambda pair: pair[0])[1]


def _candidates(call: Callable[..., Any], device: str) -> list[str]:
    """Return the frameworks to try, the most likely first."""
    inner = call.func if isinstance(call, partial) else call
    kinds = " ".join(kind.__module__ for kind in type(inner).__mro__)
    home = f"{getattr(inner, '__module__', '')} {kinds} {getattr(inner, '__annotations__', '')}"
    loaded = [name for name in _WITH_DEVICES if name in sys.modules]
    native = [name for name in loaded if any(part in home for part in (name, {"jax": "jaxlib"}.get(name, name)))]
    if device:
        return native or loaded or ["numpy"]
    if native:
        return [*native, "numpy", "scalar"]
    return ["numpy", *loaded, "scalar"]
