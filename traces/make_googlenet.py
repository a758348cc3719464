"""Writes googlenet.onnx: Szegedy et al., "Going deeper with convolutions", 2015, with batch normalisation as torchvision has it.

The "5x5" branch is a 3x3 convolution there too. Without the auxiliary classifiers, which inference drops.
"""

from onnx_writer import Model

# name, input channels, 1x1, 3x3 reduced, 3x3, 5x5 reduced, 5x5, behind the pool
INCEPTIONS = [("3a", 192, 64, 96, 128, 16, 32, 32), ("3b", 256, 128, 128, 192, 32, 96, 64), "pool3",
              ("4a", 480, 192, 96, 208, 16, 48, 64), ("4b", 512, 160, 112, 224, 24, 64, 64),
              ("4c", 512, 128, 128, 256, 24, 64, 64), ("4d", 512, 112, 144, 288, 32, 64, 64),
              ("4e", 528, 256, 160, 320, 32, 128, 128), "pool4",
              ("5a", 832, 256, 160, 320, 32, 128, 128), ("5b", 832, 384, 192, 384, 48, 128, 128)]


class GoogLeNet:
    def __init__(self):
        self.model = Model("googlenet")

    def conv(self, name, x, channels, filters, kernel, stride=1):
        model, pad = self.model, kernel // 2
        weight = model.weight(name + ".weight", [filters, channels, kernel, kernel])
        y = model.op("Conv", name, x, weight, kernel_shape=[kernel, kernel], strides=[stride, stride], pads=[pad] * 4)
        parameters = [model.weight(name + ".bn." + part, [filters]) for part in ("scale", "bias", "mean", "variance")]
        y = model.op("BatchNormalization", name + ".bn", y, *parameters, epsilon=1e-3)
        return model.op("Relu", name + ".relu", y)

    def pool(self, name, x, kernel, stride, pad, ceil=1):
        return self.model.op("MaxPool", name, x, kernel_shape=[kernel, kernel], strides=[stride, stride],
                             pads=[pad] * 4, ceil_mode=ceil)

    def inception(self, name, x, channels, one, reduced3, three, reduced5, five, pooled):
        branch1 = self.conv(name + ".branch1", x, channels, one, 1)
        branch2 = self.conv(name + ".branch2.reduce", x, channels, reduced3, 1)
        branch2 = self.conv(name + ".branch2", branch2, reduced3, three, 3)
        branch3 = self.conv(name + ".branch3.reduce", x, channels, reduced5, 1)
        branch3 = self.conv(name + ".branch3", branch3, reduced5, five, 3)
        branch4 = self.conv(name + ".branch4", self.pool(name + ".pool", x, 3, 1, 1), channels, pooled, 1)
        return self.model.op("Concat", name + ".concat", branch1, branch2, branch3, branch4, axis=1)

    def build(self):
        model = self.model
        x = self.conv("conv1", model.input("image", ["batch", 3, 224, 224]), 3, 64, 7, 2)
        x = self.conv("conv2", self.pool("pool1", x, 3, 2, 0), 64, 64, 1)
        x = self.pool("pool2", self.conv("conv3", x, 64, 192, 3), 3, 2, 0)
        for block in INCEPTIONS:
            if block == "pool3":
                x = self.pool("pool3", x, 3, 2, 0)
            elif block == "pool4":
                x = self.pool("pool4", x, 2, 2, 0)
            else:
                x = self.inception("inception" + block[0], x, *block[1:])
        x = model.op("Flatten", "flatten", model.op("GlobalAveragePool", "pool5", x), axis=1)
        y = model.op("Gemm", "fc", x, model.weight("fc.weight", [1000, 1024]), model.weight("fc.bias", [1000]), transB=1)
        model.output(y, ["batch", 1000])
        model.save("googlenet.onnx")


GoogLeNet().build()
