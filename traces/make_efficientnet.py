"""Writes efficientnet_b0.onnx: Tan and Le, 2019, images of 224x224.

x * sigmoid(x) is written in two operators and batch normalisation folded, as exporters leave them behind. The
multiply-adds are those of torchvision's network.
"""

from onnx_writer import Model

# Expansion, kernel, stride of the first block, channels, blocks.
STAGES = [(1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3), (6, 5, 2, 192, 4),
          (6, 3, 1, 320, 1)]


class EfficientNet:
    def __init__(self):
        self.model = Model("efficientnet_b0")

    def conv(self, name, x, channels, filters, kernel=1, stride=1, groups=1):
        weights = self.model.weight(name + ".weight", [filters, channels // groups, kernel, kernel])
        return self.model.op("Conv", name, x, weights, self.model.weight(name + ".bias", [filters]),
                             kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4, strides=[stride, stride],
                             group=groups)

    def silu(self, name, x):
        return self.model.op("Mul", name + ".silu", x, self.model.op("Sigmoid", name + ".sigmoid", x))

    def gate(self, name, x, channels, squeezed):
        model = self.model
        y = model.op("GlobalAveragePool", name + ".pool", x)
        y = self.silu(name + ".squeeze", self.conv(name + ".squeeze", y, channels, squeezed))
        y = model.op("Sigmoid", name + ".sigmoid", self.conv(name + ".excite", y, squeezed, channels))
        return model.op("Mul", name + ".scale", y, x)

    def block(self, name, x, channels, filters, expansion, kernel, stride):
        wide, y = expansion * channels, x
        if expansion > 1:
            y = self.silu(name + ".expand", self.conv(name + ".expand", y, channels, wide))
        y = self.silu(name + ".depthwise", self.conv(name + ".depthwise", y, wide, wide, kernel, stride, wide))
        y = self.gate(name + ".gate", y, wide, max(1, channels // 4))
        y = self.conv(name + ".project", y, wide, filters)
        return self.model.op("Add", name + ".add", x, y) if stride == 1 and channels == filters else y

    def build(self):
        model = self.model
        x = self.silu("stem", self.conv("stem", model.input("image", [1, 3, 224, 224]), 3, 32, 3, 2))
        channels, number = 32, 1
        for expansion, kernel, stride, filters, blocks in STAGES:
            for i in range(blocks):
                x = self.block(f"block{number}", x, channels, filters, expansion, kernel, stride if i == 0 else 1)
                channels, number = filters, number + 1
        x = model.op("GlobalAveragePool", "pool", self.silu("head", self.conv("head", x, channels, 1280)))
        x = model.linear("classifier", model.op("Flatten", "flatten", x, axis=1), 1280, 1000)
        model.output(x, [1, 1000])
        model.save("efficientnet_b0.onnx")


EfficientNet().build()
