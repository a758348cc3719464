"""Workloads that are built in Python."""

import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest

import tilewright as tw

TRACES = pathlib.Path(__file__).parents[2] / "traces"


def small():
    g = tw.Graph("small")
    x = g.input("x", (4, 32))
    w = np.linspace(-1, 1, 32 * 16, dtype=np.float32).reshape(32, 16)
    g.relu(g.matmul(x, w, name="product"), name="result")
    return g, w


def test_outputs_are_what_numpy_computes():
    g, w = small()
    exact = tw.Hardware("quad_smp")
    exact.core.matmul.rate.fp32 = 0.25
    x = np.random.default_rng(1).uniform(-1, 1, (4, 32))
    r = tw.run(exact, g, type="fp32", inputs={"x": x}, check=True)
    assert r.ok
    np.testing.assert_allclose(r.outputs["result.out"], np.maximum(x.astype(np.float32) @ w, 0), rtol=1e-4, atol=1e-5)


def test_values_do_not_change_the_time(edge):
    g, _ = small()
    assert tw.run(edge, g, check=True).cycles == tw.run(edge, g).cycles


def test_every_kind_has_a_method_and_runs(edge):
    g = tw.Graph("kinds")
    x = g.input("x", (2, 8, 8, 8))
    c = g.conv(x, g.weights("kernel", (8, 8, 3, 3)), bias=np.zeros(8, np.float32))
    n = g.batch_norm(c, *(np.ones(8, np.float32) for _ in range(4)))
    p = g.max_pool(n, 2)
    a = g.average_pool(n, 2)
    s = g.softmax(g.reshape(p + a, (2, 8, -1)))
    ln = g.layer_norm(s, np.ones(16, np.float32), np.zeros(16, np.float32))
    t = g.transpose(ln, (0, 2, 1))
    u = g.concat([t, t], axis=1)
    v = g.slice(u, [0], [16], [1])
    v = g.rms_norm(v, np.ones(v.shape[-1], np.float32))
    for unary in (g.relu, g.gelu, g.gelu_tanh, g.atan, g.erf, g.tanh, g.sigmoid, g.silu, g.identity, g.neg):
        v = unary(v)
    v = g.clip(g.exp(v), 0.5, 2.0)
    v = g.reciprocal(g.sqrt(v))
    for binary in (g.add, g.sub, g.mul, g.max, g.min):
        v = binary(v, t)
    v = g.div(g.pow(g.clip(v, 0.5, 1.5), np.float32([2.0])), np.float32([3.0]))
    w = g.add(g.round(g.floor(g.truncate(g.cos(g.sin(v))))), np.float32([2.0]))
    v = g.mask(g.log(w), g.less(v, w))
    v = g.mask(v, g.equal(v, g.reduce_max(g.reduce_sum(v, 0), 0)))
    m = g.reduce_mean(v, -1)
    g.gather(m, [0, 3], axis=1)
    used = {row.kind for row in g.operators}
    assert set(tw._core.operator_kinds()) - used <= {"Cast", "MatMul", "MatMulNBits", "Quantize", "Dequantize", "Requantize"}
    assert tw.run(edge, g, check=True).ok


def test_operators_and_tensors_are_tables():
    g, _ = small()
    assert g.operators.column("operator") == ["product", "result"]
    assert g.operators[0].multiply_adds == 4 * 32 * 16
    assert g.operators.to_pandas().shape == (2, 5)
    assert [row.kind for row in g.tensors] == ["input", "constant", "hidden", "hidden"]


@pytest.mark.parametrize("build, said", [
    (lambda g, x: g.matmul(x, np.ones((5, 5), np.float32)), "32"),
    (lambda g, x: g.softmax(x, axis=2), "axis 2 of a tensor of rank 2"),
    (lambda g, x: g.operator("Conf", x), "got 'Conf', expected MatMul|Conv"),
    (lambda g, x: g.input("x", (1,)), "'x'"),
    (lambda g, x: g.input("y", (0,)), "0"),
    (lambda g, x: g.input("y", (1,), type="fp64"), "got 'fp64', expected fp32|fp16|bf16|int8|int32|fp8_e4m3|fp8_e5m2"),
    (lambda g, x: g.add(x, tw.Graph("other").input("z", (4, 32))), "of graph 'other'"),
    (lambda g, x: g.constant(["a"]), "got values of type"),
    (lambda g, x: g.output(x), "no operator computes it"),
    (lambda g, x: tw.plan("edge_single", g), "has no operators"),
])
def test_a_mistake_is_a_user_error(build, said):
    g = tw.Graph("faulty")
    x = g.input("x", (4, 32))
    with pytest.raises(tw.UserError, match=said.replace("|", r"\|")):
        build(g, x)


def test_wrong_inputs_name_what_is_right(edge):
    g, _ = small()
    with pytest.raises(tw.UserError, match="got 'y', expected x"):
        tw.run(edge, g, inputs={"y": np.zeros((4, 32))})
    with pytest.raises(tw.UserError, match="shape 4x31, expected 4x32"):
        tw.run(edge, g, inputs={"x": np.zeros((4, 31))})


def test_an_onnx_model_as_bytes(edge):
    with open(tw._core.shipped_path("tiny_mlp", "workload"), "rb") as file:
        model = file.read()
    g = tw.Graph.load(model, name="tiny_mlp.onnx")
    assert g.name == "tiny_mlp"
    assert tw.run(edge, g).cycles == tw.run(edge, "tiny_mlp").cycles
    with pytest.raises(tw.UserError, match="^half.onnx: is not a complete ONNX model"):
        tw.Graph.load(model[: len(model) // 2], name="half.onnx")


def test_a_torch_module_goes_through_its_onnx_export(edge, monkeypatch):
    with open(tw._core.shipped_path("tiny_mlp", "workload"), "rb") as file:
        model = file.read()
    torch = types.ModuleType("torch")
    torch.onnx = types.SimpleNamespace(export=lambda module, arguments, file, **more: pathlib.Path(file).write_bytes(model))
    monkeypatch.setitem(sys.modules, "torch", torch)

    class Net:
        pass

    g = tw.Graph.from_torch(Net(), "example")
    assert g.name == "Net" and tw.run(edge, g).cycles > 0


def test_dimensions_that_a_file_names_have_the_values_given(edge):
    model = TRACES.parent / "tests" / "bad_input" / "workloads" / "onnx_symbolic_sequence.onnx"
    g = tw.Graph.load(model, batch=2, dims={"sequence": 5})
    assert [tuple(t["shape"]) for t in g.tensors] == [(2, 5, 8)] * 2
    assert tw.run(edge, model, dims={"sequence": 5}, check=True).ok
    assert tw.Graph.load(model.read_bytes(), dims={"sequence": 5}).tensors[0]["shape"][1] == 5
    with pytest.raises(tw.UserError, match="dimensions without a value: sequence"):
        tw.plan(edge, model)


def printed(script, *arguments):
    return subprocess.run([sys.executable, TRACES / script, *map(str, arguments)], check=True, capture_output=True,
                          text=True).stdout


@pytest.mark.parametrize("generator", [("make_synthetic.py",), *(("make_cells.py", kind) for kind in (
    "inception", "unet", "series_parallel", "darts"))], ids=lambda generator: generator[-1])
def test_random_graphs_have_their_size_and_run(edge, tmp_path, generator):
    file = tmp_path / "random.yaml"
    file.write_text(printed(*generator, 30, 5))
    assert file.read_text() == printed(*generator, 30, 5) != printed(*generator, 30, 6)
    g = tw.Graph.load(file)
    assert 20 <= len(g.operators) <= 80
    assert tw.run(edge, g, check=True).ok


def test_random_graphs_are_those_of_the_traces():
    for name in ("synthetic_10_2", "synthetic_16_1", "synthetic_40_2"):
        assert printed("make_synthetic.py", *name.split("_")[1:]) == (TRACES / f"{name}.yaml").read_text()
