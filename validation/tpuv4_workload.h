// What one measured row of a TPU v4 runs: the kernels that XLA launched for it, each as a graph of one operator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/ir/plan.h"

namespace tilewright {

// A launch of its own on the chip. Floats are fp16.
struct TpuKernel {
  Graph graph;
  PlanOptions options;
};

// The loop of a product that XLA chose, in elements: a grid of windows, each multiplied by one instruction.
struct XlaWindows {
  std::int64_t m = 0, n = 0, k = 0;                    // of one window, whole tiles of 8 x 128
  std::int64_t count_m = 0, count_n = 0, count_k = 0;  // windows along each dimension
  bool split_m = false;                                // which dimension the cores share: M, or N
  bool operator==(const XlaWindows&) const = default;
};

// "iter=8x1x1;out=128x1;kernel=128x1;input=128x8;split=0;layout=RRR;emitter=...": windows along N, M, K; C, B and A in
// tiles of 8 x 128 along the axes of their layouts (R: row-major, T: transposed). UserError(where, ...) for anything
// else.
XlaWindows xla_windows(const std::string& where, const std::string& text);

// Split over two cores, and tilings, of operator 0, a product of whole windows.
OperatorChoice xla_choice(const XlaWindows& windows);

// Dimensions as XLA lays an array out: of the pairs of axes the one that pads least is padded to 8 x 128; an array of
// one dimension to 1,024.
Shape padded_layout(const Shape& shape);

// The kernels of `op` ("matmul", "add", ..., "relu", ..., "layernorm", "rmsnorm", "batchnorm_infer", "maxpool",
// "avgpool") of `dims` ("128x128x512"), launched one after the other. `windows`: as given with a product, or empty.
// `copied`: XLA copies the input into another layout before it. UserError(where, ...) for an operation or dimensions
// not known.
std::vector<TpuKernel> tpuv4_kernels(const std::string& where, const std::string& op, const std::string& dims,
                                     const std::string& windows, bool copied);

// "128x128x512" -> {128, 128, 512}; UserError(where, ...) for anything else.
Shape dims_of(const std::string& where, const std::string& dims);

}  // namespace tilewright
