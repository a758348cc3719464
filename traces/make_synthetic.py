"""Prints a random operator graph: make_synthetic.py OPERATORS SEED > FILE.yaml

Layers of matrix products, layer norms, softmaxes, activations and sums on 128 rows, each reading recent results, so that
several branches are open at most times. The same seed prints the same graph.
"""

import random
import sys

ROWS, WIDTHS = 128, [128, 256, 384, 512]
VECTOR = ["Softmax", "Gelu", "Tanh", "Sigmoid", "LayerNormalization"]


class Synthetic:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.constants, self.operators = [], []
        self.open = [("x", WIDTHS[1])]  # results that may be read, with their width

    def choose(self, items):
        return items[int(self.random.random() * len(items))]

    def add(self, kind, inputs, width, attributes=""):
        name = f"{kind.lower()}{len(self.operators)}"
        self.operators.append(f"  - {{name: {name}, kind: {kind}, inputs: [{', '.join(inputs)}], output: {name}.out{attributes}}}")
        self.open = (self.open + [(name + ".out", width)])[-4:]

    def weight(self, shape):
        name = f"w{len(self.constants)}"
        self.constants.append(f"  - {{name: {name}, shape: {shape}}}")
        return name

    def step(self):
        x, width = self.choose(self.open)
        others = [name for name, w in self.open if w == width and name != x]
        draw = self.random.random()
        if draw < 0.45:
            columns = self.choose(WIDTHS)
            self.add("MatMul", [x, self.weight([width, columns])], columns)
        elif draw < 0.65 and others:
            self.add("Add", [x, self.choose(others)], width)
        else:
            kind = self.choose(VECTOR)
            scale = [self.weight([width]), self.weight([width])] if kind == "LayerNormalization" else []
            self.add(kind, [x] + scale, width, ", axis: 1" if kind in ("Softmax", "LayerNormalization") else "")

    def print(self, name):
        print(f"name: {name}\ninputs:\n  - {{name: x, shape: [{ROWS}, {WIDTHS[1]}]}}\nconstants:")
        print("\n".join(self.constants or ["  []"]))
        print("operators:")
        print("\n".join(self.operators))


if len(sys.argv) != 3:
    sys.exit("make_synthetic.py OPERATORS SEED")
count, seed = int(sys.argv[1]), int(sys.argv[2])
graph = Synthetic(seed)
for _ in range(count):
    graph.step()
graph.print(f"synthetic_{count}_{seed}")
