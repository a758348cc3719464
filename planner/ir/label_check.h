// Labels against the addresses of a linked program.
#pragma once

#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// Of a tensor with memory of its own, bytes that transfers of the program move.
struct TensorTraffic {
  Bytes written = 0, read = 0;
};

// By TensorId. InternalError unless every transfer of an operator moves bytes of one of its tensors, or of its partial
// results, in the memory that the tensor's label names: DRAM for `mem`, the addressed memory of that cluster (of any,
// if it has no number) for `cluster`; unless what the program writes of a result between operators is all of it, and is
// read on no other cores than the label's swap says; unless partial results are signalled as the reductions say; and
// unless labels hold field by field (label_fields.h).
std::vector<TensorTraffic> expect_labels_hold(const Plan& plan);

}  // namespace tilewright
