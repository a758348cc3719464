#include "planner/estimate/roofline.h"

#include <algorithm>

#include "planner/estimate/bandwidth.h"
#include "planner/estimate/unit_times.h"
#include "planner/graph/window.h"
#include "planner/ir/contraction.h"
#include "planner/ir/epilogue.h"
#include "planner/ir/group.h"
#include "planner/ir/in_place.h"
#include "planner/ir/lifetime.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

bool leaves_out_positions(const Window& window) {
  return std::any_of(window.axes.begin(), window.axes.end(), [](const Window::Axis& axis) {
    return axis.stride > 1 && (axis.stride > axis.size || axis.dilation > 1);
  });
}

// What of an input must be read at least once; 0, always a lower bound, where the operator picks elements.
Bytes input_bytes(const Plan& plan, const Operator& op, std::size_t input) {
  if (picks_elements(op.kind) || stays_on_core(plan, op.inputs[input])) return 0;
  const bool windowed = has_windows(op.kind);
  if (windowed && input == 0 && leaves_out_positions(window_of(plan.graph, op))) return 0;
  if (windowed) {
    Bytes bytes = bytes_of(plan.tensors[op.inputs[input]].type);
    for (const Range& range : required_input(plan, op, input, whole_box(plan.graph.tensor(op.output).shape)))
      bytes *= range.size();
    return bytes;
  }
  return bytes_of_tensor(plan, op.inputs[input]);
}

}  // namespace

Roofline roofline_of(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  Roofline bound;
  if (needs_no_instruction(plan, op)) return bound;
  if (is_contraction(op.kind))
    bound.compute_cycles = peak_time(plan.hardware.core.matmul, plan.tensors[op.inputs[0]].type,
                                     static_cast<double>(mac_count(plan.graph, op)), plan.hardware.cores());
  std::vector<TensorId> counted;
  for (std::size_t input = 0; input < op.inputs.size(); ++input) {
    if (std::count(counted.begin(), counted.end(), op.inputs[input]) > 0) continue;
    counted.push_back(op.inputs[input]);
    bound.compulsory_bytes += input_bytes(plan, op, input);
  }
  for (const Epilogue& epilogue : op.epilogues) {
    const EpilogueForm form = form_of(plan.graph, epilogue);
    if (form != EpilogueForm::kChannel && form != EpilogueForm::kElement) continue;
    if (std::count(counted.begin(), counted.end(), *epilogue.operand) > 0) continue;
    counted.push_back(*epilogue.operand);
    bound.compulsory_bytes += bytes_of_tensor(plan, *epilogue.operand);
  }
  if (!stays_on_core(plan, op.output)) bound.compulsory_bytes += bytes_of_tensor(plan, op.output);
  bound.bandwidth_cycles = static_cast<double>(bound.compulsory_bytes) / dram_peak(plan.hardware);
  return bound;
}

Roofline roofline_of(const Plan& plan) {
  Roofline sum;
  for (const OperatorId id : plan.order) {
    const Roofline bound = roofline_of(plan, id);
    sum.compute_cycles += bound.compute_cycles;
    sum.bandwidth_cycles += bound.bandwidth_cycles;
    sum.compulsory_bytes += bound.compulsory_bytes;
  }
  return sum;
}

}  // namespace tilewright
