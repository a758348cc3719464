"""Writes parallel_layer.onnx: a decoder layer whose attention and MLP work side by side, x + attention(n) + mlp(n) with
n = norm(x), as in GPT-J and PaLM; 128 tokens, width 1024, 16 heads, MLP of 4096."""

from onnx_writer import Model

TOKENS, WIDTH, HEADS, HIDDEN = 128, 1024, 16, 4096
HEAD = WIDTH // HEADS


class ParallelLayer:
    def __init__(self):
        self.model = Model("parallel_layer")

    def heads(self, name, x, perm):
        model = self.model
        x = model.op("MatMul", name, x, model.weight(name + ".weight", [WIDTH, WIDTH]))
        x = model.op("Reshape", name + ".split", x, model.shape(name + ".shape", [1, TOKENS, HEADS, HEAD]))
        return model.op("Transpose", name + ".heads", x, perm=perm)

    def attention(self, x):
        model = self.model
        query, key = self.heads("query", x, [0, 2, 1, 3]), self.heads("key", x, [0, 2, 3, 1])
        value = self.heads("value", x, [0, 2, 1, 3])
        scores = model.op("MatMul", "scores", query, key)
        scores = model.op("Mul", "scale", scores, model.known("inverse_root", HEAD ** -0.5))
        context = model.op("MatMul", "context", model.op("Softmax", "softmax", scores, axis=-1), value)
        context = model.op("Transpose", "context.tokens", context, perm=[0, 2, 1, 3])
        context = model.op("Reshape", "context.join", context, model.shape("context.shape", [1, TOKENS, WIDTH]))
        return model.op("MatMul", "project", context, model.weight("project.weight", [WIDTH, WIDTH]))

    def mlp(self, x):
        model = self.model
        hidden = model.gelu("gelu", model.linear("expand", x, WIDTH, HIDDEN))
        return model.linear("contract", hidden, HIDDEN, WIDTH)

    def build(self):
        model = self.model
        x = model.input("x", [1, TOKENS, WIDTH])
        n = model.layer_norm("norm", x, WIDTH)
        both = model.op("Add", "both", self.attention(n), self.mlp(n))
        model.output(model.op("Add", "residual", x, both), [1, TOKENS, WIDTH])
        model.save("parallel_layer.onnx")


ParallelLayer().build()
