#include "planner/estimate/group_stand_in.h"

#include <utility>

#include "planner/ir/contraction.h"
#include "planner/ir/group.h"

namespace tilewright {

GroupStandIn::GroupStandIn(const Plan& plan, const OperatorGroup& group) : from_(plan) {
  plan_.hardware = plan.hardware;
  plan_.options.image_blocks = plan.options.image_blocks;
  plan_.groups.push_back({{}, group.batch_parts, group.row_parts, group.channel_parts, {}});
  for (const OperatorId member : group.members) {
    Operator op = plan.graph.op(member);
    for (TensorId& input : op.inputs) input = tensor(input);
    for (Epilogue& epilogue : op.epilogues)
      if (epilogue.operand) epilogue.operand = tensor(*epilogue.operand);
    op.output = tensor(op.output);
    plan_.groups[0].members.push_back(plan_.graph.add_operator(std::move(op)));
  }
  plan_.operators.resize(plan_.graph.operators().size());
}

bool GroupStandIn::assign(const BoxRange& output) {
  const std::vector<BoxRange> parts = member_parts(plan_, group(), output);
  for (std::size_t at = 0; at < parts.size(); ++at)
    plan_.operators[group().members[at]].split.items = {{0, parts[at], {}}};
  return !parts.empty();
}

void GroupStandIn::cut_constant(TensorId id, int dimension, std::int64_t size) {
  if (laid_by_reader_.count(id) == 0) return;
  TensorPlan& placed = plan_.tensors[id];
  const Shape& shape = plan_.graph.tensor(id).shape;
  const Bytes each = element_count(shape) / shape[dimension] * bytes_of(placed.type);
  placed.split_dimension = dimension;
  placed.pieces.clear();
  for (const Range& piece : cut_range({0, shape[dimension]}, size))
    placed.pieces.push_back({piece, static_cast<Address>(piece.begin * each), 0});
}

TensorId GroupStandIn::tensor(TensorId id) {
  Tensor copy = from_.graph.tensor(id);
  const auto [at, is_new] = ids_.try_emplace({without_renamings(from_.graph, id), copy.shape}, 0);
  if (!is_new) return at->second;
  const bool laid_by_reader = copy.kind == TensorKind::kConstant && copy.consumers.size() == 1;
  copy.producer.reset();
  copy.consumers.clear();
  const std::int64_t first = copy.shape.empty() ? 1 : copy.shape[0];
  plan_.tensors.push_back({.type = from_.tensors[id].type, .pieces = {{{0, first}, 0, 0}}});
  at->second = plan_.graph.add_tensor(std::move(copy));
  if (laid_by_reader) laid_by_reader_.insert(at->second);
  return at->second;
}

}  // namespace tilewright
