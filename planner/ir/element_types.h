// Element types of all tensors.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Sets TensorPlan::type of every tensor: options.type for floats, int32 for indices, Tensor::fixed_type where there is
// one, the accumulator's type for results of int8 products. UserError where a network cannot be computed in the type
// asked for.
void assign_types(Plan& plan);

// Of an operator's first operand, in a plan whose tensors need not have their types yet.
DataType operand_type(const Plan& plan, const Operator& op);

// Whether a product's operands are int8, so that its sums are int32.
bool multiplies_int8(const Plan& plan, const Operator& op);

// Whether a tensor is an input in another type than the network is computed in, which the program converts
// (PlanOptions::convert_inputs).
bool is_converted(const Plan& plan, const Tensor& tensor);

}  // namespace tilewright
