"""Writes attention_512.onnx and attention_2048.onnx, with and without _causal: 16 heads of 64 over so many tokens.

The causal mask is written as exporters write it, by a range that is compared with itself: the importer computes it.
"""

from onnx import TensorProto

from onnx_writer import Model

HEADS, HEAD = 16, 64


def causal_mask(model, tokens):
    """0 where a key is not behind the query, else minus infinity."""
    known = lambda name, value: model.known(name, value, TensorProto.INT64)
    positions = model.op("Range", "positions", known("zero", 0), known("tokens", tokens), known("one", 1))
    queries = model.op("Unsqueeze", "queries", positions, model.shape("behind", [1]))
    later = model.op("Less", "later", queries, positions)
    return model.op("Where", "mask", later, model.known("hidden", float("-inf")), model.known("seen", 0.0))


def write(tokens, causal):
    name = f"attention_{tokens}" + ("_causal" if causal else "")
    model = Model(name)
    q, k, v = (model.input(x, [1, HEADS, tokens, HEAD]) for x in ("query", "key", "value"))
    scores = model.op("MatMul", "scores", q, model.op("Transpose", "key.transpose", k, perm=[0, 1, 3, 2]))
    scores = model.op("Mul", "scale", scores, model.known("inverse_sqrt_head", HEAD ** -0.5))
    if causal:
        scores = model.op("Add", "masked", scores, causal_mask(model, tokens))
    context = model.op("MatMul", "context", model.op("Softmax", "softmax", scores, axis=-1), v)
    model.output(context, [1, HEADS, tokens, HEAD])
    model.save(name + ".onnx")


for tokens in (512, 2048):
    for causal in (False, True):
        write(tokens, causal)
