"""Writes the models that the tests and first steps use: tiny_mlp.onnx (with values) and tiny_attention.onnx."""

import random

from onnx import TensorProto, helper
from onnx_writer import Model


def values(model, name, shape, generator):
    count = shape[0] * (shape[1] if len(shape) > 1 else 1)
    flat = [round(generator.uniform(-1, 1), 3) for _ in range(count)]
    model.initializers.append(helper.make_tensor(name, TensorProto.FLOAT, shape, flat))
    return name


def mlp():
    generator = random.Random(1)
    model = Model("tiny_mlp")
    x = model.input("x", ["batch", 32])
    hidden = model.op("Gemm", "fc1", x, values(model, "fc1.weight", [64, 32], generator),
                      values(model, "fc1.bias", [64], generator), transB=1)
    y = model.op("Gemm", "fc2", model.op("Relu", "relu", hidden), values(model, "fc2.weight", [10, 64], generator),
                 values(model, "fc2.bias", [10], generator), transB=1)
    model.output(model.op("Softmax", "softmax", y, axis=-1), ["batch", 10])
    model.save("tiny_mlp.onnx")


def attention(sequence=16, hidden=32, heads=2):
    model = Model("tiny_attention")
    x = model.input("x", [1, sequence, hidden])
    shape = model.shape("heads", [1, sequence, heads, hidden // heads])

    def split(name, permutation):
        parts = model.op("Reshape", name + ".split", model.linear(name, x, hidden, hidden), shape)
        return model.op("Transpose", name + ".transpose", parts, perm=permutation)

    scores = model.op("MatMul", "scores", split("query", [0, 2, 1, 3]), split("key", [0, 2, 3, 1]))
    scaled = model.op("Div", "scale", scores, model.known("sqrt_head", (hidden // heads) ** 0.5))
    context = model.op("MatMul", "context", model.op("Softmax", "softmax", scaled, axis=-1), split("value", [0, 2, 1, 3]))
    turned = model.op("Transpose", "context.transpose", context, perm=[0, 2, 1, 3])
    joined = model.op("Reshape", "context.join", turned, model.shape("joined", [1, sequence, hidden]))
    total = model.op("Add", "residual", model.linear("output", joined, hidden, hidden), x)
    model.output(model.layer_norm("norm", total, hidden), [1, sequence, hidden])
    model.save("tiny_attention.onnx")


mlp()
attention()
