#include "planner/passes/decompose/network_cuts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "planner/ir/group.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

class NetworkCuts {
 public:
  NetworkCuts(const Plan& plan, const PartLimit& limit)
      : plan_(plan),
        graph_(plan.graph),
        limit_(limit),
        granule_(cut_granule(plan.hardware)),
        cuts_(plan.graph.operators().size()) {}

  std::vector<std::vector<DimensionCut>> run() {
    for (const OperatorId id : graph_.topological_order()) choose(id);
    while (grow()) {
    }
    return std::move(cuts_);
  }

 private:
  void choose(OperatorId id) {
    const Operator& op = graph_.op(id);
    if (is_told_together(plan_, op.name) || data_of(plan_, op, limit_) <= limit_.whole) return;
    const std::vector<CutRule> rules = cut_rules(graph_.tensors(), op, granule_);
    std::vector<CutRule> shared;
    std::copy_if(rules.begin(), rules.end(), std::back_inserter(shared),
                 [&](const CutRule& rule) { return neighbours_follow(op, rule.dimension); });
    auto cuts = choose_cuts(plan_, op, limit_, shared);
    if (!cuts || (cuts->size() > 1 && shared.size() < rules.size())) cuts = choose_cuts(plan_, op, limit_, rules);
    if (cuts) cuts_[id] = *cuts;
  }

  bool in_parts(TensorId tensor) const { return never_whole(plan_, tensor, limit_); }

  // Dimension along which an operator reads or writes the tensor in parts; -1: not in parts of just one dimension.
  int cut_along(OperatorId id, TensorId tensor) const {
    if (cuts_[id].size() != 1) return -1;
    const Operator& op = graph_.op(id);
    const int d = cuts_[id].front().rule.dimension;
    if (op.output == tensor) return d;
    const auto inputs = all_inputs(op);
    const auto index = std::find(inputs.begin(), inputs.end(), tensor) - inputs.begin();
    return cut_dimension(graph_.tensors(), op, static_cast<std::size_t>(index), d);
  }

  // Whether tensors that are never whole are cut by it as those before cut them, and as those behind can.
  bool neighbours_follow(const Operator& op, int d) const {
    const auto inputs = all_inputs(op);
    for (std::size_t index = 0; index < inputs.size(); ++index)
      if (in_parts(inputs[index]) && cut_dimension(graph_.tensors(), op, index, d) !=
                                         cut_along(*graph_.tensor(inputs[index]).producer, inputs[index]))
        return false;
    const auto& readers = graph_.tensor(op.output).consumers;
    return !in_parts(op.output) || std::all_of(readers.begin(), readers.end(), [&](OperatorId reader) {
      return can_read_along(graph_.op(reader), op.output, d);
    });
  }

  bool can_read_along(const Operator& reader, TensorId tensor, int d) const {
    const auto inputs = all_inputs(reader);
    const auto index = static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), tensor) - inputs.begin());
    const auto rules = cut_rules(graph_.tensors(), reader, granule_);
    return std::any_of(rules.begin(), rules.end(), [&](const CutRule& rule) {
      return cut_dimension(graph_.tensors(), reader, index, rule.dimension) == d;
    });
  }

  // As many parts in front of a tensor that is never whole as behind it, the larger number; whether any grew.
  bool grow() {
    bool grew = false;
    for (TensorId id = 0; id < static_cast<TensorId>(graph_.tensors().size()); ++id) {
      const Tensor& tensor = graph_.tensor(id);
      if (!tensor.producer || !in_parts(id)) continue;
      std::vector<OperatorId> users = tensor.consumers;
      users.push_back(*tensor.producer);
      grew |= align(users, id);
    }
    return grew;
  }

  bool align(const std::vector<OperatorId>& users, TensorId tensor) {
    const int along = cut_along(users.back(), tensor);
    std::int64_t most = 1, units = graph_.tensor(tensor).shape.at(std::max(along, 0));
    for (const OperatorId user : users) {
      if (along < 0 || cut_along(user, tensor) != along) return false;
      most = std::max(most, cuts_[user].front().parts);
      units = std::min(units, cuts_[user].front().rule.units);
    }
    bool grew = false;
    for (const OperatorId user : users) grew |= most <= units && std::exchange(cuts_[user].front().parts, most) != most;
    return grew;
  }

  const Plan& plan_;
  const Graph& graph_;
  const PartLimit& limit_;
  std::int64_t granule_;
  std::vector<std::vector<DimensionCut>> cuts_;
};

}  // namespace

std::vector<std::vector<DimensionCut>> network_cuts(const Plan& plan, const PartLimit& limit) {
  return NetworkCuts(plan, limit).run();
}

}  // namespace tilewright
