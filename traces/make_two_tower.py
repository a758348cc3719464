"""Writes two_tower.onnx: a retrieval model, a user tower and an item tower that meet in one product (Covington et al.,
2016; Yi et al., 2019). 256 users against 1024 items, features of 1024 and 512."""

from onnx_writer import Model


class TwoTower:
    def __init__(self):
        self.model = Model("two_tower")

    def tower(self, name, rows, widths):
        model = self.model
        x = model.input(name, [rows, widths[0]])
        for i in range(1, len(widths)):
            x = model.linear(f"{name}.layer{i}", x, widths[i - 1], widths[i])
            if i + 1 < len(widths):
                x = model.op("Relu", f"{name}.relu{i}", x)
        return model.layer_norm(name + ".norm", x, widths[-1])

    def build(self):
        model = self.model
        user = self.tower("user", 256, [1024, 2048, 1024, 256])
        item = self.tower("item", 1024, [512, 1024, 512, 256])
        item = model.op("Transpose", "item.columns", item, perm=[1, 0])
        score = model.op("Softmax", "softmax", model.op("MatMul", "scores", user, item), axis=-1)
        model.output(score, [256, 1024])
        model.save("two_tower.onnx")


TwoTower().build()
