#include "planner/cost/roofline.h"

#include <algorithm>

#include "planner/graph/window.h"
#include "planner/passes/lower/contraction.h"
#include "planner/passes/requirement.h"

namespace tilewright {
namespace {

double macs_per_cycle(const Hardware& hardware, DataType type) {
  const MatmulSpec& spec = hardware.core.matmul;
  return static_cast<double>(spec.rows) * spec.columns * spec.arrays * spec.rate[static_cast<int>(type)] *
         hardware.cores();
}

Bytes bytes_of_tensor(const Plan& plan, TensorId id) {
  return element_count(plan.graph.tensor(id).shape) * bytes_of(plan.tensors[id].type);
}

bool leaves_out_positions(const Window& window) {
  return std::any_of(window.axes.begin(), window.axes.end(), [](const Window::Axis& axis) {
    return axis.stride > 1 && (axis.stride > axis.size || axis.dilation > 1);
  });
}

// What of an input must be read at least once; 0, always a lower bound, where the operator picks elements.
Bytes input_bytes(const Plan& plan, const Operator& op, std::size_t input) {
  if (op.kind == OpKind::kGather || op.kind == OpKind::kSlice) return 0;
  const bool windowed = op.kind == OpKind::kMaxPool || op.kind == OpKind::kAveragePool || op.kind == OpKind::kConv;
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

Bound bound_of(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  Bound bound;
  if (op.kind == OpKind::kReshape) return bound;
  if (is_contraction(op.kind))
    bound.compute_cycles =
        static_cast<double>(mac_count(plan.graph, op)) / macs_per_cycle(plan.hardware, plan.tensors[op.inputs[0]].type);
  std::vector<TensorId> counted;
  for (std::size_t input = 0; input < op.inputs.size(); ++input) {
    if (std::count(counted.begin(), counted.end(), op.inputs[input]) > 0) continue;
    counted.push_back(op.inputs[input]);
    bound.compulsory_bytes += input_bytes(plan, op, input);
  }
  for (const Epilogue& epilogue : op.epilogues)
    if (epilogue.operand) bound.compulsory_bytes += bytes_of_tensor(plan, *epilogue.operand);
  bound.compulsory_bytes += bytes_of_tensor(plan, op.output);
  bound.bandwidth_cycles = static_cast<double>(bound.compulsory_bytes) / plan.hardware.dram_bytes_per_cycle();
  return bound;
}

Bound bound_of(const Plan& plan) {
  Bound sum;
  for (const OperatorId id : plan.order) {
    const Bound bound = bound_of(plan, id);
    sum.compute_cycles += bound.compute_cycles;
    sum.bandwidth_cycles += bound.bandwidth_cycles;
    sum.compulsory_bytes += bound.compulsory_bytes;
  }
  return sum;
}

}  // namespace tilewright
