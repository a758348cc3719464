#include "planner/ir/in_place.h"

#include <algorithm>

#include "planner/ir/storage_order.h"

namespace tilewright {
namespace {

bool is_one_run(const Graph& graph, const Operator& concat) {
  const Shape& out = graph.tensor(concat.output).shape;
  return std::all_of(out.begin(), out.begin() + concat.attributes.axis, [](std::int64_t size) { return size == 1; });
}

// A renaming would see other ranges of the memory, a second concatenation would need it elsewhere.
bool can_lie_within(const Plan& plan, TensorId part, TensorId whole) {
  const Tensor& tensor = plan.graph.tensor(part);
  const auto moved = [&](OperatorId id) {
    const OpKind kind = plan.graph.op(id).kind;
    return is_alias(kind) || kind == OpKind::kConcat;
  };
  const auto written = [&](OperatorId id) {
    const Operator& op = plan.graph.op(id);
    return !moved(id) || (op.attributes.part && joins_in_place(plan, op));
  };
  return tensor.kind == TensorKind::kHidden && tensor.producer && written(*tensor.producer) &&
         plan.tensors[part].type == plan.tensors[whole].type &&
         std::count_if(tensor.consumers.begin(), tensor.consumers.end(), moved) == 1;
}

// Bytes of the result behind each other that lie so in the input, too.
Bytes kept_run(const Plan& plan, const Operator& transpose) {
  const Shape& shape = plan.graph.tensor(transpose.output).shape;
  Bytes run = bytes_of(plan.tensors[transpose.output].type);
  for (std::size_t d = shape.size(); d-- > 0 && transpose.attributes.permutation[d] == static_cast<std::int64_t>(d);)
    run *= shape[d];
  return run;
}

// What moves elements computes the addresses of its stores itself.
bool is_made_by_instructions(const Graph& graph, TensorId tensor) {
  const auto producer = made_by(graph, tensor);
  return producer && !moves_only(graph.op(*producer).kind);
}

bool is_joined(const Plan& plan, TensorId tensor) {
  const auto& consumers = plan.graph.tensor(tensor).consumers;
  return std::any_of(consumers.begin(), consumers.end(),
                     [&](OperatorId id) { return joins_in_place(plan, plan.graph.op(id)); });
}

}  // namespace

Bytes shortest_run(const Hardware& hardware) { return std::max<Bytes>(64, hardware.dram.burst_bytes); }

bool joins_in_place(const Plan& plan, const Operator& op) {
  if (op.kind != OpKind::kConcat) return false;
  if (!op.attributes.part && (plan.options.group == Grouping::kNone || !is_one_run(plan.graph, op))) return false;
  for (const TensorId input : op.inputs)
    if (!can_lie_within(plan, input, op.output) || std::count(op.inputs.begin(), op.inputs.end(), input) > 1)
      return false;
  return true;
}

bool lies_in_parts(const Operator& op) { return op.attributes.in_parts; }

std::optional<OperatorId> made_by(const Graph& graph, TensorId tensor) {
  const auto producer = graph.tensor(tensor).producer;
  const bool cut_out = producer && graph.op(*producer).kind == OpKind::kSlice && lies_in_parts(graph.op(*producer));
  return cut_out ? graph.tensor(graph.op(*producer).inputs[0]).producer : producer;
}

bool slices_in_place(const Plan& plan, const Operator& op) {
  if (op.kind != OpKind::kSlice || !op.attributes.part) return false;
  const Tensor& whole = plan.graph.tensor(op.inputs[0]);
  const bool has_own_order = whole.producer && (is_alias(plan.graph.op(*whole.producer).kind) ||
                                                plan.graph.op(*whole.producer).kind == OpKind::kTranspose);
  return !whole.is_cache && !has_own_order && plan.tensors[op.inputs[0]].type == plan.tensors[op.output].type &&
         plan.graph.tensor(op.output).kind == TensorKind::kHidden;
}

bool appends_in_place(const Plan& plan, const Operator& op) {
  if (op.kind != OpKind::kConcat || op.inputs.size() < 2) return false;
  const Tensor& cache = plan.graph.tensor(op.inputs[0]);
  return cache.is_cache && cache.kind == TensorKind::kInput && cache.consumers.size() == 1 &&
         std::count(op.inputs.begin(), op.inputs.end(), op.inputs[0]) == 1 &&
         plan.tensors[op.inputs[0]].type == plan.tensors[op.output].type;
}

std::int64_t first_of_input(const Graph& graph, const Operator& concat, std::size_t index) {
  std::int64_t first = 0;
  for (std::size_t i = 0; i < index; ++i) first += graph.tensor(concat.inputs[i]).shape[concat.attributes.axis];
  return first;
}

std::vector<TensorId> written_for(const Graph& graph, const Operator& transpose) {
  std::vector<TensorId> tensors{transpose.inputs[0]};
  for (auto producer = graph.tensor(tensors[0]).producer; producer && is_alias(graph.op(*producer).kind);
       producer = graph.tensor(tensors.back()).producer)
    tensors.push_back(graph.op(*producer).inputs[0]);
  return tensors;
}

std::optional<std::vector<int>> order_before(const Graph& graph, const Operator& transpose, TensorId before) {
  const Shape& whole = graph.tensor(transpose.output).shape;
  const auto& permutation = transpose.attributes.permutation;
  std::vector<int> factors;
  for (std::size_t d = 0; d < permutation.size(); ++d) {
    const auto at = std::find(permutation.begin(), permutation.end(), static_cast<std::int64_t>(d));
    const auto factor = static_cast<int>(at - permutation.begin());
    if (whole[factor] != 1) factors.push_back(factor);
  }
  if (factors_of(graph.tensor(before).shape, whole, factors).empty()) return std::nullopt;
  return factors;
}

bool transposes_in_place(const Plan& plan, const Operator& op) {
  if (op.kind != OpKind::kTranspose || plan.options.group == Grouping::kNone) return false;
  if (kept_run(plan, op) < shortest_run(plan.hardware) || is_joined(plan, op.output)) return false;
  const std::vector<TensorId> tensors = written_for(plan.graph, op);
  return is_made_by_instructions(plan.graph, tensors.back()) &&
         std::all_of(tensors.begin(), tensors.end(), [&](TensorId id) {
           const Tensor& tensor = plan.graph.tensor(id);
           return tensor.kind == TensorKind::kHidden && tensor.consumers.size() == 1 &&
                  plan.tensors[id].type == plan.tensors[op.output].type && order_before(plan.graph, op, id);
         });
}

bool needs_no_instruction(const Plan& plan, const Operator& op) {
  return is_alias(op.kind) || lies_in_parts(op) || joins_in_place(plan, op) || slices_in_place(plan, op) ||
         transposes_in_place(plan, op);
}

namespace {

void add_writers(const Plan& plan, TensorId tensor, std::vector<OperatorId>& writers) {
  const auto producer = plan.graph.tensor(tensor).producer;
  if (!producer) return;
  const Operator& op = plan.graph.op(*producer);
  if (is_alias(op.kind) || transposes_in_place(plan, op) || slices_in_place(plan, op))
    add_writers(plan, op.inputs[0], writers);
  else if (joins_in_place(plan, op) || lies_in_parts(op))
    for (const TensorId input : op.inputs) add_writers(plan, input, writers);
  else
    writers.push_back(*producer);
}

}  // namespace

std::vector<OperatorId> writers_of(const Plan& plan, TensorId tensor) {
  std::vector<OperatorId> writers;
  add_writers(plan, tensor, writers);
  return writers;
}

std::vector<TensorReader> readers_of(const Graph& graph, TensorId tensor) {
  std::vector<TensorReader> readers;
  for (const OperatorId consumer : graph.tensor(tensor).consumers) {
    const Operator& op = graph.op(consumer);
    if (op.kind == OpKind::kConcat && lies_in_parts(op))
      for (const OperatorId reader : graph.tensor(op.output).consumers) readers.push_back({reader, op.output});
    else
      readers.push_back({consumer, tensor});
  }
  return readers;
}

}  // namespace tilewright
