// ONNXim's tiles of products and convolutions, as choices for our planner.
#pragma once

#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// How ONNXim divides a GEMM into tiles and tiles over cores (PSAL-POSTECH/ONNXim a1e8629, Mapping.cc, Gemmini's
// heuristic), and the same choices given to our planner.
struct OnnximTiles {
  std::int64_t outer_m = 1, outer_n = 1, outer_k = 1;  // tiles per dimension
  std::int64_t m = 0, n = 0, k = 0;                    // elements of a tile; the last of a dimension may be smaller
  bool operator==(const OnnximTiles&) const = default;
};

// C[m,n] = A[m,k] x B[k,n] on `hardware`, whose buffers A and B are the halves of ONNXim's scratchpad.
OnnximTiles onnxim_tiles(const Hardware& hardware, std::int64_t m, std::int64_t n, std::int64_t k);

// The split and tilings of operator 0, a MatMul of two dimensions, that run `tiles` as ONNXim does. Output tile t is
// computed by core (t + 1) mod cores; as all cores are alike, each is given one block of neighbouring tiles of the same
// number instead.
OperatorChoice onnxim_choice(const Hardware& hardware, const OnnximTiles& tiles, std::int64_t m, std::int64_t n,
                             std::int64_t k);

// ONNXim's tiles of a convolution of one image: how many along output channels, rows and columns, and their sizes;
// input channels of one.
struct OnnximConvTiles {
  std::int64_t outer_m = 1, outer_p = 1, outer_q = 1;
  std::int64_t m = 0, p = 0, q = 0, c = 0;
};

// The split and tilings of operator 0, a convolution to `output` of `channels` input channels, that run `tiles` with
// whole kernels; a single tile is one core's.
OperatorChoice onnxim_conv_choice(const Hardware& hardware, const OnnximConvTiles& tiles, const Shape& output,
                                  std::int64_t channels, std::int64_t kernel);

}  // namespace tilewright
