// What one instruction asks of the unit that computes it.
#pragma once

#include "sim/hw/config/core_spec.h"
#include "sim/hw/timing/array_time.h"
#include "sim/isa/instruction.h"

namespace tilewright {

// Passes over the lanes of a vector unit that one element of `op` costs.
int passes_of(const VectorSpec& spec, VectorOp op);

// A matmul as the array sees it.
ArrayWork array_work_of(const Matmul& matmul);
// Its work: zeros left out.
std::int64_t multiply_adds_of(const Matmul& matmul);

// Of the vector unit: issue_cycles + ceil(elements * passes / lanes), passes of conversions included, and the steps of
// a reduction across the lanes.
Cycles vector_cycles(const VectorSpec& spec, const Vector& vector);

// Elements of the box that `stride` walks, repeats (stride 0) counted once.
std::int64_t distinct_elements(const Extents& shape, const Strides& stride);

}  // namespace tilewright
