"""Writes bert_large_layer.onnx and bert_large_gemms.csv (BERT-large: Devlin et al., 2019; sequence 384 as in MLPerf)."""

from onnx_writer import Model

SEQUENCE, HIDDEN, HEADS, FFN, LAYERS = 384, 1024, 16, 4096, 24
HEAD = HIDDEN // HEADS


def heads(model, name, x, permutation):
    split = model.op("Reshape", name + ".split", x, model.shape(name + ".shape", [1, SEQUENCE, HEADS, HEAD]))
    return model.op("Transpose", name + ".transpose", split, perm=permutation)


def attention(model, x):
    q = heads(model, "query.heads", model.linear("query", x, HIDDEN, HIDDEN), [0, 2, 1, 3])
    k = heads(model, "key.heads", model.linear("key", x, HIDDEN, HIDDEN), [0, 2, 3, 1])
    v = heads(model, "value.heads", model.linear("value", x, HIDDEN, HIDDEN), [0, 2, 1, 3])
    scores = model.op("Div", "scale", model.op("MatMul", "scores", q, k), model.known("sqrt_head", HEAD ** 0.5))
    masked = model.op("Add", "mask", scores, model.input("attention_mask", [1, 1, 1, SEQUENCE]))
    context = model.op("MatMul", "context", model.op("Softmax", "softmax", masked, axis=-1), v)
    turned = model.op("Transpose", "context.transpose", context, perm=[0, 2, 1, 3])
    joined = model.op("Reshape", "context.join", turned, model.shape("context.shape", [1, SEQUENCE, HIDDEN]))
    return model.linear("attention_output", joined, HIDDEN, HIDDEN)


def layer(path):
    model = Model("bert_large_layer")
    x = model.input("hidden_states", [1, SEQUENCE, HIDDEN])
    sum1 = model.op("Add", "attention_residual", attention(model, x), x)
    x1 = model.layer_norm("attention_norm", sum1, HIDDEN, 1e-12)
    up = model.gelu("gelu", model.linear("intermediate", x1, HIDDEN, FFN))
    sum2 = model.op("Add", "output_residual", model.linear("output", up, FFN, HIDDEN), x1)
    model.output(model.layer_norm("output_norm", sum2, HIDDEN, 1e-12), [1, SEQUENCE, HIDDEN])
    model.save(path)


def gemms(path):
    """Every distinct product of the whole network with how often it runs; per head for the two of attention."""
    rows = [
        ("query_key_value", SEQUENCE, HIDDEN, HIDDEN, 3 * LAYERS),
        ("scores", SEQUENCE, SEQUENCE, HEAD, HEADS * LAYERS),
        ("context", SEQUENCE, HEAD, SEQUENCE, HEADS * LAYERS),
        ("attention_output", SEQUENCE, HIDDEN, HIDDEN, LAYERS),
        ("intermediate", SEQUENCE, FFN, HIDDEN, LAYERS),
        ("output", SEQUENCE, HIDDEN, FFN, LAYERS),
        ("answer_span", SEQUENCE, 2, HIDDEN, 1),
    ]
    with open(path, "w") as file:
        file.write("Layer, M, N, K, Count,\n")
        for row in rows:
            file.write(", ".join(str(field) for field in row) + ",\n")


layer("bert_large_layer.onnx")
gemms("bert_large_gemms.csv")
