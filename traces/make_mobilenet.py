"""Writes mobilenet_v2.onnx: Sandler et al., 2018, width 1, images of 224x224; or mobilenet_v2_PIXELS.onnx:
make_mobilenet.py PIXELS.

Batch normalisation is written as exporters leave it behind: folded into weights and bias. Its multiply-adds are those of
torchvision's network.
"""

import sys

from onnx_writer import Model

PIXELS = int(sys.argv[1]) if sys.argv[1:] else 224
# Expansion, channels, blocks, stride of the first.
STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


class MobileNet:
    def __init__(self):
        self.model = Model("mobilenet_v2")
        self.limits = [self.model.known("zero", 0.0), self.model.known("six", 6.0)]

    def conv(self, name, x, channels, filters, kernel=1, stride=1, groups=1, relu=True):
        model = self.model
        weights = model.weight(name + ".weight", [filters, channels // groups, kernel, kernel])
        y = model.op("Conv", name, x, weights, model.weight(name + ".bias", [filters]), kernel_shape=[kernel, kernel],
                     pads=[kernel // 2] * 4, strides=[stride, stride], group=groups)
        return model.op("Clip", name + ".relu6", y, *self.limits) if relu else y

    def block(self, name, x, channels, filters, expansion, stride):
        wide, y = expansion * channels, x
        if expansion > 1:
            y = self.conv(name + ".expand", y, channels, wide)
        y = self.conv(name + ".depthwise", y, wide, wide, 3, stride, wide)
        y = self.conv(name + ".project", y, wide, filters, relu=False)
        return self.model.op("Add", name + ".add", x, y) if stride == 1 and channels == filters else y

    def build(self):
        model = self.model
        x, channels, number = self.conv("stem", model.input("image", [1, 3, PIXELS, PIXELS]), 3, 32, 3, 2), 32, 1
        for expansion, filters, blocks, stride in STAGES:
            for i in range(blocks):
                x = self.block(f"block{number}", x, channels, filters, expansion, stride if i == 0 else 1)
                channels, number = filters, number + 1
        x = model.op("GlobalAveragePool", "pool", self.conv("head", x, channels, 1280))
        x = model.linear("classifier", model.op("Flatten", "flatten", x, axis=1), 1280, 1000)
        model.output(x, [1, 1000])
        model.save(f"mobilenet_v2_{PIXELS}.onnx" if sys.argv[1:] else "mobilenet_v2.onnx")


MobileNet().build()
