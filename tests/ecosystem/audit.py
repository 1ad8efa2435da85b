"""Audit the GELUs of torch, JAX, onnxruntime and transformers, whichever are installed, and print one table.

Run as `python tests/ecosystem/audit.py [--format NAME ...] [--only WORD] [--sampled]`. Every float of binary32,
binary16 and bfloat16 is run, forward and (where there is automatic differentiation) backward.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import subprocess
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Implementation:
    """One public callable: the package it comes from, how to reach it, and what it claims to be."""

    package: str
    target: str
    claim: str
    options: tuple[str, ...] = ()
    gradient: bool = True


IMPLEMENTATIONS = (
    Implementation("torch", "torch.nn.functional:gelu", "gelu", ("--framework", "torch")),
    Implementation(
        "torch", "torch.nn.functional:gelu", "gelu_tanh", ("--framework", "torch", "--arg", "approximate=tanh")
    ),
    Implementation("torch", "torch.nn.functional:silu", "silu", ("--framework", "torch")),
    Implementation("jax", "jax.nn:gelu", "gelu_tanh", ("--framework", "jax")),
    Implementation("jax", "jax.nn:gelu", "gelu", ("--framework", "jax", "--arg", "approximate=False")),
    Implementation("transformers", "transformers.activations:NewGELUActivation", "gelu_tanh", ("--framework", "torch")),
    Implementation(
        "transformers", "transformers.activations:FastGELUActivation", "gelu_tanh", ("--framework", "torch")
    ),
    Implementation(
        "transformers", "transformers.activations:QuickGELUActivation", "gelu_sigmoid", ("--framework", "torch")
    ),
)
HEADER = ("package", "version", "target", "format", "computes", "max ulp", "zeros lost", "kinds found")


def ask(target: str, claim: str, format: str, options: list[str]) -> dict:
    """Run `gelu-verify check` and return its document."""
    words = [
        sys.executable,
        "-m",
        "gelu_verify",
        "check",
        target,
        "--as",
        claim,
        "--format",
        format,
        "--json",
        *options,
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return {"error": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no answer"}
    return json.loads(done.stdout)


def row(implementation: Implementation, format: str, sampled: bool) -> tuple[str, ...]:
    """Return one line of the table."""
    options = [*implementation.options, "--timeout", "300", *(["--sampled"] if sampled else [])]
    options += ["--gradient"] if implementation.gradient else []
    found = ask(implementation.target, implementation.claim, format, options)
    version = importlib.metadata.version(implementation.package)
    name = f"{implementation.target} as {implementation.claim}"
    if "error" in found:
        return (implementation.package, version, name, format, found["error"], "", "", "")
    worst = found["max_ulp"] or {"ulp": "?"}
    kinds = ", ".join(finding["kind"] for finding in found["findings"]) or "none"
    lost = str(found["counts"].get("zero_instead_of_nonzero", "?"))
    return (
        implementation.package,
        version,
        name,
        format,
        found["computes"] or "none known",
        worst["ulp"][:12],
        lost,
        kinds,
    )


def onnx_model(format: str) -> str | None:
    """Write a model of one Gelu node; return its path, or None without the package onnx."""
    if importlib.util.find_spec("onnx") is None or format == "bfloat16":
        return None
    import tempfile
    from pathlib import Path

    import onnx
    from onnx import TensorProto, helper

    kind = {"binary32": TensorProto.FLOAT, "binary16": TensorProto.FLOAT16}[format]
    graph = helper.make_graph(
        [helper.make_node("Gelu", ["x"], ["y"])],
        "gelu",
        [helper.make_tensor_value_info("x", kind, ["n"])],
        [helper.make_tensor_value_info("y", kind, ["n"])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    path = Path(tempfile.mkdtemp()) / "gelu.onnx"
    onnx.save(model, path)
    return str(path)


def main() -> int:
    """Print the table; 0 when at least one implementation was audited."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--format", nargs="+", default=["bfloat16", "binary16", "binary32"])
    parser.add_argument("--only", default="", help="only packages whose name contains this")
    parser.add_argument("--sampled", action="store_true", help="chosen inputs in place of all")
    arguments = parser.parse_args()
    chosen = [i for i in IMPLEMENTATIONS if arguments.only in i.package and importlib.util.find_spec(i.package)]
    rows = []
    print(" | ".join(HEADER))
    for format in arguments.format:
        models = []
        if arguments.only in "onnxruntime" and importlib.util.find_spec("onnxruntime"):
            path = onnx_model(format)
            models = [Implementation("onnxruntime", path, "gelu", gradient=False)] if path else []
        for implementation in [*chosen, *models]:
            rows.append(row(implementation, format, arguments.sampled))
            print(" | ".join(rows[-1]), flush=True)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
