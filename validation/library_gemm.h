// How a library of products for GPUs runs one: whole tiles of a few shapes, one to a core at a time, in waves; where
// they are too few for the cores, K is split, and a second kernel adds the parts.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/passes/pass.h"
#include "sim/hw/config/hardware.h"

namespace tilewright {

struct LibraryGemm {
  std::int64_t m = 1, n = 1;  // of a tile
  std::int64_t parts = 1;     // of K
};

// The shape that is finished first by the waves of its tiles: `launch` cycles for a second kernel.
LibraryGemm library_gemm(const Hardware& hardware, std::int64_t m, std::int64_t n, std::int64_t k);

// A kernel: planned with these options.
struct LibraryKernel {
  Graph graph;
  PlanOptions options;
};

// y[m,n] = x[m,k] w[n,k]^T in bf16.
std::vector<LibraryKernel> library_kernels(const Hardware& hardware, std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace tilewright
