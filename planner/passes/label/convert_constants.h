// Constants in the form the chip reads, ahead of time: weights transposed where their rows are too short to be read in
// long runs, and continued with zeros where the other operand is longer.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Changes shapes, data and attributes in plan.graph, and order and padding of the labels. UserError when a product
// whose operands differ in length has no constant weights to pad.
void convert_constants(Plan& plan);

}  // namespace tilewright
