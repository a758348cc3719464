"""Random operator graphs for the scripts that print them: matrix products, layer norms, softmaxes, activations and sums on
128 rows, in the format of docs/workloads.md.
"""

import random
from typing import NamedTuple

ROWS, WIDTHS = 128, [128, 256, 384, 512]
VECTOR = ["Softmax", "Gelu", "Tanh", "Sigmoid", "LayerNormalization"]


class Tensor(NamedTuple):
    name: str
    width: int


class RandomGraph:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.constants, self.operators = [], []
        self.input = Tensor("x", WIDTHS[1])

    def choose(self, items):
        return items[int(self.random.random() * len(items))]

    def add(self, kind, inputs, width, attributes=""):
        name = f"{kind.lower()}{len(self.operators)}"
        self.operators.append(f"  - {{name: {name}, kind: {kind}, inputs: [{', '.join(inputs)}], output: {name}.out{attributes}}}")
        return Tensor(name + ".out", width)

    def weight(self, shape):
        name = f"w{len(self.constants)}"
        self.constants.append(f"  - {{name: {name}, shape: {shape}}}")
        return name

    def product(self, x, columns):
        return self.add("MatMul", [x.name, self.weight([x.width, columns])], columns)

    def sum(self, x, y):
        return self.add("Add", [x.name, y.name], x.width)

    def vector(self, x):
        kind = self.choose(VECTOR)
        scale = [self.weight([x.width]), self.weight([x.width])] if kind == "LayerNormalization" else []
        return self.add(kind, [x.name] + scale, x.width, ", axis: 1" if kind in ("Softmax", "LayerNormalization") else "")

    def print(self, name):
        print(f"name: {name}\ninputs:\n  - {{name: x, shape: [{ROWS}, {self.input.width}]}}\nconstants:")
        print("\n".join(self.constants or ["  []"]))
        print("operators:")
        print("\n".join(self.operators))
