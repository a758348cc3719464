#include "planner/estimate/operand_access.h"

#include <algorithm>

#include "planner/ir/contraction.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

// How often a product loads operand `tensor`; others load what they need once.
double loads_of(const Plan& plan, OperatorId id, std::size_t item, TensorId tensor) {
  const OperatorPlan& planned = plan.operators[id];
  if (!is_contraction(plan.graph.op(id).kind) || item >= planned.tilings.size()) return 1;
  const auto part = make_contraction(plan, plan.graph.op(id), planned.split.items[item]);
  if (part->tensor_a() == tensor) return planned.tilings[item].load_a;
  return part->tensor_b() == tensor ? planned.tilings[item].load_b : 1;
}

}  // namespace

std::vector<OperandAccess> writes_of(const Plan& plan, OperatorId id) {
  std::vector<OperandAccess> accesses;
  for (const WorkItem& item : plan.operators[id].split.items)
    if (std::none_of(accesses.begin(), accesses.end(),
                     [&](const OperandAccess& other) { return other.box == item.output; }))
      accesses.push_back({item.core, item.output});
  return accesses;
}

std::vector<OperandAccess> reads_of(const Plan& plan, OperatorId id, std::size_t input) {
  std::vector<OperandAccess> accesses;
  const Operator& op = plan.graph.op(id);
  const TensorId tensor = all_inputs(op)[input];
  const auto& items = plan.operators[id].split.items;
  for (std::size_t i = 0; i < items.size(); ++i)
    accesses.push_back({items[i].core, required_input(plan, op, input, items[i]), loads_of(plan, id, i, tensor)});
  return accesses;
}

std::map<TensorId, std::vector<OperandAccess>> accesses_by_part(const Plan& plan, TensorId whole,
                                                                const std::vector<OperandAccess>& accesses) {
  std::map<TensorId, std::vector<OperandAccess>> by_part;
  for (const OperandAccess& access : accesses)
    for (PartOfBox& part : parts_of_box(plan, whole, access.box))
      by_part[part.tensor].push_back({access.core, std::move(part.box), access.times});
  return by_part;
}

Spread::Spread(const Plan& plan, TensorId tensor, Homes homes)
    : homes_(homes),
      count_(static_cast<std::size_t>(homes == Homes::kRegions ? plan.hardware.dram.regions : plan.hardware.clusters)) {
  if (!plan.tensors[tensor].permuted.empty()) order_.emplace(plan, tensor);
  view_ = placed_view(plan, order_ ? order_->storage() : tensor);
}

std::vector<double> Spread::of(const BoxRange& box) const {
  std::vector<double> elements(count_, 0);
  if (!order_) add(box, elements);
  if (order_)
    for (const StorageBox& part : order_->boxes(box)) add(part.box, elements);
  return elements;
}

void Spread::add(const BoxRange& box, std::vector<double>& elements) const {
  if (box.empty() || view_.pieces.empty()) return;
  const Range& range = box[view_.split_dimension];
  if (range.size() <= 0) return;
  const double whole = static_cast<double>(element_count(box)) / static_cast<double>(range.size());
  for (const PlacedPiece& piece : view_.pieces) {
    const auto common = std::min(range.end, piece.range.end) - std::max(range.begin, piece.range.begin);
    if (common > 0)
      elements[homes_ == Homes::kRegions ? piece.region : piece.cluster] += whole * static_cast<double>(common);
  }
}

}  // namespace tilewright
