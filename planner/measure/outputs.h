// What a run computed: the values of the network's outputs.
#pragma once

#include <string>
#include <vector>

#include "planner/ir/plan.h"
#include "sim/session.h"

namespace tilewright {

struct OutputValues {
  std::string name;
  Shape shape;
  ValueType type = ValueType::kFloat32;
  std::vector<double> values;  // row-major, of the type
};

// In the model's order; `segments` are the final bytes of tensor_segments(). UserError where a whole number does not
// fit its type in the model, and where a Gather should have read other rows than those that the program was made for.
std::vector<OutputValues> output_values(const Plan& plan, const std::vector<SegmentData>& segments);

}  // namespace tilewright
