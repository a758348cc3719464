"""Writes decoder_layer.onnx: one layer of OPT-1.3B (Zhang et al., 2022) generating one token with 512 tokens cached."""

from onnx_writer import Model

HIDDEN, HEADS, FFN, CACHED = 2048, 32, 8192, 512
HEAD = HIDDEN // HEADS


def heads(model, name, x):
    split = model.op("Reshape", name + ".split", x, model.shape(name + ".shape", [1, 1, HEADS, HEAD]))
    return model.op("Transpose", name + ".transpose", split, perm=[0, 2, 1, 3])


def with_cache(model, name, x):
    past = model.input("past_" + name, [1, HEADS, CACHED, HEAD])
    new = heads(model, name + ".heads", model.linear(name, x, HIDDEN, HIDDEN))
    present = model.op("Concat", name + ".append", past, new, outputs=["present_" + name], axis=2)
    model.output(present, [1, HEADS, CACHED + 1, HEAD])
    return present


def attention(model, x):
    q = heads(model, "query.heads", model.linear("query", x, HIDDEN, HIDDEN))
    q = model.op("Mul", "scale", q, model.known("inverse_sqrt_head", HEAD ** -0.5))
    k = model.op("Transpose", "key.transpose", with_cache(model, "key", x), perm=[0, 1, 3, 2])
    v = with_cache(model, "value", x)
    context = model.op("MatMul", "context", model.op("Softmax", "softmax", model.op("MatMul", "scores", q, k), axis=-1), v)
    turned = model.op("Transpose", "context.transpose", context, perm=[0, 2, 1, 3])
    joined = model.op("Reshape", "context.join", turned, model.shape("context.shape", [1, 1, HIDDEN]))
    return model.linear("attention_output", joined, HIDDEN, HIDDEN)


model = Model("decoder_layer")
x = model.input("hidden_state", [1, 1, HIDDEN])
x = model.op("Add", "attention_residual", x, attention(model, model.layer_norm("attention_norm", x, HIDDEN)))
up = model.op("Relu", "relu", model.linear("fc1", model.layer_norm("final_norm", x, HIDDEN), HIDDEN, FFN))
y = model.op("Add", "output_residual", x, model.linear("fc2", up, FFN, HIDDEN))
model.output(y, [1, 1, HIDDEN])
model.save("decoder_layer.onnx")
