#include "planner/passes/order/order.h"

#include <fmt/format.h>

#include <map>

#include "planner/ir/requirement.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Takes operators one by one and knows which have been taken.
class OrderBuilder {
 public:
  OrderBuilder(const Graph& graph, std::string where)
      : graph_(graph), where_(std::move(where)), taken_(graph.operators().size(), false) {
    take_renamings();
  }

  void take(OperatorId id) {
    if (taken_[id]) {
      if (is_alias(graph_.op(id).kind)) return;  // stands already, as early as it can
      fail(id, "stands twice");
    }
    if (const auto producer = open_producer(id))
      fail(id, fmt::format("stands before '{}', whose result it reads", graph_.op(*producer).name));
    append(id);
    take_renamings();
  }

  std::vector<OperatorId> finish() {
    for (std::size_t id = 0; id < taken_.size(); ++id)
      if (!taken_[id]) fail(static_cast<OperatorId>(id), "is missing");
    return std::move(order_);
  }

 private:
  [[noreturn]] void fail(OperatorId id, const std::string& what) const {
    throw UserError(where_, fmt::format("operator '{}' {}", operator_labels(graph_)[id], what));
  }

  std::optional<OperatorId> open_producer(OperatorId id) const {
    for (const TensorId input : all_inputs(graph_.op(id)))
      if (const auto producer = graph_.tensor(input).producer; producer && !taken_[*producer]) return producer;
    return std::nullopt;
  }

  void append(OperatorId id) {
    taken_[id] = true;
    order_.push_back(id);
  }

  // Renamings whose input is there, chains of them too.
  void take_renamings() {
    bool more = true;
    while (more) {
      more = false;
      for (std::size_t id = 0; id < taken_.size(); ++id) {
        const auto op = static_cast<OperatorId>(id);
        if (taken_[id] || !is_alias(graph_.op(op).kind) || open_producer(op)) continue;
        append(op);
        more = true;
      }
    }
  }

  const Graph& graph_;
  std::string where_;
  std::vector<bool> taken_;
  std::vector<OperatorId> order_;
};

}  // namespace

std::vector<std::string> operator_labels(const Graph& graph) {
  std::map<std::string, int> count;
  for (const Operator& op : graph.operators()) ++count[op.name];
  std::vector<std::string> labels;
  for (const Operator& op : graph.operators())
    labels.push_back(count[op.name] == 1 ? op.name : fmt::format("{} -> {}", op.name, graph.tensor(op.output).name));
  return labels;
}

std::vector<OperatorId> find_order(const Graph& graph, const std::vector<std::string>& labels,
                                   const std::string& where) {
  std::map<std::string, OperatorId> known;
  OperatorId id = 0;
  for (std::string& label : operator_labels(graph)) known.emplace(std::move(label), id++);
  OrderBuilder builder(graph, where);
  for (const std::string& label : labels) {
    const auto found = known.find(label);
    if (found == known.end())
      throw UserError(where, fmt::format("operator '{}' is none of graph '{}'", label, graph.name));
    builder.take(found->second);
  }
  return builder.finish();
}

void order(Plan& plan) {
  if (plan.options.order.empty()) return;
  plan.order = find_order(plan.graph, plan.options.order, plan.options.order_source);
}

void verify_order(const Plan& plan) {
  std::vector<bool> done(plan.graph.operators().size(), false);
  for (const OperatorId id : plan.order) {
    SIM_CHECK(!done[id], "'{}' is ordered twice", plan.graph.op(id).name);
    for (const TensorId input : all_inputs(plan.graph.op(id)))
      if (const auto producer = plan.graph.tensor(input).producer)
        SIM_CHECK(done[*producer], "'{}' runs before its input", plan.graph.op(id).name);
    done[id] = true;
  }
  SIM_CHECK(plan.order.size() == done.size(), "{} of {} operators are ordered", plan.order.size(), done.size());
}

}  // namespace tilewright
