"""The options that say where an implementation is and how it is to be fed, alike for every verb that runs one."""

import argparse
from typing import TYPE_CHECKING

from gelu_verify.cli.ranges import check_seconds
from gelu_verify.errors import InputError

if TYPE_CHECKING:
    from gelu_verify.targets import IsolatedTarget

DEFAULT_TIMEOUT = 60.0  # seconds for one call
TARGETS = "package.module:callable, file.py:callable, model.onnx, libname.so:symbol or pipe:COMMAND"


def add_target(parser: argparse.ArgumentParser) -> None:
    """Declare TARGET and how it is called."""
    parser.add_argument("target", metavar="TARGET", help=TARGETS)
    parser.add_argument(
        "--format", default="binary32", metavar="NAME", help="of inputs and results (default: binary32)"
    )
    parser.add_argument(
        "--arg", action="append", default=[], metavar="NAME=VALUE", help="pass this to every call, by name"
    )
    parser.add_argument(
        "--framework", default="auto", metavar="NAME", help="numpy, torch, jax or scalar (default: auto)"
    )
    parser.add_argument("--device", default="", metavar="NAME", help="where torch or JAX computes, for example cuda")
    parser.add_argument(
        "--batch", type=int, default=1 << 20, metavar="N", help="most elements in one call (default: 1048576)"
    )
    parser.add_argument(
        "--timeout", type=float, default=DEFAULT_TIMEOUT, metavar="SECONDS", help="for one call (default: 60)"
    )


def open_target(
    arguments: argparse.Namespace, *, target: str | None = None, inputs: int = 1, gradient: str | None = None
) -> "IsolatedTarget":
    """Return the target that was typed, in a process of its own.

    Arguments:
        target: another one than TARGET, fed in the same way.
        gradient: a target of its own for the backward pass.

    Raises:
        InputError: it cannot be found or loaded, or an option makes no sense.
    """
    from gelu_verify.formats import get_format
    from gelu_verify.targets import IsolatedTarget, parse_target
    from gelu_verify.targets.misbehaviour import Misbehaved

    if arguments.batch < 1:
        raise InputError(f"--batch {arguments.batch} is no number of elements; give at least 1")
    check_seconds(arguments.timeout, 86_400)
    target = target or arguments.target
    how = (arguments.framework, arguments.device)
    backward = None if gradient is None else parse_target(gradient, [], *how)
    specification = parse_target(target, arguments.arg, *how, inputs)
    format = get_format(arguments.format)
    try:
        return IsolatedTarget(
            specification, format, gradient=backward, timeout=arguments.timeout, batch=arguments.batch
        )
    except Misbehaved as error:
        raise InputError(f"{target} gave no result for a first try: {error}") from None
