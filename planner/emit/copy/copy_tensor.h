// Copies between tensors of a plan: what a transpose, a slice or a concatenation moves, as boxes from piece to piece.
#pragma once

#include "planner/emit/copy/copy_box.h"
#include "planner/ir/plan.h"

namespace tilewright {

// Where a dimension of the output comes from: coordinate x is start + step * x of dimension `input`.
struct AxisSource {
  std::size_t input = 0;
  std::int64_t start = 0, step = 1;
};

// Boxes that move `part` of the output, one at most for each pair of pieces; places are DRAM addresses in elements.
// `axes`: one per dimension of the output, naming each dimension of the input once.
std::vector<CopyBox> boxes_between(const Plan& plan, TensorId input, TensorId output,
                                   const std::vector<AxisSource>& axes, const BoxRange& part);

}  // namespace tilewright
