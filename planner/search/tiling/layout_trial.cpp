#include "planner/search/tiling/layout_trial.h"

#include "planner/ir/group.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

bool moves_between_operators(const Plan& plan, TensorId tensor) {
  return !is_constant(plan.graph, tensor) && !stays_on_core(plan, tensor);
}

bool is_written(const Plan& plan, TensorId tensor) { return plan.graph.tensor(tensor).producer.has_value(); }

Plan without_program(const Plan& plan) {
  Plan copy = plan;
  copy.program = {};
  copy.packets.clear();
  for (OperatorPlan& planned : copy.operators) planned.streams.clear();
  return copy;
}

}  // namespace

RegionTraffic activation_traffic(const Plan& plan, OperatorId id) {
  RegionTraffic traffic(plan);
  const Operator& op = plan.graph.op(id);
  const auto inputs = all_inputs(op);
  for (std::size_t input = 0; input < inputs.size(); ++input)
    if (moves_between_operators(plan, inputs[input])) traffic.add(inputs[input], reads_of(plan, id, input), true);
  if (moves_between_operators(plan, op.output)) traffic.add(op.output, writes_of(plan, id), false);
  return traffic;
}

LayoutTrial::LayoutTrial(const Plan& plan, const SplitOptions& options, double exposed)
    : options_(options), exposed_(exposed), trial_(without_program(plan)), cuts_(trial_), moved_(options.size()) {
  for (const OperatorId id : trial_.order)
    for (std::size_t option = options_[id].size(); option-- > 0;) {
      choose(id, option);
      moved_[id].insert(moved_[id].begin(), moved_by(id));
    }
}

void LayoutTrial::choose(OperatorId id, std::size_t option) {
  const Operator& op = trial_.graph.op(id);
  trial_.operators[id].split = options_[id][option].split;
  trial_.operators[id].tilings = options_[id][option].tilings;
  for (const TensorId input : all_inputs(op))
    if (moves_between_operators(trial_, input) && !is_written(trial_, input)) place(input);
  if (moves_between_operators(trial_, op.output)) place(op.output);
}

// As the pass `allocate` does it.
void LayoutTrial::place(TensorId tensor) {
  for (const TensorId storage : storages_of(trial_, tensor)) {
    TensorPlan& placed = trial_.tensors[storage];
    const Cut cut = cuts_.in_dram(storage);
    placed.split_dimension = cut.dimension;
    placed.pieces.clear();
    for (const auto& [range, region] : cut.ranges) placed.pieces.push_back({range, 0, region});
  }
}

LayoutTrial::Moved LayoutTrial::moved_by(OperatorId id) const {
  Moved moved{RegionTraffic(trial_), {}};
  const Operator& op = trial_.graph.op(id);
  const auto inputs = all_inputs(op);
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    if (!moves_between_operators(trial_, inputs[input])) continue;
    auto accesses = reads_of(trial_, id, input);
    if (is_written(trial_, inputs[input]))
      moved.reads.push_back({inputs[input], std::move(accesses)});
    else
      moved.own.add(inputs[input], accesses, true);
  }
  if (moves_between_operators(trial_, op.output)) moved.own.add(op.output, writes_of(trial_, id), false);
  return moved;
}

double LayoutTrial::time(OperatorId id, std::size_t option) const {
  const Moved& moved = moved_[id][option];
  RegionTraffic traffic = moved.own;
  for (const Read& read : moved.reads) traffic.add(read.tensor, read.accesses, true);
  const SplitOption& chosen = options_[id][option];
  return chosen.cycles + exposed_ * (traffic.cycles() - chosen.activations);
}

}  // namespace tilewright
