"""A thin layer over the onnx package for the scripts that write the models of this folder.

Weights are graph inputs without values: the files stay small, and the importer gives seeded values to them.
Needs the onnx Python package (Debian: python3-onnx); the simulator itself does not.
"""

import onnx
from onnx import TensorProto, helper


class Model:
    def __init__(self, name):
        self.name = name
        self.nodes, self.inputs, self.outputs, self.initializers = [], [], [], []

    def input(self, name, shape, kind=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    weight = input

    def known(self, name, values, kind=TensorProto.FLOAT):
        """A tensor with values; a plain number makes a scalar."""
        shape = [len(values)] if isinstance(values, list) else []
        flat = values if isinstance(values, list) else [values]
        self.initializers.append(helper.make_tensor(name, kind, shape, flat))
        return name

    def shape(self, name, dims):
        return self.known(name, dims, TensorProto.INT64)

    def output(self, name, shape):
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def op(self, kind, name, *inputs, outputs=None, **attributes):
        """Adds a node; its output is called as the node unless told otherwise."""
        results = outputs or [name + ".out"]
        self.nodes.append(helper.make_node(kind, list(inputs), results, name=name, **attributes))
        return results[0]

    def linear(self, name, x, rows, columns):
        """x * W + b as exporters write it for a linear layer: MatMul, then Add."""
        product = self.op("MatMul", name + ".matmul", x, self.weight(name + ".weight", [rows, columns]))
        return self.op("Add", name + ".bias_add", self.weight(name + ".bias", [columns]), product)

    def layer_norm(self, name, x, width, epsilon=1e-5):
        return self.op("LayerNormalization", name, x, self.weight(name + ".scale", [width]),
                       self.weight(name + ".bias", [width]), axis=-1, epsilon=epsilon)

    def gelu(self, name, x):
        """0.5 x (1 + erf(x / sqrt 2)) in the five operators that PyTorch exports before opset 20."""
        erf = self.op("Erf", name + ".erf", self.op("Div", name + ".div", x, self.known(name + ".sqrt2", 1.4142135381698608)))
        one = self.op("Add", name + ".add", erf, self.known(name + ".one", 1.0))
        return self.op("Mul", name + ".half", self.op("Mul", name + ".mul", x, one), self.known(name + ".0.5", 0.5))

    def save(self, path, opset=17):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], producer_name="tilewright")
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, path)
