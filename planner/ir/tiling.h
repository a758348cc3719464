// How one core runs C[m,n] = A[m,k] x B[k,n]: the result of the closed formulas (closed_form.h) or of a search.
#pragma once

#include <string>

#include "sim/base/units.h"

namespace tilewright {

struct Tiling {
  // Outer steps and inner steps, elements. partition_k < k means split-K through the accumulate buffer.
  std::int64_t partition_m = 0, partition_n = 0, partition_k = 0;
  std::int64_t tile_m = 0, tile_n = 0;
  bool outer_rowmajor = true;   // m loop outside the n loop
  bool inner_rowmajor = false;  // tile_n outside by default
  bool a_stationary = false;    // weight-stationary arrays: which operand is held
  bool rows_apart =
      false;  // cores with the same rows of A begin with different tiles of them, and with different memories
  bool hand_on_a = false, hand_on_b = false;  // cores that read the same take it from each other (ir/hand_on.h)
  std::int64_t abreast = 1;                   // of a convolution: output columns computed at a time (ir/abreast.h)
  double load_a = 1, load_b = 1;              // how often each matrix is read in whole
  bool need_splitk = false, use_acc_buffer = false;
  Bytes acc_buffer_needed = 0;
  Bytes spilled = 0;       // of the sums that wait in the input buffers (ir/spill.h)
  double utilisation = 0;  // predicted by the formulas
  std::string reason;      // which case of the method applied, and what legalisation changed
  bool operator==(const Tiling&) const = default;
};

}  // namespace tilewright
