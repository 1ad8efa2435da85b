"""ONNX models through the real onnxruntime; skipped where it or onnx is not installed."""

from pathlib import Path

import numpy as np
import pytest

from gelu_verify.checks.probes import probes
from gelu_verify.errors import InputError
from gelu_verify.formats import FORMATS, get_format
from gelu_verify.formats.arrays import native_dtype, storage_dtype, to_float64
from gelu_verify.identify import identify
from gelu_verify.targets import IsolatedTarget, Misbehaved, parse_target

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("ml_dtypes")

TYPES = {
    "binary16": onnx.TensorProto.FLOAT16,
    "bfloat16": onnx.TensorProto.BFLOAT16,
    "binary32": onnx.TensorProto.FLOAT,
    "binary64": onnx.TensorProto.DOUBLE,
}
BITS = np.arange(-40, 41).astype(np.float32).view(np.uint32)


def model(folder: Path, nodes, format: str = "binary32", shape=("n",), inputs=("x",), outputs=("y",)) -> str:
    helper, type = onnx.helper, TYPES[format]
    ends = [[helper.make_tensor_value_info(name, type, shape) for name in names] for names in (inputs, outputs)]
    graph = helper.make_graph([helper.make_node(*node[:3], **node[3]) for node in nodes], "gelu", *ends)
    imports = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    path = folder / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=10), path)
    return str(path)


def results(path: str, bits: np.ndarray, format: str = "binary32") -> np.ndarray:
    target = IsolatedTarget(parse_target(path), get_format(format))
    try:
        return target.evaluate(bits)
    finally:
        target.close()


@pytest.mark.parametrize(
    ("node", "computes"),
    [
        (("Gelu", ["x"], ["y"], {}), "gelu"),
        (("Gelu", ["x"], ["y"], {"approximate": "tanh"}), "gelu_tanh"),
        (("Gelu", ["x"], ["y"], {"domain": "com.microsoft"}), "gelu"),
        (("FastGelu", ["x"], ["y"], {"domain": "com.microsoft"}), "gelu_tanh"),
        (("QuickGelu", ["x"], ["y"], {"domain": "com.microsoft"}), "gelu_sigmoid"),
    ],
)
def test_the_form_of_each_operator_is_identified(tmp_path: Path, node, computes: str):
    format = FORMATS["binary32"]
    got = results(model(tmp_path, [node]), probes(format))
    found = identify(format, to_float64(format, probes(format)), to_float64(format, got))
    assert found.settled and str(found.best[0].model) == computes


@pytest.mark.parametrize("format", ["binary16", "bfloat16", "binary64"])
def test_other_formats_are_exchanged_without_loss(tmp_path: Path, format: str):
    bits = np.array([1.5, -0.0, -2.25, np.inf]).astype(native_dtype(get_format(format)))
    bits = bits.view(storage_dtype(get_format(format)))
    path = model(tmp_path, [("Identity", ["x"], ["y"], {})], format)
    assert results(path, bits, format).tolist() == bits.tolist()


def test_bfloat16_is_computed_where_the_model_casts(tmp_path: Path):
    nodes = [
        ("Cast", ["x"], ["a"], {"to": TYPES["binary32"]}),
        ("Gelu", ["a"], ["b"], {}),
        ("Cast", ["b"], ["y"], {"to": TYPES["bfloat16"]}),
    ]
    assert results(model(tmp_path, nodes, "bfloat16"), np.array([0x3F80], np.uint16), "bfloat16").tolist() == [0x3F57]


@pytest.mark.parametrize("shape", [("n",), (7,), ("batch", 16), (4, "n"), (1, 3, "h", "w"), (2, 3), ()])
def test_a_model_of_any_shape_is_fed_a_sequence(tmp_path: Path, shape):
    want = results(model(tmp_path, [("Gelu", ["x"], ["y"], {})]), BITS).view(np.float32)
    got = results(model(tmp_path, [("Gelu", ["x"], ["y"], {})], shape=shape), BITS).view(np.float32)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"format": "binary16"}, "takes (x: tensor(float16)); one input of binary32 is needed: --format binary16 fits"),
        ({"inputs": ("x", "z")}, "takes (x: tensor(float), z: tensor(float)); one input of binary32 is needed"),
        ({"outputs": ("y", "x2")}, "returns (y: tensor(float), x2: tensor(float)); one output is needed"),
    ],
)
def test_a_model_that_does_not_fit_is_refused_in_one_line(tmp_path: Path, arguments, message: str):
    nodes = [("Identity", ["x"], ["y"], {})]
    if "outputs" in arguments:
        nodes.append(("Identity", ["x"], ["x2"], {}))
    with pytest.raises(InputError) as caught:
        results(model(tmp_path, nodes, **arguments), BITS)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_that_is_no_model_is_refused_in_one_line(tmp_path: Path):
    (tmp_path / "empty.onnx").write_bytes(b"")
    (tmp_path / "text.onnx").write_text("this is no model\n")
    for name in ("empty", "text"):
        with pytest.raises(InputError, match="onnxruntime cannot load") as caught:
            results(str(tmp_path / f"{name}.onnx"), BITS)
        assert "\n" not in str(caught.value)


def test_a_model_that_reduces_its_input_has_a_wrong_shape(tmp_path: Path):
    path = model(tmp_path, [("ReduceSum", ["x"], ["y"], {"keepdims": 1})])
    with pytest.raises(Misbehaved, match="wrong-shape: input of shape"):
        results(path, BITS)
