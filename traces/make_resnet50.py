"""Writes resnet50.onnx and resnet50_convs.csv (He et al., 2015; the stride of a block in its 3x3, as torchvision does)."""

from onnx_writer import Model

STAGES = [(64, 3), (128, 4), (256, 6), (512, 3)]


class ResNet50:
    def __init__(self):
        self.model = Model("resnet50")
        self.rows = []

    def conv(self, name, x, size, channels, filters, kernel, stride, relu=True):
        pad = kernel // 2
        model = self.model
        self.rows.append((name, size, size, kernel, kernel, channels, filters, stride, pad))
        weight = model.weight(name + ".weight", [filters, channels, kernel, kernel])
        y = model.op("Conv", name, x, weight, kernel_shape=[kernel, kernel], strides=[stride, stride],
                     pads=[pad, pad, pad, pad])
        parameters = [model.weight(name + ".bn." + part, [filters]) for part in ("scale", "bias", "mean", "variance")]
        y = model.op("BatchNormalization", name + ".bn", y, *parameters, epsilon=1e-5)
        return model.op("Relu", name + ".relu", y) if relu else y

    def block(self, name, x, size, channels, width, stride):
        y = self.conv(name + ".conv1", x, size, channels, width, 1, 1)
        y = self.conv(name + ".conv2", y, size, width, width, 3, stride)
        y = self.conv(name + ".conv3", y, size // stride, width, 4 * width, 1, 1, relu=False)
        if channels != 4 * width:
            x = self.conv(name + ".downsample", x, size, channels, 4 * width, 1, stride, relu=False)
        return self.model.op("Relu", name + ".relu", self.model.op("Add", name + ".add", y, x))

    def build(self):
        model = self.model
        x = self.conv("stem", model.input("image", ["batch", 3, 224, 224]), 224, 3, 64, 7, 2)
        x = model.op("MaxPool", "maxpool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
        size, channels = 56, 64
        for stage, (width, blocks) in enumerate(STAGES, start=1):
            for index in range(blocks):
                stride = 2 if index == 0 and stage > 1 else 1
                x = self.block(f"layer{stage}.{index}", x, size, channels, width, stride)
                size, channels = size // stride, 4 * width
        x = model.op("Flatten", "flatten", model.op("GlobalAveragePool", "pool", x), axis=1)
        y = model.op("Gemm", "fc", x, model.weight("fc.weight", [1000, channels]), model.weight("fc.bias", [1000]), transB=1)
        model.output(y, ["batch", 1000])
        model.save("resnet50.onnx")

    def write_list(self):
        with open("resnet50_convs.csv", "w") as file:
            file.write("Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides, Pad,\n")
            for row in self.rows:
                file.write(", ".join(str(field) for field in row) + ",\n")


network = ResNet50()
network.build()
network.write_list()
