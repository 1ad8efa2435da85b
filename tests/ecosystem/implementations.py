"""The GELUs of torch, JAX, onnxruntime and transformers: where each is found, and what it documents."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gelu_verify.targets import Specification, parse_target

FORMATS = ("bfloat16", "binary16", "binary32")


@dataclass(frozen=True, slots=True)
class Implementation:
    """One public GELU.

    Attributes:
        package: the distribution that it comes from.
        name: how its users write it.
        documented: the catalogue's function that its documentation promises, or an expression.
        target, keywords: where it is found; for onnxruntime `target` is the operator and `keywords` its attributes.
        differentiable: whether its package differentiates it.
    """

    package: str
    name: str
    documented: str
    target: str
    keywords: dict[str, Any] = field(default_factory=dict)
    differentiable: bool = True

    def specification(self, format: str, folder: Path) -> Specification:
        """Return the target to run in a format; a model is written into the folder."""
        if self.package == "onnxruntime":
            return parse_target(str(_model(self, format, folder)))
        return parse_target(self.target, [f"{key}={value}" for key, value in self.keywords.items()])


def _torch(name: str, documented: str, target: str, **keywords: Any) -> Implementation:
    return Implementation("torch", name, documented, target, keywords)


def _jax(name: str, documented: str, **keywords: Any) -> Implementation:
    return Implementation("jax", name, documented, "jax.nn:gelu", keywords)


def _onnx(name: str, documented: str, operator: str, **attributes: Any) -> Implementation:
    return Implementation("onnxruntime", name, documented, operator, attributes, differentiable=False)


def _transformers(activation: str, documented: str) -> Implementation:
    target = f"{Path(__file__).with_name('transformers_targets.py')}:{activation}"
    return Implementation("transformers", f"ACT2FN[{activation}]", documented, target)


CLIPPED = "min(max(x*erfc(-x/sqrt(2))/2, -10), 10)"

IMPLEMENTATIONS = (
    _torch("functional.gelu", "gelu", "torch.nn.functional:gelu"),
    _torch("functional.gelu, tanh", "gelu_tanh", "torch.nn.functional:gelu", approximate="tanh"),
    _jax("nn.gelu, exact", "gelu", approximate=False),
    _jax("nn.gelu", "gelu_tanh"),
    _onnx("Gelu", "gelu", "Gelu"),
    _onnx("Gelu, tanh", "gelu_tanh", "Gelu", approximate="tanh"),
    _onnx("com.microsoft.Gelu", "gelu", "com.microsoft.Gelu"),
    _onnx("com.microsoft.FastGelu", "gelu_tanh", "com.microsoft.FastGelu"),
    _onnx("com.microsoft.QuickGelu", "gelu_sigmoid", "com.microsoft.QuickGelu"),
    _transformers("gelu", "gelu"),
    _transformers("gelu_python", "gelu"),
    _transformers("gelu_pytorch_tanh", "gelu_tanh"),
    _transformers("gelu_python_tanh", "gelu_tanh"),
    _transformers("gelu_new", "gelu_tanh"),
    _transformers("gelu_fast", "gelu_tanh"),
    _transformers("gelu_accurate", "gelu_tanh"),
    _transformers("quick_gelu", "gelu_sigmoid"),
    _transformers("gelu_10", CLIPPED),
)


def _model(implementation: Implementation, format: str, folder: Path) -> Path:
    """Write a model of one node and return its path."""
    import onnx
    from onnx import TensorProto, helper

    kinds = {"binary32": TensorProto.FLOAT, "binary16": TensorProto.FLOAT16, "bfloat16": TensorProto.BFLOAT16}
    domain, _, operator = implementation.target.rpartition(".")
    node = helper.make_node(operator, ["x"], ["y"], domain=domain, **implementation.keywords)
    ends = [[helper.make_tensor_value_info(name, kinds[format], ["n"])] for name in "xy"]
    graph = helper.make_graph([node], operator, *ends)
    imports = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    path = folder / f"{implementation.name.replace(', ', '_')}_{format}.onnx"
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=10), path)
    return path
