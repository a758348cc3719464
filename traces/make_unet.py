"""Writes unet.onnx: Ronneberger et al., 2015, padded convolutions, 32 channels at the top, images of 128x128; or
unet_PIXELS.onnx: make_unet.py PIXELS CHANNELS_AT_THE_TOP.

An up-convolution of 2x2 with stride 2 is written as what it equals: a 1x1 convolution to four times the channels whose
results are laid out as 2x2 pixels (Reshape, Transpose, Reshape).
"""

import sys

from onnx_writer import Model

SIZE, TOP = map(int, sys.argv[1:] or (128, 32))
CHANNELS = [TOP << level for level in range(5)]


class UNet:
    def __init__(self):
        self.model = Model("unet")

    def conv(self, name, x, channels, filters, kernel=3, relu=True):
        model = self.model
        y = model.op("Conv", name, x, model.weight(name + ".weight", [filters, channels, kernel, kernel]),
                     model.weight(name + ".bias", [filters]), kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4)
        return model.op("Relu", name + ".relu", y) if relu else y

    def double(self, name, x, channels, filters):
        return self.conv(name + ".conv2", self.conv(name + ".conv1", x, channels, filters), filters, filters)

    def up(self, name, x, channels, filters, size):
        model = self.model
        y = self.conv(name, x, channels, 4 * filters, 1, relu=False)
        y = model.op("Reshape", name + ".split", y, model.shape(name + ".split.shape", [1, filters, 2, 2, size, size]))
        y = model.op("Transpose", name + ".pixels", y, perm=[0, 1, 4, 2, 5, 3])
        return model.op("Reshape", name + ".join", y, model.shape(name + ".join.shape", [1, filters, 2 * size, 2 * size]))

    def build(self):
        model, skips, size = self.model, [], SIZE
        x, channels = model.input("image", [1, 3, SIZE, SIZE]), 3
        for level, filters in enumerate(CHANNELS):
            x = self.double(f"down{level}", x, channels, filters)
            channels = filters
            if level + 1 < len(CHANNELS):
                skips.append(x)
                x = model.op("MaxPool", f"pool{level}", x, kernel_shape=[2, 2], strides=[2, 2])
                size //= 2
        for level in reversed(range(len(skips))):
            filters = CHANNELS[level]
            x = self.up(f"up{level}", x, channels, filters, size)
            x = model.op("Concat", f"skip{level}", skips[level], x, axis=1)
            x = self.double(f"merge{level}", x, 2 * filters, filters)
            channels, size = filters, 2 * size
        model.output(self.conv("mask", x, channels, 2, 1, relu=False), [1, 2, SIZE, SIZE])
        model.save(f"unet_{SIZE}.onnx" if sys.argv[1:] else "unet.onnx")


UNet().build()
