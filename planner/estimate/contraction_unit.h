// Which unit of a core computes the multiply-adds of a contraction. An array holds one group of a convolution at a
// time: of a depthwise one a single row and as many columns as the kernel has positions. The vector unit's lanes run
// along the results of many groups.
#pragma once

#include "planner/ir/contraction.h"
#include "planner/ir/plan.h"

namespace tilewright {

// Passes over the vector unit's lanes that each result of a contraction costs; without epilogues its conversion.
std::int64_t epilogue_passes(const Plan& plan, const Operator& op);

// Instructions with which the vector unit computes as many groups as move together: one for each image, output channel
// and input channel of a group.
std::int64_t vector_instructions(const GemmShape& shape);

// Core clocks that all multiply-adds of a grouped convolution take on the vector unit, its groups at once.
double vector_time(const VectorSpec& spec, const GemmShape& shape);

// Core clocks that all multiply-adds of `shape` take on the unit that is faster: the vector unit only where groups
// are.
double compute_time(const CoreSpec& core, DataType type, const GemmShape& shape);

// Unit::kMatmul or Unit::kVector, whichever is predicted to be done with the operator earlier, what the vector unit
// does behind the multiply-adds included.
Unit compute_unit(const Plan& plan, const Operator& op);

}  // namespace tilewright
