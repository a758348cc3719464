#!/usr/bin/env python3
"""Writes a ResNet of basic blocks with random weights, quantised (QuantizeLinear and DequantizeLinear around every
operator) or in floats.

    traces/make_quantised.py quantised.onnx [--float] [--signed] [--image 112] [--width 64] [--blocks 2,2,2,2]

Needs the Python packages onnx and numpy (Debian: python3-onnx); the simulator itself does not.
"""

import argparse

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Network:
    """Values are pairs of a tensor's name and the scale of its levels."""

    def __init__(self, quantised, signed):
        self.quantised, self.levels = quantised, np.int8 if signed else np.uint8
        self.low, self.middle = (-128, 5) if signed else (0, 133)
        self.random = np.random.default_rng(1)
        self.nodes, self.initializers, self.count = [], [], 0

    def known(self, values):
        self.count += 1
        self.initializers.append(numpy_helper.from_array(np.asarray(values), f"known{self.count}"))
        return self.initializers[-1].name

    def node(self, kind, *inputs, **attributes):
        self.count += 1
        name = f"{kind.lower()}{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def rounded(self, x, scale, zero):
        if not self.quantised:
            return x, 1
        levels = self.known(np.float32(scale)), self.known(np.array(zero, self.levels))
        return self.node("DequantizeLinear", self.node("QuantizeLinear", x, *levels), *levels), scale

    def weights(self, shape, scale_x):
        """Of one scale for each output channel, and the bias."""
        weights = self.random.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape).astype(np.float32)
        bias = self.random.normal(0, 0.05, shape[0]).astype(np.float32)
        if not self.quantised:
            return self.known(weights), self.known(bias)
        scales = np.abs(weights).reshape(shape[0], -1).max(1) / np.float32(127)
        steps = (scales * np.float32(scale_x)).astype(np.float32)
        levels = np.rint(weights / scales.reshape([-1] + [1] * (len(shape) - 1))).astype(np.int8)
        return (self.node("DequantizeLinear", self.known(levels), self.known(scales),
                          self.known(np.zeros(shape[0], np.int8)), axis=0),
                self.node("DequantizeLinear", self.known(np.rint(bias / steps).astype(np.int32)), self.known(steps), axis=0))

    def conv(self, x, shape, stride, relu, scale):
        y = self.node("Conv", x[0], *self.weights(shape, x[1]), kernel_shape=shape[2:], strides=[stride] * 2,
                      pads=[shape[2] // 2] * 4)
        return self.rounded(self.node("Relu", y), scale, self.low) if relu else self.rounded(y, scale, self.middle)

    def block(self, x, channels, width, stride):
        y = self.conv(x, [width, channels, 3, 3], stride, True, 0.02)
        y = self.conv(y, [width, width, 3, 3], 1, False, 0.03)
        if stride != 1 or channels != width:
            x = self.conv(x, [width, channels, 1, 1], stride, False, 0.025)
        return self.rounded(self.node("Relu", self.node("Add", y[0], x[0])), 0.03, self.low)

    def head(self, x, channels, classes):
        x = self.rounded(self.node("GlobalAveragePool", x[0]), 0.02, self.low)
        x = self.rounded(self.node("Flatten", x[0]), x[1], self.low)
        return self.rounded(self.node("Gemm", x[0], *self.weights([classes, channels], x[1]), transB=1), 0.03, self.middle)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--float", action="store_true")
    parser.add_argument("--signed", action="store_true", help="activations of int8, else uint8")
    parser.add_argument("--image", type=int, default=112)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--blocks", default="2,2,2,2")
    options = parser.parse_args()

    net = Network(not options.float, options.signed)
    x = net.conv(net.rounded("x", 2 / 255, net.middle), [options.width, 3, 7, 7], 2, True, 0.015)
    x = net.rounded(net.node("MaxPool", x[0], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), x[1], net.low)
    channels = options.width
    for stage, blocks in enumerate(options.blocks.split(",")):
        for block in range(int(blocks)):
            width = options.width << stage
            x = net.block(x, channels, width, 2 if stage and not block else 1)
            channels = width
    y = net.head(x, channels, 1000)[0]
    graph = helper.make_graph(net.nodes, "quantised",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, options.image, options.image])],
                              [helper.make_tensor_value_info(y, TensorProto.FLOAT, [1, 1000])], net.initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="tilewright")
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, options.file)


if __name__ == "__main__":
    main()
