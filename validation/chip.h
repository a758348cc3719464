// Whole chips beside ONNXim: GEMMs and convolutions on its TPU v4 configuration with its simple interconnect
// and with BookSim.
#pragma once

#include <string>
#include <vector>

#include "planner/ir/plan.h"
#include "sim/session.h"
#include "validation/report.h"

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

// The chip of every configuration of the table: its simple interconnect, and BookSim as a crossbar.
struct OnnximChips {
  Session &four_simple, &one_simple, &four_crossbar, &one_crossbar;
};

// Every row of the table at `csv_path`. Judged: with ONNXim's tiles and cores within 10 % of its cycles; as we plan it,
// never slower, or at most 5 % slower where ONNXim's reads do not cover its operands. Of BookSim's rows only ONNXim's
// tiles are compared, and judged on one core (docs/validation.md). UserError for a row of no such configuration.
ValidationReport validate_chip(const std::string& csv_path, const OnnximChips& chips);

}  // namespace tilewright
