// How long an R x C array needs: the one place with the timing of matrix blocks, used by the matmul unit to run and by
// the planner to choose and to bound. Sources: SCALE-Sim (no overlap), ONNXim and Gemmini's RTL (overlap).
#pragma once

#include "sim/hw/config/core_spec.h"

namespace tilewright {

// One matmul instruction seen from the array. `stream` runs through the array, `deep` is reduced over.
struct ArrayWork {
  std::int64_t m = 0, n = 0, k = 0;
  bool a_stationary = false;  // weight-stationary arrays only
  DataType type = DataType::kBf16;
  // Length of the contiguous runs of the streamed dimension: the output columns of a convolution's tile row, which the
  // array streams row by row. 0: the whole dimension is one run.
  std::int64_t run = 0;
  // Kernel positions of a convolution, of which k is a multiple.
  std::int64_t kernel = 1;
  // Images of a convolution, of which n is a multiple; 0: a plain product.
  std::int64_t images = 0;
};

struct ArrayTime {
  std::int64_t blocks = 0;  // folds of the array
  Cycles fill = 0;          // from the start to the first block streaming, when the pipe was empty
  Cycles occupancy = 0;     // time after which the next instruction's first block may start
  Cycles drain = 0;         // from the end of occupancy to the last result
};

// The pipeline rule: streaming starts spec.issue_cycles (plus `fill`, into an empty pipe) after both the instruction is
// there and the previous one's occupancy is over; the last result is there `occupancy + drain` later.
// With overlap none: fill 0, drain 0, occupancy = blocks * cycles per fold of SCALE-Sim's closed form.
// The rate of `work.type` must be above 0.
ArrayTime array_time(const MatmulSpec& spec, const ArrayWork& work);

}  // namespace tilewright
