// Labels of single operands of an operator that is cut.
#pragma once

#include "planner/passes/label/label_cuts.h"

namespace tilewright {

// Type, order, padding and size of a tensor; no granules, not split.
DynamicLabel base_label(const Plan& plan, TensorId tensor);

DynamicLabel input_label(const Plan& plan, const Operator& op, std::size_t input, const Cuts& cuts);
// Of an epilogue: it lies as it is and is read by every core that needs it.
DynamicLabel operand_label(const Plan& plan, TensorId tensor, const Cuts& cuts);
DynamicLabel output_label(const Plan& plan, const Operator& op, const Cuts& cuts);

}  // namespace tilewright
